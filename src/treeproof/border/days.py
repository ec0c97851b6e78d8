"""Dates as days since 1970."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["days_of"]


def days_of(values: Any) -> NDArray[np.float64]:
    """Return dates as days since 1970; NaN for missing ones.

    Times of day are ignored. For dates with a time zone, the local date counts.
    """
    if not isinstance(values, np.ndarray) or values.dtype.kind != "M":
        plain = [_without_zone(value) for value in values]
        values = np.array(plain, dtype="datetime64[D]")
    days = values.astype("datetime64[D]")
    return np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(np.float64))


def _without_zone(value: Any) -> Any:
    if value is None or value != value:
        return None
    return value.date() if hasattr(value, "date") and callable(value.date) else value
