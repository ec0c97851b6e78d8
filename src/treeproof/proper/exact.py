"""Exact geometry for small numbers of points, in rational arithmetic.

Whether a point lies on a surface is a yes-or-no question that rounding gets wrong.
Numbers are read as the decimals they print as (0.1 is one tenth), so that points on a
decimal grid are collinear exactly when they look so.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Point = tuple[Fraction, ...]


def exact_points(X: ArrayLike) -> list[Point]:
    """Read a table of finite numbers as exact fractions.

    Raises
    ------
    ValueError
        If the table is not two-dimensional or holds a value that is no finite number.

    Examples
    --------
    >>> exact_points([[0.1, 2.0]])
    [(Fraction(1, 10), Fraction(2, 1))]
    """
    try:
        table = np.asarray(X)
    except ValueError:
        raise ValueError("the rows of X differ in length") from None
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            "X must be a table with rows and columns, got an array of shape "
            f"{table.shape}; use X.reshape(-1, 1) for a single column"
        )
    if table.dtype.kind in "OUS":
        table = np.array([[_number(v, i) for v in row] for i, row in enumerate(table)])
    bad = np.argwhere(~np.isfinite(table.astype(float)))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"row {row}, column {column} holds {table[row, column]}; rules through "
            "points need finite numbers, so drop or impute such rows"
        )
    return [tuple(Fraction(str(value)) for value in row) for row in table]


def _number(value: Any, row: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"row {row} holds '{value}', which is not a number; encode or drop its "
            "column"
        ) from None


def echelon(
    rows: Sequence[Sequence[Fraction]],
) -> tuple[list[list[Fraction]], list[int]]:
    """Reduce rows to reduced echelon form; give the rows that remain and their pivots.

    Examples
    --------
    >>> echelon([[2, 4], [1, 2]])
    ([[Fraction(1, 1), Fraction(2, 1)]], [0])
    """
    reduced: list[list[Fraction]] = []
    pivots: list[int] = []
    for row in rows:
        rest = [Fraction(value) for value in row]
        for other, pivot in zip(reduced, pivots, strict=True):
            if rest[pivot]:
                factor = rest[pivot]
                rest = [a - factor * b for a, b in zip(rest, other, strict=True)]
        if not any(rest):
            continue
        pivot = next(j for j, value in enumerate(rest) if value)
        rest = [value / rest[pivot] for value in rest]
        for i, other in enumerate(reduced):
            if other[pivot]:
                factor = other[pivot]
                reduced[i] = [a - factor * b for a, b in zip(other, rest, strict=True)]
        reduced.append(rest)
        pivots.append(pivot)
        if len(pivots) == len(row):
            break
    order = sorted(range(len(pivots)), key=pivots.__getitem__)
    return [reduced[i] for i in order], [pivots[i] for i in order]


def affine_columns(points: Sequence[Point]) -> list[int]:
    """Choose columns that suffice to tell the points' affine hull from its inside.

    As many as the hull has dimensions; the projection on them is one-to-one on the
    hull.

    Examples
    --------
    >>> affine_columns(exact_points([[0, 5, 1], [1, 5, 2], [2, 5, 3]]))
    [0]
    """
    first = points[0]
    differences = ([a - b for a, b in zip(p, first, strict=True)] for p in points[1:])
    return echelon(list(differences))[1]


def hyperplane_through(points: Sequence[Point]) -> tuple[tuple[int, ...], int] | None:
    """Find (w, c) with w.p = c for D points in D dimensions; None if they span less.

    The numbers are whole, without a common divisor, and the first that is not zero in w
    is positive.

    Examples
    --------
    >>> hyperplane_through(exact_points([[0.5, 0], [0, 0.5]]))
    ((2, 2), 1)
    >>> hyperplane_through(exact_points([[1, 1], [1, 1]])) is None
    True
    """
    dimension = len(points[0])
    reduced, pivots = echelon([[*p, Fraction(1)] for p in points])
    if len(pivots) < dimension:
        return None
    free = next(j for j in range(dimension + 1) if j not in pivots)
    vector = [Fraction(0)] * (dimension + 1)
    vector[free] = Fraction(1)
    for row, pivot in zip(reduced, pivots, strict=True):
        vector[pivot] = -row[free]
    scale = lcm(*(value.denominator for value in vector))
    whole = [int(value * scale) for value in vector]
    divisor = gcd(*whole)
    if next(value for value in whole if value) < 0:
        divisor = -divisor
    whole = [value // divisor for value in whole]
    return tuple(whole[:-1]), -whole[-1]
