"""The bound-pruned classifier, and choosing the size of an optimal tree by bound."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_generalization_pruning import categorical

from treeproof import OptimalTreeClassifier
from treeproof.generalization import (
    BoundPrunedTreeClassifier,
    FeatureSpace,
    prune,
    risk_bound,
    select_by_bound,
)


@parametrize_with_checks(
    [
        BoundPrunedTreeClassifier(),
        BoundPrunedTreeClassifier("optimal", max_depth=2, time_limit=5.0),
        BoundPrunedTreeClassifier(DecisionTreeClassifier(max_depth=3)),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_greedy_is_grow_then_prune():
    X, y = load_breast_cancer(return_X_y=True)
    clf = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    tree = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
    path = prune(tree, X, y)
    assert np.array_equal(clf.predict(X), path.tree.predict(X))
    assert clf.bound_ == path.chosen.bound
    assert clf.get_n_leaves() < tree.get_n_leaves()
    assert clf.get_depth() == clf.tree_.max_depth
    assert clf.bound_ == pytest.approx(
        risk_bound(int(np.sum(clf.predict(X) != y)), len(y), clf, 30, 2)
    )
    again = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert np.array_equal(again.apply(X), clf.apply(X))


def test_pruning_helps_on_noise():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(y)) < 0.15, rng.integers(0, 3, len(y)), y)
    ours = BoundPrunedTreeClassifier(random_state=0, r=2**-8.0)
    full = DecisionTreeClassifier(random_state=0)
    assert cross_val_score(ours, X, y).mean() > cross_val_score(full, X, y).mean()


def test_optimal_base_on_categories():
    table, y = categorical()
    clf = BoundPrunedTreeClassifier("optimal", max_depth=3).fit(table, y)
    assert isinstance(clf.estimator_, OptimalTreeClassifier)
    assert np.mean(clf.predict(table) == y) > 0.85
    assert list(clf.feature_names_in_) == ["colour", "size", "number"]


def test_parameters_are_checked():
    X, y = load_iris(return_X_y=True)
    for change in (
        {"base": "random"},
        {"delta": 1.0},
        {"r": 0.0},
        {"max_leaf_nodes": 1},
        {"n_features": 0},
    ):
        with pytest.raises(ValueError, match=next(iter(change))):
            BoundPrunedTreeClassifier(**change).fit(X, y)
    told = BoundPrunedTreeClassifier(n_features=FeatureSpace(real=100)).fit(X, y)
    assert told.bound_ > clone(told).set_params(n_features=None).fit(X, y).bound_


# ------------------------------------------------------------- select_by_bound


def test_select_by_bound_returns_the_smallest_bound_of_its_curve():
    X, y = load_iris(return_X_y=True)
    base = OptimalTreeClassifier(max_depth=3)
    chosen = select_by_bound(X, y, estimator=base)
    bounds = [point.bound for point in chosen]
    assert chosen.chosen.bound == min(bounds)
    sizes = [point.n_leaves for point in chosen]
    assert sizes == sorted(sizes)
    for point, model in zip(chosen, chosen.models, strict=True):
        assert point.errors == np.sum(model.predict(X) != y)
        assert point.optimal == model.optimal_
        assert point.setting["split_penalty"] == model.split_penalty
        assert point.bound == pytest.approx(
            risk_bound(point.errors, len(y), model, 4, 3)
        )
    assert chosen.tree is chosen.models[chosen.best]
    assert "<- chosen" in str(chosen)


def test_stopping_early_changes_nothing():
    table, y = categorical()
    base = OptimalTreeClassifier(max_depth=3)
    early = select_by_bound(table, y, estimator=base)
    full = select_by_bound(table, y, estimator=base, stop_early=False)
    assert len(early) <= len(full) == 10
    assert early.chosen == full.chosen


def test_select_by_bound_finds_the_planted_size():
    """Four regions with little noise: not two, not ten."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 6)).astype(bool)
    y = (X[:, 0] ^ X[:, 1]) ^ (rng.random(2000) < 0.02)
    chosen = select_by_bound(
        X, y.astype(int), n_features=FeatureSpace(binary=6), r=2**-5.0
    )
    assert chosen.chosen.n_leaves == 4
    assert chosen.chosen.bound < 0.5


def test_select_by_bound_over_sizes():
    X, y = load_iris(return_X_y=True)
    base = OptimalTreeClassifier(max_depth=2)
    if base.set_params(max_splits=1).fit(X, y).n_splits_ > 1:
        pytest.skip("the engine does not keep to max_splits yet")
    chosen = select_by_bound(X, y, sizes=[2, 0, 1], estimator=base)
    assert [point.n_leaves for point in chosen] == [1, 2, 3]
    assert [point.errors for point in chosen] == [100, 50, 6]


def test_select_by_bound_rejects_nonsense():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="penalties or sizes, not both"):
        select_by_bound(X, y, penalties=[0.1], sizes=[1])
    with pytest.raises(ValueError, match="nothing to choose from"):
        select_by_bound(X, y, penalties=[])
    with pytest.raises(ValueError, match="sizes must be a whole number"):
        select_by_bound(X, y, sizes=[-1])
