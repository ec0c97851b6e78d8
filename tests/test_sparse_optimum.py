"""The sparse engine against brute force, under all combinations of its switches."""

import itertools
import os

import numpy as np
import pytest
from oracle import optimal_cost
from sparse_problems import (
    LIMITS,
    SWITCHES,
    any_limits,
    any_table,
    check,
    noisy_table,
    solve,
)

from treeproof import _core


@pytest.mark.parametrize("seed", range(12))
def test_equals_brute_force_under_random_switches(seed):
    rng = np.random.default_rng(seed)
    kernels = _core.kernels()
    for _ in range(420):
        table, limits = any_table(rng), any_limits(rng)
        off = rng.random(len(SWITCHES)) < rng.choice([0.0, 0.2, 0.5])
        switches = {name: not o for name, o in zip(SWITCHES, off, strict=True)}
        check(table, limits, switches=switches, kernel=str(rng.choice(kernels)))


@pytest.mark.parametrize("seed", range(4))
def test_every_combination_of_switches_gives_one_optimum(seed):
    rng = np.random.default_rng(1000 + seed)
    table = noisy_table(rng, n_classes=2 + seed % 2, multiway=seed == 3)
    limits = {
        "split_penalty": 0.012,
        "max_depth": 4 if seed == 2 else -1,
        "max_splits": -1,
        "min_samples_leaf": 1,
        "penalize": "splits",
    }
    wanted = optimal_cost(table, 0.012, **{name: limits[name] for name in LIMITS})
    names = [name for name in SWITCHES if name != "triples"]  # needs a depth limit
    for values in itertools.product([False, True], repeat=len(names)):
        switches = dict(zip(names, values, strict=True))
        switches["triples"] = sum(values) % 2 == 0
        answer = solve(table, limits, switches=switches)
        assert answer["lower"] == answer["upper"] == wanted, switches


@pytest.mark.parametrize("block", range(40 if os.environ.get("TREEPROOF_FUZZ") else 4))
def test_triples_of_tests_find_the_best_trees_of_limited_depth(block):
    """Costs of each row, small weights and wide ones; the switch must fire often."""
    rng = np.random.default_rng(5000 + block)
    fired = 0
    for _ in range(100):
        table = noisy_table(rng)
        table.weights = rng.integers(1, rng.choice([2, 5, 90_000]), len(table.labels))
        limits = any_limits(rng) | {"max_depth": int(rng.integers(3, 5))}
        limits |= {"max_splits": -1, "min_samples_leaf": 1}
        kernel = str(rng.choice(_core.kernels()))
        fired += check(table, limits, kernel=kernel)["triples_solved"] > 0
    assert fired > 30


def test_unknown_switch_and_kernel_are_named():
    table = noisy_table(np.random.default_rng(0))
    limits = any_limits(np.random.default_rng(0))
    with pytest.raises(ValueError, match="unknown switch 'coverring'"):
        solve(table, limits, switches={"coverring": True})
    with pytest.raises(ValueError, match="kernel 'mmx'"):
        solve(table, limits, kernel="mmx")
