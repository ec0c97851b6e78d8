"""Small problems with every kind of leaf and restriction, with brute force.

A `LeafProblem` has a table of whole numbers, split by thresholds, and says what every
set of rows costs as a leaf. Brute force knows nothing of the engine or a checker; it
reads limits and parameters from the header of a proof, so that it can judge a changed
one as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from lines_oracle import LinesOracle

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.survival import OptimalSurvivalTree

UNIT = 1 << 20
KINDS = (
    *("poisson", "quantile", "quantiles", "absolute_error", "log_loss", "gini"),
    *("survival", "linear", "list", "monotone"),
)
LIFETIME = [("event", bool), ("time", float)]


@dataclass
class LeafProblem:
    """A model to fit, its data, and brute force over the trees that a header allows."""

    kind: str
    model: Any
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    entry: np.ndarray | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def fit(self, **files: Any) -> Any:
        return self.model.fit(
            self.X, self.y, sample_weight=self.weight, **self.late, **files
        )

    @property
    def late(self) -> dict[str, Any]:
        return {} if self.entry is None else {"entry": self.entry}

    # -- what leaves cost, in the unit of a proof

    def rows_of_proof(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows that a proof is about, and their weights in it."""
        weight = self.weight.astype(float)
        if self.kind == "survival":
            weight = weight * self.exposure()
        kept = np.flatnonzero(weight > 0)
        return kept, weight[kept]

    def exposure(self) -> np.ndarray:
        time, event = self.y["time"], self.y["event"]
        late = np.full(len(time), -np.inf) if self.entry is None else self.entry
        total = np.zeros(len(time))
        for t in np.unique(time[event]):
            at_risk = self.weight[(late < t) & (time >= t)].sum()
            share = self.weight[event & (time == t)].sum() / at_risk
            total += share * ((late < t) & (time >= t))
        return total

    def leaf(self, header: dict[str, Any]) -> Any:
        """Return the cost of a leaf with these rows of the proof, given as bits."""
        kept, weight = self.rows_of_proof()
        n, y = len(kept), self.y[kept]

        @cache
        def cost(mask: int, says: int | None = None) -> Any:
            rows = [i for i in range(n) if mask >> i & 1]
            w = weight[rows]
            if self.kind in ("list", "monotone"):
                wrong = [int(w[y[rows] != c].sum()) * UNIT for c in (0, 1)]
                return min(wrong) if says is None else wrong[says]
            if header["loss"] == "linear":
                return self.lines(header).best(mask)
            if header["loss"] == "quantile":
                return sum(_pinball(y[rows], w, q) for q in header["quantiles"])
            if header["loss"] == "absolute_error":
                return 2 * _pinball(y[rows], w, 0.5)
            if self.kind in ("log_loss", "gini"):
                classes = header["classes"]
                own = [w[y[rows] == c].sum() + header["smoothing"] for c in classes]
                return _shares(own, self.kind == "log_loss")
            if self.kind == "survival":
                target = y["event"][rows] * self.weight[kept][rows] / w
                if header["loss"] == "squared_error":
                    return float(w @ (target - w @ target / w.sum()) ** 2)
                return _poisson(target, w)
            if header["loss"] == "squared_error":  # of a changed proof
                return float(w @ (y[rows] - w @ y[rows] / w.sum()) ** 2)
            return _poisson(y[rows], w)

        return cost

    def lines(self, header: dict[str, Any]) -> LinesOracle:
        kept, _ = self.rows_of_proof()
        told = header["lines"]
        return LinesOracle(
            self.X[kept],
            self.y[kept],
            self.weight[kept],
            told["columns"],
            told["ridge"],
        )

    def loses(self, header: dict[str, Any]) -> Any:
        """What rows cost whose leaf predicts something; ValueError if it may not."""
        kept, weight = self.rows_of_proof()
        y, loss = self.y[kept], header["loss"]
        if self.kind == "survival":
            y = y["event"] * self.weight[kept] / weight

        def cost(mask: int, told: Any) -> Any:
            if loss == "linear":
                return self.lines(header).of(mask, told)
            rows = [i for i in range(len(kept)) if mask >> i & 1]
            w, v = weight[rows], y[rows]
            if loss == "misclassification":
                return int(w[v != told].sum()) * UNIT
            if loss in ("log_loss", "gini"):
                own = [w[v == c].sum() for c in header["classes"]]
                return _shares_saying(own, header["smoothing"], told, loss)
            if loss == "quantile":
                pairs = zip(told, header["quantiles"], strict=True)
                return sum((w * _tilted(v - p, q)).sum() for p, q in pairs)
            (p,) = told
            if loss == "absolute_error":
                return (w * np.abs(v - p)).sum()
            if loss == "squared_error":
                return (w * (v - p) ** 2).sum()
            if p < 0 or (p == 0 and v.any()):
                raise ValueError
            return (w * (p - v)).sum() + math.fsum(
                a * b * math.log(b / p) for a, b in zip(w, v, strict=True) if b
            )

        return cost

    # -- brute force over trees

    def optimum(self, header: dict[str, Any]) -> Any:
        """The least cost of trees on some rows within limits, as a function."""
        kept, _ = self.rows_of_proof()
        tests = list(self.tests(kept))
        leaf, is_list = self.leaf(header), header.get("shape") == "list"
        along = [f.get("monotone") or 0 for f in header["features"]]
        price, fewest = header["search_split_cost"], header["min_samples_leaf"]

        @cache
        def best(mask: int, depth: int, splits: int) -> Any:
            least = leaf(mask)
            for f, yes in tests if min(depth, splits) > 0 else ():
                left, right = mask & yes, mask & ~yes
                if min(left.bit_count(), right.bit_count()) < fewest:
                    continue
                if along[f] or is_list:
                    says = {0: (None, None), 1: (0, 1), -1: (1, 0)}[along[f]]
                    rest = (depth - 1, splits - 1)
                    ways = [
                        leaf(left, says[0]) + best(right, *rest),
                        best(left, *rest) + leaf(right, says[1]),
                    ]
                else:
                    some = range(splits) if splits < 99 else [99]
                    ways = [
                        best(left, depth - 1, k)
                        + best(
                            right,
                            depth - 1,
                            min(99, splits - 1 - k) if splits < 99 else 99,
                        )
                        for k in some
                    ]
                least = min([least, *(price + way for way in ways)])
            return least

        return best

    def tests(self, kept: np.ndarray) -> Any:
        """Every test: its column, and the rows that say yes as bits."""
        for f, column in enumerate(self.X[kept].T):
            for c in np.unique(column)[:-1]:
                yes = np.flatnonzero(column <= c)
                yield f, sum(1 << int(i) for i in yes)


def _pinball(y: np.ndarray, w: np.ndarray, q: float) -> float:
    return min((w * np.maximum(q * (y - p), (q - 1) * (y - p))).sum() for p in y)


def _tilted(off: np.ndarray, q: float) -> np.ndarray:
    return np.maximum(q * off, (q - 1) * off)


def _shares_saying(
    own: list[float], smoothing: float, told: list[float], loss: str
) -> float:
    """What predicted shares lose, with the imaginary rows of a leaf."""
    total, classes, found = sum(own), len(own), 0.0
    for weight, p in zip(own, told, strict=True):
        rest = total - weight + smoothing * (classes - 1)  # of rows of other classes
        weight += smoothing
        if loss == "gini":
            found += weight * (1 - p) ** 2 + rest * p**2
        else:
            if p < 0 or (p == 0 and weight):
                raise ValueError
            found += (weight + rest) * p - weight
            found -= weight * math.log(p) if weight else 0.0
    return found


def _poisson(y: np.ndarray, w: np.ndarray) -> float:
    mean = (w * y).sum() / w.sum()
    return math.fsum(a * b * math.log(b / mean) for a, b in zip(w, y, strict=True) if b)


def _shares(own: list[float], logs: bool) -> float:
    total = sum(own)
    if logs:
        return math.fsum(-a * math.log(a / total) for a in own if a)
    return math.fsum(a * (1 - a / total) for a in own)


def leaf_problem(kind: str, rng: np.random.Generator) -> LeafProblem:
    """Return a random problem whose best tree is found by trying all of them."""
    n = int(rng.integers(5, 13))
    X = rng.integers(0, 4, (n, int(rng.integers(1, 4)))).astype(float)
    weight = rng.integers(1, 4, n).astype(float)
    settings: dict[str, Any] = {
        "split_penalty": float(rng.choice([0.0, 0.01, 0.04])),
        "max_depth": int(rng.integers(1, 4)),
        "max_splits": [None, None, 2, 3][rng.integers(4)],
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2])),
        "penalize": "splits",
    }
    entry, y = None, np.zeros(n)
    model: Any
    if kind in ("poisson", "quantile", "quantiles", "absolute_error"):
        if rng.random() < 0.5:
            weight = rng.random(n) + 0.1
        offset = float(rng.choice([0, 0, 1000])) if kind == "poisson" else 0.0
        y = offset + rng.poisson(1 + X[:, 0]).astype(float)
        level = [0.5, 0.25, 0.9][rng.integers(3)]
        levels = [[0.1, 0.75], [0.2, 0.5, 0.9]][rng.integers(2)]
        more = {"quantile": level, "quantiles": levels}
        more = {"quantile": more[kind]} if kind in more else {}
        criterion = "quantile" if more else kind
        model = OptimalTreeRegressor(criterion=criterion, **settings, **more)
    elif kind == "linear":
        if rng.random() < 0.5:
            weight = rng.random(n) + 0.1
        X *= rng.choice([0.01, 1.0, 1e4], X.shape[1])
        y = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 4, n) * 1.0
        p = X.shape[1]
        used = rng.choice(p, int(rng.integers(1, p + 1)), replace=False).tolist()
        ridge = float(rng.choice([1e-6, 1e-3, 0.5]))
        model = OptimalTreeRegressor(
            leaf="linear", linear_features=used, ridge=ridge, **settings
        )
    elif kind == "survival":
        time = rng.integers(1, 8, n).astype(float)
        y = np.array(list(zip(rng.random(n) < 0.7, time, strict=True)), LIFETIME)
        y["event"][0] = True
        if rng.random() < 0.5:
            entry = time - rng.integers(1, 6, n)
        model = OptimalSurvivalTree(**settings)
    else:
        y = rng.integers(0, 3 if kind in ("log_loss", "gini") else 2, n)
        y[:2] = 0, 1
        more = {"criterion": kind, "smoothing": float(rng.choice([0.0, 1.0]))}
        if kind in ("list", "monotone"):
            more = {"shape": "list"} if rng.random() < 0.5 or kind == "list" else {}
            if kind == "monotone":
                more["monotonic_cst"] = rng.integers(-1, 2, X.shape[1]).tolist()
                more["monotonic_cst"][0] = 1
        model = OptimalTreeClassifier(**settings, **more)
    return LeafProblem(kind, model, X, y, weight, entry)
