"""The brute-force oracle on problems that can be solved by hand."""

import numpy as np
import pytest
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    UNIT,
    Table,
    optimal_cost,
    random_limits,
    random_table,
)


def make(kind, codes, labels, weights=None):
    codes = np.asarray(codes)
    labels = np.asarray(labels)
    return Table(
        kinds=np.full(codes.shape[1], kind),
        n_values=codes.max(axis=0) + 1,
        codes=codes,
        labels=labels,
        n_classes=int(labels.max()) + 1,
        weights=np.ones(len(labels), int) if weights is None else np.asarray(weights),
    )


XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


@pytest.mark.parametrize("kind", [ORDERED, MULTIWAY, ONE_VS_REST])
def test_xor_needs_three_splits(kind):
    table = make(kind, *XOR)
    split = table.split_cost(0.1)
    assert optimal_cost(table, 0.1) == 3 * split
    assert optimal_cost(table, 0.1, max_splits=3) == 3 * split
    assert optimal_cost(table, 0.1, max_splits=2) == 1 * UNIT + 2 * split
    assert optimal_cost(table, 0.1, max_depth=1) == 2 * UNIT
    assert optimal_cost(table, 0.1, min_samples_leaf=2) == 2 * UNIT
    assert optimal_cost(table, 0.5) == 2 * UNIT


def test_one_multiway_split_against_two_binary_ones():
    codes = [[0], [1], [2]]
    labels = [0, 1, 0]
    assert optimal_cost(make(MULTIWAY, codes, labels), 0.0, max_splits=1) == 0
    assert optimal_cost(make(ONE_VS_REST, codes, labels), 0.0, max_splits=1) == 0
    assert optimal_cost(make(ORDERED, codes, labels), 0.0, max_splits=1) == UNIT
    assert optimal_cost(make(ORDERED, codes, labels), 0.0, max_splits=2) == 0


def test_weights_count_in_the_loss_and_not_in_min_samples_leaf():
    table = make(ORDERED, [[0], [1], [1]], [0, 1, 1], weights=[5, 1, 1])
    assert optimal_cost(table, 0.0, min_samples_leaf=2) == 2 * UNIT
    assert optimal_cost(table, 0.0) == 0


def test_both_recursions_agree_and_limits_only_cost():
    rng = np.random.default_rng(0)
    for _ in range(150):
        table = random_table(rng)
        limits = random_limits(rng)
        penalty = limits.pop("split_penalty")
        limits["max_splits"] = -1
        free = optimal_cost(table, penalty, **limits)
        limits["max_splits"] = len(table.labels)
        assert optimal_cost(table, penalty, **limits) == free
        limits["max_splits"] = 1
        assert optimal_cost(table, penalty, **limits) >= free
        assert optimal_cost(table, penalty) <= free
