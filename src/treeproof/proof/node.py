"""The children of one set of rows, and lower bounds on the trees on them.

Part of the checker: section 4 of docs/proof-format.md, rule by rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treeproof.proof.header import INFINITE, UNIT
from treeproof.proof.problem import Problem, between
from treeproof.proof.rejected import Array

BATCH = 1 << 20  # about as many numbers are in a temporary array
# If columns have at most so many values on average, a matrix of bits is faster.
DENSE = 32


class Node:
    """The tests that divide some rows, their children, and bounds of these.

    Of the thresholds that divide these rows in the same way, the first is kept.
    `lower[child, j]` is a bound on trees of at most j splits; if the number of splits
    is not limited, there is one column, for any number. `below` is the limit on the
    depth of trees on the children.
    """

    def __init__(
        self, problem: Problem, rows: Array, below: int | None, splits: int | None
    ) -> None:
        p, self.rows, self.below = problem, rows, below
        self.p, self.h, self.L = p, p.header, p.header.search_cost
        self.infinite: Any = INFINITE if self.h.exact else np.inf
        self.channels, codes = p.channels[rows], p.codes[rows]
        seen = np.bincount(codes.ravel(), minlength=int(p.start[-1])) > 0
        # The number of each value that occurs.
        self.rank = np.concatenate([[0], np.cumsum(seen)])
        ends = self.rank[p.ends]
        size = ends[1] - ends[0] + ends[3] - ends[2]
        split = np.add.reduceat(size > 0, p.first[:-1], dtype=int) > 1
        split &= seen[p.ends[1, p.first[:-1]] - 1] | (p.n_children > 2)
        kept = split[p.test]
        self.codes, self.n_values = self.rank[codes], int(self.rank[-1])
        self.ends, self.view = ends[:, kept], p.view[kept]
        self.number = np.flatnonzero(split)
        self.says, self.one_leaf = p.says[kept], p.one_leaf[split]
        self.test = (np.cumsum(split) - 1)[p.test[kept]]
        self.first = np.searchsorted(self.test, np.arange(len(self.number)))
        self.shares = [None] if splits is None else list(range(splits))
        self.asked: list[int] = []  # children that the checker has to look at
        if not len(self.number):
            return
        self.one_hot = None
        if self.n_values <= DENSE * codes.shape[1]:  # a column of bits for each value
            self.one_hot = np.zeros((len(rows), self.n_values))
            np.put_along_axis(self.one_hot, self.codes, 1.0, axis=1)
        self.sums = self.count(np.ones((1, len(rows)), bool))[:, 0]
        self.samples, self.leaf = self.sums[-1], p.leaf(self.sums)
        occupied = self.per_test(np.add, (self.samples > 0).astype(int))
        self.price = self.h.price(occupied)
        self.wide = self.h.by_leaves and bool((occupied > 2).any())
        self.allowed = self.can_start(self.sums, self.h.exact)
        simple = self.L + p.forced(self.sums)
        prices = p.step_prices
        self.worth = None if prices is None else self.by_prices(prices)
        if self.worth is not None:
            simple = np.maximum(simple, p.rounded_worth(self.worth, self.sums))
        simple = np.minimum(self.leaf, simple)
        bounds = [self.leaf if below == 0 or j == 0 else simple for j in self.shares]
        self.lower = np.stack(bounds, axis=1)

    def by_prices(self, prices: Any) -> Array:
        """Return the bound that prices give for each child, before rounding."""
        own = np.repeat(prices.of_row[self.rows], self.codes.shape[1])
        at = np.bincount(self.codes.ravel(), own, self.n_values).astype(np.int64)
        along = np.concatenate([[0], np.cumsum(at)])
        first, second = along[self.ends[1]] - along[self.ends[0]], along[self.ends[3]]
        worth: Array = first + second - along[self.ends[2]] - prices.per_leaf
        return worth

    def inside(self, children: Array) -> Array:
        """Return which rows are in each of these children."""
        code = self.codes[:, self.view[children]].T
        return between(code, self.ends[:, children, None])

    def count(self, inside: Array) -> Array:
        """Return sums of every child's channels within each of some sets of rows.

        The result is an array of channels by sets by children.
        """
        n_sets, n_columns, channels = len(inside), self.codes.shape[1], self.channels.T
        shape = len(channels), n_sets, self.n_values
        if self.one_hot is not None:
            own = (channels[:, None] * inside).reshape(-1, len(self.rows))
            by_value = own.astype(float) @ self.one_hot
        else:
            which, row = np.nonzero(inside)
            place = (which[:, None] * self.n_values + self.codes[row]).ravel()
            each = (np.repeat(own[row], n_columns) for own in channels)
            size = n_sets * self.n_values
            by_value = np.stack([np.bincount(place, own, size) for own in each])
        by_value = by_value.reshape(shape)
        if not self.h.exact:
            return self.add_values(by_value)
        along = np.zeros((*shape[:2], self.n_values + 1), channels.dtype)
        np.cumsum(by_value, 2, dtype=along.dtype, out=along[..., 1:])
        sums = along.take(self.ends[1], axis=2)
        sums -= along.take(self.ends[0], axis=2)
        sums += along.take(self.ends[3], axis=2)
        sums -= along.take(self.ends[2], axis=2)
        return sums

    def add_values(self, by_value: Array) -> Array:
        """Add up doubles over the values of each child, but never subtract sums.

        A child has all values of its view up to one, from one on, or one alone.
        """
        begin, end = self.rank[self.p.start[:-1]], self.rank[self.p.start[1:]]
        place = np.arange(self.n_values)
        own_view = np.repeat(np.arange(len(begin)), end - begin)
        upward, back = by_value.copy(), by_value.copy()
        reach, longest = 1, int((end - begin).max(initial=0))
        while reach < longest:  # sums of 1, 2, 4, ... values
            far = place - begin[own_view] >= reach
            upward[..., far] += upward[..., place[far] - reach]
            far = end[own_view] - 1 - place >= reach
            back[..., far] += back[..., place[far] + reach]
            reach *= 2
        begin, end = begin[self.view], end[self.view]
        sums = np.zeros((*by_value.shape[:2], len(self.view)))
        for low, high in (self.ends[:2], self.ends[2:]):
            some, first, last = low < high, low == begin, high == end
            for chosen, known, at in (
                (some & first, upward, high - 1),
                (some & ~first & last, back, low),
                (some & ~first & ~last, by_value, low),
            ):
                sums[..., chosen] += known[..., at[chosen]]
        return sums

    def per_test(self, how: np.ufunc, children: Array) -> Array:
        """Combine a number of each child over the children of each test."""
        together: Array = how.reduceat(children, self.first, axis=-1)
        return together

    def can_start(self, sums: Array, lemmas: bool) -> Array:
        """Return which tests an optimal tree with the fewest splits can start with."""
        samples = sums[-1]
        n_occupied = self.per_test(np.add, (samples > 0).astype(int))
        small = (samples > 0) & (samples < self.h.min_leaf)
        good = (n_occupied > 1) & ~self.per_test(np.logical_or, small)
        if lemmas and self.trees_extend():  # admissible
            light = (self.p.most(sums) * UNIT <= self.L) & (samples > 0)
            if self.p.multiway:
                light &= self.p.weight(sums) * UNIT <= 2 * self.L
            good &= ~(self.per_test(np.logical_or, light) & (n_occupied == 2))
        return good

    def trees_extend(self) -> bool:
        """Whether a tree for some rows can be used for more rows at no higher price."""
        few = self.h.min_leaf > 1 and self.p.multiway
        return self.h.exact and not few and not self.wide

    def costs(self) -> Array:
        """Return a lower bound on the trees that start with each test."""
        ends = np.append(self.first[1:], len(self.test))
        shared = self.lower[self.first]
        for k in range(1, int((ends - self.first).max())):
            has = self.first + k < ends
            child, before = self.lower[self.first[has] + k], shared[has]
            best = np.full_like(before, self.infinite)
            for j in range(len(self.shares)):
                for a in range(j + 1):
                    best[:, j] = np.minimum(best[:, j], before[:, a] + child[:, j - a])
            shared[has] = best
        costs = shared[:, -1]
        if self.one_leaf.any():  # one of two children is a leaf
            yes, no = self.first[self.one_leaf], self.first[self.one_leaf] + 1
            said, most = self.p.leaf_saying(self.sums, self.says), self.lower[:, -1]
            beside = np.minimum(said[yes] + most[no], most[yes] + said[no])
            costs = costs.copy()
            costs[self.one_leaf] = beside
        return self.price + costs  # type: ignore[no-any-return]

    def open_tests(self, bound: Any) -> Array:
        """Return the tests that are neither ruled out nor expensive enough."""
        left = self.allowed & (self.costs() < bound)
        if self.trees_extend():  # merging
            most, weight = self.lower[:, -1], self.p.weight(self.sums)
            others = (self.price + self.per_test(np.add, most))[self.test] - most
            outside = self.per_test(np.add, weight)[self.test] - weight
            left &= ~self.per_test(np.logical_or, outside * UNIT <= others)
        return left

    def find(self, test: int) -> int | None:
        """Return which test here divides the rows as `test` does, or None."""
        p, at = self.p, int(np.searchsorted(self.number, test, side="right")) - 1
        if at < 0:
            return None
        child, own = int(p.first[test]), int(self.first[at])
        same = self.view[own] == p.view[child]
        alike = same and np.all(self.ends[:2, own] == self.rank[p.ends[:2, child]])
        return at if alike else None

    def raise_to(self, child: Any, column: Any, bound: Any) -> None:
        """Raise one or several bounds."""
        self.lower[child, column] = np.maximum(self.lower[child, column], bound)

    def batches(self, children: Array) -> Iterator[Array]:
        """Yield children in groups whose tables fit into memory."""
        per_row = self.codes.shape[1] if self.one_hot is None else 1
        width = max(1, len(self.rows) * per_row, len(self.test))
        step = max(1, BATCH // (width * self.channels.shape[1]))
        for k in range(0, len(children), step):
            yield children[k : k + step]

    def look(self, children: Array) -> None:
        """Raise bounds of children by those of a leaf, one split, and more splits."""
        for some in self.batches(children if self.below != 0 else children[:0]):
            parts = self.count(self.inside(some))
            leaves = self.per_test(np.add, self.p.leaf_saying(parts, self.says))
            possible = self.can_start(parts, lemmas=False)
            occupied = self.per_test(np.add, (parts[-1] > 0).astype(int))
            cost = leaves + self.h.price(occupied)
            one = np.where(possible, cost, self.infinite).min(axis=1)
            few = more = np.minimum(self.leaf[some], one)
            if self.below != 1 and self.shares[-1] not in (0, 1):
                splits = np.where(one < self.infinite, self.more(some, parts), one)
                more = np.minimum(few, splits)
            for column, j in enumerate(self.shares):
                if j != 0:
                    self.raise_to(some, column, few if j == 1 else more)

    def more(self, chosen: Array, parts: Array) -> Array:
        """Bound trees of two or more splits by forced errors, prices and covering."""
        p, L, own = self.p, self.L, self.sums[:, chosen]
        forced = p.forced(own)
        bound: Array = 2 * L + forced
        if self.worth is not None:
            bound = np.maximum(bound, self.worth[chosen])
        if not self.h.exact or L == 0:
            return bound
        if not p.multiway:
            good = self.can_start(parts, lemmas=True)[:, self.test]
            largest = np.where(good, parts[:-2], 0).max(axis=-1)  # of each class
            n, per_leaf = own[:-2], np.maximum(largest, 1)
            j = n // per_leaf
            few = np.minimum(L * j + (n - j * largest) * UNIT, L * (j + 1))
            few = np.where(largest > 0, np.minimum(n * UNIT, few), n * UNIT)
            bound = np.maximum(bound, few.sum(axis=0) - L)
        return self.h.rounded(bound, forced, 2, p.multiway)

    def compare(self, test: int, any_tree: bool) -> None:
        """Raise bounds of all children by those of one test: rule *fewer rows*."""
        children = np.flatnonzero((self.test == test) & (self.samples > 0))
        for own in self.batches(children):
            self.compare_some(own, test, any_tree)

    def compare_some(self, own: Array, test: int, any_tree: bool) -> None:
        """Raise bounds of the children of other tests by some children of one test."""
        parts = self.count(self.inside(own))
        shared, mine = parts[-1], self.samples[own][:, None]
        price = np.where(shared == mine, 0, self.infinite)  # C is a part of A
        if self.h.min_leaf > 1:
            price[shared != self.samples] = self.infinite
        elif self.h.exact:
            weight, most = self.p.weight(parts), self.p.most(parts)
            if not self.wide:
                price = (self.p.weight(self.sums)[own][:, None] - weight) * UNIT
            if any_tree:
                wrong = weight - most
                others = self.per_test(np.add, wrong)[:, self.test] - wrong
                occupied = self.per_test(np.add, (shared > 0).astype(int))
                parting = self.h.price(occupied)[:, self.test]
                apart = np.where(self.says < 0, parting + others * UNIT, self.infinite)
                price = np.minimum(price, apart)
        price[:, self.test == test] = self.infinite
        reach = self.lower[own][:, None] - price[..., None]
        self.raise_to(slice(None), slice(None), reach.max(axis=0))

    def order(self) -> None:
        """Raise bounds along each column of thresholds: rule *order*."""
        upward, back = np.maximum.accumulate, slice(None, None, -1)
        ends = np.append(np.flatnonzero(np.diff(self.view)) + 1, len(self.view))
        for first, last in zip(np.append(0, ends), ends, strict=False):
            split = self.p.splits[self.view[first]]
            if self.h.min_leaf > 1 or split != "threshold":
                continue
            left, right = self.lower[first:last:2], self.lower[first + 1 : last : 2]
            left[:] = upward(left)
            right[:] = upward(right[back])[back]
            if self.h.exact and not self.wide:
                weight = self.p.weight(self.sums)[first:last, None] * UNIT
                left[:] = upward((left - weight[::2])[back])[back] + weight[::2]
                right[:] = upward(right - weight[1::2]) + weight[1::2]
