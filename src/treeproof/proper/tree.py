"""The decision tree datatype and the few functions everything else is made of.

A tree is either a leaf that holds data or a node that holds a rule and two subtrees
(the *moo-tree* of He and Little, Section 3.2). Data is whatever the problem needs; for
rules on a table it is a set of row numbers kept as the bits of one Python integer, so
that an intersection is ``&``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Leaf:
    """The end of a path, with the data that reach it.

    Examples
    --------
    >>> Leaf(0b101)
    Leaf(data=5)
    """

    data: Any = None


@dataclass(frozen=True)
class Node:
    """A rule with the subtrees of its positive (left) and negative (right) side.

    Examples
    --------
    >>> Node(Leaf(), "x", Leaf()).rule
    'x'
    """

    left: Tree
    rule: Any
    right: Tree


Tree = Leaf | Node
"""A tree is a `Leaf` or a `Node`."""


def fold(
    tree: Tree,
    leaf: Callable[[Any], Any],
    node: Callable[[Any, Any, Any], Any],
) -> Any:
    """Replace every ``Leaf`` by `leaf` and every ``Node`` by `node`.

    This is the homomorphism of the datatype: size, depth, cost and printing are all
    folds.

    Parameters
    ----------
    tree : Leaf or Node
    leaf : callable
        Takes the data of a leaf.
    node : callable
        Takes the folded left subtree, the rule, and the folded right subtree.

    Examples
    --------
    >>> tree = Node(Node(Leaf(1), "b", Leaf(2)), "a", Leaf(4))
    >>> fold(tree, lambda data: data, lambda u, r, v: u + v)
    7
    """
    if isinstance(tree, Leaf):
        return leaf(tree.data)
    left, right = fold(tree.left, leaf, node), fold(tree.right, leaf, node)
    return node(left, tree.rule, right)


def map_leaves(function: Callable[[Any], Any], tree: Tree) -> Tree:
    """Apply `function` to the data of every leaf.

    Examples
    --------
    >>> map_leaves(len, Node(Leaf("ab"), "r", Leaf("c")))
    Node(left=Leaf(data=2), rule='r', right=Leaf(data=1))
    """
    return fold(tree, lambda data: Leaf(function(data)), Node)


def size(tree: Tree) -> int:
    """Count the rules in a tree.

    Examples
    --------
    >>> size(Node(Leaf(), "a", Node(Leaf(), "b", Leaf())))
    2
    """
    return fold(tree, lambda data: 0, lambda u, r, v: u + 1 + v)


def depth(tree: Tree) -> int:
    """Count the rules on the longest path.

    Examples
    --------
    >>> depth(Node(Leaf(), "a", Node(Leaf(), "b", Leaf())))
    2
    """
    return fold(tree, lambda data: 0, lambda u, r, v: 1 + max(u, v))


def leaves(tree: Tree) -> list[Any]:
    """List the data of the leaves from left to right.

    Examples
    --------
    >>> leaves(Node(Leaf(1), "a", Node(Leaf(2), "b", Leaf(3))))
    [1, 2, 3]
    """
    return fold(tree, lambda data: [data], lambda u, r, v: u + v)


def level_order(tree: Tree) -> list[Any]:
    """List the rules level by level, left before right.

    For a proper tree this permutation determines the tree (Corollary 3.6).

    Examples
    --------
    >>> level_order(Node(Node(Leaf(), "b", Leaf()), "a", Node(Leaf(), "c", Leaf())))
    ['a', 'b', 'c']
    """
    order, level = [], [tree]
    while level:
        nodes = [t for t in level if isinstance(t, Node)]
        order += [t.rule for t in nodes]
        level = [child for t in nodes for child in (t.left, t.right)]
    return order


def paths(tree: Tree) -> Iterator[tuple[list[tuple[Any, bool]], Any]]:
    """Yield each leaf's path, as (rule, went left?) pairs, with the leaf's data.

    Examples
    --------
    >>> list(paths(Node(Leaf(1), "a", Leaf(2))))
    [([('a', True)], 1), ([('a', False)], 2)]
    """
    if isinstance(tree, Leaf):
        yield [], tree.data
        return
    for child, went_left in ((tree.left, True), (tree.right, False)):
        for path, data in paths(child):
            yield [(tree.rule, went_left), *path], data


def accumulate(
    tree: Tree, data: Any, divide: Callable[[Any, Any], tuple[Any, Any]]
) -> Tree:
    """Pass data down from the root, divided by each rule on the way.

    The downward accumulation of Section 4.5: the shape and the rules stay, the leaves
    get what their path lets through. Each node divides once, so the work is linear in
    the size of the tree.

    Parameters
    ----------
    tree : Leaf or Node
    data : object
        What arrives at the root.
    divide : callable
        ``divide(rule, data)`` gives the positive and the negative part.

    Examples
    --------
    >>> def by_value(rule, xs):
    ...     return [x for x in xs if x < rule], [x for x in xs if x >= rule]
    >>> leaves(accumulate(Node(Leaf(), 3, Leaf()), [1, 5, 2], by_value))
    [[1, 2], [5]]
    """
    if isinstance(tree, Leaf):
        return Leaf(data)
    positive, negative = divide(tree.rule, data)
    return Node(
        accumulate(tree.left, positive, divide),
        tree.rule,
        accumulate(tree.right, negative, divide),
    )


def to_text(tree: Tree, leaf: Callable[[Any], str] = str) -> str:
    """Print a tree with one line for each node.

    Examples
    --------
    >>> print(to_text(Node(Leaf("yes"), "x > 1", Leaf("no"))))
    x > 1
    ├─ + yes
    └─ - no
    """

    def lines(t: Tree) -> list[str]:
        if isinstance(t, Leaf):
            return [leaf(t.data)]
        left, right = lines(t.left), lines(t.right)
        return [
            str(t.rule),
            "├─ + " + left[0],
            *("│    " + line for line in left[1:]),
            "└─ - " + right[0],
            *("     " + line for line in right[1:]),
        ]

    return "\n".join(lines(tree))
