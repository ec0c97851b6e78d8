"""Hyperplanes that separate two sets of points, in doubles or in fractions.

`separate` minimises the sum of absolute weights, which tends to leave columns out. With
many points only those near the other side matter, so the linear programme begins with a
few of them and takes in those that its solution gets wrong, until there are none.
`separate_exactly` is the simplex method in fractions: slow, and right where rounding
defeats the other.
"""

from __future__ import annotations

import math
import time
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MANY_POINTS = 400
_NEW_POINTS = 100
_MOST_ROUNDS = 60


def separate(
    Z: NDArray[np.float64], positive: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Minimise the sum of |w| subject to sign * (w.z - c) >= 1, in floating point.

    Parameters
    ----------
    Z : array of shape (n_points, n_dimensions)
        Of similar scale in all dimensions.
    positive : array of bool
        The points with sign +1.

    Returns
    -------
    array or None
        The weights w; None if no hyperplane was found.

    Examples
    --------
    >>> Z = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    >>> separate(Z, np.array([False, False, True, True]))
    array([2., 0.])
    """
    n = len(Z)
    if n <= _MANY_POINTS:
        found = _programme(Z, positive)
        return None if found is None else found[0]
    sign = np.where(positive, 1.0, -1.0)
    # A least-squares fit shows which points are nearest to the other side. The linear
    # programme starts with those alone; points that it gets wrong are added.
    moments = Z.T @ Z + 1e-6 * n * np.eye(Z.shape[1])
    margin = sign * (Z @ np.linalg.solve(moments, Z.T @ (sign - sign.mean())))
    chosen = np.zeros(n, dtype=bool)
    for side in (positive, ~positive):
        points = np.flatnonzero(side)
        chosen[points[np.argsort(margin[points])[:_NEW_POINTS]]] = True
    for _ in range(_MOST_ROUNDS):
        found = _programme(Z[chosen], positive[chosen])
        if found is None:
            return None
        weights, offset = found
        margin = sign * (Z @ weights - offset)
        wrong = np.flatnonzero((margin < 1 - 1e-6) & ~chosen)
        if len(wrong) == 0:
            return weights
        chosen[wrong[np.argsort(margin[wrong])[:_NEW_POINTS]]] = True
    found = _programme(Z, positive)
    return None if found is None else found[0]


def _programme(
    Z: NDArray[np.float64], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], float] | None:
    from scipy.optimize import linprog

    n, d = Z.shape
    sign = np.where(positive, 1.0, -1.0)[:, None]
    rows = -sign * np.c_[Z, -Z, -np.ones(n)]
    bounds = [(0, None)] * (2 * d) + [(None, None)]
    cost = np.r_[np.ones(2 * d), 0.0]
    found = linprog(cost, A_ub=rows, b_ub=-np.ones(n), bounds=bounds)
    if found.x is None:
        return None
    weights = found.x[:d] - found.x[d : 2 * d]
    return (weights, float(found.x[-1])) if np.any(weights) else None


def separate_exactly(
    Z: NDArray[np.float64], positive: NDArray[np.bool_], until: float = math.inf
) -> list[Fraction] | None:
    """Find weights that separate two sets of rows, in exact arithmetic.

    The simplex method on: maximise d subject to sign * (w.z - c) >= d and |w| <= 1,
    from the feasible start w = 0, with Bland's rule so that it ends. Slow, and sure.

    Parameters
    ----------
    Z : array of shape (n_rows, n_dimensions)
    positive : array of bool
    until : float
        Give up when `time.monotonic()` is this.

    Returns
    -------
    list of Fraction or None
        None if no hyperplane separates the rows strictly, or time was short.

    Examples
    --------
    >>> tiny = np.array([[0.0, 0.0], [1.0, 1e-30], [2.0, 0.0]])
    >>> w = separate_exactly(tiny, np.array([False, True, False]))
    >>> w[1] > 0
    True
    >>> separate_exactly(tiny * [1, 0], np.array([False, True, False])) is None
    True
    """
    d = Z.shape[1]
    one = Fraction(1)
    # Columns: w = p - q (2 d of them), c = a - b, and the margin. Rows: one for each
    # point, margin - sign * (w.z - c) <= 0, and p + q <= 1 for each dimension.
    table: list[list[Fraction]] = []
    for z, side in zip(Z.tolist(), positive.tolist(), strict=True):
        sign = one if side else -one
        w = [-sign * Fraction(v) for v in z]
        table.append([*w, *(-v for v in w), sign, -sign, one, Fraction(0)])
    for j in range(d):
        row = [Fraction(0)] * (2 * d + 4)
        row[j] = row[d + j] = row[-1] = one
        table.append(row)
    reward = [Fraction(0)] * (2 * d + 4)
    reward[2 * d + 2] = one
    basis = _simplex(table, reward, until)
    if basis is None:
        return None
    value: dict[int, Fraction] = {
        column: row[-1] for column, row in zip(basis, table, strict=True)
    }
    if value.get(2 * d + 2, Fraction(0)) <= 0:
        return None
    return [value.get(j, Fraction(0)) - value.get(d + j, Fraction(0)) for j in range(d)]


def _simplex(
    table: list[list[Fraction]], reward: list[Fraction], until: float
) -> list[int] | None:
    """Maximise over a feasible tableau in place; return the basic columns of rows.

    Slack variables have numbers from the number of columns on. None if time was short.
    """
    n_columns = len(reward) - 1
    basis = [n_columns + i for i in range(len(table))]
    names: list[int] = list(range(n_columns))
    while time.monotonic() < until:
        entering: Any = min(
            (j for j in range(n_columns) if reward[j] > 0),
            key=names.__getitem__,
            default=None,
        )
        if entering is None:
            return basis
        rows = [i for i, row in enumerate(table) if row[entering] > 0]
        assert rows, "the margin is bounded"
        leaving = min(rows, key=lambda i: (table[i][-1] / table[i][entering], basis[i]))
        _pivot(table, reward, leaving, entering)
        basis[leaving], names[entering] = names[entering], basis[leaving]
    return None


def _pivot(
    table: list[list[Fraction]], reward: list[Fraction], row: int, column: int
) -> None:
    """Exchange a basic and a non-basic variable, each in its column."""
    pivot = table[row][column]
    table[row] = [value / pivot for value in table[row]]
    table[row][column] = 1 / pivot
    for other in (*(t for i, t in enumerate(table) if i != row), reward):
        factor = other[column]
        if factor == 0:
            continue
        for j, value in enumerate(table[row]):
            other[j] = -factor / pivot if j == column else other[j] - factor * value
