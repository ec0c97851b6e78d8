"""The numbers that trees test of a date: year, month, weekday, days since the first.

A column of dates cannot be split by itself. Four columns of whole numbers stand for it,
added after the columns of the table. They are written here once, for the border, which
makes them, and for the exports, which have to compute the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PARTS", "DatePart", "day_number"]

PARTS = ("year", "month", "weekday", "days")


@dataclass(frozen=True)
class DatePart:
    """A number that is computed from a column of dates.

    Attributes
    ----------
    source : int
        The column of the table that holds the dates.
    column : str
        Its name.
    part : {"year", "month", "weekday", "days"}
        Which number: the month is 1 to 12, the weekday 1 (Monday) to 7 (Sunday).
    origin : str
        For "days": the first date of the training rows, which is day 0.

    Examples
    --------
    >>> DatePart(0, "sold", "days", "2024-01-01").name
    'days of sold since 2024-01-01'
    """

    source: int
    column: str
    part: str
    origin: str

    @property
    def name(self) -> str:
        """The name of the column of these numbers."""
        if self.part == "days":
            return f"days of {self.column} since {self.origin}"
        monday = " (1 = Monday)" if self.part == "weekday" else ""
        return f"{self.part} of {self.column}{monday}"

    def of(self, days: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers of some dates, which are days since 1970; NaN stays.

        Examples
        --------
        >>> friday = np.array([float(day_number("2024-03-01")), np.nan])
        >>> [DatePart(0, "x", part, "2024-01-01").of(friday)[0] for part in PARTS]
        [np.float64(2024.0), np.float64(3.0), np.float64(5.0), np.float64(60.0)]
        """
        there = ~np.isnan(days)
        whole = days[there].astype(np.int64)
        found = np.full(len(days), np.nan)
        dates = whole.astype("datetime64[D]")
        if self.part == "year":
            found[there] = dates.astype("datetime64[Y]").astype(np.int64) + 1970
        elif self.part == "month":
            found[there] = dates.astype("datetime64[M]").astype(np.int64) % 12 + 1
        elif self.part == "weekday":
            found[there] = (whole + 3) % 7 + 1  # 1 January 1970 was a Thursday
        else:
            found[there] = whole - day_number(self.origin)
        return found

    def of_value(self, value: Any) -> float:
        """Return the number of one date; NaN for a missing one."""
        day = np.datetime64(value, "D")
        if np.isnat(day):
            return float("nan")
        return float(self.of(np.array([float(day.astype(np.int64))]))[0])


def day_number(date: str) -> int:
    """Return the days of a date since 1970.

    Examples
    --------
    >>> day_number("1970-01-02")
    1
    """
    return int(np.datetime64(date, "D").astype(np.int64))
