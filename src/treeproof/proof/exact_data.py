"""The problem of a proof, for the exact checker: rows, tests, weights and losses.

Each section of docs/proof-format.md as it is written there, in integers and fractions,
with nothing but Python's standard library.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

UNIT = 1 << 20
Rows = frozenset[int]


class Refuted(Exception):
    """The proof does not hold."""


def require(holds: object, otherwise: str) -> None:
    """Raise Refuted unless something holds."""
    if not holds:
        raise Refuted(otherwise)


def whole(value: Any, least: int = 0) -> int:
    """Return an integer in range."""
    good = type(value) is int and least <= value <= 1 << 60
    require(good, f"{value!r} is not a whole number in range")
    return int(value)


def limit(value: Any) -> float:
    """Return a limit; null stands for none."""
    return math.inf if value is None else whole(value)


def object_of(line: bytes) -> dict[str, Any]:
    """Return the object of a line of JSON, in which no key comes twice."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "a key comes twice")
        return dict(pairs)

    value = json.loads(line.decode(), object_pairs_hook=members)
    require(isinstance(value, dict), "a line is not an object")
    return value  # type: ignore[no-any-return]


def places(values: list[Any]) -> dict[Any, int]:
    """Return the position of each value in a list of distinct ones."""
    require(len(set(values)) == len(values), "a value is listed twice")
    return {v: k for k, v in enumerate(values)}


def views(split: str, n: int, missing: str | None) -> Iterable[tuple[str, list[int]]]:
    """Section 1: how each view of a column is split, and its code for each code."""
    ordered, own = split in ("threshold", "order"), missing == "branch"
    codes, yes = list(range(n + 1 if missing else n)), list[set[int]]()
    if split == "either":
        yield "multiway", codes
        split, missing = "one-vs-rest", missing if own else None
    if split == "multiway":
        yield split, codes
    elif own:
        yield "threshold", [1] * n + [0]
    elif ordered and missing:
        yield "threshold", [*range(1, n + 1), 0]
    if not own and (split == "one-vs-rest" or (ordered and (n > 1 or not missing))):
        yield "threshold" if ordered else split, codes
    if split == "subset":
        free = max((n if own else len(codes)) - 1, 0)
        require(free < 16, "a column has too many subsets")
        bits = range(2**free - 1)
        yes = [{0} | {c + 1 for c in range(free) if k >> c & 1} for k in bits]
    elif ordered and own:
        yes = [set(range(k + 1)) for k in range(n - 1)]
    elif split == "one-vs-rest" and own:
        yes = [{k} for k in range({1: 0, 2: 1}.get(n, n))]
    elif split == "one-vs-rest" and missing and n > 2:
        yes = [{k, n} for k in range(n)]
    for some in yes:
        sides = [0 if c in some else 1 for c in codes]
        yield ("multiway", [*sides[:n], 2]) if own else ("threshold", sides)


def outcomes(split: str, view: list[int]) -> list[list[int]]:
    """Section 1: the tests of a view, each as its outcome for each code."""
    n = max(view, default=0) + 1
    if split == "multiway":
        return [view] if n > 1 else []
    if split == "threshold":
        return [[int(v > c) for v in view] for c in range(n - 1)]
    return [[int(v != c) for v in view] for c in range(n if n > 2 else n - 1)]


class Problem:
    """Sections 1, 2, 5 and 6: rows, tests and the costs of leaves.

    For classification, weights are multiplied by 2^20, so that costs are weights.
    """

    def __init__(self, h: Any, columns: Any, target: Any, weight: Any, costs: Any):
        from treeproof.proof import exact_more

        costly, labelled = h["loss"] == "costs", h["loss"] == "misclassification"
        self.loss_name, self.exact = h["loss"], costly or labelled
        self.given, n = weight, len(weight)
        self.min_leaf = whole(h["min_samples_leaf"], 1)
        require(sorted(f["name"] for f in h["features"]) == sorted(columns), "columns")
        require(all(0 <= w < math.inf for w in weight), "a weight is out of range")
        target = [[]] * n if costly and "classes" not in h else target
        target = [list(y) if isinstance(y, (list, tuple)) else [y] for y in target]
        if labelled or "classes" in h:
            place, factor = places(h["classes"]), [float(f) for f in h["class_weight"]]
            require(len(factor) == len(place) and min(factor) >= 0, "class weights")
            target = [[place[y]] for (y,) in target]
            weight = [w * factor[c] for w, (c,) in zip(weight, target, strict=True)]
        costs = exact_more.costs_of(h, costs, target) if costly else [[]] * n
        kept = [i for i, w in enumerate(weight) if w > 0]
        require(kept and whole(h["n_rows"]) == len(kept), "n_rows is wrong")
        weight, target, costs = ([v[i] for i in kept] for v in (weight, target, costs))
        listed, coded = list[list[Any]](), list[list[int]]()
        self.tests: list[tuple[int, list[int], int]] = []  # column, outcome by code
        self.ordered: list[Any] = []  # two tests of one threshold view, and an outcome
        for f in h["features"]:
            codes, values = encode(f, [columns[f["name"]][i] for i in kept])
            for split, view in views(f["split"], len(values), f.get("missing")):
                first, tests = len(self.tests), outcomes(split, view)
                self.tests += [(len(coded), each, max(each) + 1) for each in tests]
                if split == "threshold" and self.min_leaf == 1:
                    here = range(first, len(self.tests))
                    self.ordered += product(here, here, (0, 1))
            listed, coded = [*listed, values], [*coded, codes]
        exact_more.compare_digests(h, listed, coded, target, costs, weight)
        self.multiway = any(n > 2 for _, _, n in self.tests)
        # The same sets occur many times.
        self.leaf, self.children = cache(self.leaf), cache(self.children)  # type: ignore
        self.codes, self.samples = list(zip(*coded, strict=True)), [1] * len(kept)
        self.heft: list[Any] = [Fraction(w) for w in weight]
        self.target: list[Any] = [[Fraction(v) for v in y] for y in target]
        actions = h.get("actions" if costly else "classes", [])
        self.n_actions, self.factor = len(actions), 1.0
        self.n_outputs = 1 if self.exact else len(target[0])
        if costly:
            exact_more.take_gains(self, whole(h["scale"], -1100), costs, weight)
        elif labelled:
            self.merge(weight)
        everything = self.everything = frozenset(range(len(self.codes)))
        self.root = self.w(everything) if self.exact else self.leaf(everything)
        self.tolerance = 0 if self.exact else self.root / 10**9

    def merge(self, weight: list[float]) -> None:
        """Section 2: merge equal rows; weights become integers."""
        sums, total = dict[Any, list[Any]](), 0.0
        for codes, (y,), w in zip(self.codes, self.target, weight, strict=True):
            row = sums.setdefault((codes, int(y)), [0.0, 0])
            row[0], row[1], total = row[0] + w, row[1] + 1, total + w
        room, scale = 2.0**30 - len(weight) - 1, 1.0
        if any(w != math.floor(w) for w in weight) or total >= room:
            scale = 2.0 ** (math.frexp(min(room / total, 2.0**1000))[1] - 1)
        place = {key: k for k, key in enumerate(sums)}
        pairs = zip(self.codes, self.target, strict=True)
        self.merged = [place[codes, int(y)] for codes, (y,) in pairs]
        self.codes, self.target = [c for c, _ in sums], [[y] for _, y in sums]
        self.samples = [n for _, n in sums.values()]
        self.before, self.scale = [Fraction(s) for s, _ in sums.values()], scale
        whole = [max(1, math.floor(s * scale + 0.5)) for s, _ in sums.values()]
        self.heft = [w * UNIT for w in whole]

    def w(self, rows: Iterable[int]) -> Any:
        """Return the weight of rows."""
        return sum(self.heft[i] for i in rows)

    def of_class(self, rows: Rows, c: int) -> Any:
        """Return the weight of the rows of a class."""
        return self.w(i for i in rows if self.target[i] == [c])

    def forced(self, rows: Rows) -> Any:
        """Return what rows cost in every tree because no test tells them apart."""
        groups: dict[Any, set[int]] = {}
        for i in rows if self.exact else ():
            groups.setdefault(self.codes[i], set()).add(i)
        return sum(self.leaf(frozenset(group)) for group in groups.values())

    def leaf(self, rows: Rows) -> Any:
        """Return the loss of a leaf."""
        return sum(self.loss(rows, o, None) for o in range(self.n_outputs * bool(rows)))

    def lost(self, rows: Rows, values: list[Any], read: Callable[[Any], Any]) -> Any:
        """Return the loss of a leaf that predicts some values."""
        require(len(values) == self.n_outputs, "not one number for each target")
        return sum(self.loss(rows, o, read(v)) for o, v in enumerate(values))

    def stump(self, rows: Rows, test: int) -> Any:
        """Return the loss of leaves for all children."""
        return sum(map(self.leaf, self.held(rows, test)))

    def loss(self, rows: Rows, o: int, p: Any) -> Any:
        """Sections 2, 5: the loss of a constant on an output; None for the best one."""
        pairs = [(self.target[i][o], self.heft[i]) for i in rows]
        if self.loss_name == "squared_error":
            mean = Fraction(sum(w * y for y, w in pairs)) / self.w(rows)
            near = max(abs(y) for y, _ in pairs) / 2**50
            p = mean if p is None or abs(p - mean) <= near else p
            return sum(w * (y - p) ** 2 for y, w in pairs)
        if p is None:
            return min(self.loss(rows, o, y) for y in {y for y, _ in pairs})
        return sum(w * ((y != p) if self.exact else abs(y - p)) for y, w in pairs)

    def children(self, rows: Rows, test: int) -> list[Rows]:
        """Return the rows of each outcome of a test."""
        column, outcome, n = self.tests[test]
        of = {i: outcome[self.codes[i][column]] for i in rows}
        return [frozenset(i for i in rows if of[i] == v) for v in range(n)]

    def held(self, rows: Rows, test: int) -> list[Rows]:
        """Return the children that have rows."""
        return [c for c in self.children(rows, test) if c]

    def splits(self, rows: Rows, test: int) -> bool:
        """Whether two children have rows, and none too few."""
        sizes = [sum(self.samples[i] for i in c) for c in self.held(rows, test)]
        return len(sizes) > 1 and min(sizes) >= self.min_leaf

    def admissible(self, rows: Rows, test: int, L: int) -> bool:
        """Return whether a test may start an optimal tree with the fewest splits."""
        parts = self.held(rows, test)
        light = [c for c in parts if self.w(c) - self.leaf(c) <= L]
        if self.multiway:
            light = [c for c in light if self.w(c) <= 2 * L]
        return not (len(parts) == 2 and light)


def number(value: Any) -> float:
    """Return a finite number in range."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    require(good and abs(value) <= 1e300, f"{value!r} is no number in range")
    return float(value)


def encode(f: Any, cells: list[Any]) -> tuple[list[int], list[Any]]:
    """Return a column's codes and its values."""
    split, missing, values = f["split"], f.get("missing"), f.get("values")
    categories = ("order", "multiway", "one-vs-rest", "either", "subset")
    known = split in ("threshold", *categories)
    require(known and missing in (None, "best-side", "branch"), "unknown splits")
    gone = [missing is not None and (c is None or c != c) for c in cells]
    if split == "threshold":
        cells = [None if g else float(c) for c, g in zip(cells, gone, strict=True)]
        values = sorted({c + 0.0 for c in cells if c is not None})
        require(all(map(math.isfinite, values)), "a number is not finite")
    n, place = len(values), places(values)
    return [n if g else place[c] for c, g in zip(cells, gone, strict=True)], values
