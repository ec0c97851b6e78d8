"""The optimal regression tree as a scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from treeproof.alternatives.numbers import NumberAlternatives
from treeproof.border import RegressionData
from treeproof.border.targets import check_not_negative
from treeproof.estimators.base import common_constraints
from treeproof.estimators.given_top import check_top
from treeproof.estimators.line_leaves import (
    check_line_parameters,
    check_line_proof,
    check_lines,
    line_columns,
)
from treeproof.estimators.number_tree import NumberTree, grow_numbers
from treeproof.estimators.prepared import Prepared
from treeproof.estimators.shaping import (
    SHAPE_CONSTRAINTS,
    check_restrictions,
    shape_of,
)
from treeproof.limits import Deadline, parse_memory
from treeproof.proof.writer import ProofFile, regression_header
from treeproof.solving.answer import Answer
from treeproof.solving.leaf_fit import CRITERIA, LeafFit
from treeproof.solving.line_fit import LineFit
from treeproof.solving.observers import History, climbing, observing
from treeproof.solving.progress import say_result
from treeproof.solving.proving import Provable, solve_task
from treeproof.solving.quant_bnb import QuantBnB
from treeproof.solving.shape import restrictions
from treeproof.solving.solvers import REGRESSION_SOLVERS, RegressionTask
from treeproof.sources.training import regression_data
from treeproof.tree import Tree
from treeproof.tree.split_table import SplitTable

__all__ = ["OptimalTreeRegressor"]

# Losses of a single leaf: within what checkers accept, which round sums down.
_PROVABLE = (2e-300, 5e299)
_QUANT_BNB = ("squared_error", "absolute_error")  # what its paper solves
_ENGINE_CRITERIA = {"quantile": "absolute_error"}  # where the engine has another name


class OptimalTreeRegressor(NumberAlternatives, NumberTree):
    """A regression tree with a proof that no better one exists.

    Among all trees that the parameters allow, `fit` finds one with the lowest cost,
    where

        cost = loss / loss of a single leaf + split_penalty * (leaves - 1),

    over every threshold of every column, and proves that no tree costs less. If a limit
    ends the search early, the best tree found so far is kept together with a proved
    lower bound. With the squared error and no penalty, ``1 - objective_`` is the
    coefficient of determination on the training rows.

    Parameters
    ----------
    split_penalty : float in [0, 1], default=0.01
        The cost of each additional leaf, as a fraction of the loss of a single leaf. A
        leaf lowers the cost of the tree only if it explains more than this share.
    penalize : {"leaves", "splits"}, default="leaves"
        What the penalty is paid for. "leaves": every leaf but one, so that a split into
        two costs one penalty and a multiway split one for each category after the
        first. Binary and multiway trees then have comparable costs, and a column with
        many categories gains nothing by memorising rows. "splits": every split,
        whatever the number of its children, as in the publications of BRANCHES and
        DT-Miner. The two differ only for multiway splits with three or more children.
    criterion : {"squared_error", "absolute_error", "quantile", "poisson"}, \
            default="squared_error"
        The loss: squared distances to the mean of a leaf, absolute distances to its
        median, the pinball loss of its quantiles (see ``quantile``), or the Poisson
        deviance from its mean, for counts and rates that are not negative; weighted,
        and summed over the outputs.
    quantile : float or list of float, default=0.5
        With ``criterion="quantile"``: what a leaf predicts, between 0 and 1. With a
        list, one tree serves all of them: the sum of their losses is minimised, and
        `predict` has one column for each.
    leaf : {"constant", "linear"}, default="constant"
        What a leaf predicts: a number, or a line in one of the columns, which it
        chooses (``criterion="squared_error"`` and one output only). ``value`` of the
        tree is then the mean of a leaf, which it predicts where the column is missing.
    linear_features : list of str or int, or None, default=None
        The columns that lines may depend on; None for all numeric columns without
        missing values.
    ridge : float, default=1e-6
        What the slope of a line costs, for each row: ``ridge * slope**2``, with the
        column scaled to variance 1 over all rows. It is at least 1e-9.
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
    solver : {"auto", "threshold", "quant-bnb"}, default="auto"
        The search algorithm. "auto" chooses, and ``stats_["solver"]`` says which one
        was used; "threshold" is our own, and "quant-bnb" is the published algorithm of
        that name for trees of depth 2 and 3 without a penalty.
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
        one thread the fit is deterministic. The solver "quant-bnb" uses one thread.
    shape : {"tree", "list"}, default="tree"
        "list": at least one child of every split is a leaf, so that the tree reads as
        a list of rules, if, else if, else. Categories are then split in two.
    interaction_cst : list of lists, {"pairwise", "no_interactions"} or None, \
            default=None
        Groups of columns: all columns that are tested on the way from the root to a
        leaf must be in one of them. Columns that are in no group form one more.
    quant_bnb : QuantBnB or None, default=None
        With ``solver="quant-bnb"``: the parameters of the published algorithm; None
        for those of its paper. See `treeproof.QuantBnB`.
    quantiles : int or None, default=None
        Divide each numeric column with more distinct values than this into this many
        bins of about equal numbers of rows, and try only thresholds between bins. The
        certificate then says so. Useful for long tables whose rows are nearly all
        distinct.
    random_state : int, RandomState instance or None, default=None
        Accepted for compatibility; the search makes no random choices.
    verbose : bool, default=False
        Show a progress line on standard error.

    Attributes
    ----------
    optimal_ : bool
        True if and only if ``lower_bound_ == objective_``. Losses are real numbers, so
        this means: no tree is better by more than 1e-9 of its cost (or 1e-12 of
        the loss of a single leaf, where that is more).
    objective_ : float
        The cost of the tree.
    lower_bound_ : float
        No tree costs less, up to the same tolerance.
    gap_ : float
        ``objective_ - lower_bound_``.
    status_ : {"optimal", "tolerance", "time_limit", "memory_limit", "interrupted"}
        Why the search ended.
    n_splits_ : int
        Number of splits of the tree.
    tree_ : Tree
        The tree itself, as a flat node table.
    stats_ : dict
        The solver's name, its time, and its counters.
    history_ : History
        The lower and upper bound over time; ``history_.plot()`` draws them.
    n_outputs_ : int
        Number of columns of y.
    n_features_in_ : int
        Number of columns of the training table.
    feature_names_in_ : ndarray
        The names of these columns, if the table had names.

    Notes
    -----
    A category that no training row had at a multiway split gets the mean (or median) of
    that split's node. In a one-vs-rest split it counts as "another category".

    References
    ----------
    R. Mazumder, X. Meng, H. Wang. "Quant-BnB: A scalable branch-and-bound method for
    optimal decision trees with continuous features." ICML 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from treeproof import OptimalTreeRegressor
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.repeat([1.0, 5.0, 2.0], 4)
    >>> model = OptimalTreeRegressor().fit(X, y)
    >>> print(model.export_text())
    12 rows
    ├── x0 <= 3.5: 1   4 rows (33%)
    └── x0 > 3.5
        ├── x0 <= 7.5: 5   4 rows (33%)
        └── x0 > 7.5: 2   4 rows (33%)
    >>> model.certificate()
    'Optimal: no tree costs less than 0.02 by more than 1e-9 of that.'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **common_constraints(set(REGRESSION_SOLVERS)),
        "quant_bnb": [QuantBnB, None],
        **SHAPE_CONSTRAINTS,
        "criterion": [StrOptions(set(CRITERIA))],
        "quantile": [Interval(Real, 0, 1, closed="neither"), "array-like"],
        "leaf": [StrOptions({"constant", "linear"})],
        "linear_features": ["array-like", None],
        "ridge": [Interval(Real, 1e-9, None, closed="left")],
    }

    def __init__(
        self,
        split_penalty: float = 0.01,
        *,
        penalize: str = "leaves",
        criterion: str = "squared_error",
        quantile: float | list[float] = 0.5,
        leaf: str = "constant",
        linear_features: Any = None,
        ridge: float = 1e-6,
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
        shape: str = "tree",
        interaction_cst: Any = None,
        quant_bnb: QuantBnB | None = None,
        quantiles: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.split_penalty = split_penalty
        self.penalize = penalize
        self.criterion = criterion
        self.quantile = quantile
        self.leaf = leaf
        self.linear_features = linear_features
        self.ridge = ridge
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
        self.shape = shape
        self.interaction_cst = interaction_cst
        self.quant_bnb = quant_bnb
        self.quantiles = quantiles
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        proof: str | os.PathLike[str] | None = None,
    ) -> OptimalTreeRegressor:
        """Find a tree with the lowest cost, and prove that it is optimal.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            A NumPy array, a pandas, Polars or Arrow table, or a list of rows. Or a
            table that is not in memory: the path of a Parquet, CSV or Arrow file, a
            pattern such as ``"sales/*.parquet"``, a DuckDB relation, an Arrow dataset
            or a Dask data frame; y is then the name of a column.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), str or list
            Finite numbers; or the name of the column of X that holds them. For a table
            that is not in memory also a list of names.
        sample_weight : array-like of shape (n_samples,), str or None, default=None
            Weights of the rows, or the name of the column of X that contains them. Rows
            of weight zero are left out.
        proof : path or None, default=None
            The file to which a proof is written, for `treeproof.proof.check`; None for
            no proof.

        Returns
        -------
        OptimalTreeRegressor
            The fitted estimator.
        """
        self._validate_params()
        check_restrictions(self, proof=proof)
        check_top(self, proof)
        whole = proof is not None or bool(restrictions(self))
        deadline = self._deadline(whole=whole)
        self._check_criterion()
        data, reading = self._read(X, y, sample_weight, deadline)
        self._check_provable(proof, reading, data.table)
        check_lines(self, data, reading)
        leaf = self._leaf(data)
        if proof is not None:
            _check_unit(leaf)
            if isinstance(leaf, LineFit):
                check_line_proof(self, data, leaf)
        prepared = self._prepared(data, leaf, reading, deadline)
        with ExitStack() as stack:
            history, observer = stack.enter_context(observing(bool(self.verbose)))
            writer = None if proof is None else stack.enter_context(ProofFile(proof))
            task = replace(
                prepared.task,
                observer=observer,
                ladder=climbing(lambda splits: prepared.grow(splits)[0]),
                proof_log="" if writer is None else writer.log,
            )
            name, found, provable = solve_task(
                self.solver, task, prove=writer is not None
            )
            prepared.keep(name, found, history)
            if writer is not None and provable is not None:
                self.stats_ |= self._prove(writer, provable, data, leaf)
        self._keep_problem(prepared)
        say_result(self)
        return self

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Prepared[RegressionTask]:
        """Read the data and state the problem, as `fit` does, without solving it."""
        self._validate_params()
        self._check_criterion()
        for name in [
            *restrictions(self),
            *(['leaf="linear"'] * (self.leaf == "linear")),
        ]:
            raise ValueError(
                f"{name} has no path of penalties yet; fit it with each penalty."
            )
        deadline = self._deadline(whole=False)
        data, reading = self._read(X, y, sample_weight, deadline)
        return self._prepared(data, self._leaf(data), reading, deadline)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, deadline: Deadline
    ) -> tuple[RegressionData, Mapping[str, Any]]:
        """Read the data; return them with figures about the reading."""
        memory = parse_memory(self.memory_limit)
        return regression_data(self, X, y, sample_weight, memory, deadline)

    def _leaf(self, data: RegressionData) -> LeafFit:
        """Return the predictions of leaves and their losses."""
        if self.criterion == "poisson":
            check_not_negative(data.targets)
        if self.leaf == "linear":
            numbers, columns = line_columns(self.linear_features, data.table)
            ridge = float(self.ridge)
            return LineFit(data.targets, data.weights, columns, numbers, ridge)
        leaf = LeafFit(self.criterion, data.targets, data.weights, self._levels())
        leaf.check_digits()
        return leaf

    def _prepared(
        self,
        data: RegressionData,
        leaf: LeafFit,
        reading: Mapping[str, Any],
        deadline: Deadline,
    ) -> Prepared[RegressionTask]:
        """Return the problem, ready to be solved."""
        task = RegressionTask(
            **self._question(data.table, parse_memory(self.memory_limit), deadline),
            table=data.table,
            weights=data.weights,
            samples=data.samples,
            targets=data.targets,
            criterion="linear"
            if isinstance(leaf, LineFit)
            else _ENGINE_CRITERIA.get(self.criterion, self.criterion),
            lines=leaf.columns if isinstance(leaf, LineFit) else None,
            ridge=float(self.ridge),
            levels=self._levels() if self.criterion == "quantile" else (),
            shape=shape_of(self, data.table),
        )

        def grow(splits: SplitTable) -> tuple[Tree, float]:
            return grow_numbers(splits, data, leaf)

        def keep(name: str, found: Answer, history: History) -> None:
            self._keep(name, found, data, leaf, reading, history)

        return Prepared(task, grow, keep)

    def _check_criterion(self) -> None:
        """Refuse parameters that cannot be combined with the criterion."""
        if self.leaf == "linear":
            check_line_parameters(self)
        if self.solver == "quant-bnb" and self.criterion not in _QUANT_BNB:
            raise ValueError(
                f'solver="quant-bnb" does not know criterion="{self.criterion}"; use '
                'solver="auto".'
            )

    def _prove(
        self, writer: ProofFile, provable: Provable, data: RegressionData, leaf: LeafFit
    ) -> dict[str, Any]:
        """Write the proof; return figures for `stats_`."""
        limits = self._proved_limits() | {"max_depth": provable.task.max_depth}
        header = regression_header(data, leaf, provable.proved, leaf.root_loss, limits)
        return self._write_argument(writer, provable, header, leaf.root_loss)

    def _keep(
        self,
        name: str,
        found: Answer,
        data: RegressionData,
        leaf: LeafFit,
        reading: Mapping[str, Any],
        history: History,
    ) -> None:
        self.n_outputs_ = data.targets.shape[1]
        self._set_statistics(name, found, data, reading)
        tree, loss = grow_numbers(found["tree"], data, leaf)
        self._set_certificate(
            tree,
            objective=loss + self.split_penalty * tree.n_penalties(self.penalize),
            lower=found["lower"] / found["unit"],
            proved=found["lower"] == found["upper"],
            status=found["status"],
            found=found,
        )
        bounds = self.lower_bound_, self.objective_
        history.finish(found["seconds"], *bounds, self.certificates_)
        self.history_ = history


def _check_unit(leaf: LeafFit) -> None:
    """Refuse a proof whose costs would be beyond double precision."""
    least, most = _PROVABLE
    if leaf.single_leaf > 0.0 and not least < leaf.root_loss < most:
        raise ValueError(
            f"The loss of a single leaf is {leaf.root_loss:g} in the unit of the "
            "targets and weights, beyond what a proof can state; rescale the targets "
            "or the weights, or fit without proof."
        )
