"""A classifier that grows a tree and prunes it by the risk bound."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.partitioning import Method
from treeproof.generalization.pruning import BoundPruner, PruningPath
from treeproof.generalization.risk import PAPER_R

__all__ = ["BoundPrunedTreeClassifier"]


class BoundPrunedTreeClassifier(ClassifierMixin, BaseEstimator):
    """A classification tree whose size is chosen by a bound on its true risk.

    The tree is grown large and then pruned as long as the bound on the error on new
    data falls (Leboeuf, LeBlanc and Marchand 2020). Nothing is set aside for
    validation and nothing is fitted twice.

    Parameters
    ----------
    base : {"greedy", "optimal"} or classifier, default="greedy"
        How to grow: scikit-learn's ``DecisionTreeClassifier``, or the optimal tree for
        `split_penalty`. An unfitted tree classifier of your own may be given too.
    max_leaf_nodes : int or None, default=40
        Leaves of the greedy tree before pruning; None for no limit.
    split_penalty : float in [0, 1], default=0.005
        Penalty per split of the optimal tree.
    max_depth : int or None, default=None
        The maximum depth of the tree, for both.
    min_samples_leaf : int, default=1
        Fewest rows in a leaf, for both.
    time_limit : float or None, default=60.0
        Seconds for the search of the optimal tree.
    delta : float in (0, 1), default=0.05
        The probability with which the bound may fail.
    r : float in (0, 1), default=2**-13.7
        Ratio of the geometric prior on the number of errors. Smaller keeps more leaves;
        the default is the paper's.
    method : {"fast", "sum"}, default="fast"
        How the growth function is evaluated; "sum" is tighter, and for small data only.
    n_features : FeatureSpace, int or None, default=None
        What the splits could test, if not what the tree tells: for instance
        ``FeatureSpace(binary=20)`` for twenty columns that hold only 0 and 1.
    random_state : int, RandomState or None, default=None
        For ties in the greedy tree.

    Attributes
    ----------
    estimator_ : classifier
        The pruned tree as a ``DecisionTreeClassifier`` or ``OptimalTreeClassifier``.
    path_ : PruningPath
        The sequence of pruned trees with their bounds.
    bound_ : float
        The bound of the pruned tree. Above 1 it says nothing about the tree alone.
    tree_
        The node table of `estimator_`.
    classes_ : ndarray
        The class labels.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    J.-S. Leboeuf, F. LeBlanc, M. Marchand: Decision trees as partitioning machines to
    characterize their generalization properties. NeurIPS 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treeproof.generalization import BoundPrunedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    >>> clf.path_[0].n_leaves, clf.get_n_leaves()
    (22, 9)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "base": [StrOptions({"greedy", "optimal"}), HasMethods(["fit", "predict"])],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "split_penalty": [Interval(Real, 0, 1, closed="both")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "r": [Interval(Real, 0, 1, closed="neither")],
        "method": [StrOptions({"fast", "sum"})],
        "n_features": [FeatureSpace, Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    estimator_: Any
    path_: PruningPath
    bound_: float
    classes_: NDArray[Any]

    def __init__(
        self,
        base: Any = "greedy",
        *,
        max_leaf_nodes: int | None = 40,
        split_penalty: float = 0.005,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        time_limit: float | None = 60.0,
        delta: float = 0.05,
        r: float = PAPER_R,
        method: Method = "fast",
        n_features: int | FeatureSpace | None = None,
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.max_leaf_nodes = max_leaf_nodes
        self.split_penalty = split_penalty
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.time_limit = time_limit
        self.delta = delta
        self.r = r
        self.method = method
        self.n_features = n_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> BoundPrunedTreeClassifier:
        """Grow a tree and prune it.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Numbers for a greedy tree; whatever the base takes otherwise.
        y : array-like of shape (n_samples,)
            Class labels. Rows count alike: the bound is about independent rows, so
            there are no weights.

        Returns
        -------
        BoundPrunedTreeClassifier
            The fitted estimator.
        """
        self._validate_params()
        model = self._new_base()
        if self._reads_numbers:
            X, y = validate_data(self, X, y)
            check_classification_targets(y)
            model.fit(X, y)
        else:
            model.fit(X, y)
            self.n_features_in_ = model.n_features_in_
            if hasattr(model, "feature_names_in_"):
                self.feature_names_in_ = model.feature_names_in_
        pruner = BoundPruner(
            self.delta, self.r, n_features=self.n_features, method=self.method
        )
        self.path_ = pruner.prune(model, X, y)
        self.bound_ = self.path_.chosen.bound
        self.estimator_ = self.path_.tree
        self.classes_ = model.classes_
        return self

    @property
    def _reads_numbers(self) -> bool:
        if isinstance(self.base, str):
            return self.base == "greedy"
        return isinstance(self.base, BaseDecisionTree)

    def _new_base(self) -> Any:
        if not isinstance(self.base, str):
            return clone(self.base)
        if self.base == "greedy":
            return DecisionTreeClassifier(
                max_leaf_nodes=self.max_leaf_nodes,
                max_depth=self.max_depth,
                min_samples_leaf=self.min_samples_leaf,
                random_state=self.random_state,
            )
        from treeproof.estimators.classifier import OptimalTreeClassifier

        return OptimalTreeClassifier(
            self.split_penalty,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            time_limit=self.time_limit,
        )

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        return validate_data(self, X, reset=False) if self._reads_numbers else X

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        """
        rows = self._rows(X)
        return np.asarray(self.estimator_.predict(rows))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of each class in the leaf of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        """
        rows = self._rows(X)
        return np.asarray(self.estimator_.predict_proba(rows))

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Return the node of `tree_` in which each row ends.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        """
        rows = self._rows(X)
        return np.asarray(self.estimator_.apply(rows))

    @property
    def tree_(self) -> Any:
        """The node table of the pruned tree."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.tree_

    def get_depth(self) -> int:
        """Return the depth of the pruned tree."""
        check_is_fitted(self, "estimator_")
        return int(self.estimator_.get_depth())

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self, "estimator_")
        return int(self.estimator_.get_n_leaves())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if not self._reads_numbers:
            tags.input_tags.categorical = True
            tags.input_tags.string = True
            base = get_tags(self._new_base()).input_tags
            tags.input_tags.allow_nan = base.allow_nan
        return tags
