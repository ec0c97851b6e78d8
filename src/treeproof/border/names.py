"""Column names and counts: recorded at fit, compared at prediction.

The messages begin like those of scikit-learn, because its estimator checks and its
users rely on them, and then name the columns.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treeproof.border.raw import RawTable

__all__ = ["check_names", "record_names"]

_SHOWN = 5


def record_names(estimator: Any, raw: RawTable) -> None:
    """Store the number of columns and, if there are any, their names."""
    estimator.n_features_in_ = raw.n_columns
    if raw.names is not None:
        estimator.feature_names_in_ = np.array(raw.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def check_names(estimator: Any, raw: RawTable) -> None:
    """Refuse a table whose columns are not those of the training table."""
    kind = type(estimator).__name__
    fitted = getattr(estimator, "feature_names_in_", None)
    if raw.names is not None and fitted is None:
        warnings.warn(
            f"X has feature names, but {kind} was fitted without feature names",
            stacklevel=4,
        )
    elif raw.names is None and fitted is not None:
        warnings.warn(
            f"X does not have valid feature names, but {kind} was fitted with feature "
            "names",
            stacklevel=4,
        )
    elif fitted is not None and raw.names is not None and list(fitted) != raw.names:
        raise ValueError(_difference(list(fitted), raw.names))
    if raw.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"X has {raw.n_columns} features, but {kind} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def _difference(fitted: list[str], given: list[str]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unexpected = sorted(set(given) - set(fitted))
    missing = sorted(set(fitted) - set(given))
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _listed(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(
            missing
        )
    if not unexpected and not missing:
        place = next(i for i, name in enumerate(fitted) if name != given[i])
        message += (
            "Feature names must be in the same order as they were in fit.\n"
            f"Column {place} should be {fitted[place]!r} and is {given[place]!r}.\n"
        )
    return message


def _listed(names: list[str]) -> str:
    lines = [f"- {name}\n" for name in names[:_SHOWN]]
    return "".join(lines) + ("- ...\n" if len(names) > _SHOWN else "")
