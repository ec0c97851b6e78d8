"""Curves of survival, and how well risks order lifetimes.

A row is *at risk* at time t if it entered before t and left at t or later. Both curves
are steps at the times of events; with weights, a row counts as its weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.lifetimes import Lifetimes

__all__ = ["StepFunction", "concordance", "kaplan_meier", "nelson_aalen"]


class StepFunction:
    """A function that is constant between steps, and before the first one.

    Attributes
    ----------
    x : ndarray
        Where the steps are, rising.
    y : ndarray
        The values from each step on.
    before : float
        The value before the first step.
    domain : tuple of float
        From where to where the function is known.

    Examples
    --------
    >>> f = StepFunction(np.array([1.0, 2.0]), np.array([0.8, 0.5]), before=1.0)
    >>> f(0.5), f([1.0, 1.5, 7.0])
    (1.0, array([0.8, 0.8, 0.5]))
    """

    def __init__(
        self, x: NDArray[np.float64], y: NDArray[np.float64], before: float = 0.0
    ) -> None:
        self.x, self.y, self.before = x, y, before

    @property
    def domain(self) -> tuple[float, float]:
        """From where to where the function is known."""
        return (0.0, float(self.x[-1])) if len(self.x) else (0.0, 0.0)

    def __call__(self, at: Any) -> Any:
        """Return the value at one time, or at several."""
        values = np.concatenate([[self.before], self.y])
        found = values[np.searchsorted(self.x, np.asarray(at), side="right")]
        return float(found) if np.ndim(at) == 0 else found


def _hazards(
    rows: Lifetimes, given: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the times of events, and the share of the weight at risk that has one."""
    weights = np.ones(len(rows.time)) if given is None else given
    times, place = np.unique(rows.time[rows.event], return_inverse=True)
    events = np.zeros(len(times))
    np.add.at(events, place, weights[rows.event])

    def from_then_on(moments: NDArray[np.float64]) -> NDArray[np.float64]:
        order = np.argsort(moments, kind="stable")
        total = np.concatenate([[0.0], np.cumsum(weights[order])])
        below = np.searchsorted(moments[order], times, side="left")
        return total[-1] - total[below]

    at_risk = from_then_on(rows.time)
    if len(times) and rows.entry.max() >= times[0]:  # some enter after the first event
        at_risk = at_risk - from_then_on(rows.entry)
    return times, events / at_risk


def nelson_aalen(
    rows: Lifetimes, weights: NDArray[np.float64] | None = None
) -> StepFunction:
    """Return the cumulative hazard: at each event, its share of the rows at risk.

    Examples
    --------
    >>> from treeproof.border.lifetimes import read_lifetimes
    >>> rows = read_lifetimes([1.0, 2.0, 4.0, 4.0], None, "")
    >>> nelson_aalen(rows).y.round(4).tolist()
    [0.25, 0.5833, 1.5833]
    """
    times, hazards = _hazards(rows, weights)
    return StepFunction(times, np.cumsum(hazards), 0.0)


def kaplan_meier(
    rows: Lifetimes, weights: NDArray[np.float64] | None = None
) -> StepFunction:
    """Return the share that survives each time.

    Examples
    --------
    >>> from treeproof.border.lifetimes import read_lifetimes
    >>> rows = read_lifetimes([1.0, 2.0, 4.0, 4.0], None, "")
    >>> kaplan_meier(rows).y.round(4).tolist()
    [0.75, 0.5, 0.0]
    """
    times, hazards = _hazards(rows, weights)
    left = np.clip(1.0 - hazards, 0.0, 1.0)
    return StepFunction(times, np.asarray(np.cumprod(left), np.float64), 1.0)


def concordance(
    event: NDArray[np.bool_], time: NDArray[np.float64], risk: NDArray[np.float64]
) -> float:
    """Return Harrell's C: how often the row with the earlier event has the higher risk.

    A pair counts if the row that left earlier left by an event, or if both left at the
    same time and only one of them by an event. Equal risks count one half.

    Examples
    --------
    >>> event = np.array([True, True, False])
    >>> concordance(event, np.array([1.0, 2.0, 3.0]), np.array([0.9, 0.5, 0.5]))
    0.8333333333333334
    """
    levels, place = np.unique(risk, return_inverse=True)
    order = np.lexsort((event, -time))  # latest first; of one time censored rows first
    later = np.zeros(len(levels) + 1)  # rows that left later, by their risk
    right = tied = pairs = 0.0
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and time[order[end]] == time[order[start]]:
            end += 1
        group = order[start:end]
        np.add.at(later, place[group[~event[group]]], 1.0)
        below = np.concatenate([[0.0], np.cumsum(later)])
        seen = place[group[event[group]]]
        right += below[seen].sum()
        tied += later[seen].sum()
        pairs += below[-1] * len(seen)
        np.add.at(later, seen, 1.0)
        start = end
    if pairs == 0.0:
        raise ValueError(
            "No two rows can be compared: of no pair is it known who left first."
        )
    return float((right + tied / 2) / pairs)
