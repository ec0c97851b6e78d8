"""Pareto fronts over the trees within a budget, against a list of all trees."""

from itertools import product

import numpy as np
import pytest
from effort import rounds
from near_oracle import engine_tree, features_of, splits_of
from near_problems import (
    near_set,
    number,
    numbers_of,
    random_problem,
    trees_within,
    words,
)
from oracle import engine_arguments

from treeproof import _core

MOST_TREES = 400


def drawn(seed):
    """A problem, its trees by brute force, a filter, and those that pass it."""
    rng = np.random.default_rng(seed)
    table, columns, limits, budget = random_problem(rng)
    required = [0] if rng.random() < 0.2 else []
    banned = [int(columns[-1])] if rng.random() < 0.2 and columns[-1] > 0 else []
    most = int(rng.choice([-1, -1, -1, 1, 2]))
    first = int(rng.integers(0, columns[-1] + 1)) if rng.random() < 0.2 else -1
    trees = [
        (cost, tree)
        for cost, tree in trees_within(table, columns, limits, budget)
        if features_of(tree) >= set(required)
        and not features_of(tree) & set(banned)
        and (most < 0 or splits_of(tree) <= most)
        and (first < 0 or (tree and tree[0] == first))
    ]
    found = near_set(table, columns, limits, budget, root_column=first)
    passing = _core.NearFilter(required=required, banned=banned, max_splits=most)
    return rng, table, columns, trees, found, passing


def majority(table, rows):
    weight = [0] * table.n_classes
    for r in rows:
        weight[table.labels[r]] += int(table.weights[r])
    return int(np.argmax(weight))


def predictions(table, tree):
    """Return the predictions of a tree of the oracle for all rows."""
    out = [0] * len(table.labels)

    def below(rows, node):
        if node:
            for group, part in zip(node[1], node[2], strict=True):
                below(group, part)
            return
        for r in rows:
            out[r] = majority(table, rows)

    below(range(len(table.labels)), tree)
    return tuple(out)


def says(table, tree, rows_of, codes, node=0):
    """Return the predictions of a tree of the engine for any codes."""
    kind = int(tree["kind"][node])
    if kind == 0:
        return majority(table, rows_of[node])
    code = codes[int(tree["feature"][node])]
    at = int(tree["code"][node])
    out = int(code > at) if kind == 1 else int(code != at) if kind == 2 else int(code)
    first, n = int(tree["first_child"][node]), int(tree["n_children"][node])
    for slot in range(first, first + n):
        if tree["child_outcome"][slot] == out:
            return says(table, tree, rows_of, codes, int(tree["children"][slot]))
    return majority(table, rows_of[node])


def rows_by_node(table, tree):
    out = {}

    def below(node, rows):
        out[node] = rows
        if tree["kind"][node] == 0:
            return
        test = [int(tree[k][node]) for k in ("feature", "kind", "code")]
        outcome = table.outcomes(*test)
        first, n = int(tree["first_child"][node]), int(tree["n_children"][node])
        for slot in range(first, first + n):
            group = [r for r in rows if outcome[r] == tree["child_outcome"][slot]]
            below(int(tree["children"][slot]), group)

    below(0, list(range(len(table.labels))))
    return out


def listed(found, passing, table, columns):
    """The engine's own list, as split tables with the rows of their nodes."""
    counts = found.count(passing)
    costs = [c for c, n in counts.by_cost() for _ in range(number(n))]
    trees = [counts.tree(found, words(i)) for i in range(len(costs))]
    return [
        (cost, tree, rows_by_node(table, tree), engine_tree(table, tree, columns))
        for cost, tree in zip(costs, trees, strict=True)
    ]


def column_values(table, columns):
    """For each column the codes of its features, one tuple for each value."""
    n = int(columns[-1]) + 1
    features = [np.flatnonzero(columns == c) for c in range(n)]
    values = [np.unique(table.codes[:, own], axis=0) for own in features]
    return features, values


@pytest.mark.parametrize("seed", range(rounds(60, 2000)))
def test_the_least_cost_of_each_answer(seed):
    _, table, _, trees, found, passing = drawn([31, seed])
    least = np.full((len(table.labels), table.n_classes), -1)
    for cost, tree in sorted(trees, reverse=True, key=lambda t: t[0]):
        least[np.arange(len(least)), predictions(table, tree)] = cost
    codes = engine_arguments(table)["codes"]
    answers = found.answers(passing, codes)
    assert np.array_equal(np.reshape(answers, least.shape), least)


@pytest.mark.parametrize("seed", range(rounds(60, 2000)))
def test_distinct_predictions(seed):
    _, table, columns, trees, found, passing = drawn([32, seed])
    cheapest = {}
    for cost, tree in trees:
        said = predictions(table, tree)
        cheapest[said] = min(cost, cheapest.get(said, cost))
    listing = found.distinct(passing, by="predictions")
    assert listing.status == "complete"
    assert listing.costs() == sorted(cheapest.values())
    by_tree = {tree: cost for cost, tree in trees}
    seen = set()
    for i, cost in enumerate(listing.costs()[:50]):
        tree = engine_tree(table, listing.tree(found, i), columns)
        said = predictions(table, tree)
        assert by_tree[tree] == cost == cheapest[said]
        seen.add(said)
    assert len(seen) == min(len(cheapest), 50)


@pytest.mark.parametrize("seed", range(rounds(40, 2000)))
def test_distinct_functions(seed):
    _, table, columns, trees, found, passing = drawn([33, seed])
    if len(trees) > MOST_TREES:
        return
    features, values = column_values(table, columns)
    codes = np.zeros(len(table.kinds), dtype=int)
    cheapest, names = {}, {}
    for cost, tree, rows_of, name in listed(found, passing, table, columns):
        said = []
        for combination in product(*values):
            for own, value in zip(features, combination, strict=True):
                codes[own] = value
            said.append(says(table, tree, rows_of, codes))
        cheapest.setdefault(tuple(said), cost)
        names[name] = tuple(said)
    listing = found.distinct(passing, by="functions")
    assert listing.costs() == sorted(cheapest.values())
    chosen = [
        engine_tree(table, listing.tree(found, i), columns)
        for i in range(len(cheapest))
    ]
    assert {names[name] for name in chosen} == set(cheapest)


@pytest.mark.parametrize("seed", range(rounds(40, 2000)))
def test_the_least_and_greatest_reliance(seed):
    rng, table, columns, trees, found, passing = drawn([34, seed])
    column = int(rng.integers(0, columns[-1] + 1))
    if len(trees) > MOST_TREES:
        return
    own = np.flatnonzero(columns == column)
    errors = {}
    for cost, tree, rows_of, name in listed(found, passing, table, columns):
        total = 0
        for i, label in enumerate(table.labels):
            for k, weight in enumerate(table.weights):
                codes = table.codes[i].copy()
                codes[own] = table.codes[k, own]
                wrong = says(table, tree, rows_of, codes) != label
                total += int(table.weights[i]) * int(weight) * wrong
        errors[name] = (total, cost)
    for greatest, sign in ((False, 1), (True, -1)):
        answer = found.reliance(
            passing,
            numbers_of(table, table.weights),
            column=column,
            greatest=greatest,
        )
        if not errors:
            assert answer is None
            continue
        value, cost, split_table = answer
        best = min((sign * total, cost) for total, cost in errors.values())
        assert (sign * value, cost) == best
        assert errors[engine_tree(table, split_table, columns)] == (value, cost)


@pytest.mark.parametrize("seed", range(rounds(60, 2000)))
def test_the_cheapest_to_ask(seed):
    rng, table, columns, trees, found, passing = drawn([35, seed])
    n = int(columns[-1]) + 1
    price = rng.integers(0, 5, n)
    pays = rng.integers(1, 4, len(table.labels))
    pays = pays[np.unique(table.codes, axis=0, return_inverse=True)[1].ravel()]
    # A state is the set of columns that are paid for.
    states = list(range(2**n))
    following = [[s | 1 << c for c in range(n)] for s in states]
    prices = [[0 if s >> c & 1 else int(price[c]) for c in range(n)] for s in states]

    def paid(rows, node, known=0):
        if not node:
            return 0
        own = 0 if known >> node[0] & 1 else int(price[node[0]])
        return own * sum(int(pays[r]) for r in rows) + sum(
            paid(g, t, known | 1 << node[0])
            for g, t in zip(node[1], node[2], strict=True)
        )

    answer = found.least_asking(
        passing,
        _core.ColumnPrices(
            numbers_of(table, pays),
            n_states=len(states),
            next=np.array(following, dtype=np.int32).reshape(-1),
            prices=np.array(prices, dtype=np.int64).reshape(-1),
        ),
    )
    everyone = range(len(table.labels))
    sums = {tree: (paid(everyone, tree), cost) for cost, tree in trees}
    if not sums:
        assert answer is None
        return
    assert answer[:2] == min(sums.values())
    assert sums[engine_tree(table, answer[2], columns)] == answer[:2]


@pytest.mark.parametrize("seed", range(rounds(60, 2000)))
def test_the_sum_nearest_to_zero(seed):
    rng, table, columns, trees, found, passing = drawn([36, seed])
    values = rng.integers(-5, 6, (len(table.labels), table.n_classes))
    values += int(rng.integers(-3, 4))
    answer = found.least_sum(passing, numbers_of(table, values), nearest_zero=True)
    sums = {}
    for cost, tree in trees:
        said = predictions(table, tree)
        sums[tree] = (int(values[np.arange(len(values)), said].sum()), cost)
    if not sums:
        assert answer is None
        return
    assert (abs(answer[0]), answer[1]) == min((abs(s), c) for s, c in sums.values())
    assert sums[engine_tree(table, answer[2], columns)] == answer[:2]
