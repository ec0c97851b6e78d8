"""The optimal policy tree for data in which every row had one treatment."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from treeproof.estimators.action_tree import Path
from treeproof.limits import parse_memory, thread_count
from treeproof.policy.base import PolicyTree, policy_constraints
from treeproof.policy.observed import Observed, read_observed
from treeproof.policy.scores import METHODS, clipped, cross_fit, score, together
from treeproof.sources.training import reward_data

__all__ = ["OptimalDRPolicyTree"]


class OptimalDRPolicyTree(PolicyTree):
    """A tree that recommends treatments, learnt from observed treatments and outcomes.

    Every row has one treatment T and one outcome Y, more being better. The rewards that
    the other treatments would have had are estimated (by default with doubly robust
    scores, from two models that are cross-fitted), and then `fit` finds the tree of the
    greatest mean estimated reward, with a proof that no tree has more.

    Parameters
    ----------
    model_regression : estimator or "auto", default="auto"
        A scikit-learn regressor for the outcome. It is fitted to the columns of X and
        W, categories as zeros and ones, and one column for each treatment but the
        first. "auto" is `sklearn.ensemble.HistGradientBoostingRegressor`.
    model_propensity : estimator or "auto", default="auto"
        A scikit-learn classifier for the treatment, with ``predict_proba``. "auto" is a
        logistic regression on scaled columns. If treatments were assigned at random, a
        `sklearn.dummy.DummyClassifier` is sufficient.
    method : {"doubly_robust", "inverse_propensity", "direct"}, default="doubly_robust"
        How rewards are estimated; see `treeproof.policy.scores`.
    min_propensity : float, default=1e-6
        Smaller propensities are raised to this value, with a warning.
    categories : "auto" or list, default="auto"
        The treatments; the others are compared with the first one. "auto" for all that
        occur in T, sorted.
    cv : int, splitter, iterable or None, default=2
        The folds for cross-fitting: the number of folds, a splitter of scikit-learn, or
        pairs of row numbers; None for 3.
    mc_iters : int or None, default=None
        The number of times the models are fitted, with other folds each time; None for
        once.
    mc_agg : {"mean", "median"}, default="mean"
        How the predictions of several rounds are combined.
    split_penalty, penalize, max_depth, max_splits, min_samples_leaf
        See `OptimalPolicyTree`.
    categorical_features, categorical_split, missing, first_split, prefix
        See `OptimalPolicyTree`.
    allowed_features, solver, tolerance
        See `OptimalPolicyTree`.
    time_limit, memory_limit, n_jobs, quantiles, n_best, verbose
        See `OptimalPolicyTree`. The time limit is that of the search; fitting the
        models comes before it.
    random_state : int, RandomState instance or None, default=None
        The seed for the folds and for the models of "auto". The search makes no random
        choices.

    Attributes
    ----------
    rewards_ : ndarray of shape (n_samples, n_treatments)
        The estimated rewards.
    propensities_ : ndarray of shape (n_samples, n_treatments)
        The estimated propensities, none below ``min_propensity``; not with "direct".
    treatments_ : ndarray of shape (n_treatments,)
        The treatments; the first is the one that `predict_value` compares with.
    policy_value_ : float
        The mean estimated reward of the training rows under the tree's policy.
    always_treat_value_ : ndarray of shape (n_treatments,)
        The mean estimated reward of giving every row the same treatment.
    optimal_, objective_, lower_bound_, gap_, status_, certificates_, proved_depth_
        What was proved; see `OptimalPolicyTree`. It holds for the estimated rewards.
    n_splits_, tree_, trees_, stats_, history_, n_features_in_, feature_names_in_
        See `OptimalPolicyTree`.

    Notes
    -----
    The interface is that of ``econml.policy.DRPolicyTree``, so that most code moves
    over by changing an import. `predict` returns treatments as they are named in T,
    which are numbers from 0 if T has such numbers.

    References
    ----------
    S. Athey, S. Wager. "Policy learning with observational data." Econometrica, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from treeproof.policy import OptimalDRPolicyTree
    >>> random = np.random.default_rng(0)
    >>> age = random.integers(20, 80, 400)
    >>> T = random.choice(["none", "pill"], 400)
    >>> Y = np.where(T == "pill", np.where(age > 50, 1.0, -1.0), 0.0)
    >>> tree = OptimalDRPolicyTree(max_depth=1, random_state=0)
    >>> tree = tree.fit(Y, T, X={"age": age})
    >>> print(tree.to_sql())
    CASE WHEN "age" <= 50.5e0 THEN 'none' ELSE 'pill' END
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **policy_constraints(),
        "model_regression": [HasMethods(["fit", "predict"]), StrOptions({"auto"})],
        "model_propensity": [
            HasMethods(["fit", "predict_proba"]),
            StrOptions({"auto"}),
        ],
        "method": [StrOptions(set(METHODS))],
        "min_propensity": [Interval(Real, 0, 1, closed="neither")],
        "categories": ["array-like", StrOptions({"auto"})],
        "cv": ["cv_object"],
        "mc_iters": [Interval(Integral, 1, None, closed="left"), None],
        "mc_agg": [StrOptions({"mean", "median"})],
    }

    rewards_: NDArray[np.float64]
    propensities_: NDArray[np.float64]

    def __init__(
        self,
        *,
        model_regression: Any = "auto",
        model_propensity: Any = "auto",
        method: str = "doubly_robust",
        min_propensity: float = 1e-6,
        categories: Any = "auto",
        cv: Any = 2,
        mc_iters: int | None = None,
        mc_agg: str = "mean",
        split_penalty: float = 0.0,
        penalize: str = "leaves",
        max_depth: int | None = 2,
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
        quantiles: int | None = None,
        n_best: int = 1,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.model_regression = model_regression
        self.model_propensity = model_propensity
        self.method = method
        self.min_propensity = min_propensity
        self.categories = categories
        self.cv = cv
        self.mc_iters = mc_iters
        self.mc_agg = mc_agg
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
        self.solver = solver
        self.time_limit = time_limit
        self.tolerance = tolerance
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.quantiles = quantiles
        self.n_best = n_best
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        Y: Any,
        T: Any,
        *,
        X: Any = None,
        W: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        proof: Path | None = None,
        distributed: Any = None,
        checkpoint: Path | None = None,
    ) -> OptimalDRPolicyTree:
        """Estimate the rewards, and find the tree of the greatest mean reward.

        Parameters
        ----------
        Y : array-like of shape (n_samples,)
            The outcomes, more being better.
        T : array-like of shape (n_samples,)
            The treatments that were given: text, whole numbers or booleans.
        X : table of shape (n_samples, n_features)
            What the policy may look at.
        W : table of shape (n_samples, n_controls) or None, default=None
            What else the outcome and the treatment may depend on: the models see it,
            the policy does not.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows, for the models and for the tree.
        groups : array-like of shape (n_samples,) or None, default=None
            Rows of one group stay together, if ``cv`` is a splitter that knows groups.
        proof : path or None, default=None
            File for a proof of the tree, given the estimated rewards.
        distributed, checkpoint : default=None
            See `OptimalPolicyTree`.

        Returns
        -------
        OptimalDRPolicyTree
            The fitted estimator.
        """
        self._validate_params()
        observed = read_observed(self, Y, T, X, W, sample_weight, groups)
        with threadpool_limits(thread_count(self.n_jobs)):
            self.rewards_ = self._estimate(observed)
        memory = parse_memory(self.memory_limit)
        files = {"proof": proof, "distributed": distributed, "checkpoint": checkpoint}
        deadline = self._start(files)
        data, reading = reward_data(
            self, X, self.rewards_, sample_weight, memory, deadline
        )
        data.treatments = observed.treatments
        self._fit_rewards(data, reading, deadline, files)
        return self

    def _estimate(self, observed: Observed) -> NDArray[np.float64]:
        """Return the estimated reward of each treatment for each row."""
        rounds = [
            cross_fit(
                self.method,
                observed.features,
                observed.outcomes,
                observed.given,
                observed.treatments,
                observed.folds,
                observed.model_regression,
                observed.model_propensity,
                observed.weights,
            )
            for _ in range(self.mc_iters or 1)
        ]
        found = together(rounds, self.mc_agg)
        self.__dict__.pop("propensities_", None)  # of an earlier fit
        if found.propensities is not None:
            self.propensities_ = clipped(found.propensities, float(self.min_propensity))
            found = replace(found, propensities=self.propensities_)
        return score(
            self.method,
            observed.outcomes,
            observed.given,
            len(observed.treatments),
            found,
        )

    def predict_value(self, X: Any) -> NDArray[np.float64]:
        """Return what each further treatment is worth, compared with the first.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), or source
            Rows with the columns of the training table; see `apply`.

        Returns
        -------
        ndarray of shape (n_samples, n_treatments - 1)
            The mean estimated reward of each treatment but the first among the training
            rows of the row's leaf, minus that of the first.
        """
        rewards = self._mean_rewards(X)
        return rewards[:, 1:] - rewards[:, :1]

    def policy_treatment_names(self, *, treatment_names: Any = None) -> list[str]:
        """Return the names of the treatments, the first one being compared with.

        Parameters
        ----------
        treatment_names : list of str or None, default=None
            Other names, one for each treatment; None for those in T.
        """
        names = [str(name) for name in self.treatments_]
        if treatment_names is None:
            return names
        if len(treatment_names) != len(names):
            raise ValueError(
                f"treatment_names has {len(treatment_names)} names, but there are "
                f"{len(names)} treatments: {', '.join(names)}."
            )
        return list(treatment_names)

    def policy_feature_names(self, *, feature_names: Any = None) -> list[str]:
        """Return the names of the columns that the policy may look at.

        Parameters
        ----------
        feature_names : list of str or None, default=None
            Other names, one for each column; None for those of X.
        """
        check_is_fitted(self, "tree_")
        names = [column.name for column in self.tree_.columns]
        if feature_names is None:
            return names
        if len(feature_names) != len(names):
            raise ValueError(
                f"feature_names has {len(feature_names)} names, but X has {len(names)} "
                "columns."
            )
        return list(feature_names)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.no_validation = True  # fit takes outcomes and treatments first
        return tags
