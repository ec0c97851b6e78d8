"""Brute force for leaves that are neither means nor medians.

The recursion is that of `regression_oracle`; what a leaf loses is computed from its
rows in the plainest way, from the formula of each criterion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from regression_oracle import TargetTable, random_targets, target_arguments

CRITERIA = ("poisson", "log_loss", "gini", "quantile", "survival")
_ENGINE = {
    "poisson": "poisson",
    "log_loss": "poisson",
    "survival": "poisson",
    "gini": "squared_error",
    "quantile": "absolute_error",
}


def _log_term(v: np.ndarray, m: float) -> np.ndarray:
    """v log(v / m), with 0 log 0 = 0."""
    out = np.zeros(len(v))
    some = v > 0
    out[some] = v[some] * np.log(v[some] / m)
    return out


@dataclass
class LeafTable(TargetTable):
    """A small problem with one of the criteria above."""

    smoothing: float = 0.0
    quantiles: tuple[float, ...] = ()

    def loss(self, rows: np.ndarray) -> float:
        """Loss of the best constant on these rows."""
        assert self.targets is not None
        y, w = self.targets[rows], self.weights[rows].astype(float)
        if self.criterion in ("log_loss", "gini"):
            counts = w @ y + self.smoothing
            share = counts / counts.sum()
            if self.criterion == "gini":
                return float((counts * (1.0 - share)).sum())
            some = counts > 0
            return float(-(counts[some] * np.log(share[some])).sum())
        total = 0.0
        for column in y.T:
            if self.criterion == "quantile":
                total += sum(
                    min(float(w @ _pinball(column - c, q)) for c in column)
                    for q in self.quantiles
                )
            else:
                mean = float(np.average(column, weights=w))
                if mean > 0:
                    total += float(w @ (_log_term(column, mean) - column + mean))
        return max(total, 0.0)


def _pinball(off: np.ndarray, q: float) -> np.ndarray:
    return np.maximum(q * off, (q - 1.0) * off)


def random_leaves(rng: np.random.Generator, criterion: str, **shape: Any) -> LeafTable:
    """A random small problem with many ties, zeros, duplicates and weights."""
    plain = random_targets(rng, **shape)
    assert plain.targets is not None
    n = len(plain.targets)
    weights, targets = plain.weights, plain.targets
    smoothing, quantiles = 0.0, ()
    if criterion in ("log_loss", "gini"):
        k = int(rng.integers(2, 5))
        targets = np.eye(k)[rng.integers(0, k, size=n)]
        if rng.random() < 0.5:
            smoothing = float(rng.choice([0.1, 1.0, 2.5]))
    elif criterion == "poisson":
        targets = np.floor(np.abs(targets - targets.min(axis=0)))
        if rng.random() < 0.3:
            targets = targets + rng.random(targets.shape)
        if rng.random() < 0.3:  # rates far from zero
            targets = 10.0 + targets
    elif criterion == "survival":
        exposure = rng.uniform(0.05, 2.0, size=n)
        event = rng.random(n) < 0.6
        weights = weights * exposure
        targets = (event / exposure)[:, None]
    else:
        levels = [(0.1,), (0.5,), (0.9,), (0.1, 0.5, 0.9), (0.25, 0.8)]
        quantiles = levels[int(rng.integers(len(levels)))]
    return LeafTable(
        kinds=plain.kinds,
        n_values=plain.n_values,
        codes=plain.codes,
        labels=plain.labels,
        n_classes=1,
        weights=weights,
        targets=np.ascontiguousarray(targets, dtype=float),
        criterion=criterion,
        smoothing=smoothing,
        quantiles=quantiles,
    )


def leaf_arguments(table: LeafTable) -> dict[str, Any]:
    """The table as keyword arguments of the engine's `solve_targets`."""
    return target_arguments(table) | {
        "criterion": _ENGINE[table.criterion],
        "smoothing": table.smoothing,
        "quantiles": list(table.quantiles),
    }
