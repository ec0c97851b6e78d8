"""The experiment of Table 1: four ways to choose the size of a tree, on random splits.

Leboeuf, LeBlanc and Marchand (2020), Section 6.2: split the data at random, 75 % to
train and 25 % to test, 25 times. Grow a tree greedily on the training part (Gini, until
all rows are right or 40 leaves are reached), then compare it as it is with its prunings
by CART, by M-CART (both with 10-fold cross-validation) and by the risk bound.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from treeproof.generalization.cost_complexity import (
    CostComplexityPruner,
    ModifiedCostComplexityPruner,
)
from treeproof.generalization.pruning import BoundPruner, Pruner, grow_greedy
from treeproof.generalization.risk import PAPER_R

__all__ = ["MODELS", "ModelResult", "compare_pruners"]

MODELS = ("original", "cart", "m-cart", "bound")


@dataclass(frozen=True)
class ModelResult:
    """The results of one model, with one number for each split.

    Attributes
    ----------
    train, test : tuple of float
        Accuracy on the two parts.
    leaves, depth : tuple of int
        Size of the final tree.
    seconds : tuple of float
        Processor time of the pruning alone.
    bound : tuple of float
        The risk bound, for the model that has one.
    """

    train: tuple[float, ...]
    test: tuple[float, ...]
    leaves: tuple[int, ...]
    depth: tuple[int, ...]
    seconds: tuple[float, ...]
    bound: tuple[float, ...] = ()

    @property
    def mean(self) -> float:
        """The mean test accuracy."""
        return float(np.mean(self.test))

    @property
    def deviation(self) -> float:
        """The standard deviation of the test accuracy over the splits."""
        return float(np.std(self.test))


def compare_pruners(
    X: Any,
    y: Any,
    *,
    n_splits: int = 25,
    test_size: float = 0.25,
    max_leaf_nodes: int = 40,
    n_folds: int = 10,
    r: float = PAPER_R,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> dict[str, ModelResult]:
    """Compare the unpruned tree with three prunings over random splits.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,)
        Class labels.
    n_splits, test_size, max_leaf_nodes, n_folds
        The protocol; the defaults are the paper's.
    r : float
        Ratio of the prior on errors of the bound.
    seed : int
        Split i uses the seeds that follow from ``seed + i``.
    progress : callable, optional
        Called with the number of splits done.

    Returns
    -------
    dict
        A `ModelResult` for each of "original", "cart", "m-cart" and "bound".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> results = compare_pruners(*load_iris(return_X_y=True), n_splits=3)
    >>> results["bound"].mean > 0.9
    True
    """
    X, y = np.asarray(X), np.asarray(y)
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in MODELS}
    for i in range(n_splits):
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=test_size, random_state=seed + i
        )
        tree = grow_greedy(X_train, y_train, max_leaf_nodes, random_state=seed + i)
        pruners: dict[str, Pruner | None] = {
            "original": None,
            "cart": CostComplexityPruner(n_folds, random_state=seed + i),
            "m-cart": ModifiedCostComplexityPruner(n_folds, random_state=seed + i),
            "bound": BoundPruner(r=r),
        }
        for name, pruner in pruners.items():
            start = time.process_time()
            path = None if pruner is None else pruner.prune(tree, X_train, y_train)
            model = tree if path is None else path.tree
            seconds = time.process_time() - start
            rows[name].append(
                (
                    model.score(X_train, y_train),
                    model.score(X_test, y_test),
                    int(model.get_n_leaves()),
                    int(model.get_depth()),
                    seconds,
                    path.chosen.score if path is not None else np.nan,
                )
            )
        if progress is not None:
            progress(i + 1)
    return {name: _result(name, numbers) for name, numbers in rows.items()}


def _result(name: str, numbers: list[tuple[Any, ...]]) -> ModelResult:
    train, test, leaves, depth, seconds, bound = zip(*numbers, strict=True)
    return ModelResult(
        train, test, leaves, depth, seconds, bound if name == "bound" else ()
    )
