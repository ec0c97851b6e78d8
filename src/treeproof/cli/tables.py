"""Reading DATA: a CSV, Parquet or Arrow file, or an SQL query.

DuckDB reads CSV files and runs queries, and pyarrow reads Parquet and Arrow files; both
are installed by ``pip install treeproof[data]``. Without them, Python's own csv module
reads CSV files. A table is a dictionary of columns, which `treeproof.border` accepts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from treeproof.border.labels import read_vector
from treeproof.border.names import known_columns
from treeproof.columns import missing_places
from treeproof.limits import parse_memory
from treeproof.notices import warn_user
from treeproof.sources.csv_files import (
    check_unique,
    header_of,
    read_csv_duckdb,
    read_csv_plain,
)
from treeproof.sources.duck import DuckSource
from treeproof.sources.marks import infinite_marks
from treeproof.sources.opening import ARROW, PARQUET, open_source
from treeproof.words import counted

__all__ = ["column_names", "open_large", "pop_column", "read_table",
           "without_unlabelled"]  # fmt: skip

Table = dict[str, Any]

LARGE_FILE = 64 << 20
"""Files from this size on are counted, not read (see `treeproof.sources`).

A smaller one is read whole, so that error messages can name the row.
"""


def open_large(
    data: str, memory_limit: str | None, na: Sequence[str] | None = None
) -> DuckSource | None:
    """Return a large file, or the files of a pattern, as a source; None otherwise."""
    path = Path(data)
    if _is_query(data) or not (find_spec("duckdb") and find_spec("pyarrow")):
        return None
    if path.is_file():
        large = path.stat().st_size >= LARGE_FILE
    else:
        large = not path.is_dir() and bool(glob(data))
    if not large:
        return None
    if path.suffix.lower() in ARROW | PARQUET:
        _only_infinite(na, f"{data!r} marks missing values itself")
    source = open_source(data, memory=parse_memory(memory_limit), na=na)
    assert isinstance(source, DuckSource)
    return source


def read_table(
    data: str,
    *,
    text: Collection[str] = (),
    database: str | None = None,
    na: Sequence[str] | None = None,
) -> Table:
    """Read a table from a file or a query.

    Parameters
    ----------
    data : str
        The name of a file, or an SQL query that begins with SELECT, WITH or FROM.
    text : collection of str
        Columns of a CSV file to read as text even if they look like numbers.
    database : str or None
        A DuckDB database file for the query. The file may come from somebody else, and
        views in it could read any file, so the query is restricted to the database.
    na : sequence of str or None
        Marks that stand for missing values in all columns of a CSV file; None for the
        usual ones, such as "NA" and "?", in its columns of numbers. Other data knows
        missing values itself, so that "inf" and "-inf" are the only marks for it.
    """
    path = Path(data)
    if _is_query(data):
        _only_infinite(na, "write nullif(column, 'NA') in the query instead")
        return _infinite_as_missing(_query(data, database), na)
    if database is not None:
        raise ValueError(f"--database needs an SQL query as its data, not {data!r}.")
    if path.is_dir():
        raise IsADirectoryError(
            f"{data!r} is a folder; give a file, or a query such as "
            f"\"select * from '{data}/*.csv'\"."
        )
    if not path.is_file():
        hint = " An SQL query begins with SELECT, WITH or FROM." if " " in data else ""
        raise FileNotFoundError(f"There is no file {data!r}.{hint}")
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if suffix.lower() in ARROW | PARQUET:
        _only_infinite(na, f"{data!r} marks missing values itself")
        read = _read_arrow if suffix.lower() in ARROW else _read_parquet
        return _infinite_as_missing(read(path), na)
    if find_spec("duckdb") and find_spec("pyarrow"):
        return _columns(read_csv_duckdb(path, text, na), data)
    return read_csv_plain(path, text, na)


def _only_infinite(na: Sequence[str] | None, instead: str) -> None:
    """Refuse marks other than infinities for data that is not CSV."""
    others = [mark for mark in na or [] if not infinite_marks([mark])]
    if na is not None and (others or not na):
        raise ValueError(f"--na is for CSV files, except for --na inf; {instead}.")


def _infinite_as_missing(table: Table, na: Sequence[str] | None) -> Table:
    """Return Arrow columns in which infinite numbers that `na` names are null."""
    infinite = infinite_marks(na or [])
    if not infinite:
        return table
    import pyarrow as pa
    import pyarrow.compute as pc

    def known(column: Any) -> Any:
        if not pa.types.is_floating(column.type):
            return column
        marks = pa.array(sorted(infinite), column.type)
        return pc.if_else(pc.is_in(column, marks), None, column)

    return {name: known(column) for name, column in table.items()}


def _is_query(data: str) -> bool:
    begins = re.match(r"\s*(select|with|from)\s", data, re.IGNORECASE)
    return begins is not None and not Path(data).exists()


def column_names(data: str) -> list[str]:
    """Return the names of the columns; of a CSV file only the beginning is read."""
    path = Path(data)
    name = path.name.removesuffix(".gz").lower()
    if path.is_file() and not name.endswith((*ARROW, *PARQUET)):
        return header_of(path)[0]
    return list(read_table(data))


def without_unlabelled(table: Table, target: str) -> Table:
    """Leave out the rows in which the target is missing, and say how many they are."""
    labels = read_vector(table[target], "y")
    if labels.dtype.kind == "f":
        gone = np.isnan(labels)
    elif labels.dtype == object:
        gone = np.zeros(len(labels), dtype=bool)
        gone[missing_places(labels.tolist())] = True
    else:
        return table
    n = int(np.count_nonzero(gone))
    if n == 0:
        return table
    if n == len(gone):
        raise ValueError(
            f"The target {target!r} has no value in any of the "
            f"{counted(n, 'row')}, so there is nothing to learn from; name another "
            "column."
        )
    warn_user(
        f"{counted(n, 'row')} without a value of {target!r} "
        f"{'is' if n == 1 else 'are'} left out."
    )
    kept = np.flatnonzero(~gone)
    return {name: values.take(kept) for name, values in table.items()}


def pop_column(table: Table, name: str, what: str) -> Any:
    """Take one column out of a table."""
    if name not in table:
        raise ValueError(
            f"The {what} {name!r} is not a column; {known_columns(name, table)}"
        )
    return table.pop(name)


def _columns(table: Any, data: str) -> Table:
    """Convert an Arrow table to a dictionary; dictionary-encoded text is decoded."""
    check_unique(table.column_names, data)
    if table.num_rows == 0:
        raise ValueError(f"{data!r} has no rows.")
    return {name: table.column(name) for name in table.column_names}


def _query(query: str, database: str | None) -> Table:
    if not (find_spec("duckdb") and find_spec("pyarrow")):
        raise ImportError(
            "SQL queries need DuckDB: install it with pip install 'treeproof[data]'."
        )
    import duckdb

    if database is not None and not Path(database).is_file():
        raise FileNotFoundError(f"There is no database {database!r}.")
    # The user's own query may read any file, but a database may come from others.
    closed: dict[str, Any] = {"enable_external_access": False} if database else {}
    try:
        with duckdb.connect(
            database or ":memory:", read_only=bool(database), config=closed
        ) as base:
            return _columns(base.sql(query).to_arrow_table(), query)
    except duckdb.Error as error:
        message = str(error).split("\n\n")[0]
        raise ValueError(f"The query failed: {message}") from None


def _read_arrow(path: Path) -> Table:
    if not find_spec("pyarrow"):
        raise ImportError(
            "Arrow files need pyarrow: install it with pip install 'treeproof[data]'."
        )
    import pyarrow as pa
    from pyarrow import feather

    try:
        return _columns(feather.read_table(path), str(path))
    except pa.ArrowInvalid as error:
        reason = _first(error)
        raise ValueError(f"{str(path)!r} is not an Arrow file: {reason}") from None


def _read_parquet(path: Path) -> Table:
    if not find_spec("pyarrow"):
        raise ImportError(
            "Parquet files need pyarrow: install it with pip install 'treeproof[data]'."
        )
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            check_unique(file.schema_arrow.names, str(path))
            return _columns(file.read(), str(path))
    except pa.ArrowInvalid as error:
        reason = _first(error)
        raise ValueError(f"{str(path)!r} is not a Parquet file: {reason}") from None


def _first(error: Exception) -> str:
    """Return the first sentence of a message of Arrow."""
    return str(error).split(". ")[0].rstrip(".") + "."
