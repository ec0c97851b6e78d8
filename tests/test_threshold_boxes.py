"""What the threshold search remembers of boxes and sets, against brute force."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import native
import numpy as np
from effort import rounds
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    UNIT,
    Table,
    engine_arguments,
    optimal_cost,
    tree_facts,
)


def mixed_table(rng: np.random.Generator, n_rows: int) -> Table:
    """Ordered columns, and a column that is split both ways."""
    n_ordered = int(rng.integers(1, 4))
    twice = int(rng.integers(0, 2))
    n_values = [*rng.integers(2, 9, size=n_ordered)] + [3, 3] * twice
    columns = [rng.integers(0, v, size=n_rows) for v in n_values[:n_ordered]]
    if twice:
        columns += [rng.integers(0, 3, size=n_rows)] * 2
    n_classes = int(rng.choice([2, 2, 3]))
    labels = rng.integers(0, n_classes, size=n_rows)
    if rng.random() < 0.6:
        rule = (columns[0] > 1).astype(int) ^ (columns[-1] > 0)
        labels = np.where(rng.random(n_rows) < 0.8, rule, labels)
    weighted = rng.random() < 0.3
    return Table(
        kinds=np.array([ORDERED] * n_ordered + [MULTIWAY, ONE_VS_REST] * twice),
        n_values=np.array(n_values),
        codes=np.column_stack(columns),
        labels=labels,
        n_classes=n_classes,
        weights=rng.integers(1, 5, size=n_rows) if weighted else np.ones(n_rows, int),
    )


def limits_of(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "split_penalty": float(rng.choice([0.0, 0.01, 0.03])),
        "max_depth": int(rng.choice([3, 4, 4, 5, -1])),
        "max_splits": -1,
        "min_samples_leaf": 1,
        "penalize": str(rng.choice(["leaves", "splits"])),
    }


def test_every_way_to_remember_finds_the_optimum() -> None:
    used: Counter[str] = Counter()
    for seed in range(rounds(150, 3000)):
        rng = np.random.default_rng(seed)
        table = mixed_table(rng, int(rng.integers(8, 22)))
        limits = limits_of(rng)
        rest = {k: v for k, v in limits.items() if k != "split_penalty"}
        best = optimal_cost(table, limits["split_penalty"], **rest)
        for boxes, sets in itertools.product((False, True), repeat=2):
            answer = native.solve_threshold(
                **engine_arguments(table),
                **limits,
                switches={
                    "boxes": boxes,
                    "sets": sets,
                    "common_rows_search": False,
                    "coarse_cuts": int(rng.choice([1, 3, 24])),
                },
            )
            facts = tree_facts(
                table, answer["tree"], limits["split_penalty"], limits["penalize"]
            )
            assert answer["lower"] == answer["upper"]
            assert facts.cost == best
            counts = answer["statistics"]
            assert boxes or counts["boxes_used"] == 0
            assert sets or counts["recalled_sets"] == 0
            used.update({k: counts[k] for k in counts})
    for name in ("boxes_used", "recalled_sets", "doubled_splits"):
        assert used[name] > 0, name


def test_bounds_of_a_stopped_search_hold() -> None:
    # Results of searches that were not finished must not be stored.
    for seed in range(rounds(60, 1000)):
        rng = np.random.default_rng(1000 + seed)
        table = mixed_table(rng, int(rng.integers(12, 22)))
        limits = limits_of(rng)
        rest = {k: v for k, v in limits.items() if k != "split_penalty"}
        best = optimal_cost(table, limits["split_penalty"], **rest)
        answer = native.solve_threshold(
            **engine_arguments(table),
            **limits,
            memory_limit=int(rng.integers(1, 4000)),
            switches={"common_rows_search": False},
        )
        share = best / UNIT / table.total_weight
        assert answer["lower"] / answer["unit"] <= share + 1e-6
        assert answer["upper"] / answer["unit"] >= share - 1e-6
