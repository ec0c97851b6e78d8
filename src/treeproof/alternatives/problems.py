"""A fitted estimator and its problem, with costs in the whole numbers of the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from math import ceil
from typing import Any

from treeproof.alternatives.engine import Search, sparse_costs
from treeproof.alternatives.near_tree import NearTree
from treeproof.arithmetic import UNIT_COST, whole_weights
from treeproof.solving.solvers import RegressionTask, Task
from treeproof.tree.split_table import SplitTable

__all__ = ["ROUNDED", "ClassProblem", "NumberProblem", "Problem"]

_REGRESSION_UNIT = 2**40  # as in cpp/search/near/leaves.hpp
_TOLERANCE = 1e-9  # relative, of real-valued losses
ROUNDED = 64  # engine's units, 2^-20 of a row: the rounding of a hundred penalties


class Problem(ABC):
    """What the search for near-optimal trees has to know of a fitted estimator.

    Attributes
    ----------
    model : estimator
        The fitted estimator.
    task : Task or RegressionTask
        What it was fitted to.
    unit, split_cost, best : int
        The engine's costs of 1.0, of a split, and of the best tree.
    step : int
        The least difference between margins that is worth another search.
    """

    model: Any
    task: Any
    unit: int
    split_cost: int
    best: int
    step: int

    def search(self, **limits: Any) -> Search:
        """Return a search for trees; `limits` replace those of the task."""
        return Search(replace(self.task, **limits), self.split_cost)

    @abstractmethod
    def margin(self, within: float) -> int:
        """Return a margin of the user in the engine's unit."""

    @abstractmethod
    def stated_margin(self, margin: int) -> float:
        """Return a margin of the engine as the user states it."""

    @abstractmethod
    def stated(self, cost: float) -> float:
        """Return a cost in the user's unit."""

    @abstractmethod
    def grown(self, splits: SplitTable) -> tuple[Any, float]:
        """Return the tree of a split table, and its loss."""

    def grow(self, splits: SplitTable, cost: int) -> NearTree:
        """Return a tree of the engine as a `NearTree`."""
        tree, loss = self.grown(splits)
        penalties = tree.n_penalties(self.model.penalize)
        objective = loss + self.model.split_penalty * penalties
        proved = self._is_best(cost) and self.model.optimal_
        return NearTree(tree, objective, loss, tree.n_splits, self.model, proved)

    def own_tree(self) -> NearTree:
        """Return the estimator's tree."""
        model = self.model
        penalties = model.tree_.n_penalties(model.penalize)
        loss = model.objective_ - model.split_penalty * penalties
        return NearTree(
            model.tree_, model.objective_, loss, model.n_splits_, model, model.optimal_
        )

    def _is_best(self, cost: int) -> bool:
        return cost == self.best


class ClassProblem(Problem):
    """A tree whose leaves predict classes, or choose other actions that have costs."""

    def __init__(self, model: Any, task: Task) -> None:
        self.model = model
        assert task.objective is not None
        self._objective = task.objective
        self._units = task.objective.units
        penalty = self._units.engine_penalty(model.split_penalty)
        self.task = replace(task, split_penalty=penalty, observer=None)
        known = getattr(model, "_engine_costs", None)
        if task.prefix is not None:
            # Parts of the table were solved with these weights.
            self.task = replace(self.task, weights=whole_weights(task.weights))
        # The published algorithms round weights in their own way.
        costs: tuple[int, int, int] = known or sparse_costs(self.task)
        self.unit, self.split_cost, self.best = costs
        self.step = max(self.split_cost // 4, UNIT_COST)

    def margin(self, within: float) -> int:
        """Return a margin that is added to the cost.

        Penalties are rounded once, so that trees which cost exactly the margin more
        can be a few units beyond it; they belong to the set.
        """
        return ceil(within / self._units.factor * self.unit) + ROUNDED

    def stated_margin(self, margin: int) -> float:
        """Return what the margin adds to the cost."""
        return self._units.factor * margin / self.unit

    def stated(self, cost: float) -> float:
        """Return a cost in the user's unit."""
        return self._units.stated(cost / self.unit)

    def grown(self, splits: SplitTable) -> tuple[Any, float]:
        """Return the tree of a split table, and its loss."""
        return self._objective.grow_costed(splits)


class NumberProblem(Problem):
    """A tree whose leaves predict numbers; margins are relative."""

    def __init__(self, model: Any, task: RegressionTask, grow: Any) -> None:
        self.model = model
        self.task = replace(task, observer=None)
        self._grow = grow
        self.unit = _REGRESSION_UNIT
        self.split_cost = round(task.split_penalty * self.unit)
        self.best = round(model.objective_ * self.unit * (1 + _TOLERANCE)) + 64
        self.step = max(self.best // 1000, 1)

    def margin(self, within: float) -> int:
        """Return a margin that multiplies the cost."""
        return int(within * self.best)

    def stated_margin(self, margin: int) -> float:
        """Return the share of the cost that is added."""
        return margin / self.best

    def stated(self, cost: float) -> float:
        """Return a cost as a share of the loss of a single leaf."""
        return cost / self.unit

    def grown(self, splits: SplitTable) -> tuple[Any, float]:
        """Return the tree of a split table, and its loss."""
        tree, loss = self._grow(splits)
        return tree, float(loss)

    def _is_best(self, cost: int) -> bool:
        return cost <= self.best
