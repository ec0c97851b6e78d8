"""Trees with thresholds only: what other systems' trees can express.

scikit-learn's trees and ONNX's know the test ``x <= threshold`` on numbers. A split of
ours cuts the number line of one encoded column into intervals, each of which leads to a
child; `nest` turns the intervals into nested thresholds by halving the list, so that a
multiway split over k categories becomes about log2(k) tests deep. Missing values follow
one of the intervals: every threshold says on which side it is. An interval that ends at
minus infinity holds no number, and is for missing values alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from treeproof.tree import LEAF, Tree

__all__ = ["Cut", "Nested", "Piece", "merged", "nest"]

Piece = tuple[float, int]
"""Upper end of an interval of an encoded column, and where its rows go: a node, or
-1 - node for the leaf that shows the prediction of that node."""

Cut = tuple[int, list[Piece], int | None]
"""The encoded column of a split, its intervals, and where missing values go."""


@dataclass
class Nested:
    """A binary tree in preorder; `pieces` says what each of its nodes stands for."""

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_left: list[bool] = field(default_factory=list)
    pieces: list[list[Piece]] = field(default_factory=list)
    depth: int = 0


def nest(tree: Tree, cut: Callable[[int], Cut]) -> Nested:
    """Translate a tree node by node; a stack instead of recursion, trees may be deep.

    Parameters
    ----------
    tree : Tree
        The tree.
    cut : callable
        ``cut(node)`` gives the encoded column that a split tests, its pieces, and the
        place where missing values go, if they are taken.
    """
    result = Nested()
    stack: list[tuple[list[Piece], int, int | None, int, int]]
    stack = [([(np.inf, 0)], -1, None, -1, 0)]
    while stack:
        pieces, column, gone, parent, depth = stack.pop()
        # A split whose rows all go to one child is passed over.
        while len(pieces) == 1 and (node := pieces[0][1]) >= 0:
            if tree.kind[node] == LEAF:
                break
            column, pieces, gone = cut(node)
        number = len(result.left)
        if parent >= 0:
            side = result.left if result.left[parent] == -1 else result.right
            side[parent] = number
        result.left.append(-1)
        result.right.append(-1)
        result.depth = max(result.depth, depth)
        result.pieces.append(pieces)
        if len(pieces) == 1:
            result.column.append(-2)
            result.threshold.append(-2.0)
            result.missing_left.append(False)
            continue
        middle = len(pieces) // 2
        result.column.append(column)
        result.threshold.append(pieces[middle - 1][0])
        # Missing values go where the first interval with their target is; on the
        # other side of a threshold above there may be no such interval, and no matter.
        result.missing_left.append(any(to == gone for _, to in pieces[:middle]))
        stack.append((pieces[middle:], column, gone, number, depth + 1))
        stack.append((pieces[:middle], column, gone, number, depth + 1))
    return result


def merged(pieces: list[Piece]) -> list[Piece]:
    """Join neighbouring intervals that lead to the same place.

    Examples
    --------
    >>> merged([(1.0, 4), (2.0, 4), (3.0, 5)])
    [(2.0, 4), (3.0, 5)]
    """
    joined: list[Piece] = []
    for end, target in pieces:
        if joined and joined[-1][1] == target:
            joined.pop()
        joined.append((end, target))
    return joined
