"""Numbers as targets: amounts or classes, as requested or by their number."""

import json
import warnings

import numpy as np
import pytest
from command_line import run

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.border.amounts import count_amounts
from treeproof.cli import tables


@pytest.fixture
def houses(tmp_path):
    rng = np.random.default_rng(0)
    rooms = rng.integers(1, 6, 200)
    price = 40_000 + 25_000 * rooms + rng.integers(0, 25_000, 200)
    path = tmp_path / "houses.csv"
    rows = [f"{r},{g},{p}" for r, g, p in zip(rooms, rooms % 2, price, strict=True)]
    path.write_text("\n".join(["rooms,garage,price", *rows]) + "\n")
    return path


def fitted(*arguments):
    return json.loads(run("fit", *arguments, "--json", "--quiet").stdout)


def test_many_numbers_are_an_amount_unless_told_otherwise(houses):
    with pytest.warns(UserWarning, match=r"different numbers, so the tree predicts"):
        found = fitted(houses, "--target", "price")
    assert found["r2"] > 0.9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "r2" in fitted(houses, "--target", "price", "--regression")
        assert "accuracy" in fitted(houses, "--target", "rooms")
        assert "r2" in fitted(houses, "--target", "rooms", "--regression")
    with pytest.warns(UserWarning, match="OptimalTreeRegressor"):
        found = fitted(houses, "--target", "price", "--classes", "--max-depth", "1")
    assert "accuracy" in found


def test_other_commands_decide_alike(houses):
    with pytest.warns(UserWarning, match="--classes"):
        found = run("path", houses, "--target", "price", "--low", "0.05", "--json")
    assert json.loads(found.stdout)["status"] == "optimal"
    with pytest.raises(ValueError, match=r"'price' holds \d+ different numbers"):
        run("alternatives", houses, "--target", "price")


def test_a_large_file_decides_alike(houses, monkeypatch):
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    monkeypatch.setattr(tables, "LARGE_FILE", 0)
    with pytest.warns(UserWarning, match="--classes"):
        assert fitted(houses, "--target", "price")["r2"] > 0.9
    assert "accuracy" in fitted(houses, "--target", "rooms")


def test_the_classifier_warns_of_amounts():
    X, y = np.arange(60).reshape(-1, 1) % 7, np.arange(60)
    with pytest.warns(UserWarning, match="y holds 60 different whole numbers"):
        OptimalTreeClassifier(max_depth=1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifier(max_depth=1).fit(X, y.astype(str))
        OptimalTreeClassifier(max_depth=1).fit(X, y % 20)
        OptimalTreeRegressor(max_depth=1).fit(X, y)


def test_gaps_do_not_hide_amounts():
    values = np.append(np.arange(50.0), np.nan)
    assert count_amounts(values) == 50
    assert count_amounts(np.array([True, False])) == 0
