"""CART's cost-complexity pruning, and the paper's variant of it.

Weakest-link pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3): a subtree is
worth its place while the errors it saves, per unit of complexity, cost more than a
price alpha. Raising the price cuts the weakest nodes one after the other and gives a
nested sequence of trees. Which of them to take is decided by cross-validation: trees
grown on parts of the data are pruned at the geometric mean of neighbouring prices and
tried on the rest. Of equally good prices the highest is taken, which is the smallest
tree.

In CART the complexity of a tree is its number of leaves L.
`ModifiedCostComplexityPruner` (M-CART in Leboeuf et al. 2020) takes (d / m) log(m / d)
with d = L log(L ell) instead, after the form of the risk bound and the order of the VC
dimension. That function falls again once d exceeds m / e, where it has lost its
meaning; from there on it is kept at its greatest value.

All errors are counts of misclassified rows, as in the book. scikit-learn's
``ccp_alpha`` uses the impurity in their place.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from treeproof.generalization.checks import check_count
from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.prunable import LEAF_SHAPE, PrunableTree
from treeproof.generalization.pruning import PruningPath, PruningStep, grow_greedy

__all__ = ["CostComplexityPruner", "ModifiedCostComplexityPruner"]


class CostComplexityPruner:
    """CART's pruning: errors plus a price for each leaf, the price by cross-validation.

    Parameters
    ----------
    n_folds : int, default=10
        Parts of the data for the cross-validation.
    random_state : int, RandomState or None, default=0
        For shuffling the rows before they are cut into folds.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = CostComplexityPruner().prune(None, X, y)
    >>> path[0].n_leaves > path.chosen.n_leaves
    True
    """

    def __init__(self, n_folds: int = 10, *, random_state: Any = 0) -> None:
        self.n_folds = check_count("n_folds", n_folds, least=2)
        self.random_state = random_state

    def complexity(self, n_leaves: int, m: int, n_features: int) -> float:
        """Return the complexity of a tree with this many leaves."""
        return float(n_leaves)

    def prune(self, tree: Any, X: Any, y: Any) -> PruningPath:
        """Prune a tree on the rows it was grown on.

        Parameters
        ----------
        tree : fitted tree classifier or None
            From scikit-learn or treeproof; None grows a greedy tree of up to 40 leaves.
            Trees like it, with the same parameters, are grown for every fold.
        X, y
            The training rows and labels.

        Returns
        -------
        PruningPath
            The nested sequence with prices and cross-validated error rates.
        """
        model = grow_greedy(X, y) if tree is None else tree
        source = PrunableTree(model, X, y)
        if self.n_folds > source.n_rows:
            raise ValueError(
                f"{self.n_folds} folds need at least as many rows; there are "
                f"{source.n_rows}"
            )
        n_features = FeatureSpace.of(model).n_features
        links = self._weakest_links(source, n_features)
        alphas = [alpha for alpha, _ in links]
        tried = [math.sqrt(low * high) for low, high in pairwise(alphas)] + [math.inf]
        wrong = np.zeros(len(tried), dtype=int)
        folds = KFold(self.n_folds, shuffle=True, random_state=self.random_state)
        labels = np.asarray(y)
        for train, test in folds.split(np.zeros(source.n_rows)):
            wrong += self._errors_of_fold(
                clone(model).fit(_take(X, train), labels[train]),
                (_take(X, train), labels[train]),
                (_take(X, test), labels[test]),
                tried,
                n_features,
            )
        best = int(np.flatnonzero(wrong == wrong.min())[-1])
        steps = _steps(source, links, (wrong / source.n_rows).tolist())
        return PruningPath(steps, best, source)

    def _errors_of_fold(
        self, model: Any, train: Any, test: Any, prices: list[float], n_features: int
    ) -> list[int]:
        """Return the errors on the rows that were left out, for each price."""
        links = self._weakest_links(PrunableTree(model, *train), n_features)
        try:
            view = _Subtree(PrunableTree(model, *test))
        except ValueError:  # the tree knows none of the labels in this fold
            return [len(test[1])] * len(prices)
        errors = []
        position = 0
        for price in prices:
            while position < len(links) and links[position][0] <= price:
                for node in links[position][1]:
                    view.cut(node)
                position += 1
            errors.append(view.errors[0])
        return errors

    def _weakest_links(
        self, source: PrunableTree, n_features: int
    ) -> list[tuple[float, tuple[int, ...]]]:
        """Return the prices and the nodes pruned at each; none at the first."""
        view = _Subtree(source)
        links: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        m = source.n_rows
        price_of_leaf = self.complexity(1, m, n_features)
        while view.inner:
            prices = {}
            for node in view.inner:
                saved = source.errors_as_leaf[node] - view.errors[node]
                size = self.complexity(view.leaves[node], m, n_features)
                prices[node] = _price(saved / m, size - price_of_leaf)
            weakest = min(prices.values())
            weak = [node for node in view.inner if prices[node] <= weakest]
            cut = tuple(node for node in weak if view.cut(node))
            # Prices rise along the sequence; rounding, or a complexity that is not
            # linear, must not undo that.
            links.append((max(weakest, links[-1][0]), cut))
        return links


class ModifiedCostComplexityPruner(CostComplexityPruner):
    """M-CART: cost-complexity pruning with the complexity of the bound's leading term.

    Parameters
    ----------
    n_folds : int, default=10
        Parts of the data for the cross-validation.
    random_state : int, RandomState or None, default=0
        For shuffling the rows before they are cut into folds.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> ModifiedCostComplexityPruner().prune(None, X, y).chosen.n_leaves <= 12
    True
    """

    def complexity(self, n_leaves: int, m: int, n_features: int) -> float:
        """Return (d / m) log(m / d) with d = L log(L ell), but at most 1 / e."""
        d = n_leaves * math.log(n_leaves * n_features)
        if d <= 0:
            return 0.0
        if d >= m / math.e:
            return 1 / math.e
        return d / m * math.log(m / d)


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of any kind of table, also of a dictionary of columns."""
    if isinstance(X, dict):
        return {name: np.asarray(column)[rows] for name, column in X.items()}
    return _safe_indexing(X, rows)


def _price(saved: float, complexity: float) -> float:
    """Return the errors that a subtree saves per unit of complexity."""
    if saved <= 0:
        return 0.0
    return saved / complexity if complexity > 0 else math.inf


class _Subtree:
    """Errors and leaves below every node, updated when nodes are pruned."""

    def __init__(self, source: PrunableTree) -> None:
        self.source = source
        self.inner = list(source.inner)
        self.errors = source.subtree_errors()
        self.leaves = [shape.n_leaves for shape in source.shapes()]

    def cut(self, node: int) -> bool:
        """Make a node a leaf; return False if it is one or no longer exists."""
        if node not in self.inner:
            return False
        source = self.source
        self.inner = source.remaining(self.inner, node)
        more_errors = source.errors_as_leaf[node] - self.errors[node]
        fewer_leaves = self.leaves[node] - 1
        while node >= 0:
            self.errors[node] += more_errors
            self.leaves[node] -= fewer_leaves
            node = source.parent[node]
        return True


def _steps(
    source: PrunableTree,
    links: list[tuple[float, tuple[int, ...]]],
    scores: list[float],
) -> tuple[PruningStep, ...]:
    shapes = source.shapes()
    view = _Subtree(source)
    steps = []
    for (alpha, cut), score in zip(links, scores, strict=True):
        for node in cut:
            view.cut(node)
            shapes[node] = LEAF_SHAPE
            above = source.parent[node]
            while above >= 0:
                shapes[above] = source.shape_of(above, shapes)
                above = source.parent[above]
        step = PruningStep(
            shapes[0].n_leaves, view.errors[0], score, shapes[0], cut, alpha
        )
        steps.append(step)
    return tuple(steps)
