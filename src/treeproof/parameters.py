"""What the parameters of an estimator mean for its table and its costs.

Estimators have different parameters, and those that one does not have are at their
defaults. This is decided here, so that the other parts are told, and need not ask.
"""

from __future__ import annotations

from typing import Any

from treeproof.border.wanted import Wanted

__all__ = ["counts_errors", "kind_of_split", "wanted"]

# the published algorithms, whose trees have only one kind of split
_PUBLISHED = ("branches", "dt-miner", "quant-bnb")


def wanted(estimator: Any) -> Wanted:
    """Return how an estimator wants its table read.

    Examples
    --------
    >>> from treeproof import OptimalTreeRegressor
    >>> wanted(OptimalTreeRegressor(max_depth=1)).in_order
    True
    """
    return Wanted(
        name=type(estimator).__name__,
        categorical_features=estimator.categorical_features,
        categorical_split=kind_of_split(estimator),
        missing=estimator.missing,
        allowed_features=getattr(estimator, "allowed_features", None),
        split_penalty=float(estimator.split_penalty),
        each_split=getattr(estimator, "penalize", "leaves") == "splits",
        counts_errors=counts_errors(estimator),
        in_order=_has_one_split(estimator) and _follows_means(estimator),
    )


def kind_of_split(estimator: Any) -> str:
    """Return how an estimator splits categories; "auto" is replaced by the choice.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> kind_of_split(OptimalTreeClassifier())
    'either'
    >>> kind_of_split(OptimalTreeClassifier(penalize="splits"))
    'multiway'
    """
    kind = str(getattr(estimator, "categorical_split", "multiway"))
    if kind != "auto":
        return kind
    if getattr(estimator, "shape", "tree") == "list":
        return "one-vs-rest"  # lists have two-way splits only
    published = getattr(estimator, "solver", "auto") in _PUBLISHED
    by_leaves = getattr(estimator, "penalize", "leaves") == "leaves"
    return "either" if by_leaves and not published else "multiway"


def counts_errors(estimator: Any) -> bool:
    """Whether the estimator minimises plain misclassification."""
    if getattr(estimator, "constraints", None):
        return False
    told = ("cost_matrix", "abstain_cost")
    metric = getattr(estimator, "metric", "accuracy")
    criterion = getattr(estimator, "criterion", "misclassification")
    return (
        all(getattr(estimator, name, None) is None for name in told)
        and metric in ("accuracy", "balanced_accuracy")
        and criterion == "misclassification"
    )


def _follows_means(estimator: Any) -> bool:
    """Whether the best two groups of categories follow their mean target."""
    criterion = getattr(estimator, "criterion", "")
    if criterion == "misclassification":
        return counts_errors(estimator)
    constant = getattr(estimator, "leaf", "constant") == "constant"
    return criterion == "squared_error" and constant


def _has_one_split(estimator: Any) -> bool:
    """Whether the estimator allows only a leaf, or one split with two leaves."""
    at_most = (getattr(estimator, "max_depth", 0), getattr(estimator, "max_splits", 0))
    return 1 in at_most and getattr(estimator, "min_samples_leaf", 0) == 1
