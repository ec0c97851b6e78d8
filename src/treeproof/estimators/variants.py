"""Fitted estimators for the trees of one problem."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from treeproof.border import RegressionData
from treeproof.estimators import regressor
from treeproof.solving.leaf_fit import LeafFit
from treeproof.solving.observers import History
from treeproof.solving.solvers import RegressionTask, Task
from treeproof.tree import Tree

__all__ = ["grow", "model_like"]


def grow(task: Task | RegressionTask, splits: Mapping[str, Any]) -> tuple[Tree, float]:
    """Return an engine's tree with its node values, and its loss."""
    if isinstance(task, Task):
        assert task.objective is not None
        tree = task.objective.grow(splits)
        return tree, task.objective.loss(tree)
    leaf = LeafFit(task.criterion, task.targets, task.weights)
    numbers = RegressionData(
        task.table,
        task.targets,
        task.weights,
        task.targets.shape[1] == 1,
        task.samples,
    )
    return regressor._grow(splits, numbers, leaf)


def model_like(
    template: Any,
    tree: Tree,
    *,
    split_penalty: float,
    objective: float,
    lower: float,
    proved: bool,
    status: str,
) -> Any:
    """Return a copy of a fitted estimator with another tree and certificate."""
    model = copy.copy(template)
    model.split_penalty = split_penalty
    model._set_certificate(
        tree,
        objective=objective,
        lower=lower,
        proved=proved,
        status="optimal",  # a limit would be warned of; it was, by the search itself
    )
    model.status_ = "optimal" if proved else status
    history = History()
    history.finish(template.stats_["seconds"], model.lower_bound_, model.objective_)
    model.history_ = history
    return model
