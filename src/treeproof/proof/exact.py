"""A third checker of proofs: short, slow, and exact.

It was written from docs/proof-format.md alone, with nothing but Python's standard
library. Every cost is a whole number or a fraction, so nothing is ever rounded, and
every rule stands here as on that page, without regard to speed. It accepts whatever the
two fast checkers accept; tests run it on every small proof.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

__all__ = ["Refuted", "check_exactly"]

UNIT, INFINITE = 1 << 20, 1 << 80
Rows = frozenset[int]
Limit = int | None


class Refuted(Exception):
    """The proof does not hold."""


def check_exactly(
    lines: Iterable[bytes],
    columns: Mapping[str, Sequence[Any]],
    target: Sequence[Any],
    weight: Sequence[float] | None = None,
) -> bool:
    """Return whether the proof shows its tree to be optimal; Refuted if it fails.

    The lines are unpacked. Cells of columns are numbers, or categories as the header
    lists them, or None; targets are labels, numbers, or lists of numbers.
    """
    steps = iter(lines)
    try:
        h = _object(next(steps))
        known = h["format"] == "treeproof-proof" and _whole(h["version"]) == 2
        _require(known, "this is no proof")
        p = _Problem(h, columns, target, weight or [1.0] * len(target))
        argument = _Argument(h, p)
        for line in steps:
            argument.add(_object(line))
        return argument.conclusion()
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration) as error:
        raise Refuted(f"something is missing or of the wrong kind: {error}") from None


def _require(holds: object, otherwise: str) -> None:
    if not holds:
        raise Refuted(otherwise)


def _whole(value: Any, least: int = 0) -> int:
    good = type(value) is int and least <= value <= 1 << 60
    _require(good, f"{value!r} is not a whole number in range")
    return int(value)


def _limit(value: Any) -> Limit:
    return None if value is None else _whole(value)


def _less(value: Limit) -> Limit:
    return None if value is None else value - 1


def _covers(given: Limit, needed: Limit) -> bool:
    return given is None or (needed is not None and given >= needed)


def _object(line: bytes) -> dict[str, Any]:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _require(len(dict(pairs)) == len(pairs), "a key comes twice")
        return dict(pairs)

    value = json.loads(line.decode(), object_pairs_hook=members)
    _require(isinstance(value, dict), "a line is not an object")
    return value  # type: ignore[no-any-return]


def _views(split: str, n: int, missing: str | None) -> Iterable[tuple[str, list[int]]]:
    """Section 1: how each view of a column is split, and its code for each code."""
    codes = list(range(n + 1 if missing else n))
    ordered, own = split in ("threshold", "order"), missing == "branch"
    if split == "multiway" or (missing is None and split != "subset"):
        yield "threshold" if ordered else split, codes
        return
    if own:
        yield "threshold", [1] * n + [0]
    elif ordered:
        yield "threshold", [0 if c == n else c + 1 for c in codes]
        if n > 1:
            yield "threshold", codes
    elif split == "one-vs-rest":
        yield split, codes
    yes: list[set[int]] = []
    if split == "subset":
        some = range(n if own else len(codes))
        _require(len(some) <= 16, "a column has too many subsets")
        for k in range(2 ** max(len(some) - 1, 0) - 1):
            yes.append({c for c in some if c == 0 or k >> (c - 1) & 1})
    elif ordered:
        yes = [set(range(k + 1)) for k in range(n - 1)] if own else []
    elif own:
        yes = [{k} for k in range({1: 0, 2: 1}.get(n, n))]
    elif n > 2:
        yes = [{k, n} for k in range(n)]
    for some_codes in yes:
        sides = [0 if c in some_codes else 1 for c in codes]
        yield ("multiway", [*sides[:n], 2]) if own else ("threshold", sides)


class _Problem:
    """Sections 1, 2, 5 and 6: rows, tests and what leaves cost."""

    def __init__(self, h: Any, columns: Any, target: Any, weight: Any) -> None:
        self.h, self.exact = h, h["loss"] == "misclassification"
        known = self.exact or h["loss"] in ("squared_error", "absolute_error")
        names = sorted(f["name"] for f in h["features"])
        _require(known and names == sorted(columns), "the columns are not the proof's")
        _require(all(0 <= w < math.inf for w in weight), "a weight is out of range")
        if self.exact:
            place, factor = _places(h["classes"]), [float(f) for f in h["class_weight"]]
            _require(len(factor) == len(place) and min(factor) >= 0, "class weights")
            target = [place[y] for y in target]
            weight = [w * factor[c] for w, c in zip(weight, target, strict=True)]
        kept = [i for i, w in enumerate(weight) if w > 0]
        _require(kept and _whole(h["n_rows"]) == len(kept), "n_rows is wrong")
        self.weight, self.target = [weight[i] for i in kept], [target[i] for i in kept]
        self.digest = hashlib.sha256()
        seen: list[list[int]] = []  # the codes of each view
        self.tests: list[tuple[int, list[int], int]] = []  # view, outcome by code
        self.ordered: list[list[int]] = []  # the tests of each threshold view
        for f in h["features"]:
            codes, n = self.encode(f, [columns[f["name"]][i] for i in kept])
            for split, view in _views(f["split"], n, f.get("missing")):
                self.add_tests(len(seen), split, view)
                seen.append([view[c] for c in codes])
        self.codes = [tuple(v[i] for v in seen) for i in range(len(kept))]
        self.multiway = any(n > 2 for _, _, n in self.tests)
        self.min_leaf = _whole(h["min_samples_leaf"], 1)
        self.known: dict[Any, Any] = {}
        if self.exact:
            self.hash("i", self.target)
        else:
            self.target = [y if isinstance(y, (list, tuple)) else [y] for y in target]
            self.target = [[float(v) + 0.0 for v in self.target[i]] for i in kept]
            self.hash("d", [v for y in self.target for v in y])
        self.hash("d", self.weight)
        same = h["fingerprint"] == "sha256:" + self.digest.hexdigest()
        _require(same, "the fingerprint differs")
        self.samples = [1] * len(kept)
        self.heft: list[Any] = [Fraction(w) for w in self.weight]
        if self.exact:
            self.merge()
        else:
            self.target = [[Fraction(v) for v in y] for y in self.target]
        everything = self.everything = frozenset(range(len(self.codes)))
        self.root = self.w(everything) * UNIT if self.exact else self.leaf(everything)
        self.tolerance = 0 if self.exact else self.root / 10**9

    def hash(self, kind: str, numbers: list[Any]) -> None:
        self.digest.update(struct.pack(f"<{len(numbers)}{kind}", *numbers))

    def encode(self, f: Any, cells: list[Any]) -> tuple[list[int], int]:
        gaps = f.get("missing") is not None
        gone = [gaps and (c is None or c != c) for c in cells]
        if f["split"] == "threshold":
            cells = [None if g else float(c) for c, g in zip(cells, gone, strict=True)]
            values = sorted({c + 0.0 for c in cells if c is not None})
            _require(all(map(math.isfinite, values)), "a number is not finite")
            self.hash("d", values)
        else:
            values = f["values"]
            self.digest.update(json.dumps(values).encode())
        n, place = len(values), _places(values)
        codes = [n if g else place[c] for c, g in zip(cells, gone, strict=True)]
        self.hash("i", codes)
        return codes, n

    def add_tests(self, view: int, split: str, codes: list[int]) -> None:
        n, first = max(codes, default=-1) + 1, len(self.tests)
        if n >= 2 and split == "multiway":
            self.tests.append((view, list(range(n)), n))
        elif n >= 2:
            for c in range(n - 1 if split == "threshold" else 1 if n == 2 else n):
                yes = [k <= c if split == "threshold" else k == c for k in range(n)]
                self.tests.append((view, [0 if y else 1 for y in yes], 2))
        if split == "threshold":
            self.ordered.append(list(range(first, len(self.tests))))

    def merge(self) -> None:
        """Section 2: equal rows become one, of a whole weight."""
        sums: dict[Any, list[Any]] = {}
        total = 0.0
        for *key, w in zip(self.codes, self.target, self.weight, strict=True):
            own = sums.setdefault(tuple(key), [0.0, 0])
            own[0], own[1], total = own[0] + w, own[1] + 1, total + w
        room, scale = 2.0**30 - len(self.weight) - 1, 1.0
        if any(w != math.floor(w) for w in self.weight) or total >= room:
            scale = 2.0 ** (math.frexp(min(room / total, 2.0**1000))[1] - 1)
        self.codes, self.target = [c for c, _ in sums], [y for _, y in sums]
        self.heft = [max(1, math.floor(s * scale + 0.5)) for s, _ in sums.values()]
        self.samples = [n for _, n in sums.values()]

    def w(self, rows: Rows) -> Any:
        return sum(self.heft[i] for i in rows)

    def of_class(self, rows: Rows) -> list[Any]:
        totals: list[Any] = [0] * len(self.h["classes"])
        for i in rows:
            totals[self.target[i]] += self.heft[i]
        return totals

    def forced(self, rows: Rows) -> Any:
        groups: dict[Any, set[int]] = {}
        for i in rows if self.exact else ():
            groups.setdefault(self.codes[i], set()).add(i)
        found = map(frozenset, groups.values())
        return sum(self.w(g) - max(self.of_class(g)) for g in found) * UNIT

    def leaf(self, rows: Rows) -> Any:
        if rows not in self.known:
            if self.exact:
                self.known[rows] = (self.w(rows) - max(self.of_class(rows))) * UNIT
            else:
                outputs = range(len(self.target[0]) if rows else 0)
                self.known[rows] = sum(self.loss(rows, o, None) for o in outputs)
        return self.known[rows]

    def loss(self, rows: Rows, o: int, p: Fraction | None) -> Any:
        """Section 5: what a constant loses on one output; None for the best one."""
        pairs = [(self.target[i][o], self.heft[i]) for i in rows]
        if self.h["loss"] == "squared_error":
            mean = Fraction(sum(w * y for y, w in pairs), 1) / self.w(rows)
            near = max(abs(y) for y, _ in pairs) / 2**50
            p = mean if p is None or abs(p - mean) <= near else p
            return sum(w * (y - p) ** 2 for y, w in pairs)
        if p is None:
            return min(self.loss(rows, o, y) for y, _ in pairs)
        return sum(w * abs(y - p) for y, w in pairs)

    def children(self, rows: Rows, test: int) -> list[Rows]:
        if (rows, test) not in self.known:
            view, outcome, n = self.tests[test]
            parts: list[set[int]] = [set() for _ in range(n)]
            for i in rows:
                parts[outcome[self.codes[i][view]]].add(i)
            self.known[rows, test] = [frozenset(p) for p in parts]
        return self.known[rows, test]  # type: ignore[no-any-return]

    def splits(self, rows: Rows, test: int) -> bool:
        """Whether two children have rows, and none too few."""
        sizes = [
            sum(self.samples[i] for i in c) for c in self.children(rows, test) if c
        ]
        return len(sizes) > 1 and min(sizes) >= self.min_leaf

    def admissible(self, rows: Rows, test: int, L: int) -> bool:
        parts = [c for c in self.children(rows, test) if c]
        light = [c for c in parts if max(self.of_class(c)) * UNIT <= L]
        if self.multiway:
            light = [c for c in light if self.w(c) * UNIT <= 2 * L]
        return not (len(parts) == 2 and light)


def _places(values: list[Any]) -> dict[Any, int]:
    _require(len(set(values)) == len(values), "a value is listed twice")
    return {v: k for k, v in enumerate(values)}


class _Argument:
    """Sections 3 and 4: the tree, the steps, and what follows."""

    def __init__(self, h: dict[str, Any], p: _Problem) -> None:
        self.h, self.p = h, p
        self.depth, self.splits = _limit(h["max_depth"]), _limit(h["max_splits"])
        keys = ("split_cost", "search_split_cost", "upper", "lower")
        own, self.L, upper, self.lower = (self.cost(h[k]) for k in keys)
        penalty = h["split_penalty"]
        _require(type(penalty) in (int, float) and 0 <= penalty <= 1, "split_penalty")
        cost = Fraction(penalty) * p.root
        if p.exact:  # the page defines it in doubles
            cost = Fraction(math.floor(float(penalty) * p.root + 0.5))
        _require(abs(cost - own) <= p.tolerance, "split_cost is not the penalty")
        _require(own == self.L or (own < self.L and self.splits is not None), "dearer")
        penalize = h.get("penalize", "splits")
        _require(penalize in ("splits", "leaves"), "penalize is unknown")
        self.further = own if penalize == "leaves" else 0
        loss, n_splits, n_leaves = self.tree(h["tree"], p.everything, 0)
        penalties = n_leaves - 1 if penalize == "leaves" else n_splits
        _require(_covers(self.splits, n_splits), "the tree has too many splits")
        self.upper, self.dearer = loss + penalties * own, self.L - own
        _require(abs(self.upper - upper) <= p.tolerance, "upper is not the tree's cost")
        self.facts: list[tuple[Rows, Limit, Limit, Any]] = []
        self.looks: dict[Rows, Any] = {}

    def cost(self, value: Any) -> Any:
        if self.p.exact:
            return _whole(value, -(1 << 60))
        good = type(value) in (int, float) and abs(value) <= 1e300
        _require(good, f"{value!r} is no cost")
        return Fraction(float(value))

    def split_price(self, rows: Rows, test: int) -> Any:
        """Return what a test costs that splits these rows."""
        n = sum(map(bool, self.p.children(rows, test)))
        return self.L + (n - 2) * self.further

    def tree(self, node: Any, rows: Rows, level: int) -> tuple[Any, int, int]:
        """Return loss, splits and leaves of a tree."""
        p = self.p
        _require(("test" in node) != ("predict" in node), "a node is no leaf, no split")
        if "predict" in node:
            n = sum(p.samples[i] for i in rows)
            _require(level == 0 or n >= p.min_leaf, "a leaf is too small")
            given = node["predict"]
            if p.exact:
                _require(_whole(given) < len(self.h["classes"]), "no such class")
                return (p.w(rows) - p.of_class(rows)[given]) * UNIT, 0, 1
            values = given if isinstance(given, list) else [given]
            _require(len(values) == len(p.target[0]), "not one number for each target")
            lost = sum(p.loss(rows, o, self.cost(v)) for o, v in enumerate(values))
            return lost, 0, 1
        _require(_covers(self.depth, level + 1), "the tree is too deep")
        parts = p.children(rows, self.test(node["test"]))
        given, held = dict(node["children"]), [v for v, c in enumerate(parts) if c]
        once = len(given) == len(node["children"]) and sorted(given) == held
        _require(once and len(held) > 1, "the children do not share out the rows")
        below = [self.tree(child, parts[v], level + 1) for v, child in given.items()]
        loss, splits, leaves = (sum(part) for part in zip(*below, strict=True))
        return loss, splits + 1, leaves

    def test(self, number: Any) -> int:
        _require(_whole(number) < len(self.p.tests), f"there is no test {number}")
        return int(number)

    def add(self, step: dict[str, Any]) -> None:
        rows, branch = self.p.everything, step["branch"]
        for test, outcome in zip(branch[::2], branch[1::2], strict=True):
            rows = self.p.children(rows, self.test(test))[_whole(outcome)]
        depth, splits = _limit(step.get("depth")), _limit(step.get("splits"))
        bound, uses = self.cost(step["bound"]), step.get("uses", [])
        for test, *lists in uses:
            right = len(lists) == self.p.tests[self.test(test)][2]
            _require(right, "a use has not one list for each outcome")
            for item in (item for items in lists for item in items):
                if not isinstance(item, list):
                    item = [_whole(item, -1)]
                    _require(item[0] < len(self.facts), "it cites a later step")
                self.cost(*item)
        self.verify(rows, depth, splits, bound, uses)
        self.facts.append((rows, depth, splits, bound))

    def conclusion(self) -> bool:
        rows, depth, splits, bound = self.facts[_whole(self.h["root"])]
        fits = _covers(depth, self.depth) and _covers(splits, self.splits)
        _require(rows == self.p.everything and fits, "the root step is about others")
        bound -= self.dearer * (self.splits or 0)
        proved = 0 <= self.lower <= bound + self.p.tolerance
        _require(proved, "the steps do not prove lower")
        return bool(self.lower >= self.upper - self.p.tolerance)

    def verify(self, S: Rows, d: Limit, k: Limit, B: Any, uses: Any) -> None:
        p, L = self.p, self.L
        B -= p.tolerance
        if B <= 0:
            return
        _require(p.leaf(S) >= B, "a leaf costs less than the bound")
        if d == 0 or k == 0:
            return
        shares: list[Limit] = [None] if k is None else list(range(min(k, len(S))))
        held = {t: p.children(S, t) for t in range(len(p.tests))}
        held = {t: parts for t, parts in held.items() if sum(map(bool, parts)) > 1}
        lower = {
            (t, v): [self.counts(c, _less(d), j) for j in shares]
            for t, parts in held.items()
            for v, c in enumerate(parts)
            if c
        }
        for t, *lists in uses:
            for v, c in enumerate(p.children(S, t)):
                for item in lists[v]:
                    self.cite(c, lower.get((t, v)), item, _less(d), shares)
        many = any(sum(map(bool, parts)) > 2 for parts in held.values())
        wide = self.further > 0 and many
        self.order(S, lower, wide)
        for use in uses:
            self.fewer_rows(S, use[0], lower, d is None and k is None, wide)
        self.order(S, lower, wide)
        extend = p.exact and not wide and (p.min_leaf == 1 or not p.multiway)
        for t, parts in held.items():
            if not p.splits(S, t) or (extend and not p.admissible(S, t, L)):
                continue
            each = [(c, lower[t, v]) for v, c in enumerate(parts) if c]
            price = self.split_price(S, t)
            total = price + sum(own[-1] for _, own in each)
            merged = extend and any(
                (p.w(S) - p.w(c)) * UNIT <= total - own[-1] for c, own in each
            )
            dear = price + _cheapest([own for _, own in each]) >= B
            _require(merged or dear, f"test {t} is not ruled out, nor dear enough")

    def counts(self, C: Rows, d: Limit, k: Limit) -> Any:
        leaf = self.p.leaf(C)
        if d == 0 or k == 0 or not leaf:
            return leaf
        self.looks[C] = self.looks.get(C) or self.look(C)
        return min(leaf, *self.looks[C][: 1 if d == 1 or k == 1 else 2])

    def look(self, C: Rows) -> tuple[Any, Any]:
        """One split into leaves; two or more splits."""
        p, L = self.p, self.L
        stumps = [t for t in range(len(p.tests)) if p.splits(C, t)]
        each = [
            self.split_price(C, t) + sum(p.leaf(c) for c in p.children(C, t))
            for t in stumps
        ]
        if not each:
            return INFINITE * p.root, INFINITE * p.root
        one, forced = min(each), p.forced(C)
        b = 2 * L + forced
        if not p.exact or L == 0:
            return one, b
        if not p.multiway:
            good = [t for t in stumps if p.admissible(C, t, L)]
            sides = [p.of_class(c) for t in good for c in p.children(C, t)]
            cover = -L
            for c, n in enumerate(p.of_class(C)):
                G = max((side[c] for side in sides), default=0)
                ways = range(n // G + 2 if G else 1)
                cover += min(L * j + max(0, n - j * G) * UNIT for j in ways)
            b = max(b, cover)
        if p.multiway and self.further not in (0, L):
            return one, b
        whole = ((L * j, -(-max(b - L * j, 0) // UNIT) * UNIT) for j in range(2, 34))
        few = min(splits + max(forced, errors) for splits, errors in whole)
        return one, min(few, max(b, 34 * L + forced))

    def cite(self, C: Rows, lower: Any, item: Any, d: Limit, shares: Any) -> None:
        splits: Limit = None
        if item == -1:
            return
        if isinstance(item, list):
            bound = self.cost(*item)
            self.verify(C, d, None, bound, [])
        else:
            rows, depth, splits, bound = self.facts[item]
            _require(rows == C and _covers(depth, d), "it cites what does not fit")
        for at, j in enumerate(shares if lower else []):
            if _covers(splits, j):
                lower[at] = max(lower[at], bound)

    def fewer_rows(
        self, S: Rows, used: int, lower: Any, free: bool, wide: bool
    ) -> None:
        p = self.p
        for (v, C), (t, u) in product(enumerate(p.children(S, used)), list(lower)):
            if t == used or not C or (used, v) not in lower:
                continue
            A = p.children(S, t)[u]
            price = self.price(C, A, wide)
            if price != 0 and p.exact and free and p.min_leaf == 1:
                others = [C & c for c in p.children(S, t) if c is not A]
                wrong = sum(p.w(x) - max(p.of_class(x)) for x in others)
                parting = self.split_price(C, t) + wrong * UNIT
                price = parting if price is None else min(price, parting)
            _raise(lower[t, u], lower[used, v], price)

    def order(self, S: Rows, lower: Any, wide: bool) -> None:
        for tests in self.p.ordered if self.p.min_leaf == 1 else []:
            here = [t for t in tests if (t, 0) in lower and (t, 1) in lower]
            for a, c, v in product(here, here, (0, 1)):
                C, A = (self.p.children(S, t)[v] for t in (a, c))
                _raise(lower[c, v], lower[a, v], self.price(C, A, wide))

    def price(self, C: Rows, A: Rows, wide: bool) -> Any:
        """Return what A's tree costs more on C, at most; None if that is not known."""
        if C == A or (self.p.min_leaf == 1 and C <= A):
            return 0
        extends = self.p.exact and self.p.min_leaf == 1 and not wide
        return self.p.w(C - A) * UNIT if extends else None


def _raise(bounds: list[Any], others: list[Any], price: Any) -> None:
    for j, other in enumerate(others if price is not None else []):
        bounds[j] = max(bounds[j], other - price)


def _cheapest(each: list[list[Any]]) -> Any:
    """Return the least sum over all ways to share the splits."""
    best = each[0]
    for own in each[1:]:
        js = range(len(own))
        best = [min(best[a] + own[j - a] for a in range(j + 1)) for j in js]
    return best[-1]
