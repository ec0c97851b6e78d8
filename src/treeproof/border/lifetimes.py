"""Reads lifetimes: times, whether an event was observed, and entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.labels import read_vector
from treeproof.notices import warn_user

__all__ = ["Lifetimes", "read_lifetimes"]


@dataclass
class Lifetimes:
    """The times at which rows enter and leave, and whether they leave by an event.

    A row is at risk after its entry and up to its time. Without late entries all
    entries are minus infinity.
    """

    event: NDArray[np.bool_]
    time: NDArray[np.float64]
    entry: NDArray[np.float64]

    def take(self, keep: NDArray[Any]) -> Lifetimes:
        """Return some of the rows."""
        return Lifetimes(self.event[keep], self.time[keep], self.entry[keep])


def read_lifetimes(y: Any, entry: Any, estimator: str) -> Lifetimes:
    """Return lifetimes from scikit-survival's structured array, or from plain times.

    Examples
    --------
    >>> fields = [("event", bool), ("time", float)]
    >>> y = np.array([(True, 3.0), (False, 5.0)], dtype=fields)
    >>> read_lifetimes(y, None, "OptimalSurvivalTree").time
    array([3., 5.])
    >>> read_lifetimes(y, [0.0, 5.0], "OptimalSurvivalTree")
    Traceback (most recent call last):
      ...
    ValueError: Row 1 enters at 5 and leaves at 5: entry must be before the time.
    """
    if y is None:
        raise ValueError(
            f"{estimator} requires y to be passed, but the target y is None."
        )
    event, time = _read_outcome(y)
    _check_times(time, "y")
    if (time < 0).any():
        row = int(np.argmax(time < 0))
        raise ValueError(
            f"Row {row} of y has the time {time[row]:g}; times are 0 or more."
        )
    if not event.any():
        raise ValueError(
            "No event was seen in y, every row is censored; there is nothing to learn."
        )
    late = np.full(len(time), -np.inf)
    if entry is not None:
        late = _numbers(read_vector(entry, "entry"), "entry")
        if late.shape != time.shape:
            raise ValueError(
                f"entry has the shape {late.shape}, expected {time.shape}: one entry "
                "time for each row."
            )
        _check_times(late, "entry")
        wrong = late >= time
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"Row {row} enters at {late[row]:g} and leaves at {time[row]:g}: entry "
                "must be before the time."
            )
    return Lifetimes(event, time, late)


def _read_outcome(y: Any) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    array = y if isinstance(y, np.ndarray) else None
    if array is not None and array.dtype.names is not None:
        names = array.dtype.names
        if len(names) != 2 or array.dtype[0].kind != "b" or array.ndim != 1:
            raise ValueError(
                "y must be a structured array of two fields, first whether the event "
                "was seen (boolean), then the time; see scikit-survival's Surv."
            )
        return array[names[0]].copy(), _numbers(array[names[1]], "y")
    times = read_vector(y, "y")
    if times.ndim == 2 and times.shape[1] == 1:
        times = times[:, 0]
    if times.ndim != 1:
        raise ValueError(
            "y must be a structured array of event (boolean) and time, or, if every "
            f"event was seen, one time for each row; got the shape {times.shape}. "
            "From two columns: np.array(list(zip(died, times)), "
            "dtype=[('event', bool), ('time', float)])."
        )
    if times.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers.")
    read = _numbers(times, "y")
    if len(read) > 2 and set(np.unique(read).tolist()) == {0.0, 1.0}:
        warn_user(
            "y holds only 0 and 1, which are read as times; if they say whether the "
            "event was seen, pass the times as well: np.array(list(zip(y == 1, times)),"
            " dtype=[('event', bool), ('time', float)])."
        )
    return np.ones(len(times), dtype=bool), read


def _numbers(values: NDArray[Any], name: str) -> NDArray[np.float64]:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold times, as numbers.") from None


def _check_times(times: NDArray[np.float64], name: str) -> None:
    wrong = ~np.isfinite(times)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "NaN" if np.isnan(times[row]) else "infinity"
        raise ValueError(
            f"Input {name} contains {what} (first: row {row}). Drop these rows."
        )
