"""Reading DATA: a CSV, Parquet or Arrow file, or an SQL query.

DuckDB reads CSV and runs queries, pyarrow reads Parquet and Arrow files; both come with
``pip install treeproof[data]``. Without them Python's own csv module reads CSV. A table
is a dictionary of columns, which the input border understands.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["column_names", "pop_column", "read_table"]

Table = dict[str, Any]

_ARROW = {".arrow", ".feather", ".ipc"}
_PARQUET = {".parquet", ".pq"}
# No BOOLEAN: labels such as "t" and "f" stay as they are written in the file.
_TYPES = ["BIGINT", "DOUBLE", "TIME", "DATE", "TIMESTAMP", "VARCHAR"]


def read_table(
    data: str, *, text: Collection[str] = (), database: str | None = None
) -> Table:
    """Read a table from a file or a query.

    Parameters
    ----------
    data : str
        The name of a file, or an SQL query that begins with SELECT, WITH or FROM.
    text : collection of str
        Columns of a CSV file to read as text even if they look like numbers.
    database : str or None
        A DuckDB database file for the query.
    """
    path = Path(data)
    if re.match(r"\s*(select|with|from)\s", data, re.IGNORECASE) and not path.exists():
        return _query(data, database)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {data!r}.")
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if suffix.lower() in _ARROW:
        return _read_arrow(path)
    if suffix.lower() in _PARQUET:
        return _read_parquet(path)
    if path.stat().st_size == 0:
        raise ValueError(f"The file {data!r} is empty.")
    if find_spec("duckdb") and find_spec("pyarrow"):
        return _read_csv_duckdb(path, text)
    return _read_csv_plain(path, text)


def column_names(data: str) -> list[str]:
    """Return the names of the columns without reading more of a CSV than its head."""
    path = Path(data)
    name = path.name.removesuffix(".gz").lower()
    if path.is_file() and not name.endswith((*_ARROW, *_PARQUET)):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            head = file.readline().decode("utf-8-sig")
        separator = max(",;\t|", key=head.count)
        return next(csv.reader([head], delimiter=separator), [])
    return list(read_table(data))


def pop_column(table: Table, name: str, what: str) -> Any:
    """Take one column out of a table."""
    if name not in table:
        raise ValueError(
            f"The {what} {name!r} is not a column; the columns are "
            f"{', '.join(map(repr, table))}."
        )
    return table.pop(name)


def _columns(table: Any) -> Table:
    """Turn an Arrow table into a dictionary; text goes plain, not dictionary-coded."""
    return {name: table.column(name) for name in table.column_names}


def _query(query: str, database: str | None) -> Table:
    if not (find_spec("duckdb") and find_spec("pyarrow")):
        raise ImportError(
            "SQL queries need DuckDB: install it with pip install 'treeproof[data]'."
        )
    import duckdb

    if database is not None and not Path(database).is_file():
        raise FileNotFoundError(f"There is no database {database!r}.")
    try:
        with duckdb.connect(database or ":memory:", read_only=bool(database)) as base:
            return _columns(base.sql(query).to_arrow_table())
    except duckdb.Error as error:
        raise ValueError(f"The query failed: {error}") from None


def _read_csv_duckdb(path: Path, text: Collection[str]) -> Table:
    import duckdb

    try:
        with duckdb.connect() as base:
            columns = base.read_csv(
                str(path), header=True, auto_type_candidates=_TYPES
            ).columns
            known = {name: "VARCHAR" for name in text if name in columns}
            table = base.read_csv(
                str(path),
                header=True,
                auto_type_candidates=_TYPES,
                sample_size=-1,
                dtype=known or None,
            )
            return _columns(table.to_arrow_table())
    except duckdb.Error as error:
        message = str(error).split("\n\n")[0]
        raise ValueError(f"{str(path)!r} cannot be read as CSV: {message}") from None


def _read_arrow(path: Path) -> Table:
    if not find_spec("pyarrow"):
        raise ImportError(
            "Arrow files need pyarrow: install it with pip install 'treeproof[data]'."
        )
    import pyarrow as pa
    from pyarrow import feather

    try:
        return _columns(feather.read_table(path))
    except pa.ArrowInvalid as error:
        raise ValueError(f"{str(path)!r} is not an Arrow file: {error}") from None


def _read_parquet(path: Path) -> Table:
    if not find_spec("pyarrow"):
        raise ImportError(
            "Parquet files need pyarrow: install it with pip install 'treeproof[data]'."
        )
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return _columns(parquet.read_table(path))
    except pa.ArrowInvalid as error:
        raise ValueError(f"{str(path)!r} is not a Parquet file: {error}") from None


def _read_csv_plain(path: Path, text: Collection[str]) -> Table:
    """Read CSV with the standard library: a column is numbers if all its cells are."""
    content = path.read_bytes()
    try:
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        lines = content.decode("utf-8-sig").splitlines()
        separator = max(",;\t|", key=lines[0].count)
        rows = [row for row in csv.reader(lines, delimiter=separator) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{str(path)!r} cannot be read as CSV: {error}") from None
    header, body = rows[0], rows[1:]
    for number, row in enumerate(body, start=2):
        if len(row) != len(header):
            raise ValueError(
                f"{str(path)!r} cannot be read as CSV: line {number} has {len(row)} "
                f"cells, the header has {len(header)}."
            )
    return {
        name: _cells(name, [row[j] for row in body], text)
        for j, name in enumerate(header)
    }


def _cells(name: str, cells: list[str], text: Collection[str]) -> Any:
    missing = [cell == "" for cell in cells]
    if name not in text:
        try:
            return np.array([float(c) if c else np.nan for c in cells])
        except ValueError:
            pass
    values: list[str | None] = list(cells)
    if any(missing):
        values = [None if gone else c for c, gone in zip(cells, missing, strict=True)]
    return np.array(values, dtype=object)
