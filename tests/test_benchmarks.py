"""The benchmark harness measures what it says; no assertion is about speed."""

import sys
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


import benchmarks.__main__
from benchmarks import isolated, leaves, noisy, problems, stops
from benchmarks.__main__ import main
from benchmarks.report import to_markdown
from benchmarks.store import COLUMNS, Store
from benchmarks.suites import SUITES, Task, tasks
from benchmarks.tables import Group, comparison

from treeproof.bench.solvers import SOLVERS, Question, cart

TINY = "tiny-0"
PENALTY = problems.penalty_of(TINY)


def run(solver, problem=TINY, **caps):
    penalty = problems.penalty_of(problem)
    return isolated.run(solver, problem, penalty, None, isolated.Caps(**caps))


def row(solver="treeproof", status="optimal", cpu=1.0, objective=0.25, **other):
    blank = dict.fromkeys(COLUMNS)
    blank.update(limit=60.0, wall=cpu, peak_mb=10.0, penalty=0.01, rows=9, features=3)
    measured = dict(solver=solver, status=status, cpu=cpu, objective=objective)
    return {**blank, **measured, **other}


# ---- problems ----------------------------------------------------------------


def test_generated_problems_are_the_same_every_time():
    for name, shape in ((TINY, (120, 6)), ("planted-3", (1000, 60))):
        first, again = problems.load(name), problems.load(name)
        assert first.X.shape == shape
        assert set(np.unique(first.X)) == set(np.unique(first.y)) == {0, 1}
        assert np.array_equal(first.X, again.X)
        assert np.array_equal(first.y, again.y)
    other = problems.load("planted-4")
    assert not np.array_equal(first.y, other.y)


def test_every_listed_set_has_a_penalty():
    assert len(problems.ONE_HOT) == 22
    assert len(problems.ORDINAL) == 10
    for name in problems.ONE_HOT + problems.ORDINAL:
        assert problems.penalty_of(name) in (0.001, 0.005, 0.01)
    assert problems.penalty_of("monk1") == problems.penalty_of("monk1-l") == 0.01
    assert problems.penalty_of("monk1-f") == 0.001
    with pytest.raises(ValueError, match="Unknown set 'nothing'"):
        problems.load("nothing")


def test_a_missing_data_folder_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("TREEPROOF_DATA", str(tmp_path))
    with pytest.raises(problems.DataMissingError, match="TREEPROOF_DATA"):
        problems.load("monk1")


# ---- one fit in its own process ----------------------------------------------


def test_ours_and_cart_agree_with_their_own_trees():
    ours, greedy = run("treeproof"), run("cart")
    assert ours["status"] in ("optimal", "open"), ours
    assert ours["claimed"] == pytest.approx(ours["objective"], abs=1e-9)
    assert greedy["status"] == "open"
    assert greedy["objective"] <= 0.5 + 1e-9
    for measured in (ours, greedy):
        assert measured["rows"] == 120
        assert measured["peak_mb"] > 1
        assert measured["cpu"] >= 0
    if ours["status"] == "optimal":
        assert ours["objective"] <= greedy["objective"] + 1e-9


def test_cart_gets_its_best_pruned_tree():
    problem = problems.load(TINY)
    fit, report = cart(problem, Question(PENALTY, None, 1.0))
    fit()
    best = report()
    cost = np.mean(best.predictions != problem.y) + PENALTY * best.splits
    stump = min(np.mean(problem.y), 1 - np.mean(problem.y))
    assert cost <= stump


def test_a_fit_over_its_cpu_limit_is_ended():
    outcome = run("cart", "random-0", seconds=0.1)
    assert outcome["status"] == "time"
    assert outcome.get("objective") is None


def test_a_fit_over_its_memory_cap_is_ended():
    assert run("cart", memory_mb=20.0)["status"] == "memory"


def test_a_fault_in_the_solver_becomes_a_row(monkeypatch, tmp_path):
    monkeypatch.setenv("TREEPROOF_DATA", str(tmp_path))
    outcome = isolated.run("cart", "monk1", 0.01, None, isolated.Caps())
    assert outcome["status"] == "error"
    assert "TREEPROOF_DATA" in outcome["detail"]


# ---- tasks, rows, tables -----------------------------------------------------


def test_suites_name_known_solvers():
    for suite in SUITES.values():
        assert set(suite.solvers) <= set(SOLVERS)
    chosen = list(tasks(["onehot", "depth"], ["monk1", TINY], ["treeproof"]))
    assert {(t.suite, t.problem, t.max_depth) for t in chosen} == {
        ("onehot", "monk1", None),
        ("onehot", TINY, None),
        *((("depth"), p, d) for p in ("monk1", TINY) for d in (4, 5)),
    }


def test_stored_rows_come_back_and_settle_their_task(tmp_path):
    task = Task("onehot", "monk1", "streed", 0.01)
    Store(tmp_path / "runs.csv").put(task, row(cpu=0.5, limit=10.0))
    store = Store(tmp_path / "runs.csv")
    found = store.find(task)
    assert (found["cpu"], found["objective"], found["max_depth"]) == (0.5, 0.25, None)
    assert store.settled(task, 10.0)
    assert store.settled(task, 60.0)  # proved in less time
    assert not store.settled(task, 0.1)
    store.put(task, row(status="open", cpu=6.0, limit=10.0))
    assert not store.settled(task, 10.0)  # it was stopped before ten seconds
    store.put(task, row(status="time", limit=10.0))
    assert store.settled(task, 10.0)
    assert not store.settled(task, 60.0)  # more time might be enough
    assert len(store.rows) == 1


def test_ratio_counts_an_unproved_peer_at_the_limit():
    ours = row(cpu=0.5)
    slow = row("streed", status="time", cpu=None, objective=None)
    group = Group("monk1", None, {"treeproof": ours, "streed": slow})
    assert group.ratio("cpu") == 120
    assert group.ratio_text("cpu") == "> 120"
    group.runs["gosdt"] = row("gosdt", cpu=2.0)
    assert group.ratio_text("cpu") == "4.0"
    group.runs["treeproof"] = row(status="open")
    assert group.ratio("cpu") is None


def test_contradicting_claims_are_reported():
    group = Group("monk1", None, {"treeproof": row(), "streed": row("streed")})
    assert group.contradictions() == []
    group.runs["streed"] = row("streed", objective=0.26)
    assert "STreeD proves 0.26" in group.contradictions()[0]
    group.runs["streed"] = row("streed", status="time", objective=0.24)
    assert "STreeD found 0.24" in group.contradictions()[0]
    group.runs["treeproof"] = row(status="open", objective=0.3, claimed=0.29)
    assert "its tree has 0.3" in group.contradictions()[0]


def test_tables_show_totals_and_the_smallest_ratio(tmp_path):
    store = Store(tmp_path / "runs.csv")
    for name, seconds in (("monk1", 30.0), ("monk2", 9.0)):
        store.put(Task("onehot", name, "treeproof", 0.01), row(cpu=0.5))
        store.put(Task("onehot", name, "streed", 0.01), row(cpu=seconds))
    text = to_markdown(comparison(store, "onehot", "cpu"))
    assert "| monk1" in text
    assert "18.0 times faster at least (monk2)" in text
    assert "treeproof: 2 of 2 proved, together 1.00 s" in text
    assert "All proofs agree on the 2 rows" in text


def test_command_writes_rows_tables_and_plot(tmp_path, monkeypatch):
    monkeypatch.setattr(benchmarks.__main__, "REPEATS", 1)
    app = typer.Typer()
    app.command()(main)
    options = ["--suites", "onehot", "--sets", TINY, "--solvers", "treeproof"]
    options += ["--limit", "10", "--output", str(tmp_path)]
    result = CliRunner().invoke(app, options)
    assert result.exit_code == 0, result.output
    assert TINY in (tmp_path / "tables.md").read_text()
    assert (tmp_path / "times.png").stat().st_size > 1000
    assert len(Store(tmp_path / "runs.csv").rows) == 1
    wrong = CliRunner().invoke(app, ["--solvers", "magic"])
    assert wrong.exit_code == 2


# ---- the studies -------------------------------------------------------------


def test_noisy_tables_name_who_is_behind():
    rows = [
        dict(seed=0, limit=5.0, solver=noisy.OURS, objective=0.3, lower_bound=0.1),
        dict(seed=0, limit=5.0, solver="cart", objective=0.2),
    ]
    table = noisy.objective_table(rows)
    assert table.rows[0][:3] == ["0, 5 s", "0.3000", "0.2000*"]
    assert table.notes == ["Ours is behind on 0, 5 s."]
    rows[0]["detail"] = '{"events": [[0.2, 0.05, 0.4], [3.0, 0.08, 0.3]]}'
    bounds = noisy.bound_table(rows)
    assert bounds.rows[0] == ["0", "", "0.0500", "0.0500", "0.0500", "0.1000"]


def test_a_check_that_dies_is_a_miss():
    found = stops.alone(stops.memory_limit, "nothing")
    assert [f.holds for f in found] == [False]


def test_other_leaves_are_timed(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    monkeypatch.setattr(leaves, "load_numbers", lambda name: (X, X[:, 0] + X[:, 1]))
    table = leaves.criteria_table(["made"], list(leaves.CRITERIA), 10.0)
    assert [row[0] for row in table.rows] == list(leaves.CRITERIA)
    assert table.rows[0][1].endswith("(1)") and table.rows[0][2] == "1.00"
    assert not any(">" in text for row in table.rows for text in row)  # all proved
