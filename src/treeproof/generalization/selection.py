"""Choose the size of an optimal tree by its risk bound.

An optimal tree still leaves one question open: optimal for which penalty, or which
number of splits? The usual answer is cross-validation, one optimal fit per fold and
candidate. The risk bound answers with one fit per candidate and no rows set aside: it
holds for all trees at once, so the tree with the smallest bound may be picked after
seeing them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone

from treeproof.generalization.checks import check_count
from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.partitioning import Method
from treeproof.generalization.prunable import PrunableTree
from treeproof.generalization.risk import PAPER_R, RiskBound
from treeproof.generalization.structure import TreeStructure

__all__ = ["BoundSelection", "SelectionPoint", "select_by_bound"]

DEFAULT_PENALTIES = (0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.003, 0.002, 0.001)


@dataclass(frozen=True)
class SelectionPoint:
    """One candidate: an optimal tree for one penalty or size.

    Attributes
    ----------
    setting : dict
        The parameters that were varied.
    n_leaves, errors : int
        Of the tree, on the training rows.
    bound : float
        Its risk bound.
    optimal : bool
        Whether the tree was proved optimal for its setting.
    structure : TreeStructure
        Its shape.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof.generalization import select_by_bound
    >>> X, y = load_iris(return_X_y=True)
    >>> selection = select_by_bound(X, y, penalties=[0.1, 0.02])
    >>> point = selection[0]
    >>> point.n_leaves, point.errors, point.optimal
    (3, 6, True)
    """

    setting: dict[str, Any]
    n_leaves: int
    errors: int
    bound: float
    optimal: bool
    structure: TreeStructure


@dataclass(frozen=True)
class BoundSelection(Sequence[SelectionPoint]):
    """The curve of candidates and the one with the smallest bound.

    Attributes
    ----------
    points : tuple of SelectionPoint
        In the order they were tried; indexing and iteration give them too.
    best : int
        The position of the chosen one.
    models : tuple
        The fitted estimators.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof.generalization import select_by_bound
    >>> X, y = load_iris(return_X_y=True)
    >>> selection = select_by_bound(X, y, penalties=[0.1, 0.03])
    >>> selection.chosen.n_leaves, selection.tree.get_n_leaves()
    (3, 3)
    """

    points: tuple[SelectionPoint, ...]
    best: int
    models: tuple[Any, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, i: Any) -> Any:
        """Return a point of the curve."""
        return self.points[i]

    @property
    def chosen(self) -> SelectionPoint:
        """The point with the smallest bound."""
        return self.points[self.best]

    @property
    def tree(self) -> Any:
        """The fitted estimator with the smallest bound."""
        return self.models[self.best]

    def __str__(self) -> str:
        lines = ["leaves  errors      bound  setting"]
        for i, p in enumerate(self.points):
            setting = ", ".join(f"{k}={v:g}" for k, v in p.setting.items())
            proof = "" if p.optimal else " (not proved optimal)"
            mark = "  <- chosen" if i == self.best else ""
            lines.append(
                f"{p.n_leaves:6d}  {p.errors:6d}  {p.bound:9.4f}  "
                f"{setting}{proof}{mark}"
            )
        return "\n".join(lines)


def select_by_bound(
    X: Any,
    y: Any,
    *,
    penalties: Iterable[float] | None = None,
    sizes: Iterable[int] | None = None,
    path: Iterable[Any] | None = None,
    estimator: Any = None,
    delta: float = 0.05,
    r: float = PAPER_R,
    n_features: int | FeatureSpace | None = None,
    method: Method = "fast",
    stop_early: bool = True,
) -> BoundSelection:
    """Fit optimal trees over penalties or sizes and keep the one with least bound.

    Parameters
    ----------
    X, y
        Training rows and labels.
    penalties : iterable of float, optional
        Values of ``split_penalty``. By default a grid from 0.2 down to 0.001.
    sizes : iterable of int, optional
        Numbers of splits instead: each tree is the best one with at most that many
        splits, at penalty zero.
    path : PenaltyPath, optional
        What `treeproof.penalty_path` returned, instead: its trees are taken, and none
        is fitted here.
    estimator : OptimalTreeClassifier, optional
        Its other parameters (depth, categories, time limit, solver) are kept.
    delta, r, method
        As in `risk_bound`.
    n_features : int, FeatureSpace or None
        What the trees could have tested; None reads it from the fitted trees.
    stop_early : bool, default=True
        Go from small trees to large ones and stop where a tree without any error would
        have a larger bound than the best so far, which leaves larger trees no room.

    Returns
    -------
    BoundSelection
        The curve; ``.tree`` is the chosen estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> selection = select_by_bound(
    ...     X, y, penalties=[0.4, 0.1], estimator=OptimalTreeClassifier(max_depth=2)
    ... )
    >>> [(point.n_leaves, point.errors) for point in selection]
    [(1, 100), (3, 6)]
    >>> selection.tree.get_n_leaves()
    3
    """
    points: list[SelectionPoint] = []
    models: list[Any] = []
    bound: RiskBound | None = None
    if path is None:
        candidates = _fits(X, y, estimator, _settings(penalties, sizes))
    elif penalties is None and sizes is None:
        candidates = (({"split_penalty": p.penalty}, p.model) for p in path)
    else:
        raise ValueError("give a path, or penalties or sizes, not both")
    for setting, model in candidates:
        view = PrunableTree(model, X, y)
        if bound is None:
            space = FeatureSpace.of(model if n_features is None else n_features)
            bound = RiskBound(view.n_rows, space, view.n_classes, delta, r, method)
        shape, errors = view.shapes()[0], view.subtree_errors()[0]
        value = bound(errors, shape)
        points.append(
            SelectionPoint(
                setting, shape.n_leaves, errors, value, bool(model.optimal_), shape
            )
        )
        models.append(model)
        if stop_early and bound(0, shape) > min(point.bound for point in points):
            break
    # Of equal bounds the smaller tree, which was met first.
    best = min(range(len(points)), key=lambda i: (points[i].bound, i))
    return BoundSelection(tuple(points), best, tuple(models))


def _fits(
    X: Any, y: Any, estimator: Any, settings: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield one setting after another with the tree that is optimal for it."""
    from treeproof.estimators.classifier import OptimalTreeClassifier

    base = OptimalTreeClassifier() if estimator is None else estimator
    for setting in settings:
        yield setting, clone(base).set_params(**setting).fit(X, y)


def _settings(
    penalties: Iterable[float] | None, sizes: Iterable[int] | None
) -> list[dict[str, Any]]:
    """Return the parameters to try, small trees first."""
    if penalties is not None and sizes is not None:
        raise ValueError("give penalties or sizes, not both")
    if sizes is not None:
        counts = sorted({check_count("sizes", size, least=0) for size in sizes})
        settings = [{"split_penalty": 0.0, "max_splits": size} for size in counts]
    else:
        values = DEFAULT_PENALTIES if penalties is None else penalties
        settings = [
            {"split_penalty": penalty} for penalty in sorted(set(values), reverse=True)
        ]
    if not settings:
        raise ValueError("there is nothing to choose from; give at least one value")
    return settings
