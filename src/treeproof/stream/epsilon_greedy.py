"""EGDT: Monte Carlo tree search over trees with an epsilon-greedy policy."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from treeproof.stream.monte_carlo import MonteCarloTreeClassifier
from treeproof.stream.parameters import documented

__all__ = ["EpsilonGreedyTreeClassifier"]


@documented
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
    {common parameters}
    {seed and attributes}

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
