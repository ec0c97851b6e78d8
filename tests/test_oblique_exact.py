"""ObliqueTreeClassifier finds the optimum over all dichotomies surfaces can make."""

import numpy as np
import pytest
from dichotomy_oracle import best_cost, separable_sides
from effort import rounds

from treeproof import ObliqueTreeClassifier, OptimalTreeClassifier
from treeproof.proper.surface import lift, monomials

POSITIONS = {
    "general": lambda rng, n, d: rng.normal(size=(n, d)).round(3),
    "grid": lambda rng, n, d: rng.integers(0, 3, size=(n, d)) * 1.0,
    "line": lambda rng, n, d: rng.integers(0, 9, (n, 1)) * np.arange(1.0, d + 1),
    "duplicates": lambda rng, n, d: rng.normal(size=(3, d)).round(2)[
        rng.integers(0, 3, n)
    ],
}


def errors(clf, X, y):
    return int((clf.predict(X) != y).sum())


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_exact_over_all_separable_dichotomies(position, n_features):
    rng = np.random.default_rng([n_features, *map(ord, position)])
    for _ in range(rounds(1, 25)):
        n_rows = int(rng.integers(4, rounds([11, 10, 8], [11, 11, 11])[n_features - 1]))
        X = POSITIONS[position](rng, n_rows, n_features)
        y = rng.integers(0, 2, n_rows)
        sides = separable_sides(X)
        for n_splits in (1, 2):
            clf = ObliqueTreeClassifier(max_splits=n_splits).fit(X, y)
            assert clf.optimal_ and clf.status_ == "optimal"
            assert round(clf.objective_ * n_rows) == best_cost(sides, y, n_splits)
            assert errors(clf, X, y) == round(clf.objective_ * n_rows)


def test_curved_surfaces_are_exact_over_the_lift():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(8, 2)) * 1.0
    y = rng.integers(0, 2, 8)
    sides = separable_sides(lift(X, monomials(2, 2)))
    clf = ObliqueTreeClassifier("hypersurface", max_splits=1).fit(X, y)
    assert clf.optimal_
    assert round(clf.objective_ * 8) == best_cost(sides, y, 1)
    assert errors(clf, X, y) == round(clf.objective_ * 8)


def test_penalty_and_leaf_size_are_respected():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, size=(9, 2)) * 1.0
    y = rng.integers(0, 2, 9)
    sides = separable_sides(X)
    for penalty, least in [(0.05, 1), (0.15, 1), (0.0, 2), (0.05, 3)]:
        clf = ObliqueTreeClassifier(
            max_splits=2, split_penalty=penalty, min_samples_leaf=least
        ).fit(X, y)
        expected = best_cost(sides, y, 2, penalty=9 * penalty, least=least)
        assert clf.objective_ * 9 == pytest.approx(expected, abs=1e-5)
        assert clf.tree_.n_node_samples[clf.tree_.left < 0].min() >= least


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(14, 2)).round(2), rng.integers(0, 3, 14)
    weights = rng.integers(0, 4, 14)
    weighted = ObliqueTreeClassifier().fit(X, y, sample_weight=weights)
    repeated = ObliqueTreeClassifier().fit(np.repeat(X, weights, 0), y.repeat(weights))
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    uneven = ObliqueTreeClassifier().fit(X, y, sample_weight=weights * 0.37 + 0.01)
    assert uneven.optimal_


@pytest.mark.parametrize("n_splits", [1, 2, 3])
def test_mixed_is_never_worse_than_thresholds(n_splits):
    rng = np.random.default_rng(n_splits)
    for _ in range(rounds(3, 60)):
        X, y = rng.normal(size=(30, 2)).round(1), rng.integers(0, 3, 30)
        mixed = ObliqueTreeClassifier("mixed", degree=1, max_splits=n_splits).fit(X, y)
        axis = ObliqueTreeClassifier("axis", max_splits=n_splits).fit(X, y)
        thresholds = OptimalTreeClassifier(split_penalty=0, max_splits=n_splits)
        thresholds.fit(X, y)
        assert mixed.optimal_ and axis.optimal_ and thresholds.optimal_
        assert axis.objective_ == pytest.approx(thresholds.objective_)
        assert mixed.objective_ <= thresholds.objective_ + 1e-12
