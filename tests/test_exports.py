"""Every export makes the predictions of predict."""

import os
import warnings

import numpy as np
import pandas as pd
import pytest
from export_checks import (
    check_exports,
    random_case,
    random_rows,
    run_duckdb,
    with_actions,
)
from trees import random_table, unseen_rows

from treeproof import OptimalTreeClassifier, from_json
from treeproof.export.onnx import input_arrays
from treeproof.tree import Tree

# ``make check-exports`` asks for more.
N_TREES = int(os.environ.get("TREEPROOF_EXPORT_TREES", "36"))
N_ROWS = int(os.environ.get("TREEPROOF_EXPORT_ROWS", "300"))


@pytest.mark.parametrize("seed", range(N_TREES))
def test_random_trees(seed):
    case = random_case(seed)
    check_exports(case, random_rows(case, seed, N_ROWS))


@pytest.mark.parametrize("says", ["abstain", "label", "ratio", "policy"])
@pytest.mark.parametrize("seed", range(N_TREES // 3))
def test_leaves_that_choose(seed, says):
    case = with_actions(random_case(seed), says, seed)
    check_exports(case, random_rows(case, seed, N_ROWS))


def test_the_random_trees_cover_everything():
    cases = [random_case(seed) for seed in range(36)]
    assert {k for case in cases for k in case.kinds} == {
        "double", "single", "int", "bool", "text", "code",
    }  # fmt: skip
    assert {int(k) for case in cases for k in case.tree.kind} == set(range(6))
    ways = {
        (int(case.tree.kind[node]), int(case.tree.missing[node]))
        for case in cases
        for node in range(case.tree.node_count)
    }
    assert ways >= {(k, m) for k in (1, 2) for m in (-1, 0, 1, 2)}
    assert ways >= {(k, m) for k in (3, 5) for m in (-1, 2, 3)}
    widths = {c.tree.value.shape[1] for c in cases if c.tree.classes is None}
    assert widths == {1, 2}
    sizes = {len(c.tree.classes) for c in cases if c.tree.classes is not None}
    assert sizes >= {2, 3, 4}
    unseen = [np.any(c.tree.kind[c.nodes(random_rows(c, 0, 300))] != 0) for c in cases]
    assert sum(unseen) >= 5  # rows that stop at a split


@pytest.mark.parametrize("split", ["multiway", "one-vs-rest"])
@pytest.mark.parametrize("seed", range(3))
def test_fitted_estimators(seed, split):
    X, y = random_table(seed)
    model = OptimalTreeClassifier(0.02, categorical_split=split).fit(X, y)
    rows = pd.concat([X, unseen_rows(seed)], ignore_index=True)
    rows["code"] = rows["code"].astype(int)
    expected = model.predict(rows.astype({"code": "category"})).tolist()
    query = model.to_sql(table="rows", name="label")
    assert run_duckdb(rows, query)[:, -1].tolist() == expected
    place = {}
    exec(model.to_python(), place)
    assert [place["predict"](row) for row in rows.to_dict("records")] == expected
    again = from_json(model.to_json())
    assert again.predict(rows.astype({"code": "category"})).tolist() == expected
    assert again.get_params() == model.get_params()
    assert again.certificate() == model.certificate()
    assert again.tree_ == model.tree_ and again.stats_ == model.stats_
    assert model.to_onnx().graph.input[0].name == "size"


def chain(depth):
    """A tree of one long path."""
    nodes = 2 * depth + 1
    inner = np.arange(nodes) % 2 == 0
    inner[-1] = False
    first = np.concatenate([[0], np.cumsum(2 * inner)[:-1]])
    children = [c for node in np.flatnonzero(inner) for c in (node + 1, node + 2)]
    value = np.eye(2)[np.arange(nodes) % 4 // 2]
    return Tree(
        feature=np.where(inner, 0, -2), kind=inner.astype(int),
        threshold=np.where(inner, np.arange(nodes) / 2.0, -2.0),
        category=np.full(nodes, -1), first_child=first, n_children=2 * inner,
        children=children, child_outcome=[0, 1] * depth, value=value,
        n_node_samples=np.ones(nodes), weighted_n_node_samples=np.ones(nodes),
        columns=OptimalTreeClassifier().fit([[0], [1]], [0, 1]).tree_.columns,
        classes=np.array(["a", "b"]),
    )  # fmt: skip


def test_deep_trees():
    tree = chain(1000)
    place = {}
    exec(tree.to_python(), place)
    X = np.arange(-1, 1002, 0.5)
    expected = tree.classes[np.argmax(tree.predict(X[None]), axis=1)].tolist()
    assert [place["predict"]({"x0": x}) for x in X] == expected
    assert from_json(tree.to_json()) == tree
    assert len(tree.to_rules()) == tree.n_leaves
    with pytest.raises(ValueError, match="too deep for one SQL expression"):
        tree.to_sql()
    assert chain(80).to_sql("sqlite").count("CASE") == 80


def test_missing_values_are_not_guessed():
    model = OptimalTreeClassifier(missing="error")
    model.fit({"a b": [1, 2, 7, 8]}, [0, 0, 1, 1])
    rows = pd.DataFrame({"a b": [None, 2, 7]}, dtype="Int64")
    assert run_duckdb(rows, model.to_sql(table="rows"))[:, -1].tolist() == [None, 0, 1]
    place = {}
    exec(model.to_python(), place)
    for gone in (None, float("nan")):
        with pytest.raises(ValueError, match="The value of 'a b' is missing"):
            place["predict"]({"a b": gone})


def test_dialects_quote_in_their_own_way():
    model = OptimalTreeClassifier().fit({"a b": ["it's", "b\\"]}, [0, 1])
    assert "`a b` = 'it''s'" in model.to_sql("mysql") and "'b\\\\'" in model.to_sql(
        "mysql"
    )
    assert "[a b] = 'it''s'" in model.to_sql("tsql")
    assert "`a b` = 'it\\'s'" in model.to_sql("bigquery")
    assert 'FROM "x"."y"' in model.to_sql("postgres", table="x.y")


def test_every_dialect_is_valid_sql():
    """As sqlglot's own parser of that dialect sees it."""
    import sqlglot

    from treeproof.export.sql import dialect_names

    trees = [random_case(seed).tree for seed in (11, 18, 19, 23)]
    assert {int(k) for tree in trees for k in tree.kind} >= {0, 1, 2, 3}
    assert {"duckdb", "sqlite", "postgres", "mysql", "bigquery"} <= set(dialect_names())
    for dialect in dialect_names():
        for tree in trees:
            query = tree.to_sql(dialect, table="rows")
            assert sqlglot.parse_one(query, read=dialect).find(sqlglot.exp.Select)


def test_trees_that_know_missing_values_are_refused():
    from treeproof.stream import OnlineBranchesClassifier

    learner = OnlineBranchesClassifier()
    for k in range(500):
        learner.learn_one({"a": None if k % 3 == 0 else k + 0.5}, int(k % 3 == 0))
    tree = learner.tree_
    assert np.isinf(tree.threshold[0])
    for method in ("to_sql", "to_onnx", "to_python", "to_rules", "to_json"):
        with pytest.raises(ValueError, match="whether the value of 'a' is there at"):
            getattr(tree, method)()
    assert tree.to_svg().startswith("<svg")


def test_bad_requests():
    model = OptimalTreeClassifier().fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match=r"'cobol' is not a dialect.*duckdb.*sqlite"):
        model.to_sql("cobol")
    with pytest.raises(ValueError, match="name a table"):
        model.to_sql(proba=True)
    with pytest.raises(ValueError, match=r"'a\.\.b' is not the name of a table"):
        model.to_sql(table="a..b")
    with pytest.raises(ValueError, match="'a b' cannot be the name of a Python"):
        model.to_python(name="a b")
    regression = random_case(5).tree
    assert regression.classes is None
    with pytest.raises(ValueError, match="A regression tree has no class prob"):
        regression.to_python(proba=True)


@pytest.mark.parametrize(
    "module, method",
    [("sqlglot", "to_sql"), ("onnx", "to_onnx")],
)
def test_missing_packages_are_named(monkeypatch, module, method):
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    model = OptimalTreeClassifier().fit([[1], [2]], [0, 1])
    words = rf"{method}\(\) needs {module}, .* pip install 'treeproof\[export\]'"
    with pytest.raises(ImportError, match=words):
        getattr(model, method)()


def test_parameters_of_all_kinds_survive():
    model = OptimalTreeClassifier(
        class_weight={0: 2, 1: 1.5},
        categorical_features=np.array([True, False]),
        random_state=np.random.RandomState(0),
        memory_limit="1GB",
    ).fit([[1, 2], [2, 3]], [0, 1])
    again = from_json(model.to_json())
    assert again.class_weight == {0: 2, 1: 1.5}
    assert again.categorical_features == [True, False]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert again.fit([[1, 2], [2, 3]], [0, 1]).tree_ == model.tree_


def test_onnx_leaves_out_dates_that_are_not_tested():
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    days = np.datetime64("2024-01-01") + np.arange(40)
    X = {"day": days, "size": np.arange(40) % 8, "kind": ["a", "b"] * 20}
    y = np.arange(40) % 8 > 3
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y).tree_
    made = tree.to_onnx()
    assert [put.name for put in made.graph.input] == ["size", "kind"]
    session = runtime.InferenceSession(made.SerializeToString())
    (told,) = session.run(["label"], input_arrays(tree, X))
    assert told.tolist() == y.tolist()
    dated = OptimalTreeClassifier(max_depth=1).fit({"day": days}, days > days[20])
    with pytest.raises(ValueError, match="the tree tests column 'day'"):
        dated.tree_.to_onnx()
