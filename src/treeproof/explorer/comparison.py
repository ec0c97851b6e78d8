"""Comparison of the optimal tree and the greedy one on the same rows.

Both are fitted on all rows, for their size and accuracy there, and once more on 70% of
them, for the score on the 30% they have not seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.explorer.cart import OneHot, greedy
from treeproof.explorer.fitting import Fitted, estimator
from treeproof.tree import Tree

__all__ = ["Comparison", "Contender", "compare"]

_HELD_OUT = 0.3
_MOST_SECONDS = 20.0


@dataclass(frozen=True)
class Contender:
    """One of the two trees.

    Attributes
    ----------
    name : str
        Which one.
    cost : float
        Loss plus penalties, on all rows.
    score, held_out : float
        Accuracy (or R²) on all rows, and on those held out.
    splits, leaves, depth : int
        Its size.
    proved : bool
        Whether it is proved optimal.
    tree : Tree
        The tree fitted on all rows.
    """

    name: str
    cost: float
    score: float
    held_out: float
    splits: int
    leaves: int
    depth: int
    proved: bool
    tree: Tree


@dataclass(frozen=True)
class Comparison:
    """Both trees, and how the rows were divided."""

    optimal: Contender
    greedy: Contender
    score_name: str
    n_train: int
    n_test: int

    @property
    def other_trees(self) -> bool:
        """Whether CART is better because of splits that the question does not allow.

        CART separates one category from the rest; a search over multiway splits does
        not look at such trees.
        """
        return self.optimal.proved and self.greedy.cost < self.optimal.cost


def compare(fitted: Fitted, seed: int = 0) -> Comparison:
    """Compare a fitted tree with CART on the same table.

    Examples
    --------
    >>> from treeproof.explorer.fitting import fit
    >>> from treeproof.explorer.question import first_question
    >>> from treeproof.explorer.tables import bundled_table
    >>> table = bundled_table("monks")
    >>> question = replace(first_question(table), categories="one-vs-rest")
    >>> both = compare(fit(table, question))
    >>> both.optimal.splits, both.optimal.score
    (6, 1.0)
    >>> both.optimal.cost <= both.greedy.cost
    True
    """
    question, table = fitted.question, fitted.table
    y = table.columns[question.target]
    train, test = divide(y, question.numeric, seed)
    limit = min(question.time_limit, _MOST_SECONDS)
    ours = estimator(replace(question, time_limit=limit))
    X = table.take(question.columns)
    ours.fit({n: v[train] for n, v in X.items()}, y[train])
    unseen = {n: v[test] for n, v in X.items()}
    data = OneHot.of(X)
    whole = greedy(data, y, np.arange(len(y)), question)
    part = greedy(data, y, train, question)
    words = y if question.numeric or y.dtype != object else y.astype(str)
    tree = fitted.model.tree_
    return Comparison(
        Contender(
            "Optimal tree", fitted.model.objective_, fitted.score,
            question.score(ours, unseen, y[test]), tree.n_splits, tree.n_leaves,
            tree.depth, fitted.model.optimal_, fitted.tree,
        ),
        Contender(
            "CART", whole.cost, question.score(whole.model, data.matrix, words),
            question.score(part.model, data.matrix[test], words[test]),
            whole.tree.n_splits, whole.tree.n_leaves, whole.tree.depth, False,
            whole.tree,
        ),
        fitted.score_name, len(train), len(test),
    )  # fmt: skip


def divide(
    y: NDArray[Any], numeric: bool, seed: int = 0
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Divide the rows at random; each class goes to both parts where it can.

    Examples
    --------
    >>> train, test = divide(np.array(["a"] * 10 + ["b"] * 10), numeric=False)
    >>> len(train), len(test)
    (14, 6)
    """
    rng = np.random.default_rng(seed)
    groups = [np.arange(len(y))]
    if not numeric:
        keys = np.unique(y.astype(str), return_inverse=True)[1]
        groups = [np.flatnonzero(keys == k) for k in range(keys.max() + 1)]
    test: list[int] = []
    for rows in groups:
        mixed = rng.permutation(rows)
        test += mixed[: round(_HELD_OUT * len(rows))].tolist()
    if not test or len(test) == len(y):
        raise ValueError(
            f"{len(y)} rows are too few to hold some out; the comparison needs more."
        )
    inside = np.zeros(len(y), dtype=bool)
    inside[test] = True
    return np.flatnonzero(~inside), np.flatnonzero(inside)
