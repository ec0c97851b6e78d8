"""Counts, probabilities, quantiles and lifetimes: the engine against brute force."""

from __future__ import annotations

from typing import Any

import native
import numpy as np
import pytest
from effort import rounds
from oracle import random_limits
from other_leaves_oracle import CRITERIA, LeafTable, leaf_arguments, random_leaves
from regression_oracle import KINDS, check_optimum
from test_regression_exact import SWITCHES, numeric_arguments
from threshold_switches import check_every_combination, random_switches


def check(
    table: LeafTable, limits: dict[str, Any], switches: dict[str, Any], n_jobs: int = 1
) -> None:
    check_optimum(table, leaf_arguments(table), limits, switches, n_jobs)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_equals_brute_force(criterion: str) -> None:
    for seed in range(rounds(300, 2000)):
        rng = np.random.default_rng(seed)
        table = random_leaves(
            rng,
            criterion,
            max_rows=int(rng.choice([8, 12, 14])),
            max_values=int(rng.choice([2, 4, 12])),
            kinds=KINDS[int(rng.integers(3))],
        )
        limits = random_limits(rng)
        if limits["max_depth"] < 0 and rng.random() < 0.6:
            limits["max_depth"] = int(rng.integers(2, 5))
        check(table, limits, random_switches(rng, *SWITCHES))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_combination_of_switches(criterion: str) -> None:
    rng = np.random.default_rng(3)
    tables = [
        random_leaves(rng, criterion, max_rows=12, max_values=12, kinds=KINDS[k % 2])
        for k in range(2)
    ]
    check_every_combination(tables, (0.0, 0.02), check)


@pytest.mark.parametrize("criterion", ["poisson", "log_loss", "gini", "survival"])
def test_the_partition_bound_is_sound_and_fires(criterion: str) -> None:
    """Groups of rows that lose nothing together: no partition does better.

    Rows of equal targets stand side by side in the first column, so that cuts there
    make the best partition of the targets alone.
    """
    fired = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 200
        X = rng.normal(size=(n, 3))
        step = np.clip(np.floor(1.5 * X[:, 0]) + 2, 0, 3).astype(int)
        weights = rng.uniform(0.5, 2.0, size=n)
        if criterion in ("log_loss", "gini"):  # shares of classes, as of merged rows
            share = np.array([0.1, 0.3, 0.6, 0.9])[step] + 0.02 * rng.random(n)
            y = np.column_stack([share, 1 - share])
        elif criterion == "poisson":
            y = (5.0 * step + rng.random(n))[:, None]
        else:
            y = np.array([0.0, 1.0, 3.0, 9.0])[step][:, None] + 0.1 * rng.random((n, 1))
        arguments = numeric_arguments(X, y) | {
            "weights": weights,
            "criterion": "squared_error" if criterion == "gini" else "poisson",
            "split_penalty": 0.02,
            "max_depth": 4,
        }
        found = native.solve_targets(**arguments)
        plain = native.solve_targets(**arguments, switches={"partitions": False})
        fired += found["statistics"]["partition_prunes"]
        assert found["status"] == plain["status"] == "optimal"
        assert plain["statistics"]["partition_prunes"] == 0
        assert found["upper"] == pytest.approx(plain["upper"], rel=1e-9)
    assert fired > 0


@pytest.mark.parametrize("criterion", ["poisson", "log_loss", "gini"])
def test_bounds_fire(criterion: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    signal = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=400)
    if criterion == "poisson":
        y = rng.poisson(np.exp(signal))[:, None].astype(float)
    else:
        y = np.eye(2)[(signal > 0).astype(int)]
    arguments = numeric_arguments(X, y) | {
        "criterion": "squared_error" if criterion == "gini" else "poisson"
    }
    for smoothing in (0.0, 1.0) if criterion != "poisson" else (0.0,):
        found = native.solve_targets(**arguments, smoothing=smoothing, max_depth=3)
        for counter in (
            "interval_prunes",
            "cutoffs",
            "inherited_prunes",
            "exact_scans",
        ):
            assert found["statistics"][counter] > 0, counter


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_units_of_counts_do_not_matter(scale: float) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = rng.poisson(np.exp(X[:, 0] * X[:, 1])).astype(float)
    arguments = {"criterion": "poisson", "max_depth": 3}
    plain = native.solve_targets(**numeric_arguments(X, y), **arguments)
    moved = native.solve_targets(**numeric_arguments(X, y * scale), **arguments)
    assert moved["upper"] == pytest.approx(plain["upper"], rel=1e-9)


def test_a_large_offset_costs_no_digits() -> None:
    """Far from zero half the Poisson deviance is the squared error over twice the mean.

    Sums of y log y would have lost all their digits here.
    """
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = np.round(X[:, 0] * X[:, 1], 2)
    squares = native.solve_targets(**numeric_arguments(X, y), max_depth=3)
    moved = native.solve_targets(
        **numeric_arguments(X, 1e9 + y), criterion="poisson", max_depth=3
    )
    assert moved["status"] == "optimal"
    assert moved["upper"] == pytest.approx(squares["upper"], rel=1e-6)


def test_leaves_of_zeros() -> None:
    X = np.arange(8.0)[:, None]
    y = np.array([0.0, 0, 0, 0, 2, 2, 2, 2])
    found = native.solve_targets(
        **numeric_arguments(X, y), criterion="poisson", max_depth=1
    )
    assert found["upper"] == pytest.approx(0.0, abs=1e-13)
    zeros = native.solve_targets(
        **numeric_arguments(X, 0 * y), criterion="poisson", max_depth=1
    )
    assert zeros["upper"] == 0.0


def test_threads_find_the_same_optimum() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = random_leaves(rng, CRITERIA[seed % 4], max_rows=14, kinds=KINDS[0])
        limits = random_limits(rng)
        check(table, limits, {}, n_jobs=2)
