"""The optimum does not depend on order, names, or how equal rows are given."""

import dataclasses

import numpy as np
import pytest
from sparse_problems import any_limits, any_table, noisy_table, solve


def value(table, limits):
    answer = solve(table, limits)
    assert answer["status"] == "optimal"
    return answer["upper"]


@pytest.mark.parametrize("seed", range(40))
def test_order_of_rows_columns_and_classes(seed):
    rng = np.random.default_rng(seed)
    table, limits = any_table(rng), any_limits(rng)
    wanted = value(table, limits)
    rows = rng.permutation(len(table.labels))
    columns = rng.permutation(table.codes.shape[1])
    names = rng.permutation(table.n_classes)
    shuffled = dataclasses.replace(
        table,
        kinds=table.kinds[columns],
        n_values=table.n_values[columns],
        codes=table.codes[rows][:, columns],
        labels=names[table.labels[rows]],
        weights=table.weights[rows],
        _parts=[],
    )
    assert value(shuffled, limits) == wanted


@pytest.mark.parametrize("seed", range(20))
def test_weights_are_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    table = noisy_table(rng)
    table.weights = rng.integers(1, 5, size=len(table.labels))
    limits = {**any_limits(rng), "min_samples_leaf": 1}
    repeated = dataclasses.replace(
        table,
        codes=np.repeat(table.codes, table.weights, axis=0),
        labels=np.repeat(table.labels, table.weights),
        weights=np.ones(int(table.weights.sum()), dtype=int),
        _parts=[],
    )
    assert value(table, limits) == value(repeated, limits)


@pytest.mark.parametrize("factor", [2, 8])
def test_scaling_real_weights_by_a_power_of_two_changes_nothing(factor):
    rng = np.random.default_rng(5)
    table = noisy_table(rng)
    table.weights = rng.uniform(0.1, 3.0, size=len(table.labels))
    limits = {"split_penalty": 0.01, "max_depth": -1, "max_splits": -1}
    limits["min_samples_leaf"] = 1
    first = solve(table, limits)
    table.weights = table.weights * factor
    second = solve(table, limits)
    assert first["status"] == second["status"] == "optimal"
    assert first["upper"] / first["unit"] == second["upper"] / second["unit"]


def test_a_run_can_be_repeated_exactly():
    table = noisy_table(np.random.default_rng(11))
    limits = {"split_penalty": 0.004, "max_depth": -1, "max_splits": -1}
    limits["min_samples_leaf"] = 1
    first, second = solve(table, limits), solve(table, limits)
    assert first["statistics"] == second["statistics"]
    assert all(
        np.array_equal(first["tree"][k], second["tree"][k]) for k in first["tree"]
    )
