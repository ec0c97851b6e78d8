"""Regression trees with lines in their leaves are optimal, as brute force says.

``make fuzz-shapes`` tries many more tables.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from shape_oracle import least_cost
from sklearn.base import clone

from treeproof import OptimalTreeRegressor, penalty_path
from treeproof.kinds import LEAF
from treeproof.tree import Tree

BLOCKS = 10


def line_loss(X, y, weights, ridge):
    """The loss of the best line of some rows, by weighted least squares."""
    scale = np.sqrt(np.average((X - np.average(X, axis=0, weights=weights)) ** 2,
                               axis=0, weights=weights))  # fmt: skip
    scale[scale == 0] = 1.0
    scaled = X / scale

    def loss(rows):
        w, best = weights[rows], np.inf
        root, sure = np.sqrt(w), np.sqrt(ridge * w.sum())
        for j in range(X.shape[1]):
            centred = scaled[rows, j] - np.average(scaled[rows, j], weights=w)
            A = np.column_stack([root, root * centred])
            A = np.vstack([A, [0.0, sure]])
            b = np.append(root * y[rows], 0.0)
            found = np.linalg.lstsq(A, b, rcond=None)[0]
            best = min(best, float(((A @ found - b) ** 2).sum()))
        return best

    return loss


@pytest.mark.parametrize("block", range(BLOCKS))
def test_lines_are_optimal(block):
    rng = np.random.default_rng(block)
    for _ in range(rounds(5, 200)):
        n, p = int(rng.integers(3, 10)), int(rng.integers(1, 4))
        X = rng.integers(0, 6, (n, p)) * rng.choice([0.01, 1.0, 1e4], p)
        y = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 4, n) * 1.0
        y = y + float(rng.choice([0.0, 1e6]))
        weights = rng.integers(1, 4, n).astype(float)
        ridge = float(rng.choice([1e-6, 1e-3, 0.5]))
        used = sorted(
            rng.choice(p, int(rng.integers(1, p + 1)), replace=False).tolist()
        )
        depth, min_leaf = int(rng.integers(0, 4)), int(rng.integers(1, 3))
        penalty = float(rng.choice([0.0, 0.02, 0.2]))
        is_list = bool(rng.random() < 0.2)
        if np.ptp(y) == 0:  # rounding alone would be left to compare
            continue
        loss = line_loss(X[:, used], y - y.mean(), weights, ridge)
        root = loss(np.arange(n))
        model = OptimalTreeRegressor(
            penalty, leaf="linear", linear_features=used, ridge=ridge, max_depth=depth,
            min_samples_leaf=min_leaf, shape="list" if is_list else "tree",
        ).fit(X, y, sample_weight=weights)  # fmt: skip
        codes = np.stack(
            [np.unique(X[:, j], return_inverse=True)[1] for j in range(p)], axis=1
        )

        def say(mask, _, n=n, loss=loss, root=root):
            return loss(np.array([i for i in range(n) if mask >> i & 1])) / root

        least = least_cost(
            codes, np.zeros(p), say, 1, penalty,
            depth=depth, min_leaf=min_leaf, is_list=is_list,
        )  # fmt: skip
        assert model.optimal_
        assert model.objective_ == pytest.approx(least, rel=1e-9, abs=1e-12)


def made(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"size": rng.uniform(20, 200, n), "age": rng.uniform(0, 90, n),
                      "town": rng.choice(["north", "south"], n)})  # fmt: skip
    price = np.where(X["town"] == "north", 50 + 3 * X["size"], 400 - 2 * X["age"])
    return X, price + rng.normal(size=n)


def test_the_lines_that_made_the_data_are_found():
    X, y = made()
    model = OptimalTreeRegressor(0.01, leaf="linear", max_depth=2).fit(X, y)
    assert model.optimal_ and model.n_splits_ == 1 and model.score(X, y) > 0.999
    lines = {
        str(model.tree_.prediction(k)) for k in np.flatnonzero(model.tree_.kind == LEAF)
    }
    assert {line.split("*")[1].strip() for line in lines} == {"size", "age"}
    constant = OptimalTreeRegressor(0.01, max_depth=2).fit(X, y)
    assert constant.score(X, y) < model.score(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    gone = X.assign(size=np.nan)
    here = model.tree_.apply(model._read_rows(gone))
    on_size = model.tree_.lines.column[here] == 0
    assert (model.predict(gone)[on_size] == model.tree_.value[here[on_size], 0]).all()
    assert np.isfinite(model.predict(gone)).all()


def test_a_term_for_each_leaf_would_not_do():
    """With one binary and one normal column, only one leaf gets a slope."""
    rng = np.random.default_rng(0)
    b, x = rng.integers(0, 2, 400), rng.normal(size=400)
    X, y = np.column_stack([b, x]).astype(float), np.where(b == 1, 3 * x, 10.0)
    model = OptimalTreeRegressor(
        0.0, leaf="linear", max_depth=1, ridge=0.1, linear_features=[1]
    ).fit(X, y)
    assert model.optimal_ and model.tree_.feature[0] == 0


def test_every_form_says_the_same():
    duckdb = pytest.importorskip("duckdb")
    X, y = made()
    X.loc[::9, "age"] = np.nan
    model = OptimalTreeRegressor(
        0.01, leaf="linear", linear_features=["size"], max_depth=2
    ).fit(X, y)
    told = model.predict(X)
    space = {}
    exec(model.to_python(), space)
    rows = X.to_dict("records")
    assert np.allclose([space["predict"](row) for row in rows], told, rtol=1e-12)
    table = X.where(X.notna(), None)
    connection = duckdb.connect()
    connection.register("houses", table)
    found = connection.execute(model.to_sql(table="houses")).df()["prediction"]
    assert np.allclose(found, told, rtol=1e-12)
    tree = Tree.from_dict(model.tree_.to_dict())
    assert tree == model.tree_
    assert "* size" in model.export_text() and "* size" in model.to_svg()
    assert model.tree_.collapse().lines is not None


def test_refusals(tmp_path):
    X, y = made(40)
    some = X.assign(age=X["age"].where(X["age"] > 10))
    linear = {"leaf": "linear"}
    for parameters, text in (
        ({"criterion": "poisson"}, 'cannot be combined with criterion="poisson"'),
        ({"solver": "quant-bnb"}, 'cannot be combined with solver="quant-bnb"'),
        ({"first_split": "age"}, "cannot be combined with first_split"),
        (
            {"linear_features": ["town"]},
            "'town' of linear_features has categories",
        ),
        ({"linear_features": ["age"]}, "Column 'age' of linear_features has missing"),
        ({"linear_features": []}, "linear_features is empty"),
        ({"linear_features": ["sise"]}, "did you mean 'size'"),
        ({"quantiles": 3}, "do not use quantiles"),
    ):
        with pytest.raises(ValueError, match=text):
            OptimalTreeRegressor(**linear, **parameters).fit(some, y)
    with pytest.raises(ValueError, match="needs a numeric column without missing"):
        OptimalTreeRegressor(**linear).fit(some[["age", "town"]], y)
    with pytest.raises(ValueError, match="predicts one number, but y has 2 columns"):
        OptimalTreeRegressor(**linear).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="Column 'size' and the targets differ too"):
        tiny = X.assign(size=X["size"] * 1e-300)
        OptimalTreeRegressor(**linear).fit(tiny, y, proof=tmp_path / "p")
    with pytest.raises(ValueError, match="a ridge of up to 1e\\+09, not 1e\\+10"):
        OptimalTreeRegressor(**linear, ridge=1e10).fit(X, y, proof=tmp_path / "p")
    with pytest.raises(ValueError, match="no path of penalties"):
        penalty_path(X, y, estimator=OptimalTreeRegressor(**linear))
    model = OptimalTreeRegressor(max_depth=1, **linear).fit(X, y)
    with pytest.raises(ValueError, match="this one has lines"):
        model.to_sklearn()
    with pytest.raises(ValueError, match="lines"):
        model.to_onnx()
    content = model.tree_.to_dict()
    leaf = next(node for node in content["nodes"] if "line" in node)
    for wrong in ({"column": "town"}, {"slope": "x"}, {"column": ["size"]}):
        bad = {**content, "nodes": [
            {**node, "line": node["line"] | wrong} if node is leaf else node
            for node in content["nodes"]
        ]}  # fmt: skip
        with pytest.raises(ValueError, match="The line of node"):
            Tree.from_dict(bad)


def test_lines_with_groups_of_columns():
    X, y = made()
    model = OptimalTreeRegressor(
        0.0, leaf="linear", max_depth=2, interaction_cst="no_interactions"
    ).fit(X, y)
    assert model.optimal_ and model.stats_["solver"] == "paths"


def test_categories_are_not_ordered_by_their_mean_for_lines():
    """Two groups of categories with other slopes, but one mean: no order finds them."""
    rng = np.random.default_rng(0)
    group, x = rng.integers(0, 14, 400), rng.normal(size=400)
    X = pd.DataFrame({"g": [f"c{k:02d}" for k in group], "x": x})
    y = np.where(group % 2 == 1, 3 * x, -3 * x)
    model = OptimalTreeRegressor(max_depth=1, categorical_split="subset")
    with pytest.raises(ValueError, match="tries all ways to part them in two"):
        clone(model).set_params(leaf="linear", linear_features=["x"]).fit(X, y)
    assert model.fit(X, y).optimal_  # constants follow the means
    few = X["g"].isin([f"c{k:02d}" for k in range(8)])
    model.set_params(leaf="linear", linear_features=["x"]).fit(X[few], y[few])
    assert model.n_splits_ == 1
    assert set(model.tree_.lines.slope[1:].round(3)) == {3.0, -3.0}
