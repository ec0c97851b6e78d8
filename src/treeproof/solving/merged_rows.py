"""Merging equal rows of a regression, in an order that the data alone determine.

Rows that agree in every column and in the targets become one row with their total
weight: nothing can tell them apart, and the search gets smaller. The merged rows are
sorted by a hash of their content, so that a table with repeated rows, the same table
with weights, and any shuffle of either give the same run and hence the same tree.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["merge_equal_rows", "merged_weights", "rounded_weights"]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_MAX_WEIGHT = 1 << 30
_LARGEST_SCALE = 2.0**1000  # for weights near the smallest positive double


def merge_equal_rows(
    codes: NDArray[np.int32],
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Return codes (columns, rows), targets (rows, outputs) and weights, merged.

    Examples
    --------
    >>> codes = np.array([[0, 1, 0]], dtype=np.int32)
    >>> targets = np.array([[2.0], [5.0], [2.0]])
    >>> codes, targets, weights = merge_equal_rows(codes, targets, np.ones(3))
    >>> sorted(zip(codes[0].tolist(), weights.tolist()))
    [(0, 2.0), (1, 1.0)]
    """
    bits = np.ascontiguousarray(targets + 0.0).view(np.uint64).T  # -0.0 is 0.0
    key = np.zeros(len(weights), dtype=np.uint64)
    for column in (*codes.astype(np.uint64), *bits):
        key = (key ^ column) * _MIX
        key ^= key >> np.uint64(29)
    order = np.argsort(key, kind="stable")
    new = np.ones(len(order), dtype=bool)
    same = key[order[1:]] == key[order[:-1]]
    if same.any():
        # Rows with equal hashes may still differ, so they are compared.
        a, b = order[:-1][same], order[1:][same]
        equal = (codes[:, a] == codes[:, b]).all(axis=0)
        equal &= (targets[a] == targets[b]).all(axis=1)
        new[1:][same] = ~equal
    starts = np.flatnonzero(new)
    kept = order[starts]
    return codes[:, kept], targets[kept], np.add.reduceat(weights[order], starts)


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
    total, cap = float(np.cumsum(weights)[-1]), _MAX_WEIGHT - len(weights) - 1.0
    if np.all(weights == np.floor(weights)) and total < cap:
        return weights
    scale, sums = merged_weights(codes, labels, weights)
    rounded = np.maximum(np.floor(sums * scale + 0.5), 1.0)
    return np.where(sums > 0, rounded, 0.0)


def merged_weights(
    codes: NDArray[np.int32],
    labels: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> tuple[float, NDArray[np.float64]]:
    """Return a factor for weights that have to be rounded, and weights of equal rows.

    The first of the rows that are equal, with equal labels, carries the sum of their
    weights, the others 0.

    Examples
    --------
    >>> codes = np.array([[0, 1, 0]], dtype=np.int32)
    >>> labels = np.array([0, 1, 0], dtype=np.int32)
    >>> merged_weights(codes, labels, np.array([0.5, 1.0, 0.25]))[1]
    array([0.75, 1.  , 0.  ])
    """
    total, cap = float(np.cumsum(weights)[-1]), _MAX_WEIGHT - len(weights) - 1.0
    scale = 2.0 ** (math.frexp(min(cap / total, _LARGEST_SCALE))[1] - 1)
    rows = np.vstack([codes, labels]).T
    _, first, merged = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    sums = np.zeros(len(weights))
    sums[first] = np.bincount(merged.reshape(-1), weights)
    return scale, sums
