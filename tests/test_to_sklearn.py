"""The scikit-learn tree predicts what ours predicts, for unseen values as well."""

import warnings

import numpy as np
import pytest
from sklearn.tree import export_text, plot_tree
from sklearn.utils.validation import check_is_fitted
from trees import random_table, unseen_rows

from treeproof import OptimalTreeClassifier


@pytest.mark.parametrize("split", ["multiway", "one-vs-rest"])
@pytest.mark.parametrize("seed", range(15))
def test_same_predictions(seed, split):
    X, y = random_table(seed)
    model = OptimalTreeClassifier(0.01, categorical_split=split, time_limit=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    tree = model.to_sklearn()
    check_is_fitted(tree)
    for table in (X, unseen_rows(seed)):
        codes = model.encode(table)
        assert codes.shape[1] == tree.n_features_in_ == len(model.encoded_names())
        assert np.array_equal(tree.predict(codes), model.predict(table))
        assert np.allclose(tree.predict_proba(codes), model.predict_proba(table))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_numeric_tables_need_no_encoding(dtype):
    random = np.random.default_rng(3)
    X = (random.normal(size=(80, 3)) * 8).astype(dtype)
    y = (X[:, 0] > 1) ^ (X[:, 1] > 0)
    model = OptimalTreeClassifier(0.02).fit(X, y)
    tree = model.to_sklearn()
    assert np.array_equal(tree.predict(X), model.predict(X))
    assert np.array_equal(tree.apply(X), model.apply(X))
    assert tree.get_depth() == model.get_depth()
    assert tree.get_n_leaves() == model.get_n_leaves()
    assert np.array_equal(tree.tree_.n_node_samples, model.tree_.n_node_samples)


def test_close_values_survive_single_precision():
    random = np.random.default_rng(0)
    for _ in range(100):
        a = np.float32(random.normal())
        b = np.nextafter(a, np.float32(9))
        # Any double that rounds to one of the two.
        spread = 0.4 * float(abs(np.spacing(a)))
        low, high = float(a) + random.uniform(-spread, spread), float(b)
        X = np.array([[low], [high]])
        model = OptimalTreeClassifier(0.0).fit(X, [0, 1])
        assert model.to_sklearn().predict(X).tolist() == [0, 1]


def test_whole_number_categories_stand_for_themselves():
    X = np.array([[3], [7], [9], [3], [7], [9]])
    model = OptimalTreeClassifier(
        categorical_features=[0], categorical_split="multiway"
    ).fit(X, list("abcabc"))
    tree = model.to_sklearn()
    probe = np.array([[2], [3], [5], [7], [8], [9], [11]])
    assert tree.predict(probe).tolist() == model.predict(probe).tolist()
    assert tree.predict(model.encode(probe)).tolist() == model.predict(probe).tolist()
    assert model.predict(probe).tolist() == ["a", "a", "a", "b", "a", "c", "a"]


@pytest.mark.parametrize("seed", range(8))
def test_without_leaves_for_unseen_categories(seed):
    X, y = random_table(seed)
    model = OptimalTreeClassifier(0.01, time_limit=5).fit(X, y)
    tree = model.to_sklearn(unseen=False)
    assert tree.tree_.n_node_samples.min() > 0
    assert tree.tree_.node_count <= model.to_sklearn().tree_.node_count
    codes = model.encode(X)
    assert np.array_equal(tree.predict(codes), model.predict(X))
    assert np.allclose(tree.predict_proba(codes), model.predict_proba(X))


def test_one_hot_names():
    X = {"colour": ["red", "blue", "green"] * 4, "n": [1, 2, 3] * 4}
    model = OptimalTreeClassifier(categorical_split="one-vs-rest").fit(X, [1, 0, 1] * 4)
    names = ["colour=blue", "colour=green", "colour=red", "n"]
    assert model.encoded_names() == names


def test_scikit_learn_s_own_tools_work():
    import matplotlib

    matplotlib.use("Agg")
    X, y = random_table(2)
    model = OptimalTreeClassifier(0.02).fit(X, y)
    tree = model.to_sklearn()
    assert "class: " in export_text(tree, feature_names=model.encoded_names())
    assert plot_tree(tree, feature_names=model.encoded_names())
    assert tree.feature_importances_.sum() == pytest.approx(1)
    names = model.encoded_names()
    assert tree.tree_.compute_feature_importances().shape == (len(names),)


def test_names_are_passed_on_for_numeric_frames():
    X, y = random_table(1)
    model = OptimalTreeClassifier(0.02).fit(X[["size", "count"]], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predicted = model.to_sklearn().predict(X[["size", "count"]])
    assert list(predicted) == list(model.predict(X[["size", "count"]]))


def test_single_leaf_and_single_class():
    assert OptimalTreeClassifier().fit([[1], [2]], ["a", "a"]).to_sklearn().predict(
        [[5]]
    ).tolist() == ["a"]
    model = OptimalTreeClassifier(max_depth=0).fit([[1], [2], [3]], [0, 1, 1])
    assert model.to_sklearn().predict([[1]]).tolist() == [1]
