"""Reading any two-dimensional table into NumPy arrays, without interpreting it.

NumPy arrays, lists of rows and dictionaries of columns are read directly; pandas,
Polars and Arrow tables through narwhals. The result is a `RawTable`: either one numeric
matrix (the fast way, for tables whose columns are all numbers) or one array per column.
Whatever can be said against a table before its columns are given a meaning (sparse,
one-dimensional, empty, ragged, complex, dates, missing or infinite numbers) is said
here.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy import sparse

from treeproof.border.text import (
    MISSING,
    TextColumn,
    factorize_list,
    factorize_series,
)
from treeproof.columns import plain

__all__ = ["RawTable", "is_missing", "read_raw_table"]

MISSING_ADVICE = (
    "Fill them in (for example with sklearn.impute.SimpleImputer) or drop these rows"
)


Array = NDArray[Any] | TextColumn


@dataclass
class RawTable:
    """A table as it came in.

    Attributes
    ----------
    names : list of str or None
        Column names, where the table has any and all of them are strings.
    matrix : ndarray of shape (rows, columns) or None
        All values, if all columns are numbers (or all are booleans).
    arrays : list of ndarray or TextColumn, or None
        One array per column otherwise: numbers, booleans, or text as codes.
    declared : frozenset of int
        Columns whose dtype says that they are categorical, whatever they hold.
    """

    names: list[str] | None
    n_rows: int
    n_columns: int
    matrix: NDArray[Any] | None = None
    arrays: list[Array] | None = None
    declared: frozenset[int] = frozenset()

    def label(self, column: int) -> str:
        """Return how messages call a column."""
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
        )


def read_raw_table(X: Any) -> RawTable:
    """Read any table; raise ValueError or TypeError with one clear sentence."""
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
    """Strip subclasses such as matrix; masked values become NaN or None."""
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            numbers = array.dtype.kind in "biuf"
            filled = array.data.astype(np.float64 if numbers else object)
            filled[np.ma.getmaskarray(array)] = np.nan
            return filled
        return np.asarray(array.data)
    return np.asarray(array)


def _columns_of_records(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Turn a list of dictionaries with the same keys into a dictionary of lists."""
    names = list(rows[0])
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or row.keys() != rows[0].keys():
            raise ValueError(
                f"The rows of X are dictionaries with different keys: row 0 has "
                f"{names}, row {number} is {row!r}."
            )
    return {name: [row[name] for row in rows] for name in names}


def _rows_to_array(rows: Sequence[Any]) -> NDArray[Any]:
    """Read a list of rows, keeping each value's own type if there are strings."""
    try:
        array = np.asarray(rows)
    except ValueError:
        lengths = [len(r) if hasattr(r, "__len__") else 0 for r in rows]
        odd = next((i for i, k in enumerate(lengths) if k != lengths[0]), 0)
        raise ValueError(
            f"The rows of X differ in length: row 0 has {lengths[0]} values, row {odd} "
            f"has {lengths[odd]}."
        ) from None
    # NumPy would turn [["a", 1.5]] into an array of strings.
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
        table.matrix = _double(array)
        _check_finite(table)
        return table
    if kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers.")
    if kind in "mM":
        raise _dates("X", array.dtype)
    if kind not in "OUS":
        raise TypeError(f"X has the dtype {array.dtype}, which is not supported.")
    table.arrays = [
        _read_objects(array[:, j].tolist(), table.label(j)) for j in range(n_columns)
    ]
    _check_finite(table)
    return table


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
        if matrix.dtype.kind in "iuf":
            table.matrix = _double(matrix)
            _check_finite(table)
            return table
    table.declared = frozenset(
        j
        for j, dtype in enumerate(schema.values())
        if dtype in (nw.Categorical, nw.Enum)
    )
    table.arrays = [
        _read_series(series, table.label(j))
        for j, series in enumerate(frame.iter_columns())
    ]
    _check_finite(table)
    return table


def _from_mapping(columns: Mapping[Any, Any]) -> RawTable:
    """Read a dictionary of columns: arrays, lists, or series of any kind."""
    names = [str(name) for name in columns]
    arrays: list[Array] = []
    declared = set()
    for j, (name, values) in enumerate(zip(names, columns.values(), strict=True)):
        label = f"Column {name!r}"
        series = nw.from_native(values, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            if series.dtype in (nw.Categorical, nw.Enum):
                declared.add(j)
            arrays.append(_read_series(series, label))
            continue
        array = _plain_array(
            values if isinstance(values, np.ndarray) else _rows_to_array(values)
        )
        if array.ndim != 1:
            raise ValueError(f"{label} is not one-dimensional: {array.shape}.")
        single = _from_array(array[:, None], [name]) if len(array) else None
        arrays.append(array if single is None else single.column(0))
    lengths = [len(a.codes) if isinstance(a, TextColumn) else len(a) for a in arrays]
    _check_size(lengths[0] if lengths else 0, len(arrays))
    for name, length in zip(names, lengths, strict=True):
        if length != lengths[0]:
            raise ValueError(
                f"The columns differ in length: {names[0]!r} has {lengths[0]} rows, "
                f"{name!r} has {length}."
            )
    table = RawTable(names, lengths[0], len(arrays), arrays=arrays)
    table.declared = frozenset(declared)
    _check_finite(table)
    return table


def _read_series(series: Any, label: str) -> Array:
    dtype = series.dtype
    if dtype.is_temporal():
        raise _dates(label, dtype)
    if dtype.is_nested() or dtype == nw.Binary:
        raise TypeError(
            f"{label} has the type {dtype}; only numbers, booleans and text are "
            "supported."
        )
    if dtype.is_numeric() or dtype == nw.Boolean:
        values = series.to_numpy()
        if values.dtype.kind in "biuf":
            return _double(values)
        return _read_objects(values.tolist(), label)
    try:
        codes, distinct = factorize_series(series)
    except TypeError:
        return _read_objects(series.to_list(), label)
    return _read_codes(codes, distinct, label)


def _read_objects(items: list[Any], label: str) -> Array:
    """Turn a column of Python objects into numbers, booleans, or text."""
    try:
        codes, distinct = factorize_list(items)
    except TypeError:
        for value in items:
            if not isinstance(value, Hashable):
                raise TypeError(_not_scalar(label, value)) from None
        raise
    return _read_codes(codes, distinct, label)


def _read_codes(codes: NDArray[np.int32], distinct: list[Any], label: str) -> Array:
    """Look at the distinct values of a column and decide what it holds."""
    types = set(map(type, distinct))
    if types == {str} and codes.min() >= 0:
        return TextColumn(codes, distinct)
    missing = [k for k, value in enumerate(distinct) if is_missing(value)]
    rows = np.flatnonzero(np.isin(codes, [MISSING, *missing]))
    if len(rows):
        raise ValueError(
            f"{label} contains NaN or None in {_count(len(rows), 'row')} (first: row "
            f"{rows[0]}). {MISSING_ADVICE}."
        )
    if all(issubclass(t, str) for t in types):
        return TextColumn(codes, [str(value) for value in distinct])
    if all(issubclass(t, (bool, np.bool_)) for t in types):
        return np.array(distinct, dtype=bool)[codes]
    for value in distinct:
        if isinstance(value, (complex, np.complexfloating)):
            raise ValueError(f"Complex data not supported: {label} holds {value!r}.")
        if hasattr(value, "year") or isinstance(value, np.datetime64):
            raise _dates(label, type(value).__name__)
        if not isinstance(value, (str, Number, np.generic)):
            raise TypeError(_not_scalar(label, value))
    text = [value for value in distinct if isinstance(value, str)]
    other = [value for value in distinct if not isinstance(value, str)]
    if text:
        raise TypeError(
            f"{label} mixes text such as {str(text[0])!r} with other values such as "
            f"{plain(other[0])!r}. Make all its values text, or all numbers."
        )
    try:
        return np.array(distinct, dtype=np.float64)[codes]
    except (TypeError, ValueError):
        raise TypeError(_not_scalar(label, distinct[0])) from None


def is_missing(value: Any) -> bool:
    """Whether a single object stands for a missing value (None, NaN, NA, NaT)."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and value != value


def _not_scalar(label: str, value: Any) -> str:
    return (
        f"{label} holds {value!r}, a {type(value).__name__}; every value of this "
        "argument must be a string or a real number."
    )


def _dates(label: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{label} holds dates or times ({dtype}). Turn them into numbers first, such "
        "as the year, the month or the days since a start date."
    )


def _double(array: NDArray[Any]) -> NDArray[Any]:
    """Make float16 and long double plain doubles; leave other numbers alone."""
    if array.dtype.kind == "f" and array.dtype not in (np.float32, np.float64):
        return array.astype(np.float64)
    return array


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
    if table.matrix is not None:
        if table.matrix.dtype.kind != "f" or np.isfinite(table.matrix).all():
            return
        bad = ~np.isfinite(table.matrix)
        column = int(np.flatnonzero(bad.any(axis=0))[0])
        _refuse_not_finite(table.matrix[:, column], table.label(column))
    for j, values in enumerate(table.arrays or []):
        if isinstance(values, TextColumn) or values.dtype.kind != "f":
            continue
        if not np.isfinite(values).all():
            _refuse_not_finite(values, table.label(j))


def _refuse_not_finite(values: NDArray[Any], label: str) -> None:
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        raise ValueError(
            f"{label} contains NaN in {_count(len(missing), 'row')} (first: row "
            f"{missing[0]}). {MISSING_ADVICE}."
        )
    infinite = np.flatnonzero(np.isinf(values))
    raise ValueError(
        f"{label} contains infinity in {_count(len(infinite), 'row')} (first: row "
        f"{infinite[0]}). Replace infinite values by finite ones or drop these rows."
    )


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
