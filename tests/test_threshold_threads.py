"""Threads in the search over thresholds: same optimum, same limits."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import native
import numpy as np
import pytest
import regression_oracle
import test_regression_exact
import test_threshold_exact
from oracle import random_limits, random_table
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from test_regression_exact import numeric_arguments as number_arguments
from test_threshold_exact import KINDS, numeric_arguments

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.proof import check as check_proof

FIRST = {"helpers_first": True}  # small problems end before a thread starts


def noise(n_rows: int = 400, n_features: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return rng.normal(size=(n_rows, n_features)), rng.integers(0, 2, n_rows)


def any_limits(rng: np.random.Generator) -> dict[str, Any]:
    limits = random_limits(rng)
    if limits["max_depth"] < 0 and rng.random() < 0.7:
        limits["max_depth"] = int(rng.integers(3, 5))
    return limits


@pytest.mark.parametrize("block", range(4))
def test_labels_equal_brute_force(block: int) -> None:
    for seed in range(5000 + 120 * block, 5120 + 120 * block):
        rng = np.random.default_rng(seed)
        table = random_table(
            rng,
            max_rows=int(rng.choice([10, 16])),
            max_values=int(rng.choice([4, 12])),
            kinds=KINDS[int(rng.integers(3))],
        )
        limits = any_limits(rng)
        switches = test_threshold_exact.random_switches(rng) | FIRST
        if rng.random() < 0.3:
            switches["common_rows_search"] = False
        for n_jobs in (1, 2, 4):
            test_threshold_exact.check(table, limits, switches, n_jobs)


@pytest.mark.parametrize("block", range(4))
def test_targets_equal_brute_force(block: int) -> None:
    for seed in range(5000 + 120 * block, 5120 + 120 * block):
        rng = np.random.default_rng(seed)
        table = regression_oracle.random_targets(
            rng,
            max_rows=int(rng.choice([10, 14])),
            max_values=int(rng.choice([4, 12])),
            kinds=regression_oracle.KINDS[int(rng.integers(3))],
        )
        limits = any_limits(rng)
        switches = test_regression_exact.random_switches(rng) | FIRST
        for n_jobs in (1, 2, 4):
            test_regression_exact.check(table, limits, switches, n_jobs)


@pytest.mark.parametrize("penalty", [0.0, 0.01])
def test_threads_divide_the_work(penalty: float) -> None:
    X, y = load_wine(return_X_y=True)
    X, y = (X[:, :5], y) if penalty == 0.0 else (X, y)
    limits = {"split_penalty": penalty, "max_depth": 3 if penalty == 0.0 else 4}
    off = {"common_rows_search": False}
    alone = native.solve_threshold(**numeric_arguments(X, y), **limits, switches=off)
    ratios = []
    for _ in range(8):  # how the work is divided depends on which thread runs when
        together = native.solve_threshold(
            **numeric_arguments(X, y), **limits, n_jobs=3, switches=FIRST | off
        )
        assert together["status"] == alone["status"] == "optimal"
        assert together["upper"] == alone["upper"]
        assert alone["statistics"]["helped"] == 0 < together["statistics"]["helped"]
        ratios.append(
            together["statistics"]["depth_two_solves"]
            / alone["statistics"]["depth_two_solves"]
        )
    assert min(ratios) < 2  # three searches side by side take three times as many


def test_threads_share_their_proofs() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    arguments = numeric_arguments(X, y) | {"split_penalty": 0.02}
    alone = native.solve_threshold(**arguments)
    for n_jobs in (2, 4):
        found = native.solve_threshold(**arguments, n_jobs=n_jobs, switches=FIRST)
        assert found["status"] == "optimal"
        assert found["upper"] == alone["upper"]
        assert found["statistics"]["helped"] > 0
        assert found["statistics"]["common_rows_batches"] > 0


def test_groups_of_cuts_equal_brute_force() -> None:
    rng = np.random.default_rng(8)
    for k in range(150):
        table = random_table(rng, max_rows=16, max_values=12, kinds=KINDS[0])
        limits = {
            "split_penalty": float(rng.choice([0.02, 0.05, 0.08])),
            "max_depth": -1 if k % 3 else 4,
            "max_splits": -1,
            "min_samples_leaf": 1,
        }
        switches = {"two_splits": bool(k % 2), "coarse_cuts": 3} | FIRST
        for n_jobs in (2, 4):
            test_threshold_exact.check(table, limits, switches, n_jobs)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_threads_divide_regressions(criterion: str) -> None:
    X, y = load_diabetes(return_X_y=True)
    arguments = number_arguments(X[:120, :4], y[:120]) | {"criterion": criterion}
    depth = 3 if criterion == "squared_error" else 2
    found = [
        native.solve_targets(**arguments, max_depth=depth, n_jobs=n, switches=FIRST)
        for n in (1, 2, 4)
    ]
    for other in found[1:]:
        assert other["status"] == "optimal"
        assert other["upper"] == pytest.approx(found[0]["upper"], rel=1e-9)
        assert other["statistics"]["helped"] > 0


def test_a_time_limit_ends_all_threads() -> None:
    before = threading.active_count()
    X, y = noise()
    found = native.solve_threshold(
        **numeric_arguments(X, y),
        split_penalty=0.0,
        max_depth=5,
        time_limit=0.3,
        n_jobs=4,
    )
    assert found["status"] == "time_limit"
    assert 0 <= found["lower"] < found["upper"]
    assert threading.active_count() == before


def test_a_time_limit_ends_shared_proofs() -> None:
    X, y = noise(600, 12)
    y = np.where(X[:, 0] > 0, y, X[:, 1] > 0.5)
    found = native.solve_threshold(
        **numeric_arguments(X, y), split_penalty=0.02, time_limit=0.6, n_jobs=3
    )
    assert found["status"] == "time_limit"
    assert found["statistics"]["common_rows_batches"] > 0
    assert 0 < found["lower"] < found["upper"]


def test_an_interrupt_ends_all_threads_and_keeps_the_tree() -> None:
    X, y = noise()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    found = native.solve_targets(**number_arguments(X, y), max_depth=5, n_jobs=3)
    timer.join()
    assert found["status"] == "interrupted"
    assert 0 <= found["lower"] < found["upper"] <= 1


def test_where_memory_is_short_helpers_leave_first() -> None:
    X, y = noise(300, 6)
    arguments = numeric_arguments(X, y) | {"split_penalty": 0.0, "max_depth": 3}
    free = native.solve_threshold(**arguments, n_jobs=4, switches=FIRST)
    columns = 4 * 3 * X.size
    tight = native.solve_threshold(
        **arguments, n_jobs=4, switches=FIRST, memory_limit=columns + 250_000
    )
    assert tight["status"] == free["status"] == "optimal"
    assert tight["upper"] == free["upper"]
    none = native.solve_threshold(**arguments, n_jobs=4, memory_limit=columns + 100)
    assert none["status"] == "memory_limit"
    assert 0 <= none["lower"] <= free["upper"] <= none["upper"]


def test_observers_hear_rising_bounds_from_the_calling_thread() -> None:
    rng = np.random.default_rng(4)
    everyone = set()
    for k in range(12):
        X, y = rng.normal(size=(60, 4)), rng.integers(0, 2 + k % 2, 60)
        heard: list[tuple[str, float, float]] = []

        def observer(
            kind: str, _: float, lower: int, upper: int, __: int,
            heard: list[tuple[str, float, float]] = heard,
        ) -> None:  # fmt: skip
            heard.append((kind, lower, upper))
            everyone.add(threading.get_ident())

        found = native.solve_threshold(
            **numeric_arguments(X, y),
            split_penalty=0.02 * (k % 3),
            max_depth=3 if k % 4 else 4,
            min_samples_leaf=1 + k % 2,
            n_jobs=1 + k % 3,
            switches=FIRST,
            observer=observer,
        )
        lowers = [lower for _, lower, _ in heard]
        uppers = [upper for _, _, upper in heard]
        assert lowers == sorted(lowers)
        assert uppers == sorted(uppers, reverse=True)
        share = found["upper"] / found["unit"]
        assert all(low <= share + 1e-12 for low in lowers)
        assert all(share <= up + 1e-12 for up in uppers)
    assert everyone == {threading.get_ident()}


def test_an_observer_that_fails_ends_all_threads() -> None:
    def observer(*_: Any) -> None:
        raise RuntimeError("no more")

    X, y = noise()
    with pytest.raises(RuntimeError, match="no more"):
        native.solve_threshold(
            **numeric_arguments(X, y),
            split_penalty=0.0,
            max_depth=4,
            n_jobs=3,
            observer=observer,
        )


def test_the_estimators_take_all_processors(tmp_path: Any) -> None:
    X, y = load_wine(return_X_y=True)
    kinds = (OptimalTreeClassifier, OptimalTreeRegressor)
    for kind in kinds:
        models = [
            kind(0.0, max_depth=3, solver="threshold", n_jobs=n).fit(X[:, :4], y)
            for n in (None, 1, 2, -1)
        ]
        assert all(model.optimal_ for model in models)
        best = models[0].objective_
        assert [m.objective_ for m in models] == pytest.approx([best] * 4, rel=1e-9)
    model = OptimalTreeClassifier(0.02, max_depth=3, solver="threshold", n_jobs=3)
    model.fit(X[:, :4], y, proof=tmp_path / "proof")
    assert check_proof(tmp_path / "proof", X[:, :4], y).accepted
