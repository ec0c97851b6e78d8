"""The optimal classification tree as a scikit-learn estimator."""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treeproof.border import ClassificationData, counts_errors
from treeproof.border.costs import (
    actions_with_abstention,
    check_abstain_cost,
    read_cost_matrix,
)
from treeproof.border.labels import read_vector
from treeproof.estimators.action_tree import ActionTree
from treeproof.estimators.base import common_constraints
from treeproof.estimators.class_tree import ClassTree
from treeproof.limits import parse_memory
from treeproof.objectives import Costs, Labels, Objective, Told
from treeproof.objectives.ratio_fit import fit_ratio
from treeproof.objectives.ratios import METRICS, RATIOS, Ratio
from treeproof.solving.certificates import Wording
from treeproof.solving.quant_bnb import quant_constraints
from treeproof.solving.solvers import SOLVERS
from treeproof.sources.scoring import distinct_cases
from treeproof.sources.training import classification_data, source_for, split_table

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

__all__ = ["OptimalTreeClassifier"]


class OptimalTreeClassifier(ActionTree, ClassTree):
    """A classification tree with a proof that no better one exists.

    Among all trees allowed by the parameters, `fit` finds one of least cost, where

        cost = misclassified share of the weight + split_penalty * (leaves - 1),

    and proves that no tree costs less. If a limit ends the search early, the best tree
    found so far is kept together with a true lower bound.

    Parameters
    ----------
    split_penalty : float in [0, 1], default=0.01
        What one further leaf costs, as a fraction of the total weight: it must correct
        at least this share of the rows to pay off.
    penalize : {"leaves", "splits"}, default="leaves"
        What `split_penalty` is charged for. "leaves": every leaf but one, so that a
        split into two costs one penalty, and a multiway split one for each category
        after the first; binary and multiway trees are priced alike, and a column of
        many categories does not win by learning rows by heart. "splits": every split
        once, however many children it has, as BRANCHES and DT-Miner were published.
        Only multiway splits of three or more children tell the two apart.
    max_depth : int or None, default=None
        Most tests on a path from the root to a leaf; None for no limit.
    max_splits : int or None, default=None
        Most splits in the tree; None for no limit.
    min_samples_leaf : int, default=1
        Fewest training rows in a leaf. Rows of weight zero do not count.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are categorical: "from_dtype" takes text, category, enum and
        boolean columns; a mask, column numbers or column names say it explicitly; None
        means that all columns are numbers. Text that looks like numbers is text.
    categorical_split : {"auto", "either", "multiway", "one-vs-rest", "subset"}, \
            default="auto"
        Whether a split on a categorical column has one child for each category
        ("multiway"), separates one category from the others ("one-vs-rest"), is either
        of these, whichever makes the better tree ("either"; columns of more than 1,000
        categories are only split multiway), or parts the categories in two in any way
        ("subset", up to 12 categories). "auto" is "either" with
        ``penalize="leaves"``, where a split into many children costs as much as the
        splits that separate them one by one, and "multiway" with ``penalize="splits"``
        and the published solvers. Ordered categories are split by threshold in their
        order, whatever is said here.
    missing : {"best-side", "branch", "error"}, default="best-side"
        What to do with missing values (None, NaN, NA, null). "best-side" sends them
        with one of the two sides of a split, whichever makes the better tree, and also
        offers the question whether a value is missing. "branch" gives them a branch of
        their own at every split. Either way the choice is part of what is optimised. In
        a multiway split missing is always one more category, and so it is with "either"
        and "best-side" in every split of categories. "error" refuses them.
    first_split : str, int or None, default=None
        Name or number of the column that the first split must test; None leaves it to
        the search. The tree is the best of those that do, with proof.
    solver : str, default="auto"
        The engine. "sparse" is our own for binary and categorical data, "threshold" our
        own for numbers, with or without other columns beside them. "auto" lets those of
        the two that can win take turns until one has a proof, and says in
        ``stats_["solver"]`` and ``stats_["shares"]`` who did what. "branches",
        "dt-miner" and "quant-bnb" are the published algorithms of those names.
    time_limit : float or None, default=60.0
        Seconds after which the fit ends with the best tree it has, counted from when
        the table is in memory; None for no limit. Encoding, merging and sorting rows
        count; reading a file or another source does not.
    memory_limit : int, str or None, default=None
        Bytes, or text such as "500MB" or "2GB", that the whole process should keep to;
        None for no limit. What the process occupies before the search is taken off, but
        the search gets at least a quarter of the limit.
    n_jobs : int or None, default=1
        Number of threads; -1 for all processors. The optimum does not depend on it;
        which of several optimal trees is returned may, and with one thread every run is
        the same. The solvers "sparse" and "threshold" use it.
    class_weight : dict, "balanced" or None, default=None
        Factors for the weights of the classes. "balanced" gives all classes the same
        total weight. Classes not named in the dict have the factor 1.
    cost_matrix : array-like, dict or data frame, default=None
        What predictions cost: row i and column j say what it costs to predict class j
        for a row of class i, in the order of ``classes_``. Or a dict ``{true:
        {predicted: cost}}``, in which a missing diagonal means 0, or a pandas data
        frame with labels as index and columns. The cost of a tree is then the mean
        cost of a row and ``split_penalty`` for every leaf but one, both in the unit of
        these costs. For costs of each row see ``costs`` in `fit`.
    abstain_cost : float or None, default=None
        What it costs to predict nothing for a row and to ask a person instead. A leaf
        then predicts ``abstain_label`` where being wrong would cost more. Without
        other costs an error costs 1.
    abstain_label : default=None
        What `predict` says where the tree abstains.
    metric : str, default="accuracy"
        What is maximised: "accuracy", "balanced_accuracy", "f1", "fbeta" or "jaccard".
        Balanced accuracy, the mean of the classes' recalls, weighs classes equally.
        "f1", "fbeta" and "jaccard" are for two classes; they need ``max_depth`` or
        ``max_splits``, do not use ``split_penalty``, and take the fewest leaves among
        the best trees; ``objective_`` is then one minus the metric.
    pos_label : default=None
        The positive class of "f1", "fbeta" and "jaccard"; 1 or True if there is one.
    beta : float, default=1.0
        How many times as much recall counts as precision, for "fbeta".
    lower_bound : {"W0", "W1", "W2", "L2"}, default="W1"
        With ``solver="quant-bnb"``: which of the paper's lower bounds prunes.
    s : int, default=3
        With ``solver="quant-bnb"``: the pieces into which an interval is cut.
    s_prime : int or None, default=None
        With ``solver="quant-bnb"``: the pieces of the middle in the bound W1; None for
        the paper's ``0.6 n s / (b - a)``.
    quantiles : int or None, default=None
        Cut numeric columns that have more values than this into so many bins of about
        equal numbers of rows, and try only thresholds between bins. The certificate
        then says so. For long tables whose rows are all distinct otherwise.
    n_best : int, default=1
        How many of the best trees to find. With more than one, ``trees_`` has them;
        `near_optimal` finds all within a margin.
    random_state : int, RandomState instance or None, default=None
        Accepted for compatibility; the search makes no random choices.
    verbose : bool, default=False
        Show a progress line on standard error.

    Attributes
    ----------
    optimal_ : bool
        True if and only if ``lower_bound_ == objective_``. The search decides this
        in whole numbers; no tolerance is involved.
    objective_ : float
        The cost of the tree.
    lower_bound_ : float
        No tree costs less.
    gap_ : float
        ``objective_ - lower_bound_``.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted"}
        Why the search ended.
    n_splits_ : int
        Number of splits of the tree.
    tree_ : Tree
        The tree itself, as a flat node table.
    trees_ : list of NearTree
        With ``n_best`` > 1: the best trees, the best first, each with its ``tree``,
        ``objective`` and ``model``; fewer if there are not so many. Which trees count
        as different is said in `near_optimal`.
    certificates_ : list of Certificate
        What was proved about every depth that the fit has climbed, and last about all
        trees that it allows: ``max_depth`` (None for any), ``objective`` of the best
        tree of that depth, ``lower_bound``, ``optimal`` and ``seconds``.
    proved_depth_ : float
        No tree of this depth or less costs less than the fitted tree, which may be
        deeper itself; ``math.inf`` if that holds for any depth.
    stats_ : dict
        The solver's name, its time, its counters, and in ``"shares"`` which engine
        worked how long on what.
    history_ : History
        How the bounds closed over time; ``history_.plot()`` draws it.
    classes_ : ndarray
        The class labels.
    n_features_in_ : int
        Number of columns of the training table.
    feature_names_in_ : ndarray
        Their names, if the table had any.

    Notes
    -----
    The penalty is rounded once, to a millionth of a row's weight
    (:math:`2^{-20}`), and weights that are not whole numbers to :math:`2^{-30}` of
    their total; all arithmetic after that is exact.

    A category that no training row had at a multiway split, or that is in neither part
    of a split by subsets, gets the majority class of that split's node. In a
    one-vs-rest split it counts as "another category". A missing value at a split where
    no training row had one goes to the heavier child, or gets the majority class at a
    multiway split or one by subsets.

    References
    ----------
    A. Chaouki, J. Read, A. Bifet. "Branches: Efficiently seeking optimal sparse
    decision trees via AO*." 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    >>> clf.n_splits_, round(clf.objective_, 4)
    (1, 0.3433)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **common_constraints(set(SOLVERS)),
        **quant_constraints(),
        "split_penalty": [Interval(Real, 0, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "cost_matrix": ["array-like", dict, None],
        "abstain_cost": [Interval(Real, 0, None, closed="left"), None],
        "abstain_label": [object],
        "metric": [StrOptions(set(METRICS))],
        "pos_label": [object],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "n_best": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        split_penalty: float = 0.01,
        *,
        penalize: str = "leaves",
        max_depth: int | None = None,
        max_splits: int | None = None,
        min_samples_leaf: int = 1,
        categorical_features: Any = "from_dtype",
        categorical_split: str = "auto",
        missing: str = "best-side",
        first_split: str | int | None = None,
        solver: str = "auto",
        time_limit: float | None = 60.0,
        memory_limit: int | str | None = None,
        n_jobs: int | None = 1,
        class_weight: Any = None,
        cost_matrix: Any = None,
        abstain_cost: float | None = None,
        abstain_label: Any = None,
        metric: str = "accuracy",
        pos_label: Any = None,
        beta: float = 1.0,
        lower_bound: str = "W1",
        s: int = 3,
        s_prime: int | None = None,
        quantiles: int | None = None,
        n_best: int = 1,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.split_penalty = split_penalty
        self.penalize = penalize
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.categorical_split = categorical_split
        self.missing = missing
        self.first_split = first_split
        self.solver = solver
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.abstain_cost = abstain_cost
        self.abstain_label = abstain_label
        self.metric = metric
        self.pos_label = pos_label
        self.beta = beta
        self.lower_bound = lower_bound
        self.s = s
        self.s_prime = s_prime
        self.quantiles = quantiles
        self.n_best = n_best
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        proof: str | os.PathLike[str] | None = None,
        distributed: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        costs: Any = None,
    ) -> OptimalTreeClassifier:
        """Find a tree of least cost, with proof.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            A NumPy array, a pandas, Polars or Arrow table, or a list of rows. Or a
            table that is not in memory: the path of a Parquet, CSV or Arrow file, a
            pattern such as ``"sales/*.parquet"``, a DuckDB relation, an Arrow dataset
            or a Dask data frame; y is then the name of a column.
        y : array-like of shape (n_samples,), or str
            Class labels: text, whole numbers or booleans; or the name of the column of
            X that holds them, all other columns being features.
        sample_weight : array-like of shape (n_samples,), str or None, default=None
            Weights of the rows, or the name of a column of X that holds them; rows of
            weight zero are left out.
        proof : path or None, default=None
            File for a proof that `treeproof.proof.check` can check; None for none.
        distributed : dask.distributed.Client or None, default=None
            A cluster whose workers share the search; None for this machine alone.
        checkpoint : path or None, default=None
            File that keeps the best tree and all proved subproblems, written now and
            then. A fit of the same table with the same parameters goes on from it if it
            is there, after a crash or a time limit; a fit that ends with proof removes
            it. Solver "sparse", without ``max_splits`` and ``first_split``.
        costs : array-like of shape (n_samples, n_classes) or None, default=None
            What each prediction costs for each row, columns in the order of
            ``classes_``. y may then be None: the classes are 0, 1, ... and a row
            counts as one of the class that costs least. See ``cost_matrix`` for costs
            that depend on the class alone.

        Returns
        -------
        OptimalTreeClassifier
            The fitted estimator.
        """
        self._validate_params()
        self._check_objective(costs)
        ratio = self.metric in RATIOS
        whole = proof or distributed or checkpoint or self.n_best > 1 or ratio
        deadline = self._deadline(whole=bool(whole))
        memory = parse_memory(self.memory_limit)
        if proof is not None and y is None and self.class_weight is not None:
            raise ValueError(
                "A proof about class_weight needs the classes of the rows; pass y, or "
                "weights of the rows as sample_weight."
            )
        data, reading = classification_data(
            self, X, y, sample_weight, memory, costs, deadline
        )
        self.classes_ = data.classes
        if ratio:
            if checkpoint is not None or distributed is not None:
                raise ValueError(
                    f'metric="{self.metric}" takes several searches; it goes with '
                    "neither checkpoint nor distributed."
                )
            fit_ratio(self, data, reading, proof)
            return self
        self._fit_objective(
            self._objective(data),
            reading,
            deadline,
            proof=proof,
            distributed=distributed,
            checkpoint=checkpoint,
        )
        return self

    def _check_objective(self, costs: Any) -> None:
        """Refuse parameters that speak of costs in two ways."""
        told = {
            "cost_matrix": self.cost_matrix is not None,
            "costs": costs is not None,
            "abstain_cost": self.abstain_cost is not None,
        }
        if told["cost_matrix"] and told["costs"]:
            raise ValueError(
                "cost_matrix and costs both say what predictions cost; leave one out."
            )
        if self.metric != "accuracy" and any(told.values()):
            given = next(name for name, there in told.items() if there)
            raise ValueError(
                f'metric="{self.metric}" does not go with {given}; leave one out.'
            )
        if self.metric != "accuracy" and self.class_weight is not None:
            raise ValueError(
                f'metric="{self.metric}" sets the weights of the classes itself; leave '
                "out class_weight."
            )
        ratio = self.metric in RATIOS
        if ratio and self.max_depth is None and self.max_splits is None:
            raise ValueError(
                f'metric="{self.metric}" is a ratio, into which no penalty for splits '
                "fits; set max_depth or max_splits."
            )
        plain_errors = not any(told.values())
        if plain_errors and not ratio and self.split_penalty > 1:
            raise ValueError(
                f"split_penalty={self.split_penalty:g} is above 1, the cost of getting "
                "every row wrong; use a number from 0 to 1."
            )

    def _objective(self, data: ClassificationData) -> Objective:
        """Return what the fit minimises: errors, or costs of predictions."""
        if counts_errors(self) and data.costs is None:
            return Labels(data)
        if self.cost_matrix is not None:
            costs = read_cost_matrix(self.cost_matrix, data.classes)
        else:
            costs = 1.0 - np.eye(len(data.classes))
        if data.costs is not None:
            costs = data.costs
        actions, asked = data.classes, self.abstain_cost
        if asked is not None:
            check_abstain_cost(float(asked), costs)
            actions = actions_with_abstention(data.classes, self.abstain_label)
            costs = np.hstack([costs, np.full((len(costs), 1), float(asked))])
        told = Told(matrix=costs, class_factors=data.class_factors)
        if data.costs is None:
            costs = costs[data.labels]
        else:
            weighed = bool((data.class_factors != 1).any())
            told = Told(
                abstain_cost=None if asked is None else float(asked),
                class_factors=data.class_factors if weighed else None,
            )
        return Costs(
            data.table,
            data.weights,
            costs,
            actions,
            classes=data.classes,
            labels=data.labels,
            samples=data.samples,
            told=told,
        )

    def _wording(self) -> Wording:
        if self.metric in RATIOS:
            name = Ratio.of(self.metric, float(self.beta)).name
            return Wording(name, most=1.0)
        return super()._wording()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is predicted correctly.

        A row for which the tree abstains is not predicted correctly.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.
        y : array-like of shape (n_samples,), or str
            Their classes, or the name of the column of a source that holds them.
        sample_weight : array-like of shape (n_samples,), str or None, default=None
            Weights of the rows, or the name of a column of a source.

        Returns
        -------
        float
            The accuracy.
        """
        check_is_fitted(self, "tree_")
        source = source_for(X, y)
        if source is None:
            X, y, sample_weight = split_table(X, y, sample_weight)
            if self.abstain_cost is None:
                return float(super().score(X, y, sample_weight))
            right = self.predict(X) == read_vector(y, "y").reshape(-1)
            return float(np.average(right, weights=sample_weight))
        used = sorted(set(self.tree_.feature[self.tree_.feature >= 0].tolist()))
        table, labels, weights = distinct_cases(
            source, self.tree_.columns, used, y, sample_weight
        )
        right = self.predict(table) == read_vector(labels, "y")
        return float(weights[right].sum() / weights.sum())

    def to_sklearn(self, *, unseen: bool = True) -> DecisionTreeClassifier:
        """Return a fitted scikit-learn tree that makes the same predictions.

        Everything that understands `sklearn.tree.DecisionTreeClassifier` (plotting,
        SHAP, ONNX converters) then works. It takes numbers: a table of numbers as it
        is, any other table as ``clf.encode(X)``. See `treeproof.export.sklearn` for how
        categories are encoded and for the single precision of scikit-learn's trees.

        Parameters
        ----------
        unseen : bool, default=True
            Whether the tree has leaves for unseen categories. They hold no training
            rows; SHAP's explainer of paths refuses a tree with such leaves, so pass
            False for it. An unseen category then goes the way of a neighbouring one.

        Returns
        -------
        DecisionTreeClassifier
            Multiway splits become nested thresholds.

        Examples
        --------
        >>> from treeproof import OptimalTreeClassifier
        >>> X, y = [["red"], ["green"], ["blue"]] * 4, [1, 0, 1] * 4
        >>> clf = OptimalTreeClassifier().fit(X, y)
        >>> clf.to_sklearn().predict(clf.encode([["green"], ["red"]]))
        array([0, 1])
        """
        return self._sklearn_tree(unseen)
