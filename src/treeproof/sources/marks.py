"""What DuckDB leaves as text in CSV files: marks such as "NA", times with a zone.

An empty cell is always missing. By default one of the usual marks is missing as well
where all other cells of its column are numbers or dates; in a column of text it stays a
category, since "NA" may be the name of one. Marks that are named by the user are
missing in every column. The mark "inf" stands for all infinite cells of columns of
numbers, whatever their sign and spelling, and "-inf" for the negative ones. Times with
a zone, such as "2024-02-29T08:00:00Z", are dates: the date as it is written, without
the time of day.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from treeproof.border.marks import USUAL_MARKS, is_usual
from treeproof.notices import warn_user
from treeproof.sources.duck import quoted

__all__ = ["infinite_marks", "read_cells", "without_infinite", "without_marks"]

_ZONED = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.]\d+)?)? ?(Z|z|UTC|[+-]\d\d(:?\d\d)?)"


def without_marks(
    relation: Any, text: Collection[str], na: Sequence[str] | None
) -> Any:
    """Return a DuckDB relation of a CSV file in which marks are missing values.

    Parameters
    ----------
    relation : DuckDBPyRelation
        The file as DuckDB reads it.
    text : collection of str
        Columns that stay text whatever they hold.
    na : sequence of str or None
        Marks that are missing values in all columns; None for the usual ones in columns
        of numbers and dates.
    """
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    if na is not None:
        relation = _without_named(relation, na) if na else relation
        relation = without_infinite(relation, infinite_marks(na))
    names = [n for n, kind in types.items() if kind == "VARCHAR" and n not in text]
    if not names or na == []:
        return relation
    cells = _cells_of(relation, names, na)
    kinds, found = {}, {}
    for name, (known, marks, whole, numbers, times, zoned) in cells.items():
        if known and known == zoned:
            kinds[name] = "DATE"
        elif known and (marks or na) and known in (numbers, times):
            kinds[name] = (
                "BIGINT" if known == whole else "DOUBLE" if known == numbers
                else "TIMESTAMP"
            )  # fmt: skip
        else:
            continue
        if marks:
            found[name] = marks
    if not kinds:
        return relation
    if na is None and found:
        _say(found)
    parts = [_as_kind(n, kinds[n], na) if n in kinds else quoted(n) for n in types]
    return relation.project(", ".join(parts))


def infinite_marks(na: Sequence[str]) -> set[float]:
    """Return the infinite numbers that marks stand for.

    Examples
    --------
    >>> sorted(infinite_marks(["NA", "inf"])), infinite_marks(["-inf"])
    ([-inf, inf], {-inf})
    """
    found = {float(mark) for mark in na if _is_infinite(mark)}
    return {math.inf, -math.inf} if math.inf in found else found


def without_infinite(relation: Any, infinite: set[float]) -> Any:
    """Set infinite cells to null in the columns of numbers of a DuckDB relation."""
    kinds = list(map(str, relation.types))
    if not infinite or not {"FLOAT", "DOUBLE"} & set(kinds):
        return relation
    parts = []
    for name, kind in zip(relation.columns, kinds, strict=True):
        cell = quoted(name)
        if kind in ("FLOAT", "DOUBLE"):
            gone = _equals_infinite(cell, infinite)
            cell = f"case when {gone} then null else {cell} end as {cell}"
        parts.append(cell)
    return relation.project(", ".join(parts))


def _equals_infinite(number: str, infinite: set[float]) -> str:
    listed = ", ".join(f"'{value}'::double" for value in sorted(infinite))
    return f"coalesce({number} in ({listed}), false)"


def _as_kind(name: str, kind: str, na: Sequence[str] | None) -> str:
    """Return a column of text as numbers or dates, marks being null.

    A plain try_cast would be pushed down into DuckDB's reader of CSV files, which then
    refuses the marks.
    """
    cell = quoted(name)
    value = f"trim({cell})[:10]" if kind == "DATE" else cell
    return (
        f"case when {_is_mark(cell, na)} then null else try_cast({value} as {kind}) "
        f"end as {cell}"
    )


def _is_mark(cell: str, na: Sequence[str] | None) -> str:
    """Return the condition for marks among numbers: usual ones, or named infinities.

    All other marks that were named are null already.
    """
    if na is None:
        usual = ", ".join(map(_text, sorted(USUAL_MARKS)))
        return f"lower(trim({cell})) in ({usual})"
    infinite = infinite_marks(na)
    if not infinite:
        return "false"
    return _equals_infinite(f"try_cast({cell} as double)", infinite)


def _cells_of(
    relation: Any, names: list[str], na: Sequence[str] | None
) -> dict[str, tuple[int, ...]]:
    """Count cells by kind: known, marks, whole numbers, numbers, times, zoned times."""
    wanted = []
    for name in names:
        cell = quoted(name)
        mark = _is_mark(cell, na)
        number = f"try_cast({cell} as double)"
        finite = f"coalesce(isfinite({number}), false) and not {mark}"
        wanted += [
            f"count(*) filter (where {cell} is not null and not {mark})",
            f"count(*) filter (where {mark})",
            f"count(*) filter (where {finite} and {number} = floor({number}) "
            f"and abs({number}) < 1e15 and not contains({cell}, '.'))",
            f"count(*) filter (where {finite})",
            f"count(try_cast({cell} as timestamp)) filter (where not {mark})",
            f"count(try_cast(trim({cell})[:10] as date)) filter (where "
            f"regexp_full_match(trim({cell}), '{_ZONED}'))",
        ]
    counts = relation.aggregate(", ".join(wanted)).fetchall()[0]
    return {n: tuple(counts[6 * k : 6 * k + 6]) for k, n in enumerate(names)}


def _without_named(relation: Any, na: Sequence[str]) -> Any:
    """Set named marks to null in all columns; a number is a mark by its value."""
    numbers = [number for mark in na if (number := _number(mark)) is not None]
    parts = []
    for name, kind in zip(relation.columns, map(str, relation.types), strict=True):
        cell = quoted(name)
        if kind == "VARCHAR":
            marks = ", ".join(_text(mark.strip()) for mark in na)
            part = f"case when trim({cell}) in ({marks}) then null else {cell} end"
        elif numbers and kind in ("BIGINT", "DOUBLE"):
            marks = ", ".join(map(repr, numbers))
            part = f"case when {cell} in ({marks}) then null else {cell} end"
        else:
            part = cell
        parts.append(f"{part} as {cell}")
    return relation.project(", ".join(parts))


def read_cells(
    cells: list[str], name: str, na: Sequence[str] | None
) -> list[str | None]:
    """Return the cells of one column, None where one is empty or a mark.

    Examples
    --------
    >>> read_cells(["1", "", "-9"], "age", ["-9"])
    ['1', None, None]
    """
    if na is not None:
        numbers = {number for mark in na if (number := _number(mark)) is not None}
        marks = {mark.strip() for mark in na}
        known = [
            None if not c or c.strip() in marks or _number(c) in numbers else c
            for c in cells
        ]
        return _without_infinite_cells(known, infinite_marks(na))
    usual = {c for c in set(cells) if c and is_usual(c)}
    rest = [c for c in set(cells) if c and c not in usual]
    if not usual or not rest or any(_number(c) is None for c in rest):
        return [c or None for c in cells]
    _say({name: sum(c in usual for c in cells)})
    return [None if not c or c in usual else c for c in cells]


def _without_infinite_cells(
    cells: list[str | None], infinite: set[float]
) -> list[str | None]:
    """Set infinite cells to None if all cells of the column are numbers."""
    if not infinite or any(
        c and _number(c) is None and not _is_infinite(c) for c in cells
    ):
        return cells
    return [
        None if c and _is_infinite(c) and float(c) in infinite else c for c in cells
    ]


def _number(cell: str) -> float | None:
    """Return the finite number that a cell holds; None if it holds none."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_infinite(cell: str) -> bool:
    try:
        return math.isinf(float(cell))
    except ValueError:
        return False


def _say(found: dict[str, int]) -> None:
    names = [f"{name!r} ({count:,})" for name, count in found.items()]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    warn_user(
        "Cells such as 'NA' or '?' among numbers and dates are read as missing in: "
        f"{', '.join(names[:5])}{more}."
    )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
