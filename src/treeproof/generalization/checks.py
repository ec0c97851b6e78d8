"""Checks of numbers that users give; each error message is one sentence."""

from __future__ import annotations

from typing import Any, Literal, cast

__all__ = ["check_count", "check_delta", "check_method", "check_r"]


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number, or refuse one that is too small."""
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not whole or int(value) < least:
        raise ValueError(f"{name} must be a whole number >= {least}, not {value!r}")
    return int(value)


def check_delta(delta: Any) -> float:
    """Return a probability strictly between 0 and 1."""
    if not isinstance(delta, int | float) or not 0 < delta < 1:
        raise ValueError(
            "delta is the probability that the bound fails; it must be greater than 0 "
            f"and less than 1, not {delta!r}"
        )
    return float(delta)


def check_r(r: Any) -> float:
    """Return the ratio of a geometric series that has a finite sum."""
    if not isinstance(r, int | float) or not 0 < r < 1:
        raise ValueError(
            "r is the ratio of the geometric prior on the number of errors; it must be "
            f"greater than 0 and less than 1, not {r!r}"
        )
    return float(r)


def check_method(method: Any) -> Literal["sum", "fast"]:
    """Return the name of a way to evaluate Theorem 9."""
    if method not in ("sum", "fast"):
        raise ValueError(f"method must be 'sum' or 'fast', not {method!r}")
    return cast(Literal["sum", "fast"], method)
