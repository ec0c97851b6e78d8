"""The constraints, one class for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import plain
from treeproof.constraints.sums import Rows, Sums, decimal

__all__ = [
    "Budget",
    "Constraint",
    "DemographicParity",
    "EqualOpportunity",
    "EqualizedOdds",
    "FalsePositiveRateAtMost",
    "Linear",
    "RecallAtLeast",
]


class Constraint(ABC):
    """A limit on a sum over rows that depends on what leaves predict.

    Examples
    --------
    >>> from treeproof.constraints import Constraint, RecallAtLeast
    >>> isinstance(RecallAtLeast(0.9), Constraint)
    True
    """

    needs_groups: ClassVar[bool] = False
    needs_classes: ClassVar[bool] = True
    varied: ClassVar[str]  # the parameter that is the bound

    @abstractmethod
    def add_to(self, sums: Sums, rows: Rows) -> None:
        """Add the sums that are limited, and the limits."""

    def _positive(self, rows: Rows) -> int:
        if rows.positive is None:
            raise ValueError(
                f"{type(self).__name__} is about a positive class, and treatments have "
                "none; use Budget or Linear."
            )
        return rows.positive


def _share(name: str, value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise TypeError(f"{name}={value!r} is not a number; use one from 0 to 1.")
    if not 0 <= value <= 1:
        raise ValueError(f"{name}={value!r} is not a share; use a number from 0 to 1.")
    return decimal(value)


def _exact(total: float) -> Fraction:
    return Fraction(float(total))


class _Groups(Constraint):
    """Nearly equal rates of positive predictions in all groups, among some rows."""

    needs_groups: ClassVar[bool] = True
    varied: ClassVar[str] = "difference_bound"
    difference_bound: float

    def _compare(
        self, sums: Sums, rows: Rows, among: NDArray[np.bool_], rate: str
    ) -> None:
        """Limit the difference of the rates of every two groups.

        There is one sum for each group but the first: the difference between its rate
        and that of the first group, times both sizes. It is an integer if weights are.
        """
        bound = _share("difference_bound", self.difference_bound)
        positive = self._positive(rows)
        assert rows.groups is not None
        weights = rows.proportions
        sizes = np.bincount(rows.groups[among], weights[among], len(rows.group_names))
        there = np.flatnonzero(sizes > 0).tolist()
        above: dict[int, dict[int, Fraction]] = {there[0]: {}} if there else {}
        for g in there[1:]:
            numbers = np.zeros((len(rows.weights), len(rows.actions)))
            own, first = among & (rows.groups == g), among & (rows.groups == there[0])
            numbers[own, positive] = weights[own] * sizes[there[0]]
            numbers[first, positive] = -weights[first] * sizes[g]
            number, scale = sums.add(numbers)
            above[g] = {
                number: 1 / (scale * _exact(sizes[g]) * _exact(sizes[there[0]]))
            }
        for g, h in combinations(there, 2):
            up = {j: -f for j, f in above[g].items()} | above[h]
            down = {j: -f for j, f in up.items()}
            names = plain(rows.group_names[g]), plain(rows.group_names[h])
            name = f"{rate} of {names[0]!r} and {names[1]!r}"
            sums.limit(name, up, bound)
            sums.limit(name, down, bound)


@dataclass(frozen=True)
class DemographicParity(_Groups):
    """Groups get the positive prediction at nearly equal rates.

    Parameters
    ----------
    difference_bound : float, default=0.01
        How much the shares of positive predictions of any two groups may differ.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.constraints import DemographicParity
    >>> X, y = [[0], [0], [1], [1]] * 5, [0, 0, 1, 1] * 5
    >>> who = ["a", "a", "b", "b"] * 5
    >>> fair = OptimalTreeClassifier(
    ...     0.0, max_depth=1, constraints=[DemographicParity(difference_bound=0.1)]
    ... )
    >>> float(fair.fit(X, y, sensitive_features=who).objective_)
    0.5
    """

    difference_bound: float = 0.01

    def add_to(self, sums: Sums, rows: Rows) -> None:
        """Limit the differences of the groups' rates."""
        everybody = np.ones(len(rows.weights), dtype=bool)
        self._compare(sums, rows, everybody, "positive rates")


@dataclass(frozen=True)
class EqualOpportunity(_Groups):
    """Groups have nearly equal true positive rates.

    Parameters
    ----------
    difference_bound : float, default=0.01
        How much the recalls of any two groups may differ.

    Examples
    --------
    >>> EqualOpportunity(difference_bound=0.05)
    EqualOpportunity(difference_bound=0.05)
    """

    difference_bound: float = 0.01

    def add_to(self, sums: Sums, rows: Rows) -> None:
        """Limit the differences of the groups' recalls."""
        assert rows.is_positive is not None
        self._compare(sums, rows, rows.is_positive, "true positive rates")


@dataclass(frozen=True)
class EqualizedOdds(_Groups):
    """Groups have nearly equal true positive rates and false positive rates.

    Parameters
    ----------
    difference_bound : float, default=0.01
        How much either rate of any two groups may differ.

    Examples
    --------
    >>> EqualizedOdds(difference_bound=0.05)
    EqualizedOdds(difference_bound=0.05)
    """

    difference_bound: float = 0.01

    def add_to(self, sums: Sums, rows: Rows) -> None:
        """Limit the differences of both rates."""
        assert rows.is_positive is not None
        self._compare(sums, rows, rows.is_positive, "true positive rates")
        self._compare(sums, rows, ~rows.is_positive, "false positive rates")


@dataclass(frozen=True)
class RecallAtLeast(Constraint):
    """At least this share of the positive rows is predicted to be positive.

    Parameters
    ----------
    recall : float
        A number from 0 to 1.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> from treeproof.constraints import RecallAtLeast
    >>> X, y = [[0], [0], [1], [1]], [0, 1, 0, 1]
    >>> careful = OptimalTreeClassifier(constraints=[RecallAtLeast(1.0)]).fit(X, y)
    >>> careful.predict(X).tolist()
    [1, 1, 1, 1]
    """

    varied: ClassVar[str] = "recall"
    recall: float

    def add_to(self, sums: Sums, rows: Rows) -> None:
        """Limit the weight of positive rows that leaves miss."""
        recall, positive = _share("recall", self.recall), self._positive(rows)
        assert rows.is_positive is not None
        numbers = np.zeros((len(rows.weights), len(rows.actions)))
        numbers[rows.is_positive] = rows.proportions[rows.is_positive, None]
        numbers[:, positive] = 0.0
        total = _exact(rows.proportions[rows.is_positive].sum())
        number, scale = sums.add(numbers)
        if total > 0:
            sums.limit("missed positives", {number: 1 / (scale * total)}, 1 - recall)


@dataclass(frozen=True)
class FalsePositiveRateAtMost(Constraint):
    """At most this share of the other rows is predicted to be positive.

    Parameters
    ----------
    rate : float
        A number from 0 to 1.

    Examples
    --------
    >>> FalsePositiveRateAtMost(0.1)
    FalsePositiveRateAtMost(rate=0.1)
    """

    varied: ClassVar[str] = "rate"
    rate: float

    def add_to(self, sums: Sums, rows: Rows) -> None:
        """Limit the weight of false alarms."""
        rate, positive = _share("rate", self.rate), self._positive(rows)
        assert rows.is_positive is not None
        numbers = np.zeros((len(rows.weights), len(rows.actions)))
        others = ~rows.is_positive
        numbers[others, positive] = rows.proportions[others]
        total = _exact(rows.proportions[others].sum())
        number, scale = sums.add(numbers)
        if total > 0:
            sums.limit("false positive rate", {number: 1 / (scale * total)}, rate)


@dataclass(frozen=True)
class Budget(Constraint):
    """The treatments together may not cost more than a budget.

    Parameters
    ----------
    share : float or None, default=None
        The budget as a share of the rows or, with prices, of the cost of treating all
        rows at a price of 1.
    amount : float or None, default=None
        The budget as an amount. Either this or ``share`` must be given.
    prices : dict, array-like or None, default=None
        The price of each treatment: a dict by name (what is left out is free), one
        number for each in their order, or one row of prices for each training row. By
        default every treatment but the first costs 1; for a classifier, the positive
        prediction.

    Examples
    --------
    >>> from treeproof.constraints import Budget
    >>> from treeproof.policy import OptimalPolicyTree
    >>> X, rewards = [[0], [1], [2], [3]], [[0, 1], [0, 2], [0, 3], [0, 4]]
    >>> half = OptimalPolicyTree(max_depth=1, constraints=[Budget(share=0.5)])
    >>> half.fit(X, rewards).predict(X).tolist()
    [0, 0, 1, 1]
    """

    varied: ClassVar[str] = "share"
    share: float | None = None
    amount: float | None = None
    prices: Any = None
    needs_classes: ClassVar[bool] = False

    def add_to(self, sums: Sums, rows: Rows) -> None:
        """Limit the sum of the prices."""
        if (self.share is None) == (self.amount is None):
            raise ValueError("Budget takes either share or amount; give one of them.")
        total = _exact(rows.weights.sum())
        if self.share is not None:
            at_most, unit = _share("share", self.share), Fraction(1)
        else:
            at_most, unit = decimal(self.amount), total
        prices = self.amounts_of(rows)
        number, scale = sums.add(prices * rows.weights[:, None])
        per = total if self.share is not None else Fraction(1)
        sums.limit("budget", {number: 1 / (scale * per)}, at_most, unit)

    def amounts_of(self, rows: Rows) -> NDArray[np.float64]:
        """Return the price of each action for each row."""
        k, n = len(rows.actions), len(rows.weights)
        if self.prices is None:
            own = np.ones(k)
            own[0 if rows.positive is None else slice(None)] = 0.0
            if rows.positive is not None:
                own[rows.positive] = 1.0
            return np.tile(own, (n, 1))
        if isinstance(self.prices, Mapping):
            names = [plain(action) for action in rows.actions]
            unknown = [name for name in self.prices if plain(name) not in names]
            if unknown:
                raise ValueError(
                    f"prices has {unknown[0]!r}, which is not among {names!r}."
                )
            told = {plain(name): float(price) for name, price in self.prices.items()}
            return np.tile([told.get(name, 0.0) for name in names], (n, 1))
        return _table_of(self.prices, "prices", rows)


@dataclass(frozen=True)
class Linear(Constraint):
    """Any linear constraint: the sum of ``h[i, action of row i]`` has an upper bound.

    Parameters
    ----------
    h : array-like of shape (n_actions,) or (n_samples, n_actions)
        What each row adds for each action (the classes in the order of ``classes_``
        and, if leaves may abstain, abstaining; or the treatments), times its weight.
    bound : float
        The number that the sum may not exceed.

    Examples
    --------
    >>> Linear([0, 1], bound=20).bound
    20
    """

    varied: ClassVar[str] = "bound"
    h: Any
    bound: float
    needs_classes: ClassVar[bool] = False

    def add_to(self, sums: Sums, rows: Rows) -> None:
        """Limit the sum."""
        if not np.isfinite(self.bound):
            raise ValueError(f"bound={self.bound!r} is not a number.")
        numbers = self.amounts_of(rows) * rows.weights[:, None]
        unit = _exact(np.abs(numbers).max(axis=1).sum()) or Fraction(1)
        number, scale = sums.add(numbers)
        sums.limit("linear", {number: 1 / scale}, decimal(self.bound), unit)

    def amounts_of(self, rows: Rows) -> NDArray[np.float64]:
        """Return what each row adds for each action, before weights."""
        return _table_of(self.h, "h", rows)


def _table_of(given: Any, name: str, rows: Rows) -> NDArray[np.float64]:
    """Read one number for each action, or one such row for each training row."""
    table = np.asarray(given, dtype=np.float64)
    k, n = len(rows.actions), len(rows.weights)
    n_given = n if rows.kept is None else len(rows.kept)
    if table.shape == (k,):
        table = np.tile(table, (n_given, 1))
    if table.shape != (n_given, k):
        raise ValueError(
            f"{name} has the shape {table.shape}; it must have one number for each of "
            f"the {k} actions, or a row of {k} for each of the {n_given} training rows."
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"{name} has {table[row, column]} in row {row}, column {column}."
        )
    return rows.of_kept(table)
