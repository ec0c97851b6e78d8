"""How many trees of each cost there are, and the tree of any number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from treeproof.tree.split_table import SplitTable

__all__ = ["Count", "Counted", "DistinctCount", "number_of"]


class Counted(Protocol):
    """How many trees of each cost there are, and the tree of any number.

    Attributes
    ----------
    total : int
        The number of trees.
    by_cost : list of (int, int)
        Each cost and how many trees have it, the least cost first.
    """

    total: int
    by_cost: list[tuple[int, int]]

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, as a split table with its cost."""


class Count:
    """How many trees there are, and the tree of any number."""

    def __init__(self, family: Any, counts: Any) -> None:
        self._set, self._counts = family, counts
        self.total = number_of(counts.total)
        by_cost: Counter[int] = Counter()  # with a limit on splits, costs come twice
        for cost, n in counts.by_cost():
            by_cost[int(cost)] += number_of(n)
        self.by_cost = list(by_cost.items())

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, as a split table with its cost."""
        words = [(i >> (64 * k)) & (2**64 - 1) for k in range(4)]
        before = 0
        cost = self.by_cost[0][0]
        for cost, n in self.by_cost:  # noqa: B007 (it is what we look for)
            before += n
            if i < before:
                break
        return self._counts.tree(self._set, words), cost


class DistinctCount:
    """How many different predictions trees make, and the cheapest tree for each."""

    def __init__(self, family: Any, listing: Any) -> None:
        self._set, self._listing = family, listing
        self._costs = [int(cost) for cost in listing.costs()]
        self.total = len(self._costs)
        self.by_cost = [(cost, n) for cost, n in Counter(self._costs).items()]

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, as a split table with its cost."""
        return self._listing.tree(self._set, i), self._costs[i]


def number_of(words: Sequence[int]) -> int:
    """Return a whole number from its words of 64 bits, the lowest first."""
    return sum(int(word) << (64 * k) for k, word in enumerate(words))
