"""Reads the values of one column.

A column of numbers or booleans becomes an array, a column of text becomes codes. Dates,
complex numbers, nested values and mixtures of text and numbers raise errors.
"""

from __future__ import annotations

from collections.abc import Hashable
from numbers import Number
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from treeproof.border.days import days_of
from treeproof.border.marks import is_usual
from treeproof.border.text import (
    MISSING,
    TextColumn,
    factorize_list,
    factorize_series,
)
from treeproof.columns import is_missing, plain

__all__ = ["Array", "Column", "DateError", "double", "read_objects", "read_series"]

Array = NDArray[Any] | TextColumn
Column = tuple[Array, NDArray[np.bool_] | None]
"""A column's values, and a mask of the missing ones, or None."""


class DateError(TypeError):
    """A column holds dates or times.

    Attributes
    ----------
    durations : bool
        Whether it contains durations.
    days : ndarray of float64 or None
        The dates as days since 1970, NaN for missing ones; None if they are not dates.
    """

    def __init__(
        self, label: str, dtype: Any, days: NDArray[np.float64] | None = None
    ) -> None:
        self.days = days
        self.durations = "elta" in str(dtype) or "uration" in str(dtype)
        name = label.removeprefix("Column ")
        example = "the year, the month or the days since a start date"
        if name.startswith("'"):
            number = "dt.total_seconds()" if self.durations else "dt.year"
            example = f"X[{name}] = X[{name}].{number}"
        super().__init__(
            f"{label} holds dates or times ({dtype}). Turn them into numbers first, "
            f"such as {example}, or leave them out."
        )


def read_series(series: Any, label: str) -> Column:
    """Convert a column of a data frame to numbers, booleans, or text."""
    dtype = series.dtype
    if dtype.is_temporal():
        raise DateError(label, dtype, _days_of_series(series))
    if dtype.is_nested() or dtype == nw.Binary:
        raise TypeError(
            f"{label} has the type {dtype}; only numbers, booleans and text are "
            "supported."
        )
    if dtype.is_numeric() or dtype == nw.Boolean:
        gone = series.is_null().to_numpy() if series.null_count() else None
        if gone is not None and not dtype.is_float():
            series = series.fill_null(False if dtype == nw.Boolean else 0)
        values = series.to_numpy()
        if values.dtype.kind in "biuf":
            return double(values), gone
        return read_objects(values.tolist(), label)
    try:
        codes, distinct = factorize_series(series)
    except TypeError:
        return read_objects(series.to_list(), label)
    return _read_codes(codes, distinct, label)


def _days_of_series(series: Any) -> NDArray[np.float64] | None:
    if series.dtype not in (nw.Date, nw.Datetime):
        return None
    zone = getattr(series.dtype, "time_zone", None)
    values = series.to_list() if zone else series.to_numpy()
    return days_of(values)


def _days_of_codes(
    codes: NDArray[np.int32], distinct: list[Any]
) -> NDArray[np.float64] | None:
    """Return the days of Python's dates; None if other values are among them."""
    for value in distinct:
        if not (hasattr(value, "year") or isinstance(value, np.datetime64)):
            return None
    return np.append(days_of(distinct), np.nan)[codes]


def read_objects(items: list[Any], label: str) -> Column:
    """Convert a column of Python objects to numbers, booleans, or text."""
    try:
        codes, distinct = factorize_list(items)
    except TypeError:
        for value in items:
            if not isinstance(value, Hashable):
                raise TypeError(_not_scalar(label, value)) from None
        raise
    return _read_codes(codes, distinct, label)


def _read_codes(codes: NDArray[np.int32], distinct: list[Any], label: str) -> Column:
    """Decide from the distinct values of a column what it contains."""
    types = set(map(type, distinct))
    if types == {str} and codes.min() >= 0:
        return TextColumn(codes, distinct), None
    known = [value for value in distinct if not is_missing(value)]
    # Codes among the values that are there; one entry more for the code -1.
    place = np.full(len(distinct) + 1, MISSING, dtype=np.int32)
    place[:-1][[not is_missing(value) for value in distinct]] = range(len(known))
    codes, distinct, types = place[codes], known, set(map(type, known))
    gone = codes == MISSING
    if all(issubclass(t, str) for t in types):
        return TextColumn(codes, [str(value) for value in distinct]), gone
    if all(issubclass(t, (bool, np.bool_)) for t in types):
        return np.array([*distinct, False], dtype=bool)[codes], gone
    for value in distinct:
        if isinstance(value, (complex, np.complexfloating)):
            raise ValueError(f"Complex data not supported: {label} holds {value!r}.")
        if hasattr(value, "year") or isinstance(value, np.datetime64):
            raise DateError(
                label, type(value).__name__, _days_of_codes(codes, distinct)
            )
        if not isinstance(value, (str, Number, np.generic)):
            raise TypeError(_not_scalar(label, value))
    text = [value for value in distinct if isinstance(value, str)]
    other = [value for value in distinct if not isinstance(value, str)]
    if text:
        advice = "Make all its values text, or all numbers."
        if all(map(is_usual, text)):
            spot = f"X[{label.removeprefix('Column ')}]"
            advice = (
                f"If {str(text[0])!r} stands for a missing value, write "
                f"{spot} = pd.to_numeric({spot}, errors='coerce')."
            )
        raise TypeError(
            f"{label} mixes text such as {str(text[0])!r} with other values such as "
            f"{plain(other[0])!r}. {advice}"
        )
    try:
        return np.array([*distinct, np.nan], dtype=np.float64)[codes], gone
    except (TypeError, ValueError):
        raise TypeError(_not_scalar(label, distinct[0])) from None


def _not_scalar(label: str, value: Any) -> str:
    return (
        f"{label} holds {value!r}, a {type(value).__name__}; every value of this "
        "argument must be a string or a real number."
    )


def double(array: NDArray[Any]) -> NDArray[Any]:
    """Convert float16 and long double to double; other numbers are not changed."""
    if array.dtype.kind == "f" and array.dtype not in (np.float32, np.float64):
        return array.astype(np.float64)
    return array
