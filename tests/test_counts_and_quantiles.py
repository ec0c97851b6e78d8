"""`criterion="poisson"` and `"quantile"` of the regressor."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import mean_pinball_loss, mean_poisson_deviance
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor

from treeproof import OptimalTreeRegressor, from_json


def counts(seed: int, n: int = 120) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, rng.poisson(np.exp(0.5 * X[:, 0] * X[:, 1])).astype(float)


def test_the_objective_is_the_share_of_the_deviance() -> None:
    X, y = counts(0)
    model = OptimalTreeRegressor(0.01, criterion="poisson", max_depth=3).fit(X, y)
    share = mean_poisson_deviance(y, model.predict(X)) / mean_poisson_deviance(
        y, np.full(len(y), y.mean())
    )
    assert model.optimal_
    assert model.objective_ == pytest.approx(share + 0.01 * (model.get_n_leaves() - 1))
    assert np.allclose(
        model.tree_.impurity[0],
        mean_poisson_deviance(y, np.full(len(y), y.mean())) / 2,
    )


@pytest.mark.parametrize("seed", range(4))
def test_no_worse_than_the_greedy_tree(seed: int) -> None:
    X, y = counts(seed)
    ours = OptimalTreeRegressor(0.0, criterion="poisson", max_depth=2).fit(X, y)
    theirs = DecisionTreeRegressor(criterion="poisson", max_depth=2, random_state=0)
    deviance = mean_poisson_deviance(y, theirs.fit(X, y).predict(X))
    assert mean_poisson_deviance(y, ours.predict(X)) <= deviance * (1 + 1e-9)


def test_scorers_take_leaves_of_zeros() -> None:
    X = np.arange(12.0)[:, None]
    y = np.array([0.0] * 6 + [3.0] * 6)
    model = OptimalTreeRegressor(criterion="poisson", max_depth=1).fit(X, y)
    assert model.tree_.value[1, 0] == 0.0
    assert mean_poisson_deviance(y, model.predict(X)) == pytest.approx(0.0, abs=1e-12)
    X, y = counts(5)
    scores = cross_val_score(model, X, y, scoring="neg_mean_poisson_deviance", cv=3)
    assert np.isfinite(scores).all()


def test_a_large_offset_does_no_harm() -> None:
    X, y = counts(1)
    plain = OptimalTreeRegressor(0.0, max_depth=2).fit(X, y)
    far = OptimalTreeRegressor(0.0, criterion="poisson", max_depth=2).fit(X, 1e9 + y)
    assert far.optimal_
    assert far.objective_ == pytest.approx(plain.objective_, rel=1e-6)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"y holds -2 \(row 1\)"):
        OptimalTreeRegressor(criterion="poisson").fit([[0], [1]], [1, -2])


def pinball(y: Any, q: float) -> float:
    return min(float(np.maximum(q * (y - c), (q - 1) * (y - c)).sum()) for c in y)


@pytest.mark.parametrize("quantile", [0.1, 0.5, [0.1, 0.5, 0.9]])
def test_one_split_against_all_cuts(quantile: Any) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 8, size=(50, 2)).astype(float)
    y = rng.normal(size=50) * (1 + X[:, 0])
    levels = np.ravel(quantile)

    def leaf(rows: Any) -> float:
        return sum(pinball(y[rows], q) for q in levels)

    whole = leaf(np.ones(50, dtype=bool))
    best = 1.0
    for f, cut in itertools.product(range(2), np.arange(7) + 0.5):
        below = X[:, f] <= cut
        if below.any() and not below.all():
            best = min(best, (leaf(below) + leaf(~below)) / whole + 0.001)
    model = OptimalTreeRegressor(
        0.001, criterion="quantile", quantile=quantile, max_depth=1
    ).fit(X, y)
    assert model.optimal_
    assert model.objective_ == pytest.approx(best, rel=1e-9)


def test_one_tree_for_several_quantiles() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + np.abs(X[:, 1]) * rng.normal(size=200)
    levels = [0.1, 0.5, 0.9]
    model = OptimalTreeRegressor(criterion="quantile", quantile=levels, max_depth=2)
    predicted = model.fit(X, y).predict(X)
    assert predicted.shape == (200, 3)
    assert (np.diff(predicted, axis=1) >= 0).all()
    losses = [
        mean_pinball_loss(y, predicted[:, k], alpha=q) for k, q in enumerate(levels)
    ]
    alone = [mean_pinball_loss(y, np.full(200, np.quantile(y, q)), alpha=q)
             for q in levels]  # fmt: skip
    assert sum(losses) < sum(alone)
    assert 0 < model.score(X, y) < 1
    again = from_json(model.to_json())
    assert np.array_equal(again.predict(X), predicted)
    assert again.n_outputs_ == 1
    both = model.fit(X, np.column_stack([y, -y])).predict(X)
    assert both.shape == (200, 2, 3)


def test_bad_quantiles_and_solvers_are_refused() -> None:
    X, y = counts(0)
    with pytest.raises(ValueError, match="is not between 0 and 1"):
        OptimalTreeRegressor(criterion="quantile", quantile=[0.5, 1.5]).fit(X, y)
    for criterion in ("quantile", "poisson"):
        model = OptimalTreeRegressor(0, criterion=criterion, solver="quant-bnb")
        with pytest.raises(ValueError, match="does not know"):
            model.fit(X, y)
