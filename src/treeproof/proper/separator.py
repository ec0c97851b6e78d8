"""A readable surface for a partition that the engine has found.

The engine works with sets of rows. For a split of the final tree this module finds a
surface that makes the same partition of the rows that reach it. The simplest one that
exists is chosen: a threshold on one column, otherwise a hyperplane, otherwise a
polynomial of higher degree. Columns are left out, and coefficients rounded to few
digits, as long as the rows stay on their sides with a safe distance.
`treeproof.proper.separating_plane` computes the coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treeproof.proper.separating_plane import separate, separate_exactly
from treeproof.proper.surface import Monomial, Surface, lift, monomials

_MOST_DIGITS = 17


def find_surface(
    X: NDArray[np.float64],
    positive: NDArray[np.bool_],
    degree: int,
    until: float = math.inf,
) -> Surface | None:
    """Find a surface of at most this degree with exactly these rows above it.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    positive : array of bool
        The rows that belong on the positive side; not all and not none.
    degree : int
        Largest degree. 0 means a threshold on one column.
    until : float
        When `time.monotonic()` is this, exact arithmetic gives up.

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
    # Rounding has defeated the linear programme, or what was asked for does not exist.
    lifted = lift(X, terms)
    exact = separate_exactly(lifted, positive, until)
    if exact is None:
        return None
    largest = max(map(abs, exact))
    weights = np.array([float(w / largest) for w in exact])
    return _readable(X, positive, terms, weights)


def _threshold(X: NDArray[np.float64], positive: NDArray[np.bool_]) -> Surface | None:
    """Return the threshold on the column with the widest gap for its spread."""
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
    weights = separate((lifted - center) / scale, positive)
    if weights is None:
        return None
    return _readable(X, positive, terms, weights / scale)


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
    """Put the threshold near the middle between the sides, rounded to few digits.

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
