"""Reads costs: matrices, tables of each row's costs, and the cost of abstaining.

All of them are converted to one table with a column for each action, in the order of
the classes, and a further column if leaves may abstain. All error messages about costs
are in this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from treeproof.columns import plain
from treeproof.notices import warn_user

__all__ = [
    "actions_with_abstention",
    "check_abstain_cost",
    "read_cost_matrix",
    "read_rewards",
    "read_row_costs",
    "say_negative",
]


def read_cost_matrix(
    cost_matrix: Any, classes: NDArray[Any], name: str = "cost_matrix"
) -> NDArray[np.float64]:
    """Return the cost of each prediction for a row of each class.

    Parameters
    ----------
    cost_matrix : array-like, nested dict or data frame
        Rows are true classes and columns predictions. An array has the order of
        `classes`; a dict is ``{true: {predicted: cost}}``, where a missing diagonal
        means 0; a pandas data frame has the labels as its index and columns.
    classes : ndarray
        The class labels.
    name : str
        The parameter's name, for messages.

    Examples
    --------
    >>> classes = np.array(["healthy", "ill"])
    >>> read_cost_matrix({"healthy": {"ill": 1}, "ill": {"healthy": 20}}, classes)
    array([[ 0.,  1.],
           [20.,  0.]])
    """
    labels = [plain(label) for label in classes]
    if hasattr(cost_matrix, "index") and hasattr(cost_matrix, "columns"):
        cost_matrix = {
            plain(true): {plain(p): cost_matrix.loc[true, p] for p in cost_matrix}
            for true in cost_matrix.index
        }
    if isinstance(cost_matrix, Mapping):
        matrix = _from_mapping(cost_matrix, labels, name)
    else:
        matrix = _numbers(cost_matrix, name)
        if matrix.shape != (len(labels), len(labels)):
            raise ValueError(
                f"{name} has the shape {matrix.shape}, but there are {len(labels)} "
                f"classes, {_listed(labels)}; it needs one row for each true class and "
                "one column for each prediction, in this order."
            )
    for i, true in enumerate(labels):
        for j, predicted in enumerate(labels):
            if not np.isfinite(matrix[i, j]):
                raise ValueError(
                    f"{name} says that predicting {predicted!r} for {true!r} costs "
                    f"{matrix[i, j]:g}; costs must be finite numbers."
                )
    say_negative(matrix, name)
    return matrix


def _from_mapping(
    given: Mapping[Any, Any], labels: list[Any], name: str
) -> NDArray[np.float64]:
    matrix = np.zeros((len(labels), len(labels)))
    known = {plain(true): row for true, row in given.items()}
    for i, true in enumerate(labels):
        row = known.get(true)
        if not isinstance(row, Mapping):
            raise ValueError(
                f"{name} has no costs for rows of the class {true!r}; add "
                f"{{{true!r}: {{prediction: cost, ...}}}}."
            )
        costs = {plain(predicted): cost for predicted, cost in row.items()}
        for predicted in costs:
            # the matrix may know a class that no row has, as in a fold of a table
            if predicted not in labels and predicted not in known:
                raise ValueError(
                    f"{name} says what predicting {predicted!r} for {true!r} costs, "
                    f"but there is no such class; the classes are {_listed(labels)}."
                )
        for j, predicted in enumerate(labels):
            if predicted not in costs and i != j:
                raise ValueError(
                    f"{name} does not say what predicting {predicted!r} for {true!r} "
                    "costs."
                )
            matrix[i, j] = _number(costs.get(predicted, 0.0), name, true, predicted)
    return matrix


def _number(value: Any, name: str, true: Any, predicted: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} says that predicting {predicted!r} for {true!r} costs {value!r}, "
            "which is not a number."
        ) from None


def read_rewards(
    rewards: Any, n_rows: int, estimator: str, names: list[Any] | None = None
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the rewards of each row and treatment, and the names of treatments.

    A data frame has the treatments' names as its columns; otherwise they are `names`,
    or the numbers from 0.

    Examples
    --------
    >>> rewards, treatments = read_rewards([[1, 0], [0, 2]], 2, "OptimalPolicyTree")
    >>> treatments
    array([0, 1])
    """
    if rewards is None:
        raise ValueError(
            f"{estimator} requires y to be passed, but the target y is None; pass the "
            "reward of each treatment for each row."
        )
    # Rewards may be a data frame of any library.
    columns = getattr(rewards, "columns", None)
    if columns is not None and not isinstance(rewards, np.ndarray):
        names = [plain(name) for name in columns]
        _check_once(names)
    table = read_row_costs(rewards, n_rows, None, "rewards", names)
    treatments = np.arange(table.shape[1]) if names is None else _named(names)
    if len(treatments) == 1:
        warn_user(
            "rewards has one column, so that there is only one treatment and nothing "
            "to choose; give one column for each treatment."
        )
    return table, treatments


def _check_once(names: list[Any]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"rewards has two columns for the treatment {name!r}; rename one."
            )


def _named(names: list[Any]) -> NDArray[Any]:
    """Return names as an array that keeps their types."""
    if len(set(map(type, names))) == 1:
        return np.array(names)
    treatments = np.empty(len(names), dtype=object)
    treatments[:] = names
    return treatments


def read_row_costs(
    costs: Any,
    n_rows: int,
    actions: list[Any] | None,
    name: str = "costs",
    columns: list[Any] | None = None,
) -> NDArray[np.float64]:
    """Return a table of numbers, one row for each row and one column for each action.

    Examples
    --------
    >>> read_row_costs([[0, 2], [1, 0]], 2, ["no", "yes"])
    array([[0., 2.],
           [1., 0.]])
    """
    table = _numbers(costs, name)
    if table.ndim != 2:
        raise ValueError(
            f"{name} must be a table with one row for each row of X and one column for "
            f"each action; it has {table.ndim} dimension"
            f"{'' if table.ndim == 1 else 's'}."
        )
    if len(table) != n_rows:
        raise ValueError(f"{name} has {len(table)} rows, but X has {n_rows}.")
    if actions is not None and table.shape[1] != len(actions):
        raise ValueError(
            f"{name} has {table.shape[1]} columns, but there are {len(actions)} "
            f"classes, {_listed(actions)}; it needs one column for each, in this order."
        )
    if table.shape[1] == 0:
        raise ValueError(f"{name} has no columns; it needs one for each action.")
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        row, column = wrong[0].tolist()
        called = column if columns is None else repr(columns[column])
        raise ValueError(
            f"{name} has {table[row, column]:g} in row {row}, column {called}; all of "
            "them must be finite numbers."
        )
    return table


def _numbers(values: Any, name: str) -> NDArray[np.float64]:
    if not isinstance(values, np.ndarray):
        native = nw.from_native(
            values, eager_only=True, allow_series=True, pass_through=True
        )
        if isinstance(native, nw.DataFrame | nw.Series):
            values = native.to_numpy()
    try:
        array = np.asarray(values)
        if array.dtype.kind in "USO":
            array = array.astype(np.float64)
        if array.dtype.kind not in "biuf":
            raise TypeError
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a table of numbers.") from None


def say_negative(costs: NDArray[np.float64], name: str) -> None:
    """Warn about costs below zero, which are allowed."""
    if costs.min() < 0:
        warn_user(
            f"{name} has negative costs (the least is {costs.min():g}); they count as "
            "gains, so that the cost of a tree may be below zero."
        )


def check_abstain_cost(abstain_cost: float, costs: NDArray[np.float64]) -> None:
    """Raise or warn if the cost of abstaining makes all leaves, or none, abstain."""
    least, most = float(costs.min()), float(costs.max())
    if abstain_cost <= least:
        raise ValueError(
            f"abstain_cost={abstain_cost:g} is not above the least cost of a "
            f"prediction ({least:g}), so that every leaf would abstain; raise it."
        )
    if abstain_cost >= most:
        warn_user(
            f"abstain_cost={abstain_cost:g} is not below the greatest cost of a "
            f"prediction ({most:g}), so that no leaf will abstain; lower it."
        )


def actions_with_abstention(classes: NDArray[Any], label: Any) -> NDArray[Any]:
    """Return the classes and the label that stands for abstaining.

    Examples
    --------
    >>> actions_with_abstention(np.array([0, 1]), -1)
    array([ 0,  1, -1])
    >>> actions_with_abstention(np.array([0, 1]), None)
    array([0, 1, None], dtype=object)
    """
    named = [plain(known) for known in classes]
    label = plain(label)
    if label in named and type(label) is type(named[named.index(label)]):
        raise ValueError(
            f"abstain_label={label!r} is a class; choose a label that is none."
        )
    if type(label) is type(named[0]) and not isinstance(label, str | bool):
        return np.append(classes, np.array([label]))
    actions = np.empty(len(named) + 1, dtype=object)
    actions[:] = [*named, label]
    return actions


def _listed(labels: list[Any]) -> str:
    shown = ", ".join(map(repr, labels[:8]))
    return shown + (", ..." if len(labels) > 8 else "")
