"""The tree of an online learner as the core hands it over."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

__all__ = ["NodeTable"]


class NodeTable(TypedDict):
    """The nodes of a learner's tree, the root first.

    Attributes
    ----------
    feature : ndarray of int32
        The column that a node tests; -1 for a leaf.
    cut : ndarray of int32
        The bin of the threshold; -1 for a leaf or a split by categories.
    threshold : ndarray of float64
        The number of the threshold; infinity separates missing values.
    first_child, n_children : ndarray of int32
        The slots of a node in `children`.
    children, lo, hi : ndarray of int32
        Per slot: the child's number, and the range of codes that lead there.
    weight : ndarray of float64
        The weight of each class in a node, `n_classes` numbers for each node.
    n_classes : int
        How many classes the tree knows.
    """

    feature: NDArray[np.int32]
    cut: NDArray[np.int32]
    threshold: NDArray[np.float64]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    children: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    weight: NDArray[np.float64]
    n_classes: int
