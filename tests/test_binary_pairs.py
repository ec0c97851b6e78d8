"""Columns of two values: the last two levels from sums over pairs of columns."""

from __future__ import annotations

from dataclasses import replace

import native
import numpy as np
import pytest
from effort import rounds
from oracle import ORDERED, random_limits
from other_leaves_oracle import leaf_arguments, random_leaves
from regression_oracle import check_optimum, random_targets, target_arguments
from test_regression_exact import numeric_arguments

CRITERIA = ("squared_error", "poisson", "log_loss", "gini", "survival")


def random_table(rng: np.random.Generator, criterion: str):
    """A small table with columns of at most two values, and the engine's arguments."""
    shape = {"max_rows": int(rng.choice([8, 12, 16])), "max_values": 2}
    shape["kinds"] = (ORDERED,)
    if criterion == "squared_error":
        table = random_targets(rng, **shape)
        return table, target_arguments
    return random_leaves(rng, criterion, **shape), leaf_arguments


@pytest.mark.parametrize("criterion", CRITERIA)
def test_equals_brute_force(criterion: str) -> None:
    """The least cost of all trees, for all limits, with and without the sums."""
    solves = 0
    for seed in range(rounds(150, 2000)):
        rng = np.random.default_rng(seed)
        table, arguments = random_table(rng, criterion)
        if rng.random() < 0.2:  # most of the weight is in few rows
            table = replace(
                table,
                weights=table.weights * 10.0 ** rng.integers(-3, 2, len(table.weights)),
            )
        limits = random_limits(rng)
        if limits["max_depth"] < 0 or limits["max_depth"] > 3:
            limits["max_depth"] = int(rng.integers(1, 4))
        for pairs in (True, False):
            check_optimum(table, arguments(table), limits, {"pairs": pairs})
        found = native.solve_targets(**arguments(table), **limits)
        solves += found["statistics"]["pair_solves"]
    assert solves > 0


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_same_cost_as_the_search_through_cuts(criterion: str) -> None:
    """Larger tables, where every subproblem of depth two is solved from pairs.

    Where several sets are cut out of one, most sums are differences.
    """
    subtracted = 0
    for seed in range(rounds(6, 60)):
        rng = np.random.default_rng(seed)
        n, p = 300, 12
        X = (rng.random((n, p)) < rng.random(p)).astype(float)
        y = rng.poisson(np.exp(X[:, 0] * X[:, 1] + X[:, 2])).astype(float)
        arguments = numeric_arguments(X, y[:, None]) | {
            "criterion": criterion,
            "weights": rng.uniform(0.01, 3.0, n),
            "split_penalty": float(rng.choice([0.0, 0.002])),
            "max_depth": int(rng.integers(2, 5)),
            "max_splits": int(rng.choice([-1, 4, 6])),
            "min_samples_leaf": int(rng.choice([1, 1, 5, 20])),
        }
        found = native.solve_targets(**arguments)
        plain = native.solve_targets(**arguments, switches={"pairs": False})
        assert found["status"] == plain["status"] == "optimal"
        assert found["upper"] == pytest.approx(plain["upper"], rel=1e-9)
        assert found["statistics"]["pair_solves"] > 0
        assert found["statistics"]["sweeps"] == 0
        assert plain["statistics"]["pair_solves"] == 0
        assert plain["statistics"]["sweeps"] > 0
        subtracted += found["statistics"]["subtracted_pairs"]
    assert subtracted > 0


def test_rows_of_little_weight_are_summed_up_directly() -> None:
    """Differences of sums would lose the digits of rows that weigh next to nothing."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [0, 1], [1, 0], [1, 1]])
    y = np.array([1.0, 2.0, 3.0, 40.0, 1.0, 2.0, 3.0, 50.0])
    weights = np.array([1e9, 1e9, 1e9, 1e-7, 1e9, 1e9, 1e9, 3e-7])
    found = native.solve_targets(
        **numeric_arguments(X.astype(float), y[:, None]) | {"weights": weights},
        max_depth=2,
    )
    mean = np.average(y[[3, 7]], weights=weights[[3, 7]])
    left = weights[[3, 7]] @ (y[[3, 7]] - mean) ** 2
    total = weights @ (y - np.average(y, weights=weights)) ** 2
    assert found["statistics"]["pair_solves"] > 0
    assert found["upper"] == pytest.approx(left / total, rel=1e-6, abs=1e-25)


def test_categories_and_columns_of_many_values_are_left_to_cuts() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (100, 4)).astype(float)
    found = native.solve_targets(
        **numeric_arguments(X, rng.random((100, 1))), max_depth=3
    )
    assert found["statistics"]["pair_solves"] == 0
