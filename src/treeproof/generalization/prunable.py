"""One view of every kind of tree that can be pruned.

A pruner needs to know of each node: its children, how many rows it would get wrong as a
leaf, and the shape below it. `PrunableTree` reads that from a fitted scikit-learn
classifier or a treeproof classifier together with labelled rows, and `pruned` gives the
model back with some nodes turned into leaves. A node predicts what its own value says,
pruned or not, so pruning changes no value.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import BaseDecisionTree

from treeproof.generalization.structure import TreeStructure
from treeproof.kinds import REFUSED

__all__ = ["PrunableTree"]

LEAF_SHAPE = TreeStructure()


class PrunableTree:
    """A fitted classification tree with the errors of every node on given rows.

    Parameters
    ----------
    model : fitted classifier
        ``DecisionTreeClassifier``, ``OptimalTreeClassifier`` or what has the same
        ``tree_``.
    X : table
        Rows, as the model's ``predict`` takes them.
    y : array-like
        Their labels. Labels the model does not know count as errors everywhere.

    Attributes
    ----------
    slots : list of list of int or None
        The children of each node, one entry per outcome; None is the leaf of a multiway
        node for categories without a child.
    errors_as_leaf : list of int
        Rows of each node's support that its own prediction gets wrong.
    errors_staying : list of int
        Of these, the rows that end in the node although it is no leaf (categories
        without a child).
    parent : list of int
        -1 for the root.
    inner : list of int
        All nodes that are not leaves, parents first.
    n_rows, n_classes : int
        Size of the problem.
    """

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        table = _table_of(model)
        self.model = model
        self.n_classes = len(model.classes_)
        self.slots = _slots_of(table)
        self.parent, self.inner = _parents(self.slots)
        labels = _label_numbers(y, model.classes_)
        self.n_rows = len(labels)
        where = np.asarray(model.apply(X))
        if len(where) != len(labels):
            raise ValueError(
                f"X has {len(where)} rows and y has {len(labels)} labels; give one "
                "label for each row"
            )
        if self.n_rows == 0:
            raise ValueError("pruning needs at least one row")
        self._count_errors(table, where, labels)

    def _count_errors(
        self, table: Any, where: NDArray[Any], labels: NDArray[np.intp]
    ) -> None:
        n_nodes, width = len(self.slots), self.n_classes + 1
        counts = np.bincount(where * width + labels, minlength=n_nodes * width)
        counts = counts.reshape(n_nodes, width)
        value = np.asarray(table.value).reshape(n_nodes, -1)
        predicted = getattr(table, "action", value.argmax(axis=1))
        node = np.arange(n_nodes)
        speaks = predicted < self.n_classes  # a leaf that abstains is never right
        staying = counts.sum(axis=1) - counts[node, predicted] * speaks
        for child in reversed(self.nodes_top_down()):
            if self.parent[child] >= 0:
                counts[self.parent[child]] += counts[child]
        right = counts[node, predicted] * speaks
        self.errors_as_leaf = (counts.sum(axis=1) - right).tolist()
        self.errors_staying = staying.tolist()

    def nodes_top_down(self) -> list[int]:
        """Return all nodes, each after its parent."""
        order = [0]
        for node in self.inner:
            order.extend(unique_children(self.slots[node]))
        return order

    def shapes(self) -> list[TreeStructure]:
        """Return the shape below each node."""
        shapes = [LEAF_SHAPE] * len(self.slots)
        for node in reversed(self.inner):
            shapes[node] = self.shape_of(node, shapes)
        return shapes

    def shape_of(self, node: int, shapes: Sequence[TreeStructure]) -> TreeStructure:
        """Return the shape of a node, made of the shapes of its children."""
        return TreeStructure(
            [LEAF_SHAPE if c is None else shapes[c] for c in self.slots[node]]
        )

    def subtree_errors(self) -> list[int]:
        """Return the rows that the subtree below each node gets wrong."""
        errors = list(self.errors_as_leaf)
        for node in reversed(self.inner):
            errors[node] = self.errors_staying[node] + sum(
                errors[child] for child in unique_children(self.slots[node])
            )
        return errors

    def remaining(self, inner: list[int], node: int) -> list[int]:
        """Return the inner nodes that remain if `node` becomes a leaf."""
        gone = {node}
        for other in inner:  # parents first
            if other in gone:
                gone.update(unique_children(self.slots[other]))
        return [other for other in inner if other not in gone]

    def pruned(self, leaves: Iterable[int]) -> Any:
        """Return a copy of the model in which the given nodes are leaves."""
        keep, new_leaves = self._kept(set(leaves))
        model = copy.copy(self.model)
        table = _table_of(self.model)
        if isinstance(self.model, BaseDecisionTree):
            model.tree_ = _cut_sklearn(table, keep, new_leaves)
        elif new_leaves:
            _set_pruned(model, _cut_table(table, keep, new_leaves))
        return model

    def _kept(self, leaves: set[int]) -> tuple[list[int], set[int]]:
        """Return the nodes that remain, in order, and those that become leaves."""
        gone: set[int] = set()
        for node in self.inner:
            if node in leaves or node in gone:
                gone.update(unique_children(self.slots[node]))
        keep = [node for node in range(len(self.slots)) if node not in gone]
        return keep, leaves - gone


def unique_children(slots: Sequence[int | None]) -> list[int]:
    """Return each child once, whatever the number of outcomes that lead to it."""
    return list(dict.fromkeys(child for child in slots if child is not None))


def _table_of(model: Any) -> Any:
    table = getattr(model, "tree_", None)
    if table is None or not hasattr(model, "apply"):
        if hasattr(model, "fit") and hasattr(model, "predict"):
            raise ValueError(
                f"this {type(model).__name__} has no tree to prune; fit a tree "
                "classifier first"
            )
        raise TypeError(
            f"cannot prune a {type(model).__name__}; give a fitted "
            "OptimalTreeClassifier or DecisionTreeClassifier, or None to grow a tree"
        )
    if getattr(model, "classes_", None) is None:
        raise TypeError(
            f"cannot prune a {type(model).__name__} by its errors; the bounds are for "
            "classification trees"
        )
    if getattr(model, "n_outputs_", 1) != 1:
        raise ValueError("the tree has several outputs; prune one tree per output")
    return table


def _slots_of(table: Any) -> list[list[int | None]]:
    if hasattr(table, "child_outcome"):
        from treeproof.generalization.structure import table_children

        return [list(table_children(table, node)) for node in range(len(table.kind))]
    left, right = table.children_left.tolist(), table.children_right.tolist()
    return [
        [] if a < 0 else [a, b] for a, b in zip(left, right, strict=True)
    ]  # fmt: skip


def _parents(slots: list[list[int | None]]) -> tuple[list[int], list[int]]:
    parent = [-1] * len(slots)
    inner = [0] if slots[0] else []
    for node in inner:  # grows while it is read: breadth first
        for child in unique_children(slots[node]):
            parent[child] = node
            if slots[child]:
                inner.append(child)
    return parent, inner


def _label_numbers(y: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each label among the classes; one past them if unknown."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y has {labels.ndim} dimensions; give one label for each row")
    try:
        place = np.searchsorted(classes, labels)
        known = np.take(classes, place, mode="clip") == labels
    except TypeError:
        known = np.zeros(len(labels), dtype=bool)
    if len(labels) and not np.any(known):
        raise ValueError(
            f"none of the labels in y is a class of the tree; it knows "
            f"{', '.join(str(c) for c in classes[:5])}"
        )
    return np.where(known, place, len(classes))


def _cut_sklearn(table: Any, keep: list[int], leaves: set[int]) -> Any:
    state = table.__getstate__()
    number = np.full(table.node_count, -1)
    number[keep] = np.arange(len(keep))
    nodes = state["nodes"][keep]
    is_leaf = np.isin(keep, list(leaves)) | (nodes["left_child"] < 0)
    for side in ("left_child", "right_child"):
        nodes[side] = np.where(is_leaf, -1, number[nodes[side]])
    nodes["feature"][is_leaf] = -2
    nodes["threshold"][is_leaf] = -2.0
    cut = type(table)(table.n_features, table.n_classes, table.n_outputs)
    depth = np.zeros(len(keep), dtype=int)
    for i in range(len(keep)):
        if not is_leaf[i]:
            depth[[nodes["left_child"][i], nodes["right_child"][i]]] = depth[i] + 1
    state.update(
        max_depth=int(depth.max()),
        node_count=len(keep),
        nodes=nodes,
        values=np.ascontiguousarray(state["values"][keep]),
    )
    cut.__setstate__(state)
    return cut


def _set_pruned(model: Any, cut: Any) -> None:
    """Give an optimal-tree estimator its pruned tree, with a certificate that is true.

    The lower bound stays what it is; the pruned tree costs what it costs and is not
    proved optimal for the penalty any more.
    """
    leaves = cut.value[cut.kind == 0]
    loss = float((leaves.sum(axis=1) - leaves.max(axis=1)).sum() / leaves.sum())
    model._set_certificate(
        cut,
        objective=loss + model.split_penalty * _penalties(model, cut),
        lower=model.lower_bound_,
        proved=False,
        status="pruned",
    )


def _penalties(model: Any, cut: Any) -> int:
    """Return how many penalties a tree pays; a surface has two sides."""
    count = getattr(cut, "n_penalties", None)
    return int(cut.n_splits if count is None else count(model.penalize))


def _cut_table(table: Any, keep: list[int], leaves: set[int]) -> Any:
    """Return a `treeproof.tree.Tree` without the nodes below the new leaves."""
    number = {node: i for i, node in enumerate(keep)}
    columns: dict[str, Any] = {
        name: getattr(table, name)[keep].copy()
        for name in (
            "feature",
            "kind",
            "threshold",
            "category",
            "missing",
            "value",
            "n_node_samples",
            "weighted_n_node_samples",
        )
    }
    first: list[int] = []
    count: list[int] = []
    children: list[int] = []
    outcomes: list[int] = []
    for i, node in enumerate(keep):
        first.append(len(children))
        if node in leaves or table.kind[node] == 0:
            columns["kind"][i] = 0
            columns["feature"][i] = -2
            columns["threshold"][i] = -2.0
            columns["category"][i] = -1
            columns["missing"][i] = REFUSED
            count.append(0)
            continue
        slots = table.slots(node)
        children += [number[c] for c in table.children[slots].tolist()]
        outcomes += table.child_outcome[slots].tolist()
        count.append(len(children) - first[-1])
    return type(table)(
        **columns,
        first_child=first,
        n_children=count,
        children=children,
        child_outcome=outcomes,
        columns=table.columns,
        classes=table.classes,
    )
