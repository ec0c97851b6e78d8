"""Optimal K-D trees: every node holds a point and cuts along the axis of its level.

The axis at level d is fixed, so a subproblem is a set of points together with its level
(Section 5.3). The textbook takes the median at every node; that is best for the height,
but not if points are looked up unevenly or lie in rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treeproof.proper.exact import exact_points
from treeproof.proper.objective import Objective, tree_height
from treeproof.proper.recursion import Solution, keep_data
from treeproof.proper.sodt import sodt
from treeproof.proper.splits import Split

MAX_POINTS = 64


@dataclass(frozen=True)
class Level:
    """Points to be placed below a node, with the level they start at."""

    axis: int
    points: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True)
class KDTree(Solution):
    """A K-D tree; nodes hold row numbers of `points`."""

    points: NDArray[np.float64]

    def plot(self, ax: Any = None) -> Any:
        """Draw the points and the cuts, for points in the plane."""
        from treeproof.proper.plot import draw_kd_tree

        return draw_kd_tree(self.tree, self.points, ax)


def optimal_kd_tree(
    points: ArrayLike,
    objective: str | Objective = "path_length",
    weights: Sequence[float] | None = None,
) -> KDTree:
    """Find the best K-D tree for a set of points.

    Parameters
    ----------
    points : table of shape (n_points, n_dimensions)
        Points with a smaller coordinate than a node's go left of it, others right.
    objective : {"path_length", "height"} or Objective
        The weighted number of nodes visited to find every point, the number of levels,
        or any objective whose rules are row numbers.
    weights : sequence of float, optional
        How often each point is looked up, for "path_length".

    Returns
    -------
    KDTree

    Raises
    ------
    ValueError
        If the points are not finite or too many to be solved exactly.

    Examples
    --------
    >>> best = optimal_kd_tree([[0, 0], [1, 1], [2, 2]])
    >>> best.cost, best.tree.rule
    (5, 1)
    """
    exact = exact_points(points)
    n = len(exact)
    if n > MAX_POINTS:
        raise ValueError(
            f"{n} points are too many for an exact K-D tree (the number of subsets it "
            f"visits grows fast); use at most {MAX_POINTS}"
        )
    if weights is not None and len(weights) != n:
        raise ValueError(f"there are {n} points but {len(weights)} weights")
    if isinstance(objective, str):
        if objective == "path_length":
            objective = path_length(weights if weights is not None else [1] * n)
        elif objective == "height":
            objective = tree_height()
        else:
            raise ValueError(
                f"objective must be 'path_length', 'height' or an Objective, "
                f"got {objective!r}"
            )
    n_axes = len(exact[0])

    def kd_splits(level: Level) -> Iterator[Split]:
        for root in level.points:
            here = exact[root][level.axis]
            others = [i for i in level.points if i != root]
            left = tuple(i for i in others if exact[i][level.axis] < here)
            right = tuple(i for i in others if exact[i][level.axis] >= here)
            below = (level.axis + 1) % n_axes
            yield Level(below, left), root, Level(below, right)

    found = sodt(
        Level(0, tuple(range(n))),  # type: ignore[arg-type]
        None,
        objective,
        splits=kd_splits,
        divide=keep_data,
        memo_key=lambda level, data, depth: level,
    )
    assert found is not None
    return KDTree(found.value, found.tree, np.asarray(points, dtype=float))


def path_length(weights: Sequence[float]) -> Objective:
    """Sum the nodes visited on the way to each point, each point with its weight.

    Examples
    --------
    >>> from treeproof.proper import Leaf, Node
    >>> tree = Node(Leaf(), 0, Node(Leaf(), 1, Leaf()))
    >>> path_length([1, 10])(tree)
    (21, 11)
    """

    def join(a: tuple[Any, Any], point: int, b: tuple[Any, Any]) -> tuple[Any, Any]:
        weight = a[1] + weights[point] + b[1]
        return a[0] + b[0] + weight, weight

    return Objective("path length", lambda data: (0, 0), join)
