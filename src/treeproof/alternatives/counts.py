"""The number of trees at each cost, and each of these trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from treeproof.tree.split_table import SplitTable

__all__ = ["Count", "Counted", "DistinctCount", "number_of"]


class Counted(Protocol):
    """The number of trees at each cost, and each of these trees.

    Attributes
    ----------
    total : int
        The number of trees.
    by_cost : list of (int, int)
        Each cost with the number of trees that have it, sorted by cost.
    """

    total: int
    by_cost: list[tuple[int, int]]

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, and its cost."""


class Count:
    """The number of trees, and each of them."""

    def __init__(self, family: Any, counts: Any) -> None:
        self._set, self._counts = family, counts
        self.total = number_of(counts.total)
        # With a limit on splits, a cost can occur several times.
        by_cost: Counter[int] = Counter()
        for cost, n in counts.by_cost():
            by_cost[int(cost)] += number_of(n)
        self.by_cost = list(by_cost.items())

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, and its cost."""
        words = [(i >> (64 * k)) & (2**64 - 1) for k in range(4)]
        before = 0
        cost = self.by_cost[0][0]
        for cost, n in self.by_cost:  # noqa: B007 (used after the loop)
            before += n
            if i < before:
                break
        return self._counts.tree(self._set, words), cost


class DistinctCount:
    """The number of distinct predictions, and the cheapest tree for each of them."""

    def __init__(self, family: Any, listing: Any) -> None:
        self._set, self._listing = family, listing
        self._costs = [int(cost) for cost in listing.costs()]
        self.total = len(self._costs)
        self.by_cost = [(cost, n) for cost, n in Counter(self._costs).items()]

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, and its cost."""
        return self._listing.tree(self._set, i), self._costs[i]


def number_of(words: Sequence[int]) -> int:
    """Return the integer of these 64-bit words, the least significant first."""
    return sum(int(word) << (64 * k) for k, word in enumerate(words))
