"""Pruners: by bound, CART and M-CART; on scikit-learn's trees and ours."""

import math
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treeproof import OptimalTreeClassifier
from treeproof.generalization import (
    BoundPruner,
    CostComplexityPruner,
    FeatureSpace,
    ModifiedCostComplexityPruner,
    TreeStructure,
    prune,
    risk_bound,
)
from treeproof.generalization.prunable import PrunableTree

PRUNERS = [BoundPruner(), CostComplexityPruner(3), ModifiedCostComplexityPruner(3)]


def noisy(load, noise=0.15, seed=0, max_leaf_nodes=40):
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(seed)
    flip = rng.random(len(y)) < noise
    y = np.where(flip, rng.integers(0, y.max() + 1, len(y)), y)
    tree = DecisionTreeClassifier(max_leaf_nodes=max_leaf_nodes, random_state=0)
    return tree.fit(X, y), X, y


def categorical(n=300, seed=0):
    """Two columns with three and four categories, one number, noisy labels."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue"], n)
    size = rng.choice(["s", "m", "l", "xl"], n)
    number = rng.integers(0, 4, n).astype(float)
    y = (colour == "red") ^ (number > 1) ^ (rng.random(n) < 0.1)
    return {"colour": colour, "size": size, "number": number}, y.astype(int)


def optimal(X, y, **options):
    return OptimalTreeClassifier(0.003, max_depth=3, **options).fit(X, y)


def errors_of(model, X, y):
    return int(np.sum(model.predict(X) != y))


# ------------------------------------------------------------------- by bound


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_every_step_is_what_it_says_and_the_bound_never_rises(load, noise):
    tree, X, y = noisy(load, noise)
    path = prune(tree, X, y)
    n_classes = len(tree.classes_)
    for i, step in enumerate(path):
        model = path.tree_at(i)
        assert errors_of(model, X, y) == step.errors
        assert model.get_n_leaves() == step.n_leaves
        assert TreeStructure.of(model) is step.structure
        value = risk_bound(step.errors, len(y), model, X.shape[1], n_classes)
        assert value == pytest.approx(step.bound, rel=1e-12)
        if i:
            assert step.bound <= path[i - 1].bound
            assert step.n_leaves < path[i - 1].n_leaves
    assert path.best == len(path) - 1
    assert path.tree_at(-1).get_n_leaves() == path.tree.get_n_leaves()


def test_each_step_takes_the_best_cut():
    """Against every single-node pruning, done by hand."""
    tree, X, y = noisy(load_iris, 0.2)
    path = prune(tree, X, y)
    n_classes = len(tree.classes_)

    def all_cuts(model):
        view = PrunableTree(model, X, y)
        for node in view.inner:
            smaller = view.pruned([node])
            value = risk_bound(
                errors_of(smaller, X, y), len(y), smaller, X.shape[1], n_classes
            )
            yield value

    for i, step in enumerate(path):
        candidates = list(all_cuts(path.tree_at(i)))
        if i + 1 < len(path):
            assert path[i + 1].bound == pytest.approx(min(candidates), rel=1e-12)
        elif candidates:
            assert min(candidates) > step.bound


def test_to_root_walks_all_the_way_and_is_no_worse():
    tree, X, y = noisy(load_wine)
    short, full = prune(tree, X, y), prune(tree, X, y, to_root=True)
    assert full[-1].n_leaves == 1
    assert full.chosen.bound <= short.chosen.bound
    assert full.chosen.bound == min(step.bound for step in full)


def test_both_forms_of_the_growth_function_prune():
    tree, X, y = noisy(load_iris, 0.1, max_leaf_nodes=8)
    X, y = X[::3], y[::3]
    fast, tight = prune(tree, X, y), prune(tree, X, y, method="sum")
    assert tight[0].bound < fast[0].bound
    assert tight.tree.get_n_leaves() >= fast.tree.get_n_leaves() - 2


def test_r_sets_the_price_of_errors():
    tree, X, y = noisy(load_breast_cancer)
    sizes = [
        prune(tree, X, y, r=r).tree.get_n_leaves() for r in (0.9, 2**-13.7, 2**-40.0)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_pure_noise_is_pruned_to_a_leaf():
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 5)), rng.integers(0, 2, 200)
    path = prune(None, X, y, r=0.5)
    assert path.chosen.n_leaves == 1
    leaf = path.tree
    assert np.all(leaf.predict(X) == np.bincount(y).argmax())
    assert leaf.get_depth() == 0


def test_declared_binary_features_allow_larger_trees():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 40)).astype(float)
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 1) ^ (rng.random(300) < 0.05)
    tree = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(X, y)
    plain = prune(tree, X, y)
    told = prune(tree, X, y, n_features=FeatureSpace(binary=40))
    assert told.chosen.bound < plain.chosen.bound
    assert told.chosen.n_leaves >= plain.chosen.n_leaves


# ----------------------------------------------------------------- the family


@pytest.mark.parametrize("pruner", PRUNERS, ids=lambda p: type(p).__name__)
def test_one_interface_for_data_scikit_learn_and_optimal_trees(pruner):
    tree, X, y = noisy(load_iris)
    table, labels = categorical()
    for given, rows, truth in [
        (None, X, y),
        (tree, X, y),
        (optimal(X, y), X, y),
        (optimal(table, labels), table, labels),
        (optimal(table, labels, categorical_split="one-vs-rest"), table, labels),
    ]:
        path = pruner.prune(given, rows, truth)
        sizes = [step.n_leaves for step in path]
        assert sizes == sorted(sizes, reverse=True)
        for i in (0, path.best, len(path) - 1):
            model = path.tree_at(i)
            assert errors_of(model, rows, truth) == path[i].errors
            assert TreeStructure.of(model) is path[i].structure
        if given is not None:
            assert type(path.tree) is type(given)
            assert np.array_equal(path.tree_at(0).predict(rows), given.predict(rows))
        pickle.loads(pickle.dumps(path))


@pytest.mark.parametrize("pruner", PRUNERS[1:], ids=lambda p: type(p).__name__)
def test_cost_complexity_sequence_is_nested_with_rising_prices(pruner):
    tree, X, y = noisy(load_breast_cancer)
    path = pruner.prune(tree, X, y)
    alphas = [step.alpha for step in path]
    assert alphas == sorted(alphas)
    assert path[-1].n_leaves == 1
    best = min(step.score for step in path)
    assert path.chosen.score == best
    assert all(step.score > best for step in path[path.best + 1 :])


def test_cart_sequence_minimises_cost_plus_price():
    """For each price, no subtree of the sequence costs less than the one it names."""
    tree, X, y = noisy(load_iris, 0.3)
    path = CostComplexityPruner(3).prune(tree, X, y)
    m = len(y)
    for i, step in enumerate(path):
        upper = path[i + 1].alpha if i + 1 < len(path) else step.alpha + 1
        for price in np.linspace(step.alpha, upper, 5)[1:-1]:
            costs = [s.errors / m + price * s.n_leaves for s in path]
            assert costs[i] <= min(costs) + 1e-12


def test_cart_sequence_against_brute_force():
    """The cheapest of *all* prunings of a small tree is in the sequence."""
    tree, X, y = noisy(load_iris, 0.3, max_leaf_nodes=8)
    view = PrunableTree(tree, X, y)
    path = CostComplexityPruner(3).prune(tree, X, y)

    def prunings(node):
        yield view.errors_as_leaf[node], 1
        if view.slots[node]:
            left, right = view.slots[node]
            for e1, l1 in prunings(left):
                for e2, l2 in prunings(right):
                    yield e1 + e2, l1 + l2

    every = set(prunings(0))
    for price in np.linspace(0, 0.3, 200) * len(y):
        cheapest = min(errors + price * leaves for errors, leaves in every)
        ours = min(step.errors + price * step.n_leaves for step in path)
        assert math.isclose(cheapest, ours)


def test_m_cart_complexity_is_the_papers_and_never_falls():
    pruner = ModifiedCostComplexityPruner()
    d = 3 * math.log(3 * 4)
    assert pruner.complexity(3, 100, 4) == pytest.approx(d / 100 * math.log(100 / d))
    values = [pruner.complexity(n, 100, 4) for n in range(1, 60)]
    assert values == sorted(values)
    assert pruner.complexity(1, 100, 1) == 0


# ------------------------------------------------------- our own tree's nodes


def test_multiway_nodes_keep_their_unseen_categories():
    table, y = categorical()
    model = optimal(table, y, categorical_split="multiway")
    assert any(kind == 3 for kind in model.tree_.kind)
    path = prune(model, table, y, to_root=True, r=0.5)
    for i in range(len(path)):
        smaller = path.tree_at(i)
        unseen = {**table, "colour": np.full(len(y), "violet")}
        assert len(smaller.predict(unseen)) == len(y)
    assert path.tree_at(-1).n_splits_ == 0


def test_shape_counts_a_leaf_for_categories_without_a_child():
    rng = np.random.default_rng(5)
    a = rng.choice(list("xyz"), 200)
    b = np.where(a == "x", rng.choice(list("pq"), 200), rng.choice(list("pqr"), 200))
    y = ((a == "x") & (b == "p")) | ((a != "x") & (b == "r"))
    model = OptimalTreeClassifier(0.001).fit({"a": a, "b": b}, y.astype(int))
    shape = TreeStructure.of(model)
    assert shape.n_leaves >= model.get_n_leaves()
    assert shape is PrunableTree(model, {"a": a, "b": b}, y.astype(int)).shapes()[0]
    space = FeatureSpace.of(model)
    assert space.multiway == (3, 3)
    assert risk_bound(0, 200, model, space, 2) > 0


def test_pruned_optimal_tree_has_a_true_certificate():
    X, y = load_iris(return_X_y=True)
    model = optimal(X, y)
    path = prune(model, X, y, to_root=True, r=0.5)
    assert path.tree_at(0).optimal_ == model.optimal_
    stump = path.tree_at(-1)
    assert not stump.optimal_
    assert stump.status_ == "pruned"
    assert stump.lower_bound_ == model.lower_bound_ <= stump.objective_
    assert stump.objective_ == pytest.approx(
        errors_of(stump, X, y) / len(y) + 0.003 * stump.n_splits_
    )
    assert model.n_splits_ > 0, "the original is untouched"


def test_feature_space_of_fitted_trees():
    table, y = categorical()
    either = FeatureSpace(1, multiway=(3, 4), one_vs_rest=(3, 4))
    assert FeatureSpace.of(optimal(table, y)) == either
    multiway = optimal(table, y, categorical_split="multiway")
    assert FeatureSpace.of(multiway) == FeatureSpace(1, multiway=(3, 4))
    one_vs_rest = optimal(table, y, categorical_split="one-vs-rest")
    assert FeatureSpace.of(one_vs_rest) == FeatureSpace(1, one_vs_rest=(3, 4))
    X, y = load_iris(return_X_y=True)
    assert FeatureSpace.of(DecisionTreeClassifier().fit(X, y)) == FeatureSpace(4)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize("pruner", PRUNERS, ids=lambda p: type(p).__name__)
def test_bad_input_gets_one_sentence(pruner):
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier().fit(X, y)
    for given, rows, labels, words in [
        (DecisionTreeClassifier(), X, y, "has no tree to prune; fit"),
        (DummyClassifier().fit(X, y), X, y, "has no tree to prune"),
        (DecisionTreeRegressor().fit(X, y), X, y, "are for classification trees"),
        ("tree", X, y, "cannot prune a str"),
        (tree, X, y[:-1], "150 rows and y has 149 labels"),
        (tree, X, y.astype(str), "none of the labels in y is a class"),
        (tree, X, np.c_[y, y], "one label for each row"),
    ]:
        with pytest.raises((ValueError, TypeError), match=words) as failure:
            pruner.prune(given, rows, labels)
        assert "\n" not in str(failure.value)


def test_bad_parameters():
    for change in ({"delta": 0}, {"delta": 2}, {"r": 1.0}, {"method": "exact"}):
        with pytest.raises(ValueError, match=next(iter(change))):
            BoundPruner(**change)
    with pytest.raises(ValueError, match="n_folds must be a whole number >= 2"):
        CostComplexityPruner(1)
    with pytest.raises(ValueError, match="20 folds need at least as many rows"):
        CostComplexityPruner(20).prune(None, np.eye(6), [0, 1] * 3)
