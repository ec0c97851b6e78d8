"""Tree alternating optimisation: a tree made better one node at a time.

The method of Carreira-Perpinan and Tavallali (NeurIPS 2018) keeps the shape of a tree
and changes its tests. With all other nodes fixed, every row that reaches a node loses
one amount if it goes left and another if it goes right; the best test of that node is
the one that sends as much loss as possible the cheaper way. For tests on one column it
is found exactly, by a pass over the sorted rows. Nodes are visited from the deepest up,
leaves are set to what suits the rows they hold, and sweeps go on until nothing
improves: the loss never rises. What it ends in is a local optimum, neither proved nor
the best there is; the threshold engine starts its searches with a variant of it.

References
----------
M. A. Carreira-Perpinan, P. Tavallali. "Alternating optimization of decision trees, with
application to learning sparse oblique trees." NeurIPS 2018.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["TaoTreeClassifier", "TaoTreeRegressor"]

_LEAF = -1


class _Nodes:
    """A binary tree as arrays: the tests, the children, and the leaves' predictions."""

    def __init__(self, fitted: Any) -> None:
        tree = fitted.tree_
        self.left: NDArray[np.intp] = tree.children_left.copy()
        self.right: NDArray[np.intp] = tree.children_right.copy()
        self.feature: NDArray[np.intp] = tree.feature.copy()
        self.threshold: NDArray[np.float64] = tree.threshold.copy()
        values = tree.value
        if is_classifier(fitted):
            self.output: NDArray[Any] = values[:, 0].argmax(axis=1)
        else:
            self.output = values[:, :, 0].copy()

    def apply(self, X: NDArray[np.float64], start: int = 0) -> NDArray[np.intp]:
        """Return the leaf of each row, from a node on."""
        at = np.full(len(X), start)
        while True:
            moving = np.flatnonzero(self.left[at] != _LEAF)
            if len(moving) == 0:
                return at
            here = at[moving]
            goes_left = X[moving, self.feature[here]] <= self.threshold[here]
            at[moving] = np.where(goes_left, self.left[here], self.right[here])

    def bottom_up(self) -> list[int]:
        """Return the nodes with children before their parents."""
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            order.append(node)
            if self.left[node] != _LEAF:
                stack += [int(self.left[node]), int(self.right[node])]
        return order[::-1]


class _Problem:
    """The training rows, and what the leaves should say about them."""

    def __init__(self, X: Any, y: Any, weights: Any, classes: int | None) -> None:
        self.X, self.y, self.weights, self.classes = X, y, weights, classes
        self.order = np.argsort(X, axis=0, kind="stable")

    def loss(self, output: Any, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what rows lose with an output each."""
        if self.classes is not None:
            return self.weights[rows] * (output != self.y[rows])
        return self.weights[rows] * ((output - self.y[rows]) ** 2).sum(axis=1)

    def best_output(self, rows: NDArray[np.intp]) -> Any:
        """Return the output of a leaf that holds these rows."""
        weights = self.weights[rows]
        if self.classes is not None:
            return np.bincount(self.y[rows], weights, self.classes).argmax()
        return np.average(self.y[rows], axis=0, weights=weights)

    def best_test(
        self, rows: NDArray[np.intp], gain: NDArray[np.float64]
    ) -> tuple[float, int, float]:
        """Return the test that sends the most gain to the right, and that gain.

        `gain` is what a row saves by going right instead of left. Sending all rows to
        one side is left to the caller.
        """
        inside = np.zeros(len(self.X), dtype=bool)
        inside[rows] = True
        saved = np.zeros(len(self.X))
        saved[rows] = gain
        total, best = gain.sum(), (-np.inf, 0, 0.0)
        for feature in range(self.X.shape[1]):
            order = self.order[:, feature]
            order = order[inside[order]]
            values = self.X[order, feature]
            places = np.flatnonzero(np.diff(values) > 0)
            if len(places) == 0:
                continue
            right = total - np.cumsum(saved[order])[places]
            k = int(right.argmax())
            if right[k] > best[0]:
                low, high = values[places[k]], values[places[k] + 1]
                middle = low + (high - low) / 2
                best = (
                    float(right[k]),
                    feature,
                    float(low if middle >= high else middle),
                )
        return best


def _sweep(nodes: _Nodes, problem: _Problem) -> float:
    """Improve every node once, from the deepest up; return the loss of the tree."""
    rows_at = _rows_of_nodes(nodes, problem.X)
    for node in nodes.bottom_up():
        rows = rows_at[node]
        if len(rows) == 0:
            continue
        if nodes.left[node] == _LEAF:
            nodes.output[node] = problem.best_output(rows)
            continue
        sides = []
        for child in (int(nodes.left[node]), int(nodes.right[node])):
            leaves = nodes.apply(problem.X[rows], child)
            sides.append(problem.loss(nodes.output[leaves], rows))
        gain = sides[0] - sides[1]
        goes_left = problem.X[rows, nodes.feature[node]] <= nodes.threshold[node]
        now = gain[~goes_left].sum()
        found, feature, threshold = problem.best_test(rows, gain)
        # Only a real gain changes a test, so that rounding cannot make sweeps go on.
        if found > now + 1e-12 * max(1.0, float(np.abs(gain).sum())):
            nodes.feature[node], nodes.threshold[node] = feature, threshold
    every = np.arange(len(problem.X))
    return float(problem.loss(nodes.output[nodes.apply(problem.X)], every).sum())


def _rows_of_nodes(
    nodes: _Nodes, X: NDArray[np.float64]
) -> dict[int, NDArray[np.intp]]:
    """Return the rows that reach each node.

    A test that changes sends rows elsewhere below it, but nodes below were visited
    before it, and those above do not change until after it: every node is improved for
    the rows that reach it at that moment.
    """
    found = {0: np.arange(len(X))}
    stack = [0]
    while stack:
        node = stack.pop()
        if nodes.left[node] == _LEAF:
            continue
        rows = found[node]
        goes_left = X[rows, nodes.feature[node]] <= nodes.threshold[node]
        left, right = int(nodes.left[node]), int(nodes.right[node])
        found[left], found[right] = rows[goes_left], rows[~goes_left]
        stack += [left, right]
    return found


class _TaoTree(BaseEstimator):
    """What both kinds of trees share."""

    def __init__(
        self,
        max_depth: int | None = 3,
        *,
        max_sweeps: int = 100,
        initial: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.max_depth = max_depth
        self.max_sweeps = max_sweeps
        self.initial = initial
        self.random_state = random_state

    def _improve(self, X: Any, y: Any, classes: int | None, sample_weight: Any) -> None:
        weights = np.ones(len(X))
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=float)
        start = self.initial
        if start is None:
            kind = DecisionTreeRegressor if classes is None else DecisionTreeClassifier
            start = kind(max_depth=self.max_depth, random_state=self.random_state)
            start.fit(X, y, sample_weight=weights)
        self._nodes = _Nodes(start)
        problem = _Problem(X, y, weights, classes)
        every = np.arange(len(X))
        outputs = self._nodes.output[self._nodes.apply(X)]
        self.losses_ = [float(problem.loss(outputs, every).sum() / weights.sum())]
        for _ in range(self.max_sweeps):
            loss = _sweep(self._nodes, problem) / float(weights.sum())
            stuck = loss >= self.losses_[-1] * (1 - 1e-12)
            self.losses_.append(min(loss, self.losses_[-1]))
            if stuck:
                break
        self.n_splits_ = int((np.bincount(self._nodes.apply(X)) > 0).sum() - 1)

    def _outputs(self, X: Any) -> Any:
        check_is_fitted(self, "losses_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._nodes.output[self._nodes.apply(X)]


class TaoTreeClassifier(ClassifierMixin, _TaoTree):
    """A classification tree by alternating optimisation, started from CART's.

    Parameters
    ----------
    max_depth : int or None, default=3
        Depth of the tree of CART it starts from.
    max_sweeps : int, default=100
        The maximum number of passes over all nodes.
    initial : fitted DecisionTreeClassifier or None, default=None
        The tree to start from; None for CART's.
    random_state : int, RandomState instance or None, default=0
        Of CART.

    Attributes
    ----------
    losses_ : list of float
        Misclassified share of the weight at the start and after each sweep; it
        never rises.
    n_splits_ : int
        Splits that separate training rows.
    classes_ : ndarray
        The class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof.tao import TaoTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = TaoTreeClassifier(max_depth=2).fit(X, y)
    >>> tree.losses_[-1] <= tree.losses_[0]
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Improve a tree on rows of numbers with class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._improve(X, codes, len(self.classes_), sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.classes_[self._outputs(X)])


class TaoTreeRegressor(RegressorMixin, _TaoTree):
    """A regression tree by alternating optimisation, started from CART's.

    Parameters
    ----------
    max_depth : int or None, default=3
        Depth of the tree of CART it starts from.
    max_sweeps : int, default=100
        The maximum number of passes over all nodes.
    initial : fitted DecisionTreeRegressor or None, default=None
        The tree to start from; None for CART's.
    random_state : int, RandomState instance or None, default=0
        Of CART.

    Attributes
    ----------
    losses_ : list of float
        Mean squared error at the start and after each sweep; it never rises.
    n_splits_ : int
        Splits that separate training rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treeproof.tao import TaoTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = TaoTreeRegressor(max_depth=2).fit(X, y)
    >>> tree.losses_[-1] < tree.losses_[0]
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Improve a tree on rows of numbers with numbers to predict.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            What to predict.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.
        """
        X, y = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True
        )
        targets = np.asarray(y, dtype=float).reshape(len(X), -1)
        self._flat = np.ndim(y) == 1
        self._improve(X, targets, None, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the number, or numbers, of each row."""
        outputs = self._outputs(X)
        return np.asarray(outputs[:, 0] if self._flat else outputs)
