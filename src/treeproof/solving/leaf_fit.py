"""The best constant for a set of numbers, and its loss, for each criterion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

__all__ = ["CRITERIA", "LeafFit"]

CRITERIA = ("squared_error", "absolute_error", "quantile", "poisson")
_MOST_DIGITS_LOST = 1e6


@dataclass
class LeafFit:
    """Constants and losses on subsets of weighted targets.

    Losses are fractions of the loss of a single leaf on all rows, so that the units of
    targets and weights do not matter. They are computed from centred and scaled numbers
    and therefore stay precise for targets with large offsets.

    Examples
    --------
    >>> fit = LeafFit("squared_error", np.array([[0.0], [2.0], [9.0]]), np.ones(3))
    >>> fit.value(np.arange(2)), round(fit.loss(np.arange(2)), 4)
    (array([1.]), 0.0448)
    """

    criterion: str
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    levels: tuple[float, ...] = (0.5,)  # of "quantile"

    def __post_init__(self) -> None:
        everything = np.arange(len(self.targets))
        centre = self.value(everything)
        if self.criterion == "quantile":
            centre = centre.reshape(-1, len(self.levels))[:, len(self.levels) // 2]
        self._scaled = self.targets - centre
        with np.errstate(over="ignore"):
            spread = np.abs(self._scaled).max()
        # the range of the targets is too large for a double
        if not np.isfinite(spread):
            self._scaled = self.targets / 4 - centre / 4
            spread = np.abs(self._scaled).max()
        self._unit = float(spread) or 1.0
        self._scaled = self._scaled / self._unit
        self._centre = centre / self._unit
        self._heaviest = float(self.weights.max())
        self.single_leaf = self._raw_loss(everything)

    def value(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the best constant of each output: its mean, median or quantiles."""
        return self._value(self.targets.take(rows, axis=0), self.weights.take(rows))

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the loss on these rows, as a fraction of that of a single leaf."""
        return self._share(self._raw_loss(rows))

    def value_and_losses(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return `value`, `loss` and the mean loss of an output in its own unit."""
        weights = self.weights.take(rows)
        value = self._value(self.targets.take(rows, axis=0), weights)
        weights /= self._heaviest
        raw = self._raw_loss(rows, weights)
        with np.errstate(over="ignore"):
            unit = np.float64(self._unit) ** self._power
        mean = 0.0  # zero in any unit, even in one that a double cannot represent
        if raw > 0.0:
            mean = float(raw / weights.sum() / self.targets.shape[1] * unit)
        return np.append(value, (self._share(raw), mean))

    def _value(
        self, targets: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if self.criterion == "quantile":
            return np.array(
                [_quantile(y, weights, q) for y in targets.T for q in self.levels]
            )
        if self.criterion in ("squared_error", "poisson"):
            # Differences to the first row, so that equal targets give exactly their
            # value.
            base = targets[0]
            if (targets == base).all():
                return base.copy()
            with np.errstate(over="ignore"):
                spread = targets - base
            if np.isfinite(spread).all():
                mean = base + _mean(spread, weights)
                # rounding must not take the mean of counts below zero
                return np.maximum(mean, 0.0) if self.criterion == "poisson" else mean
            return _mean(targets / 4, weights) * 4
        return np.array([_median(column, weights) for column in targets.T])

    def _share(self, raw: float) -> float:
        return raw / self.single_leaf if self.single_leaf > 0.0 else 0.0

    @property
    def root_loss(self) -> float:
        """The loss of a single leaf on all rows, in the unit of targets and weights."""
        with np.errstate(over="ignore"):
            unit = np.float64(self._unit) ** self._power * np.float64(self._heaviest)
            return float(self.single_leaf * unit)

    def check_digits(self) -> None:
        """Refuse weights and targets whose sizes differ too much for sums of doubles.

        A search adds rows to sums and takes them off again. That costs digits where a
        row of little weight has a target so far off that the loss is mostly its own:
        the error, as a part of the loss of a single leaf, is about 1e-16 times
        total weight * (largest distance to the centre)^2 / loss, without the square for
        absolute errors, and with the deviance in its place for counts; where weights
        are whole multiples of one number, so that their sums are exact, times the root
        of that.

        Examples
        --------
        >>> weights = np.array([1.0, 1.0, 1.0, 1.0, 5e-16])
        >>> targets = np.array([[-1.0], [1.0], [-1.0], [1.0], [3e8]])
        >>> fit = LeafFit("squared_error", targets, weights)
        >>> fit.check_digits()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        ValueError: Row 4 weighs 5e-16 and the heaviest row 1: every row of positive...
        """
        if self.single_leaf == 0.0:
            if (self.targets == self.targets[0]).all():
                return
            worst, row = np.inf, int(np.argmin(self.weights))
        else:
            far = np.abs(self._scaled) ** self._power
            if self.criterion == "poisson":
                far = _deviance(self._scaled, self._centre)
            row = int(np.argmax(far.max(axis=1)))
            total = float(self.weights.sum()) / self._heaviest
            worst = total * float(far[row].max()) / self.single_leaf
            if _sums_are_exact(self.weights):
                worst = float(np.sqrt(worst))
        if worst > _MOST_DIGITS_LOST:
            raise ValueError(
                f"Row {row} weighs {self.weights[row]:g} and the heaviest row "
                f"{self._heaviest:g}: every row of positive weight counts, but here "
                "the loss is mostly that of rows too light for double precision to add "
                "to the others; leave them out (or set their weights to 0), or give "
                "them weights nearer to those of the other rows."
            )

    @property
    def _power(self) -> int:
        """The power of the unit of the targets with which the loss grows."""
        return 2 if self.criterion == "squared_error" else 1

    def _raw_loss(
        self, rows: NDArray[np.intp], weights: NDArray[np.float64] | None = None
    ) -> float:
        """Return the loss of scaled targets; weights are shares of the heaviest."""
        targets = self._scaled.take(rows, axis=0)
        if weights is None:
            weights = self.weights.take(rows) / self._heaviest
        if self.criterion in ("squared_error", "poisson"):
            if (targets == targets[0]).all():
                return 0.0
            mean = _mean(targets, weights)
            off = targets - mean
            if self.criterion == "squared_error":
                return float(np.einsum("i,ij,ij->", weights, off, off))
            return float((weights @ _deviance(off, self._centre + mean)).sum())
        if self.criterion == "quantile":
            return sum(
                float(weights @ _pinball(y - _quantile(y, weights, q), q))
                for y in targets.T
                for q in self.levels
            )
        off = targets - np.array([_median(column, weights) for column in targets.T])
        return float((weights[:, None] * np.abs(off)).sum())


def _deviance(
    off: NDArray[np.float64], mean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return y log(y / mean) - y + mean for y = mean + off: half the Poisson deviance.

    Near the mean that is a small difference of large numbers, and a series is used.
    """
    safe = np.where(mean > 0.0, mean, 1.0)  # a mean of 0 is one of zeros
    t = np.maximum(off / safe, -1.0)
    share = 1.0 + t
    result: NDArray[np.float64] = xlogy(share, share)
    result -= t
    near = np.abs(t) < 0.01
    if near.any():
        u = t[near]
        series = np.full_like(u, 1.0 / 110.0)  # Horner's scheme: powers take longer
        for k in range(10, 1, -1):
            series *= -u
            series += 1.0 / (k * (k - 1))
        result[near] = series * u * u
    result *= safe
    return result


def _pinball(off: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    return np.where(off > 0.0, q * off, (q - 1.0) * off)


def _quantile(
    values: NDArray[np.float64], weights: NDArray[np.float64], q: float
) -> float:
    """Return the weighted quantile; the mean of two values that share it."""
    if (weights == weights[0]).all():
        return _plain_quantile(values, q)
    order = np.argsort(values)  # equal values may come in any order
    reached = np.cumsum(weights[order])
    share = reached[-1] * q
    k = min(int(np.searchsorted(reached, share)), len(order) - 1)
    low = float(values[order[k]])
    if reached[k] == share and k + 1 < len(order):
        return low / 2 + float(values[order[k + 1]]) / 2
    return low


def _plain_quantile(values: NDArray[np.float64], q: float) -> float:
    """Return the quantile of values of equal weight, without sorting all of them."""
    share = len(values) * q
    k = min(max(math.ceil(share), 1), len(values)) - 1
    if share != k + 1 or k + 1 == len(values):
        return float(np.partition(values, k)[k])
    parted = np.partition(values, (k, k + 1))
    return float(parted[k]) / 2 + float(parted[k + 1]) / 2


def _sums_are_exact(weights: NDArray[np.float64]) -> bool:
    """Whether all sums of these weights are doubles."""
    unit = np.ldexp(1.0, int(np.frexp(weights.sum())[1]) - 53)
    return bool(np.all(np.fmod(weights, unit) == 0.0))


def _mean(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    # Not a product of matrices: threads of a linear algebra library are slow to start
    # where a search has just used all processors.
    sums: NDArray[np.float64] = np.einsum("i,ij->j", weights, values)
    return sums / weights.sum()


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    return _quantile(values, weights, 0.5)
