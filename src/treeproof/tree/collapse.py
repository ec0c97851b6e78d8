"""Merging equal siblings, as in Figures 4.13 and 4.18 of the BRANCHES thesis.

A multiway split has one child for each category, and many of those children are the
same subtree: on the mushroom data the optimal tree is a single split on the odour with
nine leaves that say "edible" or "poisonous". `collapse` gives equal siblings one child
for the whole set of their categories. Subtrees are equal if they make the same tests
and predict the same, whatever category comes; the class counts of merged nodes are
added up. Predictions stay the same, those for unseen categories included. Where merged
siblings were splits, the tree has fewer splits than the one that was proved optimal.

Subtrees are compared bottom-up by number: equal subtrees get equal numbers, so that a
comparison looks at one level only and the whole pass takes linear time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.kinds import BY_CATEGORY, LEAF, MULTIWAY
from treeproof.tree import Tree
from treeproof.tree.lines import Lines

__all__ = ["collapse"]


def collapse(tree: Tree) -> Tree:
    """Return an equivalent tree in which no two siblings are equal.

    Parameters
    ----------
    tree : Tree
        Any tree.

    Returns
    -------
    Tree
        Equal children of multiway splits are merged; binary splits do not change.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> X = [["almond"], ["anise"], ["foul"], ["musty"]] * 5
    >>> y = ["eat", "eat", "leave", "leave"] * 5
    >>> clf = OptimalTreeClassifier(categorical_split="multiway")
    >>> tree = clf.fit(X, y).tree_
    >>> print(collapse(tree).export_text())
    20 rows
    ├── x0 in {almond, anise}: eat   10 rows (50%), 0 wrong
    └── x0 in {foul, musty}: leave   10 rows (50%), 0 wrong
    """
    identity = _number_subtrees(tree)
    # Walk from the root. Each new node stands for a set of equal old nodes: the
    # siblings that were merged into it, and their corresponding descendants.
    table: dict[str, list[Any]] = {
        name: []
        for name in ("feature", "kind", "threshold", "category", "missing",
                     "first_child", "n_children", "value", "action",
                     "n_node_samples", "weighted_n_node_samples")
    }  # fmt: skip
    merged_nodes: list[list[int]] = []  # per new node: the old nodes
    slots: list[list[tuple[int, int]]] = []  # per new node: (outcome, new child)
    stack: list[tuple[list[int], list[tuple[int, int]], list[int]]] = [([0], [], [])]
    while stack:
        members, parent_slots, outcomes = stack.pop()
        number = len(table["kind"])
        parent_slots.extend((outcome, number) for outcome in outcomes)
        table["feature"].append(tree.feature[members[0]])
        table["kind"].append(tree.kind[members[0]])
        table["threshold"].append(tree.threshold[members[0]])
        table["category"].append(tree.category[members[0]])
        table["missing"].append(tree.missing[members[0]])
        samples = tree.n_node_samples[members]
        weights = tree.weighted_n_node_samples[members]
        table["n_node_samples"].append(samples.sum())
        table["weighted_n_node_samples"].append(weights.sum())
        table["value"].append(_merged_value(tree, members, weights))
        table["action"].append(tree.action[members[0]])
        merged_nodes.append(members)
        slots.append([])
        for group, group_outcomes in reversed(_child_groups(tree, members, identity)):
            stack.append((group, slots[-1], group_outcomes))
    first = 0
    for own in slots:
        own.sort()
        table["first_child"].append(first)
        table["n_children"].append(len(own))
        first += len(own)
    merged = Tree(
        **table,
        children=[child for own in slots for _, child in own],
        child_outcome=[outcome for own in slots for outcome, _ in own],
        columns=tree.columns,
        classes=tree.classes,
        actions=tree.actions,
        measure=tree.measure,
    )
    _merge_optional_values(tree, merged, merged_nodes)
    return merged


def _merge_optional_values(
    tree: Tree, merged: Tree, merged_nodes: list[list[int]]
) -> None:
    """Set what not every tree has: costs, lines, impurities, counts of classes."""
    weights = tree.weighted_n_node_samples
    merged.predicts_means = tree.predicts_means
    merged.has_row_weights = tree.has_row_weights
    if tree.cost is not None:
        costs = tree.cost
        merged.cost = np.array([_average(costs[m], weights[m]) for m in merged_nodes])
    if tree.lines is not None:  # no two leaves with lines are merged
        firsts = [members[0] for members in merged_nodes]
        merged.lines = Lines(
            tree.lines.column[firsts],
            tree.lines.slope[firsts],
            tree.lines.intercept[firsts],
        )
    if tree.impurity is not None:
        merged.impurity = np.array(
            [_merged_impurity(tree, m, weights[m]) for m in merged_nodes]
        )
    if tree.class_counts is not None:
        counts = tree.class_counts
        merged.class_counts = np.array([counts[m].sum(axis=0) for m in merged_nodes])


def _merged_value(tree: Tree, members: list[int], weights: Any) -> Any:
    """Add up class weights; average predictions unless they are equal already."""
    values = tree.value[members]
    if tree.classes is not None:
        return values.sum(axis=0)
    return _average(values, weights)


def _merged_impurity(tree: Tree, members: list[int], weights: Any) -> float:
    """Return the mean loss of merged nodes: within them, and between their values."""
    assert tree.impurity is not None
    within, values = tree.impurity[members], tree.value[members]
    between = ((values - _average(values, weights)) ** 2).mean(axis=1)
    return float(_average(within + between, weights))


def _average(values: Any, weights: Any) -> Any:
    """Return the weighted mean; nodes of a changed file may have no weight at all."""
    if np.all(values == values[0]):
        return values[0]
    if not np.any(weights):
        return np.mean(values, axis=0)
    return np.average(values, axis=0, weights=weights)


def _number_subtrees(tree: Tree) -> list[int]:
    """Give equal subtrees equal numbers; children come after parents in the table."""
    numbers: dict[Any, int] = {}
    identity = [0] * tree.node_count
    for node in reversed(range(tree.node_count)):
        if tree.kind[node] == LEAF:
            key: Any = _prediction_key(tree, node)
        else:
            key = (
                int(tree.kind[node]),
                int(tree.feature[node]),
                float(tree.threshold[node]),
                int(tree.category[node]),
                int(tree.missing[node]),
                # A row with an unseen category stops here, so the node's own
                # prediction is part of what the subtree does.
                _prediction_key(tree, node) if tree.kind[node] in BY_CATEGORY else None,
                _children_key(tree, node, identity, numbers),
            )
        identity[node] = numbers.setdefault(key, len(numbers))
    return identity


def _children_key(
    tree: Tree, node: int, identity: list[int], numbers: dict[Any, int]
) -> tuple[tuple[int, int], ...]:
    """Return the child of each outcome.

    A category that no training row had here gets the node's own prediction, as if it
    led to a leaf that says so; two subtrees that differ in nothing else are equal.
    """
    own = tree.slots(node)
    outcomes = tree.child_outcome[own].tolist()
    children = tree.children[own].tolist()
    found = {o: identity[child] for o, child in zip(outcomes, children, strict=True)}
    if tree.kind[node] == MULTIWAY:
        leaf = numbers.setdefault(_prediction_key(tree, node), len(numbers))
        categories = tree.columns[tree.feature[node]].categories
        assert categories is not None
        for outcome in range(len(categories)):
            found.setdefault(outcome, leaf)
    return tuple(sorted(found.items()))


def _prediction_key(tree: Tree, node: int) -> Any:
    if tree.lines is not None:
        return str(node)
    if tree.actions is None or tree.predicts_probabilities:
        return tuple(tree.value[node].tolist())
    return int(tree.action[node])


def _child_groups(
    tree: Tree, members: list[int], identity: list[int]
) -> list[tuple[list[int], list[int]]]:
    """Group the children of equal nodes: old nodes and outcomes of each new child."""
    groups: dict[Any, tuple[dict[int, None], dict[int, None]]] = {}  # ordered sets
    for member in members:
        own = tree.slots(member)
        for outcome, child in zip(
            tree.child_outcome[own].tolist(), tree.children[own].tolist(), strict=True
        ):
            merged = tree.kind[member] in BY_CATEGORY
            key = identity[child] if merged else outcome
            nodes, outcomes = groups.setdefault(key, ({}, {}))
            nodes[child] = outcomes[outcome] = None
    return [(list(nodes), list(outcomes)) for nodes, outcomes in groups.values()]
