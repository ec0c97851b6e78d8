"""Fitting an estimator under constraints."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.alternatives.methods import MOST_KEPT_BYTES
from treeproof.arithmetic import UNIT_COST
from treeproof.border.labels import read_vector
from treeproof.columns import plain
from treeproof.constraints.by_levels import GivenActions, search_by_levels, unit_of
from treeproof.constraints.kept import Kept
from treeproof.constraints.kinds import Constraint
from treeproof.constraints.proving import check_provable_limits, write_constrained
from treeproof.constraints.search import Candidate, ConstrainedSearch, Found
from treeproof.constraints.sums import InfeasibleError, Rows, Sums
from treeproof.limits import Deadline
from treeproof.objectives import Costs, Labels, Objective
from treeproof.objectives.ratios import positive_class
from treeproof.proof.writer import ProofFile
from treeproof.solving.answer import Answer
from treeproof.solving.observers import History, observing

if TYPE_CHECKING:
    from treeproof.border import ClassificationData, RewardData

__all__ = [
    "fit_classifier",
    "fit_policy",
    "objective_of",
    "read_groups",
]


def check_constraints(
    model: Any, sensitive_features: Any, classes: bool, others: Mapping[str, Any]
) -> Sequence[Constraint]:
    """Return the constraints; raise if other parameters cannot be combined with them.

    `classes` says whether rows have classes. `others` are arguments of ``fit`` which
    must be None.
    """
    constraints = model.constraints
    if isinstance(constraints, Constraint):
        constraints = [constraints]
    for one in constraints:
        if not isinstance(one, Constraint):
            raise TypeError(
                f"constraints has {one!r}; it takes objects such as "
                "treeproof.constraints.RecallAtLeast(0.9)."
            )
        if one.needs_groups and sensitive_features is None:
            raise ValueError(
                f"{type(one).__name__} compares groups of rows; pass "
                "sensitive_features to fit, one value for each row."
            )
        if one.needs_classes and not classes:
            raise ValueError(
                f"{type(one).__name__} is about classes, which treatments do not have; "
                "use Budget or Linear."
            )
    given = [name for name, value in others.items() if value is not None]
    given += ["n_best"] if model.n_best > 1 else []
    limits = ("max_splits", "first_split", "prefix")
    given += [p for p in limits if getattr(model, p, None) is not None]
    if given:
        raise ValueError(
            f"constraints cannot be combined with {given[0]}; leave one out."
        )
    return list(constraints)


def read_groups(
    sensitive_features: Any, n_rows: int
) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the number of each row's group, and the names of the groups."""
    values = read_vector(sensitive_features, "sensitive_features")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.reshape(-1)
    if values.ndim != 1:
        raise ValueError(
            f"sensitive_features has {values.shape[1]} columns; give one, or one that "
            "combines them."
        )
    if len(values) != n_rows:
        raise ValueError(
            f"sensitive_features has {len(values)} values, but X has {n_rows} rows."
        )
    plain_values = [plain(value) for value in values]
    if any(v is None or v != v for v in plain_values):
        where = next(i for i, v in enumerate(plain_values) if v is None or v != v)
        raise ValueError(
            f"sensitive_features has no value in row {where}; name the group of rows "
            'without one, such as "unknown".'
        )
    names = list(dict.fromkeys(plain_values))
    number = {name: i for i, name in enumerate(names)}
    return np.array([number[value] for value in plain_values], dtype=np.intp), names


def fit_classifier(
    model: Any,
    data: ClassificationData,
    objective: Objective,
    sensitive_features: Any,
    others: Mapping[str, Any],
    reading: Mapping[str, Any],
    deadline: Deadline,
) -> None:
    """Fit a classifier that keeps its constraints.

    Rates and shares are those of the rows as they were given: ``class_weight`` affects
    the cost only.
    """
    proof = others.get("proof")
    others = {**others, "proof": None}
    constraints = check_constraints(model, sensitive_features, True, others)
    assert isinstance(objective, Costs)
    positive = None
    if any(c.needs_classes for c in constraints) or len(data.classes) == 2:
        positive = positive_class(data.classes, model.pos_label, "constraints")
    rows = _rows_of(
        data,
        objective,
        sensitive_features,
        data.weights / data.class_factors[data.labels],
    )
    if positive is not None:
        rows = replace(rows, positive=positive, is_positive=data.labels == positive)
    given = (model.cost_matrix, model.abstain_cost, data.costs)
    shown = Labels(data) if all(v is None for v in given) else objective
    with ExitStack() as stack:
        file = None
        if proof is not None:
            model._check_provable(proof, reading, data.table)
            check_provable_limits(constraints, objective, rows, model)
            file = stack.enter_context(ProofFile(proof))
        fit_constrained(
            model, objective, shown, rows, constraints, reading, deadline, file
        )


def fit_policy(
    model: Any,
    data: RewardData,
    objective: Costs,
    sensitive_features: Any,
    others: Mapping[str, Any],
    reading: Mapping[str, Any],
    deadline: Deadline,
) -> None:
    """Fit a policy tree that keeps its constraints."""
    constraints = check_constraints(model, sensitive_features, False, others)
    rows = _rows_of(data, objective, sensitive_features, data.weights)
    fit_constrained(model, objective, objective, rows, constraints, reading, deadline)


def _rows_of(
    data: Any,
    objective: Costs,
    sensitive_features: Any,
    weights: NDArray[np.float64],
) -> Rows:
    """Return what constraints need to know about the rows, without their classes."""
    if data.samples is not None:
        raise ValueError("constraints need a table in memory; read the file first.")
    groups: NDArray[np.intp] | None = None
    names: list[Any] = []
    if sensitive_features is not None:
        n_given = len(weights) if data.kept is None else len(data.kept)
        groups, names = read_groups(sensitive_features, n_given)
        groups = groups if data.kept is None else groups[data.kept]
    return Rows(
        weights,
        list(objective.actions),
        groups=groups,
        group_names=names,
        kept=data.kept,
    )


def fit_constrained(
    model: Any,
    objective: Costs,
    shown: Objective,
    rows: Rows,
    constraints: Sequence[Constraint],
    reading: Mapping[str, Any],
    deadline: Deadline,
    file: ProofFile | None = None,
) -> None:
    """Find the cheapest tree that keeps the constraints, and keep its certificate.

    `shown` decides what the nodes show: weights of classes or mean rewards.
    """
    sums = Sums()
    for constraint in constraints:
        constraint.add_to(sums, rows)
    if not sums.limits:  # a single group, or no rows of the class that is limited
        number, _ = sums.add(np.zeros((len(rows.weights), len(rows.actions))))
        sums.limit("nothing", {number: Fraction(1)}, Fraction(0))
    with observing(bool(model.verbose)) as (history, observer):
        search, found, answer = search_by_levels(
            ConstrainedSearch(model, objective, sums, deadline), shown, observer
        )
    model._set_statistics(found.solver, answer, objective, reading)
    for name in ("_task", "_engine_costs", "_constrained", "trees_"):
        model.__dict__.pop(name, None)  # of an earlier fit
    if found.best is None:
        _refuse(model, search, found, shown)
    _store(model, search, found, found.best, shown, answer)
    history.finish(model.stats_["seconds"], model.lower_bound_, model.objective_)
    model.history_ = history
    if objective.table.codes.nbytes <= MOST_KEPT_BYTES:
        search.model = copy.copy(model)  # a copy, whose parameters do not change
        model._constrained = (search, shown)
    if file is not None and found.best is not None:
        model.stats_ |= write_constrained(
            file, search, found.best, constraints, rows, proved=found.proved
        )


def _store(
    model: Any,
    search: ConstrainedSearch,
    found: Found,
    best: Candidate | None,
    shown: Objective,
    answer: Answer | None = None,
) -> None:
    """Store a tree with its certificate."""
    assert best is not None
    objective = search.objective
    tree = shown._grow(best.splits, GivenActions(objective, best.actions))
    if shown is not objective:
        tree.cost, tree.measure = None, "errors"
    penalties = tree.n_penalties(model.penalize)
    cost = objective_of(objective, best) + model.split_penalty * penalties
    unit, slack = unit_of(objective), objective.units.slack
    below = (best.cost - found.lower) / unit
    if answer is not None:
        free = objective_of(objective, best)
        free -= (best.cost - search.penalty * penalties) / unit
        answer = {**answer, "offset": free, "slack": 2 * slack}
    if slack > 0:
        model.stats_["rounding"] = 2 * slack
    model.constraints_ = _kept(search, best, unit / UNIT_COST)
    model._set_certificate(
        tree,
        objective=cost,
        lower=cost - below - 2 * slack,
        proved=found.proved and found.best is not None,
        status=found.status if found.best is not None else "infeasible",
        found=answer,
    )


def objective_of(objective: Costs, tree: Candidate) -> float:
    """Return the mean cost of a tree's actions, as they were given."""
    rows = np.arange(len(tree.actions))
    paid = objective.weights * objective.costs[rows, tree.actions]
    return float(paid.sum() / np.cumsum(objective.weights)[-1])


def _kept(search: ConstrainedSearch, tree: Candidate, weight: float) -> list[Kept]:
    """Return the value of each limit; the two limits of a difference become one."""
    kept: dict[str, Kept] = {}
    for price, limit in zip(search.prices, search.sums.limits, strict=True):
        value = float(limit.excess(tree.sums) * limit.unit + limit.at_most)
        per_unit = float(price) / weight / float(limit.unit)
        own = Kept(limit.name, value, float(limit.at_most), per_unit)
        other = kept.get(limit.name)
        if other is not None:
            own = Kept(
                limit.name,
                max(own.value, other.value),
                own.at_most,
                max(own.price, other.price),
            )
        kept[limit.name] = own
    return list(kept.values())


def _refuse(
    model: Any, search: ConstrainedSearch, found: Found, shown: Objective
) -> None:
    """Raise: no tree keeps the constraints, or none was found."""
    excess, limit = search.sums.worst(found.closest.sums)
    beyond = float(excess * limit.unit)
    closest = copy.copy(model)
    _store(closest, search, found, found.closest, shown)
    history = History()
    history.finish(model.stats_["seconds"], closest.lower_bound_, closest.objective_)
    closest.history_ = history
    if found.proved:
        text = "No tree keeps the constraints"
    else:
        text = "No tree that keeps the constraints was found before a limit"
    error = InfeasibleError(
        f"{text}: the closest one exceeds the limit of {limit.name} by {beyond:.6g}; "
        "relax it, or allow larger trees."
    )
    error.model, error.excess, error.proved = closest, beyond, found.proved
    raise error
