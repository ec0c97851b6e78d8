"""The numbers that stand for columns of dates, as further columns of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treeproof.border.raw import RawTable
from treeproof.columns import Column
from treeproof.date_parts import PARTS, DatePart

__all__ = ["date_columns", "parts_of", "with_date_parts"]


def date_columns(raw: RawTable) -> list[DatePart]:
    """Return the numbers that stand for the dates of a training table."""
    made = []
    for j, days in sorted(raw.days.items()):
        there = days[~np.isnan(days)]
        if len(there):
            first = str(np.array(there.min()).astype(np.int64).astype("datetime64[D]"))
            made += [DatePart(j, raw.name(j), part, first) for part in PARTS]
    return made


def with_date_parts(raw: RawTable, parts: Sequence[DatePart]) -> RawTable:
    """Return a table with the numbers of its dates as further columns.

    The columns of dates themselves are kept, with a single value.
    """
    if not parts:
        return raw
    columns = [raw.column(j) for j in range(raw.n_columns)]
    missing = dict(raw.missing)
    for k, part in enumerate(parts):
        values = part.of(raw.days[part.source])
        gone = np.isnan(values)
        if gone.any():
            missing[raw.n_columns + k] = gone
        columns.append(values)
    names = [raw.name(j) for j in range(raw.n_columns)] + [p.name for p in parts]
    return RawTable(
        names, raw.n_rows, len(columns), None, columns, raw.declared, raw.orders,
        missing, raw.dates, raw.days,
    )  # fmt: skip


def parts_of(columns: Sequence[Column]) -> list[DatePart]:
    """Return the numbers of dates among the columns of a tree."""
    return [column.date for column in columns if column.date is not None]
