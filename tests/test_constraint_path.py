"""The cost of a constraint: the best tree for each of several bounds."""

import math

import numpy as np
import pytest

from treeproof import OptimalTreeClassifier
from treeproof.constraints import (
    Budget,
    DemographicParity,
    RecallAtLeast,
    constraint_path,
)
from treeproof.policy import OptimalPolicyTree


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 5))
    groups = X[:, 0]
    y = (X[:, 0] & X[:, 1]) | (rng.random(200) < 0.2)
    return X, y.astype(int), groups


def test_a_tighter_bound_never_costs_less(people):
    X, y, groups = people
    tree = OptimalTreeClassifier(0.0, max_depth=2)
    bounds = [0.4, 0.2, 0.1, 0.0]
    path = constraint_path(
        X,
        y,
        DemographicParity(0.0),
        bounds,
        estimator=tree,
        sensitive_features=groups,
    )
    assert [p.bound for p in path] == bounds
    assert all(p.feasible and p.optimal for p in path)
    costs = [p.objective for p in path]
    assert costs == sorted(costs) and costs[0] < costs[-1]
    for point in path:
        says = point.model.predict(X)
        difference = abs(says[groups == 0].mean() - says[groups == 1].mean())
        assert difference == pytest.approx(point.value)
        assert point.value <= point.bound
        assert point.price >= 0
        alone = OptimalTreeClassifier(
            0.0, max_depth=2, constraints=[DemographicParity(point.bound)]
        ).fit(X, y, sensitive_features=groups)
        assert alone.objective_ == point.objective


def test_other_constraints_of_the_estimator_are_kept(people):
    X, y, groups = people
    tree = OptimalTreeClassifier(0.0, max_depth=2, constraints=[RecallAtLeast(0.9)])
    path = constraint_path(
        X,
        y,
        DemographicParity(0.0),
        [0.1],
        estimator=tree,
        sensitive_features=groups,
    )
    says = path[0].model.predict(X)
    assert says[y == 1].mean() >= 0.9
    assert len(path[0].model.constraints_) == 2


def test_a_bound_that_no_tree_keeps():
    X, y = [[0], [0], [1], [1]], [0, 1, 0, 1]
    tree = OptimalTreeClassifier(0.0, max_depth=1, constraints=[Budget(share=0.0)])
    path = constraint_path(X, y, RecallAtLeast(0), [0.0, 1.0], estimator=tree)
    assert [p.feasible for p in path] == [True, False]
    assert math.isnan(path[1].objective) and path[1].model is not None
    assert "no tree keeps it" in str(path)


def test_amounts_of_policies():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (60, 3))
    rewards = np.column_stack([np.zeros(60), X[:, 0] + 0.5 * X[:, 1] - 0.4])
    tree = OptimalPolicyTree(0.0, max_depth=2)
    budget = Budget(amount=0.0)
    path = constraint_path(X, rewards, budget, [0, 15, 60], estimator=tree)
    assert path.name == "amount"
    treated = [int((p.model.predict(X) == 1).sum()) for p in path]
    assert treated[0] == 0 and treated[1] <= 15
    assert [p.objective for p in path] == sorted(
        (p.objective for p in path), reverse=True
    )


def test_plot_shows_costs_and_prices(people):
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y, groups = people
    path = constraint_path(
        X,
        y,
        DemographicParity(0.0),
        [0.0, 0.2],
        estimator=OptimalTreeClassifier(0.0, max_depth=1),
        sensitive_features=groups,
    )
    ax = path.plot()
    labels = [axes.get_ylabel() for axes in ax.figure.axes]
    assert labels[0] == "least cost" and labels[1].startswith("price")
    plt.close(ax.figure)
