"""A fitted estimator and its problem, with costs in the integers of the engine."""

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

_REGRESSION_UNIT = 2**40  # kTargetUnit in cpp/search/near/leaves.hpp
_TOLERANCE = 1e-9  # relative, of real-valued losses
ROUNDED = 64  # in units of 2^-20 of a row: the rounding error of a hundred penalties


class Problem(ABC):
    """What the search for near-optimal trees needs to know about a fitted estimator.

    Attributes
    ----------
    model : estimator
        The fitted estimator.
    task : Task or RegressionTask
        The problem that it was fitted to.
    unit, split_cost, best : int
        The engine's costs of an objective of 1, of a split, and of the best tree.
    step : int
        The smallest difference between margins for which it is worth to search again.
    """

    model: Any
    task: Any
    unit: int
    split_cost: int
    best: int
    step: int

    def search(self, **limits: Any) -> Search:
        """Return a search for trees; `limits` replace the limits of the task."""
        return Search(replace(self.task, **limits), self.split_cost)

    @abstractmethod
    def margin(self, within: float) -> int:
        """Convert a margin from the user's unit to that of the engine."""

    @abstractmethod
    def stated_margin(self, margin: int) -> float:
        """Convert a margin from the engine's unit to that of the user."""

    @abstractmethod
    def stated(self, cost: float) -> float:
        """Return a cost in the user's unit."""

    @abstractmethod
    def grown(self, splits: SplitTable) -> tuple[Any, float]:
        """Return the tree of a table of splits, and its loss."""

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
            # The open places of the prefix were solved with these weights.
            self.task = replace(self.task, weights=whole_weights(task.weights))
        # The published algorithms round weights in their own way.
        costs: tuple[int, int, int] = known or sparse_costs(self.task)
        self.unit, self.split_cost, self.best = costs
        self.step = max(self.split_cost // 4, UNIT_COST)

    def margin(self, within: float) -> int:
        """Convert a margin that is added to the cost.

        Penalties are rounded once, so that trees which cost exactly the margin more
        can be a few units beyond it; they belong to the set.
        """
        return ceil(within / self._units.factor * self.unit) + ROUNDED

    def stated_margin(self, margin: int) -> float:
        """Convert a margin to the user's unit of cost."""
        return self._units.factor * margin / self.unit

    def stated(self, cost: float) -> float:
        """Return a cost in the user's unit."""
        return self._units.stated(cost / self.unit)

    def grown(self, splits: SplitTable) -> tuple[Any, float]:
        """Return the tree of a table of splits, and its loss."""
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
        """Convert a margin that is a share of the cost."""
        return int(within * self.best)

    def stated_margin(self, margin: int) -> float:
        """Convert a margin to a share of the cost."""
        return margin / self.best

    def stated(self, cost: float) -> float:
        """Return a cost as a share of the loss of a single leaf."""
        return cost / self.unit

    def grown(self, splits: SplitTable) -> tuple[Any, float]:
        """Return the tree of a table of splits, and its loss."""
        tree, loss = self._grow(splits)
        return tree, float(loss)

    def _is_best(self, cost: int) -> bool:
        return cost <= self.best
