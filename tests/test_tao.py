"""Alternating optimisation never makes a tree worse, and never beats the optimum."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.tao import TaoTreeClassifier, TaoTreeRegressor


def random_rows(seed, regression=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (60, 3)).astype(float)
    signal = (X[:, 0] > 5) ^ (X[:, 1] > 6)
    noise = rng.random(60)
    return X, (signal * 3 + noise) if regression else (signal ^ (noise < 0.15))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_classification_between_cart_and_the_optimum(seed, depth):
    X, y = random_rows(seed)
    tao = TaoTreeClassifier(depth).fit(X, y)
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    best = OptimalTreeClassifier(0.0, max_depth=depth).fit(X, y)
    assert all(np.diff(tao.losses_) <= 0)
    assert tao.losses_[0] == pytest.approx(1 - cart.score(X, y))
    assert tao.losses_[-1] == pytest.approx(1 - tao.score(X, y))
    assert tao.losses_[-1] >= best.objective_ - 1e-12
    assert tao.n_splits_ <= 2**depth - 1


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_regression_between_cart_and_the_optimum(seed, depth):
    X, y = random_rows(seed, regression=True)
    tao = TaoTreeRegressor(depth).fit(X, y)
    cart = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    best = OptimalTreeRegressor(0.0, max_depth=depth).fit(X, y)
    assert all(np.diff(tao.losses_) <= 0)
    assert tao.losses_[0] == pytest.approx(np.mean((cart.predict(X) - y) ** 2))
    assert tao.losses_[-1] == pytest.approx(np.mean((tao.predict(X) - y) ** 2))
    assert tao.losses_[-1] >= np.mean((best.predict(X) - y) ** 2) - 1e-9


def test_it_improves_where_cart_goes_astray():
    better = 0
    for seed in range(40):
        X, y = random_rows(seed)
        losses = TaoTreeClassifier(2).fit(X, y).losses_
        better += losses[-1] < losses[0]
    assert better > 10


def test_a_stump_is_optimal():
    """With one split and its leaves alternating, no single change helps further."""
    X, y = load_iris(return_X_y=True)
    tao = TaoTreeClassifier(1).fit(X, y == 1)
    best = OptimalTreeClassifier(0.0, max_depth=1).fit(X, y == 1)
    assert best.objective_ <= tao.losses_[-1] <= tao.losses_[0]


def test_weights_several_outputs_and_a_start_of_ones_own():
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 2, 5.0, 1.0)
    tao = TaoTreeClassifier(2).fit(X, y, sample_weight=weights)
    wrong = tao.predict(X) != y
    assert tao.losses_[-1] == pytest.approx(weights[wrong].sum() / weights.sum())

    X, y = load_diabetes(return_X_y=True)
    pair = np.column_stack([y, -y])
    tao = TaoTreeRegressor(2).fit(X, pair)
    assert tao.predict(X).shape == pair.shape
    assert tao.losses_[-1] == pytest.approx(
        ((tao.predict(X) - pair) ** 2).sum(axis=1).mean()
    )

    start = DecisionTreeRegressor(max_depth=3, random_state=1, splitter="random")
    tao = TaoTreeRegressor(initial=start.fit(X, y)).fit(X, y)
    assert tao.losses_[-1] < np.mean((start.predict(X) - y) ** 2)


def test_no_sweep_is_cart_itself():
    X, y = random_rows(3)
    cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    tao = TaoTreeClassifier(3, max_sweeps=0).fit(X, y)
    assert (tao.predict(X) == cart.predict(X)).all()
