"""Proofs that use prices, made for tests: a header with prices, and chosen steps.

The prices come from the engine; what is true of them is found by listing every box.
"""

from __future__ import annotations

import gzip
import io
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import native
import numpy as np
import pandas as pd
from oracle import UNIT

from treeproof import OptimalTreeClassifier
from treeproof.arithmetic import rounded_weights
from treeproof.proof.checker import Verdict, check
from treeproof.proof.exact import Refuted, check_exactly


@dataclass
class Priced:
    """A small problem, its header with prices, and the rows as the engine has them."""

    frame: pd.DataFrame
    y: list[str]
    weights: list[float]
    header: dict[str, Any]
    codes: np.ndarray  # by row and column of the engine
    kinds: np.ndarray
    labels: np.ndarray
    whole: np.ndarray  # weights as a proof rounds them

    def masks(self) -> Iterator[np.ndarray]:
        """Yield every box that prices have to respect."""
        n, depth = len(self.codes), self.header["prices"].get("depth")
        if depth is not None:
            yield from self.conjunctions(depth)
            return
        found = {bytes(n): np.ones(n, bool)}
        for kind, column in zip(self.kinds, self.codes.T, strict=True):
            values = sorted(set(column.tolist()))
            kept = [np.isin(column, chosen) for chosen in _choices(int(kind), values)]
            for mask, own in itertools.product(list(found.values()), kept):
                both = mask & own
                found[both.tobytes()] = both
        yield from found.values()

    def conjunctions(self, most: int) -> Iterator[np.ndarray]:
        """Yield every set of rows that at most so many outcomes of tests leave."""
        conditions = {}
        for kind, column in zip(self.kinds, self.codes.T, strict=True):
            for value in sorted(set(column.tolist())):
                yes = column <= value if kind == 0 else column == value
                for mask in [yes] if kind == 1 else [yes, ~yes]:
                    conditions[mask.tobytes()] = mask
        everything = np.ones(len(self.codes), bool)
        found = {everything.tobytes(): everything}
        for size in range(1, most + 1):
            for chosen in itertools.combinations(conditions.values(), size):
                mask = np.logical_and.reduce(chosen)
                found[mask.tobytes()] = mask
        yield from found.values()

    def errors(self, mask: np.ndarray) -> int:
        """Return the cost of a leaf."""
        sums = np.bincount(self.labels[mask], self.whole[mask]).astype(int)
        return int(sums.sum() - sums.max(initial=0)) * UNIT

    def slack(self) -> int:
        """Return the room of the tightest box; negative if a price is too high."""
        prices = np.array(self.header["prices"]["of_rows"], dtype=object)
        per_leaf = self.header["prices"]["per_leaf"]
        return min(
            self.errors(mask) + per_leaf - int(prices[mask].sum())
            for mask in self.masks()
        )

    def bound(self, rows: Any = slice(None)) -> int:
        """Return the bound of the prices on a set of rows, before rounding."""
        given = self.header["prices"]
        return int(np.array(given["of_rows"])[rows].sum()) - int(given["per_leaf"])

    def raise_one_price(self, rng: np.random.Generator) -> None:
        """Raise the price of one row to what its boxes allow, or one unit further."""
        prices = self.header["prices"]["of_rows"]
        row = int(rng.integers(0, len(prices)))
        prices[row] += max(self.slack() + int(rng.integers(0, 2)), 0)

    def scale_prices(self, factor: float) -> None:
        """Multiply all prices by a factor."""
        given = self.header["prices"]
        given["of_rows"] = [int(factor * price) for price in given["of_rows"]]

    def proof(self, steps: list[dict[str, Any]]) -> bytes:
        """Return a file of these steps; the last one is about all rows."""
        lower = min(steps[-1]["bound"], self.header["upper"])
        header = self.header | {"lower": max(lower, 0), "root": len(steps) - 1}
        return b"".join(json.dumps(line).encode() + b"\n" for line in [header, *steps])

    def numpy_verdict(self, proof: bytes) -> Verdict:
        """Return the verdict of the checker in NumPy."""
        return check(io.BytesIO(proof), self.frame, self.y, self.weights)

    def exact_accepts(self, proof: bytes) -> bool:
        """Return whether the exact checker accepts a proof."""
        cells = {
            name: [c if isinstance(c, str) else float(c) for c in column]
            for name, column in self.frame.items()
        }
        try:
            check_exactly(proof.splitlines(), cells, self.y, self.weights)
        except Refuted:
            return False
        return True

    def csv(self) -> str:
        """Return the table for the checker in C++, target ``y`` and weight ``w``."""
        return self.frame.assign(y=self.y, w=self.weights).to_csv(index=False)


def _choices(kind: int, values: list[int]) -> list[list[int]]:
    if kind == 0:
        ends = itertools.combinations(range(len(values) + 1), 2)
        return [values[a:b] for a, b in ends]
    if kind == 1:
        return [[v] for v in values]
    sizes = range(1, len(values))
    return [list(c) for k in sizes for c in itertools.combinations(values, k)]


def _random_rows(
    rng: np.random.Generator,
) -> tuple[pd.DataFrame, list[str], np.ndarray] | None:
    """Return a table, labels and weights; None if there is only one class."""
    n = int(rng.integers(6, 26))
    n_classes = int(rng.integers(2, 4))
    hidden = rng.integers(0, 4, (n, 3))
    frame = pd.DataFrame({"a": hidden[:, 0].astype(float)})
    frame["b"] = [f"v{v}" for v in hidden[:, 1]]
    if rng.random() < 0.5:
        frame["c"] = (hidden[:, 0] + hidden[:, 2] > 3).astype(float)
    noise = rng.integers(0, n_classes, n)
    y = np.where(rng.random(n) < 0.6, hidden[:, 0] % n_classes, noise)
    if len(set(y.tolist())) < 2:
        return None
    weights = {
        0: np.ones(n),
        1: np.append(rng.integers(1, 5, n - 1), 1).astype(float),
        2: rng.integers(1, 9, n) / 3,
    }[int(rng.integers(0, 3))]
    return frame, [f"k{v}" for v in y], weights


def _best_prices(
    task: Any,
    whole: np.ndarray,
    settings: dict[str, Any],
    work: int,
    levels: int | None,
) -> dict[str, Any]:
    """Return the prices of rows that the engine finds, as a proof's header has them."""
    engine, kept = task.table.engine, whole > 0
    columns = {"kinds": engine.kinds, "n_values": engine.n_values}
    make, deep = native.prices, {}
    if levels is not None:
        make, deep = native.shallow_prices, {"max_depth": levels}
    answer = make(
        **columns,
        **deep,
        codes=np.ascontiguousarray(engine.codes[:, kept]).reshape(-1),
        labels=task.labels[kept],
        n_classes=task.n_classes,
        weights=whole[kept],
        split_penalty=settings["split_penalty"],
        penalize=settings["penalize"],
        work=work,
    )
    of_rows = np.zeros(len(whole), np.int64)
    of_rows[kept] = answer["prices"]
    prices = {"per_leaf": int(answer["split_cost"]), "of_rows": of_rows.tolist()}
    if levels is not None:
        return {**prices, "depth": levels}
    cells = native.price_axes(**columns, codes=engine.codes.reshape(-1))
    axes = [[choice, codes.tolist()] for choice, codes in cells["axes"]]
    return {**prices, "axes": axes}


def priced(
    rng: np.random.Generator,
    folder: Any,
    *,
    work: int = 10**7,
    levels: int | None = None,
    **settings: Any,
) -> Priced | None:
    """Make a random problem with numbers and categories, and its best prices.

    The prices are for trees of any depth, or of so many levels. None if its rows do not
    differ, or their weights have a common divisor.
    """
    rows = _random_rows(rng)
    if rows is None:
        return None
    frame, labels, weights = rows
    settings = {
        "split_penalty": float(rng.choice([0.02, 0.05, 0.1])),
        "penalize": str(rng.choice(["leaves", "splits"])),
        "categorical_split": str(rng.choice(["multiway", "one-vs-rest", "subset"])),
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
        "max_depth": [None, 2, 3][int(rng.integers(0, 3))],
        **settings,
    }
    model = OptimalTreeClassifier(solver="sparse", **settings)
    task = model._prepare(frame, labels, weights).task
    path = folder / "small.proof"
    model.fit(frame, labels, weights, proof=path)
    with gzip.open(path) as file:
        header = json.loads(file.readline())
    engine = task.table.engine
    whole = rounded_weights(task.table.codes, task.labels, task.weights)
    if np.gcd.reduce(whole[whole > 0].astype(np.int64)) != 1:
        return None
    prices = _best_prices(task, whole, settings, work, levels)
    header |= {"version": 3, "prices": prices}
    header["search_split_cost"] = header["split_cost"]
    return Priced(
        frame, labels, weights.tolist(), header, engine.codes.T, engine.kinds,
        task.labels, whole,
    )  # fmt: skip
