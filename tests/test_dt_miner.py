"""DT-Miner against brute force, the thesis' table, and its limits."""

import native
import numpy as np
import pytest
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    engine_arguments,
    optimal_cost,
    random_limits,
    random_table,
)
from published_search import (
    check_events_end_with_the_result,
    check_interrupt_keeps_the_tree,
    check_optimum_of_thesis,
    check_time_limit_keeps_the_tree,
    check_tree,
    noise,
    parity,
)

# Iterations of Table 3.2 for the sets it proves; they are printed to one digit, and the
# order among equal bounds is not specified.
ITERATIONS = {"monk1-l": 6e3, "monk1-o": 2e4, "mushroom-o": 5, "zoo-o": 2e5}


def solve(table, split_penalty, **options):
    return native.solve(
        solver="dt-miner",
        split_penalty=split_penalty,
        **engine_arguments(table),
        **options,
    )


def hard_table(n_features=30):
    return noise(300, n_features, seed=3)


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_brute_force(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(120):
        table = random_table(rng, max_rows=11)
        limits = random_limits(rng)
        del limits["penalize"]  # each split is charged once
        result = solve(table, **limits)
        assert result["status"] == "optimal"
        assert result["lower"] == result["upper"] == optimal_cost(table, **limits)
        check_tree(table, result, **limits)


@pytest.mark.parametrize("kind", [ORDERED, MULTIWAY, ONE_VS_REST])
def test_larger_tables_agree_with_brute_force(kind):
    rng = np.random.default_rng(int(kind))
    for _ in range(10):
        table = random_table(rng, max_rows=40, max_features=4, kinds=[kind])
        for max_splits in (1, 3):
            result = solve(table, 0.03, max_splits=max_splits)
            assert result["lower"] == result["upper"]
            assert result["upper"] == optimal_cost(table, 0.03, max_splits=max_splits)
            check_tree(table, result, 0.03, max_splits=max_splits)


@pytest.mark.parametrize("name", ["monk1", *ITERATIONS])
def test_optima_and_iterations_of_the_thesis(name):
    result = check_optimum_of_thesis(solve, name)
    if name in ITERATIONS:
        assert result["statistics"]["iterations"] <= ITERATIONS[name]


def test_every_counter_counts():
    statistics = solve(parity(5), 0.01)["statistics"]
    for name in (
        "iterations",
        "trees",
        "successors",
        "branches",
        "evaluations",
        "purified",
        "memo_hits",
        "pruned",
        "longest_path",
        "memory_bytes",
    ):
        assert statistics[name] > 0, name


def test_a_penalty_beyond_all_errors_needs_no_iteration():
    result = solve(hard_table(), 0.6)
    assert result["status"] == "optimal"
    assert result["statistics"]["iterations"] == 0


def test_time_limit_keeps_the_tree_and_true_bounds():
    check_time_limit_keeps_the_tree(solve, hard_table())


@pytest.mark.parametrize("limit", [2_000_000, 8_000_000])
def test_memory_limit_is_kept(limit):
    table = hard_table()
    result = solve(table, 0.002, memory_limit=limit, time_limit=60)
    assert result["status"] == "memory_limit"
    assert result["statistics"]["memory_bytes"] <= limit
    assert result["statistics"]["iterations"] > 10
    check_tree(table, result, 0.002)


def test_interrupt_keeps_the_tree():
    check_interrupt_keeps_the_tree(solve, hard_table())


def test_events_are_monotone_and_end_with_the_result():
    check_events_end_with_the_result(solve, hard_table(8), 0.01)
