"""Column names and counts: recorded at fit, compared at prediction.

The messages begin like those of scikit-learn, because its estimator checks and users
rely on them, and then name the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from treeproof.border.raw import RawTable
from treeproof.notices import warn_user

__all__ = ["check_names", "fitted_columns", "known_columns", "record_names"]

_SHOWN = 5
_LISTED = 40  # maximum number of columns in a message


def known_columns(name: str, columns: Iterable[str]) -> str:
    """Return the end of a message about a column that does not exist.

    Parameters
    ----------
    name : str
        The name that was given.
    columns : iterable of str
        The columns that exist; one of a similar name is suggested.

    Examples
    --------
    >>> known_columns("status", ["Status", "Age"])
    "did you mean 'Status'? The columns are 'Status', 'Age'."
    >>> known_columns("z", ["a", "b"])
    "the columns are 'a', 'b'."
    """
    names = list(columns)
    by_lower = {known.lower(): known for known in reversed(names)}
    near = get_close_matches(name.strip().lower(), by_lower, n=1, cutoff=0.7)
    listed = ", ".join(map(repr, names[:_LISTED]))
    listed += f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    if near:
        return f"did you mean {by_lower[near[0]]!r}? The columns are {listed}."
    return f"the columns are {listed}."


def record_names(estimator: Any, raw: RawTable) -> None:
    """Store the number of columns and, if there are any, their names."""
    estimator.n_features_in_ = raw.n_columns
    if raw.names is not None:
        estimator.feature_names_in_ = np.array(raw.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def fitted_columns(estimator: Any, X: Any) -> Any:
    """Return a table with the columns of the training table, in their order.

    Further columns, such as the target, are removed. A table that lacks a column is
    returned unchanged, and `check_names` then names the missing columns.
    """
    fitted = getattr(estimator, "feature_names_in_", None)
    if fitted is None:
        return X
    names = list(fitted)
    if isinstance(X, Mapping):
        known = list(X)
        if known == names or not set(names) <= set(known):
            return X
        return {name: X[name] for name in names}
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except Exception:  # two columns of one name: an error when the table is read
        return X
    if not isinstance(frame, nw.DataFrame):
        return X
    known = list(frame.columns)
    if known == names or not set(names) <= set(known):
        return X
    return frame.select(names).to_native()


def check_names(estimator: Any, raw: RawTable) -> None:
    """Raise if the columns of a table are not those of the training table."""
    kind = type(estimator).__name__
    fitted = getattr(estimator, "feature_names_in_", None)
    if raw.names is not None and fitted is None:
        warn_user(f"X has feature names, but {kind} was fitted without feature names")
    elif raw.names is None and fitted is not None:
        warn_user(
            f"X does not have valid feature names, but {kind} was fitted with feature "
            "names"
        )
    elif fitted is not None and raw.names is not None:
        lacking = [name for name in fitted if name not in raw.names]
        if lacking:
            raise ValueError(_lacking(lacking, list(fitted), raw.names))
    if raw.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"X has {raw.n_columns} features, but {kind} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def _lacking(lacking: list[str], fitted: list[str], given: list[str]) -> str:
    message = (
        "The feature names should match those that were passed during fit.\n"
        "Feature names seen at fit time, yet now missing:\n" + _listed(lacking)
    )
    unseen = [name for name in given if name not in fitted]
    if unseen:
        message += "Feature names unseen at fit time:\n" + _listed(unseen)
    return message


def _listed(names: list[str]) -> str:
    lines = [f"- {name}\n" for name in names[:_SHOWN]]
    return "".join(lines) + ("- ...\n" if len(names) > _SHOWN else "")
