"""Whole tables for the online learners: each distinct value is looked up only once.

Data frames of any library come in through narwhals, matrices as they are. The result is
what a loop over the rows would give: columns are taken in sorted order of their names,
categories numbered by their first appearance.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from treeproof.stream.reading import Reading

__all__ = ["columns_of", "encode", "encode_labels"]

Columns = dict[Any, NDArray[Any]]

_FEW = 1024


def columns_of(X: Any) -> Columns:
    """Return the columns of a data frame or of a matrix by their names.

    Examples
    --------
    >>> list(columns_of(np.array([[1, 2], [3, 4]])))
    [0, 1]
    """
    if isinstance(X, np.ndarray):
        return {j: X[:, j] for j in range(X.shape[1])}
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"X must be a data frame (pandas, Polars, Arrow), got {type(X).__name__}."
        )
    return {
        name: _array(series)
        for name, series in zip(frame.columns, frame.iter_columns(), strict=True)
    }


def _array(series: Any) -> NDArray[Any]:
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        values = series.to_numpy()
        if values.dtype.kind in "biuf":
            return np.asarray(values)
    return np.array([*series.to_list(), None], dtype=object)[:-1]


def _distinct(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct values by first appearance, and which each row has."""
    if values.dtype.kind in "biu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < _FEW:
            return _distinct_few(values, low, high - low + 1)
    if values.dtype.kind in "biuf":
        found, first, inverse = np.unique(
            values, return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        return found[order].tolist(), place[inverse.reshape(-1)]
    index: dict[Any, int] = {}
    inverse = np.empty(len(values), dtype=np.intp)
    unhashable: list[Any] = []
    for i, value in enumerate(values.tolist()):
        try:
            inverse[i] = index.setdefault(value, len(index))
        except TypeError:
            unhashable.append(value)
    # What cannot be a category goes to the encoder, which says so.
    return [*index, *unhashable[:1]], inverse


def _distinct_few(
    values: NDArray[Any], low: int, span: int
) -> tuple[list[Any], NDArray[np.intp]]:
    """Do the same for whole numbers in a small range, without sorting."""
    offset = values.astype(np.int64) - low
    first = np.full(span, -1)
    # The last assignment stays: going backwards, that is the first appearance.
    first[offset[::-1]] = np.arange(len(values) - 1, -1, -1)
    present = np.flatnonzero(first >= 0)
    order = present[np.argsort(first[present])]
    place = np.zeros(span, dtype=np.intp)
    place[order] = np.arange(len(order))
    return values[first[order]].tolist(), place[offset]


def _first_present(values: NDArray[Any]) -> Any:
    """Return the first value that is not missing, or None."""
    if values.dtype.kind == "f":
        present = np.flatnonzero(~np.isnan(values))
        return float(values[present[0]]) if len(present) else None
    for value in values.tolist():
        if value is not None and value == value:
            return value
    return None


def encode(
    model: Any, reading: Reading, columns: Columns, n_rows: int, *, learning: bool
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return the codes and the numbers of all rows, as the native model wants them."""
    if learning:
        fresh = [
            name for name, values in columns.items()
            if model.find_column(name) < 0 and _first_present(values) is not None
        ]  # fmt: skip
        for name in reading.order(fresh):
            model.column(name, _first_present(columns[name]))
    places = {model.find_column(name): values for name, values in columns.items()}
    codes = np.zeros((n_rows, model.n_columns), dtype=np.uint8)
    numbers = np.full((n_rows, model.n_numbers), np.nan)
    for column in range(model.n_columns):
        j = model.number_index(column)
        if column not in places:
            if j < 0:
                codes[:, column] = model.missing_code(column, learning)
        elif j < 0:
            distinct, inverse = _distinct(places[column])
            codes[:, column] = model.codes_of(column, distinct, learning)[inverse]
        else:
            numbers[:, j] = _numbers(model, column, places[column])
    return codes, numbers


def _numbers(model: Any, column: int, values: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    distinct, inverse = _distinct(values)
    return model.numbers_in(column, distinct)[inverse]


def encode_labels(model: Any, y: NDArray[Any]) -> NDArray[np.int32]:
    """Return the classes of labels, new ones included."""
    distinct, inverse = _distinct(y)
    return model.labels_of(distinct, True)[inverse]
