"""Distinct rows with their counts, small enough to travel and quick to add up.

Every column is kept as its distinct values and one small whole number a row, so that a
row of a dozen words takes some twenty bytes. Rows are told apart by a single number:
the codes of the columns are the digits of a number whose bases are the columns' sizes.
When that number would outgrow 64 bits, the numbers met so far are themselves numbered,
and the next column goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.sources.source import LOW, ROWS, WEIGHT, Cuts

__all__ = ["CodedRows", "add_up", "count_rows"]

Codes = NDArray[np.integer[Any]]


@dataclass
class CodedRows:
    """Distinct rows of a table.

    Attributes
    ----------
    values : dict
        For each column its distinct values, an Arrow array (null may be one of them).
    codes : dict
        For each column the place of each row's value.
    sums, least : dict
        What adds up when equal rows meet, and what only the least remains of.
    n_rows : int
        How many rows there were before equal ones were merged.
    """

    values: dict[str, Any]
    codes: dict[str, Codes]
    sums: dict[str, NDArray[Any]]
    least: dict[str, NDArray[np.float64]]
    n_rows: int

    def __len__(self) -> int:
        return len(self.sums[ROWS])

    def to_arrow(self) -> Any:
        """Return the rows as an Arrow table."""
        import pyarrow as pa

        columns = {name: self.values[name].take(c) for name, c in self.codes.items()}
        return pa.table({**columns, **self.sums, **self.least})


def count_rows(
    table: Any, keys: Sequence[str], weight: str | None, cuts: Cuts
) -> CodedRows:
    """Count the distinct rows of an Arrow table.

    A column of `cuts` counts as the number of its bin; the least value seen goes along.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values, codes = {}, {}
    least: dict[str, NDArray[np.float64]] = {}
    for name in keys:
        column = table.column(name)
        if name in cuts:
            array = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
            least[LOW + name] = array
            number = np.searchsorted(cuts[name], array).astype(np.int32)
            column = pa.array(number, mask=np.isnan(array))
        elif pa.types.is_floating(column.type):
            column = pc.add(column, 0.0).cast(column.type)  # no negative zero
        values[name], codes[name] = _encoded(column)
    sums: dict[str, NDArray[Any]] = {ROWS: np.ones(table.num_rows, dtype=np.int64)}
    if weight is not None:
        sums[WEIGHT] = table.column(weight).cast(pa.float64()).to_numpy()
    return _merged(CodedRows(values, codes, sums, least, table.num_rows))


def add_up(parts: Sequence[CodedRows], most: int) -> CodedRows:
    """Merge counts; a part with more than `most` rows is returned as it is."""
    for part in parts:
        if len(part) > most:
            return part
    values, codes = {}, {}
    for name in parts[0].values:
        values[name], place = _encoded(_together([p.values[name] for p in parts]))
        ends = np.cumsum([len(p.values[name]) for p in parts])[:-1]
        codes[name] = np.concatenate(
            [
                new[part.codes[name]]
                for new, part in zip(np.split(place, ends), parts, strict=True)
            ]
        )

    def glued(field: str) -> dict[str, NDArray[Any]]:
        first: Mapping[str, Any] = getattr(parts[0], field)
        return {k: np.concatenate([getattr(p, field)[k] for p in parts]) for k in first}

    n_rows = sum(part.n_rows for part in parts)
    return _merged(CodedRows(values, codes, glued("sums"), glued("least"), n_rows))


def _encoded(column: Any) -> tuple[Any, Codes]:
    """Return the distinct values of an Arrow column and each row's place in them."""
    import pyarrow as pa

    encoded = column.dictionary_encode(null_encoding="encode")
    if isinstance(encoded, pa.ChunkedArray):  # its chunks share one dictionary
        encoded = encoded.combine_chunks()
    size = len(encoded.dictionary)
    small = np.min_scalar_type(max(0, size - 1))
    return encoded.dictionary, encoded.indices.to_numpy().astype(small)


def _together(arrays: Sequence[Any]) -> Any:
    """Put the values of several parts into one column of a type that holds all."""
    import pyarrow as pa

    tables = [pa.table({"values": array}) for array in arrays]
    return pa.concat_tables(tables, promote_options="permissive").column("values")


def _merged(rows: CodedRows) -> CodedRows:
    """Merge equal rows."""
    key, first = _numbered(rows)
    n = len(first)
    sums = {
        name: np.bincount(key, array, minlength=n).astype(array.dtype)
        for name, array in rows.sums.items()
    }
    least = {}
    for name, array in rows.least.items():
        least[name] = np.full(n, np.nan)
        np.fmin.at(least[name], key, array)
    codes = {name: array[first] for name, array in rows.codes.items()}
    return CodedRows(rows.values, codes, sums, least, rows.n_rows)


def _numbered(rows: CodedRows) -> tuple[Codes, Codes]:
    """Return each row's number among the distinct rows, and where each came first."""
    key = np.zeros(len(rows), dtype=np.int64)
    size = 1
    for name, codes in rows.codes.items():
        base = max(1, len(rows.values[name]))
        if size * base > np.iinfo(np.int64).max:
            distinct, key = np.unique(key, return_inverse=True)
            size = len(distinct)
        key = key * base + codes
        size *= base
    _, first, key = np.unique(key, return_index=True, return_inverse=True)
    return key, first
