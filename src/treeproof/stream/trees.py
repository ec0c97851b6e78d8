"""The tree of an online learner in the form of the batch estimators' trees.

A learner numbers categories and classes as they appear; a `Tree` has them sorted, and
its nodes in preorder with the children of a node in that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import Column
from treeproof.stream.reading import Other
from treeproof.tree import LEAF, MULTIWAY, NO_FEATURE, THRESHOLD, Tree

__all__ = ["sorted_order", "to_tree"]


def sorted_order(values: Sequence[Any]) -> list[int]:
    """Return the places of values in sorted order; missing and *other* come last.

    Examples
    --------
    >>> sorted_order([3, None, 1]), sorted_order(["b", 1, "a"])
    ([2, 0, 1], [1, 2, 0])
    """

    def plain_key(i: int) -> Any:
        value = values[i]
        last = (value is None) + 2 * isinstance(value, Other)
        return (last, "" if last else type(value).__name__, 0 if last else value)

    try:
        return sorted(range(len(values)), key=plain_key)
    except TypeError:
        return list(range(len(values)))


def to_tree(model: Any) -> Tree:
    """Return a native model's tree as a `Tree`.

    Every feature is a column, in the order in which the learner met them; a threshold
    of infinity asks whether a number is there at all.
    """
    raw = model.tree()
    columns, rank_of_code = [], []
    for c in range(model.n_columns):
        name = str(model.names[c])
        values = model.categories(c)
        order = sorted_order(values)
        rank_of_code.append(np.argsort(order))
        numeric = model.number_index(c) >= 0
        columns.append(Column(name, None if numeric else _objects(values, order)))
    order, slots = _preorder(raw, rank_of_code)
    number = np.argsort(order)
    feature, cut = raw["feature"][order], raw["cut"][order]
    kind = np.full(len(order), MULTIWAY, dtype=np.int8)
    kind[feature < 0] = LEAF
    kind[cut >= 0] = THRESHOLD
    class_order = sorted_order(model.classes)
    value = np.zeros((len(order), max(1, len(class_order))))
    if raw["n_classes"]:
        value[:, : raw["n_classes"]] = raw["weight"].reshape(len(order), -1)[order]
        value = value[:, class_order]
    total = value.sum(axis=1)
    n_children = raw["n_children"][order]
    return Tree(
        feature=np.where(kind == LEAF, NO_FEATURE, feature),
        kind=kind,
        threshold=np.where(
            kind == THRESHOLD, raw["threshold"][order], float(NO_FEATURE)
        ),
        category=np.full(len(order), -1),
        first_child=np.cumsum(n_children) - n_children,
        n_children=n_children,
        children=[number[child] for child, _ in slots],
        child_outcome=[outcome for _, outcome in slots],
        value=value,
        n_node_samples=np.rint(total).astype(np.int64),
        weighted_n_node_samples=total,
        columns=columns,
        classes=_objects(model.classes, class_order),
    )


def _objects(values: Sequence[Any], order: list[int]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = [values[i] for i in order]
    return array


def _preorder(
    raw: Any, rank_of_code: list[NDArray[np.intp]]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the nodes in the new order, and their slots: (old child, outcome)."""
    order: list[int] = []
    slots: list[tuple[int, int]] = []
    stack = [0]
    while stack:
        node = stack.pop()
        order.append(node)
        own = []
        for slot in range(
            raw["first_child"][node], raw["first_child"][node] + raw["n_children"][node]
        ):
            low, cut = int(raw["lo"][slot]), int(raw["cut"][node])
            ranks = rank_of_code[raw["feature"][node]]
            outcome = int(low > cut) if cut >= 0 else int(ranks[low])
            own.append((int(raw["children"][slot]), outcome))
        own.sort(key=lambda pair: pair[1])
        slots.extend(own)
        stack.extend(child for child, _ in reversed(own))
    return order, slots
