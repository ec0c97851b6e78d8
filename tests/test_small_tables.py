"""Notes about trees with few rows in a leaf, and about numbers written as text."""

import numpy as np
import pandas as pd
import pytest
from command_line import run

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.border.row_names import row_names_of
from treeproof.report import investigate, to_html
from treeproof.solving.summary import note_few_rows


@pytest.fixture
def noise():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc")), rng


def test_a_tree_of_few_rows_in_a_leaf_is_noted(noise, tmp_path):
    X, rng = noise
    y = rng.choice(["yes", "no"], 60)
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    note = note_few_rows(clf)
    assert f"{clf.tree_.n_leaves} leaves for 60 rows" in note
    assert "OptimalTreeClassifierCV" in note and clf.summary().endswith(note)
    path = tmp_path / "noise.csv"
    X.assign(y=y).to_csv(path, index=False)
    with pytest.warns(UserWarning, match="leaves for 60 rows"):
        run("fit", path, "--target", "y", "--max-depth", 3, "--quiet")


def test_regressions_and_reports_are_noted(noise):
    X, rng = noise
    reg = OptimalTreeRegressor(max_depth=3).fit(X, rng.normal(size=60))
    assert "OptimalTreeRegressorCV" in note_few_rows(reg)
    found = investigate(
        OptimalTreeRegressor(max_depth=3),
        {name: X[name].to_numpy() for name in X},
        rng.normal(size=60),
        title="noise",
        target="y",
        details=False,
    )
    assert "chance differences" in to_html(found)


def test_no_note_where_leaves_are_large_or_nothing_is_wrong(noise):
    X, rng = noise
    y = rng.integers(0, 2, 60)
    assert note_few_rows(OptimalTreeClassifier(max_depth=1).fit(X, y)) is None
    exact = OptimalTreeClassifier().fit([[k % 4] for k in range(12)], [0, 1, 2, 3] * 3)
    assert exact.score([[0], [1], [2], [3]], [0, 1, 2, 3]) == 1
    assert note_few_rows(exact) is None


AMOUNTS = {
    "price": [f"${100 * k + 1:,}.50" for k in range(60)],
    "share": [f"{k}.5%" for k in range(60)],
    "change": [f"{k} €" if k % 2 else f"-{k} €" for k in range(60)],
}


@pytest.mark.parametrize("name", AMOUNTS)
def test_numbers_written_as_text_are_named(name):
    [found] = row_names_of({name: AMOUNTS[name]})
    assert found.kind == "text numbers"
    assert f"numbers written as text such as '{AMOUNTS[name][0]}'" in found.finding


def test_codes_of_digits_are_no_amounts():
    codes = [f"{k:05d}" for k in range(60)]
    assert [found.kind for found in row_names_of({"zip": codes})] == ["categories"]


def test_the_advice_for_numbers_written_as_text_works(tmp_path):
    X = pd.DataFrame({"price": AMOUNTS["price"], "size": [1, 2, 3] * 20})
    y = ["low"] * 30 + ["high"] * 30
    with pytest.warns(UserWarning, match="numbers written as text") as said:
        OptimalTreeClassifier(max_depth=1).fit(X, y)
    advice = str(said[0].message).split("make a number of it, ")[1]
    exec(advice.split(", or leave it out")[0], {"X": X})  # what the message says
    assert OptimalTreeClassifier().fit(X, y).n_splits_ == 1
    path = tmp_path / "shop.csv"
    X = pd.DataFrame({"price": AMOUNTS["price"], "size": [1, 2, 3] * 20, "y": y})
    X.to_csv(path, index=False)
    with pytest.warns(UserWarning, match="is left out") as said:
        run("fit", path, "--target", "y", "--quiet")
    query = str(said[0].message).split('with the query "')[1].split('".')[0]
    assert "price <= " in run("fit", query, "--target", "y", "--quiet").stdout


def test_frequencies_are_shown_and_scored_as_weights(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(
        "colour,sold,times\nred,yes,90\nred,no,10\nblue,yes,20\nblue,no,80\n"
    )
    shown = run("fit", path, "--target", "sold", "--weight", "times", "--quiet").stdout
    assert "no   2 rows, weight 100 (50%), weight 20 wrong" in shown
    assert "accuracy 0.8500" in shown  # half of the rows, but 85% of the weight


def test_weights_of_classes_are_shown_as_rows():
    X, y = [[0], [0], [0], [1], [1]], ["a", "a", "b", "b", "b"]
    clf = OptimalTreeClassifier(class_weight="balanced").fit(X, y)
    assert not clf.tree_.rows_differ_in_weight
    assert "3 rows (60%), 1 wrong" in clf.export_text()
