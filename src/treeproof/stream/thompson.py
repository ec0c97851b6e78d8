"""TSDT: Monte Carlo tree search over trees with Thompson sampling."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from treeproof.stream.monte_carlo import MonteCarloTreeClassifier
from treeproof.stream.parameters import documented

__all__ = ["ThompsonTreeClassifier"]


@documented
class ThompsonTreeClassifier(MonteCarloTreeClassifier):
    """Monte Carlo search for the optimal sparse tree of a stream (TSDT).

    The search walks from a single leaf, split by split, to a tree, observes
    `samples_per_simulation` rows in it, and updates the posterior distributions of the
    accuracies of its leaves: Beta counts of rows that the majority of earlier rows
    predicted, approximated by Normals. At each tree it draws a value of every split
    from its posterior and takes the largest. It never ends; the best tree so far
    predicts.

    Parameters
    ----------
    split_penalty : float, default=0.01
        The cost of each split, as a fraction of the rows.
    samples_per_simulation : int, default=50
        The number of rows observed in each tree that is tried.
    gamma : float, default=0.9
        Exponent of the variances, in (0, 1]; less explores more. (The thesis uses 0.8
        and 100 samples; on its streams our defaults do better.)
    backpropagation : "max-mean" or "clark", default="max-mean"
        The posterior of a tree: that of its best continuation by the mean, or the
        Normal with the moments of the maximum over all continuations (Clark's
        formulas).
    {common parameters}
    {seed and attributes}

    See Also
    --------
    OnlineBranchesClassifier, UpperConfidenceTreeClassifier,
    EpsilonGreedyTreeClassifier

    References
    ----------
    Chaouki, *Optimal Decision Trees via Search*, thesis, 2024, chapter 6.

    Chaouki, Read and Bifet, *Online learning of decision trees with Thompson
    sampling*, AISTATS 2024.

    Examples
    --------
    >>> from treeproof.stream import ThompsonTreeClassifier
    >>> from treeproof.stream.datasets import xor
    >>> model = ThompsonTreeClassifier(split_penalty=0.01, seed=1)
    >>> for x, y in xor(n_features=50, seed=1, n_samples=20_000):
    ...     model.learn_one(x, y)
    >>> model.n_splits_, model.predict_one({"x0": 1, "x1": 0})
    (3, 1)
    """

    _kind: ClassVar[str] = "thompson"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MonteCarloTreeClassifier._parameter_constraints,
        "gamma": [Interval(Real, 0, 1, closed="right")],
        "backpropagation": [StrOptions({"max-mean", "clark"})],
    }

    def __init__(
        self,
        split_penalty: float = 0.01,
        samples_per_simulation: int = 50,
        gamma: float = 0.9,
        backpropagation: str = "max-mean",
        numeric_features: Any = "auto",
        categorical_features: Any = None,
        numeric_bins: int = 16,
        max_categories: int = 50,
        max_features: int = 10_000,
        memory_limit: int | str | None = "128MB",
        drift_detector: Any = "auto",
        on_drift: str = "restart",
        drift_discount: float = 0.1,
        seed: int | None = None,
    ) -> None:
        super().__init__(
            split_penalty, samples_per_simulation, gamma, numeric_features,
            categorical_features, numeric_bins, max_categories, max_features,
            memory_limit, drift_detector, on_drift, drift_discount, seed,
        )  # fmt: skip
        self.backpropagation = backpropagation

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "clark": self.backpropagation == "clark"}
