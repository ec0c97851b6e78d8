"""Prices are feasible for every box, and bounds never exceed the best tree.

Everything is compared with enumeration in plain Python: all boxes that conjunctions of
tests can make, of every kind of column, and the optimal trees of `oracle.py` on the
sets of rows that tests can reach.
"""

from dataclasses import replace

import native
import numpy as np
import pytest
from effort import rounds
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    UNIT,
    Table,
    _BruteForce,
    optimal_cost,
)
from price_tables import KINDS, boxes, columns_of, random_table


def make_prices(table: Table, penalty: float, **options):
    return native.prices(
        **columns_of(table),
        labels=table.labels,
        n_classes=table.n_classes,
        weights=table.weights.astype(float),
        split_penalty=penalty,
        **options,
    )


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_the_heaviest_box_is_that_of_enumeration(kinds):
    rng = np.random.default_rng(11)
    above = 0
    for _ in range(1500):
        table = random_table(rng, kinds, most_rows=60)
        spread = int(rng.integers(1, 40))
        weights = rng.integers(
            -spread, spread + int(rng.integers(1, 20)), len(table.labels)
        )
        weights = weights.astype(np.int32)
        heaviest = max(int(weights[box].sum()) for box in boxes(table))
        threshold = int(rng.integers(0, max(2, int(1.2 * max(1, heaviest)))))
        whole = native.heaviest_box(
            **columns_of(table), weights=weights, threshold=threshold
        )
        assert whole["done"]
        assert whole["most"] == max(threshold, heaviest)
        above += heaviest > threshold
        # A search that was stopped still returns a bound on all boxes.
        some = native.heaviest_box(
            **columns_of(table),
            weights=weights,
            threshold=threshold,
            work=int(rng.integers(0, 3000)),
        )
        assert some["most"] >= max(threshold, heaviest)
    assert above > 500


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_prices_are_feasible_for_every_box_and_class(kinds):
    rng = np.random.default_rng(12)
    tight = 0
    for _ in range(rounds(250, 1300)):
        table = random_table(rng, kinds)
        penalty = float(rng.choice([0.01, 0.05, 0.1, 0.3]))
        answer = make_prices(table, penalty, work=int(rng.choice([100, 10**5, 10**7])))
        prices, split = answer["prices"], answer["split_cost"]
        divisor = 1
        for box in boxes(table):
            of_class = [
                int(table.weights[box & (table.labels == k)].sum())
                for k in range(table.n_classes)
            ]
            errors = (int(table.weights[box].sum()) - max(of_class)) * UNIT
            divisor = np.gcd.reduce(table.weights)
            assert int(prices[box].sum()) <= errors // divisor + split
            tight += int(prices[box].sum()) > 0.99 * (errors // divisor + split)
        assert answer["bound"] == int(prices.sum()) - split
    assert tight > 100


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_no_set_of_rows_costs_less_than_its_prices(kinds):
    rng = np.random.default_rng(13)
    compared = 0
    raised = 0
    for _ in range(rounds(400, 1300)):
        table = random_table(rng, kinds, most_rows=14)
        table.weights //= np.gcd.reduce(table.weights)
        penalty = float(rng.choice([0.02, 0.05, 0.1]))
        answer = make_prices(table, penalty, work=10**7)
        prices = [int(p) for p in answer["prices"]]
        split = answer["split_cost"]
        search = _BruteForce(table, split, 1, "leaves")
        n = len(prices)
        reached = {(1 << n) - 1}
        open_sets = list(reached)
        while open_sets and len(reached) < 400:
            rows = open_sets.pop()
            for children in search.splits(rows):
                new = set(children) - reached
                reached |= new
                open_sets += new
        for rows in reached:
            bound = sum(p for i, p in enumerate(prices) if rows >> i & 1) - split
            best = search.best(rows, n)  # shallower trees cost at least this
            assert bound <= best <= search.best(rows, 2)
            compared += 1
            raised += bound > min(best, split)
    assert compared > 2500
    assert raised > 50


def test_prices_rise_until_they_reach_the_programme():
    rng = np.random.default_rng(3)
    for n, p in ((120, 3), (150, 4), (200, 3)):
        codes = rng.integers(0, 20, (n, p)).astype(np.int32)
        inside = (codes[:, 0] > 9) & (codes[:, 1] < 12)
        table = Table(
            kinds=np.zeros(p, np.int32),
            n_values=np.full(p, 20, np.int32),
            codes=codes,
            labels=(inside != (rng.random(n) < 0.25)).astype(np.int32),
            n_classes=2,
            weights=np.ones(n, int),
        )
        answer = make_prices(table, 0.02, work=10**10)
        assert answer["finished"]
        assert answer["lower"] > 0.999 * answer["hoped"]


def test_a_column_that_may_be_split_either_way_is_priced_once():
    rng = np.random.default_rng(15)
    for _ in range(60):
        table = random_table(rng, [ONE_VS_REST], most_rows=14)
        table.weights //= np.gcd.reduce(table.weights)
        twice = np.repeat(np.arange(len(table.kinds)), 2)
        both = replace(
            table,
            kinds=np.tile([MULTIWAY, ONE_VS_REST], len(table.kinds)).astype(np.int32),
            n_values=np.ascontiguousarray(table.n_values[twice]),
            codes=np.ascontiguousarray(table.codes[:, twice]),
            _parts=[],
        )
        found = [make_prices(t, 0.05, work=10**7) for t in (table, both)]
        assert found[0]["bound"] == found[1]["bound"]
        assert list(found[0]["prices"]) == list(found[1]["prices"])
        n = len(table.labels)
        search = _BruteForce(both, found[1]["split_cost"], 1, "leaves")
        assert found[1]["bound"] <= search.best((1 << n) - 1, n)


def test_a_multiway_split_that_costs_one_penalty_is_priced_by_its_share():
    rng = np.random.default_rng(14)
    for _ in range(150):
        table = random_table(rng, [0, 1, 2], most_rows=14)
        table.weights //= np.gcd.reduce(table.weights)
        answer = make_prices(table, 0.05, penalize="splits", work=10**7)
        search = _BruteForce(table, table.split_cost(0.05), 1, "splits")
        assert answer["bound"] <= search.best(
            (1 << len(table.labels)) - 1, len(table.labels)
        )


def test_noise_is_seen():
    """On pure noise, prices bound nearly the whole cost of a leaf."""
    rng = np.random.default_rng(15)
    x = rng.integers(0, 40, (400, 2))
    labels = ((x[:, 0] > 20) ^ (rng.random(400) < 0.25)).astype(np.int32)
    table = Table(
        kinds=np.zeros(2, np.int32),
        n_values=np.full(2, 40, np.int32),
        codes=x.astype(np.int32),
        labels=labels,
        n_classes=2,
        weights=np.ones(400, int),
    )
    answer = make_prices(table, 0.02, work=2 * 10**9)
    noise = min(labels[x[:, 0] > 20].mean(), 1 - labels[x[:, 0] > 20].mean())
    assert noise > 0.2
    assert answer["lower"] > 0.2


@pytest.mark.parametrize("labels", [[0], [0, 0, 0], [0, 1, 0]])
def test_tables_without_a_choice(labels):
    table = Table(
        kinds=np.zeros(1, np.int32),
        n_values=np.ones(1, np.int32),
        codes=np.zeros((len(labels), 1), np.int32),
        labels=np.array(labels, np.int32),
        n_classes=2,
        weights=np.ones(len(labels), int),
    )
    answer = make_prices(table, 0.1)
    assert answer["finished"]
    assert answer["bound"] <= sum(labels) * UNIT


def search_with_prices(solver, table: Table, penalty: float, depth: int, **options):
    arguments = {
        **columns_of(table),
        "labels": table.labels,
        "n_classes": table.n_classes,
        "weights": table.weights.astype(float),
        "split_penalty": penalty,
        "max_depth": depth,
        "price_work": 10**8,
        **options,
    }
    if solver == "sparse":
        return native.solve(solver="sparse", **arguments)
    return native.solve_threshold(**arguments)


@pytest.mark.parametrize("solver", ["sparse", "threshold"])
@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_searches_with_prices_find_the_optimum(solver, kinds):
    rng = np.random.default_rng(16)
    for _ in range(rounds(150, 700)):
        table = random_table(rng, kinds, most_rows=16)
        table.weights //= np.gcd.reduce(table.weights)
        penalty = float(rng.choice([0.01, 0.03, 0.1]))
        depth = int(rng.choice([-1, 3, 4]))
        rule = str(rng.choice(["leaves", "splits"]))
        answer = search_with_prices(solver, table, penalty, depth, penalize=rule)
        best = optimal_cost(table, penalty, max_depth=depth, penalize=rule)
        assert answer["lower"] == answer["upper"] == best


@pytest.mark.parametrize(
    ("solver", "counter"), [("sparse", "prices_raised"), ("threshold", "price_prunes")]
)
def test_prices_close_subproblems(solver, counter):
    """On noise the prices bound sets of rows better than anything else."""
    rng = np.random.default_rng(17)
    fired = 0
    for _ in range(5):
        codes = rng.integers(0, 6, (200, 3))
        table = Table(
            kinds=np.zeros(3, np.int32),
            n_values=np.full(3, 6, np.int32),
            codes=codes.astype(np.int32),
            labels=((codes[:, 0] > 2) ^ (rng.random(200) < 0.3)).astype(np.int32),
            n_classes=2,
            weights=np.ones(200, int),
        )
        with_them = search_with_prices(
            solver, table, 0.02, -1, time_limit=60.0, price_work=10**9
        )
        without = search_with_prices(
            solver, table, 0.02, -1, time_limit=60.0, price_work=0
        )
        assert with_them["upper"] == without["upper"] == with_them["lower"]
        fired += dict(with_them["statistics"])[counter]
    assert fired > 0


@pytest.mark.parametrize("penalize", ["leaves", "splits"])
@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_no_tree_costs_less_than_its_first_splits_say(kinds, penalize):
    """Prices of their own for parts of the table never bound too much."""
    rng = np.random.default_rng(18)
    tight = 0
    raised = 0
    for _ in range(rounds(150, 1300)):
        table = random_table(rng, kinds, most_rows=14)
        table.weights //= np.gcd.reduce(table.weights)
        penalty = float(rng.choice([0.02, 0.05, 0.1]))
        answer = make_prices(
            table,
            penalty,
            penalize=penalize,
            parts=int(rng.choice([1, 5, 200])),
            work=int(rng.choice([10**6, 3 * 10**7])),
        )
        n = len(table.labels)
        search = _BruteForce(table, table.split_cost(penalty), 1, penalize)
        best = search.best((1 << n) - 1, n)
        assert answer["bound_with_parts"] <= best
        tight += answer["bound_with_parts"] == best
        raised += answer["parts"] > 0 and answer["bound_with_parts"] > answer["bound"]
    assert tight > 50
    assert raised > 0


def test_first_splits_prove_what_prices_of_the_table_cannot():
    """Fractional leaves cost less than whole ones; first splits close the gap."""
    rng = np.random.default_rng(19)
    proved = 0
    for _ in range(12):
        codes = rng.integers(0, 8, (90, 2))
        wanted = (codes[:, 0] > 3) ^ (codes[:, 1] > 3)
        table = Table(
            kinds=np.zeros(2, np.int32),
            n_values=np.full(2, 8, np.int32),
            codes=codes.astype(np.int32),
            labels=(wanted ^ (rng.random(90) < 0.2)).astype(np.int32),
            n_classes=2,
            weights=np.ones(90, int),
        )
        best = search_with_prices("threshold", table, 0.03, -1, price_work=0)
        assert best["lower"] == best["upper"]
        alone = make_prices(table, 0.03, work=10**9)
        split = make_prices(table, 0.03, work=3 * 10**8, parts=200)
        assert alone["bound"] <= split["bound_with_parts"] <= best["upper"]
        proved += split["bound_with_parts"] == best["upper"]
    assert proved >= 6


@pytest.mark.parametrize("squared", [False, True])
def test_costs_of_actions_have_prices(squared):
    """Costs are searched as labelled copies of rows.

    Squared errors with a given list of leaf values are costs as well.
    """
    rng = np.random.default_rng(20)
    positive = 0
    for _ in range(60):
        plain = random_table(rng, [0, 1, 2], most_rows=20)
        n, n_actions = len(plain.labels), plain.n_classes
        costs = rng.integers(0, 5, (n, n_actions))
        if squared:
            targets = rng.integers(0, 7, n)
            costs = (targets[:, None] - rng.permutation(7)[:n_actions]) ** 2
        gains = costs.max(axis=1, keepdims=True) - costs
        gains[gains.sum(axis=1) == 0] = 1
        row, action = np.nonzero(gains)
        copies = replace(
            plain,
            codes=np.ascontiguousarray(plain.codes[row]),
            labels=action.astype(np.int32),
            weights=gains[row, action],
            _parts=[],
        )
        copies.weights //= np.gcd.reduce(copies.weights)
        unit = int(gains[row[0], action[0]]) // int(copies.weights[0])
        answer = make_prices(copies, 0.03, work=10**7)
        of_row = np.bincount(row, answer["prices"], n)
        for box in boxes(plain):
            of_action = (gains.sum(axis=1, keepdims=True) - gains)[box].sum(axis=0)
            least = int(of_action.min()) // unit * UNIT
            assert of_row[box].sum() <= least + answer["split_cost"]
        positive += answer["bound"] > 0
    assert positive > 20


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_threads_find_the_heaviest_box(kinds):
    rng = np.random.default_rng(47)
    above = 0
    for _ in range(rounds(60, 1000)):
        table = random_table(rng, kinds, most_rows=60)
        weights = rng.integers(-20, 30, len(table.labels)).astype(np.int32)
        heaviest = max(int(weights[box].sum()) for box in boxes(table))
        threshold = int(rng.integers(0, max(2, int(1.2 * max(1, heaviest)))))
        options = {"weights": weights, "threshold": threshold, "n_jobs": 3}
        whole = native.heaviest_box(**columns_of(table), **options)
        assert whole["done"]
        assert whole["most"] == max(threshold, heaviest)
        above += heaviest > threshold
        work = int(rng.integers(0, 3000))
        some = native.heaviest_box(**columns_of(table), **options, work=work)
        assert some["most"] >= max(threshold, heaviest)
    assert above > 20


def test_threads_reach_the_same_prices():
    rng = np.random.default_rng(48)
    X = rng.integers(0, 40, (300, 4))
    y = ((X[:, 0] > 20) ^ (rng.random(300) < 0.25)).astype(np.int32)
    arguments = {
        "kinds": np.zeros(4, np.int32), "n_values": np.full(4, 40, np.int32),
        "codes": X.T.reshape(-1).astype(np.int32), "labels": y, "n_classes": 2,
        "weights": np.ones(300), "split_penalty": 0.02, "work": 5 * 10**9,
    }  # fmt: skip
    alone, shared = (native.prices(**arguments, n_jobs=n) for n in (1, 3))
    assert alone["finished"] and shared["finished"]
    assert shared["lower"] == pytest.approx(alone["lower"], rel=1e-3)
