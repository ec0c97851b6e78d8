"""Brute force for regression trees: the least loss over every possible tree.

The recursion over sets of rows is that of `oracle`; only the loss of a leaf is another
one, computed from its rows in the plainest way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import native
import numpy as np
import pytest
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    Table,
    TreeFacts,
    _BruteForce,
    n_penalties,
)

KINDS = [(ORDERED,), (ORDERED, ORDERED, MULTIWAY, ONE_VS_REST), (MULTIWAY, ONE_VS_REST)]


@dataclass
class TargetTable(Table):
    """A small problem with numbers to predict; `labels` only tells the rows apart."""

    targets: np.ndarray | None = None
    criterion: str = "squared_error"

    def loss(self, rows: np.ndarray) -> float:
        """Return the loss of the best constant on these rows."""
        assert self.targets is not None
        y, w = self.targets[rows], self.weights[rows].astype(float)
        if self.criterion == "squared_error":
            return float(
                (w[:, None] * (y - np.average(y, axis=0, weights=w)) ** 2).sum()
            )
        total = 0.0
        for column in y.T:
            total += min(float((w * np.abs(column - c)).sum()) for c in column)
        return total


class _RegressionForce(_BruteForce):
    def __init__(
        self, table: TargetTable, split_cost: float, min_leaf: int, penalize: str
    ) -> None:
        super().__init__(table, 0, min_leaf, penalize)
        self.table = table
        self.split_cost = split_cost  # type: ignore[assignment]
        self.losses: dict[int, float] = {}

    def leaf(self, mask: int) -> float:  # type: ignore[override]
        if mask not in self.losses:
            rows = [r for r in range(mask.bit_length()) if mask >> r & 1]
            self.losses[mask] = self.table.loss(np.array(rows))
        return self.losses[mask]


def optimal_loss(
    table: TargetTable,
    split_penalty: float,
    *,
    max_depth: int = -1,
    max_splits: int = -1,
    min_samples_leaf: int = 1,
    penalize: str = "splits",
) -> float:
    """Return the least cost of any tree, as a share of the loss of a single leaf."""
    n = len(table.labels)
    single = table.loss(np.arange(n))
    if single < 1e-12:
        return 0.0
    split_cost = split_penalty * single
    search = _RegressionForce(table, split_cost, min_samples_leaf, penalize)
    depth = n if max_depth < 0 else min(max_depth, n)
    everything = (1 << n) - 1
    if max_splits < 0:
        return float(search.best(everything, depth)) / single
    return float(search.best_by_splits(everything, depth, max_splits)[-1]) / single


def tree_loss(
    table: TargetTable,
    tree: dict[str, Any],
    split_penalty: float,
    penalize: str = "splits",
) -> tuple[float, TreeFacts]:
    """Recompute the shape of a tree and its cost, as a share of a leaf's loss."""
    single = table.loss(np.arange(len(table.labels)))

    def below(node: int, rows: np.ndarray) -> tuple[float, TreeFacts]:
        assert len(rows) > 0, "an empty child"
        if tree["kind"][node] == 0:
            return table.loss(rows), TreeFacts(0, 0, 0, len(rows))
        test = (tree["feature"][node], tree["kind"][node], tree["code"][node])
        out = table.outcomes(*map(int, test))[rows]
        first, n = int(tree["first_child"][node]), int(tree["n_children"][node])
        slots = range(first, first + n)
        found = [int(tree["child_outcome"][s]) for s in slots]
        assert n >= 2 and sorted(found) == sorted(np.unique(out))
        parts = [
            below(int(tree["children"][s]), rows[out == tree["child_outcome"][s]])
            for s in slots
        ]
        return sum(loss for loss, _ in parts), TreeFacts(
            0,
            1 + sum(p.splits for _, p in parts),
            1 + max(p.depth for _, p in parts),
            min(p.smallest_leaf for _, p in parts),
        )

    loss, facts = below(0, np.arange(len(table.labels)))
    share = loss / single if single >= 1e-12 else 0.0
    penalties = sum(n_penalties(int(n), penalize) for n in tree["n_children"] if n)
    return share + split_penalty * penalties, facts


def random_targets(
    rng: np.random.Generator,
    *,
    max_rows: int = 14,
    max_features: int = 4,
    max_values: int = 4,
    kinds: tuple[int, ...] = (ORDERED, MULTIWAY, ONE_VS_REST),
) -> TargetTable:
    """Return a random small problem with ties, duplicates, weights, several outputs."""
    n = int(rng.integers(1, max_rows + 1))
    q = int(rng.integers(1, max_features + 1))
    n_values = rng.integers(1, max_values + 1, size=q)
    codes = np.column_stack([rng.integers(0, v, size=n) for v in n_values])
    outputs = int(rng.choice([1, 1, 1, 2, 3]))
    style = rng.random()
    if style < 0.35:
        y = rng.normal(size=(n, outputs))
    elif style < 0.7:  # few different values: many ties between trees
        y = rng.integers(0, 4, size=(n, outputs)).astype(float)
    else:  # a rule on two columns
        rule = codes[:, 0] + 2.0 * codes[:, -1] * (codes[:, 0] > 0)
        y = rule[:, None] + 0.3 * rng.normal(size=(n, outputs))
    if rng.random() < 0.2:
        y = 1000.0 + y  # a large offset must not cost precision
    weights = np.ones(n)
    if rng.random() < 0.4:
        weights = rng.integers(1, 6, size=n).astype(float)
    elif rng.random() < 0.2:
        weights = rng.uniform(0.1, 3.0, size=n)
    return TargetTable(
        kinds=rng.choice(np.asarray(kinds), size=q),
        n_values=n_values,
        codes=codes,
        labels=np.zeros(n, dtype=int),
        n_classes=1,
        weights=weights,
        targets=y,
        criterion=str(rng.choice(["squared_error", "absolute_error"])),
    )


def target_arguments(table: TargetTable) -> dict[str, Any]:
    """The table as keyword arguments of the engine's `solve_targets`."""
    assert table.targets is not None
    return {
        "kinds": np.ascontiguousarray(table.kinds, dtype=np.int32),
        "n_values": np.ascontiguousarray(table.n_values, dtype=np.int32),
        "codes": np.ascontiguousarray(table.codes.T.ravel(), dtype=np.int32),
        "targets": np.ascontiguousarray(table.targets.ravel(), dtype=np.float64),
        "n_outputs": table.targets.shape[1],
        "weights": np.ascontiguousarray(table.weights, dtype=np.float64),
        "criterion": table.criterion,
    }


def check_optimum(
    table: TargetTable,
    arguments: dict[str, Any],
    limits: dict[str, Any],
    switches: dict[str, Any],
    n_jobs: int = 1,
) -> None:
    """Solve, and compare the bound, the tree and its shape with brute force."""
    penalty = limits["split_penalty"]
    rest = {k: v for k, v in limits.items() if k != "split_penalty"}
    answer = native.solve_targets(
        **arguments, **limits, switches=switches, n_jobs=n_jobs
    )
    rule = limits.get("penalize", "splits")
    cost, facts = tree_loss(table, answer["tree"], penalty, rule)
    assert answer["status"] == "optimal"
    assert answer["lower"] == answer["upper"]
    assert cost == pytest.approx(
        optimal_loss(table, penalty, **rest), rel=1e-9, abs=1e-12
    )
    assert answer["upper"] == pytest.approx(cost, rel=1e-9, abs=1e-12)
    assert rest["max_depth"] < 0 or facts.depth <= rest["max_depth"]
    assert rest["max_splits"] < 0 or facts.splits <= rest["max_splits"]
    assert facts.splits == 0 or facts.smallest_leaf >= rest["min_samples_leaf"]
