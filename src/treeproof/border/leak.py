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
from treeproof.border.table import TrainingTable
from treeproof.border.text import TextColumn
from treeproof.columns import plain

__all__ = [
    "check_target_is_apart",
    "has_name_for_most",
    "warn_of_identifiers",
    "warn_of_marks",
]

_FEW_ROWS = 50
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


def has_name_for_most(categories: int, n_rows: int) -> bool:
    """Say whether so many categories name the rows, rather than tell them apart.

    Examples
    --------
    >>> has_name_for_most(900, 900), has_name_for_most(5, 900)
    (True, False)
    """
    return n_rows >= _FEW_ROWS and categories > n_rows / 2


def warn_of_identifiers(table: TrainingTable, n_rows: int) -> None:
    """Warn if a column of categories has a value of its own for most rows.

    A multiway split on it has as many children, each with a row or two.
    """
    if table.categorical_split != "multiway":
        return
    for column in table.columns:
        values = 0 if column.categories is None else len(column.categories)
        if has_name_for_most(values, n_rows) and not column.ordered:
            warnings.warn(
                f"Column {column.name!r} has {values} categories in {n_rows} rows: a "
                "split on it learns rows by heart and says nothing about new ones; "
                "leave it out, unless you mean it.",
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
