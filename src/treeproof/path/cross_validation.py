"""Choosing on the path of penalties by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    clone,
    is_classifier,
)
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import Tags, _safe_indexing, get_tags, indexable
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treeproof.border.labels import read_labels
from treeproof.estimators.classifier import OptimalTreeClassifier
from treeproof.estimators.regressor import OptimalTreeRegressor
from treeproof.offered import Offers
from treeproof.parameters import counts_errors
from treeproof.path.budget import Budget, one_warning
from treeproof.path.progress import FoldsBar
from treeproof.path.result import PathPoint, PenaltyPath
from treeproof.path.tracing import penalty_path
from treeproof.sources.training import source_for, split_table

__all__ = ["OptimalTreeClassifierCV", "OptimalTreeRegressorCV"]


_WHOLE = 0.3  # share of the time for the path of all rows; the folds share the rest


class _ChosenByCV(Offers, MetaEstimatorMixin, BaseEstimator):
    """Base of both estimators: fit the path, score it on folds, keep one tree."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [OptimalTreeClassifier, OptimalTreeRegressor, None],
        "low": [Interval(Real, 0, None, closed="left")],
        "high": [Interval(Real, 0, None, closed="left")],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "one_standard_error": ["boolean"],
        "n_jobs": [Integral, None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "verbose": ["verbose"],
    }

    estimator_: Any
    path_: PenaltyPath
    split_penalty_: float
    cv_results_: dict[str, NDArray[Any]]
    best_index_: int

    def __init__(
        self,
        estimator: Any = None,
        *,
        low: float = 0.005,
        high: float = 1.0,
        cv: Any = None,
        scoring: Any = None,
        one_standard_error: bool = False,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.low = low
        self.high = high
        self.cv = cv
        self.scoring = scoring
        self.one_standard_error = one_standard_error
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.verbose = verbose

    def _base(self) -> Any:
        raise NotImplementedError

    def _labels(self, y: Any) -> Any:
        """Return the targets in a form that scikit-learn's scorers accept."""
        return y

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the path of all rows, and choose the tree with the best held-out score.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table in memory, as for the estimator without CV.
        y : array-like of shape (n_samples,), or str
            Labels or numbers; or the name of the column of X that holds them.
        sample_weight : array-like of shape (n_samples,), str or None, default=None
            Weights of the rows, for the trees and for the scores.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        if source_for(X, y) is not None:
            raise ValueError(
                "Cross-validation needs a table in memory; read the file first."
            )
        X, y, sample_weight = split_table(X, y, sample_weight)
        if not isinstance(X, Mapping):
            X, y = indexable(X, y)
        y = self._labels(y)
        base = self._base()
        with one_warning(type(self).__name__):
            seconds = base.time_limit if self.time_limit is None else self.time_limit
            budget = Budget(seconds)
            first = budget.share(_WHOLE)
            shown = bool(self.verbose or base.verbose)
            with FoldsBar(shown, whole=_WHOLE, seconds=first) as bar:
                limits = self._limits(base, first)
                self.path_ = penalty_path(X, y, sample_weight, **limits)
                scores = self._scores(X, y, sample_weight, base, budget, bar)
        self.cv_results_ = _results(self.path_, scores)
        self.best_index_ = self._choose(scores)
        self.estimator_ = self.chosen_.model
        self.split_penalty_ = self.chosen_.penalty
        self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        return self

    def _limits(self, base: Any, seconds: float | None) -> dict[str, Any]:
        """Return the arguments of a path: its range, and an estimator with its time."""
        timed = clone(base).set_params(time_limit=seconds, verbose=False)
        return {"low": self.low, "high": self.high, "estimator": timed}

    def _scores(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        base: Any,
        budget: Budget,
        bar: FoldsBar,
    ) -> NDArray[np.float64]:
        """Return the score of each point of the path (rows) on each fold."""
        labels = np.asarray(y)
        if len(labels) < 2:
            raise ValueError(
                f"n_samples={len(labels)} is too few for cross-validation; "
                "fit the estimator without CV."
            )
        splitter = check_cv(self.cv, labels, classifier=is_classifier(base))
        folds = list(splitter.split(np.zeros(len(labels)), labels))
        penalties = [point.penalty for point in self.path_]
        scorer = self._scorer(base)
        # Folds that are worked on at the same time share the time that is left.
        at_once = min(effective_n_jobs(self.n_jobs), len(folds))
        limits = self._limits(base, budget.share(at_once / len(folds)))
        work = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
            delayed(_score_fold)(
                X, y, sample_weight, train, test, penalties, scorer, limits
            )
            for train, test in folds
        )
        return np.column_stack(list(bar.folds(work, len(folds))))

    def _scorer(self, base: Any) -> Any:
        """Return what to choose by; None for the estimator's own score.

        By default that is what the trees are fitted for.
        """
        if self.scoring is not None:
            return check_scoring(base, self.scoring)
        if getattr(base, "metric", "accuracy") == "balanced_accuracy":
            return check_scoring(base, "balanced_accuracy")
        if is_classifier(base) and not counts_errors(base):
            return _negative_cost
        return None

    def _choose(self, scores: NDArray[np.float64]) -> int:
        """Return the best point, or the smallest tree within one standard error."""
        mean = scores.mean(axis=1)
        best = int(np.argmax(mean))
        if not self.one_standard_error or scores.shape[1] < 2:
            return best
        error = float(scores[best].std(ddof=1)) / math.sqrt(scores.shape[1])
        return int(np.argmax(mean >= mean[best] - error))

    @property
    def chosen_(self) -> PathPoint:
        """The point of the path that was chosen."""
        check_is_fitted(self, "path_")
        point: PathPoint = self.path_[self.best_index_]
        return point

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict with the chosen tree.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict(X))

    def plot_path(self, ax: Any = None) -> Any:
        """Draw training loss and validation score against splits.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib axes
        """
        from treeproof.path.plot import plot_choice

        check_is_fitted(self, "estimator_")
        return plot_choice(self, ax)

    def __getattr__(self, name: str) -> Any:
        """All other attributes and methods are those of the chosen tree."""
        if name.startswith("_") or "estimator_" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            )
        return getattr(self.estimator_, name)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        tags.target_tags.multi_output = get_tags(self._base()).target_tags.multi_output
        return tags


class OptimalTreeClassifierCV(ClassifierMixin, _ChosenByCV):
    """An optimal classification tree whose penalty is chosen by cross-validation.

    The path of all optimal trees is computed on all rows and on each training fold, so
    that every penalty is tried, not only a grid.

    Parameters
    ----------
    estimator : OptimalTreeClassifier or None, default=None
        The estimator whose parameters are used, except for the penalty.
    low, high : float, default=0.005 and 1.0
        The range of penalties.
    cv : int, splitter, iterable or None, default=None
        The folds, as in scikit-learn; None for five folds.
    scoring : str, callable or None, default=None
        The score that is maximised, as in scikit-learn; None for accuracy, for the
        mean cost if the estimator has costs, and for balanced accuracy if that is its
        metric.
    one_standard_error : bool, default=False
        Choose the smallest tree whose mean score is within one standard error of the
        best one (Breiman and others, 1984).
    n_jobs : int or None, default=None
        The number of folds that are processed in parallel, in threads, through joblib.
    time_limit : float or None, default=None
        Seconds for all of the work, the folds included; None for the time limit of the
        estimator.
    verbose : bool, default=False
        Show a bar of how much of the work is done: first the path of all rows, then
        the folds.

    Attributes
    ----------
    split_penalty_ : float
        The chosen penalty.
    estimator_ : OptimalTreeClassifier
        The chosen tree, fitted on all rows, with its certificate. Its attributes and
        methods are available on this object too: ``tree_``, ``plot()``, ``to_sql()``,
        ``near_optimal()``.
    path_ : PenaltyPath
        The path of all rows.
    chosen_ : PathPoint
        The point of the path that was chosen; ``best_index_`` is its number.
    cv_results_ : dict of ndarray
        For each point of the path: penalty, number of splits, the score on each fold,
        mean, standard deviation and rank.
    classes_ : ndarray
        The class labels.
    n_features_in_ : int
        Number of columns of the training table.
    feature_names_in_ : ndarray
        The names of these columns, if the table had names.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone. "Classification and
    Regression Trees." Wadsworth, 1984, section 3.4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treeproof import OptimalTreeClassifier, OptimalTreeClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OptimalTreeClassifierCV(OptimalTreeClassifier(max_depth=3)).fit(X, y)
    >>> clf.n_splits_, clf.optimal_
    (3, True)
    """

    def _base(self) -> Any:
        base = OptimalTreeClassifier() if self.estimator is None else self.estimator
        if not isinstance(base, OptimalTreeClassifier):
            raise TypeError(
                f"estimator is an {type(base).__name__}; OptimalTreeClassifierCV needs "
                "a classifier."
            )
        return base

    def _labels(self, y: Any) -> Any:
        if getattr(getattr(y, "dtype", None), "kind", None) != "O":
            return y
        classes, codes = read_labels(y, type(self).__name__)
        return classes[codes]

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels."""
        check_is_fitted(self, "estimator_")
        classes: NDArray[Any] = self.estimator_.classes_
        return classes

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of the weight in each row's leaf.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict_proba(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithm of the class probabilities.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Rows with the columns of the training table.
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict_log_proba(X))


class OptimalTreeRegressorCV(RegressorMixin, _ChosenByCV):
    """An optimal regression tree whose penalty is chosen by cross-validation.

    See `OptimalTreeClassifierCV`, which has the same parameters and attributes; the
    estimator is an `OptimalTreeRegressor`, and the score is R squared by default.

    Examples
    --------
    >>> from treeproof import OptimalTreeRegressorCV
    >>> X, y = [[i] for i in range(30)], [0.0] * 10 + [5.0] * 20
    >>> model = OptimalTreeRegressorCV(cv=3).fit(X, y)
    >>> model.n_splits_, model.predict([[3], [20]])
    (1, array([0., 5.]))
    """

    def _base(self) -> Any:
        base = OptimalTreeRegressor() if self.estimator is None else self.estimator
        if not isinstance(base, OptimalTreeRegressor):
            raise TypeError(
                f"estimator is an {type(base).__name__}; OptimalTreeRegressorCV needs "
                "a regressor."
            )
        return base


def _negative_cost(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    return -float(model.mean_cost(X, y, sample_weight))


def _score_fold(
    X: Any,
    y: Any,
    sample_weight: Any,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    penalties: list[float],
    scorer: Any,
    limits: dict[str, Any],
) -> list[float]:
    """Return the score on one fold of the tree for each penalty."""
    weights = None if sample_weight is None else np.asarray(sample_weight)
    path = penalty_path(
        _take(X, train),
        _take(y, train),
        None if weights is None else weights[train],
        **limits,
    )
    held_out = _take(X, test), _take(y, test)
    extra = {} if weights is None else {"sample_weight": weights[test]}
    scores: dict[Any, float] = {}
    out = []
    for penalty in penalties:
        point = path.at(penalty)
        if point.exact_interval not in scores:
            score = point.model.score if scorer is None else scorer
            rows = held_out if scorer is None else (point.model, *held_out)
            scores[point.exact_interval] = float(score(*rows, **extra))
        out.append(scores[point.exact_interval])
    return out


def _take(table: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of any table that fits in memory, or of a column."""
    if isinstance(table, Mapping):
        return {name: _take(column, rows) for name, column in table.items()}
    if type(table).__module__.split(".")[0] == "pyarrow":
        return table.take(rows)
    return _safe_indexing(table, rows)


def _results(path: PenaltyPath, scores: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    mean = scores.mean(axis=1)
    return {
        "penalty": np.array([p.penalty for p in path]),
        "n_splits": np.array([p.n_splits for p in path]),
        **{f"split{k}_test_score": column for k, column in enumerate(scores.T)},
        "mean_test_score": mean,
        "std_test_score": scores.std(axis=1),
        "rank_test_score": 1 + (mean[None, :] > mean[:, None]).sum(axis=1),
    }
