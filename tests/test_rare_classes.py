"""Single leaves because of a rare class, and rows held out by one option."""

import json
import warnings

import numpy as np
import pytest
from command_line import run

from treeproof import OptimalTreeClassifier, OptimalTreeClassifierCV
from treeproof.report.splitting import split_rows


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
    assert found["held_out_weight"] == pytest.approx(0.5, abs=0.02)
    assert found["held_out_rows"] + found["rows"] == 100
    with pytest.raises(ValueError, match="between 0 and 1, not 2"):
        run("fit", table, "--target", "y", "--test-size", "2")
    with pytest.raises(ValueError, match="--test-size cannot be combined with --proof"):
        run("fit", table, *options, "--proof", table.with_suffix(".gz"))


def test_rows_with_weights_are_held_out_whole(tmp_path):
    """A table of counts: few rows, of which some stand for a thousand times as many."""
    rng = np.random.default_rng(3)
    path = tmp_path / "counts.csv"
    a, n = rng.integers(0, 50, 80), rng.choice([1, 10, 1000], 80)
    y = np.where((a > 24) ^ (rng.random(80) < 0.2), "p", "q")
    lines = [f"{x},{label},{w}" for x, label, w in zip(a, y, n, strict=True)]
    path.write_text("\n".join(["a,y,n", *lines]))
    options = ("--target", "y", "--weight", "n", "--test-size", "0.3", "--quiet")
    found = json.loads(run("fit", path, *options, "--json").stdout)
    train, test = split_rows(y, 0.3, 0, False, n.astype(float))
    assert found["rows"] == len(train) and found["held_out_rows"] == len(test)
    share = n[test].sum() / n.sum()
    assert found["held_out_weight"] == pytest.approx(share)
    assert share == pytest.approx(0.3, abs=0.05)
    for label in "pq":  # classes keep their shares of the weight
        mine = n[test][y[test] == label].sum() / n[y == label].sum()
        assert mine == pytest.approx(0.3, abs=0.07)
    clf = OptimalTreeClassifier().fit({"a": a[train]}, y[train], n[train])
    right = clf.predict({"a": a[test]}) == y[test]
    assert found["held_out"] == pytest.approx((right * n[test]).sum() / n[test].sum())
    shown = run("fit", path, *options).stdout
    assert f"on {len(test)} rows held out with {share:.0%} of the weight" in shown


def test_cases_can_be_held_out_of_a_table_of_counts(tmp_path):
    pytest.importorskip("duckdb")
    path = tmp_path / "counts.csv"
    path.write_text("a,y,n\n" + "".join(f"{k},{k > 4},{9 + k}\n" for k in range(10)))
    options = ("--target", "y", "--test-size", "0.3", "--quiet")
    with pytest.warns(UserWarning, match="whole lines that were held out") as said:
        run("fit", path, *options, "--weight", "n")
    query = str(said[-1].message).split('the query "')[1].split('"')[0]
    found = json.loads(run("fit", query, *options, "--json").stdout)
    assert found["rows"] + found["held_out_rows"] == sum(range(9, 19))
    assert found["held_out"] == 1.0 and "held_out_weight" not in found


def test_weights_that_leave_nothing_to_hold_out(tmp_path):
    path = tmp_path / "t.csv"
    options = ("--target", "y", "--weight", "n", "--test-size", "0.1", "--quiet")
    path.write_text("a,y,n\n1,p,5\n2,q,5\n3,p,5\n4,q,5\n")
    with pytest.raises(ValueError, match=r"No row can be held out.*10% of the weight"):
        run("fit", path, *options)
    path.write_text("a,y,n\n1,p,5\n2,q,-5\n3,p,5\n4,q,5\n")
    with pytest.raises(ValueError, match="a negative weight"):
        run("fit", path, *options)
    y, weights = np.array([0, 0, 0, 1]), np.array([0.0, 1.0, 1.0, 1.0])
    train, test = split_rows(y, 0.9, 0, False, weights)
    assert weights[train][y[train] == 0].sum() == weights[test].sum() == 1.0


def test_one_budget_for_cross_validation(rare, capsys):
    X, y = rare
    base = OptimalTreeClassifier(max_depth=1, time_limit=1e-9)
    chosen = OptimalTreeClassifierCV(base, low=0.02, cv=2, time_limit=60, verbose=True)
    assert chosen.fit(X, y).optimal_  # its own limit counts, not the estimator's
    with pytest.raises(ValueError, match="time_limit"):
        OptimalTreeClassifierCV(time_limit=0).fit(X, y)
