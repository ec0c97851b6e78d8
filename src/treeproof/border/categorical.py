"""Decides which columns are categorical, by their types or by the parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.dates import date_columns
from treeproof.border.raw import RawTable
from treeproof.border.text import TextColumn
from treeproof.columns import plain

__all__ = ["is_categorical", "which_categorical"]


def which_categorical(raw: RawTable, categorical_features: Any) -> NDArray[np.bool_]:
    """Return which columns are categorical, by the parameter or by their types."""
    n = raw.n_columns
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        if raw.matrix is not None:
            return np.full(n, raw.matrix.dtype.kind == "b")
        return np.array([is_categorical(raw, j) for j in range(n)])
    chosen = np.zeros(n, dtype=bool)
    if categorical_features is None:
        return chosen
    given = np.asarray(categorical_features)
    if given.ndim != 1:
        raise ValueError(
            "categorical_features must be 'from_dtype', None, a mask, or a list of "
            f"column numbers or names; got {categorical_features!r}."
        )
    if given.size == 0:
        return chosen
    if given.dtype == bool:
        # The numbers that stand for dates come last.
        n_given = n - len(date_columns(raw))
        if len(given) != n_given:
            raise ValueError(
                f"categorical_features is a mask of length {len(given)}, but X has "
                f"{n_given} columns."
            )
        chosen[:n_given] = given
        return chosen
    if given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= n:
            odd = next(int(i) for i in given if not 0 <= i < n)
            raise ValueError(
                f"categorical_features contains the column number {odd}, but X has the "
                f"columns 0 to {n - 1}."
            )
        chosen[given] = True
        return chosen
    names = [plain(name) for name in given]
    if not all(isinstance(name, str) for name in names):
        raise ValueError(
            "categorical_features must be 'from_dtype', None, a mask, or a list of "
            f"column numbers or names; got {categorical_features!r}."
        )
    if raw.names is None:
        raise ValueError(
            f"categorical_features names the column {names[0]!r}, but X has no column "
            "names. Use column numbers, or pass a data frame."
        )
    for name in names:
        if name not in raw.names:
            raise ValueError(
                f"categorical_features names the column {name!r}, which X does not "
                "have."
            )
        chosen[raw.names.index(name)] = True
    return chosen


def is_categorical(raw: RawTable, column: int) -> bool:
    """Whether the type of a column means that it is categorical."""
    values = raw.column(column)
    return (
        column in raw.declared
        or isinstance(values, TextColumn)
        or values.dtype.kind == "b"
    )
