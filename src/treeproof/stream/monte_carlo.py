"""The parameters that the Monte Carlo searches over trees have in common."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from treeproof.stream.base import StreamTreeClassifier
from treeproof.stream.seeds import seed_or_random

__all__ = ["MonteCarloTreeClassifier"]


class MonteCarloTreeClassifier(StreamTreeClassifier):
    """Base of the learners that observe rows in one tree after another."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamTreeClassifier._parameter_constraints,
        "samples_per_simulation": [Interval(Integral, 1, None, closed="left")],
        "seed": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        split_penalty: float = 0.01,
        samples_per_simulation: int = 100,
        gamma: float = 0.1,
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
        self.split_penalty = split_penalty
        self.samples_per_simulation = samples_per_simulation
        self.gamma = gamma
        self.numeric_features = numeric_features
        self.categorical_features = categorical_features
        self.numeric_bins = numeric_bins
        self.max_categories = max_categories
        self.max_features = max_features
        self.memory_limit = memory_limit
        self.drift_detector = drift_detector
        self.on_drift = on_drift
        self.drift_discount = drift_discount
        self.seed = seed

    def _options(self) -> dict[str, Any]:
        return {
            "samples_per_simulation": int(self.samples_per_simulation),
            "gamma": float(self.gamma),
            "seed": seed_or_random(self.seed),
        }
