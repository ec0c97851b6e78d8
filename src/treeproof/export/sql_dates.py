"""Tests of dates in SQL.

A test of the year or of the days since the first date is a comparison of the date
itself with another date, which every database understands. The month and the weekday
need functions, which have other names in some dialects. A column may hold dates or
times: comparisons are with the first day after, so that a time of day does not matter.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treeproof.date_parts import DatePart, day_number

__all__ = ["date_test"]

_A_MONDAY = "1970-01-05"


def date_test(part: DatePart, threshold: float, column: Any, dialect: str) -> Any:
    """Return the test that a number of a date is at most the threshold.

    Parameters
    ----------
    part : DatePart
        Which number of the date.
    threshold : float
        The largest number that passes.
    column : sqlglot expression
        The column of dates.
    dialect : str
        The dialect that is written.
    """
    from sqlglot import exp

    last = math.floor(threshold)
    if part.part == "year":
        return exp.LT(this=column.copy(), expression=_date(f"{last + 1:04d}-01-01",
                                                           dialect))  # fmt: skip
    if part.part == "days":
        day = np.datetime64(day_number(part.origin) + last + 1, "D")
        return exp.LT(this=column.copy(), expression=_date(str(day), dialect))
    number = _month if part.part == "month" else _weekday
    limit = exp.Literal.number(str(last))
    return exp.LTE(this=number(column, dialect), expression=limit)


def _date(day: str, dialect: str) -> Any:
    """Return a date; SQLite keeps dates as text."""
    from sqlglot import exp

    text = exp.Literal.string(day)
    if dialect == "sqlite":
        return text
    return exp.Cast(this=text, to=exp.DataType.build("date"))


def _month(column: Any, dialect: str) -> Any:
    from sqlglot import exp

    if dialect == "sqlite":
        return _sqlite("%m", column)
    return exp.Extract(this=exp.var("MONTH"), expression=column.copy())


def _weekday(column: Any, dialect: str) -> Any:
    """Return 1 for Monday to 7 for Sunday."""
    from sqlglot import exp

    one, six, seven = (exp.Literal.number(n) for n in (1, 6, 7))
    if dialect == "sqlite":  # 0 for Sunday
        moved = exp.Paren(this=exp.Add(this=_sqlite("%w", column), expression=six))
        return exp.Add(this=exp.Mod(this=moved, expression=seven), expression=one)
    if dialect in ("duckdb", "postgres", "redshift", "snowflake"):
        unit = "DAYOFWEEKISO" if dialect == "snowflake" else "ISODOW"
        return exp.Extract(this=exp.var(unit), expression=column.copy())
    since = exp.DateDiff(
        this=exp.Cast(this=column.copy(), to=exp.DataType.build("date")),
        expression=_date(_A_MONDAY, dialect),
        unit=exp.var("DAY"),
    )
    # Days before 1970 are negative, and so may be what is left of them.
    left = exp.Mod(this=exp.Paren(this=since), expression=seven)
    moved = exp.Paren(this=exp.Add(this=left, expression=seven.copy()))
    return exp.Add(this=exp.Mod(this=moved, expression=seven.copy()), expression=one)


def _sqlite(layout: str, column: Any) -> Any:
    from sqlglot import exp

    text = exp.Anonymous(
        this="STRFTIME", expressions=[exp.Literal.string(layout), column.copy()]
    )
    return exp.Cast(this=text, to=exp.DataType.build("int"))
