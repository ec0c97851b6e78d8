"""Small tables with missing values, orders and subsets, and all their splits.

The splits are written down from their meaning, value by value, and share nothing with
the package: a split is a function from a value (or None) to an outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from oracle import Table
from regression_oracle import TargetTable

WORDS = ["a", "b", "c", "d"]
SIZES = ["small", "medium", "large", "huge"]
NO_KINDS, ONE = np.zeros(1, dtype=int), np.ones(1, dtype=int)


@dataclass
class Problem:
    """A table in the form of a user, and how its columns may be split."""

    columns: dict[str, list[Any]]
    labels: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    missing: str
    categorical_split: str

    @property
    def frame(self) -> pd.DataFrame:
        table = {}
        for name, values in self.columns.items():
            if name.startswith("number"):
                table[name] = pd.Series(values, dtype=float)
            elif name.startswith("size"):
                table[name] = pd.Categorical(values, SIZES, ordered=True)
            else:
                table[name] = pd.Series(values, dtype=object)
        return pd.DataFrame(table)

    def parts(self) -> list[list[int]]:
        """Return every way to divide the rows by one split, as masks."""
        found: dict[tuple[int, ...], None] = {}
        for name, values in self.columns.items():
            for outcome in self._splits(name, values):
                groups: dict[Any, int] = {}
                for row, value in enumerate(values):
                    key = outcome(value)
                    groups[key] = groups.get(key, 0) | 1 << row
                if len(groups) > 1:
                    found[tuple(sorted(groups.values()))] = None
        return [list(masks) for masks in found]

    def _splits(self, name: str, values: list[Any]) -> Iterator[Callable[[Any], Any]]:
        known = sorted({v for v in values if v is not None})
        gaps = None in values
        kind = self.categorical_split
        if name.startswith("word") and kind in ("multiway", "either"):
            yield lambda v: v  # missing is one more category, in either mode
            if kind == "multiway":
                return
        if gaps:
            yield lambda v: v is None
        for inside in self._insides(name, known):
            if not gaps:
                yield inside
            elif self.missing == "branch":
                yield lambda v, inside=inside: "gone" if v is None else inside(v)
            else:
                yield lambda v, inside=inside: v is not None and inside(v)
                if not name.startswith("word") or kind != "either":
                    yield lambda v, inside=inside: v is None or inside(v)

    def _insides(self, name: str, known: list[Any]) -> Iterator[Callable[[Any], bool]]:
        """Yield the yes-sides of the binary splits of the values that occur."""
        if name.startswith("number"):
            for cut in known[:-1]:
                yield lambda v, cut=cut: v <= cut
        elif name.startswith("size"):
            for k in range(1, len(SIZES)):
                yield lambda v, low=SIZES[:k]: v in low
        elif self.categorical_split in ("one-vs-rest", "either"):
            for word in known:
                yield lambda v, word=word: v == word
        else:
            for size in range(1, len(known)):
                for part in combinations(known, size):
                    yield lambda v, part=part: v in part

    def for_classes(self) -> Table:
        n = len(self.labels)
        table = Table(NO_KINDS, ONE, np.zeros((n, 1)), self.labels, 3, self.weights)
        table._parts = self.parts()
        return table

    def for_numbers(self, criterion: str) -> TargetTable:
        n = len(self.labels)
        table = TargetTable(
            NO_KINDS, ONE, np.zeros((n, 1)), np.arange(n), n, self.weights,
            targets=self.targets[:, None], criterion=criterion,
        )  # fmt: skip
        table._parts = self.parts()
        return table


def random_problem(seed: int) -> Problem:
    """A table of up to nine rows and three columns, with and without gaps."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 10))
    columns = {}
    for k in range(int(random.integers(1, 4))):
        kind = random.choice(["number", "word", "word", "size"])
        pool = {"number": [-1.5, 0.0, 0.25, 7.0], "word": WORDS, "size": SIZES}[kind]
        some = random.choice(len(pool), int(random.integers(1, 5)), replace=False)
        values = [pool[i] for i in random.choice(some, n)]
        gaps = random.choice([0.0, 0.2, 0.5])
        if random.random() < 0.03:
            gaps = 1.0
        columns[f"{kind} {k}"] = [
            None if random.random() < gaps else value for value in values
        ]
    return Problem(
        columns,
        random.integers(0, 3, n),
        random.integers(0, 4, n).astype(float),
        random.integers(1, 4, n) if random.random() < 0.5 else np.ones(n, dtype=int),
        str(random.choice(["best-side", "branch"])),
        str(random.choice(["multiway", "one-vs-rest", "either", "subset"])),
    )
