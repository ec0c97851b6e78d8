"""When two trees are the same: the same tests, children and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from treeproof.tree.lines import Lines
    from treeproof.tree.tree import Tree

__all__ = ["same_trees"]

_ARRAYS = (
    "feature",
    "kind",
    "threshold",
    "category",
    "missing",
    "n_children",
    "value",
    "action",
    "n_node_samples",
    "weighted_n_node_samples",
)


def same_trees(a: Tree, b: Tree) -> bool:
    """Return whether two trees are the same; the order of children does not matter."""
    return (
        all(np.array_equal(getattr(a, name), getattr(b, name)) for name in _ARRAYS)
        and _edges(a) == _edges(b)
        and a.columns == b.columns
        and a.measure == b.measure
        and _same_lines(a.lines, b.lines)
        and _same(a.classes, b.classes)
        and _same(a.actions, b.actions)
    )


def _edges(tree: Tree) -> list[list[tuple[int, int]]]:
    """Return outcome and child of every slot, node by node."""
    return [
        sorted(tree.child_by_outcome(node).items()) for node in range(tree.node_count)
    ]


def _same_lines(a: Lines | None, b: Lines | None) -> bool:
    if a is None or b is None:
        return a is b
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("column", "slope", "intercept")
    )


def _same(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)
