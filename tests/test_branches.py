"""BRANCHES against brute force, the papers' tables, and its limits."""

import os
import subprocess
import sys
from pathlib import Path

import native
import numpy as np
import pytest
import table42
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    Table,
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

# Iterations of Table 4.3 for the sets that take a second or less here.
ITERATIONS = {
    "monk1": 146,
    "monk1-l": 117,
    "monk1-f": 2125,
    "monk1-o": 64,
    "monk2": 60611,
    "monk2-f": 28968,
    "monk2-o": 1213,
    "monk3": 14807,
    "monk3-f": 3026,
    "monk3-o": 156,
    "tictactoe-f": 74627,
    "tictactoe-o": 3339,
    "careval-o": 579,
    "nursery-o": 195,
    "mushroom-o": 6,
    "zoo": 39199,
    "zoo-f": 4659,
    "zoo-o": 1456,
    "lymph-o": 16154,
    "balance-o": 178,
}


def solve(table, split_penalty, **options):
    return native.solve(
        solver="branches",
        split_penalty=split_penalty,
        **engine_arguments(table),
        **options,
    )


def hard_table(n_features=40):
    return noise(400, n_features, seed=0)


@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_brute_force(seed):
    rng = np.random.default_rng(seed)
    for _ in range(500):
        table = random_table(rng)
        limits = random_limits(rng)
        del limits["penalize"]  # each split is charged once
        del limits["max_splits"]
        result = solve(table, **limits)
        assert result["status"] == "optimal"
        assert result["lower"] == result["upper"] == optimal_cost(table, **limits)
        check_tree(table, result, **limits)


@pytest.mark.parametrize("kind", [ORDERED, MULTIWAY, ONE_VS_REST])
@pytest.mark.parametrize("split_penalty", [0.0, 0.02])
def test_larger_tables_agree_with_brute_force(kind, split_penalty):
    rng = np.random.default_rng(int(kind))
    for _ in range(10):
        table = random_table(rng, max_rows=40, max_features=5, kinds=[kind])
        result = solve(table, split_penalty, max_depth=3)
        assert result["lower"] == result["upper"]
        assert result["upper"] == optimal_cost(table, split_penalty, max_depth=3)


def test_a_row_of_weight_three_is_three_rows():
    rng = np.random.default_rng(5)
    for _ in range(100):
        table = random_table(rng)
        table.weights = rng.integers(1, 7, size=len(table.labels))
        repeated = Table(
            kinds=table.kinds,
            n_values=table.n_values,
            codes=np.repeat(table.codes, table.weights, axis=0),
            labels=np.repeat(table.labels, table.weights),
            n_classes=table.n_classes,
            weights=np.ones(int(table.weights.sum()), dtype=np.int64),
        )
        a, b = solve(table, 0.03), solve(repeated, 0.03)
        assert (a["lower"], a["upper"]) == (b["lower"], b["upper"])


def test_real_weights_are_counted_in_full():
    rng = np.random.default_rng(6)
    table = random_table(rng, max_rows=14, max_features=3)
    arguments = engine_arguments(table)
    arguments["weights"] = rng.random(len(table.labels)) + 0.1
    result = native.solve(solver="branches", split_penalty=0.01, **arguments)
    scale = 2.0 ** np.floor(np.log2(result["unit"] / 2**20 / sum(arguments["weights"])))
    table.weights = np.rint(arguments["weights"] * scale).astype(np.int64)
    again = solve(table, 0.01)
    assert result["upper"] / result["unit"] == pytest.approx(
        again["upper"] / again["unit"], abs=1e-6
    )


@pytest.mark.parametrize("name", ITERATIONS)
def test_optima_and_iterations_of_the_thesis(name):
    result = check_optimum_of_thesis(solve, name)
    ratio = result["statistics"]["iterations"] / ITERATIONS[name]
    assert 0.5 <= ratio <= 2.0


def test_the_benchmark_prints_its_table():
    table42.load("monk1-o")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.branches_iterations", "--sets", "monk1-o"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "TREEPROOF_DATA": str(table42.folder().parent)},
        check=True,
    )
    assert "monk1-o" in done.stdout
    assert "yes" in done.stdout


def test_one_iteration_is_enough_for_one_multiway_split():
    # Section 4.8 of the thesis: Y = 1 iff the one feature is in {1, 3}.
    table = Table(
        kinds=np.array([MULTIWAY]),
        n_values=np.array([4]),
        codes=np.array([[0], [1], [2], [3]]),
        labels=np.array([1, 0, 1, 0]),
        n_classes=2,
        weights=np.ones(4, dtype=np.int64),
    )
    result = solve(table, 0.01)
    assert result["statistics"]["iterations"] == 1
    assert result["upper"] == table.split_cost(0.01)
    table.kinds = np.array([ONE_VS_REST])
    assert solve(table, 0.01)["statistics"]["iterations"] > 1


def test_every_counter_counts():
    statistics = solve(parity(6), 0.01)["statistics"]
    for name in (
        "iterations",
        "expansions",
        "branches",
        "evaluations",
        "purified",
        "memo_hits",
        "refreshes",
        "longest_path",
        "memory_bytes",
    ):
        assert statistics[name] > 0, name
    assert statistics["purified"] < statistics["evaluations"]


def test_a_penalty_beyond_all_errors_needs_no_iteration():
    result = solve(hard_table(), 0.6)
    assert result["status"] == "optimal"
    assert result["statistics"]["iterations"] == 0
    assert result["statistics"]["purified"] == 1


def test_time_limit_keeps_the_tree_and_true_bounds():
    check_time_limit_keeps_the_tree(solve, hard_table())


def test_a_memory_limit_below_the_data_still_gives_a_leaf():
    table = hard_table()
    result = solve(table, 0.002, memory_limit=1000)
    assert result["status"] == "memory_limit"
    assert len(result["tree"]["kind"]) == 1
    check_tree(table, result, 0.002)


def test_interrupt_keeps_the_tree():
    check_interrupt_keeps_the_tree(solve, hard_table())


def test_events_are_monotone_and_end_with_the_result():
    events = check_events_end_with_the_result(solve, hard_table(12), 0.005)
    assert len({e[3] for e in events}) > 1


def test_a_limit_on_splits_is_refused():
    with pytest.raises(ValueError, match="max_splits"):
        solve(hard_table(), 0.01, max_splits=3)
