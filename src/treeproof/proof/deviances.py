"""Losses with logarithms: Poisson deviance, log loss, lifetimes.

Part of the checker: section 5 of docs/proof-format.md. The standard library and NumPy
only; logarithms are computed here, so that their rounding errors are known.

For weights w, targets v and a centre c, all terms are distances of v log v from its
tangent at c: spread(a, s) = x log(x / a) - s with x = a + s. The loss of a row is
w spread(c, v - c). The loss of a leaf of weight W is the sum of the terms of its rows
less spread(W c, the sum of w (v - c)), the amount that predicting the mean saves.

Rounding errors of these doubles. Let u = 2^-53, n the number of rows of a leaf.

- The error of `spread` itself is below 600 u of its value. Within a factor 4/3 of a it
  sums two terms of which one is at most a tenth of the other; elsewhere it is at least
  a tenth of the terms that it sums. The series ends where terms are below u / 100. The
  same holds for a row's own term, whose difference v - c has an error of 2 u of itself
  (or, far from c, of u c, where spread is at least c / 32).
- The error of a sum of n terms is below (n + 8) u of the sum of their magnitudes. With
  T the sum of w |v - c|, the derivative log(x / a) by s and the derivative
  c (log(x / a) - s / a) by W say how this affects spread(W c, s). If |s| <= a / 4, the
  second changes spread by less than 4 (n + 8) u spread, and the first by less than
  2 (n + 8) u T (|log(x / a)| + 4 (n + 8) u). Otherwise both are below
  2 (n + 8) u max(64, 2 |log(x / a)|) (T + a): near 0, x log x changes by no more, since
  an x below 2^-60 a is replaced by that.

What the mean saves is at most the sum of the rows' own terms, so that the parts of the
error that are multiples of either are below 5 (n + 600) u of the latter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.proof.rejected import Array, Rejected, require
from treeproof.proof.targets import ROUNDING, Targets

LEAST = 2.0**-60  # x log x below this part of a counts as 0 log 0
LN2 = 0.69314718055994530942


class Deviances(Targets):
    """Deviances, as sums of channels; see `Targets`.

    The channels are weight, weighted targets, their magnitudes, the rows' own terms,
    and a count of rows.
    """

    def __init__(self, target: Array, weight: Array, smoothing: float = 0.0) -> None:
        require(bool(np.all(target >= 0)), "a target is negative.")
        super().__init__(target, weight, smoothing)

    def make_channels(self) -> Array:
        """Return the channels of every row."""
        centre = np.ldexp(self.centres[0] + self.centres[1], -self.spread)
        # An output of zeros has no loss, whatever its centre is.
        self.centre = np.where(centre > 0, centre, 1.0)
        own = self.weight * spread(self.centre, self.values)[0]
        products = self.weight * self.values
        rows = np.ones(len(self.weight))
        parts = [self.weight, products, np.abs(products), own.sum(axis=1), rows]
        return np.column_stack(parts)

    def scaled_leaf(self, c: Array) -> Any:
        """Return the loss of the mean, rounded down as the module's text says."""
        k, shape = self.n_outputs, [-1] + [1] * (c.ndim - 1)
        weight = np.where(c[0] > 0, c[0], 1.0)
        a = weight * self.centre.reshape(shape)
        s, T, own, n = c[1 : 1 + k], c[1 + k : 1 + 2 * k], c[-2], c[-1]
        saved, log = spread(a, s)
        small = (n + 8) * ROUNDING
        near = 2 * small * T * (np.abs(log) + 4 * small)
        far = 2 * small * np.maximum(64, 2 * np.abs(log)) * (T + a)
        doubt = np.where(np.abs(s) <= a / 4, near, far).sum(axis=0)
        doubt = doubt + 5 * (n + 600) * ROUNDING * own
        return np.where(c[0] > 0, np.maximum(own - saved.sum(axis=0) - doubt, 0.0), 0.0)

    def read(self, values: list[Any]) -> list[Any]:
        """Return the prediction of a leaf, in which no number is below zero."""
        told = super().read(values)
        require(min(told) >= 0, "a leaf predicts a negative number.")
        return told

    def constant_loss(self, rows: Array, p: Array) -> Any:
        """Return the deviance; a constant of zero needs targets of zero."""
        z = self.near_mean(rows, p)
        a = self.centre + z
        zero = (a <= 0) & (self.given[rows] == 0).all(axis=0)
        if np.any((a <= 0) & ~zero):
            raise Rejected("a leaf predicts zero, or less, for rows that are not zero.")
        lost = spread(np.where(zero, 1.0, a), self.values[rows] - z)[0]
        return (self.weight[rows] * np.where(zero, 0.0, lost)).sum()


def spread(a: Array, s: Array) -> tuple[Array, Array]:
    """Return x log(x / a) - s with x = a + s, and log(x / a).

    The power of two nearest to x / a is taken out. The logarithm of the rest is
    2 artanh f with f = (x - a) / (x + a), which is at most 1/5 in magnitude.
    """
    x = np.maximum(a + s, a * LEAST)
    part, e = np.frexp(x / a)
    e = np.where(part < 2 / 3, e - 1, e)
    reduced = np.ldexp(x, -e)
    f = np.where(e == 0, s, reduced - a) / (reduced + a)
    z = f * f
    series = np.full_like(z, 1 / 27)
    for k in range(25, 2, -2):
        series = series * z + 1 / k
    beyond = 2 * f * (z * series)
    first = np.where(e == 0, s * f, 2 * x * f - s)
    return x * (e * LN2) + first + x * beyond, e * LN2 + (2 * f + beyond)
