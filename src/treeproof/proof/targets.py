"""The targets of a regression, centred and scaled so that their sums can be believed.

Part of the checker: section 5 of docs/proof-format.md. The standard library and NumPy
only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.proof.rejected import Array, Rejected, require

LEAST_LOSS, MOST_LOSS = 1e-300, 1e300  # of the root, in the unit of the targets
LEAST_SCALED_LOSS = 1e-250  # of the root, with all numbers scaled to at most 1
ROUNDING = 2.0**-53  # of one operation on doubles
NEAR = 2.0**-50  # of a leaf's largest target: doubles say no better what its mean is


class Targets:
    """Weighted targets as channels: numbers whose sums tell what a leaf costs.

    Everything is multiplied by powers of two, which rounds nothing, so that no weight
    and no centred target is above 1. Squared error: the channels are weight, weighted
    targets and weighted squares. Absolute error: distances to each target of the table,
    one of which is the best constant of any set, and to the centre. Sums of either are
    off by a tiny part of the sum of squares (of distances to the centre), which is
    taken off every loss: so losses are rounded down.
    """

    def __init__(self, target: Array, weight: Array, squared: bool) -> None:
        self.given = target.reshape(len(weight), -1)
        require(np.all(np.isfinite(self.given)), "a target is not a finite number.")
        self.squared, self.n_outputs = squared, self.given.shape[1]
        own = int(np.frexp(weight.max())[1])
        self.weight = np.ldexp(weight, -own)[:, None]
        self.shift = int(np.frexp(np.abs(self.given).max())[1])
        self.centres: list[Array] = []
        y = np.ldexp(self.given, -self.shift)
        for _ in range(2):  # the second time for what rounding left of a large offset
            self.centres.append((self.weight * y).sum(axis=0) / self.weight.sum())
            y = y - self.centres[-1]
        flat = self.given.min(axis=0) == self.given.max(axis=0)
        y[:, flat] = 0.0
        self.spread = int(np.frexp(np.abs(y).max())[1])
        self.values = np.ldexp(y, -self.spread)
        self.power = (self.shift + self.spread) * (2 if squared else 1) + own
        self.channels = self._channels()
        scaled = float(self._scaled_leaf(self.channels.sum(axis=0)))
        with np.errstate(over="ignore"):
            self.root_loss = float(np.ldexp(scaled, self.power))
        believed = scaled > LEAST_SCALED_LOSS
        believed &= LEAST_LOSS < self.root_loss < MOST_LOSS
        require(
            believed or flat.all(),
            "the loss of a single leaf is beyond double precision.",
        )

    def _channels(self) -> Array:
        if self.squared:
            products = self.weight * self.values
            squares = (products * self.values).sum(axis=1)
            own = [self.weight, products, squares]
        else:
            points = [np.unique(t) for t in self.values.T]
            self.first_point = np.cumsum([0, *map(len, points)])[:-1]
            pairs = zip(self.values.T, points, strict=True)
            own = [self.weight * np.abs(t[:, None] - p) for t, p in pairs]
            own.append((self.weight * np.abs(self.values)).sum(axis=1))
        return np.column_stack([*own, np.ones(len(self.weight))])

    def leaf(self, c: Array) -> Any:
        """Return the loss of the best constant, rounded down, from sums of channels."""
        return np.ldexp(self._scaled_leaf(c), self.power)

    def _scaled_leaf(self, c: Array) -> Any:
        if self.squared:
            weight = np.where(c[0] > 0, c[0], 1.0)
            loss = c[-2] - (c[1:-2] ** 2 / weight).sum(axis=0)
        else:
            loss = np.minimum.reduceat(c[:-2], self.first_point, axis=0).sum(axis=0)
        doubt = (4 * c[-1] + 8 * self.n_outputs + 300) * ROUNDING * c[-2]
        return np.maximum(loss - doubt, 0.0)

    def loss(self, rows: Array, constants: list[float]) -> float:
        """Return the loss of a leaf that predicts these constants.

        A constant that is as near to the mean as doubles can say counts as the mean.
        """
        weight, y = self.weight[rows], self.values[rows]
        p = np.ldexp(np.array(constants), -self.shift)
        for centre in self.centres:
            p = p - centre
        p = np.ldexp(p, -self.spread)
        if self.squared:
            mean = (weight * y).sum(axis=0) / weight.sum()
            largest = np.abs(self.given[rows]).max(axis=0)
            near = NEAR * np.ldexp(largest, -self.shift - self.spread)
            p = np.where(np.abs(p - mean) <= near, mean, p)
        off = np.abs(y - p)
        with np.errstate(over="ignore"):  # a loss that is not finite is refused
            lost = (weight * (off**2 if self.squared else off)).sum()
        with np.errstate(over="ignore"):
            loss = float(np.ldexp(lost, self.power))
        if not loss < MOST_LOSS:
            raise Rejected("the loss of a leaf is beyond double precision.")
        return loss
