"""Paths that a limit ends: what they say about depths, how they spend their time."""

import math
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from oracle import Table, optimal_cost
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning
from sparse_problems import any_table
from test_penalty_path import task_of

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    penalty_path,
    watch,
)
from treeproof.path import rungs
from treeproof.path.envelope import least_between, stages
from treeproof.path.progress import FoldsBar, PathListener
from treeproof.path.searches import Searches


@pytest.fixture(params=[True, False], ids=["no bound", "no time"])
def stopped(monkeypatch, request):
    """Stop searches for trees of any depth before they have proved anything."""
    search = Searches._search

    def weak(self, split_cost, lower):
        answer = search(self, split_cost, lower)
        if self._task.max_depth is not None:
            return answer
        levels = [] if request.param else answer.get("certificates", [])
        known = {"lower": answer["lower"] * 0, "status": "time_limit"}
        return {**answer, **known, "certificates": levels}

    monkeypatch.setattr(Searches, "_search", weak)
    monkeypatch.setattr(rungs._Tracing, "_goes_on", lambda self: False)


def path_of(X, y, kind=OptimalTreeClassifier, low=0.01, weights=None, **more):
    base = kind(time_limit=1e6, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return penalty_path(X, y, weights, low=low, estimator=base)


def check_levels(path, least):
    """Compare the certificates of all points with the least cost of each depth."""
    climbed = 0
    for point in path:
        model = point.model
        for level in model.certificates_:
            true = least(level.max_depth, point.penalty)
            assert level.lower_bound <= true + 1e-6, (level, true)
            assert level.objective >= true - 1e-6, (level, true)
            if level.optimal:
                assert level.objective == pytest.approx(true, abs=1e-6)
        depths = [level.max_depth for level in model.certificates_[:-1]]
        assert depths == sorted(set(depths))
        if 0 < model.proved_depth_ < math.inf:
            deepest = least(int(model.proved_depth_), point.penalty)
            assert deepest >= model.objective_ - 1e-6
        climbed += model.proved_depth_ >= 4
    return climbed


def test_levels_of_a_path_agree_with_brute_force(stopped):
    climbed = 0
    for seed in range(12):
        table = any_table(np.random.default_rng([20, seed]))
        codes, labels = table.codes[:20], table.labels[:20]
        weights = np.ones(len(labels), dtype=int)
        if len(set(labels)) < 2:
            continue
        path = path_of(codes.astype(float), labels, weights=weights)

        def least(depth, penalty, codes=codes, labels=labels):
            return float(best_of(codes, labels, penalty, depth))

        climbed += check_levels(path, least)
    assert climbed > 10


def best_of(codes, labels, penalty, depth):
    """Return the least cost of a tree over these columns of numbers."""
    kinds = np.zeros(codes.shape[1], int)
    dense = np.stack([np.unique(c, return_inverse=True)[1] for c in codes.T], axis=1)
    classes, labels = np.unique(labels, return_inverse=True)
    table = Table(
        kinds, dense.max(axis=0) + 1, dense, labels, len(classes),
        np.ones(len(labels), int),
    )  # fmt: skip
    limits = {"penalize": "leaves", "max_depth": -1 if depth is None else depth}
    unit = len(labels) << 20
    return Fraction(optimal_cost(table, penalty, **limits)) / unit


def test_levels_of_a_path_of_numbers_agree_with_brute_force(stopped):
    rng, climbed = np.random.default_rng(3), 0
    for _ in range(6):
        n = int(rng.integers(8, 14))
        X, y = rng.integers(0, 7, (n, 2)), rng.integers(0, 5, n).astype(float)
        path = path_of(X, y, OptimalTreeRegressor)

        def least(depth, penalty, X=X, y=y):
            model = OptimalTreeRegressor(
                penalty, max_depth=6 if depth is None else depth
            )
            return model.fit(X, y).objective_

        climbed += check_levels(path, least)
    assert climbed > 3


def noisy(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round()
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0.5)) != (rng.random(n) < 0.2)


def test_depths_three_and_four_have_paths_of_their_own(stopped):
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match="not proved optimal everywhere"):
        path = penalty_path(X, y, low=0.01)
    assert path.status == "time_limit" and len(path) > 2
    assert all(point.model.proved_depth_ >= 4 for point in path)
    flat = penalty_path(X, y, low=0.01, estimator=OptimalTreeClassifier(max_depth=4))
    assert flat.optimal
    for point in path:
        assert point.objective(point.penalty) <= flat.at(point.penalty).objective(
            point.penalty
        )
        known = {level.max_depth: level for level in point.model.certificates_}
        expected = flat.at(point.penalty).objective(point.penalty)
        assert known[4].objective == pytest.approx(expected, abs=1e-7)
        assert "No tree of depth" in point.model.certificate()


class Clocked:
    """Searches of known length: the smallest split cost takes `needed` seconds.

    Others take a second, and shallow trees a tenth of the time.
    """

    def __init__(self, monkeypatch, needed):
        self.now, self.needed, self.asked = 0.0, needed, []
        lines = [(9, 10), (5, 50), (4, 66), (2, 110), (0, 210)]
        for module in ("searches", "budget"):
            path = f"treeproof.path.{module}.monotonic"
            monkeypatch.setattr(path, lambda: self.now)

        def search(searches, split_cost, lower):
            seconds = searches._seconds(split_cost)
            flat = searches._task.max_depth
            needed = 1.0 if split_cost else self.needed
            needed /= 10 if flat else 1
            self.asked.append((flat, split_cost, seconds))
            self.now += min(seconds, needed)
            cost, splits, _ = min((e + k * split_cost, k, e) for k, e in lines)
            done = seconds >= needed
            tree = {"kind": np.zeros(2 * splits + 1, int), "children": []}
            tree["kind"][:splits] = 1
            tree["first_child"] = tree["n_children"] = np.zeros(2 * splits + 1, int)
            return {
                "tree": tree, "upper": cost, "lower": cost if done else 0,
                "status": "optimal" if done else "time_limit", "unit": 1,
            }  # fmt: skip

        monkeypatch.setattr(Searches, "_search", search)


def spent(monkeypatch, needed, limit):
    table = any_table(np.random.default_rng(0))
    task = task_of(table, {"penalize": "leaves"})
    task.time_limit = limit
    clock = Clocked(monkeypatch, needed)
    monkeypatch.setattr(
        Searches, "split_cost", lambda self, penalty: round(100 * penalty)
    )
    with PathListener(shown=False) as listener:
        found = rungs.trace_levels("threshold", task, 0.0, 1.0, listener)
    return found, clock


def test_time_that_is_left_is_spent_on_what_is_not_proved(monkeypatch):
    found, clock = spent(monkeypatch, needed=500.0, limit=400.0)
    assert clock.now == pytest.approx(400.0, rel=0.03)
    assert not found.envelope.proved and found.n_searches == len(clock.asked)
    assert {depth for depth, *_ in clock.asked} == {None, 3, 4}


def test_a_path_that_needs_more_than_its_first_part_is_finished(monkeypatch):
    found, clock = spent(monkeypatch, needed=180.0, limit=400.0)
    assert found.envelope.proved and clock.now < 400.0
    [first, again] = [s for depth, x, s in clock.asked if depth is None and x == 0]
    assert first < 180.0 <= again


def test_bounds_are_the_least_concave_function_above_those_known():
    rng = np.random.default_rng(0)
    for _ in range(50):
        lines = [(int(k), int(rng.integers(0, 500))) for k in rng.integers(0, 9, 4)]

        def least(x, lines=lines):
            return min(e + k * x for k, e in lines)

        at = sorted({int(x) for x in rng.integers(0, 100, 6)})
        proved = rng.random(len(at)) < 0.6
        known = [
            (Fraction(x), Fraction(least(x)) * (1 if sure else Fraction(1, 3)))
            for x, sure in zip(at, proved, strict=True)
        ]
        bounds = [least_between(known, Fraction(x)) for x in range(100)]
        assert all(b <= least(x) for x, b in enumerate(bounds))
        assert all(b <= c for b, c in pairwise(bounds))
        for (x, y), sure in zip(known, proved, strict=True):
            assert bounds[int(x)] >= y and (not sure or bounds[int(x)] == y)


def test_stages_go_down():
    assert stages(0, 256) == [64, 16, 4, 1, 0]
    assert stages(10, 256) == [64, 10] and stages(5, 5) == []


def test_watchers_receive_the_events_of_a_path():
    X, y = noisy()
    events = []
    with watch(lambda *event: events.append(event)):
        penalty_path(X, y, low=0.02)
    assert events
    assert all(low <= high + 1e-12 for _, _, low, high, _ in events)

    def fail(*_):
        raise RuntimeError("enough")

    with watch(fail), pytest.raises(RuntimeError, match="enough"):
        penalty_path(X, y, low=0.02)


def test_the_line_of_a_path_shows_search_penalty_and_bounds():
    console = Console(file=open("/dev/null", "w"), force_terminal=True)  # noqa: SIM115
    told = []
    with PathListener(shown=True, console=console) as listener:
        listener._status.update = told.append
        listener.begin_search(0.05, None)(0, 0.0, 0.1, 0.4, 3)
        listener.begin_search(0.02, 3)(0, 0.0, 0.1, 0.2, 3)  # too soon
    [line] = told
    assert "search 1: penalty 0.05, any depth   cost 0.4000" in line


def test_the_line_of_a_path_is_on_standard_error(capfd):
    X, y = noisy()
    penalty_path(X, y, low=0.05, estimator=OptimalTreeClassifier(verbose=True))
    out, _ = capfd.readouterr()
    assert out == ""


def test_the_bar_of_cross_validation_moves_from_the_beginning():
    bar = FoldsBar(True, whole=0.3, seconds=10.0)
    assert [bar.filled(s) for s in (0.0, 5.0, 20.0)] == [0.0, 0.15, 0.3]
    free = FoldsBar(False, whole=0.3, seconds=None)
    filled = [free.filled(s) for s in (0.0, 1.0, 60.0)]
    assert filled == sorted(filled) and filled[0] == 0.0 and filled[-1] < 0.3
    list(bar._bar.get_renderables())
    assert 0.0 <= bar._bar.tasks[0].completed < 0.3
    seen = [bar.filled(99.0) for _ in bar.folds(range(4), 4)]
    assert seen == pytest.approx([0.475, 0.65, 0.825, 1.0])


def test_cross_validation_with_a_bar_prints_nothing(capfd):
    X, y = noisy()
    OptimalTreeClassifierCV(low=0.05, cv=2, verbose=True).fit(X, y)
    out, _ = capfd.readouterr()
    assert out == ""


def test_a_path_without_time_ends(monkeypatch):
    """Searches get a moment even if no time is left, but no round begins then."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 8)), rng.integers(0, 2, 300)
    rounds = []
    again = rungs._Tracing._again
    monkeypatch.setattr(
        rungs._Tracing, "_again", lambda *given: rounds.append(1) or again(*given)
    )
    with pytest.warns(ConvergenceWarning):
        penalty_path(X, y, estimator=OptimalTreeClassifier(time_limit=1e-9))
    assert not rounds
