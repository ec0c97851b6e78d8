"""The native engine for rules: which partitions it lists, and the trees it proves."""

import time
from fractions import Fraction
from itertools import product
from math import comb

import native
import numpy as np
import pytest
from dichotomy_oracle import best_cost
from effort import rounds

from treeproof import _core, proper
from treeproof.proper.dichotomies import Arrangement
from treeproof.proper.exact import affine_columns

UNIT = 2**20
SWITCHES = ["sure_rows", "survivors", "several", "incumbent", "distinct_rules"]

POINTS = {
    "grid": lambda rng, n, d: rng.integers(0, 3, (n, d)) * 1.0,
    "doubles": lambda rng, n, d: rng.normal(size=(n, d)),
    "decimals": lambda rng, n, d: rng.integers(0, 4, (n, d)) / 10,
    # Whole numbers too large for exact products, and nearly in line.
    "almost in line": lambda rng, n, d: (
        rng.integers(0, 3, (n, d)) * 1e9 + rng.integers(0, 3, (n, d)) * 1e-7
    ),
    "far away": lambda rng, n, d: 2.0**52 + rng.integers(0, 4, (n, d)),
}


def partitions(store):
    everything = (1 << store.n_points) - 1
    sides = [
        proper.bits(np.flatnonzero(store.side(rule)).tolist())
        for rule in range(len(store))
    ]
    return {frozenset((side, everything ^ side)) for side in sides}


@pytest.mark.parametrize("position", POINTS)
def test_hyperplanes_are_listed_exactly(position):
    rng = np.random.default_rng([*map(ord, position)])
    for _ in range(rounds(8, 100)):
        d = int(rng.integers(1, 5))
        X = np.unique(POINTS[position](rng, int(rng.integers(d + 1, 8)), d), axis=0)
        exact = [tuple(map(Fraction, row)) for row in X.tolist()]
        columns = affine_columns(exact)
        if not columns:
            continue
        store = _core.RuleStore(len(X))
        assert (
            store.add_family("hyperplane", np.ascontiguousarray(X[:, columns]))
            == "complete"
        )
        everything = (1 << len(X)) - 1
        sides = Arrangement(exact).sides(everything) - {0, everything}
        expected = {frozenset((side, everything ^ side)) for side in sides}
        assert partitions(store) == expected
        assert len(store) == len(expected)


@pytest.mark.parametrize(("n", "d"), [(40, 1), (60, 2), (25, 3), (14, 4), (9, 6)])
def test_number_of_partitions_in_general_position(n, d):
    store = _core.RuleStore(n)
    store.add_family("hyperplane", np.random.default_rng(0).normal(size=(n, d)))
    assert len(store) == sum(comb(n - 1, i) for i in range(1, d + 1))


def test_flats_give_a_part_of_the_hyperplanes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 3))
    every, some = _core.RuleStore(20), _core.RuleStore(20)
    every.add_family("hyperplane", X)
    flats = np.array([0, 1, 2, 3, 4, 4], dtype=np.int32)  # the last is too small
    assert some.add_family("hyperplane", X, flats=flats) == "complete"
    assert 0 < len(some) < len(every)
    assert partitions(some) < partitions(every)


def test_listing_stops_at_its_limits():
    X = np.random.default_rng(2).normal(size=(60, 3))
    store = _core.RuleStore(60)
    assert store.add_family("hyperplane", X, max_rules=100) == "too_many"
    assert _core.RuleStore(60).add_family("hyperplane", X, max_bytes=20_000) == (
        "too_many"
    )


def test_thresholds_can_be_thinned_evenly():
    X = np.array([[0.0], [1.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    every, some = _core.RuleStore(7), _core.RuleStore(7)
    every.add_family("axis", X)
    some.add_family("axis", X, max_cuts=2)
    assert (len(every), len(some)) == (5, 2)
    assert partitions(some) < partitions(every)
    sizes = sorted(int(np.sum(some.side(rule))) for rule in range(2))
    assert sizes == [1, 3]


def test_store_keeps_one_of_equal_and_mirrored_sides():
    store = _core.RuleStore(3)
    sides = np.array(
        [[0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1], [0, 0, 1]], dtype=bool
    )
    assert store.add_sides(sides) == 2
    assert store.find_sides(sides).tolist() == [0, 0, -1, -1, 1]


def random_problem(rng, n_rows):
    """Rows, labels, weights and a store of rules that need not be hyperplanes."""
    n_classes = int(rng.integers(2, 4))
    X = rng.integers(0, 5, (n_rows, int(rng.integers(1, 3)))) * 1.0
    points, point = np.unique(X, axis=0, return_inverse=True)
    store = _core.RuleStore(len(points))
    if rng.random() < 0.5:
        store.add_family("axis", points)
    else:
        store.add_sides(rng.random((int(rng.integers(1, 20)), len(points))) < 0.5)
    labels = rng.integers(0, n_classes, n_rows)
    weights = [
        np.ones(n_rows),
        rng.integers(1, 5, n_rows) * 1.0,
        np.where(labels == 0, 2.0, 3.0),
    ][int(rng.integers(0, 3))]
    return store, point.reshape(-1), labels, n_classes, weights


def solve(store, point, labels, n_classes, weights, **options):
    return native.solve_rules(
        store,
        points=point.astype(np.int32),
        labels=labels.astype(np.int32),
        n_classes=n_classes,
        weights=weights,
        **options,
    )


def test_search_equals_brute_force_under_every_combination_of_switches():
    rng = np.random.default_rng(3)
    fired = {}
    combinations = list(product([False, True], repeat=len(SWITCHES)))
    for trial in range(rounds(3, 60) * len(combinations)):
        store, point, labels, n_classes, weights = random_problem(
            rng, int(rng.integers(3, 11))
        )
        n_splits, depth = int(rng.integers(0, 5)), int(rng.choice([1, 2, 3, -1]))
        least, penalty = int(rng.integers(1, 4)), float(rng.choice([0, 0.1, 0.6]))
        on = combinations[trial % len(combinations)]
        answer = solve(
            store,
            point,
            labels,
            n_classes,
            weights,
            split_cost=round(penalty * UNIT),
            max_splits=n_splits,
            max_depth=depth,
            min_samples_leaf=least,
            n_jobs=1 + trial % 2,
            switches=dict(zip(SWITCHES, on, strict=True)),
        )
        sides = [
            np.asarray(store.side(r)).astype(bool)[point] for r in range(len(store))
        ]
        expected = best_cost(
            sides,
            labels,
            n_splits,
            weights=weights,
            penalty=round(penalty * UNIT) / UNIT,
            depth=99 if depth < 0 else depth,
            least=least,
        )
        assert answer["upper"] / UNIT == pytest.approx(expected, abs=1e-9)
        assert answer["lower"] == answer["upper"]
        for name, value in answer["statistics"].items():
            fired[name] = fired.get(name, 0) + value
    assert fired["roots"] > 0


def test_every_bound_fires():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2))
    labels = rng.integers(0, 2, 40)
    store = _core.RuleStore(40)
    store.add_family("hyperplane", X)
    fired = {}
    for n_splits, penalty in [(3, 0.0), (4, 1.0)]:
        answer = solve(
            store,
            np.arange(40),
            labels,
            2,
            np.ones(40),
            max_splits=n_splits,
            split_cost=round(penalty * UNIT),
        )
        assert answer["status"] == "optimal"
        for name, value in answer["statistics"].items():
            fired[name] = fired.get(name, 0) + value
    assert [name for name, value in fired.items() if value == 0] == []


def test_bounds_save_work():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    labels = rng.integers(0, 2, 30)
    store = _core.RuleStore(30)
    store.add_family("hyperplane", X)

    def roots(**off):
        answer = solve(
            store, np.arange(30), labels, 2, np.ones(30), max_splits=3, switches=off
        )
        return answer["upper"], answer["statistics"]["roots"]

    best, few = roots()
    for switch in ("sure_rows", "several"):
        same, many = roots(**{switch: False})
        assert same == best
        assert many > few


def test_a_start_tree_is_kept_unless_a_better_one_exists():
    store = _core.RuleStore(4)
    store.add_sides(np.array([[0, 1, 1, 1], [0, 0, 1, 1]], dtype=bool))
    labels, rows = np.array([0, 0, 1, 1]), np.arange(4)
    start = np.array([0, -1, -1], dtype=np.int32)
    answer = solve(store, rows, labels, 2, np.ones(4), max_splits=1, start=start)
    assert answer["upper"] == 0
    with pytest.raises(ValueError, match="not in the store"):
        solve(store, rows, labels, 2, np.ones(4), start=start + 7)
    with pytest.raises(ValueError, match="is incomplete"):
        solve(store, rows, labels, 2, np.ones(4), start=start[:2])


def test_unknown_names_are_refused():
    store = _core.RuleStore(2)
    with pytest.raises(ValueError, match="unknown kind"):
        store.add_family("circle", np.zeros((2, 1)))
    with pytest.raises(ValueError, match="different number of points"):
        store.add_family("axis", np.zeros((3, 1)))
    with pytest.raises(ValueError, match="unknown switch"):
        solve(
            store, np.arange(2), np.arange(2), 2, np.ones(2), switches={"magic": True}
        )


def test_bounds_of_a_search_that_was_stopped():
    """Wherever the search stops, its bound is below the optimum and its tree above.

    It is stopped from its observer, at the first event, the second, and so on.
    """
    rng, stopped_early = np.random.default_rng(17), 0
    for _ in range(rounds(3, 100)):
        n = 120
        store = _core.RuleStore(n)
        store.add_sides(rng.random((150, n)) < rng.random((150, 1)))
        labels = rng.integers(0, 2, n)
        problem = (store, np.arange(n), labels, 2, np.ones(n))
        limits = {"max_splits": int(rng.integers(2, 4)), "split_cost": UNIT}
        best = solve(*problem, **limits)["upper"]
        for last in range(1, 6):
            events = []

            def stop(*event, events=events, last=last):
                events.append(event)
                if len(events) >= last:
                    time.sleep(0.03)  # a search asks every 25 ms whether to stop
                    raise KeyboardInterrupt

            found = solve(*problem, **limits, observer=stop)
            assert found["lower"] <= best <= found["upper"]
            for _kind, _seconds, lower, upper, _nodes in events:
                assert lower * found["unit"] <= best * (1 + 1e-12)
                assert upper * found["unit"] >= best * (1 - 1e-12)
            if found["status"] == "interrupted":
                stopped_early += 1
                assert found["lower"] < found["upper"]
    assert stopped_early > 10
