"""A note where text writes the same category in several ways."""

import warnings

import numpy as np
import pandas as pd
import pytest
from command_line import run

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
)

ROWS = 60


def answers(*words):
    return [words[i % len(words)] for i in range(ROWS)]


def notes(fit, *arguments):
    """Return the notes of a fit that are about spellings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fit(*arguments)
    return [str(n.message) for n in said if "upper and lower case" in str(n.message)]


@pytest.mark.parametrize(
    "pair", [("Yes", "yes "), ("Yes", " Yes"), ("STRASSE", "Straße")]
)
def test_categories_that_differ_in_case_or_blanks_are_named(pair):
    X = pd.DataFrame({"n": np.arange(ROWS) % 7, "married": answers(*pair, "No")})
    y = (np.arange(ROWS) % 7 > 3).astype(int)
    clf = OptimalTreeClassifier(max_depth=1)
    (note,) = notes(clf.fit, X, y)
    assert note.startswith("Column 'married' has categories that differ only in")
    one, other = sorted(pair)
    assert f"such as {one!r} and {other!r}; they count as" in note
    # The data are not changed: there are still three categories.
    assert sorted(clf.tree_.columns[1].categories) == sorted([*pair, "No"])
    assert len(notes(OptimalTreeRegressor(max_depth=1).fit, X, y * 1.5)) == 1


def test_several_columns_and_the_target_share_one_note():
    X = {name: answers("a", "A", "b") for name in "pqrst"}
    y = answers("in", "in ", "out")
    (note,) = notes(OptimalTreeClassifier(max_depth=1).fit, X, y)
    assert "'p'" in note
    assert "(likewise column 'q', column 'r', column 's', 2 more)" in note
    (note,) = notes(OptimalTreeClassifier(max_depth=1).fit, {"p": np.arange(ROWS)}, y)
    assert note.startswith("The target has classes") and "'in' and 'in '" in note


def test_cross_validation_says_it_once():
    X = {"p": answers("a", "A", "b", "c"), "n": np.arange(ROWS) % 7}
    y = (np.arange(ROWS) % 7 > 3).astype(int)
    base = OptimalTreeClassifier(max_depth=1)
    (note,) = notes(OptimalTreeClassifierCV(base, low=0.05, cv=3).fit, X, y)
    assert "'a'" in note or "'A'" in note


def test_other_tables_draw_no_note():
    X = {"a": answers("Yes", "No", "yes!"), "b": answers(True, False)}
    y = answers("in", "out")
    clf = OptimalTreeClassifier(max_depth=1)
    assert notes(clf.fit, X, y) == []
    X["c"] = answers("a", "A")
    assert notes(clf.set_params(allowed_features=["a", "b"]).fit, X, y) == []


@pytest.mark.parametrize("limit", [0, 1 << 30])
def test_the_command_line_says_it_too(tmp_path, monkeypatch, limit):
    from treeproof.cli import tables

    monkeypatch.setattr(tables, "LARGE_FILE", limit)
    path = tmp_path / "t.csv"
    lines = [f"{w},{i % 2}" for i, w in enumerate(answers("Yes", "yes ", "No"))]
    path.write_text("\n".join(["w,y", *lines]))
    (note,) = notes(run, "fit", path, "--target", "y", "--quiet")
    assert "'w'" in note and "'Yes' and 'yes '" in note
