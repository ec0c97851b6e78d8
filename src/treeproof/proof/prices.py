"""Prices of rows: read from the header, and compared with every box.

Part of the checker: section 9 of docs/proof-format.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.proof.boxes import Axis, BoxSearch
from treeproof.proof.conjunctions import ConjunctionSearch
from treeproof.proof.header import UNIT, read_whole
from treeproof.proof.problem import Problem, between
from treeproof.proof.rejected import Array, Rejected, require

CHOICES = ("interval", "subset", "one")
MAX_CELLS = 1 << 27  # the largest number of codes of all axes
MAX_OUTCOMES = 1 << 24  # the largest number of rows in all outcomes of tests


class Prices:
    """Prices of the merged rows, and of leaves, which have been compared with boxes.

    Every tree on some rows that is not a leaf costs at least the sum of their prices
    less `per_leaf`.
    """

    def __init__(self, problem: Problem) -> None:
        self.p, given = problem, problem.header.raw["prices"]
        require(problem.header.exact, "prices are for classification only.")
        require(isinstance(given, dict), "its prices are no object.")
        self.per_leaf = read_whole(given.get("per_leaf"), "per_leaf of the prices")
        enough = self.per_leaf <= self._most_per_leaf()
        require(enough, "per_leaf of the prices is more than a further leaf costs.")
        price = self._by_row(given.get("of_rows"), problem.unit, "the prices")
        require(sum(price) <= problem.unit, "the prices are out of range.")
        size = len(problem.codes)
        self.of_row = np.zeros(size, np.int64)
        np.add.at(self.of_row, problem.place, np.array(price, np.int64))
        # Prices are for trees of this depth; None for any.
        self.depth: int | None = None
        if given.get("depth") is not None:
            self.depth = read_whole(given["depth"], "depth of the prices")
            require(1 <= self.depth <= 64, "depth of the prices is not 1 to 64.")
        else:
            self._read_axes(given.get("axes"))
        self._compare()

    def applies(self, n_outcomes: int, depth: int | None) -> bool:
        """Return whether the prices hold for the rows and the children of a step.

        Prices for trees of limited depth hold if the number of outcomes of its branch
        plus the depth below it is at most their depth.
        """
        if self.depth is None:
            return True
        return depth is not None and n_outcomes + depth <= self.depth

    def _read_axes(self, axes: Any) -> None:
        require(isinstance(axes, list), "its axes are no list.")
        self.axes = [self._read_axis(axis) for axis in axes]
        for v in range(self.p.codes.shape[1]):
            told = any(self._tells(choice, code, v) for choice, code in self.axes)
            require(told, f"no axis of the prices tells what view {v} tells.")

    def _most_per_leaf(self) -> int:
        """Return the least cost of a split per further leaf: that of the widest."""
        h, widest = self.p.header, int(self.p.n_children.max(initial=2))
        further = h.split_cost if h.by_leaves else 0
        return int(further + (h.search_cost - further) // (widest - 1))

    def _by_row(self, given: Any, most: int, what: str) -> list[int]:
        """Read one integer for each row of the table."""
        right = isinstance(given, list) and len(given) == len(self.p.place)
        require(right, f"{what} are not one number for each row.")
        numbers = [read_whole(value, what) for value in given]
        require(max(numbers, default=0) <= most, f"{what} are out of range.")
        return numbers

    def _read_axis(self, given: Any) -> tuple[str, Array]:
        pair = isinstance(given, list) and len(given) == 2 and given[0] in CHOICES
        require(pair, "an axis of the prices is not [choice, codes].")
        code = self._by_row(given[1], len(self.p.place) - 1, "the codes of an axis")
        return given[0], np.array(code, np.int64)[self.p.first_row]

    def _tells(self, choice: str, code: Array, view: int) -> bool:
        """Whether the rows that tests of a view keep are choices of an axis."""
        told = np.full(int(code.max()) + 1, -1)
        told[code] = self.p.codes[:, view]
        if (told[code] != self.p.codes[:, view]).any():
            return False
        if choice == "subset":
            return True
        told = told[told >= 0]
        n, split = len(np.unique(told)), self.p.splits[view]
        if choice == "one":
            return n == len(told) and (split == "multiway" or n <= 2)
        step = np.diff(told)
        sorted_codes = bool((step >= 0).all() or (step <= 0).all())
        return sorted_codes and (split != "one-vs-rest" or n <= 2)

    def _box_axes(self) -> list[Axis]:
        """Return the axes of boxes; a subset keeps or removes each code."""
        axes, cells = [], 0
        for choice, code in self.axes:
            kinds = int(code.max()) + 1 if choice == "subset" else 1
            cells += kinds * len(code)
            require(cells < MAX_CELLS, "the axes of the prices are too large.")
            if choice == "subset":
                drops = ((code == v).astype(np.int64) for v in range(kinds))
                axes += [Axis(drop, low_moves=False) for drop in drops if drop.any()]
            else:
                axes.append(Axis(code, one=choice == "one"))
        return axes

    def _outcomes(self) -> Array:
        """Return which rows have each outcome of each test."""
        p = self.p
        few = len(p.test) * len(p.codes) < MAX_OUTCOMES
        require(few, "there are too many tests for prices of few levels.")
        code = p.codes[:, p.view].T
        return between(code, p.ends[:, :, None])

    def _compare(self) -> None:
        by_class = self.p.channels[:, :-2]
        axes = self._box_axes() if self.depth is None else []
        outcomes = None if self.depth is None else self._outcomes()
        for k in range(by_class.shape[1]):
            wrong = (by_class.sum(axis=1) - by_class[:, k]) * UNIT
            own = self.of_row - wrong
            if outcomes is None or self.depth is None:
                found = BoxSearch(axes, own, self.per_leaf).finds_one()
            else:
                search = ConjunctionSearch(outcomes, own, self.per_leaf)
                found = search.finds_one(self.depth)
            if found:
                what = "a box has higher prices than its errors and one leaf"
                raise Rejected(f"{what}, for class {k}.")
