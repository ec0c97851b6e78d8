"""Cutting numbers by minimum description length (Fayyad and Irani, 1993).

A column is cut where the entropy of the classes falls most, and each part again, as
long as a cut shortens the description of the labels by more than it takes to describe
the cut. MurTree's authors prepare numeric tables so; Quant-BnB's Table 6 asks what that
costs in accuracy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["binarise", "mdlp_cuts"]


def mdlp_cuts(x: NDArray[np.float64], labels: NDArray[np.intp]) -> list[float]:
    """Return the thresholds at which a column is cut, in ascending order.

    Parameters
    ----------
    x : ndarray of shape (n,)
        The column.
    labels : ndarray of shape (n,)
        Classes, as numbers from 0.

    Examples
    --------
    >>> x = np.arange(20.0)
    >>> mdlp_cuts(x, (x > 12).astype(int))
    [12.5]
    """
    order = np.argsort(x, kind="stable")
    values, classes = x[order], labels[order]
    one_hot = np.zeros((len(x) + 1, int(labels.max()) + 1))
    one_hot[np.arange(1, len(x) + 1), classes] = 1
    counts = one_hot.cumsum(axis=0)
    cuts: list[float] = []
    parts = [(0, len(x))]
    while parts:
        first, last = parts.pop()
        place = _best_cut(values, counts, first, last)
        if place is not None:
            cuts.append(float((values[place - 1] + values[place]) / 2))
            parts += [(first, place), (place, last)]
    return sorted(cuts)


def _best_cut(
    values: NDArray[np.float64], counts: NDArray[np.float64], first: int, last: int
) -> int | None:
    """Return the best position for a cut of a part, or None if no cut pays."""
    places = first + 1 + np.flatnonzero(np.diff(values[first:last]) > 0)
    if len(places) == 0:
        return None
    left = counts[places] - counts[first]
    right = counts[last] - counts[places]
    whole = counts[last] - counts[first]
    n, n_left, n_right = last - first, left.sum(axis=1), right.sum(axis=1)
    after = (n_left * _entropy(left) + n_right * _entropy(right)) / n
    best = int(np.argmin(after))
    kinds = [int((c > 0).sum()) for c in (whole, left[best], right[best])]
    e_whole = float(_entropy(whole[None])[0])
    e_left, e_right = (float(_entropy(c[None])[0]) for c in (left[best], right[best]))
    gain = e_whole - after[best]
    delta = np.log2(3.0 ** kinds[0] - 2) - (
        kinds[0] * e_whole - kinds[1] * e_left - kinds[2] * e_right
    )
    return int(places[best]) if gain > (np.log2(n - 1) + delta) / n else None


def _entropy(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(shares > 0, shares * np.log2(shares), 0.0)
    return np.asarray(-terms.sum(axis=1))


def binarise(X: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.int64]:
    """Return one column of zeros and ones for each cut of each column.

    Examples
    --------
    >>> X = np.column_stack([np.arange(20.0), np.zeros(20)])
    >>> binarise(X, np.repeat(["a", "b"], 10)).sum(axis=0)
    array([10])
    """
    labels = np.unique(y, return_inverse=True)[1]
    columns = [x <= cut for x in X.T for cut in mdlp_cuts(x, labels)]
    if not columns:
        return np.zeros((len(X), 1), dtype=np.int64)
    return np.column_stack(columns).astype(np.int64)
