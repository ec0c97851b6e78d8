"""Prices of large tables, of rows without weight, and of searches that are stopped."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from effort import rounds
from oracle import UNIT, Table, optimal_cost
from price_tables import KINDS, boxes, random_table
from test_level_prices import conjunctions, shallow_prices
from test_prices import make_prices, search_with_prices

from treeproof import OptimalTreeClassifier, proof

LARGE = 100_000


def large_table(rng: np.random.Generator, n_values: int) -> Table:
    """Return a noisy rule of two numbers with a hundred thousand rows."""
    codes = rng.integers(0, n_values, (LARGE, 2))
    inside = (codes[:, 0] > n_values // 2) & (codes[:, 1] < n_values // 3)
    return Table(
        kinds=np.zeros(2, np.int32),
        n_values=np.full(2, n_values, np.int32),
        codes=codes.astype(np.int32),
        labels=(inside ^ (rng.random(LARGE) < 0.3)).astype(np.int32),
        n_classes=2,
        weights=np.ones(LARGE, int),
    )


def sums_of_boxes(table: Table, of_rows: np.ndarray) -> np.ndarray:
    """Return the sum over each box, by its lower and upper ends in both columns."""
    a, b = table.n_values
    cells = np.zeros((a + 1, b + 1))
    np.add.at(cells, (table.codes[:, 0] + 1, table.codes[:, 1] + 1), of_rows)
    below = cells.cumsum(axis=0).cumsum(axis=1)
    low, high = np.triu_indices(a + 1, 1)
    left, right = np.triu_indices(b + 1, 1)
    rows = below[high] - below[low]
    return rows[:, right] - rows[:, left]


def test_prices_of_many_rows_hold_for_every_box():
    """A hundred thousand rows in few cells: all of their boxes are summed up."""
    rng = np.random.default_rng(51)
    table = large_table(rng, 24)
    answer = make_prices(table, 0.01, work=3 * 10**8)
    of_class = [sums_of_boxes(table, (table.labels == k) * UNIT) for k in (0, 1)]
    room = np.minimum(*of_class) + answer["split_cost"]
    own = sums_of_boxes(table, answer["prices"])  # below 2^53: exact in doubles
    assert (own <= room).all()
    assert (own > 0.999 * room).any()
    assert answer["lower"] > 0.25  # most of the noise


def test_prices_of_a_hundred_thousand_points():
    """Rows that nearly all differ: the prices are true, whatever they reach."""
    rng = np.random.default_rng(52)
    table = large_table(rng, 30_000)
    answer = make_prices(table, 0.01, work=10**7)
    prices = answer["prices"]
    assert answer["bound"] == int(prices.sum()) - answer["split_cost"]
    assert answer["bound"] <= min(np.bincount(table.labels)) * UNIT
    for _ in range(100):
        at = table.codes[rng.integers(0, LARGE)]
        size = rng.integers(1, 15_000, 2) if rng.random() < 0.9 else 30_000
        box = (np.abs(table.codes - at) <= size).all(axis=1)
        least = int(min(np.bincount(table.labels[box], minlength=2))) * UNIT
        assert int(prices[box].sum()) <= least + answer["split_cost"]


def test_prices_of_a_level_for_many_rows():
    """A hundred thousand rows of binary columns, and the conjunctions of two tests."""
    rng = np.random.default_rng(58)
    codes = rng.integers(0, 2, (LARGE, 9))
    noise = rng.random(LARGE) < 0.3
    table = Table(
        kinds=np.zeros(9, np.int32), n_values=np.full(9, 2, np.int32),
        codes=codes.astype(np.int32), n_classes=2, weights=np.ones(LARGE, int),
        labels=((codes[:, 0] & codes[:, 1]) ^ noise).astype(np.int32),
    )  # fmt: skip
    answer = shallow_prices(table, 0.01, 3, work=3 * 10**7)
    assert answer["bound"] > 0.2 * answer["unit"]  # most of the noise
    for box in conjunctions(table, 2):
        least = int(min(np.bincount(table.labels[box], minlength=2))) * UNIT
        assert int(answer["prices"][box].sum()) <= least + answer["split_cost"]


def test_a_fit_of_many_noisy_rows_keeps_a_true_bound():
    """Whether pricing pays there is for the policy to see; its bound must hold."""
    rng = np.random.default_rng(53)
    table = large_table(rng, 5000)
    X, y = table.codes.astype(float), table.labels
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OptimalTreeClassifier(0.01, time_limit=4.0).fit(X, y)
    inside = (X[:, 0] > 2500) & (X[:, 1] < 5000 // 3)
    known = (inside != y).mean() + 2 * 0.01  # a tree of two splits
    assert 0 <= model.lower_bound_ <= min(known, model.objective_)
    for level in model.certificates_:
        if level.max_depth is None or level.max_depth >= 2:
            assert level.lower_bound <= known


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_rows_without_weight_have_no_price(kinds):
    """They belong to boxes, but nothing of them is counted."""
    rng = np.random.default_rng(54)
    for _ in range(rounds(60, 1000)):
        table = random_table(rng, kinds, most_rows=16)
        table.weights = table.weights * (rng.random(len(table.labels)) < 0.6)
        if np.gcd.reduce(table.weights) != 1:
            continue
        answer = make_prices(table, 0.05, work=10**6)
        assert not answer["prices"][table.weights == 0].any()
        kept = table.weights > 0
        some = replace(
            table, codes=table.codes[kept], labels=table.labels[kept],
            weights=table.weights[kept], _parts=[],
        )  # fmt: skip
        alone = make_prices(some, 0.05, work=10**6)
        assert answer["split_cost"] == alone["split_cost"]
        best = optimal_cost(some, 0.05, penalize="leaves")
        for found in (answer, alone):
            assert found["bound"] <= best
        for box in boxes(table):
            of_class = np.bincount(table.labels[box], table.weights[box])
            least = int(of_class.sum() - of_class.max(initial=0)) * UNIT
            assert answer["prices"][box].sum() <= least + answer["split_cost"]


@pytest.mark.parametrize("solver", ["sparse", "threshold"])
def test_rows_without_weight_change_no_search_with_prices(solver, tmp_path):
    rng = np.random.default_rng(55)
    for k in range(rounds(30, 300)):
        table = random_table(rng, [0], most_rows=16)
        weights = table.weights * (rng.random(len(table.labels)) < 0.7)
        kept = weights > 0
        if len(set(table.labels[kept])) < 2:
            continue
        X, y = table.codes.astype(float), table.labels
        model = OptimalTreeClassifier(0.05, solver=solver)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = model.fit(X[kept], y[kept], weights[kept]).objective_
            path = tmp_path / f"{k}.proof"
            model.fit(X, y, weights.astype(float), proof=path)
        assert model.optimal_ and model.objective_ == alone
        assert proof.check(path, X, y, weights.astype(float)).optimal


def limits_in_the_middle(rng: np.random.Generator) -> dict[str, Any]:
    """Return limits of time or of work at which pricing stops somewhere."""
    return {
        "work": int(10 ** rng.uniform(0, 7)),
        "time_limit": float(10 ** rng.uniform(-6, -2)),
    }


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_a_limit_in_the_middle_of_pricing_leaves_true_prices(kinds):
    rng = np.random.default_rng(56)
    ended: set[bool] = set()
    for k in range(rounds(80, 1300)):
        table = random_table(rng, kinds, most_rows=14)
        table.weights //= np.gcd.reduce(table.weights)
        depth, parts = int(rng.integers(1, 4)), int(rng.choice([0, 0, 20]))
        options = limits_in_the_middle(rng)
        if k % 3 == 0:
            answer = shallow_prices(table, 0.05, depth, **options)
            covered, within = conjunctions(table, depth), depth
        else:
            answer = make_prices(table, 0.05, parts=parts, **options)
            covered, within = boxes(table), -1
            ended.add(answer["finished"])
        for box in covered:
            of_class = np.bincount(table.labels[box], table.weights[box])
            least = int(of_class.sum() - of_class.max(initial=0)) * UNIT
            assert answer["prices"][box].sum() <= least + answer["split_cost"]
        best = optimal_cost(table, 0.05, max_depth=within, penalize="leaves")
        assert answer["bound"] <= best
        assert answer.get("bound_with_parts", 0) <= best
    assert ended == {False, True}


@pytest.mark.parametrize("solver", ["sparse", "threshold"])
@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_searches_that_are_stopped_while_they_price_keep_true_bounds(solver, kinds):
    rng = np.random.default_rng(57)
    for _ in range(rounds(40, 700)):
        table = random_table(rng, kinds, most_rows=16)
        table.weights //= np.gcd.reduce(table.weights)
        depth = int(rng.choice([-1, 3]))
        seconds = float(10 ** rng.uniform(-5, -2))
        answer = search_with_prices(solver, table, 0.03, depth, time_limit=seconds)
        best = optimal_cost(table, 0.03, max_depth=depth)
        assert answer["lower"] <= best <= answer["upper"]
