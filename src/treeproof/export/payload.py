"""What the nodes of a tree predict, as plain Python values.

A classification tree predicts a label (or abstains) and knows the share of each class;
a policy tree predicts a treatment; a regression tree predicts one number, or a list of
numbers if it has several outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import plain
from treeproof.tree import Tree

__all__ = [
    "labels",
    "node_predictions",
    "node_rewards",
    "node_shares",
    "output_names",
]


def labels(tree: Tree) -> list[Any]:
    """Return the class labels as plain Python values.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> labels(OptimalTreeClassifier().fit([[1], [2]], ["a", "b"]).tree_)
    ['a', 'b']
    """
    assert tree.classes is not None
    return [plain(label) for label in tree.classes]


def node_predictions(tree: Tree) -> list[Any]:
    """Return the prediction of every node."""
    if tree.actions is None:
        if tree.lines is not None:
            return [tree.prediction(node) for node in range(tree.node_count)]
        single = tree.value.shape[1] == 1
        return [v[0] if single else v for v in tree.value.tolist()]
    names = [plain(label) for label in tree.actions]
    return [names[chosen] for chosen in tree.action.tolist()]


def node_shares(tree: Tree) -> NDArray[np.float64]:
    """Return the class shares of every node; only of a classification tree."""
    if tree.classes is None:
        kind = "regression" if tree.actions is None else "policy"
        raise ValueError(
            f"A {kind} tree has no class probabilities; leave out proba=True."
        )
    return tree.value / tree.value.sum(axis=1, keepdims=True)


def node_rewards(tree: Tree, node: int) -> dict[Any, float]:
    """Return the mean reward of each treatment in a node of a policy tree."""
    assert tree.actions is not None
    names = [plain(name) for name in tree.actions]
    return dict(zip(names, tree.value[node].tolist(), strict=True))


def output_names(tree: Tree, name: str) -> list[str]:
    """Return the name of each predicted column: one, or one for each output."""
    if tree.actions is not None or tree.value.shape[1] == 1:
        return [name]
    return [f"{name}_{k}" for k in range(tree.value.shape[1])]
