"""Prices in proofs: each of three checkers compares them with every box."""

from __future__ import annotations

import copy
import gzip
import json
import subprocess
from collections import Counter
from typing import Any

import native
import numpy as np
import pytest
from effort import rounds
from oracle import UNIT
from priced_proofs import Priced, priced

from treeproof import OptimalTreeClassifier
from treeproof.proof.boxes import Axis, BoxSearch
from treeproof.proof.checker import check, read_header

TURNS = 12


def random_problems(seed: int, folder: Any, number: int, **settings: Any):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        problem = priced(rng, folder, **settings)
        if problem is not None:
            yield rng, problem


@pytest.mark.parametrize("turn", range(TURNS))
def test_changed_prices_are_accepted_where_no_box_is_too_dear(judge, tmp_path, turn):
    seen: Counter[bool] = Counter()
    for rng, problem in random_problems(turn, tmp_path, rounds(8, 500)):
        given = problem.header["prices"]
        change = int(rng.integers(0, 4))
        if change == 1:
            problem.raise_one_price(rng)
        elif change == 2:
            problem.scale_prices(1.01)
        elif change == 3:
            given["per_leaf"] = max(0, given["per_leaf"] - int(rng.integers(0, UNIT)))
        fine = problem.slack() >= 0
        total = sum(given["of_rows"])
        fine = fine and total <= int(_weight(problem)) * UNIT
        step = {"branch": [], "bound": problem.bound()}
        assert judge(problem, problem.proof([step])) == {fine}
        seen[fine] += 1
    assert set(seen) == {False, True}


def _weight(problem: Priced) -> float:
    return float(problem.whole.sum())


def test_one_unit_more_than_the_tightest_box_bears(judge, tmp_path):
    caught = 0
    for _, problem in random_problems(100, tmp_path, 20):
        given = problem.header["prices"]
        slack = problem.slack()
        assert slack >= 0
        prices = np.array(given["of_rows"])
        tightest = next(
            mask
            for mask in problem.masks()
            if problem.errors(mask) + given["per_leaf"] - prices[mask].sum() == slack
            and mask.any()
        )
        given["of_rows"][int(np.flatnonzero(tightest)[0])] += slack + 1
        step = {"branch": [], "bound": 1}
        assert judge(problem, problem.proof([step])) == {False}
        caught += 1
    assert caught > 10


def test_axes_that_miss_a_box(judge, tmp_path):
    """Fast checkers enumerate the boxes of axes, which must distinguish every test."""
    caught = 0
    for rng, problem in random_problems(200, tmp_path, 40):
        step = {"branch": [], "bound": 1}
        for fault in range(3):
            broken = copy.deepcopy(problem)
            axes = broken.header["prices"]["axes"]
            axis = axes[int(rng.integers(0, len(axes)))]
            if fault == 0:
                axes.remove(axis)
            elif fault == 1:  # two codes become one
                axis[1] = [max(code - 1, 0) for code in axis[1]]
            elif axis[0] == "subset" and max(axis[1]) > 1:
                axis[0] = "one"
            elif axis[0] == "interval" and max(axis[1]) > 1:
                axis[1] = rng.permutation(max(axis[1]) + 1)[axis[1]].tolist()
            accepted = broken.numpy_verdict(broken.proof([step])).accepted
            # The exact checker does not use axes, and the prices are right.
            says = judge(broken, broken.proof([step]))
            assert says == ({True} if accepted else {False, True})
            caught += not accepted
    assert caught > 20


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p.update(per_leaf=p["per_leaf"] + 1),
        lambda p: p.update(per_leaf=-1),
        lambda p: p.update(per_leaf=1.0),
        lambda p: p.pop("per_leaf"),
        lambda p: p["of_rows"].pop(),
        lambda p: p["of_rows"].__setitem__(0, -1),
        lambda p: p["of_rows"].__setitem__(0, 1 << 59),
        lambda p: p["of_rows"].__setitem__(0, 0.5),
        lambda p: p["of_rows"].__setitem__(0, None),
        lambda p: p.pop("axes"),
        lambda p: p["axes"][0][1].pop(),
        lambda p: p["axes"][0][1].__setitem__(0, -1),
        lambda p: p["axes"][0][1].__setitem__(0, "1"),
    ],
)
def test_malformed_prices_are_refused(program, tmp_path, change):
    problem = next(p for _, p in random_problems(300, tmp_path, 50, penalize="leaves"))
    change(problem.header["prices"])
    proof = problem.proof([{"branch": [], "bound": 1}])
    assert not problem.numpy_verdict(proof).accepted
    assert not problem.exact_accepts(proof)
    (tmp_path / "data.csv").write_text(problem.csv())
    done = subprocess.run(
        [program, "-", tmp_path / "data.csv", "--target", "y", "--weight", "w"],
        input=proof, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode in (1, 2)


def test_splits_that_pay_once_share_their_penalty(judge, tmp_path):
    """Prices for splits paid by leaves are too high where a wide split pays once."""
    caught = 0
    settings = {"categorical_split": "multiway", "penalize": "leaves"}
    for _, problem in random_problems(400, tmp_path, 20, **settings):
        if max(np.bincount(problem.codes[:, 1]).size, 2) < 3:
            continue
        problem.header["penalize"] = "splits"
        problem.header["tree"] = {"predict": 0}
        wrong = problem.whole[problem.labels != 0].sum()
        problem.header["upper"] = int(wrong) * UNIT
        step = {"branch": [], "bound": 1}
        assert judge(problem, problem.proof([step])) == {False}
        caught += 1
    assert caught > 3


@pytest.mark.parametrize("turn", range(TURNS))
def test_bounds_of_branches(judge, tmp_path, turn):
    """A step may claim the bound of the prices of its own rows, and no more."""
    for rng, problem in random_problems(500 + turn, tmp_path, rounds(6, 400)):
        value = sorted(set(problem.frame["a"]))[0]
        if problem.frame["a"].nunique() < 2:
            continue
        below = problem.frame["a"].to_numpy() <= value
        test = 0  # the first threshold of the first column
        outcome = int(rng.integers(0, 2))
        rows = below if outcome == 0 else ~below
        own = problem.bound(rows)
        if own <= 0:
            continue
        root = {"branch": [], "bound": 0}
        good = {"branch": [test, outcome], "bound": own}
        assert judge(problem, problem.proof([good, root])) == {True}
        leaf = problem.errors(rows)
        false = {"branch": [test, outcome], "bound": leaf + 1}
        assert judge(problem, problem.proof([false, root])) == {False}
        # The prices of other rows do not count.
        all_rows = problem.bound()
        if all_rows > leaf:
            outside = {"branch": [test, outcome], "bound": all_rows}
            assert judge(problem, problem.proof([outside, root])) == {False}


@pytest.mark.parametrize("one", [False, True])
def test_the_search_for_a_heavy_box_is_that_of_enumeration(one):
    rng = np.random.default_rng(21)
    seen: Counter[bool] = Counter()
    for _ in range(rounds(300, 5000)):
        n, n_axes = int(rng.integers(1, 40)), int(rng.integers(1, 4))
        axes, kept = [], []
        for _ in range(n_axes):
            code = rng.integers(0, int(rng.integers(1, 5)), n)
            kind = int(rng.integers(0, 3)) if one else 0
            last = int(code.max())
            if kind == 0:
                axes.append(Axis(code))
                ends = [(a, b) for b in range(last + 1) for a in range(b + 1)]
                kept.append([(code >= a) & (code <= b) for a, b in ends])
            elif kind == 1:
                axes.append(Axis(code, one=True))
                kept.append([code == v for v in range(last + 1)] + [code >= 0])
            else:
                axes.append(Axis(code, low_moves=False))
                kept.append([code <= b for b in range(last + 1)])
        weight = rng.integers(-20, 25, n)
        masks = [np.ones(n, bool)]
        for choices in kept:
            masks = [m & c for m in masks for c in choices]
        heaviest = max(int(weight[m].sum()) for m in masks)
        most = max(0, heaviest + int(rng.integers(-3, 3)))
        found = BoxSearch(axes, weight, most).finds_one()
        assert found == (heaviest > most)
        seen[found] += 1
    assert min(seen[False], seen[True]) > 20


def noisy(rng: np.random.Generator, n: int = 240) -> tuple[np.ndarray, np.ndarray]:
    X = rng.integers(0, 6, (n, 3))
    y = (X[:, 0] > 2) ^ (rng.random(n) < 0.3)
    return X, y.astype(int)


@pytest.mark.parametrize("solver", ["sparse", "threshold"])
def test_fits_that_rest_on_prices_are_proved(solver, tmp_path, monkeypatch, program):
    """If there are prices from the start, the proof contains them."""
    from treeproof.solving import proving

    rng = np.random.default_rng(31)
    priced_files = 0
    for k in range(3):
        X, y = noisy(rng)
        climb = proving.run_solver

        def with_prices(name: str, task: Any, climb: Any = climb) -> Any:
            found = dict(climb(name, task))
            engine = task.table.engine
            made = native.prices(
                kinds=engine.kinds, n_values=engine.n_values,
                codes=engine.codes.reshape(-1), labels=task.labels, n_classes=2,
                weights=task.weights, split_penalty=task.split_penalty,
                penalize=task.penalize, work=10**9,
            )  # fmt: skip
            points = native.price_axes(
                kinds=engine.kinds, n_values=engine.n_values,
                codes=engine.codes.reshape(-1),
            )["point_of"]  # fmt: skip
            sums = np.bincount(points, made["prices"]).astype(np.int64)
            return found | {
                "prices": [
                    {
                        "max_depth": None,
                        "of_point": sums,
                        "per_leaf": made["split_cost"],
                        "bound": made["bound"],
                    }
                ],
                "log_sections": [],
            }

        monkeypatch.setattr(proving, "run_solver", with_prices)
        monkeypatch.setattr(proving, "MUCH_PRICED", 0.3)
        clf = OptimalTreeClassifier(split_penalty=0.02, solver=solver)
        path = tmp_path / f"{k}.proof.gz"
        clf.fit(X, y, proof=path)
        monkeypatch.undo()
        assert clf.optimal_
        verdict = check(path, X, y)
        assert verdict.accepted and verdict.optimal, str(verdict)
        priced_files += read_header(path).raw["version"] == 3
    assert priced_files == 3


@pytest.mark.parametrize("solver", ["sparse", "threshold"])
@pytest.mark.parametrize("given", ["matrix", "costs", "abstain"])
def test_proofs_of_costs_cite_prices(solver, given, tmp_path, monkeypatch):
    """Costs are searched as copies of rows; the prices in the proof are of the rows."""
    from treeproof import proof
    from treeproof.proof.exact import check_exactly
    from treeproof.solving import proving

    climb = proving.run_solver

    def with_prices(name: str, task: Any) -> Any:
        engine = task.table.engine
        columns = {"kinds": engine.kinds, "n_values": engine.n_values}
        codes = engine.codes.reshape(-1)
        made = native.prices(
            **columns, codes=codes, labels=task.labels, n_classes=task.n_classes,
            weights=task.weights, split_penalty=task.split_penalty,
            penalize=task.penalize, work=10**9,
        )  # fmt: skip
        points = native.price_axes(**columns, codes=codes)["point_of"]
        prices = {
            "max_depth": None,
            "of_point": np.bincount(points, made["prices"]).astype(np.int64),
            "per_leaf": made["split_cost"],
            "bound": made["bound"],
        }
        return dict(climb(name, task)) | {"prices": [prices], "log_sections": []}

    monkeypatch.setattr(proving, "run_solver", with_prices)
    monkeypatch.setattr(proving, "MUCH_PRICED", 0.0)
    rng = np.random.default_rng(36)
    X, y = noisy(rng, 60)
    X = X[:, :2]
    options: dict[str, Any] = {
        "matrix": {"cost_matrix": [[0.0, 1.0], [2.0, 0.0]]},
        "costs": {"cost_matrix": [[0.0, 1.0], [2.5, 0.3]]},
        "abstain": {"abstain_cost": 0.2},
    }[given]
    clf = OptimalTreeClassifier(0.02, solver=solver, **options)
    path = tmp_path / "costs.proof.gz"
    clf.fit(X, y, proof=path)
    assert clf.optimal_
    header = read_header(path).raw
    assert header["loss"] == "costs" and len(header["prices"]["of_rows"]) == len(X)
    assert proof.check(path, X, y).accepted
    assert check(path, X, y).accepted
    with gzip.open(path) as file:
        lines = file.read().splitlines()
    cells = {f"x{j}": [float(v) for v in X[:, j]] for j in range(2)}
    names = [feature["name"] for feature in header["features"]]
    cells = dict(zip(names, cells.values(), strict=True))
    assert check_exactly(lines, cells, y.tolist(), [1.0] * len(X))
    # With doubled prices, some box is too expensive.
    changed = json.loads(lines[0])
    changed["prices"]["of_rows"] = [2 * p for p in changed["prices"]["of_rows"]]
    lines[0] = json.dumps(changed).encode()
    path.write_bytes(gzip.compress(b"\n".join(lines) + b"\n"))
    assert not proof.check(path, X, y).accepted
    assert not check(path, X, y).accepted
