"""The stages of ARCHITECTURE.md in order: each takes what the one before makes."""

import re
from pathlib import Path

import numpy as np

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, _core
from treeproof.proof import check
from treeproof.solving.crossing import labelled_table, target_problem
from treeproof.solving.observers import History
from treeproof.solving.solvers import SOLVERS, run_solver, solver_name

ROOT = Path(__file__).parents[1]
MOST_STAGES = 8
PAGE = (ROOT / "ARCHITECTURE.md").read_text()
ROWS = [["red", 1.0], ["red", 2.0], ["blue", 3.0], ["blue", 4.0], ["red", 1.0]]
LABELS = ["no", "no", "yes", "yes", "no"]


def stages():
    """Return the stages of the table, and where each of them lives."""
    section = PAGE.split("## The way of a row")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| (\w+) \| `([^`]+)` \|", section, re.MULTILINE))


def home(thing):
    """Return the file or folder of the package that a thing comes from."""
    module = getattr(thing, "__module__", None) or type(thing).__module__
    return "src/" + module.replace(".", "/")


def test_there_are_few_stages_and_each_is_one_place():
    assert list(stages()) == [
        "read", "prepare", "choose", "cross", "merge", "search", "grow", "prove",
    ]  # fmt: skip
    assert len(stages()) <= MOST_STAGES
    for place in stages().values():
        assert (ROOT / place).exists(), place


def test_a_row_goes_from_the_table_to_the_tree():
    where = stages()
    model = OptimalTreeClassifier(0.05)
    prepared = model._prepare(ROWS, LABELS)
    task = prepared.task
    assert home(type(task.table)).startswith(
        where["read"]
    )  # the table as the border left it
    assert home(type(prepared)).startswith(where["prepare"])
    assert home(run_solver) + ".py" == where["choose"]
    name = solver_name(model.solver, task)
    assert name in SOLVERS or name == "sparse+threshold"

    assert labelled_table(task).n_rows == 5  # one record crosses the border to C++
    found = run_solver(name, task)
    assert _core.__doc__ and (ROOT / where["cross"] / "module.cpp").exists()
    assert found["n_merged_rows"] == 4  # merged: one of five rows is there twice
    assert found["lower"] == found["upper"]  # searched: proved by comparing the two
    assert (ROOT / where["merge"] / "problem.cpp").exists()
    assert (ROOT / where["search"] / "portfolio").exists()

    tree, loss = prepared.grow(found["tree"])
    assert home(type(tree)).startswith(where["grow"])
    prepared.keep(name, found, History())
    assert model.optimal_ and model.tree_ == tree
    assert model.objective_ == loss + 0.05 * tree.n_penalties("leaves")
    assert model.predict(ROWS).tolist() == LABELS


def test_a_row_goes_on_to_the_proof(tmp_path):
    file = tmp_path / "way.proof.gz"
    model = OptimalTreeClassifier(0.05).fit(ROWS, LABELS, proof=file)
    assert model.optimal_
    assert home(check).startswith(stages()["prove"])
    assert check(file, ROWS, LABELS).accepted


def test_numbers_go_the_same_way():
    model = OptimalTreeRegressor(0.05)
    X = np.array([0.0, 1.0, 1.0, 3.0, 4.0, 5.0])[:, None]
    prepared = model._prepare(X, [0, 0, 0, 5, 5, 5])
    name = solver_name(model.solver, prepared.task)
    table, _ = target_problem(prepared.task)
    assert table.n_rows == 5  # merged where it crosses: one of six rows is there twice
    assert (ROOT / stages()["merge"] / "merged_targets.cpp").exists()
    found = run_solver(name, prepared.task)
    assert found["n_merged_rows"] == 5
    tree, loss = prepared.grow(found["tree"])
    prepared.keep(name, found, History())
    assert model.optimal_ and loss == 0 and tree.n_splits == 1
