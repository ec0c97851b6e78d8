"""`criterion="log_loss"` and `"gini"`: trees that are optimal for probabilities."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

from treeproof import OptimalTreeClassifier, from_json
from treeproof.constraints import RecallAtLeast
from treeproof.path import penalty_path

IRIS = load_iris(return_X_y=True)


def brier(clf: OptimalTreeClassifier, X: Any, y: Any) -> float:
    shares = clf.predict_proba(X)
    own = clf.classes_[None, :] == np.asarray(y)[:, None]
    return float(((shares - own) ** 2).sum(axis=1).mean())


@pytest.mark.parametrize("criterion", ["log_loss", "gini"])
def test_the_objective_is_the_mean_loss_of_the_probabilities(criterion: str) -> None:
    X, y = IRIS
    clf = OptimalTreeClassifier(0.02, criterion=criterion, max_depth=3).fit(X, y)
    loss = (
        log_loss(y, clf.predict_proba(X))
        if criterion == "log_loss"
        else brier(clf, X, y)
    )
    assert clf.optimal_ and clf.lower_bound_ == clf.objective_
    assert clf.objective_ == pytest.approx(loss + 0.02 * (clf.get_n_leaves() - 1))
    assert clf.certificate().endswith("by more than 1e-9 of that.")


@pytest.mark.parametrize("criterion", ["log_loss", "gini"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_worse_than_the_greedy_tree(criterion: str, depth: int) -> None:
    rng = np.random.default_rng(depth)
    X = rng.normal(size=(150, 4))
    y = (X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=150) > 0).astype(int)
    ours = OptimalTreeClassifier(0.0, criterion=criterion, max_depth=depth).fit(X, y)
    greedy = DecisionTreeClassifier(
        criterion=criterion, max_depth=depth, random_state=0
    ).fit(X, y)
    leaf = greedy.tree_.children_left == -1
    weight = greedy.tree_.weighted_n_node_samples[leaf]
    theirs = float(weight @ greedy.tree_.impurity[leaf] / len(y))
    if criterion == "log_loss":
        theirs *= np.log(2)  # scikit-learn's entropy is in bits
    assert ours.objective_ <= theirs + 1e-9


@pytest.mark.parametrize("criterion", ["log_loss", "gini"])
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_one_split_against_all_cuts(criterion: str, smoothing: float) -> None:
    rng = np.random.default_rng(7)
    X = rng.integers(0, 9, size=(60, 3)).astype(float)
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, size=60)]
    weights = rng.integers(1, 4, size=60).astype(float)

    def leaf(rows: Any) -> float:
        counts = np.array([weights[rows & (y == c)].sum() for c in "abc"]) + smoothing
        share = counts / counts.sum()
        if criterion == "gini":
            return float((counts * (1 - share)).sum())
        some = counts > 0
        return float(-(counts[some] * np.log(share[some])).sum())

    best = leaf(np.ones(60, dtype=bool)) / weights.sum()
    for f, cut in itertools.product(range(3), np.arange(8) + 0.5):
        below = X[:, f] <= cut
        if below.any() and not below.all():
            cost = (leaf(below) + leaf(~below)) / weights.sum() + 0.001
            best = min(best, cost)
    clf = OptimalTreeClassifier(
        0.001, criterion=criterion, smoothing=smoothing, max_depth=1
    ).fit(X, y, weights)
    assert clf.objective_ == pytest.approx(best, rel=1e-9)


def test_smoothing_keeps_probabilities_from_zero() -> None:
    X, y = IRIS
    clf = OptimalTreeClassifier(criterion="log_loss", smoothing=1.0, max_depth=2)
    shares = clf.fit(X, y).predict_proba(X)
    assert shares.min() > 0
    assert np.allclose(shares.sum(axis=1), 1)
    assert np.isfinite(clf.predict_log_proba(X)).all()
    text = clf.export_text()
    assert "probability" in text and "wrong" not in text


def test_other_formats_say_the_same() -> None:
    X, y = IRIS
    clf = OptimalTreeClassifier(criterion="log_loss", smoothing=0.5, max_depth=3)
    wanted = clf.fit(X, y).predict_proba(X)
    again = from_json(clf.to_json())
    assert np.array_equal(again.predict_proba(X), wanted)
    assert again.certificate() == clf.certificate()
    assert np.array_equal(pickle.loads(pickle.dumps(clf)).predict_proba(X), wanted)
    assert np.allclose(clf.to_sklearn().predict_proba(X), wanted)
    assert clf.to_sklearn().criterion == "log_loss"
    assert "<svg" in clf.to_svg()


def test_missing_values_and_categories() -> None:
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=80).astype(object)
    colour[::7] = None
    size = rng.normal(size=80)
    size[::5] = np.nan
    y = (colour == "red") | (size > 0.3)
    X = np.column_stack([colour, size.astype(object)])
    clf = OptimalTreeClassifier(
        criterion="gini", max_depth=2, categorical_features=[0]
    ).fit(X, y)
    assert clf.optimal_
    assert clf.predict(X).shape == (80,)


def test_what_does_not_go_together_is_refused() -> None:
    X, y = IRIS
    clf = OptimalTreeClassifier(criterion="log_loss", max_depth=1)
    with pytest.raises(ValueError, match="cannot be combined with n_best"):
        OptimalTreeClassifier(criterion="gini", n_best=2).fit(X, y)
    with pytest.raises(ValueError, match="cannot be combined with constraints"):
        OptimalTreeClassifier(criterion="gini", constraints=[RecallAtLeast(0.5)]).fit(
            X, y
        )
    with pytest.raises(ValueError, match='cannot be combined with solver="sparse"'):
        OptimalTreeClassifier(criterion="gini", solver="sparse").fit(X, y)
    with pytest.raises(ValueError, match="is for class probabilities"):
        OptimalTreeClassifier(smoothing=1.0).fit(X, y)
    with pytest.raises(ValueError, match="has no path of penalties"):
        penalty_path(X, y, estimator=clf)
    with pytest.raises(ValueError, match="real numbers"):
        clf.fit(X, y).near_optimal(0.01)
