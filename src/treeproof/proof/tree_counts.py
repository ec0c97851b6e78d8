"""Counts all trees within a budget, with bounds that are verified first.

Part of the checker of such claims (`all_trees.py`): the standard library and NumPy
only.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from treeproof.proof.header import INFINITE
from treeproof.proof.problem import Problem
from treeproof.proof.rejected import Array, Rejected, require

Depth = int | None  # None for any depth
# From cost and number of splits to a number of trees.
Costs = dict[tuple[int, int], int]


def name_of(rows: Array) -> str:
    """Return a name for a set of rows.

    If two sets had the same name, a hint for one would be verified for the other: it
    could be rejected, but never be believed wrongly.
    """
    return hashlib.blake2b(rows.astype("<i4").tobytes(), digest_size=12).hexdigest()


def below(depth: Depth) -> Depth:
    """Return how many levels the children of a node may have."""
    return None if depth is None else depth - 1


class Splits:
    """All tests that may be used at a set of rows.

    Attributes
    ----------
    tests : ndarray
        The numbers of the tests.
    leaf : ndarray of shape (children,)
        For each child of every test of the problem, the cost of a leaf.
    n_rows : ndarray of shape (children,)
        The number of table rows of each child.
    price : ndarray of shape (tests of the problem,)
        The cost of a split by each test.
    """

    def __init__(self, problem: Problem, rows: Array) -> None:
        p = problem
        n_values = int(p.start[-1])
        codes, own = p.codes[rows], p.channels[rows]
        sums = np.zeros((own.shape[1], n_values + 1), np.int64)
        flat = codes.T.reshape(-1) + 1
        for k, channel in enumerate(own.T):  # integers below 2^53: exact
            spread = np.tile(channel.astype(np.float64), codes.shape[1])
            sums[k] = np.bincount(flat, spread, n_values + 1).astype(np.int64)
        total = np.cumsum(sums, axis=1)
        ends = total[:, p.ends]  # channels, four ends, children
        inside = ends[:, 1] - ends[:, 0] + ends[:, 3] - ends[:, 2]
        self.leaf = np.asarray(p.leaf(inside))
        self.n_rows = inside[-1]
        there = self.n_rows > 0
        large = ~there | (self.n_rows >= p.header.min_leaf)
        n_there, fine = np.zeros(0, int), np.zeros(0, bool)
        if p.n_tests:
            n_there = np.add.reduceat(there.astype(int), p.first[:-1])
            fine = np.logical_and.reduceat(large, p.first[:-1])
        self.tests = np.flatnonzero((n_there > 1) & fine)
        self.price = np.asarray(p.header.price(n_there))


@dataclass
class Bounds:
    """Lower bounds of trees on sets of rows, each verified before it is used.

    Attributes
    ----------
    problem : Problem
        The problem.
    hints : dict
        Bounds to be verified, by the name of the rows and the depth.
    """

    problem: Problem
    hints: dict[tuple[str, Depth], int] = field(default_factory=dict)
    shown: dict[tuple[bytes, Depth], int] = field(default_factory=dict)
    _splits: dict[bytes, Splits] = field(default_factory=dict)

    def lower(self, rows: Array, depth: Depth, wanted: int) -> int:
        """Return a verified bound, if possible one that is at least `wanted`."""
        key = (rows.tobytes(), depth)
        known = self.shown.get(key)
        if known is None:
            known = self.shown[key] = self._at_once(rows, depth)
        if known >= wanted or depth == 0:
            return known
        if depth == 1:
            found = self._best_stump(rows)
        else:
            found = self.hint(rows, depth, wanted)
            if found > known:
                self.show(rows, depth, found)
        self.shown[key] = max(known, found)
        return self.shown[key]

    def at_first(self, rows: Array, depth: Depth) -> int:
        """Return a bound to begin with: that of the hint, if there is one.

        A hint is verified at once. Otherwise tests might be tried here that were left
        out when the file was written.
        """
        return self.lower(rows, depth, 0 if depth == 1 else INFINITE)

    def hint(self, rows: Array, depth: Depth, wanted: int) -> int:
        """Return a bound to be verified."""
        return self.hints.get((name_of(rows), depth), 0)

    def show(self, rows: Array, depth: Depth, bound: int) -> None:
        """Check that every tree on these rows costs at least the bound.

        A tree is a leaf, or it starts with a test and has a tree on each child.
        """
        leaf = self._leaf(rows)
        require(bound <= leaf, f"a leaf costs {leaf}, less than its bound {bound}.")
        for test, _, _ in self.cheap_tests(rows, depth, bound - 1):
            raise Rejected(f"test {test} is not shown to cost {bound}.")

    def cheap_tests(
        self, rows: Array, depth: Depth, most: int
    ) -> list[tuple[int, list[Array], list[int]]]:
        """Return the tests that may cost at most `most`, each way to divide rows once.

        Each test comes with the rows of its children and their bounds. Thresholds of a
        column are tried by bisection. If leaves of any size are allowed, a tree on more
        rows, reduced to fewer, costs no more. So the first child of a threshold costs
        at least the bound of a lower threshold's first child, and its last child at
        least the bound of a higher threshold's last child.
        """
        p, splits = self.problem, self._split(rows)
        views = p.view[p.first[splits.tests]]
        out: list[tuple[int, list[Array], list[int]]] = []
        for view in np.unique(views).tolist():
            tests = splits.tests[views == view]
            if p.splits[view] == "threshold":
                below_it = splits.n_rows[p.first[tests]]
                tests = tests[np.diff(below_it, prepend=0) > 0]
                if p.header.min_leaf == 1:
                    self._bisect(rows, depth, most, tests.tolist(), (0, 0), out)
                    continue
            for test in tests.tolist():
                self._try(rows, depth, most, test, (0, 0), out)
        return out

    def _bisect(
        self,
        rows: Array,
        depth: Depth,
        most: int,
        tests: list[int],
        known: tuple[int, int],
        out: list[Any],
    ) -> None:
        """Try thresholds whose first and last children have at least these bounds."""
        if not tests or sum(known) + int(self._split(rows).price[tests[0]]) > most:
            return
        middle = len(tests) // 2
        first, last = self._try(rows, depth, most, tests[middle], known, out)
        lower, upper = tests[:middle], tests[middle + 1 :]
        self._bisect(rows, depth, most, lower, (known[0], last), out)
        self._bisect(rows, depth, most, upper, (first, known[1]), out)

    def _try(
        self,
        rows: Array,
        depth: Depth,
        most: int,
        test: int,
        known: tuple[int, int],
        out: list[Any],
    ) -> tuple[int, int]:
        """Verify bounds of a test's children until it costs more than allowed."""
        p, splits, down = self.problem, self._split(rows), below(depth)
        price = int(splits.price[test])
        children = [
            p.within(rows, child)
            for child in range(p.first[test], p.first[test + 1])
            if splits.n_rows[child] > 0
        ]
        low = [self.at_first(child, down) for child in children]
        low[0], low[-1] = max(low[0], known[0]), max(low[-1], known[1])
        for k, child in enumerate(children):
            over = most - price - sum(low)
            if over >= 0:
                low[k] = max(low[k], self.lower(child, down, low[k] + over + 1))
        if price + sum(low) <= most:
            out.append((test, children, low))
        return low[0], low[-1]

    def _leaf(self, rows: Array) -> int:
        return int(self.problem.leaf(self.problem.channels[rows].sum(axis=0)))

    def _at_once(self, rows: Array, depth: Depth) -> int:
        """Return a bound that needs no test: the cost of a split, and forced errors."""
        p = self.problem
        sums = p.channels[rows].sum(axis=0)
        leaf = int(p.leaf(sums))
        if depth == 0:
            return leaf
        return min(leaf, int(p.header.price(2)) + int(p.forced(sums)))

    def _best_stump(self, rows: Array) -> int:
        splits, p = self._split(rows), self.problem
        leaf = self._leaf(rows)
        if not len(splits.tests):
            return leaf
        # A leaf without rows costs nothing.
        sums = np.add.reduceat(splits.leaf, p.first[:-1]) + splits.price
        return min(leaf, int(sums[splits.tests].min()))

    def _split(self, rows: Array) -> Splits:
        key = rows.tobytes()
        if key not in self._splits:
            if len(self._splits) > 20_000:
                self._splits.clear()
            self._splits[key] = Splits(self.problem, rows)
        return self._splits[key]

    def price(self, rows: Array, test: int) -> int:
        """Return the cost of a split of some rows."""
        return int(self._split(rows).price[test])


class Family:
    """All trees that cost at most a budget, counted.

    Trees that differ only in tests of one column which divide the rows of a node in the
    same way count as one tree. A tree with a split whose children are all leaves with
    the same prediction does not count.
    """

    def __init__(self, problem: Problem, bounds: Bounds, budget: int) -> None:
        self.p, self.bounds = problem, bounds
        self.budgets: dict[tuple[bytes, Depth], int] = {}
        self._rows: dict[tuple[bytes, Depth], Array] = {}
        self._edges: dict[tuple[bytes, Depth], list[Any]] = {}
        everything = np.arange(len(problem.codes))
        self.root = (everything.tobytes(), problem.header.max_depth)
        self._find(everything, budget)

    def by_cost(self) -> list[tuple[int, int]]:
        """Return the number of trees of each cost."""
        counts: dict[tuple[bytes, Depth], Costs] = {}
        for key in sorted(self.budgets, key=lambda key: len(key[0])):
            counts[key] = self._count(key, counts)
        total: dict[int, int] = {}
        for (cost, _), n in counts[self.root].items():
            total[cost] = total.get(cost, 0) + n
        return sorted(total.items())

    def _find(self, everything: Array, budget: int) -> None:
        """Find the sets of rows that occur in the trees, and the budget of each.

        Children have fewer rows than their parents: when a set is visited, the most
        that can be spent there is known.
        """
        waiting: list[set[tuple[bytes, Depth]]] = [
            set() for _ in range(len(everything) + 1)
        ]
        self._enter(everything, self.root[1], budget, waiting)
        for size in range(len(everything), 0, -1):
            for key in sorted(waiting[size], key=lambda k: (k[0], k[1] or 0)):
                self._expand(key, waiting)

    def _enter(
        self,
        rows: Array,
        depth: Depth,
        budget: int,
        waiting: list[set[tuple[bytes, Depth]]],
    ) -> tuple[bytes, Depth]:
        key = (rows.tobytes(), depth)
        self.budgets[key] = max(budget, self.budgets.get(key, budget))
        self._rows[key] = rows
        waiting[len(rows)].add(key)
        return key

    def _expand(
        self, key: tuple[bytes, Depth], waiting: list[set[tuple[bytes, Depth]]]
    ) -> None:
        rows, depth, budget = self._rows[key], key[1], self.budgets[key]
        edges = self._edges[key] = []
        if depth == 0:
            return
        p, down, seen = self.p, below(depth), set()
        for test, children, low in self.bounds.cheap_tests(rows, depth, budget):
            column = p.column[int(p.view[p.first[test]])]
            parted = (column, frozenset(child.tobytes() for child in children))
            if parted in seen:
                continue
            seen.add(parted)
            price = self.bounds.price(rows, test)
            spare = budget - price - sum(low)
            keys = [
                self._enter(child, down, spare + own, waiting)
                for child, own in zip(children, low, strict=True)
            ]
            edges.append((price, keys))

    def _count(
        self, key: tuple[bytes, Depth], counts: dict[tuple[bytes, Depth], Costs]
    ) -> Costs:
        budget, most = self.budgets[key], self.p.header.max_splits
        out: Costs = {}
        leaf, _ = self._leaf(key)
        if leaf <= budget:
            out[leaf, 0] = 1
        for price, keys in self._edges[key]:
            joint: Costs = {(price, 1): 1}
            for child in keys:
                joined: Costs = {}
                for ((cost, n), many), ((more, m), times) in product(
                    joint.items(), counts[child].items()
                ):
                    if cost + more <= budget and (most is None or n + m <= most):
                        place = (cost + more, n + m)
                        joined[place] = joined.get(place, 0) + many * times
                joint = joined
            leaves = [self._leaf(child) for child in keys]
            place = (price + sum(cost for cost, _ in leaves), 1)
            if len({label for _, label in leaves}) == 1 and place in joint:
                joint[place] -= 1  # the tree is the same without the split
            for place, n in joint.items():
                if n:
                    out[place] = out.get(place, 0) + n
        return out

    def _leaf(self, key: tuple[bytes, Depth]) -> tuple[int, int]:
        """Return the cost of a leaf and its prediction: the first heaviest class."""
        sums = self.p.channels[self._rows[key]].sum(axis=0)
        return int(self.p.leaf(sums)), int(np.argmax(sums[:-2]))
