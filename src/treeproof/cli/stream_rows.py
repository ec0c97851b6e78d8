"""Rows of a file or of standard input, one at a time.

CSV cells are text; the first thousand rows decide which columns hold numbers. As with
``treeproof fit``, whole numbers are numbers, unless the column is named as categorical.
Empty cells and marks such as "NA" are missing values.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from treeproof.border.marks import is_usual
from treeproof.border.names import known_columns

__all__ = ["read_rows"]

Rows = Iterator[tuple[dict[str, Any], Any]]

_LOOK_AHEAD = 1000


def read_rows(
    data: str,
    target: str,
    *,
    numeric: Collection[str] = (),
    categorical: Collection[str] = (),
    drop: Collection[str] = (),
) -> Rows:
    """Yield (x, y) for each row that has a label.

    Parameters
    ----------
    data : str
        A CSV file (also gzipped), a Parquet file, or ``-`` for CSV on standard input.
    target : str
        The column with the labels.
    numeric : collection of str
        Columns to read as numbers whatever their first rows hold.
    categorical : collection of str
        Columns of numbers to read as categories.
    drop : collection of str
        Columns to leave out.
    """
    path = Path(data)
    if data != "-" and not path.is_file():
        raise FileNotFoundError(f"There is no file {data!r}.")
    parquet = path.suffix.lower() in {".parquet", ".pq"}
    records = _parquet(path) if parquet else _csv(data)
    first = list(islice(records, _LOOK_AHEAD))
    if not first:
        raise ValueError(f"{data!r} has no rows to learn from.")
    names = list(first[0])
    for name in (target, *numeric, *categorical, *drop):
        if name not in names:
            raise ValueError(
                f"There is no column {name!r}; {known_columns(name, names)}"
            )
    readers = {
        name: _number
        if name in numeric
        else _reader(first, name, as_category=name in categorical)
        for name in names
        if name not in drop and name != target
    }
    label = _same if parquet else _reader(first, target, as_category=True)
    return _read(chain(first, records), target, label, readers)


def _read(
    records: Iterable[dict[str, Any]],
    target: str,
    label: Callable[[Any], Any],
    readers: dict[str, Callable[[Any], Any]],
) -> Rows:
    for record in records:
        y = record.get(target)
        if y is None or y == "":
            continue
        yield {name: read(record.get(name)) for name, read in readers.items()}, label(y)


def _reader(
    first: list[dict[str, Any]], name: str, as_category: bool
) -> Callable[[Any], Any]:
    """Return how to read a column, going by its first cells."""
    cells: list[Any] = [v for r in first if not _is_gone(v := r.get(name))]
    if not all(isinstance(cell, str) for cell in cells):  # Parquet
        numbers = all(type(cell) in (int, float) for cell in cells)
        return _number if numbers and not as_category else _same
    if cells and all(_is(int, cell) for cell in cells):
        return _whole if as_category else _number
    if cells and all(_is(float, cell) for cell in cells):
        return _text if as_category else _number
    return _text


def _is_gone(cell: Any) -> bool:
    return cell is None or cell == "" or (isinstance(cell, str) and is_usual(cell))


def _is(kind: type, cell: str) -> bool:
    try:
        kind(cell)
    except ValueError:
        return False
    return True


def _text(cell: Any) -> Any:
    return None if cell == "" else cell


def _whole(cell: Any) -> Any:
    if _is_gone(cell):
        return None
    return int(cell) if _is(int, cell) else cell


def _number(cell: Any) -> Any:
    if _is_gone(cell):
        return None
    return float(cell) if not isinstance(cell, str) or _is(float, cell) else cell


def _same(cell: Any) -> Any:
    return cell


@contextmanager
def _opened(data: str) -> Iterator[IO[str]]:
    if data == "-":
        yield sys.stdin
    elif data.endswith(".gz"):
        with gzip.open(data, "rt", newline="", encoding="utf-8") as file:
            yield file
    else:
        with open(data, newline="", encoding="utf-8") as file:
            yield file


def _csv(data: str) -> Iterator[dict[str, Any]]:
    with _opened(data) as file:
        reader = csv.DictReader(file)
        for record in reader:
            if None in record:
                raise ValueError(
                    f"Line {reader.line_num} has more cells than the header has names."
                )
            yield record


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow: install it with pip install 'treeproof[data]'."
        ) from None
    for batch in ParquetFile(path).iter_batches(batch_size=4096):
        yield from batch.to_pylist()
