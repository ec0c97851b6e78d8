"""Fitted estimators for the trees of one problem."""

from __future__ import annotations

import copy
from typing import Any

from treeproof.solving.observers import History
from treeproof.tree import Tree

__all__ = ["model_like"]


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
        status="optimal" if proved else status,
        warn=False,  # the search has warned
    )
    history = History()
    history.finish(template.stats_["seconds"], model.lower_bound_, model.objective_)
    model.history_ = history
    return model
