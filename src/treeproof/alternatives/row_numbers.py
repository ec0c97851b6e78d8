"""Integers for training rows, which the engine adds up over the leaves of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.promises import read_test_costs
from treeproof.columns import plain
from treeproof.solving.shape import PathRules, path_rules

if TYPE_CHECKING:
    from treeproof.alternatives.near_tree import NearTree
    from treeproof.alternatives.problems import Problem

__all__ = [
    "chosen_actions",
    "costs_of_paths",
    "differences",
    "group_rates",
    "objective_of",
    "rate_numbers",
    "read_values",
    "stated_rows",
    "whole_numbers",
]

_RATES = ("selection", "true positive", "false positive")
_FINE = 2**30  # other numbers are rounded to this fraction of their sum
_FINE_PRICE = 2**20


def whole_numbers(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights as integers; fractions are rounded to a billionth of their sum.

    Examples
    --------
    >>> whole_numbers(np.array([1.0, 2.0])).tolist()
    [1, 2]
    """
    total = float(np.abs(weights).sum())
    if (weights == np.floor(weights)).all() and total <= _FINE:
        return weights.astype(np.int64)
    return np.round(weights / total * _FINE).astype(np.int64)


def objective_of(problem: Problem, what: str) -> Any:
    """Return the objective of a tree whose leaves choose among classes or actions."""
    objective = getattr(problem.task, "objective", None)
    if objective is None:
        raise ValueError(
            f"{what} is about predictions of classes, and a regressor has none; ask "
            "a classifier."
        )
    return objective


def chosen_actions(problem: Problem, near: NearTree) -> NDArray[np.int32]:
    """Return the number of the action that a tree takes for each training row."""
    leaves = near.tree.apply(stated_rows(problem.task.objective.table))
    actions: NDArray[np.int32] = np.asarray(near.tree.action)[leaves]
    return actions


def stated_rows(table: Any) -> list[NDArray[Any]]:
    """Return encoded rows with the number of an interval in place of each code.

    The threshold above a code lies in the interval of that code.
    """
    out = []
    for j, (column, codes) in enumerate(zip(table.columns, table.rows, strict=True)):
        if column.is_categorical:
            out.append(codes)
            continue
        n = int(table.n_values[j])
        tops = np.array([*(table.cut(j, code) for code in range(n - 1)), np.inf])
        known = ~np.isnan(codes.astype(np.float64))
        values = np.full(len(codes), np.nan)
        values[known] = tops[codes[known].astype(np.intp)]
        out.append(values)
    return out


def differences(problem: Problem, rules: Any) -> NDArray[np.int64]:
    """Return for each row and class the row's weight if the rules differ, or 0."""
    objective = objective_of(problem, "The agreement with given predictions")
    classes = np.asarray(objective.actions)
    said = np.asarray(rules).ravel()
    _check_rows(objective, said, "predictions", "prediction")
    unknown = ~np.isin(said, classes)
    if unknown.any():
        raise ValueError(
            f"The prediction {said[unknown][0]!r} is not one of the classes "
            f"{', '.join(map(str, classes.tolist()))}."
        )
    weights = whole_numbers(objective.weights)
    differs: NDArray[np.int64] = (said[:, None] != classes[None, :]) * weights[:, None]
    return np.ascontiguousarray(differs)


def read_values(
    problem: Problem, values: Any
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return numbers for rows and classes as they are, and as integers."""
    objective = objective_of(problem, "extremes()")
    numbers = np.asarray(values, dtype=np.float64)
    shape = (len(objective.weights), len(objective.actions))
    if numbers.shape != shape:
        raise ValueError(
            f"values has the shape {numbers.shape}; give one number for each of the "
            f"{shape[0]} training rows and {shape[1]} classes."
        )
    if not np.isfinite(numbers).all():
        raise ValueError("values has numbers that are not finite; replace them.")
    whole = numbers
    most = float(np.abs(numbers).max(axis=1).sum())
    if not ((numbers == np.floor(numbers)).all() and most < 2**52):
        whole = np.round(numbers / most * _FINE)
    return numbers, np.ascontiguousarray(whole.astype(np.int64))


def rate_numbers(
    problem: Problem, sensitive_features: Any, rate: str, positive: Any
) -> tuple[NDArray[np.float64], NDArray[np.int64], dict[Any, NDArray[np.bool_]]]:
    """Return numbers whose sum is the difference of two groups' rates.

    The first array contains 1 for each row with its positive class, and 0 otherwise.
    The second one contains integers: the weight of a row times the weight of the other
    group, negative in the second group. The last one contains the rows of each group
    over which the rate is computed.
    """
    objective = objective_of(problem, "fairest()")
    if rate not in _RATES:
        raise ValueError(f"rate={rate!r} is not known; use one of {', '.join(_RATES)}.")
    actions = np.asarray(objective.actions)
    wanted = actions[-1] if positive is None else positive
    if wanted not in actions:
        raise ValueError(
            f"positive={positive!r} is not one of the classes "
            f"{', '.join(map(str, actions.tolist()))}."
        )
    sensitive = np.asarray(sensitive_features).ravel()
    _check_rows(objective, sensitive, "sensitive_features", "group")
    names = np.unique(sensitive)
    if len(names) != 2:
        raise ValueError(
            f"fairest() compares two groups, and sensitive_features has {len(names)}; "
            "join some of them."
        )
    among = np.ones(len(sensitive), dtype=bool)
    if rate != "selection":
        if objective.classes is None:
            raise ValueError(
                f"rate={rate!r} needs classes of the rows; a policy has none."
            )
        among = np.asarray(objective.classes)[objective.labels] == wanted
        among = ~among if rate == "false positive" else among
    weights = whole_numbers(objective.weights)
    groups = {plain(name): among & (sensitive == name) for name in names}
    sizes = [int(weights[rows].sum()) for rows in groups.values()]
    if 0 in sizes:
        raise ValueError(
            f"Group {list(groups)[sizes.index(0)]!r} has no rows for the {rate} rate; "
            "choose another rate."
        )
    says = np.zeros((len(sensitive), len(actions)))
    says[:, np.flatnonzero(actions == wanted)[0]] = 1
    factor = np.zeros(len(sensitive), dtype=np.int64)
    first, second = groups.values()
    factor[first], factor[second] = sizes[1], -sizes[0]
    whole = says.astype(np.int64) * (weights * factor)[:, None]
    return says, np.ascontiguousarray(whole), groups


def group_rates(
    problem: Problem,
    near: NearTree,
    says: NDArray[np.float64],
    groups: dict[Any, NDArray[np.bool_]],
) -> dict[Any, float]:
    """Return the rate of each group."""
    chosen = chosen_actions(problem, near)
    positive = says[np.arange(len(chosen)), chosen]
    weights = problem.task.objective.weights
    return {
        name: float(weights[rows] @ positive[rows] / weights[rows].sum())
        for name, rows in groups.items()
    }


def costs_of_paths(
    problem: Problem, test_costs: dict[Any, Any], max_depth: int | None
) -> tuple[PathRules, NDArray[np.int64]]:
    """Return the states of paths with their prices, and the prices as integers."""
    table = problem.task.table
    measurements = read_test_costs(test_costs, table)
    rules = path_rules(len(table.columns), None, measurements, max_depth)
    highest = float(rules.prices.max()) or 1.0
    whole = np.round(rules.prices / highest * _FINE_PRICE).astype(np.int64)
    return rules, whole


def _check_rows(objective: Any, given: NDArray[Any], many: str, one: str) -> None:
    n = len(objective.weights)
    if len(given) != n:
        raise ValueError(
            f"There are {len(given)} {many} and {n} training rows; give one {one} for "
            "each row, such as rules.predict(X)."
            if one == "prediction"
            else f"There are {len(given)} {many} and {n} training rows; give one {one} "
            "for each row."
        )
