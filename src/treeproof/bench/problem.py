"""A table with labels or amounts, as a file that any process can read.

Also the problems that are made by code; each is the same, bit for bit, everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "AMOUNTS",
    "CLASSES",
    "STREAM",
    "Problem",
    "planted_tree",
    "random_labels",
    "tiny",
]

Arrays = tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]

CLASSES, AMOUNTS, STREAM = "classes", "amounts", "stream"
"""What is asked: a class for each row, an amount, or classes row after row."""


@dataclass(frozen=True)
class Problem:
    """A table, its labels, and what its columns mean.

    Attributes
    ----------
    name : str
        How it is called.
    X : ndarray of shape (rows, columns)
        Whole numbers: tests that hold or not, or categories. Floats: numbers to cut.
    y : ndarray of shape (rows,)
        Labels, whole numbers; or amounts, floats.
    categorical : bool
        Each column is a category, not a 0/1 test.
    penalty : float
        What a split costs, as a fraction of the rows, or of the sum of squares.
    task : str
        What is asked: "classes", "amounts" or "stream".
    """

    name: str
    X: np.ndarray[Any, Any]
    y: np.ndarray[Any, Any]
    categorical: bool
    penalty: float
    task: str = CLASSES

    def objective(
        self, predictions: np.ndarray[Any, Any], splits: int, penalty: float
    ) -> float:
        """Return what is to be small, the same for all solvers.

        It is the share of errors, or of the sum of squares, plus penalties. Of a
        learner on a stream it is the share of errors alone, on the rows that come last
        and that it has not learnt.
        """
        truth = self.y[len(self.y) - len(predictions) :]
        if self.task == AMOUNTS:
            left = float(np.sum((predictions - truth) ** 2))
            return left / float(np.sum((truth - truth.mean()) ** 2)) + penalty * splits
        errors = int(np.sum(np.asarray(predictions) != truth)) / len(truth)
        return errors if self.task == STREAM else errors + penalty * splits

    def save(self, path: Path) -> None:
        """Write the problem to a file."""
        np.savez(
            path, X=self.X, y=self.y, name=self.name, categorical=self.categorical,
            penalty=self.penalty, task=self.task,
        )  # fmt: skip

    @classmethod
    def load(cls, path: Path) -> Problem:
        """Read a problem from a file; no code in it is run."""
        with np.load(path, allow_pickle=False) as file:
            return cls(
                str(file["name"]), file["X"], file["y"], bool(file["categorical"]),
                float(file["penalty"]), str(file["task"]),
            )  # fmt: skip


def planted_tree(
    seed: int, n_rows: int = 1000, n_features: int = 60, n_splits: int = 8
) -> Arrays:
    """Labels of a random tree over random bits, 20% of them flipped.

    The tree grows by splitting the leaf that holds the most rows on a feature not yet
    used on the way to it; siblings that are both leaves get different labels, so no
    split of the plan is idle.
    """
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_features))
    leaves: list[tuple[np.ndarray[Any, Any], frozenset[int], int]] = [
        (np.arange(n_rows), frozenset(), 0)
    ]
    for _ in range(n_splits):
        leaves.sort(key=lambda leaf: len(leaf[0]))
        rows, used, _label = leaves.pop()
        feature = int(rng.choice([f for f in range(n_features) if f not in used]))
        first = int(rng.integers(0, 2))
        for value in (0, 1):
            inside = rows[X[rows, feature] == value]
            leaves.append((inside, used | {feature}, first ^ value))
    y = np.empty(n_rows, dtype=np.int64)
    for rows, _, label in leaves:
        y[rows] = label
    return X, y ^ (rng.random(n_rows) < 0.2)


def random_labels(seed: int, n_rows: int = 3000, n_features: int = 120) -> Arrays:
    """Random bits with random labels: nothing to learn, everything to refute."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n_rows, n_features)), rng.integers(0, 2, n_rows)


def tiny(seed: int) -> Arrays:
    """Return a noisy planted tree small enough for anything to solve at once."""
    return planted_tree(seed, n_rows=120, n_features=6, n_splits=3)
