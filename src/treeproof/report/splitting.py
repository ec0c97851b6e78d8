"""Rows to fit and rows to hold out, drawn at random but always in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.words import percent

__all__ = ["split_rows", "take"]


def split_rows(
    y: NDArray[Any],
    test_size: float,
    random_state: int,
    numeric: bool,
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of the rows to fit and of those to hold out.

    Classes have the same shares in both parts, unless one has a single row. With
    weights, rows are held out whole, and `test_size` is the share of the weight of each
    class that they come as close to as they can.

    Examples
    --------
    >>> train, test = split_rows(np.array([0, 1] * 10), 0.3, 0, False)
    >>> len(train), len(test), sorted(np.concatenate([train, test])) == list(range(20))
    (14, 6, True)
    """
    from sklearn.model_selection import train_test_split

    if not 0 < test_size < 1:
        raise ValueError(
            f"The share of rows to hold out is between 0 and 1, not {test_size:g}."
        )
    if weights is not None:
        return _split_by_weight(y, weights, test_size, random_state, numeric)
    rows = np.arange(len(y))
    if not numeric:
        try:
            return tuple(
                train_test_split(
                    rows, test_size=test_size, random_state=random_state, stratify=y
                )
            )
        except ValueError:  # a class is too small to be in both parts
            pass
    train, test = train_test_split(rows, test_size=test_size, random_state=random_state)
    return train, test


def _split_by_weight(
    y: NDArray[Any],
    weights: NDArray[np.float64],
    test_size: float,
    random_state: int,
    numeric: bool,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Hold out the first rows of each class, in a random order, up to the share."""
    order = np.random.default_rng(random_state).permutation(len(y))
    classes = np.zeros(len(y)) if numeric else np.unique(y, return_inverse=True)[1]
    held_out = np.zeros(len(y), dtype=bool)
    for label in np.unique(classes):
        rows = order[classes[order] == label]
        weight = np.append(0.0, np.cumsum(weights[rows]))
        # Some of the weight of every class stays in the rows to fit.
        allowed = weight[weight < weight[-1]]
        if len(allowed):
            n = int(np.argmin(np.abs(allowed - test_size * weight[-1])))
            held_out[rows[:n]] = True
    if not weights[held_out].any():
        raise ValueError(
            f"No row can be held out: each has much more than {percent(test_size)} of "
            "the weight of its class, and rows are held out whole."
        )
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def take(X: Mapping[str, Any], rows: NDArray[np.intp]) -> dict[str, Any]:
    """Return some rows of a table of columns.

    Examples
    --------
    >>> take({"a": np.array([1, 2, 3])}, np.array([0, 2]))
    {'a': array([1, 3])}
    """
    return {
        name: values.take(rows) if hasattr(values, "take") else np.array(values)[rows]
        for name, values in X.items()
    }
