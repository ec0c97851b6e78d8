"""From a fitted classifier to the trees that are nearly as good."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from treeproof.alternatives.engine import (
    FEWER,
    Count,
    Family,
    LimitReachedError,
    check_task,
    sparse_costs,
)
from treeproof.alternatives.result import (
    NearOptimalSet,
    NearTree,
    choose_columns,
)
from treeproof.arithmetic import UNIT_COST
from treeproof.path.budget import Budget
from treeproof.solving.solvers import Task
from treeproof.tree.split_table import SplitTable

__all__ = ["best_trees", "near_set"]


class Problem:
    """A fitted classifier and its task, with costs in whole numbers."""

    def __init__(self, model: Any, task: Task) -> None:
        check_task(task)
        self.model = model
        assert task.objective is not None
        self.units = task.objective.units
        penalty = self.units.engine_penalty(model.split_penalty)
        self.task = replace(task, split_penalty=penalty, observer=None)
        known = getattr(model, "_engine_costs", None)
        # The published algorithms round weights in their own way.
        costs: tuple[int, int, int] = known or sparse_costs(self.task)
        self.unit, self.split_cost, self.best = costs

    def family(self, margin: int, task: Task | None = None) -> Family:
        """Return all trees that cost at most the margin more than the best.

        `task` may be given to use other limits than those of the fit.
        """
        within = self.units.factor * margin / self.unit
        return Family(task or self.task, self.split_cost, self.best + margin, within)

    def grow(self, splits: SplitTable, cost: int) -> NearTree:
        """Return a tree of the engine as a `NearTree`."""
        assert self.task.objective is not None
        tree, loss = self.task.objective.grow_costed(splits)
        penalties = tree.n_penalties(self.model.penalize)
        objective = loss + self.model.split_penalty * penalties
        proved = cost == self.best and self.model.optimal_
        return NearTree(tree, objective, loss, tree.n_splits, self.model, proved)

    def own_tree(self) -> NearTree:
        """Return the classifier's tree."""
        model = self.model
        penalties = model.tree_.n_penalties(model.penalize)
        loss = model.objective_ - model.split_penalty * penalties
        return NearTree(
            model.tree_, model.objective_, loss, model.n_splits_, model, model.optimal_
        )


def near_set(
    model: Any,
    task: Task,
    within: float,
    limit: int | None = None,
    using: Any = (),
    without: Any = (),
) -> NearOptimalSet:
    """Return the trees within a margin of a fitted classifier's, or the best of them.

    Parameters
    ----------
    model : OptimalTreeClassifier
        The fitted classifier.
    task : Task
        What it was fitted to.
    within : float
        The margin.
    limit : int or None
        Stop when this many best trees are known; None for all.
    using, without : column or list of columns
        Only trees that test these columns, every one of them, or none of them.
    """
    problem = Problem(model, task)
    margin = int(within / problem.units.factor * problem.unit)
    names = [column.name for column in task.table.columns]
    columns = choose_columns(names, using, without)
    budget = Budget(task.time_limit)
    levels = _levels(task.max_depth)
    for max_depth, part in levels:
        level = replace(
            problem.task, max_depth=max_depth, time_limit=budget.share(part)
        )
        alone = len(levels) == 1  # no smaller depth to fall back to
        try:
            family, count, counted, _ = _largest(
                problem, level, margin, limit, columns, alone
            )
        except LimitReachedError as reached:
            last = (max_depth, part) == levels[-1]
            if reached.status == "interrupted" or last:
                raise
            continue
        found = NearOptimalSet(
            family,
            count,
            problem.grow,
            names,
            stated=lambda cost: problem.units.stated(cost / problem.unit),
            within=float(within),
            counted_within=within if counted == margin else family.within,
            limit=limit,
            objective=model.objective_,
            optimal=model.optimal_,
            max_depth=max_depth,
            using=columns[0],
            without=columns[1],
        )
        _warn_of_the_rest(found, task.max_depth)
        return found
    raise AssertionError("unreachable: the last level returns or raises")


def _largest(
    problem: Problem,
    task: Task,
    margin: int,
    limit: int | None,
    columns: tuple[Sequence[int], Sequence[int]],
    alone: bool,
) -> tuple[Family, Count, int, str | None]:
    """Return the trees within the largest margin that can be counted.

    Also returns how many they are, that margin, and the limit that made it smaller, if
    one did.

    Margins grow, since most of the work is in the last one. With a limit they grow from
    nothing until there are so many trees. Without one, smaller margins are a fall-back
    for the whole one, where there is no other.
    """
    budget = Budget(task.time_limit)
    margins = [margin]
    if limit is not None:
        step = max(problem.split_cost // 4, UNIT_COST)
        margins = [0, *(step << k for k in range(60) if step << k < margin), margin]
    elif alone and task.time_limit is not None:
        margins = [*(margin >> k for k in (3, 2, 1) if margin >> k), margin]
    found: tuple[Family, Count, int, str | None] | None = None
    for each in margins:
        try:
            own = replace(task, time_limit=budget.share(1.0))
            family = problem.family(each, own)
            count = family.count(*columns)
        except LimitReachedError as reached:
            if found is None or reached.status == "interrupted":
                raise
            return *found[:3], reached.status
        found = family, count, each, None
        if limit is not None and count.total >= limit:
            break
    assert found is not None
    return found


def _warn_of_the_rest(found: NearOptimalSet, max_depth: int | None) -> None:
    """Say which trees within the margin the set does not have, if a limit is why."""
    advice = f"{FEWER[0].upper()}{FEWER[1:]}; or raise time_limit."
    if found.max_depth != max_depth:
        warnings.warn(
            f"The trees within {found.within:g} of the best one could not all be "
            f"counted before a limit; these are those of depth {found.max_depth} or "
            f"less. {advice}",
            ConvergenceWarning,
            stacklevel=5,
        )
    elif not found.complete and found.count != found.limit:
        warnings.warn(
            f"The trees within {found.within:g} of the best one could not all be "
            f"counted before a limit: there are at least {found.count}, which are all "
            f"within {found.counted_within:g}. {advice}",
            ConvergenceWarning,
            stacklevel=5,
        )


def _levels(max_depth: int | None) -> list[tuple[int | None, float]]:
    """Return the depths to try, and the share of the remaining time for each."""
    if max_depth is not None and max_depth <= 3:
        return [(max_depth, 1.0)]
    return [(max_depth, 0.5), (3, 0.6), (2, 0.8), (1, 1.0)]


def best_trees(model: Any, task: Task, k: int) -> tuple[list[NearTree], str | None]:
    """Return the k best trees, and the limit that was reached, if there are fewer.

    The margin grows until it contains k trees. The number of trees grows so fast with
    the margin that nearly all of the work is in the last step.
    """
    problem = Problem(model, task)
    most = problem.unit + problem.split_cost * task.table.n_rows  # no tree costs more
    try:
        _, count, _, limit = _largest(problem, problem.task, most, k, ((), ()), True)
    except LimitReachedError as reached:
        return [problem.own_tree()], reached.status
    trees = [problem.grow(*count.tree(i)) for i in range(min(k, count.total))]
    return trees, limit
