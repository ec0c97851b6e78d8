"""Questions to all trees within a margin, against a list of all trees."""

import numpy as np
import pytest
from effort import rounds
from near_oracle import engine_tree, features_of, splits_of
from near_problems import near_set, numbers_of, random_problem, trees_within

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, _core
from treeproof.datasets import load_monks


def sum_of(table, tree, values, of_split):
    """Return the sum over rows and splits of a tree of the oracle."""

    def below(rows, node):
        if not node:
            weight = [0] * table.n_classes
            for r in rows:
                weight[table.labels[r]] += int(table.weights[r])
            label = int(np.argmax(weight))
            return sum(int(values[r, label]) for r in rows)
        return of_split + sum(map(below, node[1], node[2]))

    return below(range(len(table.labels)), tree)


@pytest.mark.parametrize("seed", range(rounds(80, 2000)))
def test_the_least_sum(seed):
    rng = np.random.default_rng([21, seed])
    table, columns, limits, budget = random_problem(rng)
    values = rng.integers(-5, 6, (len(table.labels), table.n_classes))
    of_split = int(rng.integers(-3, 4))
    most = int(rng.choice([-1, -1, 1, 2]))
    required = [0] if rng.random() < 0.3 else []
    banned = [int(columns[-1])] if rng.random() < 0.2 and columns[-1] > 0 else []
    trees = {
        tree: cost
        for cost, tree in trees_within(table, columns, limits, budget)
        if features_of(tree) >= set(required)
        and not features_of(tree) & set(banned)
        and (most < 0 or splits_of(tree) <= most)
    }  # fmt: skip
    found = near_set(table, columns, limits, budget).least_sum(
        _core.NearFilter(required=required, banned=banned, max_splits=most),
        numbers_of(table, values),
        of_split=of_split,
    )
    if not trees:
        assert found is None
        return
    sums = {tree: sum_of(table, tree, values, of_split) for tree in trees}
    least, cost, split_table = found
    assert least == min(sums.values())
    tree = engine_tree(table, split_table, columns)
    assert sums[tree] == least
    assert cost == trees[tree] == min(trees[t] for t in trees if sums[t] == least)


def test_questions_as_users_ask_them():
    X, y = load_monks(3, as_frame=True, return_X_y=True)
    clf = OptimalTreeClassifier(0.01, categorical_split="one-vs-rest").fit(X, y)
    trees = clf.near_optimal(0.03)
    listed = trees.to_list(10**5)
    assert trees.smallest().n_splits == min(t.n_splits for t in listed)
    rules = (X["body_shape"] == X["head_shape"]).to_numpy()
    rules = np.where(rules, clf.classes_[1], clf.classes_[0])
    shares = [(t.model.predict(X) == rules).mean() for t in listed]
    found = trees.agreement(rules)
    assert found.least == pytest.approx(min(shares))
    assert found.most == pytest.approx(max(shares))
    assert (found.closest.model.predict(X) == rules).mean() == max(shares)
    assert (found.farthest.model.predict(X) == rules).mean() == min(shares)
    own = trees.closest(clf.predict(X))
    assert (own.model.predict(X) == clf.predict(X)).all()
    assert own.model.optimal_
    with pytest.raises(ValueError, match="one prediction for each row"):
        trees.agreement(rules[:5])
    with pytest.raises(ValueError, match="is not one of the classes"):
        trees.closest(np.full(len(X), 77))
    with pytest.raises(ValueError, match="question to all trees"):
        clf.near_optimal(0.03, limit=5).smallest()


def test_regression_as_users_see_it():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 6, (60, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=60)
    reg = OptimalTreeRegressor(0.02, max_depth=2, missing="best-side").fit(X, y)
    trees = reg.near_optimal(0.1)
    assert trees.count > 3 and trees.complete
    objectives = [t.objective for t in trees]
    assert objectives == sorted(objectives)
    assert objectives[0] == pytest.approx(reg.objective_)
    assert objectives[-1] <= 1.1 * reg.objective_ * (1 + 1e-9)
    assert trees[0].model.optimal_ and not trees[-1].model.optimal_
    unit = ((y - y.mean()) ** 2).sum()
    for near in trees.best(10):
        lost = ((near.model.predict(X) - y) ** 2).sum() / unit
        assert lost == pytest.approx(near.loss)
        assert near.objective == pytest.approx(lost + 0.02 * near.n_splits)
    first = [t.objective for t in reg.near_optimal(0.1, limit=3)]
    assert first == pytest.approx(objectives[:3])
    few = OptimalTreeRegressor(
        0.02, max_depth=2, max_splits=1, missing="best-side"
    ).fit(X, y)
    assert max(t.n_splits for t in few.near_optimal(0.3)) <= 1
    with pytest.raises(ValueError, match='does not know criterion="absolute_error"'):
        OptimalTreeRegressor(criterion="absolute_error").fit(
            np.ones((60, 1)), y
        ).near_optimal()


def test_plots():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, y = load_monks(3, as_frame=True, return_X_y=True)
    clf = OptimalTreeClassifier(0.01, categorical_split="one-vs-rest").fit(X, y)
    trees = clf.near_optimal(0.03)
    axes = trees.plot_objectives()
    lines = axes.collections[0].get_segments()
    assert np.allclose([(x, n) for (x, _), (_, n) in lines], trees.objectives())
    axes = trees.plot_reliance()
    assert len(axes.lines) == X.shape[1]
    axes = trees.plot_disagreement(X, most=20)
    assert sum(bar.get_height() for bar in axes.patches) == len(X)
    pyplot.close("all")
