"""Proofs of trees that keep limits on rates: the bound of the prices, with its gap.

A proof file holds the argument for the priced problem, in which errors and limited
rates cost whole numbers, and the tree that keeps the limits (section 10 of
docs/proof-format.md). What prices cannot show, a list of trees closes in the fit but
not in the file: the checkers then state a gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.constraints.kinds import (
    Budget,
    Constraint,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateAtMost,
    RecallAtLeast,
)
from treeproof.constraints.search import Candidate, ConstrainedSearch
from treeproof.constraints.sums import Rows, decimal
from treeproof.objectives import Costs
from treeproof.proof.writer import ProofFile, nested_tree
from treeproof.solving.proving import solve_for_proof

__all__ = ["check_provable_limits", "write_constrained"]

_MOST_GAINS = 1 << 29  # of all rows together
_MOST_PART = 1 << 60  # of a bound's denominator
_RATES: dict[type, tuple[str, ...]] = {
    DemographicParity: ("all",),
    EqualOpportunity: ("positives",),
    EqualizedOdds: ("positives", "negatives"),
}


@dataclass(frozen=True)
class _Rate:
    """A limited rate as a proof states it, and the rows it is about."""

    among: str
    sign: int
    group: int | None
    minus: int | None
    at_most: Fraction
    rows: NDArray[np.bool_]
    other: NDArray[np.bool_] | None = None

    def step(self, weights: NDArray[np.int64]) -> int:
        """Return what prices must be multiples of: the weights of its rows."""
        sides = [self.rows] if self.other is None else [self.rows, self.other]
        return math.lcm(*(int(weights[side].sum()) for side in sides))


def check_provable_limits(
    constraints: Sequence[Constraint], objective: Costs, rows: Rows, model: Any
) -> None:
    """Refuse a proof of what its checkers do not compute in whole numbers."""
    for one in constraints:
        share = isinstance(one, Budget) and one.prices is None and one.amount is None
        known = isinstance(one, (*_RATES, RecallAtLeast, FalsePositiveRateAtMost))
        if not known and not share:
            raise ValueError(
                f"{type(one).__name__} has no proof files; proofs know limits on rates "
                "(parity, opportunity, odds, recall, false positives and "
                "Budget(share=)). Fit without proof."
            )
    for rate in _rates(constraints, rows) if rows.is_positive is not None else ():
        if rate.at_most.denominator > _MOST_PART:
            raise ValueError(
                f"A proof states the bound {float(rate.at_most):g} as a fraction, "
                "which is too long; use a bound with fewer digits."
            )
    plain = model.cost_matrix is None and model.abstain_cost is None
    if not plain or rows.positive is None or objective.told.matrix is None:
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
    """Return what each row costs if it is misclassified."""
    return objective.weights * objective.costs.max(axis=1)


def _rates(constraints: Sequence[Constraint], rows: Rows) -> list[_Rate]:
    """Return the limits in the order in which the search has their prices."""
    assert rows.is_positive is not None
    among = {
        "all": np.ones(len(rows.weights), dtype=bool),
        "positives": rows.is_positive,
        "negatives": ~rows.is_positive,
    }
    out: list[_Rate] = []
    for one in constraints:
        for name in _RATES.get(type(one), ()):
            bound = decimal(one.difference_bound)  # type: ignore[attr-defined]
            out += _differences(name, bound, among[name], rows)
        own: tuple[str, int, Fraction] | None = None
        if isinstance(one, RecallAtLeast):
            own = "positives", -1, -decimal(one.recall)
        elif isinstance(one, FalsePositiveRateAtMost):
            own = "negatives", 1, decimal(one.rate)
        elif isinstance(one, Budget):
            own = "all", 1, decimal(one.share)
        if own is not None and among[own[0]].any():
            name, sign, bound = own
            out.append(_Rate(name, sign, None, None, bound, among[name]))
    return out


def _differences(
    name: str, bound: Fraction, among: NDArray[np.bool_], rows: Rows
) -> list[_Rate]:
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
) -> dict[str, Any]:
    """Prove the bound of the prices; return figures for `stats_`."""
    model, objective = search.model, search.objective
    rates, weights = _rates(constraints, rows), rows.weights.astype(np.int64)
    errors = _errors(objective).astype(np.int64)
    labels = np.argmin(objective.costs, axis=1)
    wanted = search.prices / objective.scale  # in errors, for a rate of one
    assert len(wanted) == max(len(rates), 1)
    positive, n = rows.positive or 0, len(errors)
    for power in range(20, -1, -1):  # as fine as the engines' whole numbers allow
        unit = 1 << power
        prices = [
            round(price * unit / rate.step(weights)) * rate.step(weights)
            for price, rate in zip(wanted, rates, strict=False)
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
    limits = [
        {
            "among": rate.among,
            "sign": rate.sign,
            "group": rate.group,
            "minus": rate.minus,
            "at_most": [rate.at_most.numerator, rate.at_most.denominator],
            "price": price,
        }
        for rate, price in zip(rates, prices, strict=True)
    ]
    grouped = any(rate.group is not None for rate in rates)
    stated = {
        "positive": positive,
        "class_weight": _class_factors(errors, weights, labels, len(objective.actions)),
        "groups": rows.group_names if grouped else None,
        "limits": limits,
        "unit": unit,
        "split_penalty": float(model.split_penalty),
        "tree": nested_tree(
            best.splits, objective.table, lambda of: int(best.actions[of[0]])
        ),
    }
    header = {"version": 4, "split_penalty": penalty, "constraints": stated}
    return model._write_proof(file, provable, priced, lambda _: header)  # type: ignore[no-any-return]


def _class_factors(
    errors: NDArray[np.int64],
    weights: NDArray[np.int64],
    labels: NDArray[np.intp],
    n_classes: int,
) -> list[int]:
    """Return what an error costs for a weight of one, by class."""
    return [
        int((errors[labels == c] // weights[labels == c]).max(initial=1))
        for c in range(n_classes)
    ]


def _priced(
    unit: int,
    prices: list[int],
    rates: list[_Rate],
    errors: NDArray[np.int64],
    labels: NDArray[np.intp],
    positive: int,
    rows: Rows,
) -> NDArray[np.int64]:
    """Return what each class costs for each row, limited rates at their prices."""
    weights = rows.weights.astype(np.int64)
    costs = np.zeros((len(errors), len(rows.actions)), np.int64)
    costs += (errors * unit)[:, None]
    costs[np.arange(len(costs)), labels] = 0
    for price, rate in zip(prices, rates, strict=True):
        for sign, side in ((rate.sign, rate.rows), (-rate.sign, rate.other)):
            if side is not None:
                each = price // int(weights[side].sum())
                costs[side, positive] += sign * each * weights[side]
    return costs
