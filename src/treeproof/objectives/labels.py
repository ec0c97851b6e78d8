"""Misclassification: a leaf predicts a class; other rows cost their weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.objectives.objective import Objective, Units
from treeproof.tree import LEAF, Tree

if TYPE_CHECKING:
    from treeproof.border import ClassificationData
    from treeproof.tree.split_table import SplitTable

__all__ = ["Labels"]


class Labels(Objective):
    """The weight of the rows that the majority of their leaf does not predict.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from treeproof.border import read_classification_data
    >>> data = read_classification_data(SimpleNamespace(), [[0], [1], [2]], list("aab"))
    >>> Labels(data).value(np.arange(3))
    array([2., 1.])
    """

    def __init__(self, data: ClassificationData) -> None:
        self.table, self.weights, self.samples = data.table, data.weights, data.samples
        self.classes = self.actions = data.classes
        self.labels = data.labels
        self.class_factors = data.class_factors
        self.units = Units()

    def question(self, min_samples_leaf: int) -> dict[str, Any]:
        """Return the rows as they are."""
        return {
            "table": self.table,
            "labels": self.labels,
            "n_classes": len(self.actions),
            "weights": self.weights,
            "samples": self.samples,
            "min_samples_leaf": min_samples_leaf,
            "pays": self.weights,
        }

    def value(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the weight of each class."""
        labels, weights = self.labels.take(rows), self.weights.take(rows)
        sums = np.bincount(labels, weights, minlength=len(self.actions))
        return sums.astype(np.float64, copy=False)

    def grow(self, splits: SplitTable) -> Tree:
        """Complete an engine's split table; leaves predict their heaviest class."""
        return self._grow(splits, None)

    def loss(self, tree: Tree) -> float:
        """Return the share of the weight that the tree misclassifies."""
        leaves = tree.kind == LEAF
        value, action = tree.value[leaves], tree.action[leaves]
        right = value[np.arange(len(value)), action]
        return float((value.sum(axis=1) - right).sum() / value.sum())
