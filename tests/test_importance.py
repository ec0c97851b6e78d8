"""The importance of columns: shares in the tree, and exact searches without them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 4, 120),
            "b": rng.choice(list("xyz"), 120),
            "c": rng.integers(0, 3, 120),
            "noise": rng.normal(size=120).round(1),
        }
    )
    y = ((X["a"] > 1) & (X["b"] != "x")) ^ (rng.random(120) < 0.05)
    return X, y.to_numpy()


def test_shares_of_what_splits_save(data):
    X, y = data
    clf = OptimalTreeClassifier(0.01, max_depth=3).fit(X, y)
    shares = clf.feature_importances_
    assert shares.shape == (4,) and shares.sum() == pytest.approx(1)
    used = set(clf.tree_.feature[clf.tree_.feature >= 0].tolist())
    assert all(shares[j] == 0 for j in range(4) if j not in used)
    assert OptimalTreeClassifier(max_depth=0).fit(X, y).feature_importances_.sum() == 0


def test_shares_are_scikit_learn_s_where_the_trees_are_the_same():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    y = 3.0 * (X[:, 0] > 0) + (X[:, 1] > 0.5) + rng.normal(size=150) / 50
    ours = OptimalTreeRegressor(0.0, max_depth=2, max_splits=3).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=2).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y))
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)
    assert ours.to_sklearn().feature_importances_ == pytest.approx(
        ours.feature_importances_, abs=1e-6
    )


@pytest.mark.parametrize("kind", ["frame", "dict", "matrix"])
def test_without_a_column(data, kind):
    X, y = data
    if kind == "matrix":
        X = X.drop(columns="b")
    table = {"frame": X, "dict": dict(X), "matrix": X.to_numpy()}[kind]
    clf = OptimalTreeClassifier(0.01, max_depth=2).fit(table, y)
    found = clf.drop_column_importance(table, y)
    assert [one.increase[1] for one in found] == sorted(
        (one.increase[1] for one in found), reverse=True
    )
    names = [column.name for column in clf.tree_.columns]
    assert sorted(one.name for one in found) == sorted(names)
    for one in found:
        other = X.drop(columns=X.columns[names.index(one.name)])
        again = OptimalTreeClassifier(0.01, max_depth=2).fit(other, y)
        assert one.objective == pytest.approx(again.objective_)
        assert one.increase[0] == pytest.approx(again.objective_ - clf.objective_)
        assert one.optimal and "proved" in str(one)


def test_what_cannot_be_proved_is_an_interval(data):
    X, y = data
    clf = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    clf.lower_bound_, clf.optimal_ = clf.objective_ / 2, False  # as after a time limit
    for one in clf.drop_column_importance(X, y):
        low, high = one.increase
        assert 0 <= low <= high and one.lower_bound <= one.objective
        assert one.optimal or "between" in str(one)


def test_named_categories_and_first_splits(data):
    X, y = data
    clf = OptimalTreeClassifier(
        max_depth=1, categorical_features=["a", "b"], first_split="a"
    ).fit(X, y)
    (one,) = clf.drop_column_importance(X, y, columns=["a"])
    assert one.model.first_split is None
    assert [c.is_categorical for c in one.model.tree_.columns] == [True, False, False]
    with pytest.raises(ValueError, match="'z' is not a column"):
        clf.drop_column_importance(X, y, columns=["z"])
    alone = OptimalTreeClassifier().fit(X[["a"]], y)
    with pytest.raises(ValueError, match="nothing to split on"):
        alone.drop_column_importance(X[["a"]], y)
