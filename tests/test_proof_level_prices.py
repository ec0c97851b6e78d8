"""Prices for trees of small depth in proofs, through all three checkers."""

from __future__ import annotations

import gzip
import itertools
import json
from collections import Counter
from typing import Any

import native
import numpy as np
import pytest
from effort import rounds
from oracle import UNIT
from priced_proofs import Priced, priced
from test_level_prices import noisy_bits

from treeproof import OptimalTreeClassifier, proof
from treeproof.proof.conjunctions import ConjunctionSearch
from treeproof.solving import proving

TURNS = 6


def problems(seed: int, folder: Any, number: int, **settings: Any):
    """Random problems with prices for trees of one to three levels."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        levels = int(rng.integers(1, 4))
        settings = {"max_depth": levels, **settings}
        problem = priced(rng, folder, levels=levels, **settings)
        if problem is not None:
            yield rng, levels, problem


@pytest.mark.parametrize("turn", range(TURNS))
def test_prices_are_accepted_where_no_conjunction_is_too_dear(judge, tmp_path, turn):
    seen: Counter[bool] = Counter()
    for rng, levels, problem in problems(turn, tmp_path, rounds(10, 250)):
        given = problem.header["prices"]
        change = int(rng.integers(0, 4))
        if change == 1:
            problem.raise_one_price(rng)
        elif change == 2:
            problem.scale_prices(1.01)
        elif change == 3:  # are they good enough for another level?
            given["depth"] = int(rng.integers(1, 4))
        fine = problem.slack() >= 0
        fine = fine and sum(given["of_rows"]) <= int(problem.whole.sum()) * UNIT
        depth = min(levels, given["depth"])
        problem.header["max_depth"] = depth
        problem.header["tree"] = {"predict": 0}
        wrong = problem.whole[problem.labels != 0].sum()
        problem.header["upper"] = int(wrong) * UNIT
        bound = min(problem.bound(), int(wrong) * UNIT)
        step = {"branch": [], "depth": depth, "bound": bound}
        leaf = problem.errors(np.ones(len(problem.codes), bool))
        fine = fine and bound <= leaf
        assert judge(problem, problem.proof([step])) == {fine}
        seen[fine] += 1
    assert set(seen) == {False, True}


@pytest.mark.parametrize("turn", range(TURNS))
def test_prices_speak_only_of_as_many_levels(judge, tmp_path, turn):
    """Outcomes of the branch and levels below it, together no more than the depth."""
    useful = 0
    for rng, levels, problem in problems(50 + turn, tmp_path, rounds(8, 250)):
        problem.scale_prices(0.999)
        problem.header["max_depth"] = 0
        problem.header["tree"] = {"predict": 0}
        wrong = problem.whole[problem.labels != 0].sum()
        problem.header["upper"] = int(wrong) * UNIT
        root = {"branch": [], "depth": 0, "bound": 0}
        below = problem.frame["a"].to_numpy() <= min(problem.frame["a"])
        if below.all():
            continue
        outcome = int(rng.integers(0, 2))
        branches = [([], np.ones(len(below), bool))]
        branches.append(([0, outcome], below if outcome == 0 else ~below))
        for (branch, rows), depth in itertools.product(branches, [None, 1, 2, 3, 4]):
            bound = min(problem.bound(rows), problem.errors(rows))
            if bound <= 0:
                continue
            step = {"branch": branch, "depth": depth, "bound": bound}
            plain = Priced(**{**vars(problem), "header": {**problem.header}})
            del plain.header["prices"]
            if judge(plain, plain.proof([step, root])) == {True}:
                continue  # the counts alone prove it
            speaks = depth is not None and len(branch) // 2 + depth <= levels
            if speaks:
                assert judge(problem, problem.proof([step, root])) == {True}
                useful += 1
            else:
                # Prices that do not bound a step may bound its parts.
                verdicts = judge(problem, problem.proof([step, root]))
                assert len(verdicts) == 1
                assert verdicts == {False}
    assert useful > 0


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p.update(depth=0),
        lambda p: p.update(depth=-1),
        lambda p: p.update(depth=1.0),
        lambda p: p.update(depth="2"),
        lambda p: p.update(depth=65),
        lambda p: p.update(depth=None),  # then axes are needed
        lambda p: p.pop("depth"),
    ],
)
def test_malformed_depths_are_refused(judge, tmp_path, change):
    _, _, problem = next(problems(300, tmp_path, 50))
    step = {"branch": [], "depth": problem.header["max_depth"], "bound": 1}
    assert judge(problem, problem.proof([step])) == {True}
    change(problem.header["prices"])
    assert judge(problem, problem.proof([step])) == {False}


def test_the_search_for_a_heavy_conjunction_is_that_of_enumeration():
    rng = np.random.default_rng(21)
    seen: Counter[bool] = Counter()
    for _ in range(rounds(300, 5000)):
        n, n_outcomes = int(rng.integers(1, 30)), int(rng.integers(0, 9))
        keeps = rng.random((n_outcomes, n)) < rng.uniform(0.2, 0.9)
        weight = rng.integers(-20, 25, n)
        most_outcomes = int(rng.integers(0, 5))
        heaviest = weight.sum()
        for size in range(1, most_outcomes + 1):
            for chosen in itertools.combinations(keeps, size):
                heaviest = max(heaviest, weight[np.logical_and.reduce(chosen)].sum())
        most = max(0, int(heaviest) + int(rng.integers(-3, 3)))
        found = ConjunctionSearch(keeps, weight, most).finds_one(most_outcomes)
        assert found == (heaviest > most)
        seen[found] += 1
    assert min(seen[False], seen[True]) > 20


def with_level_prices(monkeypatch, depth: int) -> None:
    """Give searches for a proof good prices of a level, and no steps of their own."""
    climb = proving.run_solver

    def run(name: str, task: Any) -> Any:
        found = dict(climb(name, task))
        engine = task.table.engine
        columns = {"kinds": engine.kinds, "n_values": engine.n_values}
        codes = engine.codes.reshape(-1)
        made = native.shallow_prices(
            **columns, codes=codes, labels=task.labels, n_classes=2,
            weights=task.weights, split_penalty=task.split_penalty,
            penalize=task.penalize, work=10**9, max_depth=depth,
        )  # fmt: skip
        points = native.price_axes(**columns, codes=codes)["point_of"]
        of_point = np.bincount(points, made["prices"]).astype(np.int64)
        prices = {
            "max_depth": depth,
            "of_point": of_point,
            "per_leaf": made["split_cost"],
            "bound": made["bound"],
        }
        return found | {"prices": [prices], "log_sections": []}

    monkeypatch.setattr(proving, "run_solver", run)
    monkeypatch.setattr(proving, "MUCH_PRICED", 0.3)


@pytest.mark.parametrize("solver", ["sparse", "threshold"])
@pytest.mark.parametrize("depth", [4, 5])
def test_fits_of_few_levels_cite_their_prices(solver, depth, tmp_path, monkeypatch):
    X, y = noisy_bits(160, 9)
    with_level_prices(monkeypatch, depth)
    path = tmp_path / "level.proof"
    model = OptimalTreeClassifier(0.01, max_depth=depth, solver=solver)
    model.fit(X, y, proof=path)
    assert model.optimal_
    with gzip.open(path) as file:
        lines = file.read().splitlines()
    header = json.loads(lines[0])
    assert header["prices"]["depth"] == depth
    assert proof.check(path, X, y).accepted
    assert proof.checker.check(path, X, y).accepted
    # Prices that are scaled up, and prices that claim to be for more levels.
    dearer = [int(1.05 * price) for price in header["prices"]["of_rows"]]
    for change in [{"of_rows": dearer}, {"depth": 8}]:
        changed = header | {"prices": header["prices"] | change}
        lines[0] = json.dumps(changed).encode()
        path.write_bytes(gzip.compress(b"\n".join(lines) + b"\n"))
        assert not proof.check(path, X, y).accepted
        assert not proof.checker.check(path, X, y).accepted


def test_a_noisy_level_is_proved_by_its_prices(tmp_path):
    """Without help, the proof of a fit of five levels on noisy columns needs prices."""
    X, y = noisy_bits(300, 24)
    path = tmp_path / "level.proof"
    model = OptimalTreeClassifier(0.01, max_depth=5, solver="threshold")
    model.fit(X, y, proof=path)
    assert model.optimal_
    assert proof.check(path, X, y).accepted
