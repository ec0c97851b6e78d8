"""Class probabilities as what is optimised: log loss, and the Brier score (Gini)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from treeproof.objectives.labels import Labels
from treeproof.objectives.objective import Units
from treeproof.tree import LEAF, Tree

if TYPE_CHECKING:
    from treeproof.border import ClassificationData
    from treeproof.tree.split_table import SplitTable

__all__ = ["PROBABILITY_CRITERIA", "Probabilities", "check_criterion"]

# The engine's name of each: both are sums and a convex function of one output for each
# class, which is 1 for rows of that class.
PROBABILITY_CRITERIA = {"log_loss": "poisson", "gini": "squared_error"}


class Probabilities(Labels):
    """The mean log loss or Brier score of the shares of the classes in a row's leaf.

    With smoothing, every leaf holds so much more weight of each class: imaginary rows,
    which count in its probabilities and in its loss alike.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from treeproof.border import read_classification_data
    >>> data = read_classification_data(SimpleNamespace(), [[0], [1], [2]], list("aab"))
    >>> objective = Probabilities(data, "gini", smoothing=1.0)
    >>> objective.value(np.arange(3))
    array([3., 2.])
    """

    def __init__(
        self, data: ClassificationData, criterion: str, smoothing: float
    ) -> None:
        super().__init__(data)
        self.criterion, self.smoothing = criterion, smoothing
        self._total = float(self.weights.sum())
        everything = self.value(np.arange(len(self.labels)))
        self.root_loss = float(self._losses(everything[None])[0])
        self.units = Units(factor=self.root_loss / self._total)

    def question(self, min_samples_leaf: int) -> dict[str, Any]:
        """Return the rows with one number to predict for each class.

        Of two classes the squares of one say all: those of the other are the same.
        """
        targets = np.eye(len(self.actions))[self.labels]
        if self.criterion == "gini" and targets.shape[1] == 2 and not self.smoothing:
            targets = targets[:, 1:]
        return {
            "table": self.table,
            "targets": targets,
            "criterion": PROBABILITY_CRITERIA[self.criterion],
            "smoothing": self.smoothing,
            "weights": self.weights,
            "samples": self.samples,
            "min_samples_leaf": min_samples_leaf,
        }

    def value(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the weight of each class, with that of the imaginary rows."""
        return super().value(rows) + self.smoothing

    def grow(self, splits: SplitTable) -> Tree:
        """Complete an engine's split table; leaves predict their heaviest class."""
        tree = super().grow(splits)
        tree.measure = self.criterion
        return tree

    def loss(self, tree: Tree) -> float:
        """Return the mean loss of the leaves' probabilities."""
        return float(self._losses(tree.value[tree.kind == LEAF]).sum() / self._total)

    def _losses(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the loss of each leaf from the weights of its classes."""
        share = weights / weights.sum(axis=1, keepdims=True)
        if self.criterion == "log_loss":
            return -xlogy(weights, share).sum(axis=1)
        return (weights * (1.0 - share)).sum(axis=1)


def check_criterion(model: Any, **given: Any) -> None:
    """Refuse parameters for errors or costs only, if probabilities are fitted.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> check_criterion(OptimalTreeClassifier(criterion="gini", n_best=2))
    Traceback (most recent call last):
      ...
    ValueError: criterion="gini" cannot be combined with n_best; leave that out, or...
    """
    if model.criterion not in PROBABILITY_CRITERIA:
        if model.smoothing > 0:
            raise ValueError(
                f"smoothing={model.smoothing:g} is for class probabilities; pass "
                'criterion="log_loss" or "gini", or leave it out.'
            )
        return
    ratio = model.metric not in ("accuracy", "balanced_accuracy")
    told = {
        **{name: value is not None for name, value in given.items()},
        "cost_matrix": model.cost_matrix is not None,
        "abstain_cost": model.abstain_cost is not None,
        "constraints": bool(model.constraints),
        "n_best": model.n_best > 1,
        f'metric="{model.metric}"': ratio,
        f'solver="{model.solver}"': model.solver not in ("auto", "threshold"),
    }
    for name, there in told.items():
        if there:
            raise ValueError(
                f'criterion="{model.criterion}" cannot be combined with {name}; leave '
                "that out, or fit the tree to misclassification."
            )
