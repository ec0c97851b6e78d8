"""From a fitted classifier to the trees that are nearly as good."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from treeproof.alternatives.engine import (
    BUDGET_UNIT,
    Family,
    LimitReachedError,
    check_task,
    sparse_costs,
)
from treeproof.alternatives.result import NearOptimalSet, NearTree
from treeproof.estimators.variants import grow
from treeproof.path.budget import Budget
from treeproof.solving.solvers import Task

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

    def grow(self, splits: dict[str, Any], cost: int) -> NearTree:
        """Return a tree of the engine as a `NearTree`."""
        tree, loss = grow(self.task, splits)
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


def near_set(model: Any, task: Task, within: float) -> NearOptimalSet:
    """Return all trees within a margin of a fitted classifier's."""
    problem = Problem(model, task)
    margin = int(within / problem.units.factor * problem.unit)
    names = [column.name for column in task.table.columns]
    budget = Budget(task.time_limit)
    levels = _levels(task.max_depth)
    for max_depth, part in levels:
        level = replace(
            problem.task, max_depth=max_depth, time_limit=budget.share(part)
        )
        try:
            found = NearOptimalSet(
                problem.family(margin, level),
                problem.grow,
                names,
                stated=lambda cost: problem.units.stated(cost / problem.unit),
                within=float(within),
                objective=model.objective_,
                optimal=model.optimal_,
                max_depth=max_depth,
            )
        except LimitReachedError as reached:
            last = (max_depth, part) == levels[-1]
            if reached.status == "interrupted" or last:
                raise
            continue
        if max_depth != task.max_depth:
            warnings.warn(
                f"The trees within {within:g} of the best one could not all be counted "
                f"before a limit; these are those of depth {max_depth} or "
                "less. Choose a smaller margin, a larger split_penalty, or raise "
                "time_limit.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return found
    raise AssertionError("unreachable: the last level returns or raises")


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
    step = max(problem.split_cost // 2, BUDGET_UNIT)
    most = problem.unit + problem.split_cost * task.table.n_rows
    margin, count, limit = 0, None, None
    while limit is None and (count is None or count.total < k):
        if problem.best + margin > most:
            break  # no tree has a higher cost, so these are all trees
        try:
            count = problem.family(margin).count((), ())
        except LimitReachedError as reached:
            limit = reached.status
        margin = max(step, 2 * margin)
    if count is None:
        return [problem.own_tree()], limit
    trees = [problem.grow(*count.tree(i)) for i in range(min(k, count.total))]
    return trees, limit
