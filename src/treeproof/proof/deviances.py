"""Losses with logarithms: Poisson deviance, log loss, lifetimes.

Part of the checker: section 5 of docs/proof-format.md. The standard library and NumPy
only; logarithms are computed here, so that it is known how far off they can be.

With weights w, targets v and a centre c, all terms are written as the distance of
v log v to its tangent at c: spread(a, s) = x log(x / a) - s with x = a + s. A row loses
w spread(c, v - c), and a leaf of weight W the sum of its rows' terms less
spread(W c, the sum of w (v - c)), which is what the mean saves.

How far sums of doubles are off: let u = 2^-53, n the number of rows of a leaf.

- `spread` itself is off by less than 600 u of its value. Within a factor 4/3 of a it
  sums two terms of which one is at most a tenth of the other; elsewhere it is at least
  a tenth of the terms that it sums. The series breaks off where terms are below
  u / 100. The same holds for a row's own term, whose difference v - c is off by 2 u of
  itself (or, far from c, by u c, where spread is at least c / 32).
- A sum of n terms is off by (n + 8) u of the sum of their magnitudes. With T the sum of
  w |v - c|, the derivative log(x / a) by s and the derivative
  c (log(x / a) - s / a) by W say what that does to spread(W c, s). If |s| <= a / 4, the
  second changes spread by less than 4 (n + 8) u spread, and the first by less than
  2 (n + 8) u T (|log(x / a)| + 4 (n + 8) u). Otherwise both are below
  2 (n + 8) u max(64, 2 |log(x / a)|) (T + a): x log x changes by no more near 0, since
  an x below 2^-60 a counts as that.

What the mean saves is at most the sum of the rows' own terms, so the parts of both are
less than 5 (n + 600) u of the latter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.proof.rejected import Array, Rejected, require
from treeproof.proof.targets import ROUNDING, Targets

LEAST = 2.0**-60  # x log x below this part of a counts as 0 log 0
LN2 = 0.69314718055994530942


class Deviances(Targets):
    """Deviances as channels; see `Targets`.

    The channels are weight, weighted targets, their magnitudes, the rows' own terms,
    and a count of rows.
    """

    def __init__(self, target: Array, weight: Array, smoothing: float = 0.0) -> None:
        require(bool(np.all(target >= 0)), "a target is negative.")
        super().__init__(target, weight, smoothing)

    def make_channels(self) -> Array:
        """Return the channels of every row."""
        centre = np.ldexp(self.centres[0] + self.centres[1], -self.spread)
        # An output of zeros loses nothing about any centre.
        self.centre = np.where(centre > 0, centre, 1.0)
        own = self.weight * spread(self.centre, self.values)[0]
        products = self.weight * self.values
        rows = np.ones(len(self.weight))
        parts = [self.weight, products, np.abs(products), own.sum(axis=1), rows]
        return np.column_stack(parts)

    def scaled_leaf(self, c: Array) -> Any:
        """Return the loss of the mean, rounded down as the head of this file says."""
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
        """Return what a leaf predicts: no number below zero."""
        told = super().read(values)
        require(min(told) >= 0, "a leaf predicts a negative number.")
        return told

    def constant_loss(self, rows: Array, p: Array) -> Any:
        """Return the deviance; a constant of zero goes with targets of zero only."""
        z = self.near_mean(rows, p)
        a = self.centre + z
        zero = (a <= 0) & (self.given[rows] == 0).all(axis=0)
        if np.any((a <= 0) & ~zero):
            raise Rejected("a leaf predicts zero, or less, for rows that are not zero.")
        lost = spread(np.where(zero, 1.0, a), self.values[rows] - z)[0]
        return (self.weight[rows] * np.where(zero, 0.0, lost)).sum()


def spread(a: Array, s: Array) -> tuple[Array, Array]:
    """Return x log(x / a) - s with x = a + s, and log(x / a).

    The power of two next to x / a is taken off, and the logarithm of the rest is
    2 artanh f with f = (x - a) / (x + a), which is a fifth at most.
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
