"""The targets of a regression, centred and scaled so that rounding errors are known.

Part of the checker: section 5 of docs/proof-format.md. The standard library and NumPy
only. Losses with logarithms are in `deviances`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.proof.header import MAX_NUMBER, read_number
from treeproof.proof.rejected import Array, Rejected, require

LEAST_LOSS, MOST_LOSS = 1e-300, 1e300  # of a single leaf, in the unit of the targets
LEAST_SCALED_LOSS = 1e-250  # of a single leaf, with all numbers scaled to at most 1
ROUNDING = 2.0**-53  # of one operation on doubles
NEAR = 2.0**-50  # as a fraction of a leaf's largest target: the precision of its mean


class Targets:
    """Weighted targets as channels: numbers whose sums determine the cost of a leaf.

    Everything is multiplied by powers of two, which causes no rounding, so that no
    weight and no centred target is above 1. A bound on the rounding errors of sums is
    subtracted from every loss: losses are rounded down. The last channel counts rows.

    Parameters
    ----------
    target : ndarray of shape (rows,) or (rows, outputs)
        The targets.
    weight : ndarray of shape (rows,)
        Their weights.
    smoothing : float
        The weight of the imaginary rows in every leaf, one for each output, whose
        target is 1 for that output and 0 for the others. 0 for none.
    """

    degree = 1  # how the loss grows with the unit of the targets

    def __init__(self, target: Array, weight: Array, smoothing: float = 0.0) -> None:
        given = target.reshape(len(weight), -1)
        require(np.all(np.isfinite(given)), "a target is not a finite number.")
        n, self.n_outputs = given.shape
        self.n_imaginary = 0
        if smoothing > 0:
            self.n_imaginary = self.n_outputs
            given = np.vstack([given, np.eye(self.n_outputs)])
            weight = np.append(weight, np.full(self.n_outputs, smoothing))
        self.given = given
        own = int(np.frexp(weight.max())[1])
        self.weight = np.ldexp(weight, -own)[:, None]
        self.shift = int(np.frexp(np.abs(given).max())[1])
        self.centres: list[Array] = []
        y = np.ldexp(given, -self.shift)
        # The second time removes what rounding left of a large offset.
        for _ in range(2):
            self.centres.append((self.weight * y).sum(axis=0) / self.weight.sum())
            y = y - self.centres[-1]
        flat = given.min(axis=0) == given.max(axis=0)
        y[:, flat] = 0.0
        self.spread = int(np.frexp(np.abs(y).max())[1])
        self.values = np.ldexp(y, -self.spread)
        self.power = (self.shift + self.spread) * self.degree + own
        channels = self.make_channels()
        self.channels, self.prior = channels[:n], channels[n:].sum(axis=0)
        scaled = float(self._scaled_leaf(self.channels.sum(axis=0)))
        with np.errstate(over="ignore"):
            self.root_loss = float(np.ldexp(scaled, self.power))
        believed = scaled > LEAST_SCALED_LOSS
        believed &= LEAST_LOSS < self.root_loss < MOST_LOSS
        require(
            believed or flat.all(),
            "the loss of a single leaf is beyond double precision.",
        )

    def make_channels(self) -> Array:
        """Return the channels of every row, those of imaginary rows at the end."""
        raise NotImplementedError

    def scaled_leaf(self, c: Array) -> Any:
        """Return the loss of the best constant, rounded down, from sums of channels."""
        raise NotImplementedError

    def constant_loss(self, rows: Array, p: Array) -> Any:
        """Return the loss of scaled constants on some rows."""
        raise NotImplementedError

    def leaf(self, c: Array) -> Any:
        """Return the loss of the best constant, rounded down, from sums of channels."""
        return np.ldexp(self._scaled_leaf(c), self.power)

    def _scaled_leaf(self, c: Array) -> Any:
        if self.n_imaginary:
            c = c + self.prior.reshape(-1, *[1] * (c.ndim - 1))
        return self.scaled_leaf(c)

    def n_constants(self) -> int:
        """Return the number of values that a leaf predicts."""
        return self.n_outputs

    def read(self, values: list[Any]) -> list[Any]:
        """Return the prediction of a leaf: one number for each constant."""
        one_each = len(values) == self.n_constants()
        require(one_each, "a leaf does not predict one number for each target.")
        return [read_number(v, "a prediction", -MAX_NUMBER) for v in values]

    def in_unit(self, constants: list[float]) -> Array:
        """Return constants as differences from the centre, scaled like the targets."""
        p = np.ldexp(np.array(constants).reshape(self.n_outputs, -1), -self.shift)
        for centre in self.centres:
            p = p - centre[:, None]
        return np.ldexp(p, -self.spread)

    def near_mean(self, rows: Array, p: Array) -> Array:
        """Return constants; those that are the mean up to rounding become it."""
        weight, y = self.weight[rows], self.values[rows]
        mean = (weight * y).sum(axis=0) / weight.sum()
        largest = np.abs(self.given[rows]).max(axis=0)
        near = NEAR * np.ldexp(largest, -self.shift - self.spread)
        return np.where(np.abs(p[:, 0] - mean) <= near, mean, p[:, 0])

    def loss(self, rows: Array, constants: list[float]) -> float:
        """Return the loss of a leaf that predicts these constants."""
        every = np.arange(len(self.weight) - self.n_imaginary, len(self.weight))
        rows = np.append(rows, every)
        with np.errstate(over="ignore"):  # a loss that is not finite is rejected
            lost = self.constant_loss(rows, self.in_unit(constants))
            loss = float(np.ldexp(lost, self.power))
        if not loss < MOST_LOSS:
            raise Rejected("the loss of a leaf is beyond double precision.")
        return loss


class Squares(Targets):
    """Squared errors: weight, weighted targets and weighted squares."""

    degree = 2

    def make_channels(self) -> Array:
        """Return weight, weighted targets, weighted squares, and a count of rows."""
        products = self.weight * self.values
        squares = (products * self.values).sum(axis=1)
        rows = np.ones(len(self.weight))
        return np.column_stack([self.weight, products, squares, rows])

    def scaled_leaf(self, c: Array) -> Any:
        """Return the loss of the mean, less a fraction of the sum of squares."""
        weight = np.where(c[0] > 0, c[0], 1.0)
        loss = c[-2] - (c[1:-2] ** 2 / weight).sum(axis=0)
        doubt = (4 * c[-1] + 8 * self.n_outputs + 300) * ROUNDING * c[-2]
        return np.maximum(loss - doubt, 0.0)

    def constant_loss(self, rows: Array, p: Array) -> Any:
        """Return squared errors."""
        off = self.values[rows] - self.near_mean(rows, p)
        return (self.weight[rows] * off**2).sum()


class Distances(Targets):
    """Distances to quantiles: the channels are distances to each target of the table.

    One of these is the best constant of any set. The last but one channel sums the
    distances to the centre, which no best constant exceeds.
    """

    def __init__(
        self, target: Array, weight: Array, levels: tuple[float, ...], factor: float
    ) -> None:
        self.levels, self.factor = levels, factor
        super().__init__(target, weight)

    def n_constants(self) -> int:
        """Return how many numbers a leaf predicts."""
        return self.n_outputs * len(self.levels)

    def _lost(self, off: Array, level: float) -> Array:
        """Return the losses of targets that exceed a constant by `off`."""
        lost: Array = self.factor * np.where(off > 0, level, level - 1) * off
        return lost

    def make_channels(self) -> Array:
        """Return the distances to each target, by output and level, and two sums."""
        points = [np.unique(t) for t in self.values.T for _ in self.levels]
        self.first_point = np.cumsum([0, *map(len, points)])[:-1]
        pairs = ((t, q) for t in self.values.T for q in self.levels)
        own = [
            self.weight * self._lost(t[:, None] - p, q)
            for (t, q), p in zip(pairs, points, strict=True)
        ]
        own.append((self.weight * np.abs(self.values)).sum(axis=1))
        return np.column_stack([*own, np.ones(len(self.weight))])

    def scaled_leaf(self, c: Array) -> Any:
        """Return the least loss, less a fraction of the distances to the centre."""
        loss = np.minimum.reduceat(c[:-2], self.first_point, axis=0).sum(axis=0)
        sums = len(self.levels) * self.factor * c[-2]
        doubt = (4 * c[-1] + 8 * self.n_outputs + 300) * ROUNDING * sums
        return np.maximum(loss - doubt, 0.0)

    def constant_loss(self, rows: Array, p: Array) -> Any:
        """Return distances, weighted by their levels."""
        y, weight = self.values[rows], self.weight[rows, 0]
        return sum(
            (weight * self._lost(y[:, o] - p[o, k], q)).sum()
            for o in range(self.n_outputs)
            for k, q in enumerate(self.levels)
        )
