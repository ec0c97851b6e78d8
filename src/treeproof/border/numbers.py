"""Reads tables in which every column must be numeric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treeproof.border.raw import RawTable
from treeproof.border.text import TextColumn

__all__ = ["number_matrix"]


def number_matrix(raw: RawTable) -> NDArray[np.float64]:
    """Return a table as doubles; raise if a column contains text or categories.

    Examples
    --------
    >>> from treeproof.border.raw import read_raw_table
    >>> number_matrix(read_raw_table([[1, 2.5], [True, 0]]))
    array([[1. , 2.5],
           [1. , 0. ]])
    """
    columns = []
    for j in range(raw.n_columns):
        values = raw.column(j)
        if isinstance(values, TextColumn):
            raise ValueError(
                f"{raw.label(j)} holds text such as {values.example()!r}; surfaces "
                "need numbers, so encode the column or leave it out."
            )
        if j in raw.declared:
            raise ValueError(
                f"{raw.label(j)} is categorical; surfaces need numbers, so encode the "
                "column or leave it out."
            )
        columns.append(values)
    # Adding zero makes -0.0 and 0.0 the same point.
    return np.column_stack(columns).astype(np.float64) + 0.0
