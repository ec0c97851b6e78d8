"""All trees within a budget: the engine against brute force."""

import native
import numpy as np
import pytest
from effort import rounds
from near_oracle import engine_tree, features_of
from near_problems import near_set, number, random_problem, trees_within, words
from oracle import Table, engine_arguments, tree_facts

from treeproof import _core


@pytest.mark.parametrize("seed", range(rounds(80, 1000)))
def test_every_tree_once(seed):
    rng = np.random.default_rng([5, seed])
    table, columns, limits, budget = random_problem(rng)
    wanted = trees_within(table, columns, limits, budget)
    bounds = ("sparse", "threshold")[seed % 2]
    found = near_set(table, columns, limits, budget, bounds)
    counts = found.count(_core.NearFilter())
    total = number(counts.total)
    assert total == len(wanted)
    costs = [c for c, n in counts.by_cost() for _ in range(number(n))]
    assert costs == sorted(cost for cost, _ in wanted)
    if total > 3000:
        return
    trees = []
    for i in range(total):
        tree = counts.tree(found, words(i))
        penalty = limits["split_cost"] / table.total_weight / 2**20
        facts = tree_facts(table, tree, penalty, limits["penalize"])
        assert facts.cost == costs[i]
        trees.append(engine_tree(table, tree, columns))
    assert len(set(trees)) == total
    assert set(trees) == {tree for _, tree in wanted}


@pytest.mark.parametrize("seed", range(rounds(25, 300)))
def test_filters(seed):
    rng = np.random.default_rng([6, seed])
    table, columns, limits, budget = random_problem(rng)
    features = list(range(int(columns[-1]) + 1))
    required = [f for f in features if rng.random() < 0.4]
    banned = [f for f in features if f not in required and rng.random() < 0.3]
    everything = trees_within(table, columns, limits, budget)
    wanted = sorted(
        cost
        for cost, tree in everything
        if features_of(tree) >= set(required) and not features_of(tree) & set(banned)
    )
    found = near_set(table, columns, limits, budget)
    counts = found.count(_core.NearFilter(required=required, banned=banned))
    assert [c for c, n in counts.by_cost() for _ in range(number(n))] == wanted
    seen = set()
    for i in range(min(len(wanted), 200)):
        tree = engine_tree(table, counts.tree(found, words(i)), columns)
        used = features_of(tree)
        assert used >= set(required) and not used & set(banned)
        seen.add(tree)
    assert len(seen) == min(len(wanted), 200)


def test_thresholds_between_ruled_out_ones_are_skipped():
    """Bisection must rule out tests, whichever search bounds the subproblems."""
    rng = np.random.default_rng(8)
    codes = rng.permuted(np.repeat(np.arange(60)[:, None], 3, axis=1), axis=0)
    labels = ((codes[:, 0] > 25) ^ (codes[:, 1] > 40) ^ (rng.random(60) < 0.1)) * 1
    table = Table(
        np.zeros(3, int), np.full(3, 60), codes, labels, 2, np.ones(60, dtype=int)
    )
    best = native.climb_labels(
        **engine_arguments(table), split_penalty=1 / 60, max_depth=3, penalize="leaves"
    )["upper"]
    limits = {"split_cost": 2**20, "max_depth": 3, "penalize": "leaves"}
    columns = np.arange(3, dtype=np.int32)
    sets = [
        near_set(table, columns, limits, best + 2 * 2**20, bounds)
        for bounds in ("sparse", "threshold", "auto")
    ]
    assert all(each.n_skipped > 100 for each in sets)
    costs = [each.count(_core.NearFilter()).by_cost() for each in sets]
    assert costs[0] == costs[1] == costs[2]
    assert costs[0][0][0] == best


def test_counts_beyond_64_bits():
    """Forty rows that all differ, no price for splits, every column a threshold."""
    codes = np.arange(40).reshape(-1, 1)
    labels = np.arange(40) % 2
    table = Table(
        np.zeros(1, int), np.full(1, 40), codes, labels, 2, np.ones(40, dtype=int)
    )
    found = near_set(table, np.zeros(1, dtype=np.int32), {"split_cost": 0}, 0)
    total = number(found.count(_core.NearFilter()).total)
    # All rows must be separated: binary trees with 40 leaves, a Catalan number.
    catalan = [1]
    for n in range(39):
        catalan.append(catalan[-1] * 2 * (2 * n + 1) // (n + 2))
    assert total == catalan[39] > 2**64


def test_limits_end_the_work():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=(200, 20))
    table = Table(
        np.zeros(20, int),
        np.full(20, 2),
        codes,
        rng.integers(0, 2, 200),
        2,
        np.ones(200, dtype=int),
    )
    search = native.NearSearch(
        split_cost=2**20,
        memory_limit=400_000,
        columns=np.arange(20, dtype=np.int32),
        **engine_arguments(table),
    )
    assert search.build(90 * 2**20, time_limit=0.1).status == "time_limit"
    assert search.build(90 * 2**20).status == "memory_limit"
