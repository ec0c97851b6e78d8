"""Reads labels and weights: class labels become codes; weights must be finite."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from treeproof.border.amounts import count_amounts
from treeproof.columns import missing_places, plain
from treeproof.notices import warn_user

__all__ = ["class_factors", "read_labels", "read_vector", "read_weights"]


def read_vector(values: Any, what: str) -> NDArray[Any]:
    """Read a list, array or series as an array; one column of a table is accepted."""
    if isinstance(values, np.ndarray):
        array = values
    elif isinstance(values, (list, tuple)):
        try:
            array = np.asarray(values)
        except ValueError:
            raise ValueError(f"{what} should be a 1d array of single values.") from None
        if array.dtype.kind in "US":
            array = np.array(values, dtype=object)
    else:
        native = nw.from_native(
            values, eager_only=True, allow_series=True, pass_through=True
        )
        if isinstance(native, nw.Series):
            array = native.to_numpy()
            text = array.dtype == object and native.dtype == nw.String
            if not text and array.dtype.kind not in "biufc":
                array = np.array(native.to_list(), dtype=object)
        elif isinstance(native, nw.DataFrame):
            array = native.to_numpy()
        else:
            array = np.asarray(values)
    return array


def read_labels(y: Any, estimator: str) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted class labels and the code of each row's label.

    Examples
    --------
    >>> classes, codes = read_labels([-1, 1, 1], "OptimalTreeClassifier")
    >>> classes.tolist(), codes.tolist()
    ([-1, 1], [0, 1, 1])
    """
    if y is None:
        raise ValueError(
            f"{estimator} requires y to be passed, but the target y is None."
        )
    labels = one_column(read_vector(y, "y"))
    if labels.dtype.kind in "US":
        labels = labels.astype(object)
    if labels.dtype == object:
        labels = _read_object_labels(labels)
    if labels.dtype == object:
        items = labels.tolist()
        found = sorted(set(items))
        for label in found:
            if isinstance(label, str) and label.endswith("\0"):
                raise ValueError(
                    f"The label {label!r} ends with the character NUL, which arrays of "
                    "text cannot keep; rename it."
                )
        place = {label: code for code, label in enumerate(found)}
        codes = np.fromiter(map(place.__getitem__, items), np.int32, len(items))
        return np.array(found), codes
    if labels.dtype.kind == "f":
        _check_whole(labels)
    elif labels.dtype.kind not in "biu":
        raise ValueError(
            f"Unknown label type: {labels.dtype}. Class labels must be strings, whole "
            "numbers or booleans."
        )
    if count_amounts(labels):
        _warn_of_amounts(labels)
    classes, inverse = np.unique(labels, return_inverse=True)
    return classes, inverse.reshape(-1).astype(np.int32)


def _warn_of_amounts(labels: NDArray[Any]) -> None:
    warn_user(
        f"y holds {count_amounts(labels)} different whole numbers such as "
        f"{plain(labels[0])}, each of which is a class of its own here. If they are "
        "amounts, use OptimalTreeRegressor; if they are classes, make them text, "
        "y.astype(str), and this warning is gone."
    )


def one_column(array: NDArray[Any]) -> NDArray[Any]:
    """Return a one-dimensional array; a table with one column causes a warning."""
    if array.ndim == 2 and array.shape[1] == 1:
        warn_user(
            "A column-vector y was passed when a 1d array was expected. Please change "
            "the shape of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
        )
        return array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {array.shape} instead."
        )
    return array


def _read_object_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Turn an array of objects into numbers, or check that all of it is text."""
    missing = missing_places(labels.tolist())
    if missing:
        raise ValueError(
            f"Input y contains NaN or None (first: row {missing[0]}). Drop the rows "
            "without a label."
        )
    types = set(map(type, labels))
    if all(issubclass(t, str) for t in types):
        return labels
    if all(issubclass(t, (bool, np.bool_)) for t in types):
        return labels.astype(bool)
    if all(issubclass(t, (Real, np.number)) for t in types):
        return np.array([plain(v) for v in labels])
    names = sorted({t.__name__ for t in types})
    raise ValueError(
        f"Unknown label type: y mixes or holds values of the types {', '.join(names)}, "
        f"such as {plain(labels[0])!r}. Class labels must be all strings, all whole "
        "numbers or all booleans."
    )


def _check_whole(labels: NDArray[Any]) -> None:
    if np.isnan(labels).any():
        row = int(np.flatnonzero(np.isnan(labels))[0])
        raise ValueError(
            f"Input y contains NaN (first: row {row}). Drop the rows without a label."
        )
    if np.isinf(labels).any():
        raise ValueError(
            "Input y contains infinity or a value too large for "
            f"dtype('{labels.dtype}')."
        )
    odd = labels[labels != np.floor(labels)]
    if len(odd):
        raise ValueError(
            f"Unknown label type: continuous. y holds numbers such as {odd[0]:g} that "
            "are not whole, so they cannot be classes. For numbers use a regressor, "
            "for classes whole numbers or text."
        )


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Return one finite weight >= 0 for each row, not all of them zero."""
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, Real):
        weights = np.full(n_rows, float(sample_weight))
    else:
        try:
            weights = read_vector(sample_weight, "sample_weight").astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                "sample_weight must be numbers, one for each row."
            ) from None
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar.")
    if len(weights) != n_rows:
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight "
            "for each row."
        )
    _check_weights(weights)
    return weights


def _check_weights(weights: NDArray[np.float64]) -> None:
    for wrong, what in (
        (np.isnan(weights), "NaN"),
        (np.isinf(weights), "infinity"),
        (weights < 0, "a negative weight"),
    ):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ValueError(
                f"sample_weight contains {what} ({weights[row]:g} in row {row}). "
                "Weights must be finite numbers >= 0."
            )
    if not weights.any():
        raise ValueError(
            "sample_weight is zero for every row: no weight is left to fit."
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise ValueError(
            "The sum of sample_weight is beyond double precision; divide all weights "
            "by the largest one."
        )


def class_factors(
    class_weight: Any,
    classes: NDArray[Any],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the factor by which the weights of each class are multiplied.

    "balanced" gives every class the same total weight, including sample weights.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights, minlength=len(classes))
        present = totals > 0
        factor = np.zeros(len(classes))
        factor[present] = weights.sum() / (present.sum() * totals[present])
    else:
        assert isinstance(class_weight, Mapping)
        factor = np.ones(len(classes))
        known = {plain(label): code for code, label in enumerate(classes)}
        # Some classes may be absent from a fold of cross-validation, but not all.
        if class_weight and not any(plain(label) in known for label in class_weight):
            raise ValueError(
                f"class_weight names {list(class_weight)!r}, none of which is a class "
                f"in y; the classes are {list(known)!r}."
            )
        for label, value in class_weight.items():
            if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
                raise ValueError(
                    f"class_weight gives class {label!r} the weight {value!r}; it must "
                    "be a finite number >= 0."
                )
            code = known.get(plain(label))
            if code is not None:
                factor[code] = float(value)
    with np.errstate(over="ignore"):
        weighted = weights * factor[codes]
        total = weighted.sum()
    if not weighted.any():
        raise ValueError("class_weight is zero for every class that occurs in y.")
    if not np.isfinite(total):
        raise ValueError(
            "The weights times class_weight add up to more than double precision can "
            "hold; divide all weights by the largest one."
        )
    return factor
