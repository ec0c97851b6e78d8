"""A surface one can read for a partition that the engine found.

The engine works with sets of rows. For a split of the final tree this module finds a
surface that makes the same partition of the rows that reach it, as simple as there is:
a threshold on one column, else a hyperplane, else a polynomial of higher degree; with
as few columns and digits as separate the rows safely. Coefficients come from a linear
programme with the smallest sum of absolute values, which tends to leave columns out. If
rounding defeats it, the programme is solved again in fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.proper.surface import Monomial, Surface, lift, monomials

_MOST_DIGITS = 17


def find_surface(
    X: NDArray[np.float64], positive: NDArray[np.bool_], degree: int
) -> Surface | None:
    """Find a surface of at most this degree with exactly these rows above it.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    positive : array of bool
        The rows that belong on the positive side; not all and not none.
    degree : int
        Largest degree. 0 means a threshold on one column.

    Returns
    -------
    Surface or None
        None if doubles cannot tell the sides apart.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> find_surface(X, np.array([False, False, False, True]), 1).describe()
    'x0 + x1 > 1.5'
    >>> find_surface(X, np.array([False, True, False, True]), 1).describe()
    'x0 > 0.5'
    """
    threshold = _threshold(X, positive)
    if threshold is not None or degree == 0:
        return threshold
    for d in range(1, degree + 1):
        terms = monomials(X.shape[1], d)
        surface = _hyperplane(X, positive, terms)
        if surface is not None:
            return surface
    return None


def _threshold(X: NDArray[np.float64], positive: NDArray[np.bool_]) -> Surface | None:
    """Find the column whose threshold has the widest gap, for its spread."""
    above, below = X[positive], X[~positive]
    spread = np.ptp(X, axis=0)
    best: tuple[float, int, float] | None = None
    for j in np.flatnonzero(spread > 0).tolist():
        for sign in (1.0, -1.0):
            low, high = (sign * below[:, j]).max(), (sign * above[:, j]).min()
            if low < high and (best is None or (high - low) / spread[j] > best[0]):
                best = ((high - low) / spread[j], j, sign)
    if best is None:
        return None
    _, j, sign = best
    return _place(X, positive, ((j,),), (sign,))


def _hyperplane(
    X: NDArray[np.float64], positive: NDArray[np.bool_], terms: Sequence[Monomial]
) -> Surface | None:
    lifted = lift(X, terms)
    center, scale = lifted.mean(axis=0), lifted.std(axis=0)
    scale[scale == 0] = 1.0
    weights = _sparsest((lifted - center) / scale, positive)
    if weights is not None:
        surface = _readable(X, positive, terms, weights / scale)
        if surface is not None:
            return surface
    exact = separate_exactly(lifted, positive)
    if exact is None:
        return None
    largest = max(map(abs, exact), default=Fraction(1))
    weights = np.array([float(w / largest) for w in exact])
    return _readable(X, positive, terms, weights)


def _sparsest(
    Z: NDArray[np.float64], positive: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Minimise the sum of |w| subject to sign * (w.z - c) >= 1, in floating point."""
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
    return weights if np.any(weights) else None


def _readable(
    X: NDArray[np.float64],
    positive: NDArray[np.bool_],
    terms: Sequence[Monomial],
    weights: NDArray[np.float64],
) -> Surface | None:
    """Round the coefficients as far as half of the gap between the sides remains."""
    weights = weights / np.abs(weights).max()
    used = np.flatnonzero(np.abs(weights) > 1e-12).tolist()
    kept = tuple(terms[j] for j in used)
    full = _gap(X, positive, kept, tuple(weights[used]))
    if full <= 0:
        used = np.flatnonzero(weights).tolist()
        kept = tuple(terms[j] for j in used)
        full = _gap(X, positive, kept, tuple(weights[used]))
        if full <= 0:
            return None
    for digits in range(1, _MOST_DIGITS + 1):
        rounded = tuple(float(f"{w:.{digits}g}") for w in weights[used])
        if _gap(X, positive, kept, rounded) >= full / 2:
            surface = _place(X, positive, kept, rounded)
            if surface is not None:
                return surface
    return None


def _gap(
    X: NDArray[np.float64],
    positive: NDArray[np.bool_],
    terms: tuple[Monomial, ...],
    weights: tuple[float, ...],
) -> float:
    heights = Surface(terms, weights, 0.0).values(X)
    return float(heights[positive].min() - heights[~positive].max())


def _place(
    X: NDArray[np.float64],
    positive: NDArray[np.bool_],
    terms: tuple[Monomial, ...],
    weights: tuple[float, ...],
) -> Surface | None:
    """Put the threshold near the middle between the sides, with as few digits as do.

    None if no double lies between the sides.
    """
    heights = Surface(terms, weights, 0.0).values(X)
    low, high = float(heights[~positive].max()), float(heights[positive].min())
    middle = low + (high - low) / 2
    for digits in range(1, _MOST_DIGITS + 1):
        threshold = float(f"{middle:.{digits}g}")
        if abs(threshold - middle) > 0.25 * (high - low):
            continue
        surface = Surface(terms, weights, threshold)
        if ((surface.values(X) > 0) == positive).all():
            return surface
    return None


def separate_exactly(
    Z: NDArray[np.float64], positive: NDArray[np.bool_]
) -> list[Fraction] | None:
    """Find weights that separate two sets of rows, in exact arithmetic.

    The simplex method on: maximise d subject to sign * (w.z - c) >= d and |w| <= 1,
    from the feasible start w = 0, with Bland's rule so that it ends. Slow, and sure.

    Parameters
    ----------
    Z : array of shape (n_rows, n_dimensions)
    positive : array of bool

    Returns
    -------
    list of Fraction or None
        None if no hyperplane separates the rows strictly.

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
    basis: list[int] = _simplex(table, reward)
    value: dict[int, Fraction] = {
        column: row[-1] for column, row in zip(basis, table, strict=True)
    }
    if value.get(2 * d + 2, Fraction(0)) <= 0:
        return None
    return [value.get(j, Fraction(0)) - value.get(d + j, Fraction(0)) for j in range(d)]


def _simplex(table: list[list[Fraction]], reward: list[Fraction]) -> list[int]:
    """Maximise over a feasible tableau in place; give the basic column of each row.

    Slack variables have numbers from the number of columns on.
    """
    n_columns = len(reward) - 1
    basis = [n_columns + i for i in range(len(table))]
    names: list[int] = list(range(n_columns))
    while True:
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


def _pivot(
    table: list[list[Fraction]], reward: list[Fraction], row: int, column: int
) -> None:
    """Exchange a basic and a non-basic variable; both keep one column."""
    pivot = table[row][column]
    table[row] = [value / pivot for value in table[row]]
    table[row][column] = 1 / pivot
    for other in (*(t for i, t in enumerate(table) if i != row), reward):
        factor = other[column]
        if factor == 0:
            continue
        for j, value in enumerate(table[row]):
            other[j] = -factor / pivot if j == column else other[j] - factor * value
