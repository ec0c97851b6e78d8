"""Reads any two-dimensional table into NumPy arrays, without interpreting it.

NumPy arrays, lists of rows and dictionaries of columns are read directly; pandas,
Polars and Arrow tables through narwhals. The result is a `RawTable`: either one numeric
matrix (the fast way, for tables whose columns are all numbers) or one array per column.
All errors about a table as a whole, before its columns are interpreted, are raised here
(sparse, one-dimensional, empty, ragged, complex, dates, infinite numbers, or missing
values where they are not allowed).

None, NaN, pandas' NA and the nulls of Polars and Arrow are missing values. A column
that has any comes with a mask; the values of its array under the mask are arbitrary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy import sparse

from treeproof.border.days import days_of
from treeproof.border.text import TextColumn, own_order
from treeproof.border.values import (
    Array,
    Column,
    DateError,
    double,
    read_objects,
    read_series,
)

__all__ = ["DateError", "RawTable", "read_raw_table"]

MISSING_ADVICE = (
    "Fill them in (for example with sklearn.impute.SimpleImputer) or drop these rows"
)


@dataclass
class RawTable:
    """A table as it was passed, as arrays.

    Attributes
    ----------
    names : list of str or None
        Column names, where the table has any and all of them are strings.
    matrix : ndarray of shape (rows, columns) or None
        All values, if all columns are numbers (or all are booleans).
    arrays : list of ndarray or TextColumn, or None
        One array per column otherwise: numbers, booleans, or text as codes.
    declared : frozenset of int
        The columns whose dtype is categorical, whatever they contain.
    orders : dict
        For columns of ordered categories, all categories in their order.
    missing : dict
        For columns with missing values, a mask of them.
    dates : dict
        For columns of dates or times, the error that is raised where they are not
        allowed; their arrays contain zeros.
    days : dict
        For columns of dates, the days since 1970, NaN for missing ones.
    """

    names: list[str] | None
    n_rows: int
    n_columns: int
    matrix: NDArray[Any] | None = None
    arrays: list[Array] | None = None
    declared: frozenset[int] = frozenset()
    orders: dict[int, list[Any]] = field(default_factory=dict)
    missing: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    dates: dict[int, DateError] = field(default_factory=dict)
    days: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    def label(self, column: int) -> str:
        """Return the name of a column in messages."""
        if self.names is not None:
            return f"Column {self.names[column]!r}"
        return f"Column {column}"

    def name(self, column: int) -> str:
        """Return the column's name, or x3 for the fourth column of a nameless table."""
        return f"x{column}" if self.names is None else self.names[column]

    def column(self, column: int) -> Array:
        """Return one column."""
        if self.matrix is not None:
            return self.matrix[:, column]
        assert self.arrays is not None
        return self.arrays[column]

    def take(self, rows: NDArray[Any]) -> RawTable:
        """Return the table of the given rows."""
        return RawTable(
            self.names,
            int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows),
            self.n_columns,
            None if self.matrix is None else self.matrix[rows],
            None
            if self.arrays is None
            else [
                a.take(rows) if isinstance(a, TextColumn) else a[rows]
                for a in self.arrays
            ],
            self.declared,
            self.orders,
            {j: m[rows] for j, m in self.missing.items() if m[rows].any()},
            self.dates,
            {j: days[rows] for j, days in self.days.items()},
        )

    def refuse_dates(self, columns: Iterable[int]) -> None:
        """Raise an error for the first of these columns that contains dates."""
        for column in sorted(columns):
            if column in self.dates:
                raise TypeError(str(self.dates[column]))

    def refuse_missing_dates(self, advice: str) -> None:
        """Raise an error for the first column of dates with missing values."""
        for column, days in sorted(self.days.items()):
            gone = np.flatnonzero(np.isnan(days))
            if len(gone):
                raise ValueError(
                    f"{self.label(column)} lacks the date in "
                    f"{_count(len(gone), 'row')} (first: row {gone[0]}). {advice}."
                )

    def is_empty(self, column: int) -> bool:
        """Whether a column has nothing but missing values."""
        return column in self.missing and bool(self.missing[column].all())


def read_raw_table(
    X: Any,
    missing_advice: str | None = MISSING_ADVICE,
    *,
    allow_dates: bool = False,
) -> RawTable:
    """Read any table; raise ValueError or TypeError with a clear sentence.

    Missing values raise an error with the given advice; None allows them. Dates raise
    an error unless they are allowed.
    """
    try:
        table = _read(X)
    except DateError as error:  # the whole table consists of dates
        raise TypeError(str(error)) from None
    if not allow_dates:
        table.refuse_dates(table.dates)
    if missing_advice is not None:
        for j in sorted(table.missing):
            rows = np.flatnonzero(table.missing[j])
            what = "NaN or None" if isinstance(table.column(j), TextColumn) else "NaN"
            raise ValueError(
                f"{table.label(j)} contains {what} in {_count(len(rows), 'row')} "
                f"(first: row {rows[0]}). {missing_advice}."
            )
    return table


def _read(X: Any) -> RawTable:
    if sparse.issparse(X):
        raise TypeError(
            "Sparse data was passed, but dense data is required. Use X.toarray() to "
            "convert it to a dense array."
        )
    if isinstance(X, np.ndarray):
        if X.dtype.names is not None:
            return _from_mapping({name: X[name] for name in X.dtype.names})
        return _from_array(_plain_array(X))
    if isinstance(X, (list, tuple)):
        if X and isinstance(X[0], Mapping):
            return _from_mapping(_columns_of_records(X))
        return _from_array(_rows_to_array(X))
    if isinstance(X, Mapping):
        return _from_mapping(X)
    try:
        frame = nw.from_native(X, eager_only=True, allow_series=True, pass_through=True)
    except DuplicateError:
        names = list(map(str, getattr(X, "column_names", X.columns)))  # Arrow, pandas
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"The table has more than one column named {twice!r}; give each column its "
            "own name."
        ) from None
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame)
    if isinstance(frame, nw.Series):
        raise ValueError(
            "Expected a table with rows and columns, got a single Series. Reshape your "
            "data: pass a data frame with one column, for example X.to_frame()."
        )
    lazy = nw.from_native(X, pass_through=True)
    if isinstance(lazy, nw.LazyFrame):
        raise TypeError("X is a lazy frame; call collect() on it first.")
    try:
        array = np.asarray(X)
    except Exception as error:
        raise TypeError(f"X cannot be read as a table: {error}") from error
    return _from_array(array)


def _plain_array(array: NDArray[Any]) -> NDArray[Any]:
    """Convert subclasses such as matrix to arrays; masked values become NaN or None."""
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            numbers = array.dtype.kind in "biuf"
            filled = array.data.astype(np.float64 if numbers else object)
            filled[np.ma.getmaskarray(array)] = np.nan
            return filled
        return np.asarray(array.data)
    return np.asarray(array)


def _columns_of_records(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Convert a list of dictionaries with the same keys to a dictionary of lists."""
    names = list(rows[0])
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or row.keys() != rows[0].keys():
            raise ValueError(
                f"The rows of X are dictionaries with different keys: row 0 has "
                f"{names}, row {number} is {row!r}."
            )
    return {name: [row[name] for row in rows] for name in names}


def _rows_to_array(rows: Sequence[Any]) -> NDArray[Any]:
    """Read a list of rows; if there are strings, every value keeps its type."""
    try:
        array = np.asarray(rows)
    except ValueError:
        lengths = [len(r) if hasattr(r, "__len__") else 0 for r in rows]
        odd = next((i for i, k in enumerate(lengths) if k != lengths[0]), 0)
        raise ValueError(
            f"The rows of X differ in length: row 0 has {lengths[0]} values, row {odd} "
            f"has {lengths[odd]}."
        ) from None
    # NumPy would convert [["a", 1.5]] to an array of strings.
    return np.array(rows, dtype=object) if array.dtype.kind in "US" else array


def _from_array(array: NDArray[Any], names: list[str] | None = None) -> RawTable:
    if array.ndim < 2:
        kind = "1D array" if array.ndim == 1 else "scalar array"
        raise ValueError(
            f"Expected 2D array, got {kind} instead. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    if array.ndim > 2:
        raise ValueError(
            f"Found array with dim {array.ndim}, while dim <= 2 is required."
        )
    n_rows, n_columns = array.shape
    _check_size(n_rows, n_columns)
    kind = array.dtype.kind
    table = RawTable(names, n_rows, n_columns)
    if kind in "biuf":
        table.matrix = double(array)
        _check_finite(table)
        return table
    if kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers.")
    if kind == "m":
        raise DateError("X", array.dtype)
    if kind not in "OUSM":
        raise TypeError(f"X has the dtype {array.dtype}, which is not supported.")
    table.arrays = []
    for j in range(n_columns):
        if kind == "M":
            error = DateError(table.label(j), array.dtype, days_of(array[:, j]))
            table.arrays.append(_note_dates(table, j, error, n_rows)[0])
            continue
        items = array[:, j].tolist()
        try:
            values, gone = read_objects(items, table.label(j))
        except DateError as error:
            values, gone = _note_dates(table, j, error, len(items))
        table.arrays.append(values)
        _note_missing(table, j, gone)
    _check_finite(table)
    return table


def _note_dates(table: RawTable, column: int, error: DateError, n_rows: int) -> Column:
    table.dates[column] = error
    if error.days is not None:
        table.days[column] = error.days
    return np.zeros(n_rows), None


def _from_frame(frame: nw.DataFrame[Any]) -> RawTable:
    n_rows, n_columns = frame.shape
    _check_size(n_rows, n_columns)
    columns = list(frame.columns)
    strings = [isinstance(name, str) for name in columns]
    if any(strings) and not all(strings):
        raise TypeError(
            "Feature names are only supported if all input features have string names, "
            "but X has names of the types "
            f"{sorted({type(c).__name__ for c in columns})}. "
            "Convert them with X.columns = X.columns.astype(str)."
        )
    table = RawTable(columns if all(strings) else None, n_rows, n_columns)
    schema = frame.schema
    numeric = [dtype.is_numeric() for dtype in schema.values()]
    if all(numeric):
        matrix = frame.to_numpy()
        whole = any(dtype.is_integer() for dtype in schema.values())
        # Integers with missing values have become doubles, which may have rounded them.
        changed = whole and matrix.dtype.kind == "f" and np.isnan(matrix).any()
        if matrix.dtype.kind in "iuf" and not changed:
            table.matrix = double(matrix)
            _check_finite(table)
            return table
    table.declared = frozenset(
        j
        for j, dtype in enumerate(schema.values())
        if dtype in (nw.Categorical, nw.Enum)
    )
    table.arrays = []
    for j, series in enumerate(frame.iter_columns()):
        _add_series(table, j, series)
    _check_finite(table)
    return table


def _add_series(table: RawTable, column: int, series: Any) -> None:
    assert table.arrays is not None
    try:
        values, gone = read_series(series, table.label(column))
    except DateError as error:
        values, gone = _note_dates(table, column, error, len(series))
    table.arrays.append(values)
    _note_missing(table, column, gone)
    if column in table.declared:
        order = own_order(series)
        if order is not None:
            table.orders[column] = order


def _note_missing(table: RawTable, column: int, gone: NDArray[np.bool_] | None) -> None:
    if gone is not None and gone.any():
        table.missing[column] = gone


def _from_mapping(columns: Mapping[Any, Any]) -> RawTable:
    """Read a dictionary of columns: arrays, lists, or series of any kind."""
    names = [str(name) for name in columns]
    table = RawTable(names, 0, len(names), arrays=[])
    assert table.arrays is not None
    for j, (name, values) in enumerate(zip(names, columns.values(), strict=True)):
        label = f"Column {name!r}"
        series = nw.from_native(values, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            if series.dtype in (nw.Categorical, nw.Enum):
                table.declared |= {j}
            _add_series(table, j, series)
            continue
        array = _plain_array(
            values if isinstance(values, np.ndarray) else _rows_to_array(values)
        )
        if array.ndim != 1:
            raise ValueError(f"{label} is not one-dimensional: {array.shape}.")
        if len(array) == 0:
            table.arrays.append(array)
            continue
        if array.dtype.kind in "mM":
            days = days_of(array) if array.dtype.kind == "M" else None
            error = DateError(label, array.dtype, days)
            table.arrays.append(_note_dates(table, j, error, len(array))[0])
            continue
        single = _from_array(array[:, None], [name])
        table.arrays.append(single.column(0))
        if 0 in single.dates:
            _note_dates(table, j, single.dates[0], len(array))
        _note_missing(table, j, single.missing.get(0))
    lengths = [
        len(a.codes) if isinstance(a, TextColumn) else len(a) for a in table.arrays
    ]
    _check_size(lengths[0] if lengths else 0, len(lengths))
    for name, length in zip(names, lengths, strict=True):
        if length != lengths[0]:
            raise ValueError(
                f"The columns differ in length: {names[0]!r} has {lengths[0]} rows, "
                f"{name!r} has {length}."
            )
    table.n_rows = lengths[0]
    _check_finite(table)
    return table


def _check_size(n_rows: int, n_columns: int) -> None:
    if n_columns == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 "
            "is required."
        )
    if n_rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {n_columns})) while a minimum of "
            "1 is required."
        )


def _check_finite(table: RawTable) -> None:
    """Raise if numbers are infinite; store which values are missing."""
    if table.matrix is not None:
        if table.matrix.dtype.kind != "f" or np.isfinite(table.matrix).all():
            return
        columns = np.flatnonzero(~np.isfinite(table.matrix).all(axis=0)).tolist()
    else:
        columns = [
            j
            for j, values in enumerate(table.arrays or [])
            if not isinstance(values, TextColumn)
            and values.dtype.kind == "f"
            and not np.isfinite(values).all()
        ]
    for j in columns:
        values = table.column(j)
        assert not isinstance(values, TextColumn)
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise ValueError(
                f"{table.label(j)} contains infinity in "
                f"{_count(len(infinite), 'row')} (first: row {infinite[0]}). Replace "
                "infinite values by finite ones or drop these rows."
            )
        _note_missing(table, j, np.isnan(values))


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
