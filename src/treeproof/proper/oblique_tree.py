"""A fitted tree whose nodes are surfaces: prediction, text and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.extras import new_axes
from treeproof.proper.separator import find_surface
from treeproof.proper.sides import Sides
from treeproof.proper.surface import Surface
from treeproof.proper.task import Task
from treeproof.words import percent

_GRID = 400
_LABEL_WIDTH = 24  # characters in a line of a node
_GRACE = 0.05  # seconds after the time limit for surfaces that need exact arithmetic


@dataclass(frozen=True)
class ObliqueTree:
    """A tree as a table of nodes, the root first and parents before children.

    Parameters
    ----------
    surfaces : tuple of Surface or None
        The surface of each node; None for a leaf.
    left, right : array of int
        Children of each node: left where the surface's value is at most its threshold.
        -1 for a leaf.
    value : array of shape (n_nodes, n_classes)
        Weight of each class among the training rows that reach a node.
    n_node_samples : array of int
        Number of training rows that reach a node.
    classes : array
        The class labels.
    names : tuple of str
        Names of the columns.

    Examples
    --------
    >>> from treeproof import ObliqueTreeClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> clf = ObliqueTreeClassifier(max_splits=1).fit(X, [0, 0, 0, 1])
    >>> print(clf.tree_.export_text())
    4 rows
    ├── x0 + x1 <= 1.5: 0   3 rows (75%), 0 wrong
    └── x0 + x1 > 1.5: 1   1 row (25%), 0 wrong
    """

    surfaces: tuple[Surface | None, ...]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]
    n_node_samples: NDArray[np.int64]
    classes: NDArray[Any]
    names: tuple[str, ...]

    @property
    def actions(self) -> NDArray[Any]:
        """What a leaf may predict: the classes."""
        return self.classes

    @property
    def action(self) -> NDArray[np.intp]:
        """The number of each node's heaviest class, which it predicts."""
        return np.argmax(self.value, axis=1)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.surfaces)

    @property
    def n_splits(self) -> int:
        """Number of inner nodes."""
        return sum(surface is not None for surface in self.surfaces)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.n_nodes - self.n_splits

    @property
    def depth(self) -> int:
        """Number of splits on the longest path."""
        return int(self._levels().max())

    @property
    def n_features(self) -> int:
        """Number of columns of the training table."""
        return len(self.names)

    def _levels(self) -> NDArray[np.int64]:
        level = np.zeros(self.n_nodes, dtype=np.int64)
        for node, surface in enumerate(self.surfaces):
            if surface is not None:
                level[[self.left[node], self.right[node]]] = level[node] + 1
        return level

    def apply(self, X: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the leaf in which each row ends."""
        at = np.zeros(len(X), dtype=np.intp)
        for node, surface in enumerate(self.surfaces):
            if surface is None:
                continue
            here = np.flatnonzero(at == node)
            above = surface.values(X[here]) > 0
            at[here] = np.where(above, self.right[node], self.left[node])
        return at

    def decision_path(self, X: NDArray[np.float64]) -> Any:
        """Return which nodes each row passes, as a sparse matrix."""
        from scipy.sparse import csr_matrix

        parent = np.full(self.n_nodes, -1)
        for node, surface in enumerate(self.surfaces):
            if surface is not None:
                parent[[self.left[node], self.right[node]]] = node
        passed = np.zeros((len(X), self.n_nodes), dtype=np.int64)
        at = self.apply(X)
        rows = np.arange(len(X))
        while len(rows):
            passed[rows, at] = 1
            at = parent[at]
            rows, at = rows[at >= 0], at[at >= 0]
        return csr_matrix(passed)

    def export_text(self) -> str:
        """Return the tree as text, one node per line."""
        total = self.value[0].sum()
        lines: list[str] = []

        def rows(node: int) -> str:
            n = int(self.n_node_samples[node])
            text = f"{n} row" + ("" if n == 1 else "s")
            weight = float(self.value[node].sum())
            return text if weight == n else f"{text}, weight {weight:.6g}"

        def verdict(node: int) -> str:
            label = self.classes[self.action[node]]
            share = self.value[node].sum() / total
            wrong = self.value[node].sum() - self.value[node].max()
            return f"{label}   {rows(node)} ({percent(share)}), {wrong:.6g} wrong"

        def visit(node: int, indent: str) -> None:
            surface = self.surfaces[node]
            if surface is None:
                return
            for child, sign, branch, bar in (
                (int(self.left[node]), "<=", "├── ", "│   "),
                (int(self.right[node]), ">", "└── ", "    "),
            ):
                text = surface.describe(self.names, sign)
                if self.surfaces[child] is None:
                    text += ": " + verdict(child)
                lines.append(indent + branch + text)
                visit(child, indent + bar)

        if self.surfaces[0] is None:
            return verdict(0)
        lines.append(rows(0))
        visit(0, "")
        return "\n".join(lines)

    def plot(self, X: Any = None, y: Any = None, ax: Any = None) -> Any:
        """Draw the regions of a tree over two columns, with rows if they are given.

        Parameters
        ----------
        X : array of shape (n_rows, 2), optional
            Rows to draw; they also set the limits of the picture.
        y : array of labels, optional
            Their labels, for colours.
        ax : matplotlib axes, optional
        """
        if self.n_features != 2:
            raise ValueError(
                "regions can be drawn for two columns, this tree has "
                f"{self.n_features}; use export_text or plot_tree"
            )
        from treeproof.proper.plot import FILLS, INK

        ax = ax if ax is not None else new_axes("A picture", 4.8, 6.4)
        points = None if X is None else np.asarray(X, dtype=float)
        low, high = self._limits(points)
        ticks = [np.linspace(low[j], high[j], _GRID) for j in range(2)]
        plane = np.stack(np.meshgrid(*ticks), axis=-1).reshape(-1, 2)
        leaf = self.apply(plane)
        label = self.action[leaf].reshape(_GRID, _GRID)
        n = len(self.classes)
        ax.contourf(
            *ticks,
            label,
            levels=np.arange(n + 1) - 0.5,
            colors=[FILLS[c % len(FILLS)] for c in range(n)],
        )
        for node, surface in enumerate(self.surfaces):
            if surface is not None:
                inside = self._passes(plane, node).reshape(_GRID, _GRID)
                height = np.ma.masked_where(
                    ~inside, surface.values(plane).reshape(_GRID, _GRID)
                )
                ax.contour(*ticks, height, levels=[0.0], colors=INK, linewidths=1.3)
        if points is not None:
            _scatter(ax, points, y, self.classes)
        ax.set_xlabel(self.names[0])
        ax.set_ylabel(self.names[1])
        return ax

    def plot_tree(self, ax: Any = None) -> Any:
        """Draw the tree itself: a surface in each node, a class in each leaf."""
        from treeproof.proper.plot import draw_tree
        from treeproof.proper.tree import Leaf, Node, Tree

        def convert(node: int) -> Tree:
            surface = self.surfaces[node]
            if surface is None:
                return Leaf(self.classes[self.action[node]])
            left, right = int(self.left[node]), int(self.right[node])
            return Node(convert(left), surface, convert(right))

        return draw_tree(
            convert(0),
            ax,
            rule_text=lambda s: fill(s.describe(self.names, "<="), _LABEL_WIDTH),
            leaf_text=str,
        )

    def _passes(self, X: NDArray[np.float64], node: int) -> NDArray[np.bool_]:
        """Return a mask of the points that pass through a node."""
        wanted = {node}
        for other in range(node, self.n_nodes):
            if other in wanted and self.surfaces[other] is not None:
                wanted |= {int(self.left[other]), int(self.right[other])}
        return np.isin(self.apply(X), sorted(wanted))

    def _limits(
        self, points: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if points is None:
            # Without rows, show where the thresholds are.
            reach = max(
                (
                    abs(s.threshold) / max(map(abs, s.coefficients))
                    for s in self.surfaces
                    if s is not None
                ),
                default=1.0,
            )
            reach = max(reach, 1.0) * 2
            return np.array([-reach, -reach]), np.array([reach, reach])
        low, high = points.min(axis=0), points.max(axis=0)
        margin = 0.06 * np.where(high > low, high - low, 1.0)
        return low - margin, high + margin


def grow_tree(
    sides: Sides,
    task: Task,
    degree: int,
    rows: NDArray[np.float64],
    classes: NDArray[Any],
    names: tuple[str, ...],
) -> ObliqueTree:
    """Find a surface for each split of a tree over points, and fill in the table.

    The class weights come from sending the training rows down the surfaces, so the tree
    is what it says even where doubles fail to separate rows as the search did; such a
    split becomes a leaf.

    Parameters
    ----------
    sides : Sides
        The tree over the points of the task.
    task : Task
    degree : int
        Largest degree of a surface; 0 for thresholds.
    rows : array of shape (n_rows, n_features)
        The training rows.
    classes : array
    names : tuple of str
    """
    surfaces: list[Surface | None] = []
    left: list[int] = []
    right: list[int] = []
    value: list[NDArray[np.float64]] = []
    count: list[int] = []

    def visit(node: Sides, here: NDArray[np.intp]) -> int:
        number = len(surfaces)
        surfaces.append(None)
        left.append(-1)
        right.append(-1)
        value.append(task.class_weights(here))
        count.append(len(here))
        if node.positive is None:
            return number
        above, below = node.children()
        side = node.positive[task.point[here]]
        if side.all() or not side.any():
            return number
        surface = find_surface(rows[here], side, degree, until)
        if surface is None:
            return number
        if surface.coefficients[0] < 0:
            surface = surface.turned()
            above, below = below, above
        surfaces[number] = surface
        high = surface.values(rows[here]) > 0
        left[number] = visit(below, here[~high])
        right[number] = visit(above, here[high])
        return number

    until = task.clock.end(_GRACE)
    visit(sides, np.arange(len(rows)))
    return ObliqueTree(
        tuple(surfaces),
        np.array(left, dtype=np.int32),
        np.array(right, dtype=np.int32),
        np.array(value),
        np.array(count, dtype=np.int64),
        classes,
        names,
    )


def _scatter(
    ax: Any, points: NDArray[np.float64], y: Any, classes: NDArray[Any]
) -> None:
    from treeproof.proper.plot import INKS

    if y is None:
        ax.plot(points[:, 0], points[:, 1], "o", ms=4, color=INKS[0])
        return
    for c, label in enumerate(classes):
        chosen = points[np.asarray(y) == label]
        color = INKS[c % len(INKS)]
        ax.plot(chosen[:, 0], chosen[:, 1], "o", ms=4, color=color, label=str(label))
    ax.legend(loc="best", fontsize=8)
