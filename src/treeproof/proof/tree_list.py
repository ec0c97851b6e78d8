"""The list of all trees up to a priced cost, if rates are limited.

Part of the checker: section 10 of docs/proof-format.md, *The list*. The standard
library and NumPy only. A tree that keeps the limits and costs less than the claimed one
has a priced cost within a budget. So it is enough to see that none of the trees within
the budget both keeps the limits and is cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from treeproof.proof.header import UNIT, covers
from treeproof.proof.limits import Limits, Rate
from treeproof.proof.problem import Problem
from treeproof.proof.rejected import Array, Rejected, require
from treeproof.proof.tree_counts import Bounds, Depth, below

MOST_POINTS = 1 << 21

Point = tuple[int, ...]  # priced cost, errors, penalties, sums of what is limited


class ShownBounds(Bounds):
    """Lower bounds from the first test of a tree, and those of the steps.

    `facts` returns the bounds that steps prove for some rows, each with its depth.
    """

    def __init__(
        self, problem: Problem, facts: Callable[[Array], list[tuple[Depth, int]]]
    ) -> None:
        super().__init__(problem)
        self.facts = facts
        self.exact: set[tuple[bytes, Depth]] = set()

    def at_first(self, rows: Array, depth: Depth) -> int:
        """Return the bound that is known before any test is tried."""
        return self.lower(rows, depth, 0)

    def lower(self, rows: Array, depth: Depth, wanted: int) -> int:
        """Return a lower bound on all trees, if possible at least `wanted`.

        Every tree is a leaf, or it starts with a test and has trees on the children.
        """
        key = (rows.tobytes(), depth)
        known = self.shown.get(key)
        if known is None:
            shown = (b for d, b in self.facts(rows) if covers(d, depth))
            known = max([self._at_once(rows, depth), *shown])
            self.shown[key] = known
        if known >= wanted or depth == 0 or key in self.exact:
            return known
        if depth == 1:
            found = self._best_stump(rows)
            self.exact.add(key)
        else:
            tests = self.cheap_tests(rows, depth, wanted - 1)
            costs = (self.price(rows, test) + sum(low) for test, _, low in tests)
            found = min([wanted, self._leaf(rows), *costs])
            if found < wanted:  # no tree was left out
                self.exact.add(key)
        self.shown[key] = max(known, found)
        return self.shown[key]


class TreeList:
    """The trees of a problem with limits on rates, up to a priced cost."""

    def __init__(self, problem: Problem, bounds: ShownBounds) -> None:
        assert problem.limits is not None
        self.problem, self.bounds, limits = problem, bounds, problem.limits
        self.limits: Limits = limits
        kept, place = np.flatnonzero(limits.kept), problem.place
        n_classes = problem.channels.shape[1] - 2
        self.n_points, self.penalized = 0, problem.header.split_cost > 0
        self.sides: list[int] = []  # the number of each limit's sum
        self.signs: list[int] = []
        distinct: list[list[list[int]]] = []
        for rate in limits.rates:
            own = _shares(rate, n_classes, len(limits.weight))
            opposite = [[-share for share in shares] for shares in own]
            self.signs.append(-1 if opposite in distinct and own not in distinct else 1)
            if self.signs[-1] > 0 and own not in distinct:
                distinct.append(own)
            self.sides.append(distinct.index(own if self.signs[-1] > 0 else opposite))
        self.ways: list[set[int]] = [set() for _ in distinct]
        for side, sign in zip(self.sides, self.signs, strict=True):
            self.ways[side].add(sign)
        # By merged row and class.
        self.wrong = [[0] * n_classes for _ in problem.codes]
        self.sums = [[[0] * n_classes for _ in distinct] for _ in problem.codes]
        for row, at in zip(kept.tolist(), place.tolist(), strict=True):
            for c in range(n_classes):
                if c != limits.label[row]:
                    self.wrong[at][c] += int(limits.errors[row])
                for k, shares in enumerate(distinct):
                    self.sums[at][k][c] += shares[c][row]
        self._found: dict[tuple[bytes, Depth], tuple[int, list[Point]]] = {}

    def check(self, errors: int, penalties: int, base: Fraction) -> None:
        """Require that no tree that keeps the limits costs less than the given one.

        The priced cost of a tree that costs c in the steps is `base` + c / 2^20.
        Penalties are compared as they are rounded in the steps.
        """
        limits, header = self.limits, self.problem.header
        paid = sum((rate.price * rate.at_most for rate in limits.rates), Fraction(0))
        own = errors * limits.unit * UNIT + penalties * header.split_cost
        budget = own + UNIT * (paid - base)
        if budget < 0:
            return
        everything = np.arange(len(self.problem.codes))
        try:
            found = self.trees(everything, header.max_depth, int(budget))
        except RecursionError:
            raise Rejected("the list of trees goes too deep.") from None
        for _, wrong, further, *sums in found:
            cost = wrong * limits.unit * UNIT + further * header.split_cost
            fault = "a tree that costs less keeps the limits."
            require(cost >= own or not self._kept(sums), fault)

    def _kept(self, sums: list[int]) -> bool:
        pairs = zip(self.limits.rates, self.sides, self.signs, strict=True)
        return all(rate.allows(sign * sums[side]) for rate, side, sign in pairs)

    def trees(self, rows: Array, depth: Depth, budget: int) -> list[Point]:
        """Return the trees that cost at most the budget.

        A tree is left out if another one of the list can replace it.
        """
        key = (rows.tobytes(), depth)
        if key in self._found and self._found[key][0] >= budget:
            return self._found[key][1]
        out = [leaf for leaf in self._leaves(rows) if leaf[0] <= budget]
        seen: set[frozenset[bytes]] = set()
        tests = self.bounds.cheap_tests(rows, depth, budget) if depth != 0 else []
        for test, children, low in tests:
            parted = frozenset(child.tobytes() for child in children)
            if parted not in seen:
                seen.add(parted)
                out += self._joined(rows, test, children, low, depth, budget)
        out = self._reduced(out)
        self.n_points += len(out)
        require(self.n_points <= MOST_POINTS, "the list of trees is too long.")
        self._found[key] = budget, out
        return out

    def _leaves(self, rows: Array) -> Iterable[Point]:
        """Return a leaf for every class."""
        total = self.problem.channels[rows].sum(axis=0)
        weight = int(self.problem.weight(total))
        own = rows.tolist()
        for c in range(len(total) - 2):
            wrong = sum(self.wrong[i][c] for i in own)
            sums = [sum(self.sums[i][k][c] for i in own) for k in range(len(self.ways))]
            yield (weight - int(total[c])) * UNIT, wrong, 0, *sums

    def _joined(
        self,
        rows: Array,
        test: int,
        children: list[Array],
        low: list[int],
        depth: Depth,
        budget: int,
    ) -> list[Point]:
        """Return the trees that start with a test."""
        price = self.bounds.price(rows, test)
        leaves = self.problem.header.penalize == "leaves"
        penalties = (len(children) - 1 if leaves else 1) if self.penalized else 0
        rest = sum(low)
        joint: list[Point] = [(price, 0, penalties, *[0] * len(self.ways))]
        spare = budget - price - rest
        for child, own in zip(children, low, strict=True):
            found = self.trees(child, below(depth), spare + own)
            rest -= own
            joint = [
                tuple(map(sum, zip(a, b, strict=True)))
                for a in joint
                for b in found
                if a[0] + b[0] + rest <= budget
            ]
            require(len(joint) <= MOST_POINTS, "the list of trees is too long.")
            joint = self._reduced(joint)
        return joint

    def _reduced(self, points: Iterable[Point]) -> list[Point]:
        """Remove the points that another one can replace in every tree.

        The other one has no more errors and penalties, no larger sum that is limited
        from above, and no smaller one that is limited from below.
        """
        kept: dict[tuple[int, ...], list[tuple[tuple[int, ...], Point]]] = {}
        for point in sorted(set(points), key=lambda p: p[1:]):
            fixed, least = [], list(point[1:3])
            for value, signs in zip(point[3:], self.ways, strict=True):
                if len(signs) == 2:
                    fixed.append(value)
                else:
                    least += [sign * value for sign in signs]
            others = kept.setdefault(tuple(fixed), [])
            if not any(
                all(x <= y for x, y in zip(other, least, strict=True))
                for other, _ in others
            ):
                others.append((tuple(least), point))
        return [point for others in kept.values() for _, point in others]


def _shares(rate: Rate, n_classes: int, n_rows: int) -> list[list[int]]:
    """Return for each class what each row adds to a limited sum."""
    nothing = [0] * n_rows
    return [
        rate.shares[c].tolist() if c in rate.shares else nothing
        for c in range(n_classes)
    ]
