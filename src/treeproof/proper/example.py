"""The paper's running example: four lines that make three trees and two partitions.

Figures 2, 5 and 6 of He and Little show four lines in the plane, each through two data
points. Of the 24 orders of the lines only three are proper trees, and two of those cut
the plane into the same regions. The figures give no coordinates; these have the same
properties.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treeproof.proper.exact import exact_points, hyperplane_through
from treeproof.proper.rule import Rule, bits
from treeproof.proper.surface import Surface
from treeproof.proper.tree import Leaf, Tree

FOUR_LINES = np.array(
    [[5, 4], [10, 2], [10, 8], [5, 8], [1, 2], [2, 7], [7, 7], [8, 5]]
)


def rules_through(X: ArrayLike, sites: Sequence[Sequence[int]]) -> list[Rule]:
    """Make one hyperplane through each of the given groups of rows.

    The rows a hyperplane passes through are assigned to its positive side.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
    sites : sequence of groups of as many rows as there are features

    Examples
    --------
    >>> [rule] = rules_through([[0, 0], [1, 1], [0, 1]], [[0, 1]])
    >>> print(rule, bin(rule.positive))
    r0 0b11
    """
    points = exact_points(X)
    rules = []
    for number, chosen in enumerate(sites):
        found = hyperplane_through([points[i] for i in chosen])
        if found is None:
            raise ValueError(f"rows {list(chosen)} do not span a hyperplane")
        normal, offset = found
        height = [
            sum(w * x for w, x in zip(normal, point, strict=True)) - offset
            for point in points
        ]
        positive = bits(i for i, h in enumerate(height) if h > 0 or i in chosen)
        negative = bits(i for i, h in enumerate(height) if h <= 0 and i not in chosen)
        surface = Surface(
            tuple((j,) for j in range(len(normal))),
            tuple(float(w) for w in normal),
            float(offset),
        )
        rules.append(Rule(f"r{number}", positive, negative, bits(chosen), surface))
    return rules


def four_lines() -> list[Rule]:
    """Make the four lines of the example, over the eight points `FOUR_LINES`.

    Examples
    --------
    >>> from treeproof.proper import ancestry_matrix, proper_trees
    >>> ancestry_matrix(four_lines())
    array([[ 0,  1,  0,  1],
           [-1,  0, -1, -1],
           [ 1,  1,  0,  1],
           [ 0,  0, -1,  0]], dtype=int8)
    >>> len(proper_trees(four_lines()))
    3
    """
    return rules_through(FOUR_LINES, [(0, 1), (2, 3), (4, 5), (6, 7)])


def region_of(tree: Tree, X: ArrayLike) -> NDArray[np.int64]:
    """Find the leaf that each point of the space falls into.

    Parameters
    ----------
    tree : Leaf or Node
        Whose rules have surfaces.
    X : table of points

    Returns
    -------
    array of int
        Leaves are numbered from left to right.

    Examples
    --------
    >>> from treeproof.proper import proper_trees
    >>> tree = proper_trees(four_lines())[0]
    >>> region_of(tree, [[0.0, 0.0], [10.0, 10.0]])
    array([4, 0])
    """
    points = np.asarray(X, dtype=float)
    region = np.empty(len(points), dtype=np.int64)
    numbers = count()

    def visit(t: Tree, rows: Any) -> None:
        if isinstance(t, Leaf):
            region[rows] = next(numbers)
            return
        positive = t.rule.surface.values(points[rows]) > 0
        visit(t.left, rows[positive])
        visit(t.right, rows[~positive])

    visit(tree, np.arange(len(points)))
    return region


def same_partition(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Tell whether two numberings of points put the same points together.

    Examples
    --------
    >>> same_partition(np.array([0, 0, 1]), np.array([5, 5, 2]))
    True
    >>> same_partition(np.array([0, 0, 1]), np.array([5, 2, 2]))
    False
    """
    pairs = len({*zip(a.tolist(), b.tolist(), strict=True)})
    return pairs == len(set(a.tolist())) == len(set(b.tolist()))
