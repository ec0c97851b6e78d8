"""A look at the table before anything is asked: its first rows, its columns as bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.columns import plain
from treeproof.explorer.nodes import Groups, Histogram, count_values
from treeproof.explorer.tables import Table

__all__ = ["MOST_ROWS", "column_histogram", "first_rows"]

MOST_ROWS = 200
_MOST_CLASSES = 12  # with more, bars are not divided


def first_rows(table: Table) -> list[dict[str, Any]]:
    """Return the first rows of a table as plain values.

    Examples
    --------
    >>> from treeproof.explorer.tables import bundled_table
    >>> rows = first_rows(bundled_table("iris"))
    >>> len(rows), rows[0]["row"], rows[0]["species"]
    (150, 1, 'setosa')
    """
    return table.rows(np.arange(min(table.n_rows, MOST_ROWS)))


def column_histogram(table: Table, column: str, target: str | None) -> Histogram:
    """Count the values of a column, divided by the classes of a target.

    Parameters
    ----------
    table : Table
        The table.
    column : str
        The column to count.
    target : str or None
        The column whose classes divide the bars; None for none.

    Examples
    --------
    >>> from treeproof.explorer.tables import bundled_table
    >>> column_histogram(bundled_table("monks"), "holding", "class").places
    ['balloon', 'flag', 'sword']
    """
    groups: Groups = [("rows", np.ones(table.n_rows, dtype=bool))]
    if target is not None:
        labels = table.columns[target]
        known = sorted({str(plain(v)) for v in labels})
        if len(known) <= _MOST_CLASSES:
            words = np.array([str(plain(v)) for v in labels], dtype=object)
            groups = [(label, words == label) for label in known]
    return count_values(column, table.columns[column], groups)
