"""Trees that are not optimal, given their best case: CART and TAO, pruned exactly.

CART is grown to the end with each criterion and pruned to the least of *our* cost by
dynamic programming over its nodes, which is at least as good as any tree on its
cost-complexity path. TAO starts from CART trees of several depths and is pruned in the
same way. Categories are one-hot, which is what their users do; those of fewer rows than
a split must correct are left out, since a split on them cannot pay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treeproof.tao import TaoTreeClassifier, TaoTreeRegressor

__all__ = ["GreedyTree", "OneHot", "Rows", "cart", "tao"]

TAO_DEPTHS = (2, 3, 4, 5)
_LEAF = -1


class OneHot:
    """Numbers as they are, one column for each category that is not rare."""

    def __init__(self, X: pd.DataFrame, penalty: float) -> None:
        self._categories = {}
        for name in X.columns:
            if not pd.api.types.is_numeric_dtype(X[name]):
                counts = X[name].dropna().map(str).value_counts()
                often = counts[counts > penalty * len(X)]
                self._categories[name] = sorted(often.index)

    def __call__(self, X: pd.DataFrame) -> NDArray[np.float32]:
        parts = []
        for name in X.columns:
            if name not in self._categories:
                parts.append(X[name].to_numpy(dtype=np.float32, na_value=np.nan))
                continue
            values = X[name].map(str, na_action="ignore").to_numpy(dtype=object)
            parts += [values == value for value in self._categories[name]]
        return np.column_stack(parts).astype(np.float32)


@dataclass
class Rows:
    """Rows to fit: losses are shares of all rows, or of the variance."""

    X: NDArray[np.float32]
    y: NDArray[Any]
    numeric: bool
    penalty: float

    def leaf(self, rows: NDArray[np.intp]) -> tuple[float, Any]:
        """Return the loss and the prediction of a leaf."""
        y = self.y[rows]
        if self.numeric:
            total = float(((self.y - self.y.mean()) ** 2).sum())
            return float(((y - y.mean()) ** 2).sum()) / total, y.mean()
        counts = np.bincount(y)
        return (len(y) - counts.max()) / len(self.y), counts.argmax()


@dataclass
class GreedyTree:
    """A pruned tree: its cost, and nodes as tuples for leaves and splits."""

    cost: float
    splits: int
    root: Any

    def predict(self, X: NDArray[np.float32]) -> NDArray[Any]:
        """Return a prediction for each row."""
        found = np.empty(len(X), dtype=float)
        stack = [(self.root, np.arange(len(X)))]
        while stack:
            node, rows = stack.pop()
            if len(node) == 1:
                found[rows] = node[0]
                continue
            (feature, threshold, missing_left), left, right = node
            goes_left = _goes_left(X[rows, feature], threshold, missing_left)
            stack += [(left, rows[goes_left]), (right, rows[~goes_left])]
        return found


def cart(problem: Rows) -> GreedyTree:
    """Return the best pruning of CART trees grown to the end."""
    kind = DecisionTreeRegressor if problem.numeric else DecisionTreeClassifier
    criteria = ("squared_error",) if problem.numeric else ("gini", "entropy")
    grown = [
        kind(criterion=c, random_state=0).fit(problem.X, problem.y) for c in criteria
    ]
    return _least([_pruned(tree.tree_, problem) for tree in grown])


def tao(problem: Rows) -> GreedyTree:
    """Return the best of TAO's trees; missing values are below all others."""
    X = np.where(np.isnan(problem.X), np.finfo(np.float32).min / 2, problem.X)
    filled = Rows(X, problem.y, problem.numeric, problem.penalty)
    kind = TaoTreeRegressor if problem.numeric else TaoTreeClassifier
    found = [
        _pruned(kind(max_depth=d).fit(filled.X, filled.y)._nodes, filled)
        for d in TAO_DEPTHS
    ]
    return _least(found)


def _least(trees: list[GreedyTree]) -> GreedyTree:
    return min(trees, key=lambda tree: tree.cost)


def _pruned(tree: Any, problem: Rows) -> GreedyTree:
    """Prune a tree of scikit-learn's arrays, or TAO's, to the least cost."""
    left = getattr(tree, "children_left", getattr(tree, "left", None))
    right = getattr(tree, "children_right", getattr(tree, "right", None))
    missing = getattr(tree, "missing_go_to_left", np.ones(len(left)))

    def best(node: int, rows: NDArray[np.intp]) -> tuple[float, int, Any]:
        loss, output = problem.leaf(rows)
        if left[node] == _LEAF or loss <= problem.penalty:
            return loss, 0, (output,)
        test = (int(tree.feature[node]), tree.threshold[node], bool(missing[node]))
        goes_left = _goes_left(problem.X[rows, test[0]], *test[1:])
        if goes_left.all() or not goes_left.any():
            return best(int(left[node] if goes_left.all() else right[node]), rows)
        low = best(int(left[node]), rows[goes_left])
        high = best(int(right[node]), rows[~goes_left])
        cost = low[0] + high[0] + problem.penalty
        if cost >= loss:
            return loss, 0, (output,)
        return cost, low[1] + high[1] + 1, (test, low[2], high[2])

    return GreedyTree(*best(0, np.arange(len(problem.y))))


def _goes_left(
    values: NDArray[np.float32], threshold: float, missing_left: bool
) -> NDArray[np.bool_]:
    gone = np.isnan(values)
    return np.where(gone, missing_left, values <= threshold)
