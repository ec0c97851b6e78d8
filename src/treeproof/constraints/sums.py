"""The sums over rows that constraints limit, as integers, and the limits on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["InfeasibleError", "Limit", "Rows", "Sums", "decimal"]

_MOST = 1 << 50  # the largest sum that may occur
_MOST_DIGITS = 6  # decimal places of weights that are multiplied to become integers
_MOST_PROPORTION = (
    1 << 24
)  # the largest total of such weights, so that products of two are exact
MOST_SUMS = 8  # as in cpp/search/near/frontier.hpp


class InfeasibleError(ValueError):
    """No tree keeps the constraints, or none was found before a limit.

    Attributes
    ----------
    model : estimator or None
        A fitted estimator with the tree that comes closest.
    excess : float
        By how much that tree is beyond the constraint it breaks most, in the unit of
        the constraint: a difference of rates, a rate, or an amount.
    proved : bool
        Whether it is proved that no tree keeps the constraints.

    Examples
    --------
    >>> issubclass(InfeasibleError, ValueError)
    True
    """

    model: Any = None
    excess: float = 0.0
    proved: bool = False


@dataclass(frozen=True)
class Rows:
    """What a constraint may depend on: the training rows, but not their columns.

    Attributes
    ----------
    weights : ndarray of shape (rows,)
        The weights of the rows.
    actions : list
        The classes that a leaf may predict, or the actions that it may choose.
    positive : int or None
        The number of the positive class among the actions, if there is one.
    is_positive : ndarray of bool or None
        Whether a row is of the positive class.
    groups : ndarray of int or None
        The number of each row's group.
    group_names : list
        The groups.
    kept : ndarray of bool or None
        Which rows of the user's table are used; None for all of them.
    """

    weights: NDArray[np.float64]
    actions: list[Any]
    positive: int | None = None
    is_positive: NDArray[np.bool_] | None = None
    groups: NDArray[np.intp] | None = None
    group_names: list[Any] = field(default_factory=list)
    kept: NDArray[np.bool_] | None = None

    @cached_property
    def proportions(self) -> NDArray[np.float64]:
        """The weights for rates: integers, if the weights are decimals with few digits.

        Rates do not change if all weights are multiplied by a number. Sums of integers
        are exact, so that a rate that is exactly at its limit is allowed.
        """
        for digits in range(_MOST_DIGITS + 1):
            scaled = self.weights * 10.0**digits
            whole = np.rint(scaled)
            if whole.sum() >= _MOST_PROPORTION:
                break
            if (np.abs(scaled - whole) <= 1e-12 * scaled).all():
                return whole
        return self.weights

    def of_kept(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows that are used of a table with the user's rows."""
        return table if self.kept is None else table[self.kept]


@dataclass(frozen=True)
class Limit:
    """A linear combination of sums that may not exceed a number.

    Attributes
    ----------
    name : str
        The name of what is limited, for messages.
    factors : dict
        The factor of each sum, by its number.
    at_most : Fraction
        The number that the combination may not exceed.
    unit : Fraction
        The unit in which the excesses of several limits are compared.
    """

    name: str
    factors: dict[int, Fraction]
    at_most: Fraction
    unit: Fraction = Fraction(1)

    def excess(self, sums: Any) -> Fraction:
        """Return by how much sums are beyond the limit; negative if they are within."""
        total = sum((f * int(sums[j]) for j, f in self.factors.items()), Fraction(0))
        return (total - self.at_most) / self.unit


class Sums:
    """The sums of a problem's constraints, and the limits on them.

    Attributes
    ----------
    columns : list of ndarray of shape (rows, actions)
        For each sum, what each row adds for each action, in whole numbers.
    limits : list of Limit
        The limits that have to be kept.
    rounded : bool
        Whether the numbers had to be rounded to integers.

    Examples
    --------
    >>> sums = Sums()
    >>> number, scale = sums.add(np.array([[0.0, 1.0], [0.0, 2.0]]))
    >>> sums.limit("treated", {number: 1 / scale}, Fraction(2))
    >>> sums.limits[0].excess([3])
    Fraction(1, 1)
    """

    def __init__(self) -> None:
        self.columns: list[NDArray[np.int64]] = []
        self.limits: list[Limit] = []
        self.rounded = False

    def add(self, numbers: NDArray[np.float64]) -> tuple[int, Fraction]:
        """Add a sum; return its number and the factor by which it was multiplied.

        Integers are not changed. Other numbers are multiplied by a power of two, the
        largest that the limit on sums allows, and rounded.
        """
        scale = Fraction(1)
        total = float(np.abs(numbers).max(axis=1).sum())
        if (numbers != np.floor(numbers)).any() or total >= _MOST:
            while total * float(scale) < _MOST / 4:
                scale *= 2
            while total * float(scale) >= _MOST:
                scale /= 2
            self.rounded = True
        whole = np.floor(numbers * float(scale) + 0.5).astype(np.int64)
        self.columns.append(whole)
        return len(self.columns) - 1, scale

    def limit(
        self,
        name: str,
        factors: dict[int, Fraction],
        at_most: Fraction,
        unit: Fraction = Fraction(1),
    ) -> None:
        """Add a limit on a linear combination of sums."""
        self.limits.append(Limit(name, factors, at_most, unit))

    def table(self) -> NDArray[np.int64]:
        """Return what each row adds: an array of shape (rows, actions, sums)."""
        return np.stack(self.columns, axis=2)

    def worst(self, sums: Any) -> tuple[Fraction, Limit]:
        """Return the greatest excess over a limit, and that limit."""
        found = [(limit.excess(sums), limit) for limit in self.limits]
        return max(found, key=lambda pair: pair[0])


def decimal(number: Any) -> Fraction:
    """Return a number as it is written: 0.05 is a twentieth.

    Examples
    --------
    >>> decimal(0.05)
    Fraction(1, 20)
    """
    return Fraction(repr(float(number)))
