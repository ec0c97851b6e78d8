"""What the tree of a question should be best at: errors, costs, or a metric.

The page asks for it in plain words; here it becomes parameters of the classifier, and a
measure by which other trees (CART's) are compared with the fitted one.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.labels import read_labels
from treeproof.columns import plain
from treeproof.explorer.tables import Table

__all__ = ["AIMS", "MOST_CLASSES", "Aim", "classes_of", "first_costs"]

AIMS = {
    "errors": "few errors",
    "costs": "a low cost of errors",
    "balanced_accuracy": "few errors in every class alike (balanced accuracy)",
    "f1": "a high F1 of one class",
}
"""Each aim in the words of the page."""

MOST_CLASSES = 8  # of which the page shows a matrix of costs


@dataclass(frozen=True)
class Aim:
    """What counts, if classes are predicted.

    Attributes
    ----------
    counts : {"errors", "costs", "balanced_accuracy", "f1"}
        What a tree is measured by.
    classes : tuple
        The classes, in the order of `costs`.
    costs : tuple of tuple of float
        The cost of each prediction (column) for each true class (row).
    abstain_cost : float or None
        The cost of passing a case to a person; None if every case is predicted.
    positive : object
        The class whose F1 counts.

    Examples
    --------
    >>> aim = Aim("costs", ("healthy", "ill"), ((0.0, 1.0), (20.0, 0.0)))
    >>> aim.parameters()["cost_matrix"]["ill"]
    {'healthy': 20.0, 'ill': 0.0}
    >>> aim.score(np.array(["ill", "ill"]), np.array(["ill", "healthy"]))
    10.0
    >>> aim.score_name
    'mean cost'
    """

    counts: str = "errors"
    classes: tuple[Any, ...] = ()
    costs: tuple[tuple[float, ...], ...] = ()
    abstain_cost: float | None = None
    positive: Any = None

    def check(self, max_depth: int | None) -> None:
        """Raise an error with one sentence about settings that are not possible."""
        if self.counts == "f1":
            if len(self.classes) != 2:
                raise ValueError(
                    "F1 is a measure of two classes, and the target has "
                    f"{len(self.classes)}; choose another aim."
                )
            if max_depth is None:
                raise ValueError(
                    "F1 is a ratio, to which no penalty can be added; set a depth."
                )
        if self.counts == "costs":
            if len(self.classes) > MOST_CLASSES:
                raise ValueError(
                    f"Costs can be entered here for up to {MOST_CLASSES} classes, and "
                    f"the target has {len(self.classes)}; in Python, cost_matrix takes "
                    "any number."
                )
            for true, row in zip(self.classes, self.costs, strict=True):
                for predicted, cost in zip(self.classes, row, strict=True):
                    if not math.isfinite(cost):
                        raise ValueError(
                            f"Enter what predicting {predicted!r} for {true!r} costs."
                        )

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the classifier."""
        given: dict[str, Any] = {}
        if self.counts == "costs":
            given["cost_matrix"] = {
                true: dict(zip(self.classes, row, strict=True))
                for true, row in zip(self.classes, self.costs, strict=True)
            }
            given["abstain_cost"] = self.abstain_cost
        elif self.counts != "errors":
            given["metric"] = self.counts
        if self.counts == "f1":
            given["pos_label"] = self.positive
        return given

    def weights(self, labels: NDArray[Any]) -> Any:
        """Return weights of these classes, for learners that know nothing else."""
        if self.counts == "balanced_accuracy":
            return "balanced"
        if self.counts != "costs":
            return None
        matrix = np.array(self.costs)
        wrong = matrix.sum(axis=1) - np.diag(matrix)
        if not (wrong > 0).all():
            return None
        weight = dict(zip(map(str, self.classes), wrong.tolist(), strict=True))
        return {label: weight[str(plain(label))] for label in labels.tolist()}

    def loss(self, y: NDArray[Any], says: NDArray[Any]) -> float:
        """Return the loss of predictions, without penalties; None abstains."""
        true, said = _words(y), _words(says)
        if self.counts == "costs":
            place = {str(label): k for k, label in enumerate(self.classes)}
            cost = [
                self.costs[place[t]][place[s]] if s in place else self._abstention
                for t, s in zip(true, said, strict=True)
            ]
            return float(np.mean(cost))
        right = true == said
        if self.counts == "balanced_accuracy":
            return 1.0 - float(np.mean([right[true == t].mean() for t in set(true)]))
        if self.counts == "f1":
            positive = str(self.positive)
            hits = 2 * np.count_nonzero(right & (true == positive))
            there = np.count_nonzero(true == positive)
            all_said = np.count_nonzero(said == positive)
            return 1.0 - hits / (there + all_said) if there + all_said else 0.0
        return 1.0 - float(right.mean())

    @property
    def _abstention(self) -> float:
        return math.nan if self.abstain_cost is None else self.abstain_cost

    def score(self, y: NDArray[Any], says: NDArray[Any]) -> float:
        """Return the measure that the page shows for predictions."""
        loss = self.loss(y, says)
        return loss if self.counts == "costs" else 1.0 - loss

    @property
    def score_name(self) -> str:
        """What `score` is."""
        return {
            "errors": "accuracy",
            "costs": "mean cost",
            "balanced_accuracy": "balanced accuracy",
            "f1": f"F1 of {self.positive}",
        }[self.counts]


def _words(labels: NDArray[Any]) -> NDArray[np.str_]:
    """Return labels as text; CART knows some tables' labels as text only."""
    return np.array([str(plain(label)) for label in labels])


def classes_of(table: Table, target: str) -> tuple[Any, ...]:
    """Return the classes of a column, in the order of ``classes_``.

    Examples
    --------
    >>> from treeproof.explorer.tables import bundled_table
    >>> classes_of(bundled_table("iris"), "species")
    ('setosa', 'versicolor', 'virginica')
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classes, _ = read_labels(table.columns[target], "The explorer")
    return tuple(plain(label) for label in classes)


def first_costs(n_classes: int) -> tuple[tuple[float, ...], ...]:
    """Return the costs that the page shows at first: every error costs 1.

    Examples
    --------
    >>> first_costs(2)
    ((0.0, 1.0), (1.0, 0.0))
    """
    return tuple(
        tuple(0.0 if i == j else 1.0 for j in range(n_classes))
        for i in range(n_classes)
    )
