"""Marks with which people denote missing values, such as "NA" and "?"."""

from __future__ import annotations

__all__ = ["USUAL_MARKS", "is_usual"]

USUAL_MARKS = frozenset(
    {
        "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "nil", "?", "-", "--", ".",
        "missing", "unknown",
    }
)  # fmt: skip
"""The usual marks in lower case."""


def is_usual(cell: str) -> bool:
    """Whether a cell contains one of the usual marks, in upper or lower case.

    Examples
    --------
    >>> is_usual(" N/A "), is_usual("no")
    (True, False)
    """
    return cell.strip().lower() in USUAL_MARKS
