"""From an engine's split table to a tree: thresholds, node values, missing values.

An engine refers to its own columns (`treeproof.border.engine_columns`) and to codes.
This module converts its splits to splits of the table's columns, sends the training
rows down the tree once to compute the value of every node, and decides for every split
where missing values go:

* where training rows were missing at the split, they go where the search decided;
* where none were missing, a missing value goes to the child with more weight; at a
  split by category it stays at the node, like an unseen category.

A threshold that separates only the missing values from the others at its node is stored
as what it is: the test whether the value is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treeproof.columns import Column
from treeproof.kinds import (
    ABSENT,
    BY_CATEGORY,
    EQUALS,
    LEAF,
    NO,
    OWN,
    REFUSED,
    STAYS,
    SUBSET,
    THRESHOLD,
    YES,
)
from treeproof.tree.choice import Choice
from treeproof.tree.routing import Columns
from treeproof.tree.split_table import SplitTable
from treeproof.tree.tree import NO_FEATURE, Tree

__all__ = ["grow"]


@dataclass
class _Node:
    """A node that is being converted from the engine's form to that of the tree."""

    feature: int = NO_FEATURE
    kind: int = LEAF
    code: int = -1
    missing: int = REFUSED
    edges: list[tuple[int, int]] = field(default_factory=list)  # (outcome, child)

    def child(self, outcome: int) -> int:
        return dict(self.edges)[outcome]


class EncodedRows(Protocol):
    """The training rows that a tree is grown on."""

    @property
    def rows(self) -> Columns:
        """Column by column: codes, and NaN for missing values of numeric columns."""

    @property
    def columns(self) -> Sequence[Column]:
        """What is known of each column."""

    @property
    def engine(self) -> Any:
        """Its `columns` say what the columns of the engine stand for."""

    @property
    def missing(self) -> str:
        """What is done with missing values; "error" if the tree refuses them."""

    def cut(self, feature: int, code: int) -> float:
        """Return the threshold between this code of a column and the next."""


def grow(
    splits: SplitTable,
    table: EncodedRows,
    *,
    weights: NDArray[np.float64],
    value: Callable[[NDArray[np.intp]], ArrayLike],
    classes: NDArray[Any] | None = None,
    samples: NDArray[np.int64] | None = None,
    choice: Choice | None = None,
    labels: NDArray[np.int32] | None = None,
) -> Tree:
    """Complete an engine's split table with thresholds and node values.

    Parameters
    ----------
    splits : SplitTable
        The tests, nodes in preorder.
    table : EncodedRows
        The training rows.
    weights : ndarray of shape (rows,)
        Their weights.
    value : callable
        The value of a node, from the numbers of its rows.
    classes : ndarray or None
        The class labels of a classification tree.
    samples : ndarray of shape (rows,) or None
        How many rows of the user's table each of them stands for; None for one.
    choice : Choice or None
        How a node chooses its action; None for the heaviest class, or for a regression
        tree.
    labels : ndarray of int32 or None
        The class of each row, to count them in every node.
    """
    rows, columns = table.rows, table.columns
    takes_missing = table.missing != "error"
    nodes = _read_nodes(splits, table.engine.columns)
    numbered = _tree(nodes, columns, classes, lambda n: float(n.code))
    n = len(nodes)
    values: list[Any] = [None] * n
    chosen: list[tuple[int, float]] = [(-1, 0.0)] * n
    counts, totals = np.zeros(n, dtype=np.int64), np.zeros(n)
    n_classes = 0 if classes is None else len(classes)
    by_class = np.zeros((n, n_classes), dtype=np.int64)
    members_of, gone = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for k, members in numbered._route(rows, numbered.threshold):
        values[k] = value(members)
        if choice is not None:
            chosen[k] = choice.choose(members)
        members_of[k] = len(members)
        counts[k] = len(members) if samples is None else samples.take(members).sum()
        totals[k] = weights.take(members).sum()
        if labels is not None and n_classes:
            times = None if samples is None else samples.take(members)
            here = labels.take(members)
            by_class[k] = np.bincount(here, times, minlength=n_classes)
        about = columns[nodes[k].feature] if nodes[k].kind != LEAF else None
        if about is not None and about.has_missing:
            x = rows[nodes[k].feature][members]
            gone[k] = np.count_nonzero(numbered.is_gone(nodes[k].feature, x))
        if nodes[k].kind == SUBSET and about is not None and not about.ordered:
            # Only categories that occurred at this node were separated; see `Tree`.
            there = set(np.unique(rows[nodes[k].feature][members]).tolist())
            nodes[k].edges = [edge for edge in nodes[k].edges if edge[0] in there]
    if takes_missing:
        for k, node in enumerate(nodes):
            _settle(node, columns, totals, members_of, int(gone[k]))
    order = _preorder(nodes)
    place = {old: new for new, old in enumerate(order)}
    ordered = [nodes[old] for old in order]
    for node in ordered:
        node.edges = [(outcome, place[child]) for outcome, child in node.edges]
        if not takes_missing:
            node.missing = REFUSED
    tree = _tree(ordered, columns, classes, lambda n: table.cut(n.feature, n.code))
    tree.value = np.asarray([values[old] for old in order], dtype=np.float64)
    if choice is not None:
        tree.actions, tree.measure = choice.actions, choice.measure
        tree.action = np.array([chosen[old][0] for old in order], dtype=np.int32)
        tree.cost = np.array([chosen[old][1] for old in order])
    elif classes is not None:
        tree.action = np.argmax(tree.value, axis=1).astype(np.int32)
    tree.n_node_samples = counts[order]
    if labels is not None and n_classes:
        tree.class_counts = by_class[order]
        tree.has_row_weights = _weights_differ(labels, weights, samples)
    tree.weighted_n_node_samples = totals[order]
    return tree


def _weights_differ(
    labels: NDArray[np.int32],
    weights: NDArray[np.float64],
    samples: NDArray[np.int64] | None,
) -> bool:
    """Whether rows of the same class have different weights.

    Examples
    --------
    >>> labels = np.array([0, 1, 1], dtype=np.int32)
    >>> _weights_differ(labels, np.array([1.0, 3.0, 6.0]), np.array([1, 1, 2]))
    False
    >>> _weights_differ(labels, np.array([1.0, 3.0, 6.0]), None)
    True
    """
    each = weights if samples is None else weights / samples
    first = np.zeros(int(labels.max(initial=0)) + 1)
    first[labels] = each  # the weight of some row of the class
    return not np.allclose(each, first[labels], rtol=1e-9, atol=0.0)


def _read_nodes(
    splits: SplitTable, engine_columns: Sequence[Any] | None
) -> list[_Node]:
    """Read the engine's nodes as splits of the table's columns."""
    nodes = []
    slots = zip(
        splits["first_child"].tolist(), splits["n_children"].tolist(), strict=True
    )
    for k, (start, count) in enumerate(slots):
        node = _Node(
            int(splits["feature"][k]), int(splits["kind"][k]), int(splits["code"][k])
        )
        if node.kind == LEAF:
            nodes.append(_Node())
            continue
        end = start + count
        outcomes = splits["child_outcome"][start:end].tolist()
        children = splits["children"][start:end].tolist()
        meant: dict[int, tuple[int, ...]] = {}
        if engine_columns is not None:
            column = engine_columns[node.feature]
            meaning = column.meaning(node.code)
            node = _Node(column.feature, meaning.kind, meaning.code, meaning.missing)
            meant = meaning.outcomes
        node.edges = sorted(
            (outcome, child)
            for found, child in zip(outcomes, children, strict=True)
            for outcome in meant.get(found, (found,))
        )
        nodes.append(node)
    return nodes


def _settle(
    node: _Node,
    columns: Sequence[Column],
    totals: NDArray[np.float64],
    members: NDArray[np.int64],
    gone: int,
) -> None:
    """Decide where missing values go at a node; `gone` marks its missing rows."""
    if node.kind in (LEAF, ABSENT):
        return
    if node.kind in BY_CATEGORY:
        code = columns[node.feature].missing_code
        if gone == 0:
            node.edges = [edge for edge in node.edges if edge[0] != code]
        node.missing = OWN if any(o == code for o, _ in node.edges) else STAYS
        return
    if gone == 0:
        heavier = totals[node.child(YES)] >= totals[node.child(NO)]
        node.missing = YES if heavier else NO
        return
    alone = node.child(node.missing)
    if members[alone] == gone and len(node.edges) == 2:
        (other,) = {child for _, child in node.edges} - {alone}
        node.kind, node.code, node.missing = ABSENT, -1, YES
        node.edges = [(YES, alone), (NO, other)]


def _preorder(nodes: list[_Node]) -> list[int]:
    order, stack = [], [0]
    while stack:
        k = stack.pop()
        order.append(k)
        stack += reversed(dict.fromkeys(child for _, child in nodes[k].edges))
    return order


def _tree(
    nodes: list[_Node],
    columns: Sequence[Column],
    classes: NDArray[Any] | None,
    threshold: Callable[[_Node], float],
) -> Tree:
    n = len(nodes)
    lengths = np.array([len(node.edges) for node in nodes])
    return Tree(
        feature=[node.feature for node in nodes],
        kind=[node.kind for node in nodes],
        threshold=[
            threshold(node) if node.kind == THRESHOLD else float(NO_FEATURE)
            for node in nodes
        ],
        category=[node.code if node.kind == EQUALS else -1 for node in nodes],
        missing=[node.missing for node in nodes],
        first_child=np.concatenate([[0], np.cumsum(lengths)[:-1]]),
        n_children=lengths,
        children=[child for node in nodes for _, child in node.edges],
        child_outcome=[outcome for node in nodes for outcome, _ in node.edges],
        value=np.zeros((n, 1)),
        n_node_samples=np.zeros(n),
        weighted_n_node_samples=np.zeros(n),
        columns=columns,
        classes=classes,
    )
