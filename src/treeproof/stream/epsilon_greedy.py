"""EGDT: Monte Carlo tree search over trees with an epsilon-greedy policy."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from treeproof.stream.monte_carlo import MonteCarloTreeClassifier

__all__ = ["EpsilonGreedyTreeClassifier"]


class EpsilonGreedyTreeClassifier(MonteCarloTreeClassifier):
    """Monte Carlo search for the optimal sparse tree of a stream (EGDT).

    The search goes from a single leaf, split by split, to a tree, observes
    `samples_per_simulation` rows in it, and estimates from them the values of the
    splits on its path. At a tree visited ``v`` times it makes a random split with
    probability ``1 / v ** gamma``, and the best one otherwise. It never ends;
    predictions come from the best tree so far.

    Parameters
    ----------
    split_penalty : float, default=0.01
        The cost of each split, as a fraction of the rows.
    samples_per_simulation : int, default=100
        The number of rows observed in each tree that is tried.
    gamma : float, default=0.1
        How fast random choices become rarer, in (0, 1]; a smaller value explores more.
    numeric_features : "auto" or collection of names, default="auto"
        Which features are numeric and split by ``x <= t``; all others are categories,
        with one child for each. "auto": those whose first value is a number; text and
        booleans are categories.
    categorical_features : collection of names or None, default=None
        Features that are categories although their values are numbers, such as codes.
    numeric_bins : int, default=16
        The maximum number of quantiles at which a numeric feature is split.
    max_categories : int, default=50
        The maximum number of categories of a feature; further ones are treated as one
        category, *other*.
    max_features : int, default=10000
        The maximum number of features; those that appear later are ignored.
    memory_limit : int or str or None, default="128MB"
        The memory limit of the search. When it is reached, what was used least is
        dropped.
    drift_detector : "auto", None or detector, default="auto"
        A drift detector with River's interface. It is updated with the errors of the
        predictions made before learning each row. "auto" is ADWIN if River is
        installed, and None otherwise.
    on_drift : "restart" or "reweight", default="restart"
        What to do when the error rate rises: forget the past, or keep it at
        `drift_discount` of its weight.
    drift_discount : float, default=0.1
        See `on_drift`.
    seed : int or None, default=None
        The seed of the random choices; a run with the same seed and the same stream is
        reproducible.

    Attributes
    ----------
    tree_ : Tree
        The current tree, which makes the predictions.
    n_splits_ : int
        Its splits.
    n_drifts_ : int
        How often a drift made the learner start again.
    stats_ : dict
        Counters.

    See Also
    --------
    OnlineBranchesClassifier, UpperConfidenceTreeClassifier, ThompsonTreeClassifier

    References
    ----------
    Chaouki, *Optimal Decision Trees via Search*, thesis, 2024, chapter 5.

    Examples
    --------
    >>> from treeproof.stream import EpsilonGreedyTreeClassifier
    >>> from treeproof.stream.datasets import xor
    >>> model = EpsilonGreedyTreeClassifier(split_penalty=0.01, seed=1)
    >>> for x, y in xor(n_features=50, seed=1, n_samples=20_000):
    ...     model.learn_one(x, y)
    >>> model.n_splits_, model.predict_one({"x0": 1, "x1": 0})
    (3, 1)
    """

    _kind: ClassVar[str] = "epsilon_greedy"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MonteCarloTreeClassifier._parameter_constraints,
        "gamma": [Interval(Real, 0, 1, closed="right")],
    }
