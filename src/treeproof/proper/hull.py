"""Coordinates inside the affine hull of points, exact for tables of any size.

The engine turns hyperplanes about flats, so it needs points that span all their
dimensions. Which columns suffice is a question of rank, and rank must not be guessed
from rounded numbers. Modulo a prime it is a matter of a few array operations, and the
rank modulo a prime is never larger than the true one: if it is full, that is a proof.
If it is not, the columns it leaves out are claimed to be combinations of the others;
the combinations are found for a few points in fractions and checked for all points in
whole numbers.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.proper.exact import affine_columns, echelon

_PRIME = 2**31 - 1  # a product of two residues fits 64 bits
_MANTISSA = 53


def hull(coordinates: NDArray[np.float64], max_dimensions: int) -> NDArray[np.float64]:
    """Keep as many columns as the affine hull of the points has dimensions.

    Parameters
    ----------
    coordinates : array of shape (n_points, n_columns)
    max_dimensions : int
        With more columns that vary than this, all of those are kept: nobody can list
        hyperplanes in that many dimensions.

    Examples
    --------
    >>> hull(np.array([[0.0, 7.0, 0.0], [1.0, 7.0, 2.0], [2.0, 7.0, 4.0]]), 10)
    array([[0.],
           [1.],
           [2.]])
    """
    varying = np.flatnonzero((coordinates != coordinates[:1]).any(axis=0))
    reduced = coordinates[:, varying]
    if 0 < reduced.shape[1] <= max_dimensions:
        reduced = reduced[:, hull_columns(reduced)]
    return np.ascontiguousarray(reduced)


def hull_columns(coordinates: NDArray[np.float64]) -> list[int]:
    """Choose the first columns on which the points' affine hull projects one-to-one.

    Examples
    --------
    >>> hull_columns(np.array([[0.0, 0.0, 1e-300], [1.0, 3.0, 0.0], [2.0, 6.0, 0.0]]))
    [0, 2]
    """
    n_points, n_columns = coordinates.shape
    # Most tables show their full rank in a few rows.
    for rows in (coordinates[: 2 * n_columns + 32], coordinates):
        columns, basis = _independent_modulo_prime(rows)
        if len(columns) == min(n_columns, n_points - 1):
            return columns
    if _others_depend(coordinates, columns, basis):
        return columns
    return affine_columns([tuple(map(Fraction, p)) for p in coordinates.tolist()])


def _independent_modulo_prime(
    points: NDArray[np.float64],
) -> tuple[list[int], list[int]]:
    """Find columns, and as many rows, that are independent modulo the prime.

    Rows are differences to the first point and numbered like the points.
    """
    rest = np.column_stack([_residues(column) for column in points.T])
    rest = (rest - rest[0]) % _PRIME
    numbers = np.arange(len(points))
    columns: list[int] = []
    for j in range(points.shape[1]):
        top = len(columns)
        candidates = np.flatnonzero(rest[top:, j])
        if len(candidates) == 0:
            continue
        pivot = top + int(candidates[0])
        rest[[top, pivot]], numbers[[top, pivot]] = (
            rest[[pivot, top]],
            numbers[[pivot, top]],
        )
        rest[top] = rest[top] * pow(int(rest[top, j]), -1, _PRIME) % _PRIME
        below = rest[top + 1 :]
        below -= below[:, j, None] * rest[top] % _PRIME
        below %= _PRIME
        columns.append(j)
    return columns, numbers[: len(columns)].tolist()


def _whole(column: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return a column, scaled by a power of two, as mantissa * 2^shift."""
    fraction, exponent = np.frexp(column)
    mantissa = np.ldexp(fraction, _MANTISSA).astype(np.int64)
    least = exponent[mantissa != 0].min(initial=np.iinfo(np.int32).max)
    shift = np.where(mantissa != 0, exponent - least, 0)
    return mantissa, shift.astype(np.intp)


def _residues(column: NDArray[np.float64]) -> NDArray[np.int64]:
    mantissa, shift = _whole(column)
    powers = np.array([pow(2, k, _PRIME) for k in range(int(shift.max()) + 1)])
    return mantissa % _PRIME * powers[shift] % _PRIME


def _others_depend(
    points: NDArray[np.float64], columns: list[int], basis: list[int]
) -> bool:
    """Prove that the other columns are combinations of `columns`, for all points.

    The combinations follow from the independent rows `basis`.
    """
    others = [j for j in range(points.shape[1]) if j not in columns]
    table: Any = np.empty(points.shape, dtype=object)
    for j, column in enumerate(points.T):
        mantissa, shift = _whole(column)
        table[:, j] = [
            m << s for m, s in zip(mantissa.tolist(), shift.tolist(), strict=True)
        ]
    table = table - table[0]
    solved, pivots = echelon(table[np.ix_(basis, columns + others)].tolist())
    if pivots != list(range(len(columns))):
        return False
    weights = [row[len(columns) :] for row in solved]
    scale = lcm(*(w.denominator for row in weights for w in row))
    whole: Any = np.array([[int(w * scale) for w in row] for row in weights], object)
    if len(columns) == 0:
        return not table[:, others].any()
    return bool((table[:, columns] @ whole == scale * table[:, others]).all())
