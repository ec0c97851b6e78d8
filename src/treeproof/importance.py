"""How much a column matters: its share in the tree, and what is lost without it.

The *share* of a column is what the splits on it save, as scikit-learn's trees define
theirs, with the loss that was minimised in place of an impurity. It is about one tree.

The *increase* without a column is about all trees: an exact search over the trees that
do not use the column finds the best one, and both costs come with their certificates.
If two columns contain the same information, either can be left out at no cost.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from treeproof.kinds import LEAF
from treeproof.tree import Tree
from treeproof.words import number

__all__ = ["DroppedColumn", "columns_tested", "cost_importances", "drop_columns"]


def node_losses(tree: Tree) -> NDArray[np.float64]:
    """Return what each node would lose as a leaf, in the unit of its weight.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
    >>> node_losses(clf.tree_)
    array([2., 0., 0.])
    """
    if tree.cost is not None:
        return tree.cost * tree.weighted_n_node_samples
    if tree.classes is not None:
        rows = np.arange(tree.node_count)
        return tree.value.sum(axis=1) - tree.value[rows, tree.action]
    if tree.impurity is None:
        raise AttributeError(
            "The losses of the nodes are not known, so neither is what splits save."
        )
    return tree.impurity * tree.weighted_n_node_samples


def cost_importances(tree: Tree) -> NDArray[np.float64]:
    """Return the share of each column in what the splits save.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = [[1, 0], [2, 1], [7, 0], [8, 1]]
    >>> cost_importances(OptimalTreeClassifier().fit(X, [0, 0, 1, 1]).tree_)
    array([1., 0.])
    """
    losses, saved = node_losses(tree), np.zeros(tree.n_features)
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        below = losses[np.unique(tree.node_children(node))].sum()
        saved[tree.feature[node]] += max(losses[node] - below, 0.0)
    for j, column in enumerate(tree.columns):
        if column.date is not None:  # its column of dates stands for it
            saved[column.date.source] += saved[j]
    saved = saved[: len(tree.given_columns)]
    total = saved.sum()
    return saved / total if total > 0 else saved


@dataclass(frozen=True)
class DroppedColumn:
    """What is known about the best tree without one column.

    Attributes
    ----------
    name : str
        The column.
    objective : float
        The cost of the best tree found without it.
    lower_bound : float
        No tree without it costs less.
    increase : tuple of float
        The best tree without the column costs at least and at most so much more than
        the best tree with it; the two are equal where both were proved optimal.
    model : estimator or None
        The fitted estimator without the column, with its certificate; None where the
        tree does not test the column and no fit was needed.

    Examples
    --------
    >>> print(DroppedColumn("age", 0.25, 0.25, (0.05, 0.05), None))
    age: without it the best tree costs 0.05 more (0.25, proved).
    """

    name: str
    objective: float
    lower_bound: float
    increase: tuple[float, float]
    model: Any = None

    @property
    def optimal(self) -> bool:
        """Whether the increase is known exactly."""
        return self.increase[0] == self.increase[1]

    def __str__(self) -> str:
        low, high = self.increase
        start = f"{self.name}: without it the best tree costs "
        if not self.optimal:
            return f"{start}between {number(low)} and {number(high)} more (not proved)."
        more = "no more" if low == 0 else f"{number(low)} more"
        return f"{start}{more} ({number(self.objective)}, proved)."


def columns_tested(tree: Tree) -> set[int]:
    """Return the columns of the table that a tree tests.

    A test of the month of a date is one of the column of dates.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = {"size": [1, 2, 3, 4], "other": [1, 2, 2, 1]}
    >>> columns_tested(OptimalTreeClassifier().fit(X, [0, 0, 1, 1]).tree_)
    {0}
    """
    columns = [(f, tree.columns[f].date) for f in tree.feature.tolist() if f >= 0]
    return {f if date is None else date.source for f, date in columns}


def drop_columns(
    model: Any, X: Any, y: Any, sample_weight: Any, columns: Sequence[str] | None
) -> list[DroppedColumn]:
    """Fit once more without each column; see `drop_column_importance`."""
    names = [column.name for column in model.tree_.given_columns]
    for name in columns or []:
        if name not in names:
            raise ValueError(f"{name!r} is not a column of the fitted tree.")
    asked = names if columns is None else list(columns)
    if len(names) == 1:
        raise ValueError("Without its only column there is nothing to split on.")
    used = {names[j] for j in columns_tested(model.tree_)}
    found = []
    for name in asked:
        place = names.index(name)
        if name not in used:
            high = model.objective_ - model.lower_bound_
            found.append(
                DroppedColumn(name, model.objective_, model.lower_bound_, (0.0, high))
            )
            continue
        found.append(_without(model, X, y, sample_weight, place, name))
    return sorted(found, key=lambda one: -one.increase[1])


def _without(
    model: Any, X: Any, y: Any, sample_weight: Any, place: int, name: str
) -> DroppedColumn:
    fresh = clone(model)
    fresh.set_params(verbose=False, **_parameters_without(fresh, place, name))
    known = model.tree_.given_columns
    if fresh.categorical_features != "from_dtype":
        left = [c for j, c in enumerate(known) if j != place]
        named = hasattr(model, "feature_names_in_")
        fresh.set_params(
            categorical_features=[
                c.name if named else k for k, c in enumerate(left) if c.is_categorical
            ]
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said by the bounds
        fresh.fit(_table_without(X, place, name), y, sample_weight)
    if model.optimal_ and fresh.optimal_:
        exactly = max(fresh.objective_ - model.objective_, 0.0)
        increase = (exactly, exactly)
    else:
        increase = (
            max(fresh.lower_bound_ - model.objective_, 0.0),
            max(fresh.objective_ - model.lower_bound_, 0.0),
        )
    return DroppedColumn(name, fresh.objective_, fresh.lower_bound_, increase, fresh)


def _parameters_without(model: Any, place: int, name: str) -> dict[str, Any]:
    """Return the parameters that name the column, without it."""
    changed: dict[str, Any] = {}

    def left(listed: Any) -> list[Any]:
        """Return columns without it; numbers of later columns fall by one."""
        kept = [c for c in listed if c not in (name, place)]
        return [c - 1 if not isinstance(c, str) and c > place else c for c in kept]

    if getattr(model, "first_split", None) is not None:
        changed["first_split"] = next(iter(left([model.first_split])), None)
    if getattr(model, "allowed_features", None) is not None:
        changed["allowed_features"] = left(model.allowed_features)
    groups = getattr(model, "interaction_cst", None)
    if groups is not None and not isinstance(groups, str):
        changed["interaction_cst"] = [g for g in map(left, groups) if g]
    for parameter in ("monotonic_cst", "test_costs"):
        told = getattr(model, parameter, None)
        if isinstance(told, Mapping):  # columns that are measured together are a tuple
            keys = {k: left(k if isinstance(k, tuple) else [k]) for k in told}
            changed[parameter] = {
                tuple(keys[k]) if len(keys[k]) > 1 else keys[k][0]: what
                for k, what in told.items()
                if keys[k]
            }
        elif told is not None:
            changed[parameter] = np.delete(np.asarray(told), place)
    return changed


def _table_without(X: Any, place: int, name: str) -> Any:
    if isinstance(X, Mapping):
        return {key: values for key, values in X.items() if key != name}
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        gone = name if name in frame.columns else frame.columns[place]
        return frame.drop([gone]).to_native()
    return np.delete(np.asarray(X), place, axis=1)
