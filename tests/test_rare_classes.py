"""A single leaf for want of rows of one class, and rows held out in one flag."""

import json
import warnings

import numpy as np
import pytest
from command_line import run

from treeproof import OptimalTreeClassifier, OptimalTreeClassifierCV


@pytest.fixture
def rare():
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(size=300), "b": rng.choice(list("xy"), 300)}
    return X, np.where((X["a"] > 1.6) & (rng.random(300) < 0.5), "yes", "no")


def test_a_single_leaf_says_what_to_do(rare):
    X, y = rare
    with pytest.warns(UserWarning, match="single leaf that always predicts 'no'"):
        clf = OptimalTreeClassifier(0.05).fit(X, y)
    assert clf.n_splits_ == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert OptimalTreeClassifier(0.05, class_weight="balanced").fit(X, y).n_splits_
        OptimalTreeClassifier(max_depth=0).fit(X, y)
        OptimalTreeClassifier(0.5).fit(
            X, np.where(X["b"] == "x", 0, np.arange(300) % 3)
        )
        OptimalTreeClassifier().fit(X, ["no"] * 300)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "t.csv"
    a, w = rng.integers(0, 9, 100), rng.integers(1, 4, 100)
    rows = [f"{x},{v},{'ab'[int(x > 4)]},{x * 3.5}" for x, v in zip(a, w, strict=True)]
    path.write_text("\n".join(["a,w,y,z", *rows]))
    return path


def test_rows_are_held_out(table):
    options = ("--target", "y", "--drop", "w,z", "--test-size", "0.3", "--quiet")
    found = json.loads(run("fit", table, *options, "--json").stdout)
    assert found["held_out_rows"] == 30 and found["held_out"] == 1.0
    assert found["rows"] == 70
    assert "1.0000 on 30 rows held out" in run("fit", table, *options).stdout
    number = ("--target", "z", "--regression", "--weight", "w", "--drop", "y")
    found = json.loads(
        run("fit", table, *number, "--test-size", ".5", "--json", "--quiet").stdout
    )
    assert found["held_out_rows"] == 50
    with pytest.raises(ValueError, match="between 0 and 1, not 2"):
        run("fit", table, "--target", "y", "--test-size", "2")
    with pytest.raises(ValueError, match="--test-size cannot be combined with --proof"):
        run("fit", table, *options, "--proof", table.with_suffix(".gz"))


def test_one_budget_for_cross_validation(rare, capsys):
    X, y = rare
    base = OptimalTreeClassifier(max_depth=1, time_limit=1e-9)
    chosen = OptimalTreeClassifierCV(base, low=0.02, cv=2, time_limit=60, verbose=True)
    assert chosen.fit(X, y).optimal_  # its own limit counts, not the estimator's
    with pytest.raises(ValueError, match="time_limit"):
        OptimalTreeClassifierCV(time_limit=0).fit(X, y)
