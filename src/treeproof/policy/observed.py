"""Reading what was observed: outcomes, treatments that were given, and columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from treeproof.border import TrainingTable, Wanted, read_training_table
from treeproof.border.labels import read_labels, read_vector, read_weights
from treeproof.border.targets import read_targets
from treeproof.columns import plain

__all__ = ["Observed", "read_observed"]

_FOLDS = 3  # what cv=None stands for, as elsewhere


@dataclass(frozen=True)
class Observed:
    """Clean data of a study, and how its models are fitted.

    Attributes
    ----------
    outcomes : ndarray of shape (rows,)
        What happened.
    given : ndarray of shape (rows,)
        The number of the treatment that each row was given.
    treatments : ndarray
        Their names.
    features : ndarray of shape (rows, columns)
        What the models look at, as numbers.
    weights : ndarray or None
        Weights of the rows; None if none were given.
    folds : callable
        Returns pairs of rows to learn from and rows to predict.
    model_regression, model_propensity : estimators
        The models, not fitted.
    """

    outcomes: NDArray[np.float64]
    given: NDArray[np.intp]
    treatments: NDArray[Any]
    features: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    folds: Callable[[], Any]
    model_regression: Any
    model_propensity: Any


def read_observed(
    model: Any, Y: Any, T: Any, X: Any, W: Any, sample_weight: Any, groups: Any
) -> Observed:
    """Read everything `fit` of a policy tree for observed outcomes is given."""
    if X is None:
        raise ValueError(
            "X is None, but a policy must look at something; pass the columns that it "
            "may use as X, and those that only the models may use as W."
        )
    outcomes = _read_outcomes(Y)
    treatments, given = _read_treatments(T, model.categories)
    wanted = Wanted(
        categorical_features=model.categorical_features, missing=model.missing
    )
    parts = [_numbers(read_training_table(X, wanted))]
    if W is not None:
        parts.append(_numbers(read_training_table(W, Wanted(missing=model.missing))))
    n_rows = len(parts[0])
    lengths = {"Y": len(outcomes), "T": len(given), "W": len(parts[-1])}
    for name, length in lengths.items():
        if length != n_rows:
            raise ValueError(f"{name} has {length} rows, but X has {n_rows}.")
    weights = None
    if sample_weight is not None:
        weights = read_weights(sample_weight, n_rows)
    features = np.hstack(parts)
    random = check_random_state(model.random_state)
    folds = _folds(model.cv, features, given, treatments, groups, random)
    seed = int(random.randint(2**31 - 1))
    regression, propensity = model.model_regression, model.model_propensity
    if isinstance(regression, str):
        regression = HistGradientBoostingRegressor(random_state=seed)
    if isinstance(propensity, str):
        propensity = make_pipeline(
            SimpleImputer(add_indicator=True, keep_empty_features=True),
            StandardScaler(),
            LogisticRegression(max_iter=1000),
        )
    return Observed(
        outcomes, given, treatments, features, weights, folds, regression, propensity
    )


def _one_column(values: Any, name: str, what: str) -> NDArray[Any]:
    column = read_vector(values, name)
    if column.ndim == 2 and column.shape[1] == 1:
        return column[:, 0]
    if column.ndim != 1:
        raise ValueError(
            f"{name} has the shape {column.shape}; it needs one {what} for each row."
        )
    return column


def _read_outcomes(Y: Any) -> NDArray[np.float64]:
    if Y is None:
        raise ValueError("Y is None; pass the outcome of each row.")
    outcomes = _one_column(Y, "Y", "outcome")
    try:
        return read_targets(outcomes, "OptimalDRPolicyTree")
    except ValueError as error:
        raise ValueError(f"Outcomes must be finite numbers: {error}") from None


def _read_treatments(T: Any, categories: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the treatments, and the number of each row's."""
    if T is None:
        raise ValueError("T is None; pass the treatment that each row was given.")
    given = _one_column(T, "T", "treatment")
    if given.dtype.kind == "f":
        doses = given[np.isfinite(given)]
        parts = doses[doses != np.floor(doses)]
        if len(parts):
            raise ValueError(
                f"Treatments must be labels, and T holds numbers such as {parts[0]:g} "
                "that are not whole; divide doses into a few groups, for example with "
                "pd.cut."
            )
    try:
        treatments, codes = read_labels(given, "OptimalDRPolicyTree")
    except ValueError as error:
        raise ValueError(f"Treatments must be labels: {error}") from None
    if len(treatments) < 2:
        raise ValueError(
            f"Every row was given the treatment {plain(treatments[0])!r}, and there is "
            "nothing to compare it with; a policy needs two treatments."
        )
    if isinstance(categories, str):
        return treatments, codes.astype(np.intp)
    wanted = [plain(name) for name in categories]
    known = [plain(name) for name in treatments]
    for name in wanted:
        if name not in known:
            raise ValueError(
                f"categories has the treatment {name!r}, which no row was given; leave "
                "it out."
            )
    for name in known:
        if name not in wanted:
            raise ValueError(
                f"T has the treatment {name!r}, which is not in categories; add it, or "
                "leave these rows out."
            )
    order = np.array([known.index(name) for name in dict.fromkeys(wanted)])
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return treatments[order], place[codes]


def _numbers(table: TrainingTable) -> NDArray[np.float64]:
    """Return a table as numbers: zeros and ones for categories, NaN for missing."""
    parts = []
    for codes, values, column in zip(
        table.codes, table.distinct, table.columns, strict=True
    ):
        if column.is_categorical:
            width = len(values) + column.has_missing
            first = 1 if width == 2 else 0  # one column says all about two categories
            parts.append(np.eye(width)[codes][:, first:])
        else:
            known = np.append(np.asarray(values, dtype=np.float64), np.nan)
            parts.append(known[codes][:, None])
    return np.hstack(parts)


def _folds(
    cv: Any,
    features: NDArray[np.float64],
    given: NDArray[np.intp],
    treatments: NDArray[Any],
    groups: Any,
    random: np.random.RandomState,
) -> Callable[[], Any]:
    """Return what parts the rows; folds have like shares of the treatments."""
    if cv is not None and not isinstance(cv, int | np.integer):
        splitter = check_cv(cv, given, classifier=True)
        return lambda: splitter.split(features, given, groups)
    n_folds = _FOLDS if cv is None else int(cv)
    counts = np.bincount(given)
    rare = int(np.argmin(counts))
    if counts[rare] < n_folds:
        raise ValueError(
            f"The treatment {plain(treatments[rare])!r} was given to {counts[rare]} "
            f"row{'' if counts[rare] == 1 else 's'}, fewer than the {n_folds} folds of "
            "cv; leave it out, or use a smaller cv."
        )
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random)
    return lambda: splitter.split(features, given)
