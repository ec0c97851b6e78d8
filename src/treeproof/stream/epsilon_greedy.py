"""EGDT: Monte Carlo tree search over trees with an epsilon-greedy policy."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from treeproof.stream.monte_carlo import MonteCarloTreeClassifier

__all__ = ["EpsilonGreedyTreeClassifier"]


class EpsilonGreedyTreeClassifier(MonteCarloTreeClassifier):
    """Monte Carlo search for the optimal sparse tree of a stream (EGDT).

    The search walks from a single leaf, split by split, to a tree, observes
    `samples_per_simulation` rows in it, and learns from them what the splits on its way
    are worth. At a tree visited ``v`` times it makes any split with probability
    ``1 / v ** gamma`` and the best one otherwise. It never ends; the best tree so far
    predicts.

    Parameters
    ----------
    split_penalty : float, default=0.01
        Cost of one split, as a fraction of the rows.
    samples_per_simulation : int, default=100
        Rows observed in each tree that is tried.
    gamma : float, default=0.1
        How fast chance gives way, in (0, 1]; less explores more.
    numeric_features : "auto" or collection of names, default="auto"
        Which features are numbers, split by ``x <= t``. "auto" takes those whose first
        value is a float; whole numbers, booleans and text are categories, split with
        one child for each.
    numeric_bins : int, default=16
        A numeric feature is cut at this many quantiles at most.
    max_categories : int, default=50
        Further categories of a feature are read alike, as *other*.
    max_features : int, default=10000
        Features that appear after so many are not read.
    memory_limit : int or str or None, default="128MB"
        What the search may use; beyond it, what was used least is forgotten.
    drift_detector : "auto", None or detector, default="auto"
        A drift detector of River's kind, fed with the mistakes made before learning
        each row. "auto" is ADWIN if River is installed and None if not.
    on_drift : "restart" or "reweight", default="restart"
        When the mistakes rise: forget the past, or keep it at `drift_discount` of its
        weight.
    drift_discount : float, default=0.1
        See `on_drift`.
    seed : int or None, default=None
        Runs with the same seed and the same stream are the same.

    Attributes
    ----------
    tree_ : Tree
        The tree that predicts at the moment.
    n_splits_ : int
        Its splits.
    n_drifts_ : int
        How often drift made the learner start again.
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
