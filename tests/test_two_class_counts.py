"""Log loss of two classes with whole weights: losses that are looked up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import native
import numpy as np
import pytest
from effort import rounds
from oracle import ORDERED, random_limits
from other_leaves_oracle import leaf_arguments, random_leaves
from regression_oracle import check_optimum
from test_regression_exact import SWITCHES, numeric_arguments
from threshold_switches import random_switches


def of_classes(X: Any, y: Any, **more: Any) -> dict[str, Any]:
    """The engine's arguments for the log loss of two classes."""
    return numeric_arguments(X, np.eye(2)[y]) | {"criterion": "poisson"} | more


def noisy(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Any]:
    X = np.round(rng.normal(size=(n, p)), 2)
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=n) > 0).astype(int)


def test_equals_brute_force() -> None:
    """The least cost of all trees, with whole weights and shares of merged rows."""
    solves = 0
    for seed in range(rounds(300, 4000)):
        rng = np.random.default_rng(seed)
        table = random_leaves(
            rng,
            "log_loss",
            max_rows=int(rng.choice([8, 12, 16])),
            max_values=int(rng.choice([3, 5, 12])),
            kinds=(ORDERED,),
        )
        n = len(table.weights)
        counts = (
            rng.integers(0, 4, size=(n, 2))
            + np.eye(2, dtype=int)[rng.integers(0, 2, n)]
        )
        if rng.random() < 0.5:  # no merged rows
            counts = counts * (counts == counts.max(axis=1, keepdims=True))
            counts[counts.prod(axis=1) > 0, 1] = 0
        weights = counts.sum(axis=1).astype(float)
        table = replace(  # the deviance of both shares is the log loss
            table,
            criterion="poisson",
            targets=counts / weights[:, None],
            weights=weights * float(rng.choice([1.0, 0.3])),
            smoothing=0.0,
        )
        limits = random_limits(rng)
        if limits["max_depth"] < 0 or limits["max_depth"] > 3:
            limits["max_depth"] = int(rng.integers(2, 4))
        if rng.random() < 0.7:
            limits["min_samples_leaf"] = 1
        check_optimum(
            table, leaf_arguments(table), limits, random_switches(rng, *SWITCHES)
        )
        found = native.solve_targets(**leaf_arguments(table), **limits)
        solves += found["statistics"]["count_solves"]
    assert solves > 0


@pytest.mark.parametrize("n", [150, 900, 3000])
def test_every_bound_fires_and_is_sound(n: int) -> None:
    """The same cost as without counts, for sets with few rows and with many."""
    rng = np.random.default_rng(n)
    X, y = noisy(rng, n, 5)
    for penalty in (0.0, 0.01):
        arguments = of_classes(X, y, split_penalty=penalty, max_depth=3)
        found = native.solve_targets(**arguments)
        plain = native.solve_targets(**arguments, switches={"counts": False})
        assert found["status"] == plain["status"] == "optimal"
        assert found["upper"] == pytest.approx(plain["upper"], rel=1e-9)
        assert found["lower"] == pytest.approx(plain["lower"], rel=1e-9)
        for counter in (
            "count_solves",
            "inherited_lanes",
            "parted_groups",
            "parted_bins",
            "exact_scans",
            "planned_trees",
        ):
            assert found["statistics"][counter] > 0, counter
            if counter != "exact_scans":
                assert plain["statistics"][counter] == 0, counter


def test_a_bin_of_one_class_needs_no_scan() -> None:
    """No cut between rows of one class is better than both ends of them."""
    rng = np.random.default_rng(0)
    x = np.arange(2000.0)
    y = ((x // 250) % 2).astype(int)
    X = np.column_stack([x, rng.permutation(x)])
    found = native.solve_targets(**of_classes(X, y, max_depth=2))
    plain = native.solve_targets(
        **of_classes(X, y, max_depth=2), switches={"counts": False}
    )
    assert found["upper"] == pytest.approx(plain["upper"], rel=1e-9)
    assert found["statistics"]["exact_scans"] < plain["statistics"]["exact_scans"]


def test_what_is_not_whole_is_left_to_moments() -> None:
    rng = np.random.default_rng(1)
    X, y = noisy(rng, 200, 3)
    others: list[dict[str, Any]] = [
        {"weights": rng.uniform(0.5, 2.0, len(y))},
        {"smoothing": 1.0},
        {"min_samples_leaf": 5},
        {"weights": np.where(y == 1, 1e6, 1.0)},  # more than are counted
    ]
    for other in others:
        found = native.solve_targets(**of_classes(X, y, max_depth=2, **other))
        assert found["status"] == "optimal"
        assert found["statistics"]["count_solves"] == 0
    halves = of_classes(X, y, max_depth=2, weights=np.full(len(y), 0.7))
    assert native.solve_targets(**halves)["statistics"]["count_solves"] > 0


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_tangents_settle_cuts_of_counts(scale: float) -> None:
    """They leave out logarithms, and the cost is that of brute arithmetic.

    With `scale` the targets are far from zero, where sums lose digits.
    """
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 3))
    y = rng.poisson(np.exp(X[:, 0] * X[:, 1])) + (scale if scale > 1 else 0.0)
    arguments = numeric_arguments(X, y[:, None]) | {"criterion": "poisson"}
    found = native.solve_targets(**arguments, max_depth=2)
    portable = native.solve_targets(
        **arguments, max_depth=2, switches={"portable_kernels": True}
    )
    whole = native.solve_targets(**arguments, max_depth=2, min_samples_leaf=2)
    assert found["upper"] == pytest.approx(portable["upper"], rel=1e-9)
    assert found["upper"] <= whole["upper"] * (1 + 1e-9)
    if scale == 1.0:
        assert found["statistics"]["tangent_cuts"] > 0
