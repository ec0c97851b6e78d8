"""The node table: shape, routing, paths, collapse, equality, text."""

import copy
import json
import pickle

import numpy as np
import pytest
from trees import random_table, unseen_rows, walk

from treeproof import OptimalTreeClassifier
from treeproof.tree import LEAF, MULTIWAY, Tree

SEEDS = range(12)


def fitted(seed, split="multiway", penalty=0.015):
    X, y = random_table(seed)
    model = OptimalTreeClassifier(penalty, categorical_split=split, time_limit=20)
    return model.fit(X, y), X, y


@pytest.fixture(scope="module", params=["multiway", "one-vs-rest"])
def models(request):
    return [fitted(seed, request.param) for seed in SEEDS]


def rows_of(X):
    return [
        {name: value for name, value in zip(X.columns, row, strict=True)}
        for row in X.itertuples(index=False)
    ]


def test_apply_is_the_plain_walk(models):
    for seed, (model, X, _) in zip(SEEDS, models, strict=True):
        for table in (X, unseen_rows(seed)):
            expected = [walk(model.tree_, row) for row in rows_of(table)]
            assert model.apply(table).tolist() == expected


def test_an_unseen_category_stays_at_the_multiway_node():
    X = [["a"], ["b"], ["b"], ["a"], ["b"]]
    model = OptimalTreeClassifier().fit(X, [0, 1, 1, 0, 1])
    assert model.apply([["a"], ["never"]]).tolist() == [1, 0]
    assert model.predict([["never"]]).tolist() == [1]
    assert model.predict_proba([["never"]]).tolist() == [[0.4, 0.6]]


def test_an_unseen_category_is_not_equal():
    X = [["a"], ["b"], ["c"], ["a"], ["c"], ["c"]]
    model = OptimalTreeClassifier(categorical_split="one-vs-rest")
    model.fit(X, [0, 1, 1, 0, 1, 1])
    assert model.predict([["never"], ["a"]]).tolist() == [1, 0]


def test_values_and_counts_are_those_of_the_training_rows(models):
    for model, X, y in models:
        tree = model.tree_
        path = model.decision_path(X).toarray().astype(bool)
        for node in range(tree.node_count):
            here = y[path[:, node]]
            assert tree.n_node_samples[node] == len(here)
            assert tree.value[node].tolist() == [
                (here == c).sum() for c in tree.classes
            ]
        assert np.array_equal(tree.weighted_n_node_samples, tree.n_node_samples)


def test_decision_path_is_the_way_to_the_leaf(models):
    for model, X, _ in models:
        tree = model.tree_
        path, leaf = model.decision_path(X), model.apply(X)
        assert path.shape == (len(X), tree.node_count)
        depth = np.asarray(path.sum(axis=1)).ravel() - 1
        assert np.array_equal(depth, tree.node_depth[leaf])
        assert all(path[i, k] == 1 for i, k in enumerate(leaf))


def test_shape(models):
    for model, _, _ in models:
        tree = model.tree_
        assert tree.n_splits + tree.n_leaves == tree.node_count
        assert tree.n_splits == model.n_splits_ == (tree.kind != LEAF).sum()
        assert tree.depth == model.get_depth() == tree.max_depth
        assert tree.n_leaves == model.get_n_leaves()
        assert tree.parent[0] == -1
        for node in range(1, tree.node_count):
            assert node in tree.node_children(tree.parent[node])
            assert tree.parent[node] < node


def test_binary_views():
    X, y = random_table(0)
    tree = OptimalTreeClassifier(0.01).fit(X[["size", "count"]], y).tree_
    assert tree.is_binary
    for node in range(tree.node_count):
        left, right = tree.children_left[node], tree.children_right[node]
        if tree.kind[node] == LEAF:
            assert (left, right, tree.feature[node]) == (-1, -1, -2)
        else:
            assert [left, right] == tree.node_children(node).tolist()


def test_multiway_trees_have_no_binary_views():
    X = [["a"], ["b"], ["c"]] * 3
    multiway = OptimalTreeClassifier(categorical_split="multiway")
    tree = multiway.fit(X, [0, 1, 2] * 3).tree_
    with pytest.raises(AttributeError, match="two children"):
        _ = tree.children_left


def test_equality_copies_and_pickles(models):
    for model, X, _ in models:
        tree = model.tree_
        for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
            assert other == tree
            other.value[0, 0] += 1
            assert other != tree
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict(X), model.predict(X))
    assert tree != "a tree"


def test_pickles_hold_no_training_data():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (20_000, 10))
    model = OptimalTreeClassifier(max_depth=1).fit(X, X[:, 0])
    assert len(pickle.dumps(model)) < 20_000


def test_collapse_keeps_predictions(models):
    for seed, (model, X, _) in zip(SEEDS, models, strict=True):
        tree = model.tree_
        small = tree.collapse()
        assert small.node_count <= tree.node_count
        assert small.n_splits <= tree.n_splits
        assert small.n_node_samples[0] == tree.n_node_samples[0]
        leaves = small.kind == LEAF
        assert small.n_node_samples[leaves].sum() == len(X)
        for table in (X, unseen_rows(seed)):
            columns = model._read_rows(table)
            before = tree.value[tree.apply(columns)].argmax(axis=1)
            after = small.value[small.apply(columns)].argmax(axis=1)
            assert np.array_equal(before, after)
        assert small.collapse() == small


def test_collapse_leaves_no_equal_siblings(models):
    for model, _, _ in models:
        small = model.tree_.collapse()
        for node in np.flatnonzero(small.kind == MULTIWAY):
            children = set(small.node_children(node).tolist())
            leaves = [c for c in children if small.kind[c] == LEAF]
            verdicts = [small.value[c].argmax() for c in leaves]
            assert len(set(verdicts)) == len(verdicts)


def test_collapse_sees_what_a_category_without_rows_would_get():
    """No row of q has z, but z would get the class 0 that it gets under p."""
    rows = [("p", c, y) for c, y in (("x", 1), ("y", 0), ("z", 0)) for _ in range(3)]
    rows += [("q", c, y) for c, y in (("x", 1), ("y", 0), ("y", 0)) for _ in range(3)]
    rows += [("r", c, 1) for c in "xyz" for _ in range(9)]
    X = [row[:2] for row in rows]
    model = OptimalTreeClassifier(0.001, categorical_split="multiway")
    model.fit(X, [row[2] for row in rows])
    assert model.n_splits_ == 3
    small = model.tree_.collapse()
    assert small.n_splits == 2 and small.n_leaves == 3
    text = small.export_text()
    assert "x0 in {p, q}" in text and "x1 in {y, z}: 0" in text


def test_collapse_merges_subtrees_not_only_leaves():
    """MONK 1: ten multiway splits collapse to seven (Figures 4.17 and 4.18)."""
    from treeproof.datasets import load_monks

    model = OptimalTreeClassifier(0.01, penalize="splits")
    model.fit(*load_monks(1, return_X_y=True))
    assert model.n_splits_ == 10 and model.optimal_
    assert model.objective_ == pytest.approx(0.1)
    assert model.tree_.collapse().n_splits == 7


def test_to_dict_is_json(models):
    for model, _, _ in models:
        tree = json.loads(json.dumps(model.tree_.to_dict()))
        assert len(tree["nodes"]) == model.tree_.node_count
        assert [c["name"] for c in tree["columns"]] == list(model.feature_names_in_)


def test_text_of_every_kind_of_test():
    numbers = {"n": [1, 2, 3, 4] * 4}
    text = OptimalTreeClassifier().fit(numbers, [0, 0, 1, 1] * 4).export_text()
    assert text.splitlines()[0] == "16 rows"
    assert "n <= 2.5" in text and "n > 2.5" in text
    assert "8 rows (50%), 0 wrong" in text
    only = {"c": list("abcc") * 4}
    model = OptimalTreeClassifier(categorical_split="multiway")
    text = model.fit(only, [0, 1, 0, 0] * 4).export_text()
    assert "c in {a, c}: 0" in text and "c = b: 1" in text
    assert "c = c: 0" in model.export_text(collapse=False)
    model = OptimalTreeClassifier(categorical_split="one-vs-rest")
    text = model.fit(only, [0, 1, 0, 0] * 4).export_text()
    assert "c = b: 1" in text and "c != b: 0" in text


def test_text_of_a_leaf_and_of_weights():
    model = OptimalTreeClassifier().fit([[1], [1]], ["a", "b"], [1.0, 2.5])
    assert model.export_text() == "b   2 rows (100%), 1 wrong"


def test_a_long_list_of_categories_is_cut():
    names = [f"c{i:02}" for i in range(30)]
    model = OptimalTreeClassifier(categorical_split="multiway").fit(
        [[n] for n in names], [int(n < "c20") for n in names]
    )
    assert "and 13 more" in model.export_text()


def test_thresholds_are_exact_at_ties():
    for dtype in (np.float32, np.float64):
        a = dtype(0.1)
        b = np.nextafter(a, dtype(1))
        X = np.array([[a], [b], [a], [b]], dtype=dtype)
        model = OptimalTreeClassifier(0.0).fit(X, [0, 1, 0, 1])
        assert model.predict(X).tolist() == [0, 1, 0, 1]
        assert model.predict(X.astype(np.float64)).tolist() == [0, 1, 0, 1]


def test_a_threshold_itself_goes_to_the_yes_side():
    model = OptimalTreeClassifier(0.0).fit([[1.0], [2.0]], [0, 1])
    assert model.tree_.threshold[0] == 1.5
    probe = np.array([[1.5], [np.nextafter(1.5, 2)]])
    assert model.predict(probe).tolist() == [0, 1]
    assert model.predict(np.array([[1.5]], dtype=np.float32)).tolist() == [0]


def test_deep_trees_need_no_recursion():
    n = 1200
    chain = Tree(
        feature=[0, -2] * n + [-2],
        kind=[1, 0] * n + [0],
        threshold=np.append(np.repeat(np.arange(n, dtype=float), 2), -2.0),
        category=[-1] * (2 * n + 1),
        first_child=np.minimum(np.arange(2 * n + 1), 2 * n),
        n_children=[2, 0] * n + [0],
        children=np.ravel([(2 * k + 1, 2 * k + 2) for k in range(n)]),
        child_outcome=[0, 1] * n,
        value=[[1.0, 0.0], [0.0, 1.0]] * n + [[1.0, 0.0]],
        n_node_samples=[1] * (2 * n + 1),
        weighted_n_node_samples=[1.0] * (2 * n + 1),
        columns=OptimalTreeClassifier().fit([[0]], [0]).tree_.columns,
        classes=np.array([0, 1]),
    )
    assert chain.depth == n
    assert chain.apply([np.array([-1.0, n + 1.0])]).tolist() == [1, 2 * n]
    assert len(chain.export_text().splitlines()) == 2 * n + 1
    assert chain.collapse() == chain
    assert pickle.loads(pickle.dumps(chain)) == chain
