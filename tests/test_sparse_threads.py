"""Several threads: the same optimum, valid proofs, limits as with one."""

import threading

import numpy as np
import pytest
import table42
from oracle import optimal_cost, tree_facts
from sklearn.datasets import load_breast_cancer
from sparse_problems import any_limits, any_table, check, noisy_table, solve
from test_sparse_limits import NO_LIMITS, hard_table

from treeproof import OptimalTreeClassifier, _core
from treeproof.proof import check as check_proof

# Without these, small problems are solved before a second thread has begun.
WEAK = {"two_splits": False, "lookahead": False, "discrepancy": False}
THREADS = {"n_jobs": 3, "helpers_at_once": True}


@pytest.mark.parametrize("n_jobs", [2, 3, 4])
def test_the_optimum_does_not_depend_on_the_number_of_threads(n_jobs):
    rng = np.random.default_rng(100 + n_jobs)
    for k in range(120):
        check(
            any_table(rng),
            any_limits(rng),
            n_jobs=n_jobs,
            helpers_at_once=True,
            switches=WEAK if k % 2 else {},
        )


def test_threads_divide_the_work():
    table = hard_table(200, 14)
    limits = {"split_penalty": 0.004, **NO_LIMITS}
    alone = solve(table, limits)
    together = solve(table, limits, **THREADS)
    assert together["status"] == alone["status"] == "optimal"
    assert together["upper"] == alone["upper"]
    # Three independent searches would need three times the expansions.
    ratio = together["statistics"]["expansions"] / alone["statistics"]["expansions"]
    assert ratio < 2


def test_a_small_shared_memo_costs_time_but_not_the_proof():
    table = hard_table(80, 9)
    limits = {"split_penalty": 0.002, **NO_LIMITS}
    wanted = optimal_cost(table, 0.002)
    answer = solve(table, limits, memory_limit=60_000, switches=WEAK, **THREADS)
    assert answer["statistics"]["memo_evictions"] > 0
    assert (answer["status"], answer["upper"]) == ("optimal", wanted)


def test_a_time_limit_ends_all_threads():
    table = hard_table()
    before = threading.active_count()
    answer = solve(
        table,
        {"split_penalty": 0.001, **NO_LIMITS},
        time_limit=0.3,
        n_jobs=4,
        helpers_at_once=True,
    )
    facts = tree_facts(table, answer["tree"], 0.001)
    assert answer["status"] == "time_limit"
    assert 0 < answer["lower"] < answer["upper"] == facts.cost
    assert threading.active_count() == before


def test_observers_are_called_from_the_calling_thread_only():
    callers = set()

    def observer(kind, seconds, lower, upper, nodes):
        callers.add(threading.get_ident())

    solve(
        hard_table(200, 14),
        {"split_penalty": 0.01, **NO_LIMITS},
        observer=observer,
        **THREADS,
    )
    assert callers == {threading.get_ident()}


def test_an_observer_that_fails_ends_all_threads():
    def observer(*event):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        solve(
            hard_table(),
            {"split_penalty": 0.001, **NO_LIMITS},
            observer=observer,
            **THREADS,
        )


@pytest.mark.parametrize("max_depth", [None, 4])
def test_proofs_written_by_several_threads_are_accepted(
    tmp_path, monkeypatch, max_depth
):
    lazy = _core.SparseOptions
    monkeypatch.setattr(
        _core, "SparseOptions", lambda **k: lazy(**k, helpers_at_once=True)
    )
    rng = np.random.default_rng(5)
    for k in range(8):
        table = noisy_table(rng, multiway=k % 4 == 3)
        if k < 2:
            table = hard_table(60, 8, seed=k)
        model = OptimalTreeClassifier(
            0.004, max_depth=max_depth, n_jobs=3, solver="sparse", time_limit=None
        )
        data = (table.codes, table.labels, table.weights)
        model.fit(*data, proof=tmp_path / "proof")
        assert model.optimal_
        verdict = check_proof(tmp_path / "proof", *data)
        assert verdict.accepted, verdict


def test_the_estimator_takes_all_processors():
    X, y = load_breast_cancer(return_X_y=True)
    X = np.where(np.median(X, axis=0) < X, 1, 0)[:, :12]
    costs = {
        OptimalTreeClassifier(0.005, n_jobs=n, solver="sparse").fit(X, y).objective_
        for n in (None, 1, 2, -1)
    }
    assert len(costs) == 1


@pytest.mark.parametrize("name", ["tictactoe", "balance-f"])
def test_table42_with_two_threads(name):
    table = table42.load(name)
    limits = {"split_penalty": table42.penalty(name), **NO_LIMITS}
    answer = solve(table, limits, n_jobs=2)
    assert answer["status"] == "optimal"
    accuracy = 1 - answer["upper"] / answer["unit"]
    assert accuracy == pytest.approx(table42.OPTIMA[name], abs=5e-6)
