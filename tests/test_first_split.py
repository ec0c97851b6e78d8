"""A tree whose first split is given is the best of those that begin so."""

import itertools

import numpy as np
import pytest

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    stop_when,
    watch,
)
from treeproof.datasets import load_monks, make_planted_tree

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def root_cost(model, X, y, weights, inside_parts):
    """Cost of a first split whose parts are solved one by one by the free search."""
    total = weights.sum()
    cost = model.split_penalty * (len(inside_parts) - 1)
    for inside in inside_parts:
        share = weights[inside].sum() / total
        part = OptimalTreeClassifier(
            min(model.split_penalty / share, 1.0),
            max_depth=None if model.max_depth is None else model.max_depth - 1,
            categorical_split=model.categorical_split,
            time_limit=None,
        ).fit([x for x, ok in zip(X, inside, strict=True) if ok], y[inside],
              sample_weight=weights[inside])  # fmt: skip
        cost += share * part.objective_
    return cost


@pytest.mark.parametrize("seed", range(40))
def test_numbers_equal_every_cut_tried(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, (40, 3)).astype(float)
    y = rng.integers(0, 3, 40)
    y[rng.random(40) < 0.6] = (X[:, 0] > 3)[rng.random(40) < 0.6][:1]
    weights = rng.integers(1, 4, 40).astype(float) * rng.choice([1, 2])
    model = OptimalTreeClassifier(
        float(rng.choice([0.01, 0.03, 0.1])), first_split=1, time_limit=None,
        max_depth=rng.choice([None, 2, 3]),
    ).fit(X, y, sample_weight=weights)  # fmt: skip
    cuts = np.unique(X[:, 1])[:-1]
    best = min(
        root_cost(model, X, y, weights, [X[:, 1] <= c, X[:, 1] > c]) for c in cuts
    )
    assert model.optimal_ and model.tree_.feature[0] == 1
    assert model.objective_ == pytest.approx(best, abs=1e-9)
    assert model.score(X, y) <= 1


@pytest.mark.parametrize("split", ["multiway", "one-vs-rest"])
@pytest.mark.parametrize("seed", range(10))
def test_categories_equal_every_split_tried(seed, split):
    rng = np.random.default_rng(seed)
    X = np.array([list(rng.choice(list("abcd"), 3)) for _ in range(50)], dtype=object)
    y = ((X[:, 0] == "a") ^ (X[:, 2] == "b")).astype(int) ^ (rng.random(50) < 0.1)
    model = OptimalTreeClassifier(
        0.02, first_split="x1", categorical_split=split, time_limit=None
    ).fit(X, y)
    column = X[:, 1]
    names = np.unique(column)
    splits = [[column == v, column != v] for v in names]
    if split == "multiway":
        splits = [[column == v for v in names]]
    best = min(root_cost(model, X, y, np.ones(50), parts) for parts in splits)
    assert model.optimal_ and model.tree_.feature[0] == 1
    assert model.objective_ == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_regression_equals_every_cut_tried(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (40, 3)).astype(float)
    y = X[:, 0] * 2 + (X[:, 1] > 2) + rng.normal(0, 0.3, 40)
    model = OptimalTreeRegressor(0.02, first_split=2, max_depth=3).fit(X, y)

    def loss(v):
        return float(((v - v.mean()) ** 2).sum())

    best = np.inf
    for c in np.unique(X[:, 2])[:-1]:
        cost = 0.02
        for inside in (X[:, 2] <= c, X[:, 2] > c):
            share = loss(y[inside]) / loss(y)
            if share:
                part = OptimalTreeRegressor(min(0.02 / share, 1.0), max_depth=2)
                cost += share * part.fit(X[inside], y[inside]).objective_
        best = min(best, cost)
    assert model.optimal_ and model.tree_.feature[0] == 2
    assert model.objective_ == pytest.approx(best, rel=1e-9)


def test_the_bound_leaves_out_most_cuts():
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    y = (X[:, 0] > 0.4).astype(int)
    model = OptimalTreeClassifier(0.01, first_split=0).fit(X, y)
    assert model.optimal_ and model.n_splits_ == 1
    assert model.stats_["subproblems"] < 60  # of 598


def test_never_better_than_free_and_equal_at_the_free_root():
    X, y = load_monks(1, as_frame=True, return_X_y=True)
    free = OptimalTreeClassifier(0.01).fit(X, y)
    costs = {}
    for name in X.columns:
        model = OptimalTreeClassifier(0.01, first_split=name).fit(X, y)
        assert (
            model.optimal_ and model.tree_.columns[model.tree_.feature[0]].name == name
        )
        costs[name] = model.objective_
    assert min(costs.values()) == free.objective_
    assert costs["has_tie"] > free.objective_


def test_leaves_keep_their_least_rows():
    rng = np.random.default_rng(1)
    X, y = rng.random((60, 2)), rng.integers(0, 2, 60)
    model = OptimalTreeClassifier(0.001, first_split=0, min_samples_leaf=8,
                                  max_depth=2).fit(X, y)  # fmt: skip
    tree = model.tree_
    assert model.optimal_ and tree.n_node_samples[tree.kind == 0].min() >= 8


@pytest.mark.parametrize("stop", ["condition", "time"])
def test_stopping_keeps_a_tree_with_a_true_bound(stop):
    X, y = make_planted_tree(
        800, n_features=40, n_splits=8, label_noise=0.2, random_state=0,
        return_X_y=True,
    )  # fmt: skip
    asked = itertools.count()
    limit = None if stop == "condition" else 0.05
    with stop_when(lambda: stop == "condition" and next(asked) > 1):
        model = OptimalTreeClassifier(0.005, first_split=0, time_limit=limit).fit(X, y)
    assert model.status_ == ("interrupted" if stop == "condition" else "time_limit")
    assert model.lower_bound_ < model.objective_ and model.tree_.feature[0] == 0


def test_events_tell_of_the_bounds():
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 2)), rng.integers(0, 2, 80)
    seen = []
    with watch(lambda *event: seen.append(event)):
        model = OptimalTreeClassifier(0.01, first_split=0, max_depth=2).fit(X, y)
    lower, upper = zip(*[(e[2], e[3]) for e in seen], strict=True)
    assert all(a <= b for a, b in zip(lower, upper, strict=True))
    assert upper[-1] == pytest.approx(model.objective_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"first_split": "z"}, "first_split='z' is not a column of X; the columns are"),
        ({"first_split": 9}, "first_split=9 is not a column of X"),
        ({"first_split": 2}, "'x2' is a column with one value only"),
        ({"first_split": 0, "max_depth": 0}, "a max_depth of at least 1"),
        ({"first_split": 0, "min_samples_leaf": 9}, "leaves min_samples_leaf=9 rows"),
    ],
)
def test_what_cannot_be_asked(parameters, message):
    X = [[0, 1, 5], [1, 0, 5], [2, 1, 5], [3, 0, 5]]
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier(**parameters).fit(X, [0, 1, 0, 1])


def test_no_proof_of_a_regression_is_written(tmp_path):
    with pytest.raises(ValueError, match="writes no proof"):
        OptimalTreeRegressor(first_split=0).fit(
            [[0], [1]], [0, 1], proof=tmp_path / "p"
        )
