"""Recognising a source: what X is, when it is not a table in memory."""

from __future__ import annotations

import glob
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from treeproof.sources.csv_files import (
    check_text,
    explain_csv,
    header_of,
    scan_csv,
)
from treeproof.sources.duck import DuckSource, connect
from treeproof.sources.marks import infinite_marks, without_infinite
from treeproof.sources.source import Source

__all__ = ["ARROW", "PARQUET", "open_source"]

ARROW = {".arrow", ".feather", ".ipc"}
PARQUET = {".parquet", ".pq"}


def open_source(
    X: Any,
    *,
    text: Collection[str] = (),
    memory: int = 0,
    tables: bool = False,
    na: Sequence[str] | None = None,
) -> Source | None:
    """Return X as a source, or None if it is an ordinary table.

    Parameters
    ----------
    X : object
        The path of a file or a pattern such as "sales/*.parquet", a DuckDB relation, an
        Arrow dataset or a Dask data frame; anything else is no source.
    text : collection of str
        Columns of a CSV file to read as text even if they look like numbers.
    memory : int
        Bytes the process may use; 0 for no limit.
    tables : bool
        Whether an Arrow table is a source as well.
    na : sequence of str or None
        Marks that stand for missing values in CSV files, and infinite numbers that do
        so in any file; see `treeproof.sources.marks`.

    Examples
    --------
    >>> open_source([[1, 2], [3, 4]]) is None
    True
    >>> open_source("nowhere.parquet")
    Traceback (most recent call last):
      ...
    FileNotFoundError: There is no file 'nowhere.parquet'.
    """
    if isinstance(X, DuckSource):
        return X
    if isinstance(X, str | Path):
        return _open_files(str(X), text, memory, na)
    home = type(X).__module__.split(".")[0]
    if home in ("duckdb", "_duckdb") and hasattr(X, "aggregate"):
        return DuckSource(X, "The relation")
    if home == "pyarrow":
        data = sys.modules.get("pyarrow.dataset")
        if data is not None and isinstance(X, data.Dataset):
            return _from_arrow(X, "The dataset", memory)
        if tables and hasattr(X, "column_names") and hasattr(X, "to_batches"):
            return _from_arrow(X, "The table", memory)
    if home.startswith("dask") and hasattr(X, "to_delayed"):
        from treeproof.sources.cluster import DaskSource

        return DaskSource(X)
    return None


def _from_arrow(X: Any, label: str, memory: int) -> DuckSource:
    return DuckSource(connect(memory).from_arrow(X), label)


def _open_files(
    pattern: str, text: Collection[str], memory: int, na: Sequence[str] | None
) -> DuckSource:
    if Path(pattern).is_dir():
        raise IsADirectoryError(
            f"{pattern!r} is a folder; name its files, for example "
            f"'{pattern}/*.parquet'."
        )
    files = [pattern] if Path(pattern).is_file() else sorted(glob.glob(pattern))
    if not files:
        raise FileNotFoundError(f"There is no file {pattern!r}.")
    first = Path(files[0])
    suffix = Path(first.stem).suffix if first.suffix == ".gz" else first.suffix
    base = connect(memory)
    label = repr(pattern)
    infinite = infinite_marks(na or [])
    if suffix.lower() in ARROW:
        from pyarrow import dataset

        relation = base.from_arrow(dataset.dataset(files, format="ipc"))
        return DuckSource(without_infinite(relation, infinite), label)
    # A file may have a name that is a pattern to DuckDB.
    names = [glob.escape(name) for name in files]
    if suffix.lower() in PARQUET:
        relation = _read_parquet(base, names, label)
        return DuckSource(without_infinite(relation, infinite), label)
    _check_headers(files)
    return DuckSource(
        _read_csv(base, first, text, names, na),
        label,
        explain=lambda error: explain_csv(first, error),
        check=lambda table: check_text(table, text, first),
    )


def _read_parquet(base: Any, names: list[str], label: str) -> Any:
    import duckdb

    try:
        return base.read_parquet(names)
    except duckdb.Error as error:
        reason = str(error).split("\n")[0]
        raise ValueError(f"{label} is not a Parquet file: {reason}") from None


def _read_csv(
    base: Any,
    first: Path,
    text: Collection[str],
    names: list[str],
    na: Sequence[str] | None,
) -> Any:
    import duckdb

    try:
        return scan_csv(base, first, text, names=names, na=na)
    except duckdb.Error as error:
        explain_csv(first, error)


def _check_headers(files: list[str]) -> None:
    """Refuse CSV files of which one has other columns than the first."""
    names, separator = header_of(Path(files[0]))
    for file in files[1:]:
        if header_of(Path(file)) != (names, separator):
            raise ValueError(
                f"{file!r} does not have the same first line as {files[0]!r}."
            )
