"""Trees within a budget, with limits or numeric targets, against brute force."""

import native
import numpy as np
import pytest
from effort import rounds
from near_oracle import all_trees, engine_tree, features_of, splits_of
from near_problems import near_set, number, random_problem, trees_within, words
from oracle import engine_arguments, random_table

from treeproof import OptimalTreeClassifier, _core
from treeproof.alternatives.problems import ClassProblem


def costs_of(counts):
    return [c for c, n in counts.by_cost() for _ in range(number(n))]


@pytest.mark.parametrize("seed", range(rounds(50, 2000)))
def test_at_most_so_many_splits(seed):
    rng = np.random.default_rng([11, seed])
    table, columns, limits, budget = random_problem(rng)
    most = int(rng.integers(0, 4))
    required = [0] if rng.random() < 0.3 else []
    wanted = [
        (cost, tree)
        for cost, tree in trees_within(table, columns, limits, budget)
        if splits_of(tree) <= most and features_of(tree) >= set(required)
    ]
    found = near_set(table, columns, limits, budget)
    counts = found.count(_core.NearFilter(max_splits=most, required=required))
    assert costs_of(counts) == sorted(cost for cost, _ in wanted)
    total = number(counts.total)
    trees = [
        engine_tree(table, counts.tree(found, words(i)), columns)
        for i in range(min(total, 300))
    ]
    assert len(set(trees)) == len(trees)
    assert set(trees) <= {tree for _, tree in wanted}


@pytest.mark.parametrize("seed", range(rounds(50, 2000)))
def test_a_given_first_split(seed):
    rng = np.random.default_rng([12, seed])
    table, columns, limits, budget = random_problem(rng)
    first = int(rng.integers(0, columns[-1] + 1))
    wanted = [
        (cost, tree)
        for cost, tree in trees_within(table, columns, limits, budget)
        if tree and tree[0] == first
    ]
    found = near_set(table, columns, limits, budget, root_column=first)
    counts = found.count(_core.NearFilter())
    assert costs_of(counts) == sorted(cost for cost, _ in wanted)
    trees = [
        engine_tree(table, counts.tree(found, words(i)), columns)
        for i in range(min(number(counts.total), 300))
    ]
    assert len(set(trees)) == len(trees)
    assert set(trees) <= {tree for _, tree in wanted}


@pytest.mark.parametrize("seed", range(rounds(30, 1000)))
def test_a_larger_budget_after_a_smaller_one(seed):
    rng = np.random.default_rng([13, seed])
    table, columns, limits, budget = random_problem(rng)
    search = native.NearSearch(
        columns=columns,
        bounds=("sparse", "threshold")[seed % 2],
        **limits,
        **engine_arguments(table),
    )
    small = search.build(budget // 2)
    some = costs_of(small.count(_core.NearFilter()))
    large = search.build(budget)
    costs = costs_of(large.count(_core.NearFilter()))
    wanted = sorted(cost for cost, _ in trees_within(table, columns, limits, budget))
    assert costs == wanted
    assert some == [cost for cost in wanted if cost <= budget // 2]
    assert (
        costs_of(small.count(_core.NearFilter())) == some
    )  # building the larger set has not changed it


@pytest.mark.parametrize("seed", range(rounds(40, 2000)))
def test_numbers_to_predict(seed):
    rng = np.random.default_rng([14, seed])
    table = random_table(rng, max_rows=9, max_features=3, max_values=4)
    n, columns = len(table.labels), np.arange(len(table.kinds), dtype=np.int32)
    outputs = int(rng.choice([1, 1, 2]))
    targets = rng.integers(0, 6, (n, outputs)).astype(float)
    weights = table.weights.astype(float)
    criterion = str(rng.choice(["squared_error", "poisson"]))
    penalty = float(rng.choice([0.01, 0.05, 0.2]))
    depth, leaf_size = int(rng.integers(1, 4)), int(rng.choice([1, 1, 2]))
    penalize = str(rng.choice(["leaves", "splits"]))

    def raw(rows):
        y, w = targets[list(rows)], weights[list(rows)]
        mean = (w[:, None] * y).sum(axis=0) / w.sum()
        if criterion == "squared_error":
            lost = (w[:, None] * (y - mean) ** 2).sum()
        else:
            ratio = np.where(y > 0, y / np.where(mean > 0, mean, 1), 1)
            lost = (w[:, None] * (y * np.log(ratio) - y + mean)).sum()
        return float(lost), tuple(np.round(mean, 8))

    whole = raw(range(n))[0]
    if whole < 1e-9:
        return

    def leaf(rows):
        lost, mean = raw(rows)
        return lost / whole, mean

    trees = all_trees(
        table, penalty, np.inf, depth, leaf_size, penalize, columns, leaf=leaf
    )
    best = min(cost for cost, _ in trees)
    top = best * (1 + float(rng.choice([0.0, 0.1, 0.5]))) + 1e-7
    wanted = sorted(cost for cost, _ in trees if cost <= top)
    if any(abs(cost - top) < 1e-9 for cost, _ in trees):
        return
    search = native.NearSearch(
        kinds=table.kinds.astype(np.int32),
        n_values=table.n_values.astype(np.int32),
        codes=np.ascontiguousarray(table.codes.T, dtype=np.int32).reshape(-1),
        columns=columns,
        targets=targets.reshape(-1),
        n_outputs=outputs,
        weights=weights,
        criterion=criterion,
        split_penalty=penalty,
        max_depth=depth,
        min_samples_leaf=leaf_size,
        penalize=penalize,
    )
    found = search.build(int(top * 2**40))
    counts = found.count(_core.NearFilter())
    costs = np.array(costs_of(counts)) / 2**40
    assert len(costs) == len(wanted)
    assert np.allclose(costs, wanted, atol=1e-9)
    kept = {tree for cost, tree in trees if cost <= top}
    for i in range(min(len(costs), 100)):
        assert engine_tree(table, counts.tree(found, words(i)), columns) in kept


@pytest.mark.parametrize("seed", range(rounds(20, 300)))
def test_ranges_hold(seed):
    """Whatever a limit leaves open, the range holds the number of trees."""
    rng = np.random.default_rng([15, seed])
    X, y = rng.random((60, 3)).round(1), rng.integers(0, 2, 60)
    clf = OptimalTreeClassifier(0.01, max_depth=3).fit(X, y)
    whole = clf.near_optimal(0.04)
    problem = ClassProblem(clf, clf._task)
    margin = problem.margin(0.04)
    seconds = float(rng.choice([1e-4, 1e-3, 5e-3, 2e-2]))
    family = problem.search().family(problem.best + margin, 0.04, seconds)
    family._deadline = None
    low = family.count((), (), partial=True).total
    high = family.at_most((), ())
    assert low <= whole.count <= high
    if family.status == "complete":
        assert low == high


def test_first_split_and_max_splits_as_users_see_them():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, (120, 4)), rng.integers(0, 2, 120)
    X[rng.random(X.shape) < 0.1] = 2
    free = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    everything = free.near_optimal(0.05)
    few = OptimalTreeClassifier(0.01, max_depth=2, max_splits=1).fit(X, y)
    trees = few.near_optimal(0.05)
    assert trees[0].objective == pytest.approx(few.objective_)
    assert max(t.n_splits for t in trees) <= 1
    costs = [cost for cost, _ in trees.objectives()]
    assert len(set(costs)) == len(costs)
    top = few.objective_ + 0.05 + 1e-12
    larger = free.near_optimal(top - free.objective_)
    assert trees.count == sum(t.n_splits <= 1 for t in larger.to_list(10**5))
    for column in range(4):
        weights = None if column % 2 else rng.random(120)
        clf = OptimalTreeClassifier(0.01, max_depth=2, first_split=column)
        clf.fit(X, y, weights)
        trees = clf.near_optimal(0.02)
        assert trees[0].objective == pytest.approx(clf.objective_)
        assert all(t.tree.feature[0] == column for t in trees.best(200))
        base = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y, weights)
        within = clf.objective_ + 0.02 - base.objective_
        same = [
            t
            for t in base.near_optimal(within).to_list(10**5)
            if t.n_splits and t.tree.feature[0] == column
        ]
        assert len(same) == trees.count
    assert everything.complete
