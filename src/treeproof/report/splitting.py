"""Rows to fit and rows to hold out, drawn at random but always in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["split_rows", "take"]


def split_rows(
    y: NDArray[Any], test_size: float, random_state: int, numeric: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of the rows to fit and of those to hold out.

    Classes have the same shares in both parts, unless one has a single row.

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
