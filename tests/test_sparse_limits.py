"""Limits: the best tree is returned, and what is stated about it is true."""

import threading
import warnings

import numpy as np
import pytest
from oracle import ONE_VS_REST, ORDERED, Table, optimal_cost, tree_facts
from sparse_problems import any_limits, any_table, check, noisy_table, solve

from treeproof import (
    OptimalTreeClassifier,
    _core,
    proof,
    stop_when,
    watch,
)
from treeproof.datasets import load_balance_scale
from treeproof.solving import solvers

NO_LIMITS = {"max_depth": -1, "max_splits": -1, "min_samples_leaf": 1}


def hard_table(n=400, q=30, seed=0):
    """Return a table with random labels, on which no proof is found quickly."""
    rng = np.random.default_rng(seed)
    return Table(
        kinds=np.full(q, ORDERED),
        n_values=np.full(q, 2),
        codes=rng.integers(0, 2, (n, q)),
        labels=rng.integers(0, 3, n),
        n_classes=3,
        weights=np.ones(n, dtype=int),
    )


def test_time_limit_keeps_the_tree_and_tells_a_true_gap():
    table = hard_table()
    limits = {"split_penalty": 0.001, **NO_LIMITS}
    answer = solve(table, limits, time_limit=0.3)
    facts = tree_facts(table, answer["tree"], 0.001)
    assert answer["status"] == "time_limit"
    assert 0 < answer["lower"] < answer["upper"] == facts.cost
    assert facts.splits > 0


def test_a_limit_that_is_over_at_once_still_gives_a_tree():
    table = hard_table(2000, 200)
    answer = solve(table, {"split_penalty": 0.001, **NO_LIMITS}, time_limit=1e-6)
    facts = tree_facts(table, answer["tree"], 0.001)
    assert answer["status"] == "time_limit"
    assert answer["lower"] <= answer["upper"] == facts.cost


def test_stopping_early_never_makes_a_false_claim():
    rng = np.random.default_rng(1)
    for k in range(60):
        table = noisy_table(rng)
        limits = {"split_penalty": 0.003, **NO_LIMITS}
        wanted = optimal_cost(table, 0.003)
        answer = solve(table, limits, time_limit=1e-5 * 2 ** (k % 8))
        facts = tree_facts(table, answer["tree"], 0.003)
        assert answer["lower"] <= wanted <= answer["upper"] == facts.cost
        assert (answer["status"] == "optimal") == (answer["lower"] == answer["upper"])


@pytest.mark.parametrize(("depth", "solved"), [(8, False), (9, True)])
def test_a_deep_tree_that_was_told_of_is_the_one_returned(depth, solved, monkeypatch):
    """Parts of the tree may be known for a smaller depth than the remaining one."""
    monkeypatch.setitem(solvers.SOLVERS, "sparse", solvers.native_solver("sparse"))
    X, y = load_balance_scale(return_X_y=True)
    X, y = X[::3], y[::3]
    X = np.column_stack([column == value for column in X.T for value in np.unique(X)])

    def stop_at_once(kind, seconds, lower, upper, nodes):
        raise KeyboardInterrupt

    model = OptimalTreeClassifier(
        0.0, max_depth=depth, time_limit=None, solver="sparse"
    )
    with watch(stop_at_once), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    assert model.objective_ == min(model.history_.upper)
    assert model.optimal_ == solved


@pytest.mark.parametrize("allowance", [20_000, 50_000])
def test_a_full_memo_costs_time_but_not_the_proof(allowance):
    table = hard_table(80, 9)
    limits = {"split_penalty": 0.002, **NO_LIMITS}
    switches = {"two_splits": False, "discrepancy": False}
    answer = solve(table, limits, memory_limit=allowance, switches=switches)
    assert answer["statistics"]["memo_evictions"] > 0
    assert answer["status"] == "optimal"
    facts = tree_facts(table, answer["tree"], 0.002)
    assert answer["upper"] == facts.cost == optimal_cost(table, 0.002)


@pytest.mark.parametrize("allowance", [1, 2_000, 8_000])
def test_any_problem_is_solved_with_hardly_any_memo(allowance):
    rng = np.random.default_rng(allowance)
    evictions = 0
    for k in range(100):
        switches = {"two_splits": False, "lookahead": False} if k % 2 else {}
        done = check(
            any_table(rng), any_limits(rng), memory_limit=allowance, switches=switches
        )
        evictions += done["memo_evictions"]
    assert evictions > 1000


def test_memory_is_accounted_for_and_kept_to():
    table = hard_table(300, 14)
    limits = {"split_penalty": 0.004, **NO_LIMITS}
    free = solve(table, limits)
    used = free["statistics"]
    assert 40 <= used["memo_bytes"] / used["memo_entries"] < 160
    quarter = used["memory_bytes"] // 4
    tight = solve(table, limits, memory_limit=quarter)
    assert (tight["status"], tight["upper"]) == ("optimal", free["upper"])
    assert tight["statistics"]["memory_bytes"] <= quarter


def test_proofs_survive_a_memo_that_forgets(tmp_path, monkeypatch):
    roomy = _core.SearchOptions
    monkeypatch.setattr(
        _core, "SearchOptions", lambda **k: roomy(**(k | {"memory_limit": 20_000}))
    )
    rng = np.random.default_rng(4)
    evictions = 0
    for k in range(4):
        table = noisy_table(rng)
        data = (table.codes, table.labels, table.weights)
        model = OptimalTreeClassifier(
            0.003, solver="sparse", max_depth=[None, 4][k % 2]
        )
        model.fit(*data, proof=tmp_path / "proof")
        evictions += model.stats_["memo_evictions"]
        verdict = proof.check(tmp_path / "proof", *data)
        assert verdict.accepted, verdict
    assert evictions > 0


def test_bounds_only_improve_while_the_search_runs():
    events = []

    def observer(kind, seconds, lower, upper, nodes):
        events.append((lower, upper))

    solve(hard_table(200, 20), {"split_penalty": 0.01, **NO_LIMITS}, observer=observer)
    lowers, uppers = zip(*events, strict=True)
    assert len(events) > 2
    assert list(lowers) == sorted(lowers)
    assert list(uppers) == sorted(uppers, reverse=True)


def test_two_searches_in_two_threads_do_not_meet():
    tables = [noisy_table(np.random.default_rng(s)) for s in range(8)]
    limits = {"split_penalty": 0.003, **NO_LIMITS}
    alone = [solve(t, limits)["upper"] for t in tables]
    together = [0] * len(tables)

    def run(k):
        for _ in range(5):
            together[k] = solve(tables[k], limits)["upper"]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(tables))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert together == alone


@pytest.mark.parametrize(
    "name", ["constant", "one row", "one class", "no columns of use"]
)
def test_nothing_to_split(name):
    codes = np.zeros((5, 2), dtype=int)
    labels = np.array([0, 1, 0, 1, 0])
    n_classes = 2
    if name == "one row":
        codes, labels = codes[:1], labels[:1]
    elif name == "one class":
        codes, labels, n_classes = np.arange(10).reshape(5, 2) % 3, labels * 0, 1
    elif name == "no columns of use":
        codes = np.tile([[0, 1]], (5, 1))
    table = Table(
        kinds=np.zeros(2, dtype=int),
        n_values=codes.max(axis=0) + 1,
        codes=codes,
        labels=labels,
        n_classes=n_classes,
        weights=np.ones(len(labels), dtype=int),
    )
    answer = solve(table, {"split_penalty": 0.0, **NO_LIMITS})
    assert answer["status"] == "optimal"
    assert list(answer["tree"]["kind"]) == [0]


def test_a_limit_on_splits_keeps_to_the_memory():
    table = hard_table(n=120, q=12, seed=1)
    limits = {**NO_LIMITS, "split_penalty": 0.0, "max_splits": 5}
    free = solve(table, limits)
    tight = solve(table, limits, memory_limit=60_000)
    assert free["status"] == tight["status"] == "optimal"
    assert tight["upper"] == free["upper"]
    assert free["statistics"]["memo_evictions"] == 0
    assert tight["statistics"]["memo_evictions"] > 100


def test_a_stop_is_noticed_among_thousands_of_tests():
    n = 3000
    rng = np.random.default_rng(0)
    table = Table(
        kinds=np.array([ONE_VS_REST]),
        n_values=np.array([n]),
        codes=np.arange(n)[:, None],
        labels=rng.integers(0, 2, n),
        n_classes=2,
        weights=np.ones(n, dtype=int),
    )
    with stop_when(lambda: True):
        answer = solve(table, {"split_penalty": 0.0, **NO_LIMITS})
    assert answer["status"] == "interrupted"
    assert answer["statistics"]["expansions"] < 300
