"""A fitted tree together with the question it answers and the rows it saw."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.explorer.question import Question
from treeproof.explorer.tables import Table
from treeproof.export.prefix import tree_to_prefix
from treeproof.tree import Tree

__all__ = ["Fitted", "estimator", "fit"]


@dataclass
class Fitted:
    """A model, its question and its table."""

    question: Question
    table: Table
    model: Any

    @cached_property
    def tree(self) -> Tree:
        """The tree that is drawn: equal siblings are one."""
        return self.model.tree_.collapse()

    @cached_property
    def score(self) -> float:
        """Accuracy, R² or what else counts, on the rows of the fit."""
        X, question = self.table.take(self.question.columns), self.question
        return question.score(self.model, X, self.table.columns[question.target])

    @property
    def score_name(self) -> str:
        """What `score` is."""
        return self.question.score_name

    @cached_property
    def passes(self) -> Any:
        """Which rows pass which node of `tree`: a sparse matrix (rows, nodes)."""
        X = self.table.take(self.question.columns)
        columns = self.model._read_rows(X)
        return self.tree.decision_path(columns).tocsc()

    def top_with(self, node: int, *, leaf: bool = False) -> Any:
        """Return the splits on the way to a node as a partial tree.

        With `leaf` the node itself must be a leaf; otherwise its split is kept too.
        """
        tree, closed = self.tree, {node} if leaf else set()
        parent, way = tree.parent, {node}
        while parent[node] >= 0:
            node = int(parent[node])
            way.add(node)
        opened = set(range(tree.node_count)) - way
        return tree_to_prefix(tree, opened=opened, closed=closed)

    def rows_of(self, node: int) -> NDArray[np.intp]:
        """Return the numbers of the rows that pass a node."""
        matrix = self.passes
        found = matrix.indices[matrix.indptr[node] : matrix.indptr[node + 1]]
        return np.sort(found)


def estimator(question: Question, **changes: Any) -> Any:
    """Return the unfitted estimator for a question."""
    from treeproof import OptimalTreeClassifier, OptimalTreeRegressor

    kind = OptimalTreeRegressor if question.numeric else OptimalTreeClassifier
    parameters: dict[str, Any] = {
        "split_penalty": question.penalty,
        "penalize": question.penalize,
        "max_depth": question.max_depth,
        "time_limit": question.time_limit,
        "categorical_split": question.categories,
        "missing": question.missing,
        "first_split": question.first,
        "prefix": question.prefix,
    }
    if not question.numeric:
        parameters |= question.aim.parameters()
    return kind(**(parameters | changes))


def fit(table: Table, question: Question, *, proof: Path | None = None) -> Fitted:
    """Fit the tree that a question asks for; rows without a target are left out.

    Examples
    --------
    >>> from treeproof.explorer.question import first_question
    >>> from treeproof.explorer.tables import bundled_table
    >>> table = bundled_table("monks")
    >>> fitted = fit(table, first_question(table))
    >>> fitted.model.optimal_, round(fitted.score, 4), len(fitted.rows_of(0))
    (True, 1.0, 432)
    """
    question.check(table)
    table = table.labelled(question.target)
    X, y = table.take(question.columns), table.columns[question.target]
    model = estimator(question)
    if proof is None:
        model.fit(X, y)
    else:
        model.fit(X, y, proof=proof)
    return Fitted(question, table, model)
