"""The costs of a classifier's predictions: parameters, and the mean cost of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treeproof.border import ClassificationData
from treeproof.border.costs import (
    actions_with_abstention,
    check_abstain_cost,
    read_cost_matrix,
)
from treeproof.border.labels import read_vector
from treeproof.objectives import (
    PROBABILITY_CRITERIA,
    Costs,
    Labels,
    Objective,
    Probabilities,
    Told,
)
from treeproof.objectives.ratios import RATIOS, Ratio
from treeproof.parameters import counts_errors
from treeproof.solving.certificates import Wording
from treeproof.solving.shape import restrictions
from treeproof.sources.scoring import distinct_cases
from treeproof.sources.training import source_for, split_table

__all__ = ["Costed"]


class Costed:
    """A classifier whose predictions cost something."""

    tree_: Any
    classes_: Any
    cost_matrix: Any
    abstain_cost: Any
    class_weight: Any
    metric: str
    max_depth: int | None
    max_splits: int | None
    beta: float
    constraints: Any
    n_best: int
    first_split: Any
    prefix: Any
    split_penalty: float
    criterion: str
    smoothing: float
    abstain_label: Any
    apply: Any
    predict: Any

    def _check_files(self, files: dict[str, Any], y: Any) -> None:
        """Refuse files that the objective cannot be combined with."""
        if files["proof"] is not None and y is None and self.class_weight is not None:
            raise ValueError(
                "A proof about class_weight needs the classes of the rows; pass y, or "
                "weights of the rows as sample_weight."
            )
        several = self.metric in RATIOS and not self.constraints
        if several and (files["checkpoint"] or files["distributed"]):
            raise ValueError(
                f'metric="{self.metric}" takes several searches; it cannot be combined '
                "with checkpoint or distributed."
            )

    def _wording(self) -> Wording:
        """Return the words with which the certificate describes the costs of trees."""
        if self.metric in RATIOS:
            name = Ratio.of(self.metric, float(self.beta)).name
            return Wording(name, most=1.0)
        return Wording()

    def mean_cost(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean cost of the predictions, in the unit of the costs.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.

        Returns
        -------
        float
            By ``cost_matrix`` and ``abstain_cost``; an error costs 1 where no
            ``cost_matrix`` was given.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> costs = {"healthy": {"ill": 1}, "ill": {"healthy": 20}}
        >>> clf = OptimalTreeClassifier(cost_matrix=costs)
        >>> clf = clf.fit([[0], [1], [2]], ["healthy", "ill", "ill"])
        >>> clf.mean_cost([[0], [2]], ["ill", "ill"])
        10.0
        """
        check_is_fitted(self, "tree_")
        classes = self.classes_
        labels = read_vector(y, "y").reshape(-1)
        true = np.searchsorted(classes, labels).clip(0, len(classes) - 1)
        unknown = classes[true] != labels
        if unknown.any():
            raise ValueError(
                f"y has the label {labels[np.argmax(unknown)]!r}, whose cost is not "
                "known; leave out rows of classes that were not there in fit."
            )
        if self.cost_matrix is None:
            costs = 1.0 - np.eye(len(classes))
        else:
            costs = read_cost_matrix(self.cost_matrix, classes)
        if self.abstain_cost is not None:
            asked = np.full((len(classes), 1), float(self.abstain_cost))
            costs = np.hstack([costs, asked])
        action = self.tree_.action[self.apply(X)]
        return float(np.average(costs[true, action], weights=sample_weight))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is predicted correctly.

        A row for which the tree abstains is not predicted correctly.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.
        y : array-like of shape (n_samples,), or str
            Their classes, or the name of the column of a source that holds them.
        sample_weight : array-like of shape (n_samples,), str or None, default=None
            Weights of the rows, or the name of a column of a source.

        Returns
        -------
        float
            The accuracy.
        """
        check_is_fitted(self, "tree_")
        source = source_for(X, y)
        if source is None:
            X, y, sample_weight = split_table(X, y, sample_weight)
            if self.abstain_cost is None:
                return float(super().score(X, y, sample_weight))  # type: ignore[misc]
            right = self.predict(X) == read_vector(y, "y").reshape(-1)
            return float(np.average(right, weights=sample_weight))
        used = sorted(set(self.tree_.feature[self.tree_.feature >= 0].tolist()))
        table, labels, weights = distinct_cases(
            source, self.tree_.columns, used, y, sample_weight
        )
        right = self.predict(table) == read_vector(labels, "y")
        return float(weights[right].sum() / weights.sum())

    def _check_objective(self, costs: Any) -> None:
        """Refuse combinations of parameters that define costs twice."""
        told = {
            "cost_matrix": self.cost_matrix is not None,
            "costs": costs is not None,
            "abstain_cost": self.abstain_cost is not None,
        }
        if told["cost_matrix"] and told["costs"]:
            raise ValueError(
                "cost_matrix and costs both say what predictions cost; leave one out."
            )
        if self.metric != "accuracy" and any(told.values()):
            given = next(name for name, there in told.items() if there)
            raise ValueError(
                f'metric="{self.metric}" cannot be combined with {given}; '
                "leave one out."
            )
        if self.metric != "accuracy" and self.class_weight is not None:
            raise ValueError(
                f'metric="{self.metric}" sets the weights of the classes itself; leave '
                "out class_weight."
            )
        ratio = self.metric in RATIOS
        if ratio and self.max_depth is None and self.max_splits is None:
            raise ValueError(
                f'metric="{self.metric}" is a ratio, into which no penalty for splits '
                "fits; set max_depth or max_splits."
            )
        tops = [p for p in ("first_split", "prefix") if getattr(self, p) is not None]
        if ratio and (self.n_best > 1 or tops):
            given = "n_best" if self.n_best > 1 else tops[0]
            raise ValueError(
                f'metric="{self.metric}" is a ratio, by which trees are not listed or '
                f"compared part by part; leave out {given}, or give a cost_matrix."
            )
        plain_errors = not any(told.values()) and not self._real_costs
        if plain_errors and not ratio and self.split_penalty > 1:
            raise ValueError(
                f"split_penalty={self.split_penalty:g} is above 1, the cost of getting "
                "every row wrong; use a number from 0 to 1."
            )

    def _check_path(self) -> None:
        """Refuse objectives for which there is no path of penalties."""
        if self.metric in RATIOS:
            raise ValueError(
                f'metric="{self.metric}" takes several searches and no penalty; a path '
                "of penalties needs another metric."
            )
        if self._real_costs:
            raise ValueError(
                f'criterion="{self.criterion}" has no path of penalties yet; fit it '
                "with each penalty, or trace the path of misclassification."
            )
        for name in restrictions(self):
            raise ValueError(
                f"{name} has no path of penalties yet; fit it with each penalty."
            )

    @property
    def _real_costs(self) -> bool:
        return self.criterion in PROBABILITY_CRITERIA

    def _objective(self, data: ClassificationData) -> Objective:
        """Return what the fit minimises: errors, costs, or losses of probabilities."""
        if self._real_costs:
            return Probabilities(data, self.criterion, float(self.smoothing))
        if counts_errors(self) and data.costs is None:
            return Labels(data)
        if self.cost_matrix is not None:
            costs = read_cost_matrix(self.cost_matrix, data.classes)
        else:
            costs = 1.0 - np.eye(len(data.classes))
        if data.costs is not None:
            costs = data.costs
        actions, asked = data.classes, self.abstain_cost
        if asked is not None:
            check_abstain_cost(float(asked), costs)
            actions = actions_with_abstention(data.classes, self.abstain_label)
            costs = np.hstack([costs, np.full((len(costs), 1), float(asked))])
        told = Told(matrix=costs, class_factors=data.class_factors)
        if data.costs is None:
            costs = costs[data.labels]
        else:
            weighed = bool((data.class_factors != 1).any())
            told = Told(
                abstain_cost=None if asked is None else float(asked),
                class_factors=data.class_factors if weighed else None,
            )
        return Costs(
            data.table,
            data.weights,
            costs,
            actions,
            classes=data.classes,
            labels=data.labels,
            samples=data.samples,
            told=told,
        )
