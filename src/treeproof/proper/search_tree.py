"""Optimal binary search trees: the Catalan `splits` with a weight for each key.

Earlier keys go left and later keys right, so there is no choice but the root: Axiom 4'
of Section 6.2. The value carries the weight of the keys beside the cost, since every
level adds it once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from treeproof.proper.objective import Objective
from treeproof.proper.recursion import Solution, keep_data
from treeproof.proper.sodt import sodt
from treeproof.proper.splits import catalan_splits
from treeproof.proper.tree import Leaf, Node, Tree, fold

MAX_KEYS = 200


@dataclass(frozen=True)
class SearchTree(Solution):
    """A search tree; nodes hold the keys, leaves the positions between them."""

    def depth_of(self, key: Any) -> int:
        """Count the comparisons it takes to find a key.

        Raises
        ------
        KeyError
            If the key is not in the tree.
        """
        place, comparisons = self.tree, 1
        while isinstance(place, Node):
            if place.rule == key:
                return comparisons
            place = place.left if key < place.rule else place.right
            comparisons += 1
        raise KeyError(key)

    def plot(self, ax: Any = None) -> Any:
        """Draw the tree."""
        from treeproof.proper.plot import draw_tree

        return draw_tree(self.tree, ax, leaf_text=lambda gap: "")


def optimal_search_tree(
    keys: Sequence[Any], weights: Sequence[float], gaps: Sequence[float] | None = None
) -> SearchTree:
    """Find the search tree with the fewest comparisons on average.

    Parameters
    ----------
    keys : sequence
        Different from each other and comparable; put in order if they are not.
    weights : sequence of float
        How often each key is looked up.
    gaps : sequence of float, optional
        How often a value is looked up that lies before the first key, between two
        neighbours, and after the last; one more than there are keys.

    Returns
    -------
    SearchTree
        Its `cost` is the weighted number of comparisons.

    Raises
    ------
    ValueError
        If lengths differ, there are too many keys, a key is repeated or NaN, or a
        weight is negative.

    Examples
    --------
    >>> best = optimal_search_tree(["a", "b", "c"], [1, 1, 10])
    >>> best.cost, best.tree.rule, best.depth_of("a")
    (15, 'c', 2)
    """
    n = len(keys)
    if n == 0:
        raise ValueError("a search tree needs at least one key")
    if n > MAX_KEYS:
        raise ValueError(
            f"{n} keys take about {n**3 // 6:,} steps; the programme takes at most "
            f"{MAX_KEYS}, so leave out keys that are hardly looked up"
        )
    if len(weights) != n:
        raise ValueError(f"there are {n} keys but {len(weights)} weights")
    misses = list(gaps) if gaps is not None else [0] * (n + 1)
    if len(misses) != n + 1:
        raise ValueError(f"{n} keys leave {n + 1} gaps, but {len(misses)} were given")
    for name, values in (("weights", weights), ("gaps", misses)):
        for i, value in enumerate(values):
            if not value >= 0:
                raise ValueError(f"{name}[{i}] is {value}; it must be at least 0")
    for key in keys:
        if key != key:
            raise ValueError(
                "a key is NaN, which has no place in an order; leave it out"
            )
    order = sorted(range(n), key=lambda i: keys[i])
    for i, j in pairwise(order):
        if keys[i] == keys[j]:
            raise ValueError(f"key {keys[i]!r} occurs twice; add up its weights")
    hits = [weights[i] for i in order]

    def join(a: tuple[Any, Any], key: int, b: tuple[Any, Any]) -> tuple[Any, Any]:
        weight = a[1] + hits[key] + b[1]
        return a[0] + b[0] + weight, weight

    comparisons = Objective("comparisons", lambda gap: (0, misses[gap]), join)
    found = sodt(
        range(n),
        None,
        comparisons,
        splits=catalan_splits,
        leaf=lambda part, data: None if part else Leaf(part.start),
        divide=keep_data,
        memo_key=lambda part, data, level: (part.start, part.stop),
    )
    assert found is not None

    def name_keys(u: Tree, key: int, v: Tree) -> Tree:
        return Node(u, keys[order[key]], v)

    return SearchTree(found.value, fold(found.tree, Leaf, name_keys))
