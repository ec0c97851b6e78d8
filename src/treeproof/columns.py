"""What a model remembers about each column of its training table.

A column is *numeric* (split by ``x <= threshold``) or *categorical*. A categorical
column keeps its sorted categories; the position of a category in that list is its
*code*, and trees speak of codes only. A value that is none of the categories has the
code -1; a missing value has the code after the last category, and is NaN in a numeric
column. The categories of an *ordered* column stand in their own order (``small, medium,
large``), and are split by threshold in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.date_parts import DatePart

__all__ = ["UNSEEN", "Column", "is_missing", "missing_places", "plain"]

UNSEEN = -1
"""The code of a category that the training table did not contain."""


@dataclass(frozen=True, eq=False)
class Column:
    """The name of a column and, if it is categorical, its categories.

    Attributes
    ----------
    name : str
        The column's name in the training table, or ``x3`` for the fourth column of a
        table without names.
    categories : ndarray or None
        The distinct values of a categorical column in sorted order, or in their own if
        the column is ordered; None for a numeric column.
    ordered : bool
        Whether the categories have an order of their own.
    has_missing : bool
        Whether the training table had missing values in this column.
    date : DatePart or None
        For a number that stands for a column of dates: which number, of which column.

    Examples
    --------
    >>> from treeproof.columns import Column
    >>> Column("colour", np.array(["blue", "red"], dtype=object)).text(1)
    'red'
    """

    name: str
    categories: NDArray[Any] | None = None
    ordered: bool = False
    has_missing: bool = False
    date: DatePart | None = None

    @property
    def is_categorical(self) -> bool:
        """Whether the column is split by category, not by threshold."""
        return self.categories is not None

    @property
    def missing_code(self) -> int:
        """The code of a missing value in a categorical column."""
        assert self.categories is not None
        return len(self.categories)

    def text(self, code: int) -> str:
        """Return the category with this code as text for people."""
        assert self.categories is not None
        if code == self.missing_code:
            return "missing"
        return str(plain(self.categories[code]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        if (
            self.name,
            self.is_categorical,
            self.ordered,
            self.has_missing,
            self.date,
        ) != (
            other.name,
            other.is_categorical,
            other.ordered,
            other.has_missing,
            other.date,
        ):
            return False
        return self.categories is None or (
            other.categories is not None
            and np.array_equal(self.categories, other.categories)
        )

    __hash__ = None  # type: ignore[assignment]


def plain(value: Any) -> Any:
    """Turn a NumPy scalar into a Python one, and a whole float into an int.

    Examples
    --------
    >>> plain(np.float64(3.0)), plain(np.str_("a")), plain(2.5)
    (3, 'a', 2.5)
    """
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def is_missing(value: Any) -> bool:
    """Whether a single object stands for a missing value (None, NaN, NA, NaT).

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(0)
    (True, True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def missing_places(values: Sequence[Any]) -> list[int]:
    """Return where a list has missing values.

    Only values whose type can stand for a missing one are looked at, so that text is
    read quickly.

    Examples
    --------
    >>> missing_places(["a", None, "b", float("nan")])
    [1, 3]
    """
    types = set(map(type, values))
    if not any(_may_be_missing(each) for each in types):
        return []
    return [i for i, value in enumerate(values) if is_missing(value)]


def _may_be_missing(kind: type) -> bool:
    return (
        kind is type(None)
        or kind.__name__ in ("NAType", "NaTType")
        or issubclass(kind, (float, np.floating))
    )
