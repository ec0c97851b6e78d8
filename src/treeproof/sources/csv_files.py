"""CSV files: what their first line must be, how they are read, what is wrong with them.

DuckDB reads CSV fast, but when something is wrong it guesses (another separator, a new
name for a second column of the same name) or explains its own options. So the first
line is checked here, separator and quotes are told to DuckDB, and when it fails the
file is read once more, line by line, to say which line is at fault.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from treeproof.border.marks import is_usual
from treeproof.sources.duck import quoted
from treeproof.sources.marks import read_cells, without_marks

__all__ = [
    "check_text",
    "explain_csv",
    "header_of",
    "read_csv_duckdb",
    "read_csv_plain",
    "scan_csv",
]

Table = dict[str, Any]

# No BOOLEAN: labels such as "t" and "f" stay as they are written in the file.
_TYPES = ["BIGINT", "DOUBLE", "TIME", "DATE", "TIMESTAMP", "VARCHAR"]
_SEPARATORS = ",;\t|"
_NOT_CSV = {
    b"PK\x03\x04": "an Excel or zip file; save the table as CSV first",
    b"\x1f\x8b": "a gzip file; give it a name that ends in .gz",
    b"PAR1": "a Parquet file; give it a name that ends in .parquet",
    b"ARROW1": "an Arrow file; give it a name that ends in .arrow",
    b"SQLite format 3": "an SQLite database; export the table as CSV first",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"[": "a JSON file; convert it to CSV or Parquet first",
    b"{": "a JSON file; convert it to CSV or Parquet first",
}
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d+(,\d+)?\s*")
# "61,703" is one of these, or a number with three decimals
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")
# the year comes first, or the day as in 31.12.2024
_CLEAR_DATE = (
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[.](0?[1-9]|1[0-2])[.]\d{4})([ T].*)?"
)
_ODD_NUMBERS = {
    "inf", "+inf", "-inf", "infinity", "-infinity", "nan", "na", "n/a", "null", "none",
}  # fmt: skip


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def header_of(path: Path) -> tuple[list[str], str]:
    """Return the column names of a CSV file, and its separator."""
    name = str(path)
    if path.stat().st_size == 0:
        raise ValueError(f"The file {name!r} is empty.")
    try:
        with _open(path) as file:
            line = file.readline()
            more = file.readline() if line.count(b'"') % 2 else b""
    except (OSError, EOFError) as error:
        raise ValueError(f"{name!r} is not a whole gzip file: {error}.") from None
    for start, what in _NOT_CSV.items():
        if line.startswith(start):
            raise ValueError(f"{name!r} is {what}.")
    if b"\0" in line:
        raise ValueError(f"{name!r} is not a text file.")
    text = _decoded(line + more, 1, path).rstrip("\r\n")
    separator = max(_SEPARATORS, key=text.count)
    names = next(csv.reader(text.splitlines(True), delimiter=separator), [])
    if not any(part.strip() for part in names):
        raise ValueError(f"The first line of {name!r} names no columns.")
    for j, column in enumerate(names):
        if not column.strip():
            raise ValueError(
                f"Column {j + 1} of {name!r} has no name; write one in the first line."
            )
    check_unique(names, name)
    return names, separator


def check_unique(names: list[str], where: str) -> None:
    """Refuse two columns of one name."""
    for column in names:
        if names.count(column) > 1:
            raise ValueError(
                f"{where!r} has {names.count(column)} columns named {column!r}; give "
                "each column its own name."
            )


def scan_csv(
    base: Any,
    path: Path,
    text: Collection[str],
    *,
    names: Any = None,
    na: Sequence[str] | None = None,
) -> Any:
    """Return a CSV file as a relation; `names` are all files of the same form."""
    columns, separator = header_of(path)
    known = {name: "VARCHAR" for name in text if name in columns}
    relation = base.read_csv(
        names or str(path), header=True, sep=separator, quotechar='"', escapechar='"',
        comment="", skiprows=0, auto_type_candidates=_TYPES, sample_size=-1,
        dtype=known or None,
    )  # fmt: skip
    return without_marks(relation, text, na)


def _doubtful_dates(base: Any, path: Path, text: Collection[str]) -> list[str]:
    """Return the columns of dates whose days and months may change places.

    DuckDB takes "03/04/2024" for the third of April or the fourth of March, depending
    on the other rows of the file, so that a model would read the same date in two ways.
    """
    read = scan_csv(base, path, text, na=[])
    kinds = zip(read.columns, map(str, read.types), strict=True)
    dates = [name for name, kind in kinds if kind in ("DATE", "TIMESTAMP")]
    if not dates:
        return []
    cells = scan_csv(base, path, {*text, *dates}, na=[])
    clear = "count(*) filter (where not regexp_full_match(trim({}), '{}'))"
    counts = ", ".join(clear.format(quoted(name), _CLEAR_DATE) for name in dates)
    (doubtful,) = cells.aggregate(counts).fetchall()
    return [name for name, n in zip(dates, doubtful, strict=True) if n]


def explain_csv(path: Path, error: Exception) -> NoReturn:
    """Say what is wrong with a file that DuckDB could not read."""
    for _ in _rows(path, header_of(path)[1]):  # says which line is wrong
        pass
    message = str(error).split("\n")[0]
    raise ValueError(f"{str(path)!r} cannot be read as CSV: {message}") from None


def check_text(table: Any, text: Collection[str], path: Path) -> None:
    """Refuse text columns of an Arrow table that were meant to be numbers."""
    for name in table.column_names:
        if name not in text and str(table.schema.field(name).type).endswith("string"):
            distinct = table.column(name).unique().to_pylist()
            _check_almost_numbers([v for v in distinct if v is not None], name, path)


def read_csv_duckdb(
    path: Path, text: Collection[str], na: Sequence[str] | None = None
) -> Any:
    """Read a CSV file into an Arrow table; columns named in `text` stay text."""
    import duckdb

    try:
        with duckdb.connect() as base:
            known = {*text, *_doubtful_dates(base, path, text)}
            table = scan_csv(base, path, known, na=na).to_arrow_table()
    except duckdb.Error as error:
        explain_csv(path, error)
    if table.num_rows == 0:
        raise ValueError(f"{str(path)!r} has a first line but no rows.")
    check_text(table, text, path)
    return table


def read_csv_plain(
    path: Path, text: Collection[str], na: Sequence[str] | None = None
) -> Table:
    """Read CSV with the standard library: a column is numbers if all its cells are."""
    names, separator = header_of(path)
    _, *body = _rows(path, separator)
    if not body:
        raise ValueError(f"{str(path)!r} has a first line but no rows.")
    columns = {}
    for j, name in enumerate(names):
        written = [row[j] for row in body]
        usual = [] if na is None and name in text else na
        cells = read_cells(written, name, usual)
        columns[name] = _cells(name, cells, text)
        if columns[name].dtype == object and name not in text:
            _check_almost_numbers([c for c in set(cells) if c], name, path)
    return columns


def _rows(path: Path, separator: str) -> Iterator[list[str]]:
    """Yield the rows of a file; ValueError for the first line that is wrong."""
    name = str(path)
    width = 0
    with _open(path) as file:
        try:
            lines = (_decoded(line, k, path) for k, line in enumerate(file, start=1))
            reader = csv.reader(lines, delimiter=separator, strict=True)
            for row in reader:
                if not row:
                    continue
                width = width or len(row)
                if len(row) != width:
                    raise ValueError(
                        f"Line {reader.line_num} of {name!r} has {_count(len(row))}, "
                        f"the first line has {width}."
                    )
                yield row
        except csv.Error as error:
            raise ValueError(
                f"{name!r} cannot be read as CSV: {error} (line {reader.line_num}); "
                "look for a quotation mark that is not closed."
            ) from None
        except (OSError, EOFError) as error:
            raise ValueError(f"{name!r} is not a whole gzip file: {error}.") from None


def _count(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"


def _decoded(line: bytes, number: int, path: Path) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise ValueError(
            f"Line {number} of {str(path)!r} is not UTF-8 text; save the file as UTF-8 "
            "(for example: iconv -f latin1 -t utf-8)."
        ) from None


def _check_almost_numbers(distinct: list[str], name: str, path: Path) -> None:
    """Refuse a column of numbers that is text for a decimal comma or a word as inf."""
    _check_commas(distinct, name, path)
    odd = sorted(v for v in distinct if v.strip().lower() in _ODD_NUMBERS)
    if not odd or len(odd) == len(distinct):
        return
    rest = [v for v in distinct if v not in odd]
    try:
        for value in rest:
            float(value)
    except ValueError:
        return
    others = [v.strip() for v in odd if not _is_infinity(v)]
    marks = ",".join([*others, *(["inf"] if len(others) < len(odd) else [])])
    advice = f"read it as missing with --na {marks!r}"
    if not is_usual(odd[0]):
        advice += ", replace it by a number, or drop these rows"
    raise ValueError(
        f"Column {name!r} of {str(path)!r} holds numbers and {odd[0]!r}; {advice}."
    )


def _check_commas(distinct: list[str], name: str, path: Path) -> None:
    """Refuse numbers with a comma, which may mark the decimals or the thousands."""
    commas = [v for v in distinct if "," in v]
    thousands = all(_THOUSANDS.fullmatch(v) for v in commas)
    others = [v for v in distinct if not thousands or "," not in v]
    if not commas or not all(_COMMA_NUMBER.fullmatch(v) for v in others):
        return
    query = f"\"select * from read_csv('{path}', {{}}=',')\"".format
    decimals = query("decimal_separator")
    if thousands:
        raise ValueError(
            f"Column {name!r} of {str(path)!r} holds numbers with a comma such as "
            f"{commas[0]!r}; read the file with the query {query('thousands')} if it "
            f"separates the thousands, with {decimals} if it is a decimal comma, or "
            "write the numbers without it."
        )
    raise ValueError(
        f"Column {name!r} of {str(path)!r} holds numbers with a decimal comma such as "
        f"{commas[0]!r}; write them with a decimal point, or read the file with the "
        f"query {decimals}."
    )


def _is_infinity(cell: str) -> bool:
    return cell.strip().lower().lstrip("+-") in ("inf", "infinity")


def _cells(name: str, cells: list[str | None], text: Collection[str]) -> Any:
    if name not in text:
        try:
            numbers = np.array([float(c) if c else np.nan for c in cells])
            if all(not c or c.strip().lower() not in _ODD_NUMBERS for c in cells):
                return numbers
        except ValueError:
            pass
    return np.array([*cells, None], dtype=object)[:-1]
