"""Prices for trees of few levels, against enumeration of conjunctions and of trees."""

from __future__ import annotations

import itertools

import native
import numpy as np
import pytest
from effort import rounds
from oracle import MULTIWAY, ORDERED, Table, _BruteForce
from price_tables import KINDS, columns_of, random_table

from treeproof import OptimalTreeClassifier


def conditions(table: Table) -> list[np.ndarray]:
    """Every condition that one test can put on a row, as a mask of rows."""
    found = {}
    for f, kind in enumerate(table.kinds):
        column = table.codes[:, f]
        for value in sorted(set(column.tolist())):
            yes = column <= value if kind == ORDERED else column == value
            for mask in [yes] if kind == MULTIWAY else [yes, ~yes]:
                found[mask.tobytes()] = mask
    return list(found.values())


def conjunctions(table: Table, most: int) -> list[np.ndarray]:
    """Every set of rows that at most so many conditions describe."""
    single = conditions(table)
    everything = np.ones(len(table.labels), bool)
    found = {everything.tobytes(): everything}
    for size in range(1, most + 1):
        for chosen in itertools.combinations(single, size):
            mask = np.logical_and.reduce(chosen)
            found[mask.tobytes()] = mask
    return list(found.values())


def shallow_prices(table: Table, penalty: float, depth: int, **options):
    return native.shallow_prices(
        **columns_of(table),
        labels=table.labels,
        n_classes=table.n_classes,
        weights=table.weights.astype(float),
        split_penalty=penalty,
        max_depth=depth,
        **options,
    )


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_the_heaviest_conjunction_is_that_of_enumeration(kinds):
    rng = np.random.default_rng(31)
    above = 0
    for _ in range(rounds(300, 1300)):
        table = random_table(rng, kinds, most_rows=40)
        most = int(rng.integers(0, 4))
        spread = int(rng.integers(1, 40))
        extra = int(rng.integers(1, 20))
        weights = rng.integers(-spread, spread + extra, len(table.labels))
        weights = weights.astype(np.int32)
        heaviest = max(int(weights[box].sum()) for box in conjunctions(table, most))
        threshold = int(rng.integers(0, max(2, int(1.2 * max(1, heaviest)))))
        options = {"weights": weights, "threshold": threshold, "max_conditions": most}
        whole = native.heaviest_box(**columns_of(table), **options)
        assert whole["done"]
        assert whole["most"] == max(threshold, heaviest)
        above += heaviest > threshold
        # A search that was stopped still returns a bound on all conjunctions.
        some = native.heaviest_box(
            **columns_of(table), **options, work=int(rng.integers(0, 300))
        )
        assert some["most"] >= max(threshold, heaviest)
    assert above > 100


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_no_shallow_tree_costs_less_than_its_prices(kinds):
    """Sets that c tests make are bounded for trees of the levels that are left."""
    rng = np.random.default_rng(32)
    compared = raised = 0
    for _ in range(rounds(150, 1300)):
        table = random_table(rng, kinds, most_rows=14)
        table.weights //= np.gcd.reduce(table.weights)
        penalty = float(rng.choice([0.02, 0.05, 0.1]))
        depth = int(rng.integers(1, 4))
        answer = shallow_prices(table, penalty, depth, work=10**7)
        prices = [int(p) for p in answer["prices"]]
        split = answer["split_cost"]
        search = _BruteForce(table, split, 1, "leaves")
        level = {(1 << len(prices)) - 1}
        for left in range(depth, -1, -1):
            for rows in level:
                bound = sum(p for i, p in enumerate(prices) if rows >> i & 1) - split
                best = search.best(rows, left)
                assert bound <= best
                compared += 1
                raised += bound > min(best, split)
            level = {
                child
                for rows in list(level)[:40]
                for children in search.splits(rows)
                for child in children
            }
    assert compared > 1000
    assert raised > 20


def test_a_fault_is_noticed():
    """The comparison above can fail: prices of one level are too high for two."""
    rng = np.random.default_rng(33)
    for _ in range(200):
        table = random_table(rng, [ORDERED], most_rows=14)
        table.weights //= np.gcd.reduce(table.weights)
        answer = shallow_prices(table, 0.02, 1, work=10**7)
        search = _BruteForce(table, answer["split_cost"], 1, "leaves")
        if answer["bound"] > search.best((1 << len(table.labels)) - 1, 3):
            return
    pytest.fail("prices of one level never exceeded the cost of deeper trees")


def noisy_bits(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(34)
    X = rng.integers(0, 2, (n_rows, n_columns))
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(n_rows) < 0.3)
    return X, y.astype(int)


def test_levels_of_a_fit_use_their_prices():
    """On a few noisy binary columns the prices of a level take part in its proof."""
    X, y = noisy_bits(300, 24)
    model = OptimalTreeClassifier(0.01, max_depth=5).fit(X, y)
    assert model.optimal_
    assert any(share["engine"] == "level prices" for share in model.stats_["shares"])
    deeper = OptimalTreeClassifier(0.01, max_depth=5, solver="threshold").fit(X, y)
    assert model.objective_ == deeper.objective_


def test_bounds_of_levels_are_rounded_up_to_a_cost_that_can_occur():
    """Prices end just below the best cost here, and no cost lies in between."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 200)
    X = np.round(np.column_stack([y + rng.normal(size=200), rng.normal(size=200)]), 1)
    options = {"max_depth": 4, "solver": "threshold", "time_limit": None}
    model = OptimalTreeClassifier(0.03, **options).fit(X, y)
    assert model.optimal_ and model.objective_ == 0.395
    assert any(share["engine"] == "level prices" for share in model.stats_["shares"])
