"""The optimal survival tree as an estimator with scikit-survival's interface."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from treeproof.border import read_regression_data
from treeproof.border.labels import read_weights
from treeproof.border.lifetimes import read_lifetimes
from treeproof.estimators.base import common_constraints
from treeproof.estimators.encoded_export import EncodedExport
from treeproof.estimators.given_top import check_top
from treeproof.limits import parse_memory
from treeproof.parameters import wanted
from treeproof.proof.writer import ProofFile, regression_header
from treeproof.solving.answer import Answer
from treeproof.solving.leaf_fit import LeafFit
from treeproof.solving.observers import History, climbing, observing
from treeproof.solving.progress import say_result
from treeproof.solving.proving import solve_task
from treeproof.solving.quant_bnb import QuantBnB
from treeproof.solving.solvers import RegressionTask
from treeproof.survival.curves import StepFunction, concordance, nelson_aalen
from treeproof.survival.problem import LifetimeProblem

__all__ = ["OptimalSurvivalTree"]


class OptimalSurvivalTree(EncodedExport):
    """A survival tree with a proof that no better one exists.

    Let H be the cumulative hazard of all training rows (Nelson and Aalen's estimate).
    A row that is at risk from its entry a to its time t is exposed to E = H(t) - H(a).
    Every leaf multiplies the hazard by one factor, its *risk*: events over exposure of
    its rows. The loss of a tree is its deviance under this model of proportional
    hazards, and among all trees allowed by the parameters, `fit` finds one of least

        cost = loss / loss of a single leaf + split_penalty * (leaves - 1),

    over every threshold of every column, and proves that no tree costs less. If a limit
    ends the search early, the best tree found so far is kept together with a true lower
    bound.

    Parameters
    ----------
    split_penalty : float in [0, 1], default=0.01
        What one further leaf costs, as a fraction of the loss of a tree without
        splits: it must explain at least this share to pay off.
    penalize : {"leaves", "splits"}, default="leaves"
        What `split_penalty` is charged for: every leaf but one, or every split once,
        however many children it has.
    max_depth : int or None, default=None
        The maximum depth of the tree; None for no limit.
    max_splits : int or None, default=None
        The maximum number of splits in the tree; None for no limit.
    min_samples_leaf : int, default=1
        Fewest training rows in a leaf. Rows of weight zero, and rows that were at risk
        at no event and so say nothing, do not count.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are categorical; as in `OptimalTreeRegressor`.
    categorical_split : {"auto", "either", "multiway", "one-vs-rest", "subset"}, \
            default="auto"
        How categorical columns are split; as in `OptimalTreeRegressor`.
    missing : {"best-side", "branch", "error"}, default="best-side"
        What to do with missing values of columns; as in `OptimalTreeRegressor`.
    first_split : str, int or None, default=None
        Name or number of the column that the first split must test; None leaves it to
        the search.
    prefix : dict or None, default=None
        The top of the tree, which the search completes; see
        `treeproof.OptimalTreeClassifier`.
    allowed_features : list or None, default=None
        Names or numbers of the columns that splits may test; None for all.
    time_limit : float or None, default=60.0
        Seconds after which the fit ends with the best tree it has; None for no limit.
    tolerance : float or str, default=0.0
        The gap at which the search may end; see `treeproof.OptimalTreeClassifier`.
    memory_limit : int, str or None, default=None
        Bytes, or text such as "500MB" or "2GB", that the whole process should keep to;
        None for no limit.
    n_jobs : int or None, default=1
        Number of threads; -1 for all processors. The optimum does not depend on it.
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
    objective_, lower_bound_, gap_ : float
        The cost of the tree, what no tree undercuts, and the difference.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted"}
        Why the search ended.
    n_splits_ : int
        Number of splits of the tree.
    tree_ : Tree
        The tree itself; the value of a node is its risk.
    unique_times_ : ndarray
        The times of the training rows, at which `predict_survival_function` and
        `predict_cumulative_hazard_function` give their arrays.
    cumulative_baseline_hazard_ : StepFunction
        H, the cumulative hazard of all training rows.
    curves_ : dict of int to StepFunction
        For every leaf, by its node number, the Kaplan-Meier curve of its rows.
    mean_loss_ : float
        The loss of the tree, without penalties, for each unit of weight.
    stats_ : dict
        The solver's name, its time, and its counters.
    history_ : History
        How the bounds closed over time; ``history_.plot()`` draws it.
    n_features_in_ : int
        Number of columns of the training table.
    feature_names_in_ : ndarray
        Their names, if the table had any.

    References
    ----------
    M. LeBlanc, J. Crowley. "Relative risk trees for censored survival data."
    Biometrics, 1992.

    T. Huisman, J. G. M. van der Linden, E. Demirović. "Optimal survival trees: a
    dynamic programming approach." AAAI, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from treeproof.survival import OptimalSurvivalTree
    >>> X = np.repeat([[0.0], [1.0]], 6, axis=0)
    >>> y = np.array(
    ...     [(True, t) for t in (1, 2, 3, 4, 5, 6)]
    ...     + [(t < 20, t) for t in (9, 12, 14, 18, 20, 20)],
    ...     dtype=[("event", bool), ("time", float)],
    ... )
    >>> model = OptimalSurvivalTree(max_depth=1).fit(X, y)
    >>> print(model.export_text())
    12 rows
    ├── x0 <= 0.5: risk 2.8836   6 rows (50%)
    └── x0 > 0.5: risk 0.505097   6 rows (50%)
    >>> model.score(X, y) > 0.7
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: allowed
        for name, allowed in common_constraints({"threshold"}).items()
        if name not in ("solver", "quantiles")
    }
    solver = "threshold"  # the only engine that can

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
        prefix: dict[str, Any] | None = None,
        allowed_features: Any = None,
        time_limit: float | None = 60.0,
        tolerance: float | str = 0.0,
        memory_limit: int | str | None = None,
        n_jobs: int | None = 1,
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
        self.prefix = prefix
        self.allowed_features = allowed_features
        self.time_limit = time_limit
        self.tolerance = tolerance
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def _real_costs(self) -> bool:
        return True

    def _quant_options(self) -> QuantBnB:
        return QuantBnB()

    def fit(
        self,
        X: Any,
        y: Any,
        entry: Any = None,
        sample_weight: Any = None,
        *,
        proof: str | os.PathLike[str] | None = None,
    ) -> OptimalSurvivalTree:
        """Find a tree of least cost, with proof.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A NumPy array, a pandas, Polars or Arrow table, or a list of rows; values
            may be missing.
        y : structured array of shape (n_samples,)
            Two fields: whether the event was seen (boolean), and the time of the event
            or of the end of observation. Or plain times, if every event was seen.
        entry : array-like of shape (n_samples,) or None, default=None
            The time from which each row was observed, if later than the start (left
            truncation); None if all were from the start.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows; rows of weight zero are left out.
        proof : path or None, default=None
            The file to which a proof is written, for `treeproof.proof.check`; None for
            no proof.

        Returns
        -------
        OptimalSurvivalTree
            The fitted estimator.
        """
        self._validate_params()
        check_top(self, proof)
        deadline = self._deadline(whole=True)
        memory = parse_memory(self.memory_limit)
        rows = read_lifetimes(y, entry, type(self).__name__)
        weights = read_weights(sample_weight, len(rows.time))
        hazard = nelson_aalen(rows.take(weights > 0), weights[weights > 0])
        exposure = np.asarray(hazard(rows.time)) - np.asarray(hazard(rows.entry))
        exposed = (exposure > 0) & (weights > 0)
        targets = np.divide(
            rows.event, exposure, out=np.zeros(len(exposure)), where=exposed
        )
        data = read_regression_data(
            self,
            X,
            targets,
            weights * exposure,
            wanted=wanted(self),
            deadline=deadline,
        )
        keep = weights * exposure > 0
        self.unique_times_ = np.unique(rows.time[weights > 0])
        self.cumulative_baseline_hazard_ = hazard
        leaf = LeafFit("poisson", data.targets, data.weights)
        problem = LifetimeProblem(data, leaf, rows.take(keep), weights[keep])
        self._check_provable(proof, {}, data.table)
        with ExitStack() as stack:
            history, observer = stack.enter_context(observing(bool(self.verbose)))
            writer = None if proof is None else stack.enter_context(ProofFile(proof))
            task = RegressionTask(
                **self._question(data.table, memory, deadline),
                table=data.table,
                weights=data.weights,
                targets=data.targets,
                criterion="poisson",
                observer=observer,
                ladder=climbing(lambda splits: problem.grow(splits)[0]),
                proof_log="" if writer is None else writer.log,
            )
            name, found, provable = solve_task(
                self.solver, task, prove=writer is not None
            )
            self._keep(name, found, problem, history)
            if writer is not None and provable is not None:
                limits = self._proved_limits()
                limits["max_depth"] = provable.task.max_depth
                header = regression_header(
                    data, leaf, provable.proved, leaf.root_loss, limits, "survival"
                )
                self.stats_ |= self._write_argument(
                    writer, provable, header, leaf.root_loss
                )
        say_result(self)
        return self

    def _keep(
        self, name: str, found: Answer, problem: LifetimeProblem, history: History
    ) -> None:
        self._set_statistics(name, found, problem.data, {})
        tree, loss = problem.grow(found["tree"])
        self._set_certificate(
            tree,
            objective=loss + self.split_penalty * tree.n_penalties(self.penalize),
            lower=found["lower"] / found["unit"],
            proved=found["lower"] == found["upper"],
            status=found["status"],
            found=found,
        )
        total = float(problem.weights.sum())
        self.mean_loss_ = loss * problem.leaf.root_loss / total
        self.curves_ = problem.curves(tree)
        bounds = self.lower_bound_, self.objective_
        history.finish(found["seconds"], *bounds, self.certificates_)
        self.history_ = history

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the risk of each row: how many times the hazard of all rows it has.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,)
            Risks; higher is worse.
        """
        leaf = self.apply(X)
        return self.tree_.value[leaf, 0]

    def predict_cumulative_hazard_function(
        self, X: Any, return_array: bool = False
    ) -> NDArray[Any]:
        """Predict the cumulative hazard of each row: its risk times that of all rows.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        return_array : bool, default=False
            Return the values at `unique_times_` instead of functions.

        Returns
        -------
        ndarray
            One `StepFunction` for each row, or their values, one row for each.
        """
        return self._functions(X, return_array, lambda hazard, risk: risk * hazard, 0.0)

    def predict_survival_function(
        self, X: Any, return_array: bool = False
    ) -> NDArray[Any]:
        """Predict for each row how likely it is to survive each time.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        return_array : bool, default=False
            Return the values at `unique_times_` instead of functions.

        Returns
        -------
        ndarray
            One `StepFunction` for each row, or their values, one row for each.
        """
        return self._functions(
            X, return_array, lambda hazard, risk: np.exp(-risk * hazard), 1.0
        )

    def _functions(
        self, X: Any, return_array: bool, curve: Any, before: float
    ) -> NDArray[Any]:
        risks, place = np.unique(self.predict(X), return_inverse=True)
        times = self.unique_times_
        hazard = np.asarray(self.cumulative_baseline_hazard_(times))
        values = [curve(hazard, risk) for risk in risks]
        if return_array:
            return np.asarray(values).reshape(-1, len(times))[place]
        functions = np.empty(len(values), dtype=object)
        functions[:] = [StepFunction(times, value, before) for value in values]
        return functions[place]

    def score(self, X: Any, y: Any) -> float:
        """Return Harrell's index of concordance of the predicted risks.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        y : structured array of shape (n_samples,)
            Events and times, as in `fit`.

        Returns
        -------
        float
            One half for risks that say nothing, 1 for the right order.
        """
        check_is_fitted(self, "tree_")
        rows = read_lifetimes(y, None, type(self).__name__)
        return concordance(rows.event, rows.time, self.predict(X))

    def plot_curves(self, figure: Any = None) -> Any:
        """Draw the tree, and below it the Kaplan-Meier curve of every leaf.

        Needs ``pip install 'treeproof[plot]'``. The dashed line is what the tree
        predicts for the leaf, the grey one the curve of all rows.

        Parameters
        ----------
        figure : matplotlib figure, optional
            Where to draw; a new one by default.

        Returns
        -------
        matplotlib figure
            With one axes for the tree and one for each leaf, in its order.
        """
        from treeproof.survival.plot import plot_curves

        check_is_fitted(self, "tree_")
        return plot_curves(self, figure)

    def to_sklearn(self, *, unseen: bool = True) -> Any:
        """Return a scikit-learn regression tree that predicts the same risks.

        Parameters
        ----------
        unseen : bool, default=True
            Whether the tree has leaves for unseen categories.

        Returns
        -------
        DecisionTreeRegressor
            It takes ``model.encode(X)``; see `OptimalTreeRegressor.to_sklearn`.
        """
        return self._sklearn_tree(unseen).set_params(criterion="poisson")

    def _extra_state(self) -> dict[str, Any]:
        """Return what a model file has beside the tree."""
        return {
            "unique_times": self.unique_times_.tolist(),
            "mean_loss": self.mean_loss_,
            "hazard": _to_pairs(self.cumulative_baseline_hazard_),
            "curves": {str(node): _to_pairs(f) for node, f in self.curves_.items()},
        }

    def _read_extra_state(self, state: Mapping[str, Any]) -> None:
        self.unique_times_ = np.asarray(state["unique_times"], dtype=np.float64)
        self.mean_loss_ = float(state["mean_loss"])
        self.cumulative_baseline_hazard_ = _from_pairs(state["hazard"], 0.0)
        self.curves_ = {
            int(node): _from_pairs(pairs, 1.0)
            for node, pairs in state["curves"].items()
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags


def _to_pairs(function: StepFunction) -> list[list[float]]:
    return [function.x.tolist(), function.y.tolist()]


def _from_pairs(pairs: Any, before: float) -> StepFunction:
    x, y = (np.asarray(values, dtype=np.float64) for values in pairs)
    if x.ndim != 1 or x.shape != y.shape or not np.isfinite([x, y]).all():
        raise ValueError("A curve of the model is not a list of times and values.")
    return StepFunction(x, y, before)
