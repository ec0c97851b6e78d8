"""The one recursion behind all generators, dynamic programmes and thinning algorithms.

Section 4 of He and Little derives three programs, each from the one before: a generator
of all trees, the dynamic programme that keeps one best tree for each subproblem, and
the thinning algorithm that keeps those no other dominates. Written once, they differ in
a single argument, `keep`: what to keep of the trees found for a subproblem.

=====================  =======================================
`keep`                 program
=====================  =======================================
`everything`           genDTs, Equation 19
`cheapest`             sodt, Equation 23
`thin(dominates)`      genDTTs, Equation 26
=====================  =======================================

Data flow down and trees flow up: a subproblem receives only the data its path lets
through, so a leaf's value can be computed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from treeproof.proper.filters import Filter, Subproblem
from treeproof.proper.objective import Objective, Value, cost
from treeproof.proper.rule import divide as divide_bits
from treeproof.proper.splits import Splits
from treeproof.proper.tree import Leaf, Node, Tree


@dataclass(frozen=True)
class Solution:
    """A tree with its value.

    Parameters
    ----------
    value : object
        What the objective made of the tree; None without an objective.
    tree : Leaf or Node

    Examples
    --------
    >>> from treeproof.proper import axis_parallel_rules, misclassification, sodt
    >>> found = sodt(axis_parallel_rules([[0], [1]]), 0b11, misclassification([0, 1]))
    >>> found.cost
    0
    """

    value: Value
    tree: Tree

    @property
    def cost(self) -> Any:
        """The cost: the value, or its first entry if it is a tuple."""
        return cost(self.value)


Keep = Callable[[list[Solution]], list[Solution]]


def everything(found: list[Solution]) -> list[Solution]:
    """Keep all trees.

    Examples
    --------
    >>> everything([])
    []
    """
    return found


def cheapest(found: list[Solution]) -> list[Solution]:
    """Keep the first tree of least cost.

    Examples
    --------
    >>> from treeproof.proper import Leaf
    >>> cheapest([Solution(2, Leaf("a")), Solution(1, Leaf("b"))])
    [Solution(value=1, tree=Leaf(data='b'))]
    """
    return [min(found, key=lambda s: s.cost)] if found else []


def thin(dominates: Callable[[Solution, Solution], bool]) -> Keep:
    """Keep the trees that no other one dominates.

    Parameters
    ----------
    dominates : callable
        ``dominates(a, b)`` is true if `b` may be dropped when `a` is kept. It must be a
        preorder, and a tree must be dominated by the same tree with a subtree replaced
        by one that dominates it; otherwise the optimum may be lost.

    Examples
    --------
    >>> from treeproof.proper import Leaf
    >>> def no_worse(a, b):
    ...     return a.value[0] <= b.value[0] and a.value[1] <= b.value[1]
    >>> pareto = thin(no_worse)
    >>> values = [(3, 1), (2, 2), (3, 2), (1, 5)]
    >>> [s.value for s in pareto([Solution(v, Leaf()) for v in values])]
    [(3, 1), (2, 2), (1, 5)]
    """

    def keep(found: list[Solution]) -> list[Solution]:
        kept: list[Solution] = []
        for candidate in found:
            if any(dominates(other, candidate) for other in kept):
                continue
            kept = [other for other in kept if not dominates(candidate, other)]
            kept.append(candidate)
        return kept

    return keep


def leaf_without_rules(rules: Sequence[Any], data: Any) -> Leaf | None:
    """Make a leaf of a subproblem with no rules left to place.

    Examples
    --------
    >>> leaf_without_rules([], 0b11), leaf_without_rules(["r"], 0b11)
    (Leaf(data=3), None)
    """
    return None if rules else Leaf(data)


def keep_data(rule: Any, data: Any) -> tuple[Any, Any]:
    """Pass the data on undivided, for trees whose shape is all that matters.

    Examples
    --------
    >>> keep_data("r", None)
    (None, None)
    """
    return data, data


def grow(
    rules: Any,
    data: Any = None,
    *,
    splits: Splits,
    keep: Keep,
    objective: Objective | None = None,
    leaf: Callable[[Any, Any], Leaf | None] = leaf_without_rules,
    divide: Callable[[Any, Any], tuple[Any, Any]] = divide_bits,
    filters: Sequence[Filter] = (),
    memo_key: Callable[[Any, Any, int], Hashable] | None = None,
    depth: int = 0,
) -> list[Solution]:
    """Grow the trees of a subproblem from those of its parts.

    Parameters
    ----------
    rules : sized
        What `splits` understands; usually a list of rules.
    data : object
        What reaches the root.
    splits : callable
        Yields ``(left rules, root, right rules)``; see `treeproof.proper.splits`.
    keep : callable
        What to keep of the trees found for each subproblem.
    objective : Objective, optional
        Gives every tree its value as it is built.
    leaf : callable
        ``leaf(rules, data)`` gives a leaf where the recursion ends, else None.
    divide : callable
        ``divide(root, data)`` gives the data for the left and right subtrees.
    filters : sequence of callables
        See `treeproof.proper.filters`.
    memo_key : callable, optional
        ``memo_key(rules, data, depth)`` gives equal keys to subproblems with equal
        answers, so that they are solved once. Few problems have many: see Section
        4.7.2.
    depth : int
        Rules above the root.

    Returns
    -------
    list of Solution

    Examples
    --------
    >>> from treeproof.proper.splits import catalan_splits
    >>> found = grow("ab", splits=catalan_splits, keep=everything, divide=keep_data)
    >>> [s.tree.rule for s in found]
    ['a', 'b']
    """
    memo: dict[Hashable, list[Solution]] = {}
    join = objective.join if objective else None

    def solve(rs: Any, xs: Any, level: int) -> list[Solution]:
        if memo_key is None:
            return expand(rs, xs, level)
        key = memo_key(rs, xs, level)
        if key not in memo:
            memo[key] = expand(rs, xs, level)
        return memo[key]

    def expand(rs: Any, xs: Any, level: int) -> list[Solution]:
        if filters:
            place = Subproblem(len(rs), xs, level)
            if not all(admits(place) for admits in filters):
                return []
        end = leaf(rs, xs)
        if end is not None:
            return [Solution(objective.leaf(end.data) if objective else None, end)]
        found = []
        for left_rules, root, right_rules in splits(rs):
            left_data, right_data = divide(root, xs)
            lefts = solve(left_rules, left_data, level + 1)
            rights = solve(right_rules, right_data, level + 1) if lefts else []
            for u in lefts:
                for v in rights:
                    value = join(u.value, root, v.value) if join else None
                    found.append(Solution(value, Node(u.tree, root, v.tree)))
        return keep(found)

    return solve(rules, data, depth)
