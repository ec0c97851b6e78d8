"""The input border: from any table to clean arrays, with every message about data.

No other part of the library reads a user's table. `read_training_data` turns a table,
labels and weights into clean arrays for the engines, and `read_rows` does the same for
a table to predict. Every error message about data is one sentence that names the
column, the row or the value, and says what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.allowed import read_allowed
from treeproof.border.copies import (
    warn_of_copies_of_labels,
    warn_of_copies_of_numbers,
)
from treeproof.border.costs import read_rewards, read_row_costs, say_negative
from treeproof.border.dates import date_columns, with_date_parts
from treeproof.border.labels import class_factors, read_labels, read_weights
from treeproof.border.leak import (
    check_target_is_apart,
    warn_of_categories,
    warn_of_marks,
    warn_of_spellings,
)
from treeproof.border.names import record_names
from treeproof.border.predict_rows import read_rows
from treeproof.border.raw import RawTable, read_raw_table
from treeproof.border.table import MISSING_REFUSED, TrainingTable, encode_table
from treeproof.border.targets import read_targets
from treeproof.limits import Deadline

__all__ = [
    "ClassificationData",
    "RegressionData",
    "RewardData",
    "TrainingTable",
    "check_lengths",
    "counts_errors",
    "kind_of_split",
    "read_classification_data",
    "read_regression_data",
    "read_reward_data",
    "read_rows",
    "read_training_table",
]

# the published algorithms, whose trees have only one kind of split
_PUBLISHED = ("branches", "dt-miner", "quant-bnb")


@dataclass
class ClassificationData:
    """Clean training data of a classifier; without the rows of weight zero."""

    table: TrainingTable
    classes: NDArray[Any]
    labels: NDArray[np.int32]
    weights: NDArray[np.float64]  # sample weight times class weight
    class_factors: NDArray[np.float64]
    # Number of table rows that each row stands for; None for 1.
    samples: NDArray[np.int64] | None = None
    # For each row and class, if they were given.
    costs: NDArray[np.float64] | None = None
    # Which of the given rows are kept; None for all.
    kept: NDArray[np.bool_] | None = None


def read_classification_data(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    categorical_features: Any = "from_dtype",
    categorical_split: str = "multiway",
    missing: str = "error",
    class_weight: Any = None,
    samples: NDArray[np.int64] | None = None,
    costs: Any = None,
    deadline: Deadline | None = None,
) -> ClassificationData:
    """Read all data that are passed to `fit` of a classifier.

    Sets ``n_features_in_`` and, for a table with names, ``feature_names_in_`` on the
    estimator.
    """
    raw = _read_features(X, missing, merged=samples is not None)
    row_costs = None
    if costs is not None and samples is not None:
        raise ValueError(
            "costs of each row need a table in memory; for a table that is not, use "
            "cost_matrix."
        )
    if costs is not None and y is None:
        row_costs = read_row_costs(costs, raw.n_rows, None)
        classes = np.arange(row_costs.shape[1])
        labels = np.argmin(row_costs, axis=1).astype(np.int32)
    else:
        classes, labels = read_labels(y, type(estimator).__name__)
        check_lengths(raw.n_rows, len(labels))
        check_target_is_apart(raw, y)
        warn_of_copies_of_labels(raw, labels, classes)
        if costs is not None:
            row_costs = read_row_costs(costs, raw.n_rows, classes.tolist())
    if row_costs is not None:
        say_negative(row_costs, "costs")
    weights = read_weights(sample_weight, raw.n_rows)
    factors = class_factors(class_weight, classes, labels, weights)
    weights = weights * factors[labels]
    raw, kept, samples = _weighed(estimator, raw, weights, samples)
    if kept is not None:
        labels, weights = labels[kept], weights[kept]
        row_costs = None if row_costs is None else row_costs[kept]
    simple = has_one_split(estimator) and len(classes) == 2 and counts_errors(estimator)
    by_target = (labels.astype(np.float64), weights) if simple else None
    table = encode_table(
        raw,
        categorical_features,
        categorical_split,
        missing,
        by_target,
        deadline,
        _allowed(estimator, raw),
    )
    n_rows = table.n_rows if samples is None else int(samples.sum())
    in_units = row_costs is not None or not counts_errors(estimator)
    if not table.unread:
        warn_of_categories(estimator, raw, table, n_rows, in_units=in_units)
        warn_of_marks(table)
        warn_of_spellings(table, classes)
    return ClassificationData(
        table, classes, labels, weights, factors, samples, row_costs, kept
    )


@dataclass
class RegressionData:
    """Clean training data of a regressor; without the rows of weight zero."""

    table: TrainingTable
    targets: NDArray[np.float64]  # (rows, outputs)
    weights: NDArray[np.float64]
    one_column: bool  # whether predictions have one dimension
    # Number of table rows that each row stands for; None for 1.
    samples: NDArray[np.int64] | None = None


def read_regression_data(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    categorical_features: Any = "from_dtype",
    categorical_split: str = "multiway",
    missing: str = "error",
    samples: NDArray[np.int64] | None = None,
    deadline: Deadline | None = None,
) -> RegressionData:
    """Read all data that are passed to `fit` of a regressor.

    Sets ``n_features_in_`` and, for a table with names, ``feature_names_in_`` on the
    estimator.
    """
    raw = _read_features(X, missing, merged=samples is not None)
    targets = read_targets(y, type(estimator).__name__)
    check_lengths(raw.n_rows, len(targets))
    check_target_is_apart(raw, y)
    warn_of_copies_of_numbers(raw, targets)
    weights = read_weights(sample_weight, raw.n_rows)
    raw, kept, samples = _weighed(estimator, raw, weights, samples)
    if kept is not None:
        targets, weights = targets[kept], weights[kept]
    matrix = targets.reshape(len(targets), -1)
    squared = getattr(estimator, "criterion", None) == "squared_error"
    simple = has_one_split(estimator) and squared and matrix.shape[1] == 1
    by_target = (matrix[:, 0], weights) if simple else None
    table = encode_table(
        raw,
        categorical_features,
        categorical_split,
        missing,
        by_target,
        deadline,
        _allowed(estimator, raw),
    )
    n_rows = table.n_rows if samples is None else int(samples.sum())
    if not table.unread:
        warn_of_categories(estimator, raw, table, n_rows)
        warn_of_marks(table)
        warn_of_spellings(table)
    return RegressionData(table, matrix, weights, matrix.shape[1] == 1, samples)


@dataclass
class RewardData:
    """Clean training data of a policy; without the rows of weight zero."""

    table: TrainingTable
    rewards: NDArray[np.float64]  # (rows, treatments)
    treatments: NDArray[Any]
    weights: NDArray[np.float64]
    # Number of table rows that each row stands for; None for 1.
    samples: NDArray[np.int64] | None = None
    # Which of the given rows are kept; None for all.
    kept: NDArray[np.bool_] | None = None


def read_reward_data(
    estimator: Any,
    X: Any,
    rewards: Any,
    sample_weight: Any = None,
    *,
    categorical_features: Any = "from_dtype",
    categorical_split: str = "multiway",
    missing: str = "error",
    samples: NDArray[np.int64] | None = None,
    names: list[Any] | None = None,
) -> RewardData:
    """Read all data that are passed to `fit` of a policy tree.

    Sets ``n_features_in_`` and, for a table with names, ``feature_names_in_`` on the
    estimator. `names` are the treatments' names, if the rewards do not have them.
    """
    raw = _read_features(X, missing, merged=samples is not None)
    numbers, treatments = read_rewards(
        rewards, raw.n_rows, type(estimator).__name__, names
    )
    weights = read_weights(sample_weight, raw.n_rows)
    raw, kept, samples = _weighed(estimator, raw, weights, samples)
    if kept is not None:
        numbers, weights = numbers[kept], weights[kept]
    table = encode_table(raw, categorical_features, categorical_split, missing)
    n_rows = table.n_rows if samples is None else int(samples.sum())
    warn_of_categories(estimator, raw, table, n_rows, in_units=True)
    warn_of_marks(table)
    warn_of_spellings(table)
    return RewardData(table, numbers, treatments, weights, samples, kept)


def read_training_table(
    estimator: Any,
    X: Any,
    weights: NDArray[np.float64] | None = None,
    *,
    categorical_features: Any = "from_dtype",
    categorical_split: str = "multiway",
    missing: str = "error",
) -> TrainingTable:
    """Read only the table, without the rows of weight zero."""
    raw = read_raw_table(X, MISSING_REFUSED if missing == "error" else None)
    record_names(estimator, raw)
    raw = with_date_parts(raw, date_columns(raw))
    if weights is not None:
        check_lengths(raw.n_rows, len(weights))
        if not (weights > 0).all():
            raw = raw.take(weights > 0)
    return encode_table(raw, categorical_features, categorical_split, missing)


def _read_features(X: Any, missing: str, merged: bool) -> RawTable:
    """Read a training table; columns of times are ignored if there are others."""
    advice = MISSING_REFUSED if missing == "error" else None
    raw = read_raw_table(X, advice, allow_dates=not merged)
    if len(raw.dates) == raw.n_columns:
        raw.refuse_dates(set(raw.dates) - set(raw.days))
    if missing == "error":
        raw.refuse_missing_dates(MISSING_REFUSED)
    return raw


def _weighed(
    estimator: Any,
    raw: RawTable,
    weights: NDArray[np.float64],
    samples: NDArray[np.int64] | None,
) -> tuple[RawTable, NDArray[np.bool_] | None, NDArray[np.int64] | None]:
    """Record names, add numbers of dates, and leave out rows of weight zero.

    The second result says which rows are kept; None for all.
    """
    record_names(estimator, raw)
    raw = with_date_parts(raw, date_columns(raw))
    keep = weights > 0
    if keep.all():
        return raw, None, samples
    return raw.take(keep), keep, None if samples is None else samples[keep]


def _allowed(estimator: Any, raw: RawTable) -> frozenset[int] | None:
    """Return the columns that splits may test; None for all."""
    allowed = getattr(estimator, "allowed_features", None)
    if allowed is None:
        return None
    return read_allowed(allowed, [raw.name(j) for j in range(raw.n_columns)])


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


def has_one_split(estimator: Any) -> bool:
    """Whether the estimator allows only a leaf, or one split with two leaves."""
    at_most = (getattr(estimator, "max_depth", 0), getattr(estimator, "max_splits", 0))
    return 1 in at_most and getattr(estimator, "min_samples_leaf", 0) == 1


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


def check_lengths(n_rows: int, n_labels: int) -> None:
    """Raise if there is not one label for each row."""
    if n_rows != n_labels:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n_rows}, {n_labels}] (rows of X, labels in y)."
        )
