"""The tree as the engines hand it over: a table of splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

__all__ = ["SplitTable", "leaf_table", "split_table"]


class SplitTable(TypedDict):
    """The nodes of a tree in preorder, one array for each of their properties.

    Attributes
    ----------
    feature : ndarray of int32
        The engine's column that a node tests; -1 for a leaf.
    kind : ndarray of int32
        The kind of the test (see `treeproof.kinds`); 0 for a leaf.
    code : ndarray of int32
        The code of the threshold or category; -1 for a leaf.
    first_child, n_children : ndarray of int32
        The slots of a node in `children`.
    children, child_outcome : ndarray of int32
        Per slot: the child's number, and the outcome of the test that leads there.
    """

    feature: NDArray[np.int32]
    kind: NDArray[np.int32]
    code: NDArray[np.int32]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    children: NDArray[np.int32]
    child_outcome: NDArray[np.int32]


def split_table(
    *,
    feature: Sequence[int],
    kind: Sequence[int],
    code: Sequence[int],
    first_child: Sequence[int],
    n_children: Sequence[int],
    children: Sequence[int],
    child_outcome: Sequence[int],
) -> SplitTable:
    """Return a table of splits from lists of numbers."""
    return {
        "feature": np.array(feature, dtype=np.int32),
        "kind": np.array(kind, dtype=np.int32),
        "code": np.array(code, dtype=np.int32),
        "first_child": np.array(first_child, dtype=np.int32),
        "n_children": np.array(n_children, dtype=np.int32),
        "children": np.array(children, dtype=np.int32),
        "child_outcome": np.array(child_outcome, dtype=np.int32),
    }


def leaf_table() -> SplitTable:
    """Return the table of a tree that is a single leaf.

    Examples
    --------
    >>> leaf_table()["kind"]
    array([0], dtype=int32)
    """
    return split_table(
        feature=[-1],
        kind=[0],
        code=[-1],
        first_child=[0],
        n_children=[0],
        children=[],
        child_outcome=[],
    )
