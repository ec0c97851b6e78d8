"""Dates that are written as text: in which format, and whether that is clear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["date_layouts"]

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_TIME = r"(?:[ T]\d{1,2}:\d{2}.*)?"
_DATES = tuple(
    (re.compile(pattern, re.IGNORECASE), layouts)
    for pattern, *layouts in (
        (rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}{_TIME}", "%Y-%m-%d"),
        (rf"\d{{4}}/\d{{1,2}}/\d{{1,2}}{_TIME}", "%Y/%m/%d"),
        (rf"\d{{1,2}}/\d{{1,2}}/\d{{4}}{_TIME}", "%m/%d/%Y", "%d/%m/%Y"),
        (rf"\d{{1,2}}\.\d{{1,2}}\.\d{{4}}{_TIME}", "%d.%m.%Y"),
        (rf"\d{{1,2}}-\d{{1,2}}-\d{{4}}{_TIME}", "%d-%m-%Y", "%m-%d-%Y"),
        (rf"{_MONTH}\.? \d{{1,2}}, ?\d{{4}}", "%B %d, %Y"),
        (rf"\d{{1,2}}[ -]{_MONTH}\.?[ -]\d{{2,4}}", "%d %B %Y"),
        (rf"{_MONTH}[ -]\d{{4}}", "%b-%Y"),
    )
)


def date_layouts(texts: Sequence[str], words: Iterable[str]) -> list[str]:
    """Return the formats of dates, if all values are dates in the same format.

    There are two if the day and the month could be taken for each other.

    Parameters
    ----------
    texts : sequence of str
        Some of the values, which decide whether these are dates.
    words : iterable of str
        All values, which decide whether the day or the month comes first.

    Examples
    --------
    >>> day = ["03/04/2024"]
    >>> date_layouts(day, day), date_layouts(day, ["3/14/2024"])
    (['%m/%d/%Y', '%d/%m/%Y'], ['%m/%d/%Y'])
    >>> date_layouts(["2024-05-01"], ["2024-05-01"]), date_layouts(["May"], ["May"])
    (['%Y-%m-%d'], [])
    """
    for pattern, layouts in _DATES:
        if all(pattern.fullmatch(text.strip()) for text in texts):
            if len(layouts) == 1:
                return layouts
            parts = [re.findall(r"\d+", word)[:2] for word in words]
            most = [
                max(map(int, part), default=0) for part in zip(*parts, strict=False)
            ]
            months = [most[layout.startswith("%d")] <= 12 for layout in layouts]
            fit = [found for found, may in zip(layouts, months, strict=True) if may]
            return fit or layouts
    return []
