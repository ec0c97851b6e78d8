"""Reads a table to predict, in the same way as the training table.

Columns with names are found by name, in any order, and further columns are ignored; a
table without names must have the same columns as the training table. Numeric columns
stay numbers, with NaN for missing values. Categories become codes: -1 if they were not
in the training table, and the code after the last category if they are missing.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.dates import parts_of, with_date_parts
from treeproof.border.names import check_names, fitted_columns
from treeproof.border.raw import RawTable, read_raw_table
from treeproof.border.table import MISSING_REFUSED
from treeproof.border.text import TextColumn
from treeproof.columns import UNSEEN, Column, plain

__all__ = ["read_rows"]


def read_rows(
    estimator: Any,
    X: Any,
    columns: Sequence[Column],
    needed: Container[int],
    missing: str = "error",
) -> list[NDArray[Any]] | NDArray[Any]:
    """Read a table to predict, column by column, in the form for `Tree.apply`.

    All columns are checked, but only the columns that are needed are encoded.
    """
    advice = MISSING_REFUSED if missing == "error" else None
    raw = read_raw_table(fitted_columns(estimator, X), advice, allow_dates=True)
    check_names(estimator, raw)
    dates = {part.source for part in parts_of(columns)}
    raw.refuse_dates(j for j in raw.dates if j in needed and j not in dates)
    raw = _with_dates(raw, columns, needed)
    if raw.matrix is not None and not any(c.is_categorical for c in columns):
        return raw.matrix.T
    encoded = []
    for j, column in enumerate(columns):
        values = raw.column(j)
        gone = raw.missing.get(j)
        if raw.is_empty(j):
            encoded.append(_all_missing(column, raw.n_rows))
            continue
        if j not in raw.days:
            _check_type(values, column, raw.label(j))
        if column.categories is not None and j in needed:
            encoded.append(_look_up(values, column, gone))
        elif isinstance(values, TextColumn):
            encoded.append(values.codes)
        else:
            encoded.append(values if gone is None else _with_gaps(values, gone))
    return encoded


def _with_dates(
    raw: RawTable, columns: Sequence[Column], needed: Container[int]
) -> RawTable:
    """Add the numbers that stand for dates; raise if a column has other values."""
    parts = parts_of(columns)
    first = len(columns) - len(parts)
    lacking = {part.source for part in parts} - set(raw.days)
    for k, part in enumerate(parts):
        if part.source not in lacking:
            continue
        if first + k in needed and not raw.is_empty(part.source):
            values = raw.column(part.source)
            example = (
                values.example() if isinstance(values, TextColumn) else plain(values[0])
            )
            raise ValueError(
                f"{raw.label(part.source)} held dates when the tree was fitted and "
                f"holds {example!r} now; convert it, for example with pd.to_datetime."
            )
        raw.days[part.source] = np.full(raw.n_rows, np.nan)
    return with_date_parts(raw, parts)


def _all_missing(column: Column, n_rows: int) -> NDArray[Any]:
    if column.categories is None:
        return np.full(n_rows, np.nan)
    return np.full(n_rows, column.missing_code, dtype=np.int32)


def _with_gaps(values: NDArray[Any], gone: NDArray[np.bool_]) -> NDArray[Any]:
    return np.where(gone, np.nan, values.astype(np.float64))


def _check_type(values: NDArray[Any] | TextColumn, column: Column, label: str) -> None:
    """Raise if a column has text instead of the numbers at fit, or the reverse."""
    if column.categories is not None and len(column.categories) == 0:
        return  # all values were missing in the training set
    was_text = column.categories is not None and column.categories.dtype == object
    if isinstance(values, TextColumn) and not was_text:
        raise ValueError(
            f"{label} held numbers when the tree was fitted and holds text such as "
            f"{values.example()!r} now."
        )
    if was_text and not isinstance(values, TextColumn):
        assert column.categories is not None
        raise ValueError(
            f"{label} held text such as {column.categories[0]!r} when the tree was "
            f"fitted and holds numbers such as {plain(values[0])!r} now."
        )


def _look_up(
    values: NDArray[Any] | TextColumn, column: Column, gone: NDArray[np.bool_] | None
) -> NDArray[np.int32]:
    categories = column.categories
    assert categories is not None
    if isinstance(values, TextColumn):
        return values.look_up(categories, UNSEEN)
    if len(categories) == 0:
        return np.full(len(values), UNSEEN, dtype=np.int32)
    if categories.dtype.kind == "b":
        categories = categories.view(np.uint8)
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
    order = np.argsort(categories) if column.ordered else None
    place = np.searchsorted(categories, values, sorter=order)
    code = np.minimum(place, len(categories) - 1)
    code = code if order is None else order[code]
    found = np.where(categories[code] == values, code, UNSEEN).astype(np.int32)
    if gone is not None:
        found[gone] = column.missing_code
    return found
