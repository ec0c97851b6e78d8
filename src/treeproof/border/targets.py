"""Reads the targets of a regression as a matrix of finite doubles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.labels import read_vector
from treeproof.columns import is_missing, plain

__all__ = ["check_not_negative", "read_targets"]


def read_targets(y: Any, estimator: str) -> NDArray[np.float64]:
    """Return targets as finite doubles, with one or two dimensions as given.

    Examples
    --------
    >>> read_targets([1, 2.5], "OptimalTreeRegressor")
    array([1. , 2.5])
    >>> read_targets([1.0, float("nan")], "OptimalTreeRegressor")
    Traceback (most recent call last):
      ...
    ValueError: Input y contains NaN (first: row 1). Drop the rows without a target.
    """
    if y is None:
        raise ValueError(
            f"{estimator} requires y to be passed, but the target y is None."
        )
    array = read_vector(y, "y")
    if array.ndim not in (1, 2):
        raise ValueError(
            "y should be a 1d array, or a 2d array with one column for each output; "
            f"got an array of shape {array.shape} instead."
        )
    if array.ndim == 2 and array.shape[1] == 0:
        raise ValueError("y has no columns; a regression needs at least one output.")
    if array.dtype.kind == "c":
        raise ValueError(
            "Complex data not supported: y holds complex numbers. Predict the real and "
            "the imaginary part as two outputs."
        )
    if array.dtype.kind not in "biuf":
        array = _numbers(array)
    targets = np.ascontiguousarray(array, dtype=np.float64)
    _check_finite(targets)
    return targets


def _numbers(array: NDArray[Any]) -> NDArray[np.float64]:
    """Convert an array of objects, text or dates to doubles, or raise an error."""
    numbers = np.empty(array.shape)
    for place, value in np.ndenumerate(array):
        if is_missing(value):
            numbers[place] = np.nan
        elif isinstance(value, str | bytes):
            raise ValueError(
                f"y holds text such as {plain(value)!r} (row {place[0]}); a regression "
                "needs numbers, so convert the column, or use a classifier for classes."
            )
        else:
            try:
                numbers[place] = float(value)
            except (TypeError, ValueError):
                raise ValueError(
                    f"y holds {plain(value)!r} (row {place[0]}), which is not a "
                    "number; a regression needs numbers."
                ) from None
    return numbers


def _check_finite(targets: NDArray[np.float64]) -> None:
    for wrong, what, advice in (
        (np.isnan(targets), "NaN", "Drop the rows without a target"),
        (
            np.isinf(targets),
            "infinity or a value too large for dtype('float64')",
            "Drop or clip these values",
        ),
    ):
        if wrong.any():
            row = int(np.argwhere(wrong)[0][0])
            raise ValueError(f"Input y contains {what} (first: row {row}). {advice}.")


def check_not_negative(targets: NDArray[np.float64]) -> None:
    """Raise if targets are negative, so that they are not counts or rates.

    Examples
    --------
    >>> check_not_negative(np.array([[3.0], [-1.0]]))
    Traceback (most recent call last):
      ...
    ValueError: y holds -1 (row 1), but a Poisson deviance needs counts or rates of 0...
    """
    below = targets < 0
    if below.any():
        row, output = map(int, np.argwhere(below)[0])
        raise ValueError(
            f"y holds {targets[row, output]:g} (row {row}), but a Poisson deviance "
            "needs counts or rates of 0 or more; use another criterion."
        )
