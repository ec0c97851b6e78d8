"""Polynomial surfaces: the zero set of a sum of monomials.

Axis-parallel hyperplanes, hyperplanes and curved surfaces differ only in which
monomials occur; a hyperplane in the space of monomials is a surface in the space of the
data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

# The columns multiplied, with repetition: (0, 0, 1) is x0 * x0 * x1.
Monomial = tuple[int, ...]


def monomials(n_features: int, degree: int) -> list[Monomial]:
    """List the monomials of degree 1 to `degree` in `n_features` variables.

    There are G = C(D + M, D) - 1 of them, which is also how many points a surface of
    degree M in D dimensions can be made to pass through.

    Examples
    --------
    >>> monomials(2, 2)
    [(0,), (1,), (0, 0), (0, 1), (1, 1)]
    """
    return [
        term
        for total in range(1, degree + 1)
        for term in combinations_with_replacement(range(n_features), total)
    ]


def n_monomials(n_features: int, degree: int) -> int:
    """Count the monomials without listing them: C(D + M, D) - 1.

    Examples
    --------
    >>> n_monomials(2, 2), n_monomials(4, 1)
    (5, 4)
    """
    return comb(n_features + degree, n_features) - 1


def lift(X: NDArray[np.float64], terms: Sequence[Monomial]) -> NDArray[np.float64]:
    """Return the values of monomials, one column for each.

    Examples
    --------
    >>> lift(np.array([[2.0, 3.0]]), [(0,), (0, 1)])
    array([[2., 6.]])
    """
    out = np.ones((len(X), len(terms)))
    for j, term in enumerate(terms):
        for column in term:
            out[:, j] *= X[:, column]
    return out


@dataclass(frozen=True)
class Surface:
    """Points x with sum(coefficients * monomials(x)) = threshold.

    Parameters
    ----------
    terms : tuple of monomials
    coefficients : tuple of float
    threshold : float

    Examples
    --------
    >>> circle = Surface(((0, 0), (1, 1)), (1.0, 1.0), 4.0)
    >>> circle.values([[0.0, 0.0], [3.0, 0.0]])
    array([-4.,  5.])
    >>> circle.describe(["x", "y"])
    'x^2 + y^2 > 4'
    """

    terms: tuple[Monomial, ...]
    coefficients: tuple[float, ...]
    threshold: float

    def values(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the left-hand side minus the threshold: > 0 on the positive side."""
        lifted = lift(np.asarray(X, dtype=float), self.terms)
        # Summed column by column, so that a row's value does not depend on the other
        # rows.
        total = np.zeros(len(lifted))
        for column, coefficient in zip(lifted.T, self.coefficients, strict=True):
            total += coefficient * column
        return total - self.threshold

    def turned(self) -> Surface:
        """Return the same surface with its sides exchanged."""
        turned = tuple(-c for c in self.coefficients)
        return Surface(self.terms, turned, -self.threshold)

    def describe(self, names: Sequence[str] | None = None, sign: str = ">") -> str:
        """Return the inequality with the given column names."""
        parts: list[str] = []
        for term, coefficient in zip(self.terms, self.coefficients, strict=True):
            if coefficient == 0:
                continue
            text = _monomial_text(term, names)
            size = abs(coefficient)
            if size != 1:
                text = f"{_number(size)}*{text}"
            if parts:
                parts.append("- " + text if coefficient < 0 else "+ " + text)
            else:
                parts.append("-" + text if coefficient < 0 else text)
        return f"{' '.join(parts) or '0'} {sign} {_number(self.threshold)}"


def _number(value: float) -> str:
    value = float(value)
    whole = value.is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else f"{value:.6g}"


def _monomial_text(term: Monomial, names: Sequence[str] | None) -> str:
    parts = []
    for column in sorted(set(term)):
        name = names[column] if names is not None else f"x{column}"
        power = term.count(column)
        parts.append(name if power == 1 else f"{name}^{power}")
    return "*".join(parts)
