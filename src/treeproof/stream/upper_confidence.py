"""UCDT: Monte Carlo tree search over trees, guided by upper confidence bounds."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from treeproof.stream.monte_carlo import MonteCarloTreeClassifier
from treeproof.stream.parameters import documented

__all__ = ["UpperConfidenceTreeClassifier"]


@documented
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
    {common parameters}
    {seed and attributes}

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
