"""Fits of a single model and their figures, for all targets that fit trees."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treeproof.estimators.classifier import OptimalTreeClassifier
from treeproof.reproduce.data import DataSet
from treeproof.reproduce.target import Record
from treeproof.solving.stopping import stop_when

__all__ = ["MEMORY", "figures_of", "fit", "optimal_classifier"]

MEMORY = "6GB"
"""What a search may use."""


def optimal_classifier(
    penalty: float, data: DataSet, **options: Any
) -> OptimalTreeClassifier:
    """Return an untrained optimal tree for a set; `fit` limits its time.

    The papers charge every split once.
    """
    return OptimalTreeClassifier(
        penalty,
        penalize="splits",
        categorical_features=data.categorical_features,
        time_limit=None,
        memory_limit=MEMORY,
        **options,
    )


def fit(model: Any, data: DataSet, time_limit: float) -> float:
    """Fit a model quietly; return the processor seconds of the call.

    The limit counts processor seconds too, so that a busy machine takes longer but
    finds the same. A model that Ctrl-C interrupted has a tree, but not the one to
    print: Ctrl-C goes on.
    """
    start = time.process_time()

    def seconds() -> float:
        return time.process_time() - start

    with warnings.catch_warnings(), stop_when(lambda: seconds() > time_limit):
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.X, data.y)
    took = seconds()
    if getattr(model, "status_", "") == "interrupted" and took <= time_limit:
        raise KeyboardInterrupt
    return took


def figures_of(model: Any, data: DataSet, seconds: float) -> Record:
    """Return the figures that the papers print: regularised accuracy, splits, ...

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import OptimalTreeClassifier
    >>> data = DataSet(*load_iris(return_X_y=True))
    >>> model = OptimalTreeClassifier(max_depth=1)
    >>> figures_of(model, data, fit(model, data, 60))["splits"]
    1
    """
    steps = model.stats_.get("iterations")
    return {
        "objective": float(1 - model.objective_),
        "accuracy": float(np.mean(model.predict(data.X) == data.y)),
        "splits": int(model.n_splits_),
        "depth": int(model.get_depth()),
        "seconds": round(seconds, 6),
        "iterations": None if steps is None else int(steps),
        "proved": bool(model.optimal_),
        "gap": float(model.gap_),
        "status": "time_limit" if model.status_ == "interrupted" else model.status_,
    }
