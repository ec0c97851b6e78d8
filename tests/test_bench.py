"""treeproof bench: the same problem for all, claims checked, profiles drawn."""

import csv
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier
from treeproof.bench.contest import Contest, Result, installed
from treeproof.bench.problem import AMOUNTS, CLASSES, STREAM, Problem
from treeproof.bench.profile import plot_profile, ratios
from treeproof.bench.question import BINARY, NUMBERS, Question
from treeproof.bench.solvers import SOLVERS
from treeproof.bench.suites import SUITES, Making
from treeproof.bench.tables import binary_problem, numeric_problem
from treeproof.cli import app
from treeproof.datasets.bundled import load_bundled


def columns_of(name):
    columns, target = load_bundled(name)
    return columns, columns.pop(target)


def result(solver="treeproof", status="optimal", seconds=1.0, objective=0.25, name="p"):
    return Result(name, solver, status, seconds, objective, 3, 100.0)


# ---- problems ------------------------------------------------------------------------


def test_binary_problems_have_the_optimum_of_their_table():
    X, y = columns_of("monks")
    problem = binary_problem("monks", X, y, penalty=0.01)
    assert set(np.unique(problem.X)) == {0, 1}
    binary = OptimalTreeClassifier(0.01).fit(problem.X, problem.y)
    table = OptimalTreeClassifier(0.01, categorical_split="one-vs-rest").fit(X, y)
    assert binary.objective_ == table.objective_


def test_numbers_are_cut_at_few_places_or_kept():
    X, y = columns_of("iris")
    binary = binary_problem("iris", X, y, penalty=0.01, cuts=5)
    assert binary.X.shape == (150, 20)
    shares = binary.X.mean(axis=0)
    assert (shares > 0).all() and (shares < 1).all()
    numbers = numeric_problem("iris", X, y, penalty=0.01)
    assert numbers.X.shape == (150, 4) and numbers.name == "iris (numbers)"
    assert numeric_problem("monks", *columns_of("monks"), penalty=0.01) is None


def test_nothing_to_split():
    with pytest.raises(ValueError, match="No column of 'flat' has two values"):
        binary_problem("flat", {"a": [1, 1, 1]}, [0, 1, 0], penalty=0.01)


def test_problems_survive_a_file(tmp_path):
    X, y = np.array([[0, 1], [1, 0]]), np.array([0, 1])
    Problem("p", X, y, True, 0.02, STREAM).save(tmp_path / "p.npz")
    again = Problem.load(tmp_path / "p.npz")
    assert again.task == STREAM
    assert (again.name, again.categorical, again.penalty) == ("p", True, 0.02)
    assert np.array_equal(again.X, X) and np.array_equal(again.y, y)


def test_objectives_of_classes_amounts_and_streams():
    X = np.zeros((4, 1))
    classes = Problem("p", X, np.array([0, 0, 1, 1]), False, 0.1)
    assert classes.objective(np.array([0, 0, 0, 1]), 2, 0.1) == pytest.approx(0.45)
    amounts = Problem("p", X, np.array([0.0, 0.0, 2.0, 2.0]), False, 0.1, AMOUNTS)
    assert amounts.objective(np.ones(4), 0, 0.1) == pytest.approx(1.0)
    assert amounts.objective(amounts.y, 1, 0.1) == pytest.approx(0.1)
    stream = Problem("p", X, np.array([0, 0, 1, 1]), True, 0.1, STREAM)
    assert stream.objective(np.array([0, 1]), 3, 0.1) == 0.5  # the last rows only


# ---- who is asked what ---------------------------------------------------------------


def test_solvers_are_asked_what_they_can_answer():
    assert SOLVERS["streed"].can_answer(BINARY, 0.01, None)
    assert not SOLVERS["streed"].can_answer(NUMBERS, 0.01, None)
    assert not SOLVERS["dl85"].can_answer(BINARY, 0.01, 3)
    assert not SOLVERS["dl85"].can_answer(BINARY, 0.0, None)
    assert SOLVERS["dl85"].can_answer(BINARY, 0.0, 3)
    assert SOLVERS["contree"].can_answer(NUMBERS, 0.0, 2)
    assert installed("treeproof")
    assert not SOLVERS["gosdt"].can_answer(BINARY, 0.0, 2, AMOUNTS)
    assert not SOLVERS["quant-bnb"].can_answer(NUMBERS, 0.01, 2, AMOUNTS)
    assert SOLVERS["quant-bnb"].can_answer(NUMBERS, 0.0, 2, AMOUNTS)
    assert not SOLVERS["treeproof"].can_answer(BINARY, 0.0, None, STREAM)


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_has_problems_for_its_solvers(name):
    suite = SUITES[name]
    if name == "streams":
        pytest.importorskip("river")
    making = Making(suite.penalty, rows=300)
    problems = [problem for data in suite.data for problem in suite.make(data, making)]
    asked = {
        solver
        for problem in problems
        for solver in suite.solvers
        if SOLVERS[solver].can_answer(
            NUMBERS if problem.X.dtype.kind == "f" else BINARY,
            0.0 if suite.close is None else problem.penalty,
            suite.max_depth or 3,
            problem.task,
        )
    }
    assert asked == set(suite.solvers)
    expected = {"regression": AMOUNTS, "streams": STREAM}.get(name, CLASSES)
    assert {problem.task for problem in problems} == {expected}


def answer(solver, problem, depth=2):
    fit, report = SOLVERS[solver].adapt(problem, Question(problem.penalty, depth, 20.0))
    fit()
    return report()


def test_amounts_ours_quant_bnb_and_cart():
    making = Making(penalty=0.0, cuts=3)
    for problem in SUITES["regression"].make("friedman", making):
        exact = [
            solver
            for solver in ("treeproof", "quant-bnb")
            if solver == "treeproof" or problem.X.dtype.kind == "f"
        ]
        reports = {solver: answer(solver, problem) for solver in (*exact, "cart")}
        found = {
            solver: problem.objective(report.predictions, report.splits, 0.0)
            for solver, report in reports.items()
        }
        assert all(reports[solver].proved for solver in exact)
        assert len({round(found[solver], 9) for solver in exact}) == 1
        assert found["treeproof"] <= found["cart"] + 1e-12
        assert not reports["cart"].proved


@pytest.mark.parametrize("learner", ["online-branches", "ucdt", "egdt", "tsdt"])
def test_learners_of_a_stream(learner):
    (problem,) = SUITES["streams"].make("xor-1", Making(rows=6000))
    small = Problem("xor", problem.X[:, :6], problem.y, True, 0.01, STREAM)
    report = answer(learner, small)
    assert len(report.predictions) == 1200 and report.steps <= 4800
    assert small.objective(report.predictions, report.splits, 0.01) < 0.02


def test_a_stream_from_a_table_and_river(tmp_path):
    pytest.importorskip("river")
    (problem,) = SUITES["streams"].make("monks", Making(rows=200))
    assert len(problem.y) == 200 and problem.categorical
    report = answer("vfdt", problem)
    assert len(report.predictions) == 40


def test_what_counts_as_solved():
    results = [
        result("ucdt", "open", 1.0, 0.10), result("vfdt", "open", 9.0, 0.105),
        result("sgt", "open", 0.1, 0.3), result("hat", "time", None, None),
    ]  # fmt: skip
    contest = Contest(results, 30.0, close=0.01)
    assert [contest.solved(r) for r in results] == [True, True, False, False]
    assert ratios(contest)["vfdt"] == [9.0]
    assert ratios(contest)["sgt"] == [math.inf]
    assert not any(Contest(results, 30.0).solved(r) for r in results)


def test_claims_that_cannot_both_be_true():
    fine = Contest([result(), result("streed"), result("cart", "open")], 30.0)
    assert fine.contradictions() == []
    wrong = Contest([result("streed", objective=0.3), result("cart", "open")], 30.0)
    (sentence,) = wrong.contradictions()
    assert "STreeD proves 0.3, but the tree of CART has 0.25" in sentence


def test_who_was_short_of_time_is_named():
    contest = Contest(
        [result("gosdt", "open", 1.0), result("cart", "open", 0.1),
         result("streed", "open", 29.9)], 30.0,
    )  # fmt: skip
    assert contest.starved() == ["GOSDT on p"]


def test_profiles(tmp_path):
    contest = Contest(
        [
            result(name="a", seconds=1.0),
            result("streed", name="a", seconds=10.0),
            result(name="b", seconds=4.0),
            result("streed", name="b", seconds=2.0),
            result(name="c", seconds=1.0),
            result("streed", "time", None, None, name="c"),
            result("cart", "open", name="c"),
            result("dl85", "time", None, None, name="nobody"),
        ],
        30.0,
    )
    found = ratios(contest)
    assert found["treeproof"] == [1.0, 2.0, 1.0]
    assert found["streed"] == [10.0, 1.0, math.inf]
    assert "dl85" not in found
    plot_profile(contest, str(tmp_path / "profile.png"))
    assert (tmp_path / "profile.png").read_bytes().startswith(b"\x89PNG")


# ---- the command ---------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


def test_own_table_ours_beside_cart(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (60, 3))
    lines = [f"{a},{b},{c},{'yes' if a ^ b else 'no'}" for a, b, c in rows]
    (tmp_path / "own.csv").write_text("a,b,c,left\n" + "\n".join(lines) + "\n")
    done = run(
        tmp_path / "own.csv", "--target", "left", "--solvers", "treeproof,cart,streed",
        "--limit", "30", "--csv", tmp_path / "out.csv", "--peers", _own_python(),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    with open(tmp_path / "out.csv", newline="") as file:
        found = {row["solver"]: row for row in csv.DictReader(file)}
    assert found["treeproof"]["status"] == "optimal"
    assert float(found["treeproof"]["objective"]) == pytest.approx(0.03)
    assert float(found["cart"]["objective"]) >= 0.03
    assert "own" in done.output and "0.03000" in done.output


def test_suites_from_the_command_line(tmp_path):
    rng = np.random.default_rng(1)
    a, b = rng.random(80).round(3), rng.integers(0, 2, 80)
    lines = [f"{x},{z},{3 * (x > 0.5) + z + x:.4f}" for x, z in zip(a, b, strict=True)]
    (tmp_path / "own.csv").write_text("a,b,price\n" + "\n".join(lines) + "\n")
    done = run(
        tmp_path / "own.csv", "--target", "price", "--suite", "regression",
        "--max-depth", 2, "--csv", tmp_path / "out.csv", "--plot", tmp_path / "p.png",
        "--solvers", "treeproof,quant-bnb",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    with open(tmp_path / "out.csv", newline="") as file:
        found = {(r["problem"], r["solver"]): r for r in csv.DictReader(file)}
    assert len(found) == 3 and (tmp_path / "p.png").exists()
    ours = found["own (numbers)", "treeproof"]
    peer = found["own (numbers)", "quant-bnb"]
    assert ours["status"] == peer["status"] == "optimal"
    assert float(ours["objective"]) == pytest.approx(float(peer["objective"]))
    learnt = run("xor-1", "--suite", "streams", "--rows", 500, "--solvers", "egdt")
    assert learnt.exit_code == 0
    assert "CPU seconds and error rate" in " ".join(learnt.output.split())


def _own_python():
    import sys

    return sys.executable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.csv"], "There is no file 'nothing.csv'"),
        (["diabetes"], "The target of 'diabetes' holds amounts"),
        (["iris", "--suite", "regression"], "The target of 'iris' holds classes"),
        (["monks", "--suite", "numbers"], "'monks' has columns that are not numbers"),
        (["monks", "--suite", "poetry"], "There is no suite 'poetry'"),
        (["xor-1", "--suite", "streams", "--rows", "0"], "--rows is above 0"),
        (["monks", "--solvers", "magic"], "There is no solver 'magic'"),
        (["monks", "--limit", "0"], "--limit is above 0"),
        (["monks", "--max-depth", "0"], "--max-depth is at least 1"),
        (["monks", "--split-penalty", "2"], "--split-penalty is between 0 and 1"),
        (["monks", "--peers", "/no/python"], "is not a Python that runs"),
        (["monks", "--patience", "0.5"], "--patience is at least 1"),
    ],
)
def test_bad_requests(arguments, message):
    done = run(*arguments)
    assert message in str(done.exception)
