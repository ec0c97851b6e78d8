"""UCDT: Monte Carlo tree search over trees, guided by upper confidence bounds."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from treeproof.stream.monte_carlo import MonteCarloTreeClassifier

__all__ = ["UpperConfidenceTreeClassifier"]


class UpperConfidenceTreeClassifier(MonteCarloTreeClassifier):
    """Monte Carlo search for the optimal sparse tree of a stream (UCDT).

    The search walks from a single leaf, split by split, to a tree, observes
    `samples_per_simulation` rows in it, and learns from them what the splits on its way
    are worth. It takes the split with the best estimated value plus a bonus
    ``gamma * sqrt(log v(T) / v(T'))`` for trees visited seldom. It never ends; the best
    tree so far predicts.

    Parameters
    ----------
    split_penalty : float, default=0.01
        The cost of each split, as a fraction of the rows.
    samples_per_simulation : int, default=100
        The number of rows observed in each tree that is tried.
    gamma : float, default=0.1
        Weight of the bonus, > 0; more explores more.
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
    OnlineBranchesClassifier, EpsilonGreedyTreeClassifier, ThompsonTreeClassifier

    References
    ----------
    Chaouki, *Optimal Decision Trees via Search*, thesis, 2024, chapter 5.

    Examples
    --------
    >>> from treeproof.stream import UpperConfidenceTreeClassifier
    >>> from treeproof.stream.datasets import xor
    >>> model = UpperConfidenceTreeClassifier(split_penalty=0.01, seed=1)
    >>> for x, y in xor(n_features=50, seed=1, n_samples=20_000):
    ...     model.learn_one(x, y)
    >>> model.n_splits_, model.predict_one({"x0": 1, "x1": 0})
    (3, 1)
    """

    _kind: ClassVar[str] = "upper_confidence"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MonteCarloTreeClassifier._parameter_constraints,
        "gamma": [Interval(Real, 0, None, closed="neither")],
    }
