"""Trees over points, whose nodes store the points on their positive sides.

The engine works with such trees, for all points or for some of them. Surfaces come into
play where a tree over some points is to be used for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.arithmetic import UNIT_COST
from treeproof.proper.separator import find_surface
from treeproof.proper.task import Task


@dataclass(frozen=True)
class Sides:
    """A tree of sets of points: a leaf, or a positive side with two subtrees."""

    positive: NDArray[np.bool_] | None = None
    above: Sides | None = None
    below: Sides | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether this is a leaf."""
        return self.positive is None

    def children(self) -> tuple[Sides, Sides]:
        """Return the subtrees of the positive and the negative side."""
        assert self.above is not None and self.below is not None
        return self.above, self.below

    @property
    def n_splits(self) -> int:
        """Number of inner nodes."""
        if self.is_leaf:
            return 0
        above, below = self.children()
        return 1 + above.n_splits + below.n_splits


def tree_cost(task: Task, tree: Sides) -> int | None:
    """Return the cost of a tree on all rows; None if a leaf has too few of them."""

    def visit(node: Sides, rows: NDArray[Any]) -> int | None:
        if node.positive is None:
            weights = task.class_weights(rows)
            if len(rows) < task.min_samples_leaf or (
                weights.sum() < task.min_weight_leaf
            ):
                return None
            return int(weights.sum() - weights.max()) * UNIT_COST
        above, below = node.children()
        high = node.positive[task.point[rows]]
        a, b = visit(above, rows[high]), visit(below, rows[~high])
        return None if a is None or b is None else a + b + task.split_cost

    # The root alone is always allowed: there has to be some tree.
    everything = np.arange(len(task.label))
    if tree.is_leaf:
        weights = task.class_weights(everything)
        return int(weights.sum() - weights.max()) * UNIT_COST
    return visit(tree, everything)


def leaf_of_rows(task: Task, tree: Sides) -> NDArray[np.intp]:
    """Return the leaf of each row, numbered from left to right."""
    leaf = np.zeros(len(task.label), dtype=np.intp)
    next_leaf = 0

    def visit(node: Sides, rows: NDArray[Any]) -> None:
        nonlocal next_leaf
        if node.positive is None:
            leaf[rows] = next_leaf
            next_leaf += 1
            return
        above, below = node.children()
        high = node.positive[task.point[rows]]
        visit(above, rows[high])
        visit(below, rows[~high])

    visit(tree, np.arange(len(task.label)))
    return leaf


def wrong_rows(task: Task, tree: Sides) -> NDArray[np.bool_]:
    """Return a mask of the rows that are not of the heaviest class of their leaf."""
    leaf = leaf_of_rows(task, tree)
    n_leaves = tree.n_splits + 1
    weights = np.zeros((n_leaves, task.n_classes))
    np.add.at(weights, (leaf, task.label), task.weight)
    return weights.argmax(axis=1)[leaf] != task.label


def spread(task: Task, tree: Sides, points: NDArray[np.intp]) -> Sides | None:
    """Turn a tree over some points into a tree over all, by separating surfaces.

    Parameters
    ----------
    task : Task
    tree : Sides
        Over the given points only.
    points : array of int
        The points, in the order of the sides of `tree`.

    Returns
    -------
    Sides or None
        None if a surface could not be found in floating point.
    """
    degree = 0 if task.families[-1].name == "axis" else task.families[-1].degree

    def visit(node: Sides, here: NDArray[np.bool_]) -> Sides | None:
        if node.positive is None:
            return node
        side = node.positive[here]
        if side.all() or not side.any():
            # No point of the part decides; keep the subtree that has the points.
            return visit(node.children()[0 if side.all() else 1], here)
        surface = find_surface(task.X[points[here]], side, degree, task.clock.end())
        if surface is None:
            return None
        positive = surface.values(task.X) > 0
        above = visit(node.children()[0], here & node.positive)
        below = visit(node.children()[1], here & ~node.positive)
        if above is None or below is None:
            return None
        return Sides(positive, above, below)

    return visit(tree, np.ones(len(points), dtype=bool))


def restrict(tree: Sides, points: NDArray[np.intp]) -> Sides:
    """Restrict a tree to some of the points, without splits that become trivial."""
    if tree.positive is None:
        return tree
    above, below = tree.children()
    side = tree.positive[points]
    if side.all() or not side.any():
        return restrict(above if side.all() else below, points)
    return Sides(side, restrict(above, points), restrict(below, points))
