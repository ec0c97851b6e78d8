"""Merging equal rows of a regression, in an order that the data alone determine.

Rows that agree in every column and in the targets become one row with their total
weight: nothing can tell them apart, and the search gets smaller. The merged rows are
sorted by a hash of their content, so that a table with repeated rows, the same table
with weights, and any shuffle of either give the same run and hence the same tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["merge_equal_rows"]

_MIX = np.uint64(0x9E3779B97F4A7C15)


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
