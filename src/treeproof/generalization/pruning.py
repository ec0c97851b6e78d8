"""Pruners: one interface, three rules.

`BoundPruner` follows the risk bound (Leboeuf, LeBlanc and Marchand 2020, Algorithm 3):
of all trees that arise by turning one internal node into a leaf take the one with the
smallest bound, and go on as long as the bound does not rise. Printed literally, the
algorithm never lowers the bound it compares with; here each step compares with the tree
it starts from, which is what the text says. No data is set aside and nothing is
repeated.

The other two, in `cost_complexity`, choose by cross-validation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sklearn.tree import DecisionTreeClassifier

from treeproof.generalization.checks import check_delta, check_method, check_r
from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.partitioning import Method, check_work
from treeproof.generalization.prunable import LEAF_SHAPE, PrunableTree
from treeproof.generalization.risk import PAPER_R, RiskBound
from treeproof.generalization.structure import TreeStructure

__all__ = [
    "BoundPruner",
    "Pruner",
    "PruningPath",
    "PruningStep",
    "grow_greedy",
    "prune",
]


@dataclass(frozen=True)
class PruningStep:
    """One tree of a pruning sequence.

    Attributes
    ----------
    n_leaves : int
        Its leaves.
    errors : int
        The rows it gets wrong, of those it was pruned on.
    score : float
        What the pruner minimises: the risk bound, or the cross-validated error rate.
    structure : TreeStructure
        Its shape.
    removed : tuple of int
        The nodes of the original tree that became leaves in this step.
    alpha : float or None
        The price per unit of complexity from which on this tree is best; None where
        pruning is not by price.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treeproof.generalization import prune
    >>> X, y = load_iris(return_X_y=True)
    >>> path = prune(DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    >>> path[0].n_leaves, path[-1].n_leaves
    (9, 6)
    """

    n_leaves: int
    errors: int
    score: float
    structure: TreeStructure
    removed: tuple[int, ...] = ()
    alpha: float | None = None

    @property
    def bound(self) -> float:
        """The score, by the name it has when pruning by bound."""
        return self.score


@dataclass(frozen=True)
class PruningPath(Sequence[PruningStep]):
    """The sequence of pruned trees, from the original one on, with the one chosen.

    Indexing and iteration give the steps; `tree` is the chosen model and `tree_at(i)`
    the model after step i.

    Attributes
    ----------
    steps : tuple of PruningStep
        The first is the tree as it was given.
    best : int
        The position of the chosen one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treeproof.generalization import prune
    >>> X, y = load_iris(return_X_y=True)
    >>> path = prune(DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    >>> int(path.tree.get_n_leaves()), path[0].n_leaves
    (6, 9)
    """

    steps: tuple[PruningStep, ...]
    best: int
    source: PrunableTree = field(repr=False)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, i: Any) -> Any:
        """Return a step."""
        return self.steps[i]

    @property
    def chosen(self) -> PruningStep:
        """The step that was chosen."""
        return self.steps[self.best]

    @property
    def tree(self) -> Any:
        """The chosen tree, of the same kind as the original."""
        return self.tree_at(self.best)

    def tree_at(self, i: int) -> Any:
        """Return the model after step i."""
        last = range(len(self.steps))[i]
        removed = [node for step in self.steps[: last + 1] for node in step.removed]
        return self.source.pruned(removed)

    def __str__(self) -> str:
        lines = ["leaves  errors      score"]
        for i, step in enumerate(self.steps):
            mark = "  <- chosen" if i == self.best else ""
            lines.append(
                f"{step.n_leaves:6d}  {step.errors:6d}  {step.score:9.4f}{mark}"
            )
        return "\n".join(lines)


class Pruner(Protocol):
    """The base class of all pruners.

    Examples
    --------
    >>> from treeproof.generalization import BoundPruner, CostComplexityPruner
    >>> [hasattr(pruner, "prune") for pruner in (BoundPruner, CostComplexityPruner)]
    [True, True]
    """

    def prune(self, tree: Any, X: Any, y: Any) -> PruningPath:
        """Prune a fitted tree; None grows a greedy one first."""


def grow_greedy(
    X: Any, y: Any, max_leaf_nodes: int | None = 40, random_state: Any = None
) -> DecisionTreeClassifier:
    """Grow the tree to prune as the paper does: Gini, best split first, 40 leaves."""
    return DecisionTreeClassifier(
        criterion="gini", max_leaf_nodes=max_leaf_nodes, random_state=random_state
    ).fit(X, y)


class BoundPruner:
    """Prune by the risk bound.

    Parameters
    ----------
    delta : float, default=0.05
        The probability with which the bound may fail.
    r : float, default=2**-13.7
        Ratio of the prior on the number of errors; smaller keeps more leaves.
    n_features : int, FeatureSpace or None, default=None
        What the trees could have tested; None reads it from the tree.
    method : {"fast", "sum"}, default="fast"
        How the growth function is evaluated.
    to_root : bool, default=False
        Go on to a single leaf and choose the smallest bound met, where the paper's
        algorithm stops at the first tree that no single cut improves.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> path = BoundPruner().prune(tree, X, y)
    >>> [step.n_leaves for step in path]
    [22, 14, 11, 10, 9]
    >>> path[0].bound > path.chosen.bound
    True
    """

    def __init__(
        self,
        delta: float = 0.05,
        r: float = PAPER_R,
        *,
        n_features: int | FeatureSpace | None = None,
        method: Method = "fast",
        to_root: bool = False,
    ) -> None:
        self.delta = check_delta(delta)
        self.r = check_r(r)
        self.n_features = n_features
        self.method = check_method(method)
        self.to_root = to_root

    def prune(self, tree: Any, X: Any, y: Any) -> PruningPath:
        """Prune a tree on the rows it was grown on.

        Parameters
        ----------
        tree : fitted tree classifier or None
            From scikit-learn or treeproof; None grows a greedy tree of up to 40 leaves.
        X, y
            The training rows and labels.

        Returns
        -------
        PruningPath
        """
        model = grow_greedy(X, y) if tree is None else tree
        source = PrunableTree(model, X, y)
        given = model if self.n_features is None else self.n_features
        bound = RiskBound(
            source.n_rows,
            FeatureSpace.of(given),
            source.n_classes,
            self.delta,
            self.r,
            self.method,
        )
        return _Descent(source, bound).run(self.to_root)


class _Descent:
    """The state of Algorithm 3: the current shapes and errors below every node."""

    def __init__(self, source: PrunableTree, bound: RiskBound) -> None:
        self.source = source
        self.bound = bound
        self.shape = source.shapes()
        self.errors = source.subtree_errors()
        self.inner = list(source.inner)
        check_work(bound.growth.functions, self.shape[0], 2 * bound.m)

    def run(self, to_root: bool) -> PruningPath:
        steps = [self._step(())]
        while self.inner:
            score, _, node = min(map(self._candidate, self.inner))
            if score > steps[-1].score and not to_root:
                break
            self._cut(node)
            steps.append(self._step((node,)))
        # The later of equals: the smaller tree.
        best = min(range(len(steps)), key=lambda i: (steps[i].score, -i))
        return PruningPath(tuple(steps), best, self.source)

    def _step(self, removed: tuple[int, ...]) -> PruningStep:
        shape, errors = self.shape[0], self.errors[0]
        score = self.bound.value(errors, shape)
        return PruningStep(shape.n_leaves, errors, score, shape, removed)

    def shape_without(self, node: int) -> TreeStructure:
        """Return the shape of the whole tree with this node as a leaf."""
        source, shapes = self.source, self.shape
        shape, below = LEAF_SHAPE, node
        above = source.parent[node]
        while above >= 0:
            shape = TreeStructure(
                [
                    LEAF_SHAPE
                    if child is None
                    else shape
                    if child == below
                    else shapes[child]
                    for child in source.slots[above]
                ]
            )
            above, below = source.parent[above], above
        return shape

    def _candidate(self, node: int) -> tuple[float, int, int]:
        """Return bound, size and node of a candidate; the least is the best."""
        errors = self.errors[0] - self.errors[node] + self.source.errors_as_leaf[node]
        shape = self.shape_without(node)
        return self.bound.value(errors, shape), shape.n_leaves, node

    def _cut(self, node: int) -> None:
        source = self.source
        self.inner = source.remaining(self.inner, node)
        change = source.errors_as_leaf[node] - self.errors[node]
        self.shape[node] = LEAF_SHAPE
        self.errors[node] = source.errors_as_leaf[node]
        above = source.parent[node]
        while above >= 0:
            self.shape[above] = source.shape_of(above, self.shape)
            self.errors[above] += change
            above = source.parent[above]


def prune(
    tree: Any,
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    r: float = PAPER_R,
    n_features: int | FeatureSpace | None = None,
    method: Method = "fast",
    to_root: bool = False,
) -> PruningPath:
    """Prune a tree by the risk bound; no validation data is needed.

    Parameters
    ----------
    tree : fitted tree classifier or None
        From scikit-learn or treeproof; None grows a greedy tree of up to 40 leaves.
    X, y
        The training rows and labels.
    delta, r, n_features, method, to_root
        See `BoundPruner`.

    Returns
    -------
    PruningPath
        The sequence of pruned trees with their bounds; ``.tree`` is the chosen one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> path = prune(DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    >>> print(path)
    leaves  errors      score
         9       0     2.1799
         7       1     1.9530
         6       2     1.9408  <- chosen
    """
    pruner = BoundPruner(
        delta, r, n_features=n_features, method=method, to_root=to_root
    )
    return pruner.prune(tree, X, y)
