"""Bounds of the threshold search for multiway splits, against brute force."""

from __future__ import annotations

from collections import Counter
from typing import Any

import native
import numpy as np
import pandas as pd
import pytest
from effort import rounds
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    Table,
    engine_arguments,
    optimal_cost,
    tree_facts,
)

from treeproof import OptimalTreeRegressor

WAYS: tuple[dict[str, bool], ...] = (
    {},
    {"chains": False},
    {"leave_out": False},
    {"chains": False, "leave_out": False},
)


def categories_table(rng: np.random.Generator, twice: bool) -> Table:
    """Return numbers and categories, some of them rare, split in one way or two."""
    n_rows = int(rng.integers(10, 26))
    n_values = int(rng.integers(3, 6))
    ordered = [rng.integers(0, 6, size=n_rows) for _ in range(int(rng.integers(1, 3)))]
    shares = rng.dirichlet(np.full(n_values, 0.7))
    names = rng.choice(n_values, size=n_rows, p=shares)
    labels = (names + (ordered[0] > 2)) % int(rng.integers(2, 4))
    labels = np.where(rng.random(n_rows) < 0.8, labels, rng.integers(0, 2, size=n_rows))
    weighted = rng.random() < 0.3
    n_ordered = len(ordered)
    return Table(
        kinds=np.array([ORDERED] * n_ordered + [MULTIWAY] + [ONE_VS_REST] * twice),
        n_values=np.array([6] * n_ordered + [n_values] * (1 + twice)),
        codes=np.column_stack([*ordered, *[names] * (1 + twice)]),
        labels=labels,
        n_classes=3,
        weights=rng.integers(1, 5, size=n_rows) if weighted else np.ones(n_rows, int),
    )


@pytest.mark.parametrize("twice", [False, True])
def test_every_way_finds_the_optimum(twice: bool) -> None:
    used: Counter[str] = Counter()
    for seed in range(rounds(120, 3000)):
        rng = np.random.default_rng(seed)
        table = categories_table(rng, twice)
        penalty = float(rng.choice([0.02, 0.05, 0.08]))
        limits: dict[str, Any] = {
            "max_depth": int(rng.choice([3, 4, 4, -1])),
            "max_splits": -1,
            "min_samples_leaf": int(rng.choice([1, 1, 1, 2])),
            "penalize": "leaves",
        }
        best = optimal_cost(table, penalty, **limits)
        for way in WAYS:
            coarse = {"coarse_cuts": int(rng.choice([1, 3, 24]))}
            answer = native.solve_threshold(
                **engine_arguments(table),
                split_penalty=penalty,
                **limits,
                n_jobs=int(rng.choice([1, 1, 2])),
                switches=way | coarse,
            )
            facts = tree_facts(table, answer["tree"], penalty, "leaves")
            assert answer["lower"] == answer["upper"]
            assert facts.cost == best
            counts = answer["statistics"]
            assert way.get("chains", True) or counts["chain_proofs"] == 0
            assert way.get("leave_out", True) or counts["left_out_proofs"] == 0
            used.update({k: counts[k] for k in counts})
    for name in ("chain_proofs", "left_out_proofs"):
        assert used[name] > 0, name


def test_leaving_out_gives_the_unit_step_back() -> None:
    rng = np.random.default_rng(3)
    n_rows = 400
    numbers = rng.integers(0, 200, size=(n_rows, 3))
    names = rng.integers(0, 4, size=n_rows)
    labels = (numbers[:, 0] > 90).astype(int) ^ (names == 1)
    labels = np.where(rng.random(n_rows) < 0.75, labels, 1 - labels)
    table = Table(
        kinds=np.array([ORDERED] * 3 + [MULTIWAY, ONE_VS_REST]),
        n_values=np.array([200] * 3 + [4, 4]),
        codes=np.column_stack([numbers, names, names]),
        labels=labels,
        n_classes=2,
        weights=np.ones(n_rows, int),
    )
    counts = []
    for way in ({"leave_out": True}, {"leave_out": False}):
        answer = native.solve_threshold(
            **engine_arguments(table),
            split_penalty=0.01,
            max_depth=3,
            max_splits=-1,
            min_samples_leaf=1,
            penalize="leaves",
            switches=way,
        )
        assert answer["lower"] == answer["upper"]
        counts.append((answer["upper"], answer["statistics"]))
    assert counts[0][0] == counts[1][0]
    assert counts[0][1]["left_out_proofs"] == 1 and counts[0][1]["shrinks"] > 0
    assert counts[1][1]["shrinks"] == 0
    assert counts[0][1]["depth_two_solves"] < counts[1][1]["depth_two_solves"]


def test_bounds_of_a_stopped_search_hold() -> None:
    for seed in range(rounds(60, 1000)):
        rng = np.random.default_rng(5000 + seed)
        table = categories_table(rng, seed % 2 == 0)
        best = optimal_cost(table, 0.02, max_depth=4, penalize="leaves")
        answer = native.solve_threshold(
            **engine_arguments(table),
            split_penalty=0.02,
            max_depth=4,
            max_splits=-1,
            min_samples_leaf=1,
            penalize="leaves",
            memory_limit=int(rng.integers(1, 4000)),
        )
        assert answer["lower"] <= best <= answer["upper"]


def test_chains_serve_regressions_without_a_depth_limit() -> None:
    # With a limit that no tree reaches, multiway splits are part of the search.
    for seed in range(rounds(25, 1000)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(10, 24))
        X = pd.DataFrame(
            {
                "number": rng.integers(0, 5, n) * 1.0,
                "four": rng.choice(list("pqrs"), n),
                "three": rng.choice(list("xyz"), n),
            }
        )
        y = rng.normal(size=n) + 2 * (X.four == "p") + (X.three == "x") * (X.number > 2)
        fits = [
            OptimalTreeRegressor(0.04, max_depth=depth, solver="threshold").fit(X, y)
            for depth in (None, 9)
        ]
        assert all(fit.optimal_ for fit in fits)
        assert fits[0].objective_ == pytest.approx(fits[1].objective_, abs=1e-9)
