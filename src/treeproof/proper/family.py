"""Families of rules over a table, in the form the native engine takes.

The engine knows points and hyperplanes. A family gives it coordinates: the columns
themselves for axis-parallel rules and hyperplanes, the monomials of the columns for
curved surfaces. Coordinates are whole numbers where the table allows it (decimals are
scaled), so that points on a grid are collinear exactly when they look so, and only as
many as the points' affine hull has dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from treeproof.proper.hull import hull
from treeproof.proper.surface import Monomial, lift, monomials

FAMILIES = ("axis", "hyperplane", "hypersurface", "mixed")

_EXACT = 2.0**53
_MOST_DECIMALS = 15


@dataclass(frozen=True)
class Family:
    """Rules of one kind over distinct points.

    Parameters
    ----------
    name : str
        "axis", "hyperplane" or "hypersurface".
    degree : int
        Degree of the polynomials.
    terms : tuple of monomials
        What the surfaces are sums of.
    coordinates : array of shape (n_points, n_dimensions)
        For the engine; see `hull` for the coordinates of a part of the points.
    """

    name: str
    degree: int
    terms: tuple[Monomial, ...]
    coordinates: NDArray[np.float64]

    @property
    def n_rules(self) -> int:
        """Return the greatest possible number of partitions of the points.

        In general position a hyperplane in r dimensions makes exactly
        C(n - 1, 1) + ... + C(n - 1, r) of them.
        """
        n, r = self.coordinates.shape
        if self.name == "axis":
            return int(sum(len(np.unique(c)) - 1 for c in self.coordinates.T))
        return sum(comb(n - 1, i) for i in range(1, r + 1))

    @property
    def kind(self) -> str:
        """The name of the kind in the engine."""
        return "axis" if self.name == "axis" else "hyperplane"


def make_families(
    X: NDArray[np.float64], rules: str, degree: int, max_dimensions: int
) -> list[Family]:
    """Make the families of a table of distinct points, the simplest first.

    Parameters
    ----------
    X : array of shape (n_points, n_features)
    rules : {"axis", "hyperplane", "hypersurface", "mixed"}
    degree : int
        Degree of curved surfaces.
    max_dimensions : int
        Tables with more columns or monomials than this are not reduced to their hull,
        which takes exact arithmetic; they are far too large to be enumerated.

    Examples
    --------
    >>> X = np.array([[0.0, 0.1], [1.0, 0.2], [2.0, 0.4]])
    >>> [(f.name, f.n_rules) for f in make_families(X, "mixed", 2, 20)]
    [('axis', 4), ('hyperplane', 3), ('hypersurface', 3)]
    """
    points = whole_numbers(X)
    linear = tuple(monomials(X.shape[1], 1))
    families = []
    if rules in ("axis", "mixed"):
        families.append(Family("axis", 1, linear, points))
    if rules in ("hyperplane", "mixed") or (rules == "hypersurface" and degree == 1):
        hyperplanes = hull(points, max_dimensions)
        families.append(Family("hyperplane", 1, linear, hyperplanes))
    if rules in ("hypersurface", "mixed") and degree > 1:
        terms = tuple(monomials(X.shape[1], degree))
        lifted = hull(lift(points, terms), max_dimensions)
        families.append(Family("hypersurface", degree, terms, lifted))
    return families


def whole_numbers(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn decimal columns into whole numbers around zero; leave others alone.

    A column of decimals with few digits is multiplied by a power of ten, so that it
    holds the numbers as they are written, not as doubles round them.

    Examples
    --------
    >>> whole_numbers(np.array([[0.1, 1 / 3], [0.35, 0.5], [0.2, 0.0]]))
    array([[-10.        ,   0.33333333],
           [ 15.        ,   0.5       ],
           [  0.        ,   0.        ]])
    """
    out = np.array(X, dtype=np.float64)
    for j, column in enumerate(out.T):
        for digits in range(_MOST_DECIMALS + 1):
            scaled = np.round(column * 10.0**digits)
            if np.abs(scaled).max(initial=0.0) >= _EXACT:
                break
            if (scaled / 10.0**digits == column).all():
                # With values around zero, the engine's exact products stay small.
                out[:, j] = scaled - np.sort(scaled)[len(scaled) // 2]
                break
    return out


def describe_size(families: Sequence[Family], n_points: int) -> str:
    """Return in words how many candidates a search would have to list.

    Examples
    --------
    >>> X = np.arange(12.0).reshape(4, 3) ** 3
    >>> describe_size(make_families(X, "hyperplane", 1, 9), 4)
    'up to 7 hyperplane rules (4 points in 3 dimensions)'
    """
    largest = max(families, key=lambda family: family.n_rules)
    return (
        f"up to {_short(largest.n_rules)} {largest.name} rules ({n_points} points in "
        f"{largest.coordinates.shape[1]} dimensions)"
    )


def _short(n: int) -> str:
    return f"{n:,}" if n < 10**15 else f"10^{len(str(n)) - 1}"
