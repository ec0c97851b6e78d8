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
from functools import cache
from itertools import accumulate, chain, product
from typing import Any

__all__ = ["Refuted", "check_exactly"]

UNIT = 1 << 20
Rows = frozenset[int]
Limit = int | float  # a whole number, or math.inf for none


class Refuted(Exception):
    """The proof does not hold."""


def check_exactly(
    lines: Iterable[bytes],
    columns: Mapping[str, Sequence[Any]],
    target: Sequence[Any] | None,
    weight: Sequence[float] | None = None,
    costs: Sequence[Sequence[float]] | None = None,
) -> bool:
    """Return whether the proof shows its tree to be optimal; Refuted if it fails.

    The lines are unpacked. Cells of columns are numbers, or categories as the header
    lists them, or None; targets are labels, numbers, or lists of numbers. Costs or
    rewards of each row are lists of numbers, and may also come as targets.
    """
    steps = iter(lines)
    try:
        h = _object(next(steps))
        known = h["format"] == "treeproof-proof" and _whole(h["version"]) in (2, 3)
        _require(known, "this is no proof")
        costs = target if costs is None else costs
        weight = weight or [1.0] * len((target or costs) or ())
        problem = _Problem(h, columns, target, weight, costs)
        return _Argument(h, problem).holds(map(_object, steps))
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
    return math.inf if value is None else _whole(value)


def _object(line: bytes) -> dict[str, Any]:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _require(len(dict(pairs)) == len(pairs), "a key comes twice")
        return dict(pairs)

    value = json.loads(line.decode(), object_pairs_hook=members)
    _require(isinstance(value, dict), "a line is not an object")
    return value  # type: ignore[no-any-return]


def _places(values: list[Any]) -> dict[Any, int]:
    _require(len(set(values)) == len(values), "a value is listed twice")
    return {v: k for k, v in enumerate(values)}


def _views(split: str, n: int, missing: str | None) -> Iterable[tuple[str, list[int]]]:
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
        _require(free < 16, "a column has too many subsets")
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


def _outcomes(split: str, view: list[int]) -> list[list[int]]:
    """Section 1: the tests of a view, each as its outcome for each code."""
    n = max(view, default=0) + 1
    if split == "multiway":
        return [view] if n > 1 else []
    if split == "threshold":
        return [[int(v > c) for v in view] for c in range(n - 1)]
    return [[int(v != c) for v in view] for c in range(n if n > 2 else n - 1)]


class _Problem:
    """Sections 1, 2, 5 and 6: rows, tests and what leaves cost.

    Rows of classification weigh 2^20 for each unit, so that all costs are weights.
    """

    def __init__(
        self, h: Any, columns: Any, target: Any, weight: Any, costs: Any
    ) -> None:
        costly, labelled = h["loss"] == "costs", h["loss"] == "misclassification"
        self.loss_name, self.exact = h["loss"], costly or labelled
        self.given, n = weight, len(weight)
        self.min_leaf = _whole(h["min_samples_leaf"], 1)
        known = self.exact or h["loss"] in ("squared_error", "absolute_error")
        names = sorted(f["name"] for f in h["features"])
        _require(known and names == sorted(columns), "the columns are not the proof's")
        _require(all(0 <= w < math.inf for w in weight), "a weight is out of range")
        target = [[]] * n if costly and "classes" not in h else target
        target = [list(y) if isinstance(y, (list, tuple)) else [y] for y in target]
        if labelled or "classes" in h:
            place, factor = _places(h["classes"]), [float(f) for f in h["class_weight"]]
            _require(len(factor) == len(place) and min(factor) >= 0, "class weights")
            target = [[place[y]] for (y,) in target]
            weight = [w * factor[c] for w, (c,) in zip(weight, target, strict=True)]
        costs = _costs(h, costs, target) if costly else [[]] * n
        kept = [i for i, w in enumerate(weight) if w > 0]
        _require(kept and _whole(h["n_rows"]) == len(kept), "n_rows is wrong")
        weight, target = [weight[i] for i in kept], [target[i] for i in kept]
        costs = [costs[i] for i in kept]
        text, coded = b"", list[list[int]]()
        self.tests: list[tuple[int, list[int], int]] = []  # column, outcome by code
        self.ordered: list[Any] = []  # two tests of one threshold view, and an outcome
        for f in h["features"]:
            codes, n, own = _encode(f, [columns[f["name"]][i] for i in kept])
            for split, view in _views(f["split"], n, f.get("missing")):
                first, tests = len(self.tests), _outcomes(split, view)
                self.tests += [(len(coded), each, max(each) + 1) for each in tests]
                if split == "threshold" and self.min_leaf == 1:
                    here = range(first, len(self.tests))
                    self.ordered += product(here, here, (0, 1))
            text, coded = text + own, [*coded, codes]
        text += _packed("i" if self.exact else "d", chain(*target))
        text += json.dumps(h["actions"]).encode() if costly else b""
        text += _packed("d", chain(*costs)) + _packed("d", weight)
        digest = hashlib.sha256(text).hexdigest()
        _require(h["fingerprint"] == "sha256:" + digest, "the fingerprint differs")
        self.multiway = any(n > 2 for _, _, n in self.tests)
        # The same sets come again and again.
        self.leaf, self.children = cache(self.leaf), cache(self.children)  # type: ignore
        self.codes, self.samples = list(zip(*coded, strict=True)), [1] * len(kept)
        self.heft: list[Any] = [Fraction(w) for w in weight]
        self.target: list[Any] = [[Fraction(v) for v in y] for y in target]
        actions = h.get("actions" if costly else "classes", [])
        self.n_actions, self.factor = len(actions), 1.0
        if costly:
            self.gains(_whole(h["scale"], -1100), costs, weight)
        elif labelled:
            self.merge(weight)
        everything = self.everything = frozenset(range(len(self.codes)))
        self.root = self.w(everything) if self.exact else self.leaf(everything)
        self.tolerance = 0 if self.exact else self.root / 10**9

    def merge(self, weight: list[float]) -> None:
        """Section 2: equal rows become one, of a whole weight."""
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

    def gains(self, e: int, costs: list[Any], weight: list[float]) -> None:
        """Section 7: a group becomes one row for each action by which it gains."""
        groups, total = dict[Any, Any](), 0
        gain = [
            [(max(c) - v) * w for v in c] for c, w in zip(costs, weight, strict=True)
        ]
        whole = [[math.floor(math.ldexp(g, e) + 0.5) for g in row] for row in gain]
        if any(chain(*whole)):  # indifferent rows are rows as well
            whole = [row if any(row) else [1] * len(row) for row in whole]
        for codes, own in zip(self.codes, whole, strict=True):
            total += sum(own)
            old, n = groups.get(codes, ([0] * len(own), 0))
            groups[codes] = [a + b for a, b in zip(old, own, strict=True)], n + 1
        _require(e <= 1000 and total < 1 << 30, "the gains are too large")
        if total:  # else nothing matters
            rows = [
                (codes, [a], g * UNIT, n if a == own.index(max(own)) else 0)
                for codes, (own, n) in groups.items()
                for a, g in enumerate(own)
                if g
            ]
            columns = [list(column) for column in zip(*rows, strict=True)]
            self.codes, self.target, self.heft, self.samples = columns
            self.factor = math.ldexp(total, -e) / [*accumulate(weight)][-1]
        else:
            self.heft, self.target = [0] * len(weight), [[0]] * len(weight)

    def w(self, rows: Iterable[int]) -> Any:
        return sum(self.heft[i] for i in rows)

    def of_class(self, rows: Rows, c: int) -> Any:
        return self.w(i for i in rows if self.target[i] == [c])

    def forced(self, rows: Rows) -> Any:
        groups: dict[Any, set[int]] = {}
        for i in rows if self.exact else ():
            groups.setdefault(self.codes[i], set()).add(i)
        return sum(self.leaf(frozenset(group)) for group in groups.values())

    def leaf(self, rows: Rows) -> Any:
        outputs = range(len(self.target[0]) if rows else 0)
        return sum(self.loss(rows, o, None) for o in outputs)

    def loss(self, rows: Rows, o: int, p: Any) -> Any:
        """Sections 2, 5: what a constant loses on an output; None for the best one."""
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
        parts = self.held(rows, test)
        light = [c for c in parts if self.w(c) - self.leaf(c) <= L]
        if self.multiway:
            light = [c for c in light if self.w(c) <= 2 * L]
        return not (len(parts) == 2 and light)


def _costs(h: Any, given: Any, target: list[Any]) -> list[list[float]]:
    """Section 7: what each action costs for each row."""
    actions, matrix, asked = h["actions"], h.get("cost_matrix"), h.get("abstain_cost")
    plain = all(isinstance(a, (str, int, float, type(None))) for a in actions)
    distinct = len(set(map(json.dumps, actions))) == len(actions) > 0
    _require(plain and distinct, "the actions are not distinct")
    sign = {"cost": 1, "reward": -1}[h["measure"]]
    if matrix is not None:
        _require(sign == 1 and asked is None, "a matrix has costs alone")
        _require(len(matrix) == len(h["classes"]), "not one row for each class")
        given = [matrix[c] for (c,) in target]
    last = [] if asked is None else [asked]
    costs = [[*(sign * _number(c) for c in row), *map(_number, last)] for row in given]
    right = len(costs) == len(target) and {len(row) for row in costs} == {len(actions)}
    _require(right and len(actions) > len(last), "not one cost for each action")
    return costs


def _number(value: Any) -> float:
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    _require(good and abs(value) <= 1e300, f"{value!r} is no number in range")
    return float(value)


def _fraction(pair: Any, most: int) -> Fraction:
    over, under = map(_whole, pair)
    _require(math.gcd(over, under) == 1 <= under <= most >= over, "a fraction")
    return Fraction(over, under)


def _packed(kind: str, numbers: Iterable[Any]) -> bytes:
    return b"".join(struct.pack("<" + kind, number + 0) for number in numbers)


def _encode(f: Any, cells: list[Any]) -> tuple[list[int], int, bytes]:
    """Return a column's codes, how many values it has, and what the digest reads."""
    split, missing, values = f["split"], f.get("missing"), f.get("values")
    categories = ("order", "multiway", "one-vs-rest", "either", "subset")
    known = split in ("threshold", *categories)
    _require(known and missing in (None, "best-side", "branch"), "unknown splits")
    gone = [missing is not None and (c is None or c != c) for c in cells]
    text = json.dumps(values).encode()
    if split == "threshold":
        cells = [None if g else float(c) for c, g in zip(cells, gone, strict=True)]
        values = sorted({c + 0.0 for c in cells if c is not None})
        _require(all(map(math.isfinite, values)), "a number is not finite")
        text = _packed("d", values)
    n, place = len(values), _places(values)
    codes = [n if g else place[c] for c, g in zip(cells, gone, strict=True)]
    return codes, n, text + _packed("i", codes)


class _Argument:
    """Sections 3 and 4: the tree, the steps, and what follows."""

    def __init__(self, h: dict[str, Any], p: _Problem) -> None:
        self.h, self.p, self.look = h, p, cache(self._look)
        self.facts: list[tuple[Rows, Limit, Limit, Any]] = []
        self.said: dict[int, Any] = {}  # by the leaf of each row
        self.depth, self.splits = _limit(h["max_depth"]), _limit(h["max_splits"])
        keys = ("split_cost", "search_split_cost", "upper", "lower")
        own, self.L, upper, self.lower = (self.cost(h[k]) for k in keys)
        penalty, penalize = h["split_penalty"], h.get("penalize", "splits")
        highest = 1 if h["loss"] != "costs" else 1e300
        number = type(penalty) in (int, float) and 0 <= penalty <= highest
        _require(number, "split_penalty")
        _require(penalize in ("splits", "leaves"), "penalize is unknown")
        cost = Fraction(penalty) * p.root
        if p.exact:  # the page defines it in doubles
            part = min(penalty / p.factor, 1.0) if p.factor > 0 else 1.0
            cost = Fraction(math.floor(part * p.root + 0.5))
        _require(abs(cost - own) <= p.tolerance, "split_cost is not the penalty")
        dearer = own < self.L and self.splits < math.inf
        _require(own == self.L or dearer, "search_split_cost")
        self.further = own if penalize == "leaves" else 0
        loss, n_splits, n_leaves = self.tree(h["tree"], p.everything, 0)
        _require(n_splits <= self.splits, "the tree has too many splits")
        self.upper = loss + own * (n_leaves - 1 if penalize == "leaves" else n_splits)
        _require(abs(self.upper - upper) <= p.tolerance, "upper is not the tree's cost")
        self.extra = (self.L - own) * int(self.splits) if dearer else 0
        self.prices: list[int] | None = None
        if h.get("prices") is not None:
            self.read_prices(h["prices"])

    def read_prices(self, given: Any) -> None:
        """Section 9: no box has higher prices than errors and a leaf's penalty."""
        p, self.per_leaf = self.p, _whole(given["per_leaf"])
        _require(self.h["loss"] == "misclassification", "prices are for labels")
        widest = max([2, *(n for _, _, n in p.tests)])
        most = (self.L + (widest - 2) * self.further) // (widest - 1)
        _require(self.per_leaf <= most, "a further leaf costs less than per_leaf")
        numbers = [given["of_rows"], *(codes for _, codes in given["axes"])]
        listed = all(isinstance(row, list) for row in numbers)
        sizes = {len(row) for row in numbers}
        _require(listed and sizes == {len(p.merged)}, "not one number for each row")
        for value in chain(*numbers):
            _whole(value)
        self.prices = [0] * len(p.codes)
        for row, price in zip(p.merged, given["of_rows"], strict=True):
            self.prices[row] += price
        _require(sum(self.prices) <= p.root, "the prices are out of range")
        for k in range(p.n_actions):
            right = [y == [k] for y in p.target]
            rows = zip(self.prices, p.heft, right, strict=True)
            own = [u - (0 if fits else w) for u, w, fits in rows]
            boxes, seen = [p.everything], {p.everything}
            while boxes:
                box = boxes.pop()
                heavy = sum(own[i] for i in box) > self.per_leaf
                _require(not heavy, "a box has too high prices")
                for c in {c for t in range(len(p.tests)) for c in p.held(box, t)}:
                    if c not in seen and sum(max(own[i], 0) for i in c) > self.per_leaf:
                        boxes.append(c)
                    seen.add(c)

    def worth(self, C: Rows, fewest: int) -> Any:
        """Return what prices say of trees of so many splits or more."""
        if self.prices is None:
            return 0
        least = sum(self.prices[i] for i in C) - self.per_leaf
        return self.rounded(least, self.p.forced(C), fewest)

    def rounded(self, b: Any, forced: Any, fewest: int) -> Any:
        L = self.L
        if L == 0 or (self.p.multiway and self.further not in (0, L)):
            return b
        some = [L * j for j in range(fewest, fewest + 33)]
        whole = ((s, -(-max(b - s, 0) // UNIT) * UNIT) for s in some[:-1])
        few = min(splits + max(forced, errors) for splits, errors in whole)
        return min(few, max(b, some[-1] + forced))

    def cost(self, value: Any) -> Any:
        if self.p.exact:
            return _whole(value, -(1 << 60))
        return Fraction(_number(value))

    def split_price(self, rows: Rows, test: int) -> Any:
        """Return what a test costs that splits these rows."""
        return self.L + (len(self.p.held(rows, test)) - 2) * self.further

    def tree(self, node: Any, rows: Rows, level: int) -> tuple[Any, int, int]:
        """Return loss, splits and leaves of a tree."""
        p = self.p
        _require(("test" in node) != ("predict" in node), "a node is no leaf, no split")
        if "predict" in node:
            n, given = sum(p.samples[i] for i in rows), node["predict"]
            _require(level == 0 or n >= p.min_leaf, "a leaf is too small")
            values = given if isinstance(given, list) and not p.exact else [given]
            _require(len(values) == len(p.target[0]), "not one number for each target")
            _require(not p.exact or _whole(given) < p.n_actions, "no such class")
            self.said |= dict.fromkeys(rows, given)
            lost = sum(p.loss(rows, o, self.cost(v)) for o, v in enumerate(values))
            return lost, 0, 1
        _require(level < self.depth, "the tree is too deep")
        parts = p.children(rows, _whole(node["test"]))
        given, held = dict(node["children"]), [v for v, c in enumerate(parts) if c]
        once = len(given) == len(node["children"]) and sorted(given) == held
        _require(once and len(held) > 1, "the children do not share out the rows")
        below = [self.tree(child, parts[v], level + 1) for v, child in given.items()]
        loss, splits, leaves = (sum(part) for part in zip(*below, strict=True))
        return loss, splits + 1, leaves

    def holds(self, steps: Iterable[dict[str, Any]]) -> bool:
        """Require every step to hold; return whether they show the tree to be best."""
        p, h = self.p, self.h
        for step in steps:
            rows, branch = p.everything, step["branch"]
            for test, v in zip(branch[::2], branch[1::2], strict=True):
                rows = p.children(rows, _whole(test))[_whole(v)]
            depth, splits = _limit(step.get("depth")), _limit(step.get("splits"))
            bound, uses = self.cost(step["bound"]), step.get("uses", [])
            self.verify(rows, depth, splits, bound, self.read(uses))
            self.facts.append((rows, depth, splits, bound))
        rows, depth, splits, bound = self.facts[_whole(h["root"])]
        fits = depth >= self.depth and splits >= self.splits
        _require(rows == p.everything and fits, "the root step is about others")
        proved = 0 <= self.lower <= bound - self.extra + p.tolerance
        _require(proved, "the steps do not prove lower")
        if h.get("metric") is not None:
            return self.ratio(h["metric"])
        return bool(self.lower >= self.upper - p.tolerance)

    def ratio(self, m: dict[str, Any]) -> bool:
        """Section 8: require the tree's ratio and the bound; return if they agree."""
        p, h, name = self.p, self.h, {"f1": 2, "fbeta": 2, "jaccard": 1}[m["name"]]
        beta, keys = _fraction(m["beta"], 1 << 10), ("weighed_at", "value", "bound")
        mu, value, bound = (_fraction(m[key], 1 << 53) for key in keys)
        _require(beta == 1 or (beta > 0 and m["name"] == "fbeta"), "beta")
        a, b = (1 + beta**2 if name == 2 else Fraction(1)), beta**2
        yes, factor = _whole(m["positive"]), list(map(Fraction, h["class_weight"]))
        heavy, light = factor[yes], factor[1 - yes]
        miss = a * (1 - mu) + b * mu
        fits = yes < 2 == len(factor) and heavy * mu == light * miss and 0 < mu <= 1
        whole = all(float(w).is_integer() for w in (*p.given, *factor))
        large = max(factor) <= 1 << 50 and sum(p.before) < 1 << 53 and p.scale <= 1
        _require(fits and whole and large and h["loss"] != "costs", "weights")
        errors = [Fraction(0), Fraction(0)]
        for i, said in self.said.items():
            errors[p.target[i][0]] += p.before[i] * (p.target[i] != [said])
        pairs = zip(p.before, p.target, strict=True)
        positives = sum(w for w, y in pairs if y == [yes]) / heavy
        missed, alarms = errors[yes] / heavy, errors[1 - yes] / light
        hits = a * (positives - missed)
        _require(value == hits / (hits + b * missed + alarms), "the tree's ratio")
        own = self.cost(h["split_cost"]) * (_whole(h["n_rows"]) - 1)
        wrong = -(-max(self.lower - own, 0) // UNIT) / Fraction(p.scale)
        for w, before in zip(p.heft, p.before, strict=True):
            wrong -= max(w // UNIT / Fraction(p.scale) - before, Fraction(0))
        left = max(a * (1 - mu) * positives - wrong * miss / heavy, Fraction(0))
        above = min(mu + left / (min(a, b) * positives), Fraction(1))
        _require(max(above, value) <= bound <= 1, "the bound is not shown")
        return value == bound

    def read(self, uses: Any) -> Any:
        for test, *lists in uses:
            right = len(lists) == self.p.tests[_whole(test)][2]
            _require(right, "a use has not one list for each outcome")
            for item in chain(*lists):
                if not isinstance(item, list):
                    item = [_whole(item, -1)]
                    _require(item[0] < len(self.facts), "it cites a later step")
                self.cost(*item)
        return uses

    def verify(self, S: Rows, d: Limit, k: Limit, B: Any, uses: Any) -> None:
        """Section 4: require that the bound B holds for the rows S."""
        p, L, B = self.p, self.L, B - self.p.tolerance
        _require(B <= 0 or p.leaf(S) >= B, "a leaf costs less than the bound")
        if B <= 0 or d == 0 or k == 0:
            return
        tests = [t for t in range(len(p.tests)) if len(p.held(S, t)) > 1]
        child = {(t, v): c for t in tests for v, c in enumerate(p.children(S, t)) if c}
        shares = [k] if k == math.inf else list(range(min(int(k), len(S))))
        lower = {
            a: [self.counts(C, d - 1, j) for j in shares] for a, C in child.items()
        }
        for t, *lists in uses:
            for v, c in enumerate(p.children(S, t)):
                for item in lists[v]:
                    self.cite(c, lower.get((t, v)), item, d - 1, shares)
        if self.worth(S, 1) >= B:
            return
        wide = self.further > 0 and any(len(p.held(S, t)) > 2 for t in tests)
        orders = [((a, v), (c, v)) for a, c, v in p.ordered if {a, c} <= set(tests)]
        self.share(child, lower, orders, wide, None)
        for used, *_ in uses:
            pairs = [(a, c) for a, c in product(child, child) if a[0] == used != c[0]]
            self.share(child, lower, pairs, wide, S if d == k == math.inf else None)
        self.share(child, lower, orders, wide, None)
        extend = p.exact and not wide and (p.min_leaf == 1 or not p.multiway)
        for t in tests:
            if not p.splits(S, t) or (extend and not p.admissible(S, t, L)):
                continue
            here, price = [a for a in child if a[0] == t], self.split_price(S, t)
            total = price + sum(lower[a][-1] for a in here)
            spared = [total - lower[a][-1] - p.w(S - child[a]) for a in here]
            merged = extend and max(spared) >= 0
            dear = price + _cheapest([lower[a] for a in here]) >= B
            _require(merged or dear, f"test {t} is not ruled out, nor dear enough")

    def counts(self, C: Rows, d: Limit, k: Limit) -> Any:
        leaf = self.p.leaf(C)
        if d == 0 or k == 0 or not leaf:
            return leaf
        one, more = self.look(C)
        few = min(leaf, one) if d == 1 or k == 1 else min(leaf, one, more)
        return max(few, min(leaf, self.worth(C, 1)))

    def _look(self, C: Rows) -> tuple[Any, Any]:
        """One split into leaves; two or more splits."""
        p, L = self.p, self.L
        stumps = [t for t in range(len(p.tests)) if p.splits(C, t)]
        each = [self.split_price(C, t) + sum(map(p.leaf, p.held(C, t))) for t in stumps]
        if not each:
            return math.inf, math.inf
        one, forced = min(each), p.forced(C)
        b = 2 * L + forced
        if not p.exact or L == 0:
            return one, max(b, self.worth(C, 2))
        if not p.multiway:
            good = [t for t in stumps if p.admissible(C, t, L)]
            sides, cover = [c for t in good for c in p.children(C, t)], -L
            for y in range(self.p.n_actions):
                n, G = p.of_class(C, y), max([p.of_class(c, y) for c in sides] or [0])
                ways = range(n // G + 2 if G else 1)
                cover += min(L * j + max(0, n - j * G) for j in ways)
            b = max(b, cover)
        return one, max(self.rounded(b, forced, 2), self.worth(C, 2))

    def cite(self, C: Rows, lower: Any, item: Any, d: Limit, shares: Any) -> None:
        if item == -1:
            return
        if isinstance(item, list):
            splits, bound = math.inf, self.cost(*item)
            self.verify(C, d, splits, bound, [])
        else:
            rows, depth, splits, bound = self.facts[item]
            _require(rows == C and depth >= d, "it cites what does not fit")
        for at, j in enumerate(shares if lower else []):
            if splits >= j:
                lower[at] = max(lower[at], bound)

    def share(self, child: Any, lower: Any, pairs: Any, wide: bool, S: Any) -> None:
        """Fewer rows, order: bounds of C for A, less what A's tree may cost more on C.

        Unless S is None, the rest of C may be parted from A by A's own test.
        """
        p = self.p
        for c, a in pairs:
            C, A, more = child[c], child[a], math.inf
            if C == A or (p.min_leaf == 1 and C <= A):
                more = 0
            elif p.exact and p.min_leaf == 1:
                if not wide:
                    more = p.w(C - A)
                if S is not None:
                    others = [C & x for x in p.children(S, a[0]) if x is not A]
                    wrong = sum(map(p.leaf, others))
                    more = min(more, self.split_price(C, a[0]) + wrong)
            pair = lower[a], lower[c]
            if more < math.inf:
                lower[a] = [max(x, y - more) for x, y in zip(*pair, strict=True)]


def _cheapest(each: list[list[Any]]) -> Any:
    """Return the least sum over all ways to share the splits."""
    best = each[0]
    for own in each[1:]:
        js = range(len(own))
        best = [min(best[a] + own[j - a] for a in range(j + 1)) for j in js]
    return best[-1]
