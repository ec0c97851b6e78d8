"""The tree every engine returns: a flat table of nodes.

Nodes are numbered in preorder, the root is node 0, and every column of the table is a
NumPy array indexed by node. A node is a leaf or one of five tests:

========== ======================= ==================================================
kind       test                    children
========== ======================= ==================================================
LEAF       none                    none
THRESHOLD  ``x <= threshold``      two: outcome 0 is yes, outcome 1 is no
EQUALS     ``x == category``       two: outcome 0 is yes, outcome 1 is no
MULTIWAY   which category is x?    one for each category that occurs; several
                                   categories may share one child after `collapse`
ABSENT     is x missing?           two: outcome 0 is yes, outcome 1 is no
SUBSET     in which part is x?     two parts of the categories, each with one child,
                                   and perhaps a third child for missing values
========== ======================= ==================================================

The children of node ``i`` stand in the slots ``first_child[i]`` to ``first_child[i] +
n_children[i] - 1`` of `children`; `child_outcome` gives the outcome that leads to each
slot (for multiway and subset tests the category's code). A row whose category has no
slot, because no training row of that node had it, stays at the node and gets the node's
own prediction.

The prediction of a node is stored and never recomputed: `action` is its index in
`actions`, the list of possible predictions (the classes, possibly "abstain"; or the
treatments of a policy). A regression tree has no actions and predicts its `value`.

`missing` says for each node where missing values go: to outcome 0 (YES) or outcome 1
(NO), to a child of their own (OWN: outcome 2, or the code after the last category), or
nowhere: the row stays at the node (STAYS), or the tree refuses it (REFUSED).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treeproof.columns import Column
from treeproof.export.methods import TreeExports
from treeproof.kinds import (
    ABSENT,
    EQUALS,
    LEAF,
    MULTIWAY,
    REFUSED,
    SUBSET,
    THRESHOLD,
)
from treeproof.picture.methods import TreePictures
from treeproof.tree.choice import Choice
from treeproof.tree.equality import same_trees
from treeproof.tree.lines import Line, Lines
from treeproof.tree.routing import NO_CHILD, Columns, TreeRouting

__all__ = [
    "ABSENT", "EQUALS", "LEAF", "MULTIWAY", "SUBSET", "THRESHOLD", "Choice", "Tree",
]  # fmt: skip

PROBABILITY_MEASURES = ("log_loss", "gini")
NO_FEATURE = -2  # what scikit-learn writes for "undefined" in a leaf


class Tree(TreeRouting, TreeExports, TreePictures):
    """A fitted decision tree as a flat node table.

    Attributes
    ----------
    feature : ndarray of int32
        The column a node tests; -2 for a leaf.
    kind : ndarray of int8
        LEAF, THRESHOLD, EQUALS, MULTIWAY, ABSENT or SUBSET.
    threshold : ndarray of float64
        Rows with ``x <= threshold`` go to the first child; -2 where there is none.
    category : ndarray of int32
        The code an EQUALS node compares with; -1 elsewhere.
    missing : ndarray of int8
        Where missing values go at a node: see above.
    first_child, n_children : ndarray of int32
        The slots of a node in `children`.
    children, child_outcome : ndarray of int32
        Per slot: the child's node number, and the outcome that leads there.
    value : ndarray of float64
        Shape (nodes, classes): the weight of each class; or shape (nodes, actions): the
        mean reward of each action of a policy tree; or shape (nodes, outputs): the
        prediction of a regression tree.
    actions : ndarray or None
        What a leaf may predict; None for a regression tree.
    action : ndarray of int32
        The place of each node's prediction among `actions`; -1 in a regression tree.
    cost : ndarray of float64 or None
        The mean cost of a row of each node if it gets the node's prediction, where the
        tree was fitted to costs or rewards; None where errors are counted.
    measure : {"errors", "cost", "reward", "log_loss", "gini", "risk"}
        What is added up over the rows of a leaf; "risk" for a survival tree, whose
        value is the risk.
    n_node_samples : ndarray of int64
        Training rows in each node.
    weighted_n_node_samples : ndarray of float64
        Their total weight.
    columns : tuple of Column
        Names and categories of the table's columns.
    classes : ndarray or None
        The class labels; None for a regression tree and for a policy tree.
    impurity : ndarray or None
        Mean loss of each node of a regression tree, averaged over the outputs; None
        where it is not known.
    predicts_means : bool
        Whether a regression tree predicts means, as with squared errors.
    class_counts : ndarray of int64 or None
        Shape (nodes, classes): the training rows of each class where rows have weights;
        see `rows_per_class`.
    has_row_weights : bool
        Whether training rows of the same class had different weights. A single leaf
        does not show this by its numbers.
    lines : Lines or None
        The line of each node of a regression tree whose leaves hold lines; `value` is
        then the mean of its rows.

    Examples
    --------
    >>> import numpy as np
    >>> from treeproof import OptimalTreeClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> tree = OptimalTreeClassifier().fit(X, ["a", "a", "b", "b"]).tree_
    >>> tree.n_splits, tree.n_leaves, tree.depth
    (1, 2, 1)
    >>> tree.threshold[0], tree.apply(X.T)
    (np.float64(1.5), array([1, 1, 2, 2]))
    """

    def __init__(
        self,
        *,
        feature: ArrayLike,
        kind: ArrayLike,
        threshold: ArrayLike,
        category: ArrayLike,
        first_child: ArrayLike,
        n_children: ArrayLike,
        children: ArrayLike,
        child_outcome: ArrayLike,
        value: ArrayLike,
        n_node_samples: ArrayLike,
        weighted_n_node_samples: ArrayLike,
        columns: Sequence[Column],
        classes: NDArray[Any] | None = None,
        missing: ArrayLike | None = None,
        actions: NDArray[Any] | None = None,
        action: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        measure: str = "errors",
    ) -> None:
        self.feature = np.asarray(feature, dtype=np.int32)
        self.kind = np.asarray(kind, dtype=np.int8)
        self.threshold = np.asarray(threshold, dtype=np.float64)
        self.category = np.asarray(category, dtype=np.int32)
        self.missing = (
            np.full(len(self.kind), REFUSED, dtype=np.int8)
            if missing is None
            else np.asarray(missing, dtype=np.int8)
        )
        self.first_child = np.asarray(first_child, dtype=np.int32)
        self.n_children = np.asarray(n_children, dtype=np.int32)
        self.children = np.asarray(children, dtype=np.int32)
        self.child_outcome = np.asarray(child_outcome, dtype=np.int32)
        self.value = np.asarray(value, dtype=np.float64)
        self.n_node_samples = np.asarray(n_node_samples, dtype=np.int64)
        self.weighted_n_node_samples = np.asarray(
            weighted_n_node_samples, dtype=np.float64
        )
        self.columns = tuple(columns)
        self.classes = classes
        self.actions = classes if actions is None else actions
        self.action = self._actions_of(action)
        self.cost = None if cost is None else np.asarray(cost, dtype=np.float64)
        self.measure = measure
        self.impurity: NDArray[np.float64] | None = None
        self.predicts_means = True
        self.class_counts: NDArray[np.int64] | None = None
        self.has_row_weights = False
        self.lines: Lines | None = None

    def _actions_of(self, action: ArrayLike | None) -> NDArray[np.int32]:
        """Return the action of every node: as given, or the heaviest class."""
        if action is not None:
            return np.asarray(action, dtype=np.int32)
        if self.classes is None:
            return np.full(len(self.kind), -1, dtype=np.int32)
        return np.argmax(self.value, axis=1).astype(np.int32)

    # ------------------------------------------------------------------ shape

    @property
    def n_splits(self) -> int:
        """How many nodes are tests."""
        return int(np.count_nonzero(self.kind))

    @property
    def n_leaves(self) -> int:
        """How many nodes are leaves."""
        return self.node_count - self.n_splits

    def n_penalties(self, penalize: str) -> int:
        """Return how often the penalty is charged.

        Parameters
        ----------
        penalize : {"leaves", "splits"}
            For every leaf but one, or for every split.
        """
        return self.n_leaves - 1 if penalize == "leaves" else self.n_splits

    @property
    def given_columns(self) -> tuple[Column, ...]:
        """The columns of the table, without the numbers that stand for dates."""
        return tuple(column for column in self.columns if column.date is None)

    @property
    def n_features(self) -> int:
        """How many columns the training table had."""
        return len(self.columns)

    @property
    def depth(self) -> int:
        """The number of tests on the longest path from the root to a leaf."""
        return int(self.node_depth.max())

    @property
    def max_depth(self) -> int:
        """The same as `depth`, by scikit-learn's name."""
        return self.depth

    @property
    def node_depth(self) -> NDArray[np.int32]:
        """The number of tests above each node."""
        depth = np.zeros(self.node_count, dtype=np.int32)
        for node in np.flatnonzero(self.kind).tolist():
            depth[self.node_children(node)] = depth[node] + 1
        return depth

    @property
    def is_binary(self) -> bool:
        """Whether every test has exactly two children."""
        return bool(np.all(self.n_children[self.kind != LEAF] == 2))

    @property
    def children_left(self) -> NDArray[np.int32]:
        """First child of each node, -1 for a leaf; only if all splits are binary."""
        return self._binary_child(0)

    @property
    def children_right(self) -> NDArray[np.int32]:
        """Second child of each node, -1 for a leaf; only if all splits are binary."""
        return self._binary_child(1)

    def _binary_child(self, which: int) -> NDArray[np.int32]:
        if not self.is_binary:
            raise AttributeError(
                "children_left and children_right exist only for trees whose splits "
                "all have two children; use node_children(i), or to_sklearn() of the "
                "estimator"
            )
        child = np.full(self.node_count, NO_CHILD, dtype=np.int32)
        inner = self.kind != LEAF
        child[inner] = self.children[self.first_child[inner] + which]
        return child

    @property
    def rows_per_class(self) -> NDArray[np.int64] | None:
        """The training rows of each class in each node; None if they are not known.

        Where rows have no weights they are the same as `value`.
        """
        if self.classes is None or self.class_counts is not None:
            return self.class_counts
        counts = np.rint(self.value)
        known = np.array_equal(counts, self.value) and np.array_equal(
            counts.sum(axis=1), self.n_node_samples
        )
        return counts.astype(np.int64) if known else None

    @property
    def rows_differ_in_weight(self) -> bool:
        """Whether rows of the same class have different weights.

        With such weights, which may be frequencies, texts and pictures show weights.
        If rows have only the weight of their class, they show numbers of rows.
        """
        counts = self.rows_per_class
        if counts is None:
            return not np.array_equal(self.n_node_samples, self.weighted_n_node_samples)
        if self.predicts_probabilities or self.cost is not None:
            return False
        if self.has_row_weights:
            return True
        known = counts[0] > 0
        factors = np.zeros(len(known))
        factors[known] = self.value[0, known] / counts[0, known]
        return not np.allclose(self.value, counts * factors, rtol=1e-9, atol=0.0)

    @property
    def shown_per_class(self) -> NDArray[Any]:
        """The rows of each class in each node, or their weights if these differ."""
        counts = self.rows_per_class
        by_weight = counts is None or self.rows_differ_in_weight
        return self.value if by_weight else np.asarray(counts)

    @property
    def predicts_probabilities(self) -> bool:
        """Whether the tree was fitted to predict probabilities of classes."""
        return self.measure in PROBABILITY_MEASURES

    @property
    def says_heaviest(self) -> bool:
        """Whether every node predicts its heaviest class, as scikit-learn's do."""
        return (
            self.classes is not None
            and self.cost is None
            and bool((self.action == np.argmax(self.value, axis=1)).all())
        )

    # ------------------------------------------------------------- prediction

    def predict(self, columns: Columns) -> NDArray[np.float64]:
        """Return the value of the node in which each row ends, or that of its line."""
        ends = self.apply(columns)
        if self.lines is None:
            return self.value[ends]
        return self.lines.predict(ends, columns, self.value[ends, 0])[:, None]

    @property
    def used_columns(self) -> set[int]:
        """The columns that predictions depend on; -2 stands for leaves."""
        used = set(self.feature.tolist())
        return used if self.lines is None else used | set(self.lines.column.tolist())

    def prediction(self, node: int) -> Any:
        """Return what a row that ends in this node is predicted to be."""
        if self.lines is not None and self.lines.column[node] >= 0:
            return Line(
                self.columns[self.lines.column[node]].name,
                float(self.lines.slope[node]),
                float(self.lines.intercept[node]),
                float(self.value[node, 0]),
            )
        if self.actions is None:
            value = self.value[node]
            return value[0] if len(value) == 1 else value
        return self.actions[self.action[node]]

    # --------------------------------------------------------------- the rest

    def collapse(self) -> Tree:
        """Return the same tree with equal sibling subtrees merged.

        See `treeproof.tree.collapse.collapse`.
        """
        from treeproof.tree.collapse import collapse

        return collapse(self)

    def export_text(self, *, details: bool = False, smoothing: float = 0.0) -> str:
        """Return the tree as lines of text.

        Parameters
        ----------
        details : bool, default=False
            Also say how many rows of each class a leaf holds, and a 95% confidence
            interval for its share or mean.
        smoothing : float, default=0.0
            Also say how likely the class of a leaf is, with Laplace smoothing that adds
            this to the weight of each class.
        """
        from treeproof.tree.drawing import export_text

        return export_text(self, details=details, smoothing=smoothing)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain dictionaries and lists, ready for JSON.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier().fit([["a"], ["b"], ["b"]], [0, 1, 1])
        >>> clf.tree_.to_dict()["nodes"][0]["children"]
        [{'node': 1, 'categories': ['a']}, {'node': 2, 'categories': ['b']}]
        """
        from treeproof.export.tree_dict import tree_to_dict

        return tree_to_dict(self)

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> Tree:
        """Return the tree that `to_dict` described; ValueError if it is not one."""
        from treeproof.export.tree_reader import tree_from_dict

        return tree_from_dict(content)

    def _exported(self) -> Tree:
        return self

    def child_by_outcome(self, node: int) -> dict[int, int]:
        """Return the child to which each outcome of a test leads."""
        slots = self.slots(node)
        outcomes, children = self.child_outcome[slots], self.children[slots]
        return dict(zip(outcomes.tolist(), children.tolist(), strict=True))

    def outcome_groups(self, node: int) -> list[tuple[int, list[int]]]:
        """Return the children of a split by category, with the outcomes of each."""
        groups: dict[int, list[int]] = {}
        for code, child in self.child_by_outcome(node).items():
            groups.setdefault(child, []).append(code)
        return list(groups.items())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return same_trees(self, other)

    __hash__ = None  # type: ignore[assignment]

    def _repr_svg_(self) -> str:
        return self.collapse().to_svg()

    def __repr__(self) -> str:
        return (
            f"<Tree: {self.n_splits} splits, {self.n_leaves} leaves, "
            f"depth {self.depth}>"
        )
