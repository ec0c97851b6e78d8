"""Names of columns in the queries that messages propose."""

from __future__ import annotations

import re

__all__ = ["query_name"]

_RESERVED = """
all analyse analyze and any array as asc asymmetric both case cast check collate
column constraint create default deferrable desc describe distinct do else end
except false fetch for foreign from group having in initially intersect into
lambda lateral leading limit not null offset on only or order pivot pivot_longer
pivot_wider placing primary qualify references returning select show some
summarize symmetric table then to trailing true union unique unpivot using
variadic when where window with
"""
_PLAIN = re.compile("[A-Za-z_][A-Za-z_0-9]*")


def query_name(column: str) -> str:
    """Return a name as a DuckDB query has it, in quotation marks if it needs them.

    Examples
    --------
    >>> query_name("price"), query_name("Order date"), query_name("when")
    ('price', '"Order date"', '"when"')
    """
    if _PLAIN.fullmatch(column) and column.lower() not in _RESERVED.split():
        return column
    return '"' + column.replace('"', '""') + '"'
