"""Optimal trees over yes-or-no features, where the fourth axiom does not hold.

A question about one feature can be asked on either side of any other, so nothing ties a
rule to a place (Section 6.1). Two search spaces are of interest. In the paper's model
each of K chosen features occurs once; in practice a feature may be asked again in
another branch. The second is the same recursion with a *number* of splits in place of a
list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treeproof.proper.objective import misclassification
from treeproof.proper.recursion import Solution
from treeproof.proper.rule import Rule, bits
from treeproof.proper.sodt import sodt
from treeproof.proper.splits import Split, binary_feature_splits
from treeproof.proper.tree import fold

MAX_SIZE = 1_000_000


@dataclass(frozen=True)
class Question(Rule):
    """The question whether a row has a feature; it can be asked anywhere."""

    column: int = -1


@dataclass(frozen=True)
class Budget:
    """The number of splits that are still to be made."""

    n_splits: int

    def __len__(self) -> int:
        return self.n_splits


@dataclass(frozen=True)
class FeatureTree(Solution):
    """A tree over binary features; leaves hold rows as bits, `cost` counts errors."""

    labels: tuple[Any, ...]

    def predict(self, X: ArrayLike) -> list[Any]:
        """Predict a label for each row."""
        rows = np.asarray(X).astype(bool)

        def leaf(data: int) -> Any:
            return [_majority(data, self.labels)] * len(rows)

        def node(yes: list[Any], rule: Question, no: list[Any]) -> list[Any]:
            has = rows[:, rule.column]
            return [a if x else b for a, b, x in zip(yes, no, has, strict=True)]

        return fold(self.tree, leaf, node)

    def plot(self, ax: Any = None) -> Any:
        """Draw the tree."""
        from treeproof.proper.plot import draw_tree

        return draw_tree(
            self.tree, ax, leaf_text=lambda data: str(_majority(data, self.labels))
        )


def binary_feature_tree(
    X: ArrayLike,
    y: Sequence[Any],
    K: int,
    *,
    distinct: bool = False,
    names: Sequence[str] | None = None,
) -> FeatureTree:
    """Find the tree with at most K splits on binary features and the fewest errors.

    Parameters
    ----------
    X : table of zeros and ones
    y : sequence of labels
    K : int
        Largest number of splits.
    distinct : bool
        Whether a feature may occur only once in the whole tree, as in the paper's
        model.
    names : sequence of str, optional
        Names of the features.

    Returns
    -------
    FeatureTree
        The smallest of the best trees.

    Raises
    ------
    ValueError
        If a value is neither 0 nor 1, lengths do not match, or the search is too large.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> y = ["same", "different", "different", "same"]
    >>> [binary_feature_tree(X, y, K).cost for K in (0, 2, 3)]
    [2, 1, 0]
    >>> binary_feature_tree(X, y, 2, distinct=True).cost
    1
    """
    table = np.asarray(X)
    if table.ndim != 2:
        raise ValueError(f"X must be a table, got {table.ndim} dimension(s)")
    if len(y) != len(table):
        raise ValueError(f"X has {len(table)} rows but y has {len(y)} labels")
    if len(table) == 0:
        raise ValueError("X has no rows")
    if K < 0:
        raise ValueError(f"K must be at least 0, got {K}")
    bad = np.argwhere((table != 0) & (table != 1))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"row {row}, column {column} holds {table[row, column]!r}; binary features "
            "are 0 or 1, so encode it first"
        )
    _check_size(len(table), table.shape[1], K, distinct)
    everything = (1 << len(table)) - 1
    features = []
    for j in range(table.shape[1]):
        yes = bits(np.flatnonzero(table[:, j]).tolist())
        name = names[j] if names is not None else f"x{j}"
        features.append(Question(name, yes, everything ^ yes, sites=0, column=j))
    errors = misclassification(y)
    best: Solution | None = None
    for k in range(K + 1):
        found = (
            _best_distinct(k, features, everything, errors)
            if distinct
            else _best_repeated(k, features, everything, errors)
        )
        if found is not None and (best is None or found.cost < best.cost):
            best = found
    assert best is not None
    return FeatureTree(best.value, best.tree, tuple(y))


def _check_size(n_rows: int, n_features: int, K: int, distinct: bool) -> None:
    """Refuse a search that would take too long, with its size."""
    if distinct:
        k = min(K, n_features)
        catalan = comb(2 * k, k) // (k + 1)
        size, what = comb(n_features, k) * factorial(k) * catalan, "trees"
    else:
        reached = (comb(n_features, k) * 2**k for k in range(min(K, n_features + 1)))
        size, what = min(sum(reached), 2**n_rows), "sets of rows"
    if size > MAX_SIZE:
        raise ValueError(
            f"{n_features} features and K = {K} make up to {size:,} {what}, more than "
            f"the {MAX_SIZE:,} that are searched; use a smaller K, fewer features, or "
            "OptimalTreeClassifier(max_splits=K, split_penalty=0), which keeps its "
            "best tree and a bound at any time"
        )


def _best_distinct(k: int, features: list[Question], data: int, errors: Any) -> Any:
    found = [
        sodt(chosen, data, errors, splits=binary_feature_splits)
        for chosen in combinations(features, k)
    ]
    return min((s for s in found if s), key=lambda s: s.cost, default=None)


def _best_repeated(k: int, features: list[Question], data: int, errors: Any) -> Any:
    def budget_splits(budget: Budget) -> Iterator[Split]:
        for feature in features:
            for left in range(budget.n_splits):
                right = budget.n_splits - 1 - left
                yield Budget(left), feature, Budget(right)

    return sodt(
        Budget(k),  # type: ignore[arg-type]
        data,
        errors,
        splits=budget_splits,
        memo_key=lambda budget, rows, level: (budget.n_splits, rows),
    )


def _majority(data: int, labels: Sequence[Any]) -> Any:
    held = [label for row, label in enumerate(labels) if data >> row & 1]
    return max(dict.fromkeys(held or labels), key=(held or list(labels)).count)
