"""Online-BRANCHES: the optimal sparse tree of a sliding window."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from treeproof.stream.base import StreamTreeClassifier
from treeproof.stream.parameters import documented

__all__ = ["OnlineBranchesClassifier"]


@documented
class OnlineBranchesClassifier(StreamTreeClassifier):
    """Optimal sparse tree of a sliding window over a stream (Online-BRANCHES).

    The window holds the last `window_size` rows. Once it is full, every further row
    enters it, pushes the oldest one out, and pays for one step of the BRANCHES search
    for the tree of least cost (share of misclassified rows plus `split_penalty` for
    each split), whose estimates are refreshed from the window as it goes. The search
    ends: `finished_` is then True, `n_samples_consumed_` says how many rows it took,
    and the tree stands until the drift detector finds that it has become worse.

    While the window fills, preliminary searches on the rows there are provide a tree to
    predict with.

    Parameters
    ----------
    split_penalty : float, default=0.01
        The cost of each split, as a fraction of the rows.
    window_size : int, default=1000
        Rows in the window. More rows make it likelier that the tree found is the best
        one for the stream (see `treeproof.stream.finite_time_guarantee`), and cost
        proportionally more work.
    iterations_per_sample : int, default=1
        Steps of the search for each row.
    {common parameters}

    Attributes
    ----------
    tree_ : Tree
        The current tree, which makes the predictions.
    n_splits_ : int
        Its splits.
    finished_ : bool
        Whether the search on the full window has ended.
    n_samples_consumed_ : int or None
        Rows learnt until then.
    objective_, lower_bound_ : float
        Cost of the best tree found in the running search, and a bound on what any tree
        costs, both on the window.
    n_drifts_ : int
        How often a drift made the learner start again.
    stats_ : dict
        Counters.

    See Also
    --------
    UpperConfidenceTreeClassifier, EpsilonGreedyTreeClassifier, ThompsonTreeClassifier

    References
    ----------
    Chaouki, *Optimal Decision Trees via Search*, thesis, 2024, chapter 7.

    Examples
    --------
    XOR of two features among fifty: no split gains anything by itself.

    >>> from treeproof.stream import OnlineBranchesClassifier
    >>> from treeproof.stream.datasets import xor
    >>> model = OnlineBranchesClassifier(split_penalty=0.01, window_size=500)
    >>> for x, y in xor(n_features=50, seed=1, n_samples=1000):
    ...     model.learn_one(x, y)
    >>> model.finished_, model.n_splits_
    (True, 3)
    >>> print(model.export_text())
    500 rows
    ├── x1 <= 0.5
    │   ├── x0 <= 0.5: 0   94 rows (19%), 0 wrong
    │   └── x0 > 0.5: 1   151 rows (30%), 0 wrong
    └── x1 > 0.5
        ├── x0 <= 0.5: 1   122 rows (24%), 0 wrong
        └── x0 > 0.5: 0   133 rows (27%), 0 wrong
    """

    _kind: ClassVar[str] = "branches"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamTreeClassifier._parameter_constraints,
        "window_size": [Interval(Integral, 1, 2**30, closed="both")],
        "iterations_per_sample": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        split_penalty: float = 0.01,
        window_size: int = 1000,
        iterations_per_sample: int = 1,
        numeric_features: Any = "auto",
        categorical_features: Any = None,
        numeric_bins: int = 16,
        max_categories: int = 50,
        max_features: int = 10_000,
        memory_limit: int | str | None = "128MB",
        drift_detector: Any = "auto",
        on_drift: str = "restart",
        drift_discount: float = 0.1,
    ) -> None:
        self.split_penalty = split_penalty
        self.window_size = window_size
        self.iterations_per_sample = iterations_per_sample
        self.numeric_features = numeric_features
        self.categorical_features = categorical_features
        self.numeric_bins = numeric_bins
        self.max_categories = max_categories
        self.max_features = max_features
        self.memory_limit = memory_limit
        self.drift_detector = drift_detector
        self.on_drift = on_drift
        self.drift_discount = drift_discount

    def _options(self) -> dict[str, Any]:
        return {
            "window_size": int(self.window_size),
            "iterations_per_sample": int(self.iterations_per_sample),
        }

    def _learn_all(self, model: Any, columns: Any, labels: Any, weights: Any) -> None:
        self._learn_columns(columns, labels, weights)
        model.settle(self._fit_samples)

    @property
    def finished_(self) -> bool:
        """Whether the search on the full window has ended."""
        return self._model.finished if hasattr(self, "_model") else False

    @property
    def n_samples_consumed_(self) -> int | None:
        """How many rows had been learnt when the search ended; None while it runs."""
        return int(self.stats_["samples_consumed"]) if self.finished_ else None

    @property
    def objective_(self) -> float:
        """The cost of the best tree that the running search has found, on its rows."""
        return self.stats_.get("objective", 1.0)

    @property
    def lower_bound_(self) -> float:
        """What no tree can cost less than, by the estimates of the running search."""
        return self.stats_.get("lower_bound", 0.0)
