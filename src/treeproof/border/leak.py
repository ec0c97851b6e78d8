"""Columns with which any tree would be of no use: the target, names, spoilt numbers.

The target among the features is refused. A column that names the rows, such as a
customer's number, may be meant, so it gets a warning; so does a column of numbers that
is text because some cells hold a mark such as "?".
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treeproof.border.labels import read_vector
from treeproof.border.raw import RawTable
from treeproof.border.row_names import MANY, row_names
from treeproof.border.table import TrainingTable
from treeproof.border.text import TextColumn
from treeproof.columns import plain

__all__ = [
    "check_target_is_apart",
    "warn_of_categories",
    "warn_of_marks",
]

_MANY_FOR_SPLITS = 0.1  # values for a row, where a split costs one penalty
_MANY_NUMBERS, _FEW_MARKS = 20, 3  # so many with so few words are hardly categories


def check_target_is_apart(raw: RawTable, y: Any) -> None:
    """Refuse a table that holds the target under its own name, value for value."""
    name = getattr(y, "name", None)
    if raw.names is None or not isinstance(name, str) or name not in raw.names:
        return
    place = raw.names.index(name)
    if place in raw.missing:
        return  # a target has no missing values
    column = raw.column(place)
    values = read_vector(y, "y")
    if values.ndim != 1 or len(values) != raw.n_rows:
        return
    if isinstance(column, TextColumn):
        same = [column.distinct[k] for k in column.codes.tolist()] == values.tolist()
    else:
        same = bool(np.array_equal(column, values))
    if same:
        raise ValueError(
            f"Column {name!r} of X is the target itself; leave it out of X, or the "
            "tree would only repeat it."
        )


def warn_of_categories(
    estimator: Any,
    raw: RawTable,
    table: TrainingTable,
    n_rows: int,
    *,
    in_units: bool = False,
) -> None:
    """Warn of columns that name the rows, and of categories too many for a split.

    `in_units` says that costs have a unit of their own, so that they may be above 1.

    A column is spoken of once. With a penalty for each split, whatever its number of
    children, a column that means nothing wins from a few rows for each value on: of
    1,400 rows, 400 random categories brought the error on new rows from .10 to .16.
    """
    each_split = getattr(estimator, "penalize", "leaves") == "splits"
    multiway = table.categorical_split == "multiway"
    share = _MANY_FOR_SPLITS if each_split and multiway else MANY
    categorical = [column.is_categorical for column in table.columns]
    spoken_of = set()
    for found in row_names(raw, categorical, n_rows, share):
        spoken_of.add(found.name)
        warnings.warn(found.warning, UserWarning, stacklevel=2)
    penalty = float(getattr(estimator, "split_penalty", 0.0))
    if each_split or in_units:
        return
    for column in table.columns:
        if table.split_of(column) != "multiway":
            continue
        values = 0 if column.categories is None else len(column.categories)
        # No tree has a loss above 1, which is that of a single leaf at worst.
        if (values - 1) * penalty < 1 or column.ordered or column.name in spoken_of:
            continue
        text = isinstance(plain(column.categories[0]), str)  # type: ignore[index]
        group = f", X[{column.name!r}] = X[{column.name!r}].str[:2]," if text else ""
        warnings.warn(
            f"Column {column.name!r} has {values} categories: a split with a child for "
            f"each costs {values - 1} penalties of {penalty:g}, more than any split "
            f"can gain; group them{group} or fit with "
            "categorical_split='one-vs-rest'.",
            UserWarning,
            stacklevel=2,
        )


def warn_of_marks(table: TrainingTable) -> None:
    """Warn if a column is text for a few words among many numbers."""
    for column in table.columns:
        if column.categories is None or column.ordered:
            continue
        marks = _marks([plain(value) for value in column.categories])
        if marks:
            warnings.warn(
                f"Column {column.name!r} is text: it holds numbers and {marks[0]!r}, "
                "so it is split by category. If that stands for what is missing, make "
                "it a missing value, and the column is split by threshold.",
                UserWarning,
                stacklevel=2,
            )


def _marks(values: list[Any]) -> list[str]:
    """Return the words among many numbers that are written as text; none if many."""
    words: list[str] = []
    if len(values) < _MANY_NUMBERS:
        return words
    for value in values:
        if not isinstance(value, str):
            return []
        try:
            float(value)
        except ValueError:
            words.append(value)
            if len(words) > _FEW_MARKS:
                return []
    return words
