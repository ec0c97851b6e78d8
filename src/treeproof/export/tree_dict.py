"""A tree as dictionaries and lists.

The dictionary is meant to be read by people and by other programs: columns and
categories by name, nodes as a list in which children have higher numbers than their
parent. `treeproof.export.tree_reader` makes a tree of it again. The format is described
in ``docs/exports.md``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import Column, plain
from treeproof.kinds import (
    ABSENT,
    BY_CATEGORY,
    EQUALS,
    LEAF,
    NO,
    OWN,
    REFUSED,
    SUBSET,
    THRESHOLD,
    YES,
)
from treeproof.tree import Tree
from treeproof.tree.leaf_facts import interval_of, smoothed

__all__ = ["SIDES", "tree_to_dict"]

SIDES = {YES: "yes", NO: "no"}  # the outcomes of a test with two answers, as words


def tree_to_dict(tree: Tree) -> dict[str, Any]:
    """Return the tree as plain dictionaries and lists, ready for JSON."""
    content: dict[str, Any] = {
        "columns": [_column_to_dict(column) for column in tree.columns],
        "classes": None
        if tree.classes is None
        else [plain(label) for label in tree.classes],
        "class_type": None if tree.classes is None else _type_name(tree.classes),
    }
    if tree.actions is not None and not tree.says_heaviest:
        content["measure"] = tree.measure
        content["actions"] = [plain(action) for action in tree.actions]
        known = np.array([action for action in tree.actions if action is not None])
        content["action_type"] = _type_name(known)
    elif tree.measure != "errors":
        content["measure"] = tree.measure
    if tree.actions is None and not tree.predicts_means:
        content["predicts_means"] = False
    if tree.has_row_weights:
        content["has_row_weights"] = True
    content["nodes"] = [_node_to_dict(tree, node) for node in range(tree.node_count)]
    return content


def _column_to_dict(column: Column) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": column.name}
    if column.categories is not None:
        entry["type"] = _type_name(column.categories)
        entry["categories"] = [plain(v) for v in column.categories]
    if column.ordered:
        entry["ordered"] = True
    if column.has_missing:
        entry["has_missing"] = True
    if column.date is not None:
        entry["date"] = asdict(column.date)
    return entry


def _type_name(values: NDArray[Any]) -> str:
    return "text" if values.dtype.kind in "OUS" else values.dtype.name


def _node_to_dict(tree: Tree, node: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "samples": int(tree.n_node_samples[node]),
        "weight": float(tree.weighted_n_node_samples[node]),
        "value": tree.value[node].tolist(),
    }
    if tree.class_counts is not None and not _counts_are_weights(tree):
        entry["class_counts"] = tree.class_counts[node].tolist()
    if tree.impurity is not None:
        entry["impurity"] = float(tree.impurity[node])
    if tree.actions is not None and not tree.says_heaviest:
        entry["action"] = int(tree.action[node])
    if tree.cost is not None:
        entry["cost"] = float(tree.cost[node])
    if tree.lines is not None and tree.lines.column[node] >= 0:
        entry["line"] = {
            "column": tree.columns[tree.lines.column[node]].name,
            "slope": float(tree.lines.slope[node]),
            "intercept": float(tree.lines.intercept[node]),
        }
    if tree.kind[node] == LEAF:
        return entry | _facts_to_dict(tree, node)
    column = tree.columns[tree.feature[node]]
    entry["feature"] = column.name
    if tree.kind[node] in BY_CATEGORY:
        return entry | _groups_to_dict(tree, node)
    if tree.kind[node] == THRESHOLD:
        entry["threshold"] = float(tree.threshold[node])
    elif tree.kind[node] == EQUALS:
        assert column.categories is not None
        entry["category"] = plain(column.categories[tree.category[node]])
    else:
        entry["test"] = "missing"
    child = tree.child_by_outcome(node)
    entry |= {"yes": child.get(YES), "no": child.get(NO)}
    missing = int(tree.missing[node])
    if missing != REFUSED and tree.kind[node] != ABSENT:
        entry["missing"] = child[OWN] if missing == OWN else SIDES[missing]
    return entry


def _facts_to_dict(tree: Tree, node: int) -> dict[str, Any]:
    """Return what follows from a leaf's rows, for people and programs; not read."""
    entry: dict[str, Any] = {}
    if tree.classes is not None:
        entry["probabilities"] = smoothed(tree.value[node : node + 1], 0.0)[0].tolist()
    interval = interval_of(tree, node)
    if interval is not None:
        entry["interval"] = list(interval)
    return entry


def _counts_are_weights(tree: Tree) -> bool:
    return bool(np.array_equal(tree.class_counts, tree.value))  # type: ignore[arg-type]


def _groups_to_dict(tree: Tree, node: int) -> dict[str, Any]:
    column = tree.columns[tree.feature[node]]
    assert column.categories is not None
    children, gone = [], None
    for child, codes in tree.outcome_groups(node):
        if column.missing_code in codes:
            gone = child
        names = [plain(column.categories[c]) for c in codes if c != column.missing_code]
        children.append({"node": child, "categories": names})
    entry: dict[str, Any] = {"children": children}
    if tree.kind[node] == SUBSET:
        entry["test"] = "subset"
    if tree.missing[node] != REFUSED:
        entry["missing"] = "stays" if gone is None else gone
    return entry
