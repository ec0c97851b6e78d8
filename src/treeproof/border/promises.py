"""Reads restrictions of trees: directions, interactions, costs of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.table import TrainingTable
from treeproof.kinds import ONE_EACH, ORDERED

__all__ = [
    "Measurement",
    "check_two_way",
    "read_directions",
    "read_interactions",
    "read_test_costs",
]


def read_directions(monotonic_cst: Any, table: TrainingTable) -> NDArray[np.int32]:
    """Return the direction of each column: 1, -1, or 0 for none.

    Parameters
    ----------
    monotonic_cst : array-like or dict
        One value for each column, or a value for each of some names.
    table : TrainingTable
        The columns.
    """
    names = [column.name for column in table.columns]
    directions = np.zeros(len(names), dtype=np.int32)
    if isinstance(monotonic_cst, Mapping):
        given = {
            _number(table, column, "monotonic_cst"): value
            for column, value in monotonic_cst.items()
        }
    else:
        values = np.asarray(monotonic_cst).reshape(-1)
        if len(values) != len(names):
            raise ValueError(
                f"monotonic_cst has {len(values)} values, but X has {len(names)} "
                "columns; give one value for each, or a dict of names."
            )
        given = dict(enumerate(values.tolist()))
    for column, value in given.items():
        if isinstance(value, bool) or value not in (-1, 0, 1):
            raise ValueError(
                f"monotonic_cst has the value {value!r} for column "
                f"{names[column]!r}; use 1, -1 or 0."
            )
        directions[column] = int(value)
        if value:
            _check_order(table, column)
    return directions


def _check_order(table: TrainingTable, column: int) -> None:
    about = table.columns[column]
    if about.is_categorical and not about.ordered:
        raise ValueError(
            f"monotonic_cst gives column {about.name!r} a direction, but its "
            "categories have no order; use 0 there, numbers, or an ordered category."
        )
    kinds = table.engine.kinds[table.engine.of_column(column)]
    if (kinds != ORDERED).any():
        raise ValueError(
            f"Column {about.name!r} of monotonic_cst has missing values with a branch "
            'of their own; pass missing="best-side", or fill them.'
        )


def check_two_way(table: TrainingTable) -> None:
    """Raise if columns have splits with more than two children: lists have none."""
    engine = table.engine
    wide = np.flatnonzero((engine.kinds == ONE_EACH) & (engine.n_values > 1))
    if len(wide):
        name = table.columns[int(engine.features[wide[0]])].name
        raise ValueError(
            f'shape="list" takes splits into two, but column {name!r} is split into '
            'one child for each value; pass categorical_split="one-vs-rest" or '
            '"subset", and missing="best-side".'
        )


def read_interactions(interaction_cst: Any, table: TrainingTable) -> list[set[int]]:
    """Return the groups of columns that may be tested on one path.

    As in scikit-learn, the columns that are in no group form another group.
    """
    n = len(table.columns)
    if isinstance(interaction_cst, str):
        if interaction_cst == "no_interactions":
            return [{k} for k in range(n)]
        if interaction_cst == "pairwise":
            pairs = [{i, j} for i in range(n) for j in range(i)]
            return pairs or [{k} for k in range(n)]
        raise ValueError(
            f"interaction_cst={interaction_cst!r} is not known; use "
            '"no_interactions", "pairwise", or groups of columns.'
        )
    groups = []
    for group in interaction_cst:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise TypeError(
                f"interaction_cst has {group!r}, which is not a group of columns; give "
                "a list of lists, such as [[0, 1], [2]]."
            )
        groups.append({_number(table, column, "interaction_cst") for column in group})
    rest = set(range(n)).difference(*groups)
    return [*groups, rest] if rest else groups


@dataclass(frozen=True)
class Measurement:
    """Columns that are measured together, and the cost of doing so.

    Attributes
    ----------
    columns : frozenset of int
        The columns whose values are known afterwards.
    cost : float
        The cost for a row of weight 1.
    group : str or None
        The name of a group of measurements that are cheaper together.
    discounted : float
        The cost after another measurement of the same group.
    """

    columns: frozenset[int]
    cost: float
    group: Any
    discounted: float


def read_test_costs(test_costs: Any, table: TrainingTable) -> list[Measurement]:
    """Return the measurements of ``test_costs``; other columns are free.

    Parameters
    ----------
    test_costs : mapping
        From a column, or a tuple of columns that are measured together, to a cost, or
        to a triple of cost, group and discounted cost.
    table : TrainingTable
        The columns.
    """
    found: list[Measurement] = []
    seen: dict[int, Any] = {}
    for key, told in test_costs.items():
        named = key if isinstance(key, tuple) else (key,)
        columns = frozenset(_number(table, column, "test_costs") for column in named)
        for column in columns:
            if column in seen:
                raise ValueError(
                    f"test_costs has column {table.columns[column].name!r} twice; "
                    "columns that are measured together are one entry, a tuple."
                )
            seen[column] = key
        cost, group, discounted = _price(key, told)
        found.append(Measurement(columns, cost, group, discounted))
    return found


def _price(key: Any, told: Any) -> tuple[float, Any, float]:
    if isinstance(told, Real) and not isinstance(told, bool):
        told = (told, None, told)
    if not isinstance(told, tuple | list) or len(told) != 3:
        raise ValueError(
            f"test_costs has {told!r} for {key!r}; give a cost, or (cost, group, cost "
            "after another one of the group)."
        )
    cost, group, discounted = told
    for value in (cost, discounted):
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(
                f"test_costs has {value!r} for {key!r}, which is not a number."
            )
        if not 0 <= float(value) < float("inf"):
            raise ValueError(
                f"test_costs has {float(value):g} for {key!r}; costs are finite and "
                "not negative."
            )
    if discounted > cost:
        raise ValueError(
            f"test_costs has a discounted cost of {float(discounted):g} for {key!r}, "
            f"more than its cost of {float(cost):g}."
        )
    return float(cost), group, float(discounted)


def _number(table: TrainingTable, column: Any, parameter: str) -> int:
    if isinstance(column, Integral) and not isinstance(column, bool):
        column = int(column)
        if column < 0:
            raise ValueError(f"{parameter} has the column {column}; count from 0.")
    elif not isinstance(column, str):
        raise TypeError(f"{parameter} has {column!r}, which is not a column of X.")
    number = table.number_of(column, parameter)
    assert number is not None
    return number
