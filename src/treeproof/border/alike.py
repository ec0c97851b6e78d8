"""Columns of numbers that say nearly the same as a target of numbers.

The gross time of a race beside the net time, the logarithm of a wage beside the wage,
the consumption in the city beside that on all roads: a tree that predicts one from the
other has a high score and is of no use. Among ordinary columns, such as the girth of
trees beside their volume, correlations of more than .985 hardly occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.categorical import is_categorical
from treeproof.border.raw import read_raw_table

__all__ = ["columns_like_target"]

_ALIKE = 0.985
_FEW_ROWS = 50


def columns_like_target(
    table: Mapping[str, Any], target: NDArray[Any]
) -> list[tuple[str, float]]:
    """Return the columns that rise and fall with a target, with their correlations.

    The correlation is that of the values or that of their ranks, whichever is larger.

    Examples
    --------
    >>> net = np.arange(60.0) ** 2
    >>> table = {"gross": net + np.arange(60) % 3, "age": np.arange(60) % 7}
    >>> columns_like_target(table, net)
    [('gross', 1.0)]
    """
    if target.dtype.kind not in "iuf" or target.ndim != 1 or len(target) < _FEW_ROWS:
        return []  # a regression refuses text in its own words
    y = target.astype(np.float64)
    raw = read_raw_table(table, missing_advice=None, allow_dates=True)
    found = []
    for j in range(raw.n_columns):
        if j in raw.days or j in raw.dates or is_categorical(raw, j):
            continue
        x = np.asarray(raw.column(j), dtype=np.float64)
        there = np.isfinite(x) & np.isfinite(y)
        if j in raw.missing:
            there &= ~raw.missing[j]
        x = x[there]
        if len(x) < _FEW_ROWS or len(np.unique(x)) <= 2:
            continue
        like = max(_correlation(x, y[there]), _correlation(_ranks(x), _ranks(y[there])))
        if like >= _ALIKE:
            found.append((raw.name(j), round(like, 3)))
    return sorted(found, key=lambda one: -one[1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), dtype=np.float64)


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the size of the correlation; 0 if one of the two is constant."""
    x, y = x - x.mean(), y - y.mean()
    size = float(np.sqrt((x @ x) * (y @ y)))
    return abs(float(x @ y)) / size if size > 0 else 0.0
