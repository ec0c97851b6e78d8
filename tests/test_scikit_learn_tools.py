"""Pipelines, grid search, column transformers, clones, and tools for scikit-learn."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from trees import random_table

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.datasets import load_monks

EXAMPLES = Path(__file__).parents[1] / "examples"
ESTIMATORS = [OptimalTreeClassifier, OptimalTreeRegressor]


@pytest.fixture(scope="module")
def table():
    X, y = random_table(5, n_rows=120)
    return X.astype({"code": int}), y


def numbers(y):
    return (y == "yes").astype(float) + 0.5 * (y == "maybe")


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_clone_is_unfitted_and_equal(table, kind):
    X, y = table
    model = kind(0.03, max_depth=2, categorical_split="one-vs-rest")
    model.fit(X, y if kind is OptimalTreeClassifier else numbers(y))
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "tree_")


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_grid_search_over_size(table, kind):
    X, y = table
    target = y if kind is OptimalTreeClassifier else numbers(y)
    search = GridSearchCV(
        kind(max_depth=2), {"split_penalty": [0.02, 0.3]}, cv=3, error_score="raise"
    )
    search.fit(X, target)
    best = search.best_estimator_
    assert best.optimal_ and search.best_params_["split_penalty"] == best.split_penalty
    assert search.predict(X).shape == (120,)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_column_transformer_in_a_pipeline(table, kind, output):
    X, y = table
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()),
             ["size", "count"]),
            ("text", OneHotEncoder(sparse_output=False), ["colour", "shape"]),
        ]
    )  # fmt: skip
    columns.set_output(transform=output)
    pipe = Pipeline([("columns", columns), ("tree", kind(0.03, max_depth=2))])
    target = y if kind is OptimalTreeClassifier else numbers(y)
    pipe.fit(X, target)
    assert pipe.score(X, target) > 0
    names = getattr(pipe["tree"], "feature_names_in_", None)
    if output == "default":
        assert names is None
    else:
        assert "text__colour_red" in names.tolist()
        assert "numbers__size" in [c.name for c in pipe["tree"].tree_.columns]


def test_set_output_does_not_change_the_tree(table):
    X, y = table
    pass_on = FunctionTransformer(lambda frame: frame)
    trees = [
        make_pipeline(
            clone(pass_on).set_output(transform=kind), OptimalTreeClassifier()
        )
        .fit(X, y)[-1]
        .tree_
        for kind in ("default", "pandas")
    ]
    assert trees[0] == trees[1]


def test_cross_validation(table):
    X, y = table
    model = OptimalTreeClassifier(0.03, max_depth=2)
    assert cross_val_score(model, X, y, cv=3).shape == (3,)
    shares = cross_val_predict(model, X, y, cv=3, method="predict_proba")
    assert np.allclose(shares.sum(axis=1), 1)


def test_every_kind_of_table_gives_the_same_tree(table):
    """pandas, Polars, Arrow, dictionaries of columns, lists of dictionaries."""
    X, y = table
    forms = {
        "pandas": X,
        "polars": pl.from_pandas(X),
        "arrow": pa.Table.from_pandas(X, preserve_index=False),
        "columns": {name: X[name].tolist() for name in X},
        "records": X.to_dict("records"),
    }
    expected = OptimalTreeClassifier(0.02).fit(X, y)
    for form in forms.values():
        model = OptimalTreeClassifier(0.02).fit(form, y)
        assert model.tree_ == expected.tree_
        assert model.predict(form).tolist() == expected.predict(X).tolist()
        assert expected.predict(form).tolist() == expected.predict(X).tolist()
    for labels in (y.tolist(), pd.Series(y), pl.Series(y), pa.array(y)):
        assert OptimalTreeClassifier(0.02).fit(X, labels).tree_ == expected.tree_


def test_polars_categories_are_categories_and_enums_are_ordered():
    words = ["low", "mid", "high"] * 6
    y = [0, 1, 0] * 6
    expected = OptimalTreeClassifier().fit({"a": words}, y).tree_
    for dtype in (pl.String, pl.Categorical):
        frame = pl.DataFrame({"a": pl.Series(words, dtype=dtype)})
        assert OptimalTreeClassifier().fit(frame, y).tree_ == expected
    sizes = ["low", "mid", "high"]
    ordered = pd.DataFrame({"a": pd.Categorical(words, sizes, ordered=True)})
    frame = pl.DataFrame({"a": pl.Series(words, dtype=pl.Enum(sizes))})
    model = OptimalTreeClassifier().fit(frame, y)
    assert model.tree_ == OptimalTreeClassifier().fit(ordered, y).tree_
    assert "a <= low" in model.export_text() and "a > mid" in model.export_text()


@pytest.mark.parametrize(
    "module, script",
    [
        ("shap", "explain_shap.py"),
        ("dtreeviz", "view_dtreeviz.py"),
        ("supertree", "view_supertree.py"),
    ],
)
def test_examples(module, script, tmp_path, monkeypatch, capsys):
    pytest.importorskip(module)
    monkeypatch.setattr(sys, "argv", [script, str(tmp_path)])
    runpy.run_path(str(EXAMPLES / script))
    assert capsys.readouterr().out


@pytest.mark.parametrize("split", ["auto", "multiway", "one-vs-rest"])
def test_shap_values_add_up(split):
    shap = pytest.importorskip("shap", reason="SHAP is not installed")
    X, y = load_monks(1, as_frame=True, return_X_y=True)
    model = OptimalTreeClassifier(0.01, categorical_split=split).fit(X, y)
    explainer = shap.TreeExplainer(model.to_sklearn())
    values = explainer.shap_values(model.encode(X))
    total = explainer.expected_value + values.sum(axis=1)
    assert np.allclose(total, model.predict_proba(X))
