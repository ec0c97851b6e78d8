"""A path of optimal trees: one for each interval of penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import Any

from treeproof.path.envelope import Envelope
from treeproof.tree import Tree

__all__ = ["PathPoint", "PenaltyPath"]


@dataclass(frozen=True)
class PathPoint:
    """A tree and the penalties for which it is optimal.

    Attributes
    ----------
    interval : tuple of float
        The smallest and the largest penalty at which no tree is better.
    exact_interval : tuple of Fraction
        The same without rounding.
    penalty : float
        The penalty in the middle of the interval (of its logarithm), at which `model`
        is fitted.
    n_splits, n_leaves, depth : int
        The size of the tree.
    loss : float
        The share of the training weight that is misclassified; for regression the
        share of the loss of a single leaf that is left.
    optimal : bool
        Whether it is proved that no tree is better anywhere in the interval.
    gap : float
        How much better a tree could be at most; 0 if `optimal`.
    model : OptimalTreeClassifier or OptimalTreeRegressor
        The tree as a fitted estimator, with its certificate at `penalty`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import OptimalTreeClassifier, penalty_path
    >>> X, y = load_iris(return_X_y=True)
    >>> base = OptimalTreeClassifier(max_depth=2)
    >>> path = penalty_path(X, y, low=0.02, estimator=base)
    >>> point = path[1]
    >>> point.n_splits, point.optimal, round(point.loss, 3)
    (1, True, 0.333)
    """

    interval: tuple[float, float]
    exact_interval: tuple[Fraction, Fraction] = field(repr=False)
    penalty: float
    n_splits: int
    n_leaves: int
    depth: int
    loss: float
    optimal: bool
    gap: float
    model: Any = field(repr=False)

    @property
    def tree(self) -> Tree:
        """The tree as a node table."""
        tree: Tree = self.model.tree_
        return tree

    @property
    def score(self) -> float:
        """Accuracy on the training rows; R squared for regression."""
        return 1.0 - self.loss

    def objective(self, penalty: float) -> float:
        """Return the cost of the tree at a penalty."""
        return self.loss + penalty * self.tree.n_penalties(self.model.penalize)


@dataclass(frozen=True)
class PenaltyPath(Sequence[PathPoint]):
    """Every tree that is optimal for some penalty of a range, small trees first.

    A sequence of `PathPoint`; see `treeproof.penalty_path`.

    Attributes
    ----------
    points : tuple of PathPoint
        The points in the order of decreasing penalty.
    low, high : float
        The range of penalties.
    status : str
        "optimal" if every point is proved, else the limit that ended the work.
    n_searches : int
        How many searches it took.
    seconds : float
        How long they took.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import OptimalTreeClassifier, penalty_path
    >>> X, y = load_iris(return_X_y=True)
    >>> base = OptimalTreeClassifier(max_depth=2)
    >>> path = penalty_path(X, y, low=0.02, estimator=base)
    >>> [point.n_splits for point in path]
    [0, 1, 2]
    >>> path.at(0.03).n_splits
    2
    """

    points: tuple[PathPoint, ...]
    low: float
    high: float
    status: str
    n_searches: int
    seconds: float
    _unit: Fraction = field(repr=False)
    _offset: float = field(repr=False)
    _envelope: Envelope = field(repr=False)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, i: Any) -> Any:
        """Return a point of the path."""
        return self.points[i]

    @property
    def optimal(self) -> bool:
        """Whether the whole path is proved."""
        return all(point.optimal for point in self.points)

    def at(self, penalty: float) -> PathPoint:
        """Return the point whose tree is optimal at this penalty.

        The penalty is rounded as in a fit. If two trees are equally good, the smaller
        one is returned.
        """
        if not self.low <= penalty <= self.high:
            raise ValueError(
                f"penalty={penalty!r} is outside of the path, which goes from "
                f"{self.low!r} to {self.high!r}; make a path with a wider range."
            )
        where = int(float(penalty) * self._unit + 0.5) / self._unit
        for point in self.points:
            if point.exact_interval[0] <= where:
                return point
        return self.points[-1]

    def lower_bound(self, penalty: float) -> float:
        """Return a lower bound on the cost of all trees at this penalty."""
        self.at(penalty)
        exact = Fraction(int(float(penalty) * self._unit + 0.5))
        return float(self._envelope.lower(exact) / self._unit) + self._offset

    def table(self) -> list[dict[str, Any]]:
        """Return the path as rows of a table, ready for ``pandas.DataFrame``."""
        return [
            {
                "penalty_from": p.interval[0],
                "penalty_to": p.interval[1],
                "n_splits": p.n_splits,
                "n_leaves": p.n_leaves,
                "depth": p.depth,
                "loss": p.loss,
                "optimal": p.optimal,
                "gap": p.gap,
            }
            for p in self.points
        ]

    def plot(self, ax: Any = None, *, chosen: PathPoint | float | None = None) -> Any:
        """Draw training loss against splits; see `treeproof.path.plot.plot_path`.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        chosen : PathPoint, penalty or None, default=None
            The tree to mark.

        Returns
        -------
        matplotlib axes
        """
        from treeproof.path.plot import plot_path

        point = self.at(chosen) if isinstance(chosen, int | float) else chosen
        return plot_path(self, ax, chosen=point)

    def __str__(self) -> str:
        lines = ["splits  leaves  depth      loss  penalty from         to  proved"]
        for p in self.points:
            proved = "yes" if p.optimal else f"gap {p.gap:.3g}"
            lines.append(
                f"{p.n_splits:6d}  {p.n_leaves:6d}  {p.depth:5d}  {p.loss:8.4f}  "
                f"{p.interval[0]:12.6f}  {p.interval[1]:9.6f}  {proved}"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        names = ("splits", "leaves", "depth", "loss", "penalty from", "to", "proved")
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        rows = "".join(
            f"<tr><td>{p.n_splits}</td><td>{p.n_leaves}</td><td>{p.depth}</td>"
            f"<td>{p.loss:.4f}</td><td>{p.interval[0]:.6f}</td>"
            f"<td>{p.interval[1]:.6f}</td>"
            f"<td>{'yes' if p.optimal else f'gap {p.gap:.3g}'}</td></tr>"
            for p in self.points
        )
        return (
            f"<table><caption>{len(self.points)} optimal trees, {self.n_searches} "
            f"searches, {self.seconds:.2f} s</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )
