"""The whole numbers in which engines count costs, as the core computes them.

Weights become whole numbers once, and a cost of one unit of weight is `UNIT_COST`, so
that every sum and comparison after that is exact. Whoever has to agree with the engines
to the last digit asks here; the rules themselves are in ``cpp/core/cost.hpp`` and
``cpp/data/weights.hpp``. (The checkers of proofs have arithmetic of their own.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treeproof import _core

__all__ = [
    "MAX_TOTAL_WEIGHT",
    "UNIT_COST",
    "merged_weights",
    "rounded_weights",
    "split_cost",
    "weight_scale",
    "whole_weights",
]

UNIT_COST: int = _core.UNIT_COST
"""The cost of one unit of weight."""

MAX_TOTAL_WEIGHT: int = _core.MAX_TOTAL_WEIGHT
"""The total of all weights, as whole numbers, stays below this."""


def split_cost(penalty: float, total_weight: float) -> int:
    """Return what one split costs, for a penalty given as a fraction of the weight.

    Examples
    --------
    >>> split_cost(0.25, 2) == UNIT_COST // 2
    True
    """
    return int(_core.split_cost(float(penalty), int(total_weight)))


def weight_scale(weights: NDArray[np.float64]) -> float:
    """Return the factor by which weights are multiplied before they are rounded.

    Examples
    --------
    >>> weight_scale(np.array([1.0, 2.0]))
    1.0
    """
    return float(_core.weight_scale(np.ascontiguousarray(weights, dtype=np.float64)))


def whole_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each weight as a whole number; a positive one is at least 1.

    Examples
    --------
    >>> whole_weights(np.array([1.0, 2.0]))
    array([1., 2.])
    >>> whole_weights(np.array([0.5, 0.25])).sum() > 2**28
    np.True_
    """
    exact = np.ascontiguousarray(weights, dtype=np.float64)
    return np.asarray(_core.whole_weights(exact), dtype=np.float64)


def rounded_weights(
    codes: NDArray[np.int32],
    labels: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return whole weights as docs/proof-format.md rounds them.

    Whole numbers stay as they are. Else the weights of equal rows with equal labels are
    summed, scaled and rounded, to 1 at least; the first of these rows carries the sum,
    the others 0.

    Examples
    --------
    >>> codes = np.array([[0, 1, 0]], dtype=np.int32)
    >>> labels = np.array([0, 1, 0], dtype=np.int32)
    >>> rounded_weights(codes, labels, np.array([2.0, 1.0, 3.0]))
    array([2., 1., 3.])
    >>> rounded = rounded_weights(codes, labels, np.array([0.5, 1.0, 0.25]))
    >>> rounded / rounded[1]
    array([0.75, 1.  , 0.  ])
    """
    if weight_scale(weights) == 1.0 and bool((weights == np.floor(weights)).all()):
        return weights
    scale, sums = merged_weights(codes, labels, weights)
    rounded = np.maximum(np.floor(sums * scale + 0.5), 1.0)
    return np.where(sums > 0, rounded, 0.0)


def merged_weights(
    codes: NDArray[np.int32],
    labels: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> tuple[float, NDArray[np.float64]]:
    """Return the scale of weights that have to be rounded, and weights of equal rows.

    The first of the rows that are equal, with equal labels, carries the sum of their
    weights, the others 0.

    Examples
    --------
    >>> codes = np.array([[0, 1, 0]], dtype=np.int32)
    >>> labels = np.array([0, 1, 0], dtype=np.int32)
    >>> merged_weights(codes, labels, np.array([0.5, 1.0, 0.25]))[1]
    array([0.75, 1.  , 0.  ])
    """
    rows = np.vstack([codes, labels]).T
    _, first, merged = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    sums = np.zeros(len(weights))
    sums[first] = np.bincount(merged.reshape(-1), weights)
    return weight_scale(weights), sums
