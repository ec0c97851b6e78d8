"""The loss of a single leaf on some rows of a regression, as a share of the whole loss.

Searches on parts of a table state costs as shares of their own loss. The function made
here converts them into shares of the loss of the whole problem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from treeproof.solving.leaf_fit import LeafFit

__all__ = ["part_loss"]

Rows = NDArray[np.intp]


def part_loss(task: Any) -> Callable[[Rows], float]:
    """Return a function that gives the loss of a single leaf on some rows.

    Parameters
    ----------
    task : RegressionTask
        The whole problem, whose single leaf loses 1.
    """
    if task.smoothing > 0.0:
        return _smoothed(task)
    criterion = "quantile" if task.levels else task.criterion
    levels = task.levels or (0.5,)
    return LeafFit(criterion, task.targets, task.weights, levels).loss


def _smoothed(task: Any) -> Callable[[Rows], float]:
    """Return the loss of class probabilities with imaginary rows in every leaf."""

    def raw(rows: Rows) -> float:
        weights = task.weights[rows] @ task.targets[rows] + task.smoothing
        share = weights / weights.sum()
        if task.criterion == "poisson":  # the log loss
            return float(-xlogy(weights, share).sum())
        return float((weights * (1.0 - share)).sum())

    whole = raw(np.arange(len(task.weights)))
    return lambda rows: raw(rows) / whole if whole > 0.0 else 0.0
