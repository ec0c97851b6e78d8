"""All trees of a kind: what the search spaces of the paper contain, computed.

A search space defined by a program can be listed, counted and compared. Each generator
is the same recursion with another `splits` function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from numpy.typing import ArrayLike

from treeproof.proper.ancestry import relation
from treeproof.proper.recursion import everything, grow, keep_data
from treeproof.proper.rule import Bits, Rule
from treeproof.proper.splits import (
    Splits,
    binary_feature_splits,
    catalan_splits,
    matrix_splits,
    murtree_splits,
    proper_splits,
)
from treeproof.proper.tree import Leaf, Node, Tree, accumulate, level_order


def permutation_trees(
    rules: Sequence[Rule], data: Bits | None = None
) -> Iterator[Tree]:
    """Yield the proper trees, one for each valid permutation of the rules.

    Definition 4.1: try all K! orders and keep those that are the level order of a
    proper tree. Slow, and the definition the fast generator is tested against.

    Parameters
    ----------
    rules : sequence of Rule
        All of them occur in each tree.
    data : int, optional
        The data to pass down to the leaves, as bits.

    Examples
    --------
    >>> from treeproof.proper import axis_parallel_rules
    >>> rules = axis_parallel_rules([[0.0], [1.0], [2.0], [3.0]])
    >>> len(list(permutation_trees(rules)))
    5
    """
    from treeproof.proper.rule import divide

    for order in permutations(rules):
        tree: Tree | None = Leaf()
        for rule in order:
            tree = None if tree is None else _insert(tree, rule)
        # Many orders insert into the same tree; one of them is its level order.
        if tree is not None and all(
            a is b for a, b in zip(level_order(tree), order, strict=True)
        ):
            yield tree if data is None else accumulate(tree, data, divide)


def _insert(tree: Tree, rule: Rule) -> Tree | None:
    if isinstance(tree, Leaf):
        return Node(Leaf(), rule, Leaf())
    side = relation(tree.rule, rule)
    if side == 0:
        return None
    below = _insert(tree.left if side > 0 else tree.right, rule)
    if below is None:
        return None
    if side > 0:
        return Node(below, tree.rule, tree.right)
    return Node(tree.left, tree.rule, below)


def proper_trees(
    rules: Sequence[Any], data: Bits | None = None, *, ancestry: ArrayLike | None = None
) -> list[Tree]:
    """List all proper trees that use each of the rules once (Theorem 4.10).

    Parameters
    ----------
    rules : sequence of Rule, or of any labels if `ancestry` is given
    data : int, optional
        The data to pass down to the leaves, as bits.
    ancestry : array of shape (K, K), optional
        The ancestry matrix, instead of the one the rules have.

    Examples
    --------
    >>> len(proper_trees("abc", ancestry=[[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    6
    """
    splits: Splits = proper_splits
    if ancestry is not None:
        splits = matrix_splits(rules, ancestry)
    if data is None:
        return _all_shapes(rules, splits)
    found = grow(list(rules), data, splits=splits, keep=everything)
    return [s.tree for s in found]


def catalan_trees(rules: Sequence[Any]) -> list[Tree]:
    """List all search trees over rules in a fixed order: Catalan(K) of them.

    Examples
    --------
    >>> len(catalan_trees([1, 2, 3]))
    5
    """
    return _all_shapes(rules, catalan_splits)


def murtree_trees(rules: Sequence[Any]) -> list[Tree]:
    """List the trees of the paper's second model of MurTree (Definition 6.4).

    Examples
    --------
    >>> len(murtree_trees([1, 2, 3]))
    27
    """
    return _all_shapes(rules, murtree_splits)


def binary_feature_trees(rules: Sequence[Any]) -> list[Tree]:
    """List all trees whose nodes are labelled with the rules: K! Catalan(K) of them.

    Examples
    --------
    >>> len(binary_feature_trees([1, 2, 3]))
    30
    """
    return _all_shapes(rules, binary_feature_splits)


def _all_shapes(rules: Sequence[Any], splits: Splits) -> list[Tree]:
    found = grow(list(rules), splits=splits, keep=everything, divide=keep_data)
    return [s.tree for s in found]
