"""Numbers and counts as people write them, in texts, pictures and messages."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["count", "counted", "number", "percent"]

_LARGEST, _SMALLEST = 15, -5  # powers of ten beyond which an exponent is shorter


def number(value: Any, digits: int = 6) -> str:
    """Return a number with about so many digits, without an exponent if possible.

    Parameters
    ----------
    value : number
        Any real number.
    digits : int
        Significant digits of small numbers. Numbers of five digits before the point
        keep at least one behind it, larger ones all digits before it.

    Examples
    --------
    >>> number(11338.84), number(192800.0), number(0.5), number(1234567.8)
    ('11,338.8', '192,800', '0.5', '1,234,568')
    >>> number(0.123456, 4), number(1972.5), number(1e-9)
    ('0.1235', '1972.5', '1e-09')
    """
    x = float(value)
    if x == 0 or not math.isfinite(x):
        return f"{x:g}".replace("-0", "0") if x == 0 else f"{x:g}"
    power = math.floor(math.log10(abs(x)))
    if not _SMALLEST < power < _LARGEST:
        return f"{x:.{digits}g}"
    decimals = max(digits - 1 - power, 1 if power < 5 else 0)
    comma = "," if power >= 4 else ""  # years have none
    text = f"{x:{comma}.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(value: Any) -> str:
    """Return a number of rows: whole ones with separators, shares of rows as they are.

    Examples
    --------
    >>> count(2673), count(2673.5)
    ('2,673', '2673.5')
    """
    return f"{int(value):,}" if float(value).is_integer() else number(value)


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun, in the singular or the plural.

    Examples
    --------
    >>> counted(1, "split"), counted(12345, "row"), counted(2, "leaf", "leaves")
    ('1 split', '12,345 rows', '2 leaves')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """Return a share in per cent; 0% only if it is nothing, 100% only if it is all.

    Examples
    --------
    >>> percent(0.5), percent(0.0001), percent(0.0), percent(0.9999), percent(1.0)
    ('50%', '<1%', '0%', '>99%', '100%')
    """
    text = f"{share:.0%}"
    if text == "0%" and share > 0:
        return "<1%"
    return ">99%" if text == "100%" and share < 1 else text
