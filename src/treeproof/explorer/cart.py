"""The greedy tree of scikit-learn on the same table, with its best pruning.

Of the trees on CART's cost-complexity pruning path the one with the least of *our* cost
is kept, so that it answers the same question. Categories are one-hot encoded, which is
what its users do; missing numbers go where scikit-learn sends them, a missing category
is one more test. The tree is then read back with the names of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.dates import date_columns, with_date_parts
from treeproof.border.raw import read_raw_table
from treeproof.border.table import encode_table
from treeproof.columns import Column
from treeproof.explorer.question import Question
from treeproof.kinds import ABSENT, EQUALS, LEAF, THRESHOLD
from treeproof.tree import NO_FEATURE, Tree

__all__ = ["GreedyTree", "OneHot", "greedy"]

_MOST_PRUNINGS = 40
# codes that stand for a numeric column and for a missing category
_NUMBER, _MISSING = -1, -2


@dataclass(frozen=True)
class OneHot:
    """A table as numbers: numeric columns as they are, one column for each category."""

    matrix: NDArray[np.float32]
    columns: tuple[Column, ...]
    meaning: list[tuple[int, int]]  # per matrix column: table column, and category

    @classmethod
    def of(cls, X: dict[str, NDArray[Any]]) -> OneHot:
        """Encode a table."""
        raw = read_raw_table(X, None, allow_dates=True)
        raw = with_date_parts(raw, date_columns(raw))
        table = encode_table(raw, "from_dtype", "multiway", missing="best-side")
        parts, meaning = [], []
        for j, column in enumerate(table.columns):
            if column.name in table.dates:
                continue
            if column.categories is None:
                values = np.append(table.distinct[j].astype(np.float64), np.nan)
                parts.append(values[table.codes[j]])
                meaning.append((j, _NUMBER))
                continue
            for code in range(len(column.categories)):
                parts.append(table.codes[j] == code)
                meaning.append((j, code))
            if column.has_missing:
                parts.append(table.codes[j] == column.missing_code)
                meaning.append((j, _MISSING))
        matrix = np.column_stack(parts).astype(np.float32)
        return cls(matrix, table.columns, meaning)


@dataclass(frozen=True)
class GreedyTree:
    """A fitted CART tree: scikit-learn's own, and the same as a `Tree`."""

    model: Any
    tree: Tree
    cost: float


def greedy(
    data: OneHot,
    y: NDArray[Any],
    rows: NDArray[Any],
    question: Question,
) -> GreedyTree:
    """Grow a CART tree on some rows, and prune it to the lowest cost by our measure."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    numeric = question.numeric
    kind = DecisionTreeRegressor if numeric else DecisionTreeClassifier
    depth = None if question.max_depth is None else max(question.max_depth, 1)
    X, labels = data.matrix[rows], y[rows]
    if not numeric:
        labels = labels.astype(str) if labels.dtype == object else labels
    options = {"max_depth": depth, "random_state": 0}
    if not numeric:
        options["class_weight"] = question.aim.weights(np.unique(labels))
    path = kind(**options).cost_complexity_pruning_path(X, labels)
    alphas = np.unique(np.maximum(path.ccp_alphas, 0.0))
    if len(alphas) > _MOST_PRUNINGS:
        alphas = alphas[np.linspace(0, len(alphas) - 1, _MOST_PRUNINGS).astype(int)]
    penalty = 0.0 if question.aim.counts == "f1" and not numeric else question.penalty
    best: tuple[float, Any] | None = None
    for alpha in alphas:
        model = kind(**options, ccp_alpha=alpha).fit(X, labels)
        if numeric:
            loss = 1.0 - float(model.score(X, labels))
        else:
            loss = question.aim.loss(labels, model.predict(X))
        cost = loss + penalty * int(model.get_n_leaves() - 1)
        if best is None or cost < best[0]:
            best = (cost, model)
    assert best is not None
    return GreedyTree(best[1], _as_tree(best[1], data, numeric), best[0])


def _as_tree(model: Any, data: OneHot, numeric: bool) -> Tree:
    """Read a scikit-learn tree with the names of the table."""
    cart = model.tree_
    inner = cart.children_left >= 0
    meaning = np.array(data.meaning)[np.maximum(cart.feature, 0)]
    test = np.where(meaning[:, 1] >= 0, EQUALS, THRESHOLD)
    test[meaning[:, 1] == _MISSING] = ABSENT
    kind = np.where(inner, test, LEAF)
    # "Is this category" is the right child of x <= 0.5, and the first of EQUALS.
    swapped = (kind == EQUALS) | (kind == ABSENT)
    yes = np.where(swapped, cart.children_right, cart.children_left)[inner]
    no = np.where(swapped, cart.children_left, cart.children_right)[inner]
    first = np.zeros(cart.node_count, dtype=np.int32)
    first[inner] = 2 * np.arange(inner.sum())
    value = cart.value[:, 0, :]
    if not numeric:
        value = value * cart.weighted_n_node_samples[:, None]
    return Tree(
        feature=np.where(inner, meaning[:, 0], NO_FEATURE),
        kind=kind,
        threshold=np.where(kind == THRESHOLD, cart.threshold, float(NO_FEATURE)),
        category=np.where(kind == EQUALS, meaning[:, 1], -1),
        first_child=first,
        n_children=np.where(inner, 2, 0),
        children=np.column_stack([yes, no]).ravel(),
        child_outcome=np.tile([0, 1], int(inner.sum())),
        value=value,
        n_node_samples=cart.n_node_samples,
        weighted_n_node_samples=cart.weighted_n_node_samples,
        columns=data.columns,
        classes=None if numeric else np.asarray(model.classes_),
    )
