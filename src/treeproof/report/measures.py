"""What rows that were held out are scored by: the measure that belongs to a fit.

A tree that minimises costs or maximises F1 would look bad by its accuracy, which is not
what it was asked for; so would other learners by a measure that they do not know. All
of them are scored by the measure of the fit, and the page says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from treeproof.border.costs import read_cost_matrix
from treeproof.columns import plain
from treeproof.objectives.ratios import RATIOS, Ratio, positive_class

__all__ = ["Measure", "measure_of"]

Scoring = Callable[[NDArray[Any], NDArray[Any], Any], float]


@dataclass(frozen=True)
class Measure:
    """How predictions are scored.

    Attributes
    ----------
    name : str
        What the measure is called.
    of : callable
        Given predictions, what the rows were, and weights or None, returns the score.
    low_is_good : bool
        Whether smaller numbers are better.
    balanced : bool
        Whether all classes count alike.
    cart, boosted : dict
        The parameters with which CART and boosted trees of scikit-learn minimise what
        this measure is made of; empty where they do so by default or cannot.

    Examples
    --------
    >>> right = Measure("accuracy", _accuracy)
    >>> right.of(np.array([0, 1]), np.array([0, 0]), None)
    0.5
    """

    name: str
    of: Scoring
    low_is_good: bool = False
    balanced: bool = False
    cart: dict[str, Any] = field(default_factory=dict)
    boosted: dict[str, Any] = field(default_factory=dict)


def measure_of(model: Any, y: NDArray[Any]) -> Measure:
    """Return the measure of an estimator with its parameters.

    Parameters
    ----------
    model : OptimalTreeClassifier or OptimalTreeRegressor
        It need not be fitted.
    y : ndarray
        The target of all rows.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> y = np.array(["no", "yes"])
    >>> measure_of(OptimalTreeClassifier(), y).name
    'accuracy'
    >>> costs = measure_of(OptimalTreeClassifier(cost_matrix=[[0, 1], [5, 0]]), y)
    >>> costs.name, costs.of(np.array(["no", "no"]), y, None)
    ('mean cost', 2.5)
    """
    if is_regressor(model):
        return _of_numbers(model)
    if model.cost_matrix is not None or model.abstain_cost is not None:
        return Measure("mean cost", _costs_of(model, np.unique(y)), low_is_good=True)
    if model.metric in RATIOS:
        return _ratio_of(model, np.unique(y))
    if model.class_weight is not None or model.metric == "balanced_accuracy":
        alike = {"class_weight": "balanced"}
        return Measure(
            "balanced accuracy", _balanced, balanced=True, cart=alike, boosted=alike
        )
    return Measure("accuracy", _accuracy)


def _of_numbers(model: Any) -> Measure:
    """Return R², or its like for the loss of the leaves."""
    criterion = getattr(model, "criterion", "squared_error")
    if criterion == "absolute_error":  # CART takes minutes for it
        return Measure(
            "D² of absolute errors",
            _share_explained("d2_absolute_error_score"),
            boosted={"loss": "absolute_error"},
        )
    if criterion == "poisson":
        return Measure(
            "D² of deviances",
            _share_explained("d2_tweedie_score", power=1),
            cart={"criterion": "poisson"},
            boosted={"loss": "poisson"},
        )
    if criterion == "quantile" and np.ndim(model.quantile) == 0:
        share = float(model.quantile)
        return Measure(
            "D² of quantile losses",
            _share_explained("d2_pinball_score", alpha=share),
            boosted={"loss": "quantile", "quantile": share},
        )
    return Measure("R²", _r2)


def _share_explained(scorer: str, **options: Any) -> Scoring:
    """Return the part of a loss that predictions explain, as scikit-learn scores it."""
    least = np.finfo(np.float64).tiny  # counts are scored by predictions above zero

    def value(predicted: NDArray[Any], actual: NDArray[Any], weights: Any) -> float:
        from sklearn import metrics

        if len(actual) < 2:
            return 0.0
        told = np.maximum(predicted, least) if "power" in options else predicted
        of = getattr(metrics, scorer)
        return float(of(actual, told, sample_weight=weights, **options))

    return value


def _costs_of(model: Any, classes: NDArray[Any]) -> Scoring:
    """Return what computes the mean cost of predictions; others abstain."""
    costs = 1.0 - np.eye(len(classes))
    if model.cost_matrix is not None:
        costs = read_cost_matrix(model.cost_matrix, classes)
    asked = np.inf if model.abstain_cost is None else float(model.abstain_cost)
    costs = np.column_stack([costs, np.full(len(classes), asked)])
    place = {plain(label): k for k, label in enumerate(classes)}

    def mean_cost(predicted: NDArray[Any], actual: NDArray[Any], weights: Any) -> float:
        said = [place.get(plain(label), len(classes)) for label in predicted]
        true = [place[plain(label)] for label in actual]
        return float(np.average(costs[true, said], weights=weights))

    return mean_cost


def _ratio_of(model: Any, classes: NDArray[Any]) -> Measure:
    """Return F1, F-beta or the Jaccard index of the positive class."""
    from sklearn.metrics import fbeta_score, jaccard_score

    ratio = Ratio.of(model.metric, float(model.beta))
    positive = classes[positive_class(classes, model.pos_label, model.metric)]

    def value(predicted: NDArray[Any], actual: NDArray[Any], weights: Any) -> float:
        true, said = actual == positive, predicted == positive
        more = {"sample_weight": weights, "zero_division": 0.0}
        if model.metric == "jaccard":
            return float(jaccard_score(true, said, **more))
        return float(fbeta_score(true, said, beta=float(ratio.beta), **more))

    return Measure(ratio.name, value)


def _r2(predicted: NDArray[Any], actual: NDArray[Any], weights: Any) -> float:
    from sklearn.metrics import r2_score

    if len(actual) < 2:
        return 0.0
    return float(r2_score(actual, predicted, sample_weight=weights))


def _balanced(predicted: NDArray[Any], actual: NDArray[Any], weights: Any) -> float:
    from sklearn.metrics import balanced_accuracy_score

    with warnings.catch_warnings():  # a rare class may have no row that is held out
        warnings.simplefilter("ignore")
        return float(balanced_accuracy_score(actual, predicted, sample_weight=weights))


def _accuracy(predicted: NDArray[Any], actual: NDArray[Any], weights: Any) -> float:
    return float(np.average(predicted == actual, weights=weights))
