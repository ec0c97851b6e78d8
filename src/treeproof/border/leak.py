"""Columns that make a tree useless: the target, row identifiers, misread text.

The target among the features is an error. A column that identifies the rows, such as a
customer number, may be intended, so there is only a warning. There are also warnings
for a numeric column that is read as text because some cells contain a mark such as "?",
and for text that writes the same category in several ways, such as "Yes" and "yes ".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from treeproof.border.labels import read_vector
from treeproof.border.marks import is_usual
from treeproof.border.raw import RawTable
from treeproof.border.row_names import MANY, row_names
from treeproof.border.table import TrainingTable
from treeproof.border.text import TextColumn
from treeproof.border.wanted import Wanted
from treeproof.columns import plain
from treeproof.notices import warn_user

__all__ = [
    "check_target_is_apart",
    "warn_of_categories",
    "warn_of_marks",
    "warn_of_spellings",
]

_MANY_FOR_SPLITS = 0.1  # distinct values per row, if every split costs one penalty
# A column with this many numbers and few words is hardly categorical; if the words are
# marks such as "NA" and "?", fewer numbers suffice.
_MANY_NUMBERS, _SOME_NUMBERS, _FEW_MARKS = 20, 5, 3
_MOST_NAMED = 3  # number of columns that a warning about several of them names


def check_target_is_apart(raw: RawTable, y: Any) -> None:
    """Raise if a table contains the target under its own name, value for value."""
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
    wanted: Wanted,
    raw: RawTable,
    table: TrainingTable,
    n_rows: int,
    *,
    in_units: bool = False,
) -> None:
    """Warn about columns that identify the rows or have too many categories.

    `in_units`: whether costs have a unit of their own, so that they may exceed 1.

    Every column is mentioned at most once. If every split costs one penalty, whatever
    the number of its children, a meaningless column can win even if each value occurs
    in several rows: with 400 random categories in 1,400 rows, the error on new rows
    rose from .10 to .16.
    """
    multiway = table.categorical_split == "multiway"
    share = _MANY_FOR_SPLITS if wanted.each_split and multiway else MANY
    categorical = [column.is_categorical for column in table.columns]
    spoken_of = set()
    for found in row_names(raw, categorical, n_rows, share):
        spoken_of.add(found.name)
        if not _is_used(table, found.name):
            continue
        warn_user(found.warning)
    penalty = wanted.split_penalty
    if wanted.each_split or in_units:
        return
    for column in table.columns:
        if table.split_of(column) != "multiway" or not _is_used(table, column.name):
            continue
        values = 0 if column.categories is None else len(column.categories)
        # The loss is at most 1, which is that of the worst single leaf.
        if (values - 1) * penalty < 1 or column.ordered or column.name in spoken_of:
            continue
        text = isinstance(plain(column.categories[0]), str)  # type: ignore[index]
        group = f", X[{column.name!r}] = X[{column.name!r}].str[:2]," if text else ""
        warn_user(
            f"Column {column.name!r} has {values:,} categories: a split with a child "
            f"for each costs {values - 1:,} penalties of {penalty:g}, more than any "
            f"split can gain; group them{group} or fit with "
            "categorical_split='one-vs-rest'."
        )


def warn_of_marks(table: TrainingTable) -> None:
    """Warn if a column is text only because of a few words among many numbers."""
    for column in table.columns:
        if column.categories is None or column.ordered:
            continue
        if not _is_used(table, column.name):
            continue
        marks = _marks([plain(value) for value in column.categories])
        if marks:
            place = f"X[{column.name!r}]"
            warn_user(
                f"Column {column.name!r} is text: it holds numbers and {marks[0]!r}, "
                f"so it is split by category. If {marks[0]!r} stands for a missing "
                f"value, write {place} = pd.to_numeric({place}, errors='coerce'), and "
                "the column is split by threshold."
            )


def warn_of_spellings(table: TrainingTable, classes: Iterable[Any] = ()) -> None:
    """Warn once if categories or classes differ only in case or surrounding blanks.

    The data are not changed, since only the user knows whether "it" means "IT".
    """
    found = []
    for column in table.columns:
        if column.categories is not None and _is_used(table, column.name):
            pair = same_words(plain(value) for value in column.categories)
            if pair is not None:
                found.append((f"Column {column.name!r}", "categories", pair))
    pair = same_words(plain(value) for value in classes)
    if pair is not None:
        found.append(("The target", "classes", pair))
    if not found:
        return
    place, what, (one, other) = found[0]
    others = [name[0].lower() + name[1:] for name, *_ in found[1:]]
    if len(others) > _MOST_NAMED:
        others[_MOST_NAMED:] = [f"{len(others) - _MOST_NAMED} more"]
    also = f" (likewise {', '.join(others)})" if others else ""
    warn_user(
        f"{place} has {what} that differ only in upper and lower case or in "
        f"surrounding blanks, such as {one!r} and {other!r}{also}; they count as "
        f"different {what}, so write them alike if they mean the same, for example "
        "with .str.strip().str.lower() in pandas or lower(trim(...)) in a query."
    )


def same_words(values: Iterable[Any]) -> tuple[str, str] | None:
    """Return two texts that differ only in case or surrounding blanks, or None.

    Examples
    --------
    >>> same_words(["No", "Yes", "yes "]), same_words(["No", "Yes", 1])
    (('Yes', 'yes '), None)
    """
    first: dict[str, str] = {}
    for value in values:
        if isinstance(value, str):
            seen = first.setdefault(value.strip().casefold(), value)
            if seen != value:
                return seen, value
    return None


def _is_used(table: TrainingTable, name: str) -> bool:
    """Whether trees may test the column of this name."""
    return table.is_allowed([column.name for column in table.columns].index(name))


def _marks(values: list[Any]) -> list[str]:
    """Return the words in a column of numbers written as text, if they are few."""
    words: list[str] = []
    for value in values:
        if not isinstance(value, str):
            return []
        try:
            float(value)
        except ValueError:
            words.append(value)
            if len(words) > _FEW_MARKS:
                return []
    enough = _SOME_NUMBERS if all(map(is_usual, words)) else _MANY_NUMBERS
    return words if len(values) - len(words) >= enough else []
