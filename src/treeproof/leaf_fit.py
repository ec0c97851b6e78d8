"""The best constant for a set of numbers, and what it loses, for each criterion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CRITERIA", "LeafFit"]

CRITERIA = ("squared_error", "absolute_error")


@dataclass
class LeafFit:
    """Constants and losses on subsets of weighted targets.

    Losses are fractions of the loss of a single leaf on all rows, so that neither the
    unit of the targets nor that of the weights matters; computed on centred and scaled
    numbers, they keep their digits under large offsets.

    Examples
    --------
    >>> fit = LeafFit("squared_error", np.array([[0.0], [2.0], [9.0]]), np.ones(3))
    >>> fit.value(np.arange(2)), round(fit.loss(np.arange(2)), 4)
    (array([1.]), 0.0448)
    """

    criterion: str
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]

    def __post_init__(self) -> None:
        everything = np.arange(len(self.targets))
        centre = self.value(everything)
        self._scaled = self.targets - centre
        with np.errstate(over="ignore"):
            spread = np.abs(self._scaled).max()
        if not np.isfinite(spread):  # the range itself is beyond the doubles
            self._scaled = self.targets / 4 - centre / 4
            spread = np.abs(self._scaled).max()
        self._unit = float(spread) or 1.0
        self._scaled = self._scaled / self._unit
        self._heaviest = float(self.weights.max())
        self.single_leaf = self._raw_loss(everything)

    def value(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the best constant of each output: the mean or a median."""
        targets, weights = self.targets[rows], self.weights[rows]
        if self.criterion == "squared_error":
            # Differences to the first row: equal targets give exactly their value.
            base = targets[0]
            if (targets == base).all():
                return base.copy()
            with np.errstate(over="ignore"):
                spread = targets - base
            if np.isfinite(spread).all():
                return base + _mean(spread, weights)
            return _mean(targets / 4, weights) * 4
        return np.array([_median(column, weights) for column in targets.T])

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the loss on these rows, as a fraction of that of a single leaf."""
        return self.losses(rows)[0]

    def losses(self, rows: NDArray[np.intp]) -> tuple[float, float]:
        """Return `loss`, and the mean loss in the targets' own unit for one output."""
        raw = self._raw_loss(rows)
        share = raw / self.single_leaf if self.single_leaf > 0.0 else 0.0
        weight = float(self.weights[rows].sum()) / self._heaviest
        power = 2 if self.criterion == "squared_error" else 1
        with np.errstate(over="ignore"):
            unit = np.float64(self._unit) ** power
        if raw == 0.0:  # whatever the unit, which may be beyond double precision
            return share, 0.0
        return share, float(raw / weight / self.targets.shape[1] * unit)

    @property
    def root_loss(self) -> float:
        """The loss of a single leaf on all rows, in the unit of targets and weights."""
        power = 2 if self.criterion == "squared_error" else 1
        with np.errstate(over="ignore"):
            unit = np.float64(self._unit) ** power * np.float64(self._heaviest)
            return float(self.single_leaf * unit)

    def _raw_loss(self, rows: NDArray[np.intp]) -> float:
        targets, weights = self._scaled[rows], self.weights[rows] / self._heaviest
        if self.criterion == "squared_error":
            if (targets == targets[0]).all():
                return 0.0
            off = targets - _mean(targets, weights)
            return float((weights @ (off * off)).sum())
        off = targets - np.array([_median(column, weights) for column in targets.T])
        return float((weights[:, None] * np.abs(off)).sum())


def _mean(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    return (weights @ values) / weights.sum()


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return the weighted median; half-way where two values share it."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    half = reached[-1] / 2
    k = int(np.searchsorted(reached, half))
    low = float(values[order[k]])
    if reached[k] == half and k + 1 < len(order):
        return low / 2 + float(values[order[k + 1]]) / 2
    return low
