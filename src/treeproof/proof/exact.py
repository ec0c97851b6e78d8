"""A third checker of proofs: short, slow, and exact.

It was written from docs/proof-format.md alone, with Python's standard library only.
Every cost is an integer or a fraction, so that nothing is ever rounded, and every rule
is implemented as it stands on that page, without regard to speed. It accepts all proofs
that the two fast checkers accept; tests run it on every small proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import chain, product
from typing import Any

from treeproof.proof.exact_data import (
    UNIT,
    Problem,
    Refuted,
    Rows,
    limit,
    number,
    object_of,
    require,
    whole,
)
from treeproof.proof.exact_more import Prices, ratio_is_best
from treeproof.proof.exact_shapes import argument_for

__all__ = ["Refuted", "check_exactly"]


def check_exactly(
    lines: Any, columns: Any, target: Any, weight: Any = None, costs: Any = None
) -> bool:
    """Return whether a proof shows its tree to be optimal; raise Refuted if it fails.

    Lines are unpacked. Cells of columns are numbers, or categories as the header lists
    them, or None; targets are labels, numbers, or lists of numbers. Costs or rewards of
    each row are lists of numbers, and may also be given as targets. If rates are
    limited, the groups of rows are given in place of costs.
    """
    steps = map(object_of, lines)
    try:
        h = next(steps)
        costs = target if costs is None else costs
        weight = weight or [1.0] * len((target or costs) or ())
        told = argument_for(Problem, Argument, h, columns, target, weight, costs)
        return bool(told.holds(steps))
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration) as error:
        raise Refuted(f"something is missing or of the wrong kind: {error}") from None


class Argument:
    """Sections 3 and 4: the tree, the steps, and the conclusion."""

    def __init__(self, h: dict[str, Any], p: Problem) -> None:
        self.h, self.p, self.look = h, p, cache(self._look)
        self.facts: list[tuple[Rows, float, float, Any]] = []
        self.said: dict[int, Any] = {}  # the prediction for each row
        self.depth, self.splits = limit(h["max_depth"]), limit(h["max_splits"])
        keys = ("split_cost", "search_split_cost", "upper", "lower")
        own, self.L, upper, self.lower = (self.cost(h[k]) for k in keys)
        penalty, penalize = h["split_penalty"], h.get("penalize", "splits")
        highest = 1e300 if h["loss"] in ("costs", "log_loss", "gini") else 1
        require(type(penalty) in (int, float) and 0 <= penalty <= highest, "penalty")
        require(penalize in ("splits", "leaves"), "penalize is unknown")
        cost = Fraction(penalty) * p.root
        if p.exact:  # the page defines it in doubles
            part = min(penalty / p.factor, 1.0) if p.factor > 0 else 1.0
            cost = Fraction(math.floor(part * p.root + 0.5))
        require(abs(cost - own) <= p.tolerance, "split_cost is not the penalty")
        dearer = own < self.L and self.splits < math.inf
        require(own == self.L or dearer, "search_split_cost")
        self.further = own if penalize == "leaves" else 0
        loss, n_splits, n_leaves = self.tree(h["tree"], p.everything, 0)
        require(n_splits <= self.splits, "the tree has too many splits")
        self.upper = loss + own * (n_leaves - 1 if penalize == "leaves" else n_splits)
        require(abs(self.upper - upper) <= p.tolerance, "upper is not the tree's cost")
        self.extra = (self.L - own) * int(self.splits) if dearer else 0
        priced = h.get("prices") is not None
        self.prices = Prices(self, h["prices"]) if priced else None

    def worth(self, C: Rows, fewest: int) -> Any:
        return self.prices.worth(C, fewest) if self.prices else 0

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
            return whole(value, -(1 << 60))
        return Fraction(number(value))

    def split_price(self, rows: Rows, test: int) -> Any:
        """Return the cost of a test that divides these rows."""
        return self.L + (len(self.p.held(rows, test)) - 2) * self.further

    def tree(self, node: Any, rows: Rows, level: int) -> tuple[Any, int, int]:
        """Return loss, splits and leaves of a tree."""
        p = self.p
        require(("test" in node) != ("predict" in node), "a node is no leaf, no split")
        if "predict" in node:
            n, given = sum(p.samples[i] for i in rows), node["predict"]
            require(level == 0 or n >= p.min_leaf, "a leaf is too small")
            values = given if isinstance(given, list) and not p.exact else [given]
            require(not p.exact or whole(given) < p.n_actions, "no such class")
            self.said |= dict.fromkeys(rows, given)
            return p.lost(rows, values, self.cost), 0, 1
        require(level < self.depth, "the tree is too deep")
        parts = p.children(rows, whole(node["test"]))
        given, held = dict(node["children"]), [v for v, c in enumerate(parts) if c]
        once = len(given) == len(node["children"]) and sorted(given) == held
        require(once and len(held) > 1, "the children do not share out the rows")
        below = [self.tree(child, parts[v], level + 1) for v, child in given.items()]
        loss, splits, leaves = (sum(part) for part in zip(*below, strict=True))
        return loss, splits + 1, leaves

    def holds(self, steps: Iterable[dict[str, Any]]) -> bool:
        """Require that every step holds; return whether they prove the tree optimal."""
        p, h = self.p, self.h
        for step in steps:
            rows, branch = p.everything, step["branch"]
            for test, v in zip(branch[::2], branch[1::2], strict=True):
                rows = p.children(rows, whole(test))[whole(v)]
            depth, splits = limit(step.get("depth")), limit(step.get("splits"))
            bound, uses = self.cost(step["bound"]), step.get("uses", [])
            if self.prices:
                self.prices.turn_to(len(branch) // 2 + depth)
            self.verify(rows, depth, splits, bound, self.read(uses))
            self.facts.append((rows, depth, splits, bound))
        rows, depth, splits, bound = self.facts[whole(h["root"])]
        fits = depth >= self.depth and splits >= self.splits
        require(rows == p.everything and fits, "the root step is about others")
        require(0 <= self.lower <= bound - self.extra + p.tolerance, "lower is wrong")
        if h.get("metric") is not None:
            return ratio_is_best(self, h["metric"])
        return bool(self.lower >= self.upper - p.tolerance)

    def read(self, uses: Any) -> Any:
        for test, *lists in uses:
            require(len(lists) == self.p.tests[whole(test)][2], "a use lacks lists")
            for item in chain(*lists):
                if not isinstance(item, list):
                    item = [whole(item, -1)]
                    require(item[0] < len(self.facts), "it cites a later step")
                self.cost(*item)
        return uses

    def verify(self, S: Rows, d: float, k: float, B: Any, uses: Any) -> None:
        """Section 4: require that the bound B holds for the rows S."""
        p, L, B = self.p, self.L, B - self.p.tolerance
        require(B <= 0 or p.leaf(S) >= B, "a leaf costs less than the bound")
        if B <= 0 or d == 0 or k == 0:
            return
        tests = [t for t in range(len(p.tests)) if len(p.held(S, t)) > 1]
        child = {(t, v): c for t in tests for v, c in enumerate(p.children(S, t)) if c}
        each = [k] if k == math.inf else list(range(min(int(k), len(S))))
        lower = {a: [self.counts(C, d - 1, j) for j in each] for a, C in child.items()}
        for t, *lists in uses:
            for v, c in enumerate(p.children(S, t)):
                for item in lists[v]:
                    self.cite(c, lower.get((t, v)), item, d - 1, each)
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
            dear = price + self.cheapest(here, child, lower) >= B
            require(merged or dear, f"test {t} is not ruled out, nor dear enough")

    def cheapest(self, here: Any, child: Any, lower: Any) -> Any:
        """Return the least sum over all ways to divide the splits."""
        best, *others = (lower[a] for a in here)
        for own in others:
            js = range(len(own))
            best = [min(best[a] + own[j - a] for a in range(j + 1)) for j in js]
        return best[-1]

    def counts(self, C: Rows, d: float, k: float) -> Any:
        leaf = self.p.leaf(C)
        if d == 0 or k == 0 or not leaf:
            return leaf
        one, more = self.look(C)[0], max(self.look(C)[1], self.worth(C, 2))
        few = min(leaf, one) if d == 1 or k == 1 else min(leaf, one, more)
        return max(few, min(leaf, self.worth(C, 1)))

    def _look(self, C: Rows) -> tuple[Any, Any]:
        """Return bounds for one split into leaves, and for two or more splits."""
        p, L = self.p, self.L
        stumps = [t for t in range(len(p.tests)) if p.splits(C, t)]
        each = [self.split_price(C, t) + p.stump(C, t) for t in stumps]
        if not each:
            return math.inf, math.inf
        one, forced = min(each), p.forced(C)
        b = 2 * L + forced
        if not p.exact or L == 0:
            return one, b
        if not p.multiway:
            good = [t for t in stumps if p.admissible(C, t, L)]
            sides, cover = [c for t in good for c in p.children(C, t)], -L
            for y in range(self.p.n_actions):
                n, G = p.of_class(C, y), max([p.of_class(c, y) for c in sides] or [0])
                ways = range(n // G + 2 if G else 1)
                cover += min(L * j + max(0, n - j * G) for j in ways)
            b = max(b, cover)
        return one, self.rounded(b, forced, 2)

    def cite(self, C: Rows, lower: Any, item: Any, d: float, shares: Any) -> None:
        if item == -1:
            return
        if isinstance(item, list):
            splits, bound = math.inf, self.cost(*item)
            self.verify(C, d, splits, bound, [])
        else:
            rows, depth, splits, bound = self.facts[item]
            require(rows == C and depth >= d, "it cites what does not fit")
        for at, j in enumerate(shares if lower else []):
            if splits >= j:
                lower[at] = max(lower[at], bound)

    def share(self, child: Any, lower: Any, pairs: Any, wide: bool, S: Any) -> None:
        """Fewer rows, order: bounds of C for A, less what A's tree may cost more on C.

        Unless S is None, A's own test may separate the rest of C from A.
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
                    lost = sum(p.leaf(C & x) for x in p.children(S, a[0]) if x is not A)
                    more = min(more, self.split_price(C, a[0]) + lost)
            pair = lower[a], lower[c]
            if more < math.inf:
                lower[a] = [max(x, y - more) for x, y in zip(*pair, strict=True)]
