"""The input border: from any table to clean arrays, with every message about data.

No other part of the library reads a user's table. `read_training_data` turns a table,
labels and weights into clean arrays for the engines, and `read_rows` does the same for
a table to predict. Every error message about data is one sentence that names the
column, the row or the value, and says what to do.
"""

from __future__ import annotations

from collections.abc import Callable
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
from treeproof.border.wanted import Wanted
from treeproof.limits import Deadline

__all__ = [
    "ClassificationData",
    "RegressionData",
    "RewardData",
    "TrainingTable",
    "Wanted",
    "check_lengths",
    "read_classification_data",
    "read_regression_data",
    "read_reward_data",
    "read_rows",
    "read_training_table",
]

_PLAIN = Wanted()


@dataclass
class _Answers:
    """What is known of each row beside its columns.

    Attributes
    ----------
    weights : ndarray of shape (rows,)
        Weights; rows of weight zero are left out.
    arrays : dict
        Arrays with one entry for each row, by name; None for what was not given.
    numbers : ndarray of shape (rows,) or None
        What the categories of a column may be ordered by; None for nothing.
    classes : ndarray
        The classes, whose spelling is checked.
    in_units : bool
        Whether costs have a unit of their own, so that they may exceed 1.
    """

    weights: NDArray[np.float64]
    arrays: dict[str, NDArray[Any] | None]
    numbers: NDArray[np.float64] | None = None
    classes: Any = ()
    in_units: bool = False

    def take(self, keep: NDArray[np.bool_]) -> _Answers:
        """Return those of some rows."""
        return _Answers(
            self.weights[keep],
            {k: None if v is None else v[keep] for k, v in self.arrays.items()},
            None if self.numbers is None else self.numbers[keep],
            self.classes,
            self.in_units,
        )


def _read(
    estimator: Any,
    X: Any,
    wanted: Wanted,
    answers_of: Callable[[RawTable], _Answers],
    samples: NDArray[np.int64] | None,
    deadline: Deadline | None,
) -> dict[str, Any]:
    """Read a training table and what is known of its rows.

    Sets ``n_features_in_`` and, for a table with names, ``feature_names_in_`` on the
    estimator. Returns the table, the weights, how many rows each row stands for, which
    of the given rows are kept, and the arrays of the rows.
    """
    raw = _read_features(X, wanted.missing, merged=samples is not None)
    answers = answers_of(raw)
    record_names(estimator, raw)
    raw = with_date_parts(raw, date_columns(raw))
    kept = None
    if not (answers.weights > 0).all():
        kept = answers.weights > 0
        raw, answers = raw.take(kept), answers.take(kept)
        samples = None if samples is None else samples[kept]
    table = encode_table(
        raw,
        wanted.categorical_features,
        wanted.categorical_split,
        wanted.missing,
        None if answers.numbers is None else (answers.numbers, answers.weights),
        deadline,
        _allowed(wanted, raw),
    )
    n_rows = table.n_rows if samples is None else int(samples.sum())
    if not table.unread:
        warn_of_categories(wanted, raw, table, n_rows, in_units=answers.in_units)
        warn_of_marks(table)
        warn_of_spellings(table, answers.classes)
    return {
        "table": table,
        "weights": answers.weights,
        "samples": samples,
        "kept": kept,
        **answers.arrays,
    }


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
    wanted: Wanted = _PLAIN,
    class_weight: Any = None,
    samples: NDArray[np.int64] | None = None,
    costs: Any = None,
    deadline: Deadline | None = None,
) -> ClassificationData:
    """Read all data that are passed to `fit` of a classifier.

    Sets ``n_features_in_`` and, for a table with names, ``feature_names_in_`` on the
    estimator.
    """
    about: dict[str, Any] = {}

    def answers_of(raw: RawTable) -> _Answers:
        classes, labels, row_costs = _read_classes(
            raw, y, costs, wanted, merged=samples is not None
        )
        weights = read_weights(sample_weight, raw.n_rows)
        factors = class_factors(class_weight, classes, labels, weights)
        about.update(classes=classes, class_factors=factors)
        return _Answers(
            weights * factors[labels],
            {"labels": labels, "costs": row_costs},
            labels.astype(np.float64)
            if wanted.in_order and len(classes) == 2
            else None,
            classes,
            in_units=row_costs is not None or not wanted.counts_errors,
        )

    read = _read(estimator, X, wanted, answers_of, samples, deadline)
    return ClassificationData(**read, **about)


def _read_classes(
    raw: RawTable, y: Any, costs: Any, wanted: Wanted, merged: bool
) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.float64] | None]:
    """Return the classes, each row's, and the costs of each row if they were given."""
    if costs is not None and merged:
        raise ValueError(
            "costs of each row need a table in memory; for a table that is not, use "
            "cost_matrix."
        )
    row_costs = None
    if costs is not None and y is None:
        row_costs = read_row_costs(costs, raw.n_rows, None)
        classes = np.arange(row_costs.shape[1])
        labels = np.argmin(row_costs, axis=1).astype(np.int32)
    else:
        classes, labels = read_labels(y, wanted.name)
        check_lengths(raw.n_rows, len(labels))
        check_target_is_apart(raw, y)
        warn_of_copies_of_labels(raw, labels, classes)
        if costs is not None:
            row_costs = read_row_costs(costs, raw.n_rows, classes.tolist())
    if row_costs is not None:
        say_negative(row_costs, "costs")
    return classes, labels, row_costs


@dataclass
class RegressionData:
    """Clean training data of a regressor; without the rows of weight zero."""

    table: TrainingTable
    targets: NDArray[np.float64]  # (rows, outputs)
    weights: NDArray[np.float64]
    one_column: bool  # whether predictions have one dimension
    # Number of table rows that each row stands for; None for 1.
    samples: NDArray[np.int64] | None = None
    # Which of the given rows are kept; None for all.
    kept: NDArray[np.bool_] | None = None


def read_regression_data(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    wanted: Wanted = _PLAIN,
    samples: NDArray[np.int64] | None = None,
    deadline: Deadline | None = None,
) -> RegressionData:
    """Read all data that are passed to `fit` of a regressor.

    Sets ``n_features_in_`` and, for a table with names, ``feature_names_in_`` on the
    estimator.
    """

    def answers_of(raw: RawTable) -> _Answers:
        targets = read_targets(y, wanted.name)
        check_lengths(raw.n_rows, len(targets))
        check_target_is_apart(raw, y)
        warn_of_copies_of_numbers(raw, targets)
        matrix = targets.reshape(len(targets), -1)
        simple = wanted.in_order and matrix.shape[1] == 1
        return _Answers(
            read_weights(sample_weight, raw.n_rows),
            {"targets": matrix},
            matrix[:, 0] if simple else None,
        )

    read = _read(estimator, X, wanted, answers_of, samples, deadline)
    return RegressionData(**read, one_column=read["targets"].shape[1] == 1)


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
    wanted: Wanted = _PLAIN,
    samples: NDArray[np.int64] | None = None,
    names: list[Any] | None = None,
    deadline: Deadline | None = None,
) -> RewardData:
    """Read all data that are passed to `fit` of a policy tree.

    Sets ``n_features_in_`` and, for a table with names, ``feature_names_in_`` on the
    estimator. `names` are the treatments' names, if the rewards do not have them.
    """
    about: dict[str, Any] = {}

    def answers_of(raw: RawTable) -> _Answers:
        numbers, treatments = read_rewards(rewards, raw.n_rows, wanted.name, names)
        about.update(treatments=treatments)
        weights = read_weights(sample_weight, raw.n_rows)
        return _Answers(weights, {"rewards": numbers}, in_units=True)

    read = _read(estimator, X, wanted, answers_of, samples, deadline)
    return RewardData(**read, **about)


def read_training_table(X: Any, wanted: Wanted = _PLAIN) -> TrainingTable:
    """Read only a table."""
    raw = read_raw_table(X, MISSING_REFUSED if wanted.missing == "error" else None)
    raw = with_date_parts(raw, date_columns(raw))
    return encode_table(
        raw, wanted.categorical_features, wanted.categorical_split, wanted.missing
    )


def _read_features(X: Any, missing: str, merged: bool) -> RawTable:
    """Read a training table; columns of times are ignored if there are others."""
    advice = MISSING_REFUSED if missing == "error" else None
    raw = read_raw_table(X, advice, allow_dates=not merged)
    if len(raw.dates) == raw.n_columns:
        raw.refuse_dates(set(raw.dates) - set(raw.days))
    if missing == "error":
        raw.refuse_missing_dates(MISSING_REFUSED)
    return raw


def _allowed(wanted: Wanted, raw: RawTable) -> frozenset[int] | None:
    """Return the columns that splits may test; None for all."""
    if wanted.allowed_features is None:
        return None
    names = [raw.name(j) for j in range(raw.n_columns)]
    return read_allowed(wanted.allowed_features, names)


def check_lengths(n_rows: int, n_labels: int) -> None:
    """Raise if there is not one label for each row."""
    if n_rows != n_labels:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n_rows}, {n_labels}] (rows of X, labels in y)."
        )
