"""Random streams for the online learners: of nothing, of anything, of other kinds."""

from __future__ import annotations

import pickle
import random
import warnings
from collections.abc import Iterator
from typing import Any

from treeproof import stream

LEARNERS = {
    "branches": stream.OnlineBranchesClassifier,
    "thompson": stream.ThompsonTreeClassifier,
    "upper": stream.UpperConfidenceTreeClassifier,
    "greedy": stream.EpsilonGreedyTreeClassifier,
}
NAMES = ["a", "b", "c", 0, ("t", 1), "<script>", ""]


def random_rows(rng: random.Random) -> Iterator[tuple[dict[Any, Any], Any, float]]:
    """Yield rows with labels and weights; the first may have no known values."""
    empty = rng.choice([0, 0, 1, 3, 20])
    styles = {name: rng.choice(["code", "number", "text", "mixed"]) for name in NAMES}
    n_labels = rng.randint(1, 4)
    for k in range(rng.choice([30, 120])):
        known = [n for n in NAMES[: rng.randint(0, 1 + k // 8)] if k >= empty]
        row = {name: _value(rng, styles[name]) for name in known}
        if k < empty and rng.random() < 0.5:
            row = {"a": rng.choice([None, float("nan")])}
        weight = rng.choice([1.0, 1.0, 1e-6, 1e6])
        yield row, rng.choice(["p", "q", 3, True][:n_labels]), weight


def _value(rng: random.Random, style: str) -> Any:
    if rng.random() < 0.15:
        return rng.choice([None, float("nan")])
    if style == "mixed":
        style = rng.choice(["code", "number", "text", "odd"])
    return {
        "code": lambda: rng.randint(0, 4),
        "number": lambda: rng.choice([0.0, 1.5, -2.0, 1e308, 5e-324, rng.gauss(0, 1)]),
        "text": lambda: rng.choice(["u", "v", "\x00", "é" * 50]),
        "odd": lambda: rng.choice([10**400, True, b"x", (1,), "w", 2.5]),
    }[style]()


def feed(model: Any, rows: Iterator[tuple[dict[Any, Any], Any, float]]) -> int:
    """Learn rows and predict, continuing with a copy from time to time."""
    seen = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row, label, weight in rows:
            seen += 1
            if seen % 13 == 0:
                model = pickle.loads(pickle.dumps(model))
            try:
                model.learn_one(row, label, w=weight)
                shares = model.predict_proba_one(row)
            except (TypeError, ValueError) as error:  # a row that it cannot read
                assert "eature" in str(error), (row, error)
            else:
                assert abs(sum(shares.values()) - 1) < 1e-6, shares
    return seen
