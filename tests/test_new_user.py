"""A stranger's table, from a file to a checked proof, by nothing but public means.

Semicolons, names of rows, gaps, dates, labels in words: what a first table is like.
"""

import sqlite3
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, from_json
from treeproof.cli import app
from treeproof.proof import check

pd = pytest.importorskip("pandas")
HEAD = "customer id;age;city;plan;monthly spend;joined;outcome"


@pytest.fixture
def churn(tmp_path, monkeypatch):
    """Write churn.csv and go there; young people with a basic plan leave."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = [HEAD]
    for i in range(120):
        age, plan = int(rng.integers(18, 80)), rng.choice(["basic", "plus", "pro"])
        spend = "" if i % 11 == 0 else f"{rng.normal(60, 20):.2f}"
        city = ["Lyon", "Köln", "Porto", ""][i % 4]
        left = (plan == "basic" and age < 40) != (i % 23 == 0)
        day = f"20{19 + i % 6}-{1 + i % 12:02d}-{1 + i % 28:02d}"
        cells = [f"C{i:04d}", age, city, plan, spend, day, "left" if left else "stayed"]
        lines.append(";".join(map(str, cells)))
    path = tmp_path / "churn.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), catch_exceptions=True)


def test_the_command_line_tells_what_is_in_the_way(churn):
    with pytest.warns(UserWarning) as notes:
        run("fit", "churn.csv", "--target", "outcome")
    assert [str(note.message) for note in notes] == [
        "Column 'customer id' is left out: it has 120 categories in 120 rows; keep it "
        "with --keep 'customer id'.",
    ]
    text = churn.read_text()
    comma = "\n".join(
        ";".join(c.replace(".", ",") if k == 4 else c for k, c in enumerate(cells))
        for cells in (line.split(";") for line in text.splitlines())
    )
    churn.write_text(comma)
    spoilt = run("fit", "churn.csv", "--target", "outcome", "--drop", "joined")
    assert "'monthly spend'" in str(spoilt.exception)
    assert "decimal comma" in str(spoilt.exception)
    churn.write_text(text)
    fit = ("fit", "churn.csv", "--target", "outcome", "--drop", "joined,customer id")
    assert run(*fit, "--max-depth", "1", "--proof", "p.gz", "--quiet").exit_code == 0
    assert run("check", "p.gz", "churn.csv").exit_code == 0  # same columns
    assert run("check", "p.gz", "churn.csv", *fit[4:]).exit_code == 0
    fewer = (*fit[:-1], "joined,customer id,city")
    assert run(*fewer, "--max-depth", "1", "--proof", "p.gz", "--quiet").exit_code == 0
    several = run("check", "p.gz", "churn.csv")
    assert "and with --drop which were left out of the fit" in str(several.exception)
    strange = run("check", "p.gz", "churn.csv", "--target", "outcome")
    assert "--drop city" in str(strange.exception)
    gone = run("check", "nothing.gz", "churn.csv")
    assert str(gone.exception) == "There is no file 'nothing.gz'."


def test_from_file_to_proof_on_the_command_line(churn):
    pytest.importorskip("duckdb")
    query = "select age, plan, outcome from 'churn.csv'"
    fitted = run(
        *("fit", query, "--target", "outcome", "--max-depth", "2", "--quiet"),
        *("--proof", "churn.proof.gz", "--save", "churn.json", "--sql", "churn.sql"),
    )
    assert fitted.exit_code == 0 and "Optimal: no tree" in fitted.output
    assert "age <= " in fitted.output and "plan = basic" in fitted.output
    checked = run("check", "churn.proof.gz", query)
    assert checked.exit_code == 0 and checked.output.startswith("accepted: optimal")
    predicted = run("predict", "churn.json", "churn.csv").output.split()
    assert predicted[0] == "outcome" and set(predicted[1:]) == {"left", "stayed"}
    number = "select age, age * 2 as cost from 'churn.csv'"
    options = ("--target", "cost", "--regression", "--max-depth", "1", "--quiet")
    assert run("fit", number, *options, "--proof", "cost.proof.gz").exit_code == 0
    assert run("check", "cost.proof.gz", number).exit_code == 0


def test_from_file_to_database_in_python(churn):
    frame = pd.read_csv("churn.csv", sep=";")
    y = frame.pop("outcome")
    X = frame.drop(columns="customer id")
    X["joined"] = pd.to_datetime(X["joined"]).dt.year  # SQLite has no dates
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y)
    assert clf.optimal_
    same = clf.to_sklearn().predict(clf.encode(X))
    assert list(same) == list(clf.predict(X))
    assert list(from_json(clf.to_json()).predict(X)) == list(clf.predict(X))
    with sqlite3.connect(":memory:") as base:
        X.to_sql("churn", base, index=False)
        answers = base.execute(f"select {clf.to_sql('sqlite')} from churn")
        assert [answer for (answer,) in answers] == list(clf.predict(X))
    whole = X.dropna(subset=["monthly spend"]).fillna({"city": "unknown"})
    clf.fit(whole, y[whole.index], proof="churn.proof.gz")
    verdict = check("churn.proof.gz", whole, y[whole.index])
    assert verdict.accepted


def test_a_mark_among_numbers_is_told():
    ages = [str(i) for i in range(40)]
    y = [i > 20 for i in range(40)]
    with pytest.warns(UserWarning, match=r"'age' is text: it holds numbers and '\?'"):
        OptimalTreeClassifier(max_depth=1).fit({"age": ["?", *ages[1:]]}, y)
    words = ["a", "b", "c", "d", *ages[4:]]
    for column in (list(range(40)), words, ages[:10] * 4):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            split = "one-vs-rest"  # without a warning about names of rows
            clf = OptimalTreeClassifier(max_depth=1, categorical_split=split)
            clf.fit({"age": column}, y)
