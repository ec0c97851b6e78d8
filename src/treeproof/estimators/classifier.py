"""The optimal classification tree as a scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from treeproof.border import ClassificationData
from treeproof.constraints.fit import fit_classifier
from treeproof.constraints.kinds import Constraint
from treeproof.estimators.action_tree import ActionTree
from treeproof.estimators.base import common_constraints
from treeproof.estimators.class_tree import ClassTree
from treeproof.estimators.costing import Costed
from treeproof.estimators.given_top import check_top
from treeproof.estimators.prepared import Prepared
from treeproof.estimators.shaping import SHAPE_CONSTRAINTS, check_restrictions
from treeproof.limits import Deadline, parse_memory
from treeproof.objectives import PROBABILITY_CRITERIA, check_criterion
from treeproof.objectives.ratio_fit import fit_ratio
from treeproof.objectives.ratios import METRICS, RATIOS
from treeproof.parameters import counts_errors
from treeproof.solving.quant_bnb import QuantBnB
from treeproof.solving.shape import restrictions
from treeproof.solving.solvers import SOLVERS, Task
from treeproof.sources.training import classification_data

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

__all__ = ["OptimalTreeClassifier"]


class OptimalTreeClassifier(Costed, ActionTree, ClassTree):
    """A classification tree with a proof that no better one exists.

    Among all trees that the parameters allow, `fit` finds one with the lowest cost,
    where

        cost = misclassified share of the weight + split_penalty * (leaves - 1),

    and proves that no tree costs less. If a limit ends the search early, the best tree
    found so far is kept together with a proved lower bound.

    Parameters
    ----------
    split_penalty : float in [0, 1], default=0.01
        The cost of each additional leaf, as a fraction of the total weight. A leaf
        lowers the cost of the tree only if it corrects more than this share of the
        rows.
    penalize : {"leaves", "splits"}, default="leaves"
        What the penalty is paid for. "leaves": every leaf but one, so that a split into
        two costs one penalty and a multiway split one for each category after the
        first. Binary and multiway trees then have comparable costs, and a column with
        many categories gains nothing by memorising rows. "splits": every split,
        whatever the number of its children, as in the publications of BRANCHES and
        DT-Miner. The two differ only for multiway splits with three or more children.
    criterion : {"misclassification", "log_loss", "gini"}, default="misclassification"
        What a leaf loses. "misclassification": the weight of the rows that are not of
        its heaviest class. "log_loss" and "gini": the log loss or the Brier score (Gini
        impurity) of the leaf's class probabilities, so that the tree is optimal for
        `predict_proba`. Its cost is then the mean loss of a row and ``split_penalty``
        for every leaf but one, in the same unit: nats for the log loss.
    smoothing : float, default=0.0
        With "log_loss" and "gini": so much weight of each class is in every leaf beside
        its rows, as if imaginary rows were there. They count in its probabilities,
        which are then never 0, and in its loss.
    max_depth : int or None, default=None
        The maximum depth: the number of tests on the longest path from the root to a
        leaf. None for no limit.
    max_splits : int or None, default=None
        The maximum number of splits; None for no limit.
    min_samples_leaf : int, default=1
        The minimum number of training rows in a leaf.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are categorical. "from_dtype": text, category, enum and boolean
        columns. A mask, column numbers or column names list them explicitly. None: all
        columns are numeric. Text that looks like numbers is text.
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
        How missing values (None, NaN, NA, null) are treated. "best-side": they go to
        one of the two sides of a split, whichever gives the better tree, and the test
        whether a value is missing is available too. "branch": they have a branch of
        their own at every split. In both cases the choice is part of the optimisation.
        In a multiway split, "missing" is always a further category; with "either" and
        "best-side" this holds for every split on a categorical column. "error": they
        are refused.
    first_split : str, int or None, default=None
        Name or number of the column that the first split must test; None for any. The
        tree is then optimal among the trees with this first split.
    prefix : dict or None, default=None
        The top of the tree as a partial tree, as `to_prefix` returns it; the rest is
        optimal. A place is None (the search decides), "leaf", or a dictionary with a
        "feature" and its "threshold", "category" or "children".
    allowed_features : list of str or int, or None, default=None
        The columns that splits may test; None for all.
    solver : str, default="auto"
        The search algorithm. "sparse" is for binary and categorical columns, and
        "threshold" for tables with numeric columns. "auto" runs those of the two that
        can contribute, in turns, until one of them has a proof; ``stats_["solver"]``
        and ``stats_["shares"]`` say which engine did what. "branches", "dt-miner" and
        "quant-bnb" are the published algorithms of these names.
    time_limit : float or None, default=60.0
        The time limit in seconds; None for no limit. A stopped fit returns the best
        tree found and a lower bound. Time is counted from the moment at which the table
        is in memory: encoding, merging and sorting rows count, but reading a file or
        another source does not.
    tolerance : float or str, default=0.0
        The search may end once ``gap_`` is at most this, or at most this share of the
        cost if it is given as text such as "5%"; ``status_`` is then "tolerance".
    memory_limit : int, str or None, default=None
        The memory limit of the whole process, in bytes or as text such as "500MB" or
        "2GB"; None for no limit. The memory that the process occupies before the search
        is subtracted, but the search gets at least a quarter of the limit.
    n_jobs : int or None, default=1
        The number of threads; -1 for all processors. The optimum does not depend on it.
        If several trees are optimal, the one that is returned may depend on it; with
        one thread the fit is deterministic. The solvers "sparse" and "threshold" use
        threads.
    class_weight : dict, "balanced" or None, default=None
        Factors for the weights of the classes. "balanced" gives all classes the same
        total weight. Classes not named in the dict have the factor 1.
    cost_matrix : array-like, dict or data frame, default=None
        The costs of predictions: row i and column j contain the cost of predicting
        class j for a row of class i, in the order of ``classes_``. Or a dict ``{true:
        {predicted: cost}}``, in which a missing diagonal means 0, or a pandas data
        frame with the labels as index and columns. The cost of a tree is then the mean
        cost of a row plus ``split_penalty`` for every leaf but one, both in the unit of
        these costs. For costs that differ between rows see ``costs`` in `fit`.
    abstain_cost : float or None, default=None
        The cost of making no prediction for a row, for example because a person decides
        instead. A leaf then predicts ``abstain_label`` if predicting a class would cost
        more. Without other costs, an error costs 1.
    abstain_label : default=None
        What `predict` returns for rows in leaves that abstain.
    metric : str, default="accuracy"
        The metric that is maximised: "accuracy", "balanced_accuracy", "f1", "fbeta" or
        "jaccard". Balanced accuracy is the mean of the recalls of the classes. "f1",
        "fbeta" and "jaccard" are for two classes; they need ``max_depth`` or
        ``max_splits`` and do not use ``split_penalty``. Among the trees with the best
        metric, one with the fewest leaves is returned; ``objective_`` is then one minus
        the metric.
    pos_label : default=None
        The positive class of "f1", "fbeta", "jaccard" and of constraints; 1 or True if
        there is one.
    beta : float, default=1.0
        For "fbeta": how many times as important recall is as precision.
    constraints : list of Constraint or None, default=None
        Constraints that the tree must keep on the training rows; see
        `treeproof.constraints`. The fit finds the cheapest tree that keeps them, over
        all actions of its leaves; ``constraints_`` states how each is kept.
    monotonic_cst : array-like of int, dict or None, default=None
        For two classes, the direction of each column: 1 if predictions must not fall
        from ``classes_[1]`` to ``classes_[0]`` as the column rises, -1 if they must not
        rise, 0 for neither. A dict names some of the columns.
    shape : {"tree", "list"}, default="tree"
        "list": at least one child of every split is a leaf, so that the tree reads as
        a list of rules, if, else if, else. Categories are then split in two.
    interaction_cst : list of lists, {"pairwise", "no_interactions"} or None, \
            default=None
        Groups of columns: all columns that are tested on the way from the root to a
        leaf must be in one of them. Columns that are in no group form one more.
    test_costs : dict or None, default=None
        What it costs to know a column, paid by every row that is asked for it, once:
        from a column, or a tuple of columns that are measured together, to a cost in
        the unit of the costs of predictions (an error costs 1 by default), or to
        ``(cost, group, cost after another one of the group)``.
    quant_bnb : QuantBnB or None, default=None
        With ``solver="quant-bnb"``: the parameters of the published algorithm; None
        for those of its paper. See `treeproof.QuantBnB`.
    quantiles : int or None, default=None
        Divide each numeric column with more distinct values than this into this many
        bins of about equal numbers of rows, and try only thresholds between bins. The
        certificate then says so. Useful for long tables whose rows are nearly all
        distinct.
    n_best : int, default=1
        The number of best trees to find. If it is more than one, they are stored in
        ``trees_``; `near_optimal` finds all trees within a margin.
    random_state : int, RandomState instance or None, default=None
        Accepted for compatibility; the search makes no random choices.
    verbose : bool, default=False
        Show a progress line on standard error.

    Attributes
    ----------
    optimal_ : bool
        True if and only if ``lower_bound_ == objective_``. The search compares the two
        as integers, without any tolerance.
        With "log_loss" and "gini", whose losses are real numbers, it means that no tree
        is better by more than 1e-9 of its cost (or 1e-12 of the loss of a single
        leaf, whichever is larger).
    objective_ : float
        The cost of the tree.
    lower_bound_ : float
        A proved lower bound: no tree that the parameters allow has a lower cost.
    gap_ : float
        ``objective_ - lower_bound_``.
    status_ : {"optimal", "tolerance", "time_limit", "memory_limit", "interrupted"}
        Why the search ended.
    n_splits_ : int
        Number of splits of the tree.
    tree_ : Tree
        The tree itself, as a flat node table.
    trees_ : list of NearTree
        With ``n_best`` > 1: the best trees in the order of increasing cost, each with
        its ``tree``, ``objective`` and ``model``; fewer if there are not as many.
        `near_optimal` defines which trees count as different.
    certificates_ : list of Certificate
        What was proved for every level of depth, and last for all trees that the
        parameters allow: ``max_depth`` (None for any), ``objective`` of the best tree
        of that depth, ``lower_bound``, ``optimal`` and ``seconds``.
    proved_depth_ : float
        No tree of this depth or less costs less than the fitted tree, which may be
        deeper itself; ``math.inf`` if that holds for any depth.
    stats_ : dict
        The name of the solver, its time, its counters, and in ``"shares"`` how long
        each engine worked on which level.
    history_ : History
        The lower and upper bound over time; ``history_.plot()`` draws them.
    classes_ : ndarray
        The class labels.
    n_features_in_ : int
        Number of columns of the training table.
    feature_names_in_ : ndarray
        The names of these columns, if the table had names.

    Notes
    -----
    The penalty is rounded once, to a millionth of a row's weight
    (:math:`2^{-20}`), and weights that are not whole numbers to :math:`2^{-30}` of
    their total; all arithmetic after that is exact.

    At a multiway split or a split by subsets, a category that no training row had gets
    the majority class of that node. At a one-vs-rest split, it goes with the other
    categories. A missing value at a split where no training row had one goes to the
    child with more training weight, or gets the majority class of the node at a
    multiway split or a split by subsets.

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
        "quant_bnb": [QuantBnB, None],
        "split_penalty": [Interval(Real, 0, None, closed="left")],
        "criterion": [StrOptions({"misclassification", *PROBABILITY_CRITERIA})],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "cost_matrix": ["array-like", dict, None],
        "abstain_cost": [Interval(Real, 0, None, closed="left"), None],
        "abstain_label": [object],
        "metric": [StrOptions(set(METRICS))],
        "pos_label": [object],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "constraints": [list, tuple, Constraint, None],
        **SHAPE_CONSTRAINTS,
        "monotonic_cst": ["array-like", dict, None],
        "test_costs": [dict, None],
        "n_best": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        split_penalty: float = 0.01,
        *,
        penalize: str = "leaves",
        criterion: str = "misclassification",
        smoothing: float = 0.0,
        max_depth: int | None = None,
        max_splits: int | None = None,
        min_samples_leaf: int = 1,
        categorical_features: Any = "from_dtype",
        categorical_split: str = "auto",
        missing: str = "best-side",
        first_split: str | int | None = None,
        prefix: dict[str, Any] | None = None,
        allowed_features: Any = None,
        solver: str = "auto",
        time_limit: float | None = 60.0,
        tolerance: float | str = 0.0,
        memory_limit: int | str | None = None,
        n_jobs: int | None = 1,
        class_weight: Any = None,
        cost_matrix: Any = None,
        abstain_cost: float | None = None,
        abstain_label: Any = None,
        metric: str = "accuracy",
        pos_label: Any = None,
        beta: float = 1.0,
        constraints: Any = None,
        monotonic_cst: Any = None,
        shape: str = "tree",
        interaction_cst: Any = None,
        test_costs: dict[Any, Any] | None = None,
        quant_bnb: QuantBnB | None = None,
        quantiles: int | None = None,
        n_best: int = 1,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.split_penalty = split_penalty
        self.penalize = penalize
        self.criterion = criterion
        self.smoothing = smoothing
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.categorical_split = categorical_split
        self.missing = missing
        self.first_split = first_split
        self.prefix = prefix
        self.allowed_features = allowed_features
        self.solver = solver
        self.time_limit = time_limit
        self.tolerance = tolerance
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.abstain_cost = abstain_cost
        self.abstain_label = abstain_label
        self.metric = metric
        self.pos_label = pos_label
        self.beta = beta
        self.constraints = constraints
        self.monotonic_cst = monotonic_cst
        self.shape = shape
        self.interaction_cst = interaction_cst
        self.test_costs = test_costs
        self.quant_bnb = quant_bnb
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
        sensitive_features: Any = None,
    ) -> OptimalTreeClassifier:
        """Find a tree with the lowest cost, and prove that it is optimal.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            A NumPy array, a pandas, Polars or Arrow table, or a list of rows. Or a
            table that is not in memory: the path of a Parquet, CSV or Arrow file, a
            pattern such as ``"sales/*.parquet"``, a DuckDB relation, an Arrow dataset
            or a Dask data frame; y is then the name of a column.
        y : array-like of shape (n_samples,), or str
            Class labels: text, whole numbers or booleans. Or the name of the column of
            X that contains them; all other columns are then features.
        sample_weight : array-like of shape (n_samples,), str or None, default=None
            Weights of the rows, or the name of the column of X that contains them. Rows
            of weight zero are left out.
        proof : path or None, default=None
            The file to which a proof is written, for `treeproof.proof.check`; None for
            no proof.
        distributed : dask.distributed.Client or None, default=None
            A Dask cluster whose workers share the search; None for this machine alone.
        checkpoint : path or None, default=None
            The file in which the best tree and all proved subproblems are saved from
            time to time. After a crash or a time limit, a fit of the same table with
            the same parameters continues from it; a fit that ends with a proof removes
            it. Available for solver "sparse" without ``max_splits`` and
            ``first_split``.
        costs : array-like of shape (n_samples, n_classes) or None, default=None
            The cost of each prediction for each row, with columns in the order of
            ``classes_``. y may then be None: the classes are 0, 1, ..., and the class
            of a row is the one with the lowest cost. See ``cost_matrix`` for costs that
            depend on the class alone.
        sensitive_features : array-like of shape (n_samples,) or None, default=None
            The group of each row, for ``constraints`` that compare groups. It need not
            be a column of X, and is never asked for at prediction.

        Returns
        -------
        OptimalTreeClassifier
            The fitted estimator.
        """
        self._validate_params()
        self._check_objective(costs)
        files = {"proof": proof, "distributed": distributed, "checkpoint": checkpoint}
        check_criterion(self, **files | {"proof": None}, costs=costs)
        check_restrictions(self, **files)
        check_top(self, proof)
        ratio = self.metric in RATIOS
        whole = proof or distributed or checkpoint or self.n_best > 1 or ratio
        whole = whole or self.constraints or restrictions(self)
        deadline = self._deadline(whole=bool(whole))
        self._check_files(files, y)
        data, reading = self._read(X, y, sample_weight, costs, deadline)
        if self.constraints:
            told = files | {"metric": self.metric if ratio else None}
            objective = self._objective(data)
            fit_classifier(
                self, data, objective, sensitive_features, told, reading, deadline
            )
            return self
        self.__dict__.pop("constraints_", None)  # of an earlier fit
        if ratio:
            fit_ratio(self, data, reading, proof)
            return self
        self._fit_objective(self._objective(data), reading, deadline, **files)
        if counts_errors(self) and data.costs is None:
            self._note_single_leaf()
        return self

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any = None, costs: Any = None
    ) -> Prepared[Task]:
        """Read the data and state the problem, as `fit` does, without solving it."""
        self._validate_params()
        self._check_objective(costs)
        self._check_path()
        deadline = self._deadline(whole=False)
        data, reading = self._read(X, y, sample_weight, costs, deadline)
        return self._prepared(self._objective(data), reading, deadline)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, costs: Any, deadline: Deadline
    ) -> tuple[ClassificationData, Mapping[str, Any]]:
        """Read the data; return them with figures about the reading."""
        memory = parse_memory(self.memory_limit)
        data, reading = classification_data(
            self, X, y, sample_weight, memory, costs, deadline
        )
        self.classes_ = data.classes
        return data, reading

    def to_sklearn(self, *, unseen: bool = True) -> DecisionTreeClassifier:
        """Return a fitted scikit-learn tree that makes the same predictions.

        Tools that expect a `sklearn.tree.DecisionTreeClassifier` (plotting, SHAP, ONNX
        converters) can then be used. The tree takes numbers only: a numeric table can
        be used directly, any other table as ``clf.encode(X)``. See
        `treeproof.export.sklearn` for the encoding of categories and for the single
        precision of scikit-learn's trees.

        Parameters
        ----------
        unseen : bool, default=True
            Whether the tree has leaves for unseen categories, which hold no training
            rows. Without them an unseen category goes the way of a neighbouring one.

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
        model = self._sklearn_tree(unseen)
        if self._real_costs:
            model.set_params(criterion=self.criterion)
        return model
