"""Proofs of trees that keep limits on rates: a bound by prices, and a list of trees.

A proof file contains the argument for the priced problem, in which errors and limited
rates have integer costs, and the tree that keeps the limits (section 10 of
docs/proof-format.md). If prices leave a gap, the file may say that the checkers can
close it by a list of trees. If that list is too long, checkers state the gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import plain
from treeproof.constraints.closing import close_by_list
from treeproof.constraints.kinds import (
    Budget,
    Constraint,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateAtMost,
    Linear,
    RecallAtLeast,
)
from treeproof.constraints.search import Candidate, ConstrainedSearch
from treeproof.constraints.sums import Rows, Sums, decimal
from treeproof.objectives import Costs
from treeproof.proof.writer import ProofFile, given_table, nested_tree
from treeproof.solving.proving import solve_for_proof

__all__ = ["check_provable_limits", "write_constrained"]

_MOST_GAINS = 1 << 29  # the largest sum of gains over all rows
_MOST_AMOUNT = 1 << 30
_MOST_PART = 1 << 60  # the largest denominator of a bound
_RATES: dict[type, tuple[str, ...]] = {
    DemographicParity: ("all",),
    EqualOpportunity: ("positives",),
    EqualizedOdds: ("positives", "negatives"),
}


@dataclass(frozen=True)
class _Rate:
    """A limited rate in the form of the proof file, with the rows that it is about."""

    among: str
    sign: int
    group: int | None
    minus: int | None
    at_most: Fraction
    rows: NDArray[np.bool_]
    other: NDArray[np.bool_] | None = None
    per: Fraction = Fraction(1)  # the unit of the search's price

    def step(self, weights: NDArray[np.int64]) -> int:
        """Return the weight of its rows, of which prices must be multiples."""
        sides = [self.rows] if self.other is None else [self.rows, self.other]
        return math.lcm(*(int(weights[side].sum()) for side in sides))

    def charge(
        self,
        costs: NDArray[np.int64],
        price: int,
        positive: int,
        weights: NDArray[np.int64],
    ) -> None:
        """Add the cost of each class for each row at a price of the rate."""
        for sign, side in ((self.sign, self.rows), (-self.sign, self.other)):
            if side is not None:
                each = price // int(weights[side].sum())
                costs[side, positive] += sign * each * weights[side]

    def stated(self, price: int) -> dict[str, Any]:
        """Return the limit in the form of the header."""
        return {
            "among": self.among,
            "sign": self.sign,
            "group": self.group,
            "minus": self.minus,
            "at_most": [self.at_most.numerator, self.at_most.denominator],
            "price": price,
        }


@dataclass(frozen=True)
class _Amounts:
    """A limited sum of amounts in the form of the proof file."""

    table: NDArray[np.int64]  # integers, by row and class
    at_most: Fraction
    per: Fraction

    group = None

    def step(self, weights: NDArray[np.int64]) -> int:
        """Return the number of which prices must be multiples."""
        return 1

    def charge(
        self,
        costs: NDArray[np.int64],
        price: int,
        positive: int,
        weights: NDArray[np.int64],
    ) -> None:
        """Add the cost of each class for each row at a price of the sum."""
        costs += price * self.table * weights[:, None]

    def stated(self, price: int) -> dict[str, Any]:
        """Return the limit in the form of the header."""
        same = (self.table == self.table[0]).all()
        return {
            "amounts": (self.table[0] if same else self.table).tolist(),
            "at_most": [self.at_most.numerator, self.at_most.denominator],
            "price": price,
        }


def _amounts(
    table: NDArray[np.float64], at_most: Fraction, per: Fraction, name: str
) -> _Amounts:
    """Multiply amounts so that they become integers."""
    distinct, place = np.unique(table, return_inverse=True)
    parts = [decimal(value) for value in distinct]
    scale = math.lcm(*(part.denominator for part in parts))
    whole = [int(part * scale) for part in parts]
    if max(map(abs, whole)) >= _MOST_AMOUNT:
        raise ValueError(
            f"A proof takes amounts of {name} that are whole numbers, perhaps of a "
            "decimal fraction; give them with fewer digits, or fit without proof."
        )
    listed = np.array(whole, dtype=np.int64)[place.reshape(table.shape)]
    return _Amounts(listed, at_most * scale, per * scale)


def check_provable_limits(
    constraints: Sequence[Constraint], objective: Costs, rows: Rows, model: Any
) -> None:
    """Raise if checkers could not verify a proof with these constraints in integers."""
    known = (*_RATES, RecallAtLeast, FalsePositiveRateAtMost, Budget, Linear)
    for one in constraints:
        if not isinstance(one, known):
            raise ValueError(
                f"{type(one).__name__} has no proof files; proofs know the constraints "
                "of treeproof.constraints. Use Linear, or fit without proof."
            )
        one.add_to(Sums(), rows)  # raises an error if its numbers are not usable
    for rate in _rates(constraints, rows):
        most = max(abs(rate.at_most.numerator), rate.at_most.denominator)
        if most > _MOST_PART:
            raise ValueError(
                f"A proof states the bound {float(rate.at_most):g} as a fraction, "
                "which is too long; use a bound with fewer digits."
            )
    plain = model.cost_matrix is None and model.abstain_cost is None
    if not plain or objective.told.matrix is None:
        raise ValueError(
            "A proof with constraints is about errors; leave out cost_matrix, "
            "abstain_cost and costs, or fit without proof."
        )
    errors = _errors(objective)
    whole = (rows.weights == np.floor(rows.weights)).all()
    if not whole or (errors != np.floor(errors)).any():
        raise ValueError(
            "A proof with constraints takes weights that are whole numbers, also with "
            "class_weight; multiply them, or fit without proof."
        )


def _errors(objective: Costs) -> NDArray[np.float64]:
    """Return the cost of each row if it is misclassified."""
    return objective.weights * objective.costs.max(axis=1)


def _rates(constraints: Sequence[Constraint], rows: Rows) -> list[_Rate | _Amounts]:
    """Return the limits in the order of the search's prices."""
    among = {"all": np.ones(len(rows.weights), dtype=bool)}
    if rows.is_positive is not None:
        among |= {"positives": rows.is_positive, "negatives": ~rows.is_positive}
    out: list[_Rate | _Amounts] = []
    for one in constraints:
        for name in _RATES.get(type(one), ()):
            bound = decimal(one.difference_bound)  # type: ignore[attr-defined]
            out += _differences(name, bound, among[name], rows)
        if isinstance(one, (Budget, Linear)):
            out.append(_limited_sum(one, rows))
        own: tuple[str, int, Fraction] | None = None
        if isinstance(one, RecallAtLeast):
            own = "positives", -1, -decimal(one.recall)
        elif isinstance(one, FalsePositiveRateAtMost):
            own = "negatives", 1, decimal(one.rate)
        if own is not None and among[own[0]].any():
            name, sign, bound = own
            out.append(_Rate(name, sign, None, None, bound, among[name]))
    return out


def _limited_sum(one: Budget | Linear, rows: Rows) -> _Rate | _Amounts:
    """Return a limit on a sum over all rows."""
    weights = rows.weights
    if isinstance(one, Linear):
        table = one.amounts_of(rows)
        per = Fraction(float(np.abs(table * weights[:, None]).max(axis=1).sum()))
        return _amounts(table, decimal(one.bound), per or Fraction(1), "h")
    total = Fraction(float(weights.sum()))
    share = decimal(one.share) if one.amount is None else decimal(one.amount) / total
    if one.prices is None and rows.positive is not None:
        everyone = np.ones(len(weights), dtype=bool)
        return _Rate("all", 1, None, None, share, everyone)
    return _amounts(one.amounts_of(rows), share * total, total, "prices")


def _differences(
    name: str, bound: Fraction, among: NDArray[np.bool_], rows: Rows
) -> list[_Rate | _Amounts]:
    assert rows.groups is not None
    there = [
        g for g in range(len(rows.group_names)) if (among & (rows.groups == g)).any()
    ]
    return [
        _Rate(
            name, 1, a, b, bound, among & (rows.groups == a), among & (rows.groups == b)
        )
        for i, g in enumerate(there)
        for h in there[i + 1 :]
        for a, b in ((h, g), (g, h))
    ]


def write_constrained(
    file: ProofFile,
    search: ConstrainedSearch,
    best: Candidate,
    constraints: Sequence[Constraint],
    rows: Rows,
    *,
    proved: bool,
) -> dict[str, Any]:
    """Write a proof of a lower bound; return figures for `stats_`.

    If the search has `proved` that the tree is optimal, so does the file.
    """
    model, objective = search.model, search.objective
    rates, weights = _rates(constraints, rows), rows.weights.astype(np.int64)
    errors = _errors(objective).astype(np.int64)
    labels = np.argmin(objective.costs, axis=1)
    wanted = search.prices / objective.scale  # in units of errors, for a rate of 1
    assert len(wanted) == max(len(rates), 1)
    positive, n = rows.positive or 0, len(errors)
    for power in range(20, -1, -1):  # as precise as the engines' integers allow
        unit = 1 << power
        steps = [rate.step(weights) for rate in rates]
        prices = [
            round(price / float(rate.per) * unit / step) * step
            for price, rate, step in zip(wanted, rates, steps, strict=False)
        ]
        costs = _priced(unit, prices, rates, errors, labels, positive, rows)
        if (costs.max(axis=1)[:, None] - costs).sum() < _MOST_GAINS:
            break
    priced = Costs(
        objective.table,
        np.ones(n),
        costs.astype(np.float64),
        objective.actions,
        samples=objective.samples,
    )
    penalty = float(model.split_penalty) * float(errors.sum()) * unit / n
    task = model._task_for(priced, search.deadline)
    engine = priced.units.engine_penalty(penalty)
    provable = solve_for_proof(
        model.solver, replace(task, split_penalty=engine, proof_log=file.log)
    )
    grouped = any(rate.group is not None for rate in rates)
    stated = {
        "positive": positive,
        "class_weight": _class_factors(errors, weights, labels, len(objective.actions)),
        "groups": rows.group_names if grouped else None,
        "limits": [
            rate.stated(price) for rate, price in zip(rates, prices, strict=True)
        ],
        "unit": unit,
        "split_penalty": float(model.split_penalty),
        "tree": nested_tree(
            best.splits, objective.table, lambda of: int(best.actions[of[0]])
        ),
    }
    header = {"version": 4, "split_penalty": penalty, "constraints": stated}
    written = model._write_proof(file, provable, priced, lambda _: header)
    if proved:
        names = np.empty(len(rows.actions), dtype=object)
        names[:] = [plain(action) for action in rows.actions]
        groups = np.asarray(rows.group_names)[rows.groups] if grouped else None
        given = given_table(objective.table), names[labels], rows.weights, groups
        close_by_list(file, *given)
    return written  # type: ignore[no-any-return]


def _class_factors(
    errors: NDArray[np.int64],
    weights: NDArray[np.int64],
    labels: NDArray[np.intp],
    n_classes: int,
) -> list[int]:
    """Return the cost of an error for a row of weight 1, by class."""
    return [
        int((errors[labels == c] // weights[labels == c]).max(initial=1))
        for c in range(n_classes)
    ]


def _priced(
    unit: int,
    prices: list[int],
    rates: list[_Rate | _Amounts],
    errors: NDArray[np.int64],
    labels: NDArray[np.intp],
    positive: int,
    rows: Rows,
) -> NDArray[np.int64]:
    """Return the cost of each class for each row, with the prices of limited rates."""
    weights = rows.weights.astype(np.int64)
    costs = np.zeros((len(errors), len(rows.actions)), np.int64)
    costs += (errors * unit)[:, None]
    costs[np.arange(len(costs)), labels] = 0
    for price, rate in zip(prices, rates, strict=True):
        rate.charge(costs, price, positive, weights)
    return costs
