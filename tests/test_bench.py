"""treeproof bench: the same problem for all, claims checked, profiles drawn."""

import csv
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier
from treeproof.bench.contest import Contest, Result, installed
from treeproof.bench.problem import Problem
from treeproof.bench.profile import plot_profile, ratios
from treeproof.bench.solvers import BINARY, NUMBERS, SOLVERS
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
    Problem("p", X, y, True, 0.02).save(tmp_path / "p.npz")
    again = Problem.load(tmp_path / "p.npz")
    assert (again.name, again.categorical, again.penalty) == ("p", True, 0.02)
    assert np.array_equal(again.X, X) and np.array_equal(again.y, y)


# ---- who is asked what ---------------------------------------------------------------


def test_solvers_are_asked_what_they_can_answer():
    assert SOLVERS["streed"].can_answer(BINARY, 0.01, None)
    assert not SOLVERS["streed"].can_answer(NUMBERS, 0.01, None)
    assert not SOLVERS["dl85"].can_answer(BINARY, 0.01, 3)
    assert not SOLVERS["dl85"].can_answer(BINARY, 0.0, None)
    assert SOLVERS["dl85"].can_answer(BINARY, 0.0, 3)
    assert SOLVERS["contree"].can_answer(NUMBERS, 0.0, 2)
    assert installed("treeproof")


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


def _own_python():
    import sys

    return sys.executable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.csv"], "There is no file 'nothing.csv'"),
        (["diabetes"], "target 'progression' of 'diabetes' holds amounts"),
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
