"""Lines in leaves: the loss of a set's best line, from sums of integers.

Part of the checker: section 5 of docs/proof-format.md, *Lines*. The standard library
and NumPy only.

The loss of a leaf can be a small fraction of the variance of its targets, so that sums
of doubles are not precise enough. Let 1, y and the columns x be vectors over the rows.
Each is centred about some double and multiplied by a power of two such that no w v^2 is
above 1. By the inequality of Cauchy and Schwarz, no product w u v of two of them is
above 1 either. Each product is rounded down to a multiple of 2^-90, and stored as three
doubles of 30 bits. With fewer than 2^22 rows, all sums of these are integers below
2^53, in whatever order they are added. So the error of a sum of n products comes from
rounding each of them only: it is below n units.

With W, Y, X, YY, XX and XY the sums of w, w y, w x, w y^2, w x^2 and w x y, and V the
variance of a column over the whole table, times W,

    loss = C - max over columns of B^2 / D,   C = W YY - Y^2,  B = W XY - X Y,
                                              D = W XX - X^2 + ridge V W^2.

Each of these is computed in integers; C and D are lowered and B is raised by a bound on
the rounding errors of their sums, so that losses are rounded down.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from treeproof.proof.header import MAX_NUMBER, read_number, read_whole
from treeproof.proof.rejected import Array, require
from treeproof.proof.targets import LEAST_LOSS, MOST_LOSS

BITS, SLICE = 90, 30  # of a product, and of each of its parts
MAX_ROWS = 1 << 22
MOST_NUMBER = 2.0**1000
DIGITS = 64  # of the variance of a column
NEARLY = 1 - 2.0**-50
NEAR = Fraction(1, 1 << 50)  # as a fraction of a leaf's largest target


class LineLeaves:
    """Targets, weights and columns as channels; see the module's text.

    Parameters
    ----------
    target, weight : ndarray of shape (rows,)
        The targets and their weights.
    columns : dict of int to ndarray of shape (rows,)
        The columns on which lines may depend, by their numbers.
    ridge : float
        The penalty of slopes.
    """

    def __init__(
        self, target: Array, weight: Array, columns: dict[int, Array], ridge: float
    ) -> None:
        require(target.size == len(weight), "lines predict one number.")
        require(len(weight) < MAX_ROWS, "there are too many rows for lines.")
        self.target, self.weight = target.reshape(-1), weight
        self.columns, self.ridge = columns, Fraction(ridge)
        w, e = _whole(weight)
        one = _Vector([1] * len(w), 0, w, e)
        y = _Vector(*_centred(self.target, weight), w, e)
        products = [one * one, one * y, y * y]
        self.variance: dict[int, Fraction] = {}
        self.dear: list[tuple[int, int]] = []  # ridge times variance, scaled
        for k, column in columns.items():
            x = _Vector(*_centred(column, weight), w, e)
            self.variance[k] = x.variance()
            if self.variance[k] == 0:
                continue
            products += [one * x, x * x, x * y]
            dear = self.ridge * self.variance[k] * Fraction(4) ** (one.scale - x.scale)
            shift = DIGITS - dear.numerator.bit_length() + dear.denominator.bit_length()
            self.dear.append((int(dear * Fraction(2) ** shift), shift))
        slices = [part for product in products for part in _slices(product)]
        self.channels = np.column_stack([*slices, np.ones(len(w))])
        self.power = 2 * y.scale - BITS
        self.root_loss = float(self.leaf(self.channels.sum(axis=0)))
        flat = self.target.min() == self.target.max()
        believed = LEAST_LOSS < self.root_loss < MOST_LOSS
        require(
            believed or flat, "the loss of a single leaf is beyond double precision."
        )

    def leaf(self, c: Array) -> Any:
        """Return the loss of the best line, rounded down, from sums of channels."""
        parts = c.reshape(len(c), -1).astype(np.int64).astype(object)
        off = parts[-1]  # the error of each sum is below its number of rows
        high, middle, low = (parts[k:-1:3] for k in range(3))
        sums = (high << 2 * SLICE) + (middle << SLICE) + low
        W, Y, YY = sums[:3]
        C = np.maximum(_low(W, YY, Y, off), 0)
        heavy = np.maximum(W - off, 0)
        least = _ratio(C, W + off)
        for k, (dear, shift) in enumerate(self.dear):
            X, XX, XY = sums[3 + 3 * k : 6 + 3 * k]
            flat = dear * heavy * heavy
            D = _low(W, XX, X, off) + (flat >> shift if shift > 0 else flat << -shift)
            B = abs(W * XY - X * Y)
            B = B + off * (W + abs(XY) + abs(X) + abs(Y) + 2 * off)
            known = D > 0
            D = np.where(known, D, 1)
            left = np.where(known, np.maximum(C * D - B * B, 0), 0)
            least = np.minimum(least, _ratio(left, D * (W + off)))
        least = np.where((heavy > 0) & (off > 1), least, 0.0)
        with np.errstate(over="ignore"):  # a loss that is not finite is rejected
            lost = np.ldexp(least.astype(np.float64) * NEARLY, self.power)
        return lost.reshape(c.shape[1:])

    def read(self, values: list[Any]) -> list[Any]:
        """Return a constant; or a number, a column and a slope."""
        require(len(values) in (1, 3), "a leaf does not predict a constant or a line.")
        told = [read_number(values[0], "a prediction", -MAX_NUMBER)]
        if len(values) == 3:
            known = read_whole(values[1], "the column of a line") in self.columns
            require(known, f"lines do not depend on column {values[1]}.")
            told += [values[1], read_number(values[2], "a slope", -MAX_NUMBER)]
        return told

    def loss(self, rows: Array, told: list[Any]) -> float:
        """Return the loss of a leaf that predicts this line, without rounding."""
        (w, a), (y, b) = _whole(self.weight[rows]), _whole(self.target[rows])
        W, heft, level = sum(w), Fraction(sum(w), 1 << a), 1 << b
        mean = Fraction(sum(map(int.__mul__, w, y)), W * level)
        p = Fraction(told[0])
        off = Fraction(0)
        if abs(p - mean) > NEAR * Fraction(max(map(abs, y)), level):
            off = p - mean
        loss = Fraction(_moment(w, y, y), W * level**2 << a) + heft * off**2
        if len(told) == 3:
            x, c = _whole(self.columns[told[1]][rows])
            slope, ridge = Fraction(told[2]), self.ridge * self.variance[told[1]]
            loss -= 2 * slope * Fraction(_moment(w, x, y), W << a + b + c)
            bent = Fraction(_moment(w, x, x), W << a + 2 * c)
            loss += slope**2 * (bent + ridge * heft)
        fits = 0 <= loss < Fraction(MOST_LOSS)
        require(fits, "the loss of a leaf is beyond double precision.")
        return float(loss)


class _Vector:
    """Numbers for all rows, as integers times a power of two; and the rows' weights."""

    def __init__(self, values: list[int], power: int, w: list[int], heft: int) -> None:
        self.values, self.power, self.w, self.heft = values, power, w, heft
        self.own = [a * v for a, v in zip(w, values, strict=True)]
        most = max(a * v for a, v in zip(self.own, values, strict=True))
        bits = most.bit_length() - heft - 2 * power  # w v^2 is below 2^bits
        self.scale = (bits + 1) // 2 if most else 0

    def __mul__(self, other: _Vector) -> list[int]:
        """Return products of all rows, scaled and rounded down."""
        shift = BITS - self.scale - other.scale - self.heft - self.power - other.power
        pairs = zip(self.own, other.values, strict=True)
        if shift < 0:
            return [a * b >> -shift for a, b in pairs]
        return [a * b << shift for a, b in pairs]

    def variance(self) -> Fraction:
        """Return the variance of these numbers over all rows."""
        both = _moment(self.w, self.values, self.values)
        return Fraction(both, sum(self.w) ** 2 << 2 * self.power)


def _moment(w: list[int], u: list[int], v: list[int]) -> int:
    """Return W times the sum of w (u - mean) (v - mean)."""
    own = list(map(int.__mul__, w, u))
    first, second = sum(own), sum(map(int.__mul__, w, v))
    return sum(w) * sum(map(int.__mul__, own, v)) - first * second


def _whole(values: Array) -> tuple[list[int], int]:
    """Return doubles as integers, and the power of two by which these are divided."""
    ratios = [v.as_integer_ratio() for v in values.tolist()]
    power = max(d.bit_length() for _, d in ratios) - 1
    return [a << power - d.bit_length() + 1 for a, d in ratios], power


def _centred(values: Array, weight: Array) -> tuple[list[int], int]:
    """Return the differences from a double near the mean, as `_whole` does."""
    require(np.abs(values).max() < MOST_NUMBER, "a number is too large for lines.")
    near = np.sum(values / len(values) * (weight / weight.max()))
    near = near / np.mean(weight / weight.max())
    centre = min(max(float(near), float(values.min())), float(values.max()))
    *whole, middle = (found := _whole(np.append(values, centre)))[0]
    return [v - middle for v in whole], found[1]


def _slices(products: list[int]) -> list[Array]:
    """Return integers as three doubles each, from the highest bits on."""
    mask = (1 << SLICE) - 1
    parts = [(p >> 2 * SLICE, p >> SLICE & mask, p & mask) for p in products]
    return list(np.array(parts, dtype=np.float64).T)


def _low(W: Any, VV: Any, V: Any, off: Any) -> Any:
    """Return W VV - V^2, less a bound on the rounding errors of its terms."""
    return W * VV - V * V - off * (W + VV + 2 * abs(V) + 2 * off)


def _ratio(over: Any, under: Any) -> Any:
    """Return quotients of integers as doubles; 0 if the divisor is 0."""
    return np.where(under > 0, over, 0) / np.where(under > 0, under, 1)
