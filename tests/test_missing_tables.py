"""Missing values, ordered categories and subsets through the public interface."""

import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from data_sets import data_file
from export_checks import check_python, check_rules, run_duckdb, run_sqlite, same
from sklearn import set_config
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, from_json
from treeproof.cli import main
from treeproof.export.onnx import input_arrays
from treeproof.kinds import ABSENT, OWN, SUBSET

MODES = ["best-side", "branch"]
SPLITS = ["multiway", "one-vs-rest", "subset"]
SIZES = ["small", "medium", "large"]


def gappy(seed, n=80):
    """A table with gaps in every kind of column, and a target that depends on them."""
    random = np.random.default_rng(seed)
    whole = {
        "age": random.integers(18, 90, n).astype(float),
        "city": random.choice(["Rome", "Oslo", "Lima"], n).astype(object),
        "member": (random.random(n) < 0.5).astype(object),
        "size": random.choice(SIZES, n).astype(object),
    }
    y = (
        (whole["age"] > 50).astype(int)
        + (whole["city"] == "Oslo")
        + (random.random(n) < 0.1)
    )
    for name, values in whole.items():
        gone = random.random(n) < 0.2
        y = np.where(gone & (whole["age"] > 40), 3 if name == "city" else y, y)
        values[gone] = np.nan if name == "age" else None
    return whole, y


def containers(columns):
    """The same table in every form."""
    frame = pd.DataFrame(columns)
    lists = {
        name: [None if pd.isna(v) else v for v in values]
        for name, values in columns.items()
    }
    records = [
        dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)
    ]
    return {
        "pandas": frame,
        "nullable": frame.convert_dtypes(),
        "pyarrow-backed": frame.convert_dtypes(dtype_backend="pyarrow"),
        "category": frame.astype({"city": "category", "size": "category"}),
        "polars": pl.DataFrame(lists, strict=False),
        "arrow": pa.table(lists),
        "columns": columns,
        "records": records,
    }


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("split", SPLITS)
def test_every_container_gives_the_same_tree(mode, split):
    columns, y = gappy(1)
    forms = containers(columns)
    for kind in (OptimalTreeClassifier, OptimalTreeRegressor):
        options = {"missing": mode, "categorical_split": split, "max_depth": 3}
        first = kind(0.02, **options).fit(forms["pandas"], y)
        assert first.optimal_ and any(c.has_missing for c in first.tree_.columns)
        for name, form in forms.items():
            model = kind(0.02, **options).fit(form, y)
            assert model.tree_ == first.tree_, name
            assert np.array_equal(first.predict(form), first.predict(columns)), name
    again = pickle.loads(pickle.dumps(first))
    assert again.tree_ == first.tree_
    assert clone(first).fit(columns, y).tree_ == first.tree_


def test_orders_of_every_kind_of_table_are_the_same():
    columns, y = gappy(2)
    sizes = [None if pd.isna(v) else v for v in columns["size"]]
    codes = pa.array([None if v is None else SIZES.index(v) for v in sizes], pa.int32())
    forms = [
        pd.DataFrame({"size": pd.Categorical(sizes, SIZES, ordered=True)}),
        pl.DataFrame({"size": pl.Series(sizes, dtype=pl.Enum(SIZES))}),
        pa.table({"size": pa.DictionaryArray.from_arrays(codes, SIZES, ordered=True)}),
    ]
    trees = [OptimalTreeClassifier(0.0).fit(form, y).tree_ for form in forms]
    assert trees[0] == trees[1] == trees[2]
    assert trees[0].columns[0].ordered
    assert trees[0].columns[0].categories.tolist() == SIZES


def test_ordered_numbers_keep_their_own_order():
    grades = pd.Categorical([3, 1, 2, None] * 6, [3, 1, 2], ordered=True)
    X = pd.DataFrame({"grade": grades})
    y = ["good", "good", "bad", "bad"] * 6
    model = OptimalTreeClassifier(0.02).fit(X, y)
    assert model.score(X, y) == 1 and model.n_splits_ == 1
    assert "grade <= 1" in model.export_text()
    assert "grade > 1 or missing" in model.export_text()
    rows = pd.DataFrame({"grade": [3.0, 1.0, 2.0, np.nan, 7.0]})
    assert model.predict(rows).tolist() == ["good", "good", "bad", "bad", "bad"]


def test_a_category_that_only_the_order_knows():
    X = pd.DataFrame({"s": pd.Categorical(["a", "d"] * 5, list("abcd"), ordered=True)})
    model = OptimalTreeClassifier().fit(X, [0, 1] * 5)
    assert model.predict({"s": ["a", "d"]}).tolist() == [0, 1]
    cut = model.export_text().split("s <= ")[1][0]
    assert model.predict({"s": ["b"]})[0] == (0 if cut >= "b" else 1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("ordered", [False, True])
def test_exports_of_fitted_trees(mode, split, ordered):
    columns, y = gappy(3)
    X = pd.DataFrame(columns)
    if ordered:
        X["size"] = pd.Categorical(X["size"], SIZES, ordered=True)
    model = OptimalTreeClassifier(
        0.005, missing=mode, categorical_split=split, max_depth=4
    ).fit(X, y)
    rows = pd.DataFrame(gappy(4, 300)[0])
    rows.loc[::7, "city"] = "Kyiv"
    rows.loc[::9, "size"] = "huge"
    expected = model.predict(rows)
    tree = model.tree_.collapse()
    for dialect, run in (("duckdb", run_duckdb), ("sqlite", run_sqlite)):
        same(run(rows, model.to_sql(dialect, table="rows"))[:, -1], expected)
    check_python(tree, rows, expected, None)
    check_rules(tree, rows, expected)
    again = from_json(model.to_json())
    assert again.tree_ == model.tree_
    assert np.array_equal(again.predict(rows), expected)
    tool = pytest.importorskip("onnxruntime")
    session = tool.InferenceSession(model.to_onnx().SerializeToString())
    same(session.run(["label"], input_arrays(tree, rows))[0], expected)
    sklearn_tree = model.to_sklearn()
    assert np.array_equal(sklearn_tree.predict(model.encode(rows)), expected)
    shares = sklearn_tree.predict_proba(model.encode(rows))
    assert np.allclose(shares, model.predict_proba(rows))
    assert model.to_dot().count("->") == tree.node_count - 1
    assert model.to_svg().startswith("<svg")


def test_the_trees_use_what_they_can():
    """The tests above would say little about trees without such splits."""
    kinds, ways = set(), set()
    for seed in range(6):
        columns, y = gappy(seed)
        for mode in MODES:
            model = OptimalTreeClassifier(
                0.002, missing=mode, categorical_split="subset", max_depth=3
            ).fit(columns, y)
            kinds |= set(model.tree_.kind.tolist())
            ways |= set(model.tree_.missing.tolist())
    assert kinds >= {0, 1, ABSENT, SUBSET} and ways >= {0, 1, OWN}


def test_missing_where_none_were():
    X = {"a": [1.0, 2.0, 7.0, 8.0, 9.0], "b": ["p", "q", "p", "q", "p"]}
    model = OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 1, 1])
    assert model.predict({"a": [np.nan], "b": [None]}).tolist() == [1]  # the heavier
    weights = [9, 9, 1, 1, 1]
    model.fit(X, [0, 0, 1, 1, 1], sample_weight=weights)
    assert model.predict({"a": [None], "b": ["p"]}).tolist() == [0]
    multiway = OptimalTreeClassifier().fit({"b": list("ppqqq")}, [0, 0, 1, 1, 1])
    assert multiway.predict({"b": [None, "new"]}).tolist() == [1, 1]  # the majority
    binary = OptimalTreeClassifier(categorical_split="one-vs-rest").fit(
        {"b": list("pppqq")}, [0, 0, 0, 1, 1]
    )
    assert binary.predict({"b": [None]}).tolist() == [0]


def test_an_unseen_category_is_not_a_missing_value():
    X = {"b": ["p"] * 6 + ["q"] * 5 + [None] * 4}
    y = [0] * 6 + [1] * 5 + [2] * 4
    for split, unseen in (("multiway", 0), ("subset", 0)):
        model = OptimalTreeClassifier(0.0, categorical_split=split).fit(X, y)
        found = model.predict({"b": ["p", "q", None, "new"]}).tolist()
        assert found == [0, 1, 2, unseen]


def test_columns_with_nothing_in_them():
    X = pd.DataFrame({"a": [np.nan] * 6, "b": [None] * 6, "c": list("ppqqqq")})
    for mode in MODES:
        for split in SPLITS:
            model = OptimalTreeClassifier(missing=mode, categorical_split=split)
            model.fit(X, [0, 0, 1, 1, 1, 1])
            assert model.score(X, [0, 0, 1, 1, 1, 1]) == 1
            filled = X.assign(a=1.5, b="now")
            assert model.predict(filled).tolist() == [0, 0, 1, 1, 1, 1]
            assert from_json(model.to_json()).tree_ == model.tree_
            nothing = OptimalTreeClassifier(missing=mode, categorical_split=split)
            assert nothing.fit(X[["a"]], [0, 1, 0, 1, 0, 1]).n_splits_ == 0


def test_a_branch_of_its_own_beats_a_side_and_the_other_way_round():
    """Three leaves for one split, against two; leaves cost the same."""
    X = {"a": [1.0] * 4 + [5.0] * 4 + [np.nan] * 4}
    y = [0] * 4 + [1] * 4 + [2] * 4
    once = {"penalize": "splits"}
    branch = OptimalTreeClassifier(missing="branch", **once).fit(X, y)
    side = OptimalTreeClassifier(missing="best-side", **once).fit(X, y)
    assert (branch.n_splits_, side.n_splits_) == (1, 2)
    assert branch.objective_ == 0.01 and side.objective_ == 0.02
    assert OptimalTreeClassifier(missing="branch").fit(X, y).objective_ == 0.02


@pytest.mark.parametrize("mode", MODES)
def test_weights_of_classes_and_rows(mode):
    columns, y = gappy(5)
    X = pd.DataFrame(columns)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    options = {"missing": mode, "max_depth": 3}
    for kind in (OptimalTreeClassifier, OptimalTreeRegressor):
        one = kind(0.02, **options).fit(X, y, sample_weight=weights)
        two = kind(0.02, **options).fit(X.iloc[repeated], y[repeated])
        assert abs(one.objective_ - two.objective_) < 1e-9
    balanced = OptimalTreeClassifier(0.02, class_weight="balanced", **options)
    classes, counts = np.unique(y, return_counts=True)
    factor = dict(zip(classes, len(y) / len(classes) / counts, strict=True))
    by_hand = OptimalTreeClassifier(0.02, **options)
    by_hand.fit(X, y, sample_weight=[factor[label] for label in y])
    assert abs(balanced.fit(X, y).objective_ - by_hand.objective_) < 1e-6


def test_scikit_learn_around_missing_values():
    columns, y = gappy(6)
    X = pd.DataFrame(columns)
    search = GridSearchCV(
        OptimalTreeClassifier(max_depth=2),
        {"missing": MODES, "categorical_split": SPLITS, "split_penalty": [0.01, 0.05]},
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert search.best_estimator_.predict(X).shape == y.shape
    numbers = ColumnTransformer(
        [("n", StandardScaler(), make_column_selector(dtype_include=float))],
        remainder="passthrough",
    )
    for output in ("default", "pandas", "polars"):
        pipe = make_pipeline(numbers, OptimalTreeClassifier(max_depth=2))
        if output != "default":
            pipe.set_output(transform=output)
        assert cross_val_predict(pipe, X, y, cv=2).shape == y.shape
    set_config(enable_metadata_routing=True)
    try:
        model = OptimalTreeClassifier(max_depth=1).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        GridSearchCV(model, {"split_penalty": [0.1]}, cv=2).fit(
            X, y, sample_weight=np.ones(len(y))
        )
    finally:
        set_config(enable_metadata_routing=False)
    tags = OptimalTreeClassifier().__sklearn_tags__().input_tags
    assert tags.allow_nan and tags.categorical
    refusing = OptimalTreeClassifier(missing="error")
    assert not refusing.__sklearn_tags__().input_tags.allow_nan


def test_many_numbers_with_gaps_go_to_the_threshold_engine():
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 3))
    X[random.random(X.shape) < 0.2] = np.nan
    y = (np.nan_to_num(X[:, 0], nan=3) > 0.3).astype(int)
    model = OptimalTreeClassifier(0.01).fit(X, y)
    assert model.stats_["solver"] == "threshold" and model.optimal_
    assert model.n_splits_ == 1 and model.score(X, y) == 1
    assert "x0 > " in model.export_text() and "or missing" in model.export_text()
    three = OptimalTreeClassifier(0.01, missing="branch", max_depth=1).fit(
        X[:80], y[:80]
    )
    assert three.optimal_ and three.tree_.n_children[0] == 3


def test_a_raw_file_with_gaps_in_one_command(tmp_path, monkeypatch, capsys):
    source = data_file("raw", "mushroom.csv.gz")
    monkeypatch.chdir(tmp_path)
    query = f"select * replace (nullif(stalk_root, '?') as stalk_root) from '{source}'"
    arguments = ["fit", query, "--target", "class", "--quiet", "--save", "tree.json"]
    monkeypatch.setattr(sys, "argv", ["treeproof", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    assert "Optimal: no tree" in capsys.readouterr().out
