"""Quant-BnB with each of its bounds against brute force, and through the estimators."""

from __future__ import annotations

import native
import numpy as np
import pytest
from oracle import (
    ORDERED,
    UNIT,
    engine_arguments,
    optimal_cost,
    random_table,
    tree_facts,
)
from regression_oracle import optimal_loss, random_targets, target_arguments, tree_loss
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    QuantBnB,
    stop_when,
)

BOUNDS = ["W0", "W1", "W2", "L2"]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("depth", [2, 3])
def test_equals_brute_force(bound: str, depth: int) -> None:
    for seed in range(150):
        rng = np.random.default_rng(1000 * depth + seed)
        size = {
            "max_rows": int(rng.choice([6, 10, 14])),
            "max_values": int(rng.choice([2, 4, 14])),
            "kinds": (ORDERED,),
        }
        settings = {
            "max_depth": depth,
            "bound": bound,
            "s": int(rng.choice([2, 3, 4])),
            "s_prime": int(rng.choice([0, 0, 1, 2, 4])),
        }
        if seed % 2:
            targets = random_targets(rng, **size)
            answer = native.quant_targets(**target_arguments(targets), **settings)
            cost, facts = tree_loss(targets, answer["tree"], 0.0)
            assert cost == pytest.approx(
                optimal_loss(targets, 0.0, max_depth=depth), rel=1e-9, abs=1e-12
            )
            assert answer["upper"] == pytest.approx(cost, rel=1e-9, abs=1e-12)
        else:
            table = random_table(rng, **size)
            answer = native.quant_labels(**engine_arguments(table), **settings)
            facts = tree_facts(table, answer["tree"], 0.0)
            assert facts.cost == optimal_cost(table, 0.0, max_depth=depth)
            share = facts.cost / UNIT / table.total_weight
            assert answer["upper"] / answer["unit"] == pytest.approx(share, abs=1e-6)
        assert answer["status"] == "optimal" and answer["lower"] == answer["upper"]
        assert facts.depth <= depth


def quant(bound: str, **more):
    return OptimalTreeRegressor(
        0.0, max_depth=2, solver="quant-bnb", quant_bnb=QuantBnB(bound, **more)
    )


def test_the_bounds_are_ordered_and_fire() -> None:
    # W0 <= W1 <= W2 <= L2 (Lemma 3.2): a tighter bound leaves no more intervals.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=150)
    models = [quant(bound).fit(X, y) for bound in BOUNDS]
    alive = [sum(m.stats_["surviving_intervals"]) for m in models]
    assert alive == sorted(alive, reverse=True) and alive[0] > alive[-1]
    for model in models:
        assert model.optimal_ and model.stats_["solver"] == "quant-bnb"
        assert model.stats_["pruned_pieces"] > 0 and model.stats_["pruned_features"] > 0
        assert model.stats_["surviving_intervals"][-1] == 0
        assert len(model.stats_["surviving_intervals"]) == model.stats_["iterations"]
        assert model.objective_ == pytest.approx(models[0].objective_, rel=1e-9)
    ours = OptimalTreeRegressor(0.0, max_depth=2).fit(X, y)
    assert ours.objective_ == pytest.approx(models[0].objective_, rel=1e-9)


def test_at_most_log_s_n_iterations() -> None:
    # Theorem 4.2.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    for s in (2, 3, 5):
        model = quant("W1", s=s).fit(X, y)
        assert model.stats_["iterations"] <= np.ceil(np.log(201) / np.log(s)) + 1


def test_same_optimum_as_our_own_engine() -> None:
    X, y = load_iris(return_X_y=True)
    for depth in (2, 3):
        ours = OptimalTreeClassifier(0.0, max_depth=depth, solver="threshold").fit(X, y)
        theirs = OptimalTreeClassifier(0.0, max_depth=depth, solver="quant-bnb")
        theirs.fit(X, y)
        assert theirs.optimal_ and theirs.objective_ == ours.objective_
    X, y = load_diabetes(return_X_y=True)
    ours = OptimalTreeRegressor(0.0, max_depth=2).fit(X, y)
    assert quant("W1").fit(X, y).objective_ == pytest.approx(ours.objective_, rel=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_depth": 4}, "depth 2 or 3"),
        ({"max_depth": None}, "depth 2 or 3"),
        ({"max_depth": 2, "split_penalty": 0.1}, "no penalty"),
        ({"max_depth": 2, "max_splits": 2}, "max_splits"),
        ({"max_depth": 2, "min_samples_leaf": 5}, "min_samples_leaf"),
        ({"max_depth": 2, "quant_bnb": "W1"}, "quant_bnb"),
    ],
)
def test_what_it_does_not_do(parameters, message) -> None:
    parameters = {"split_penalty": 0.0, "solver": "quant-bnb"} | parameters
    for estimator in (OptimalTreeClassifier, OptimalTreeRegressor):
        with pytest.raises(ValueError, match=message):
            estimator(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "options", [{"lower_bound": "W3"}, {"s": 1}, {"s": 2.5}, {"s_prime": 0}]
)
def test_parameters_that_do_not_exist(options) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))}="):
        QuantBnB(**options)


def test_categorical_columns_are_refused_by_name() -> None:
    model = OptimalTreeRegressor(0.0, max_depth=2, solver="quant-bnb")
    with pytest.raises(ValueError, match="colour"):
        model.fit({"colour": ["a", "b", "a"], "size": [1.0, 2.0, 3.0]}, [1, 2, 3])


def test_limits_keep_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 8)), rng.normal(size=300)
    model = OptimalTreeRegressor(0.0, max_depth=3, solver="quant-bnb", time_limit=0.2)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model.fit(X, y)
    assert 0.0 <= model.lower_bound_ < model.objective_ <= 1.0
    assert model.predict(X).shape == (300,)
    found = native.quant_targets(
        kinds=np.zeros(8, dtype=np.int32),
        n_values=np.full(8, 300, dtype=np.int32),
        codes=np.argsort(np.argsort(X.T)).astype(np.int32).reshape(-1),
        targets=y,
        weights=np.ones(300),
        max_depth=3,
        memory_limit=2000,
        time_limit=30.0,
    )
    assert found["status"] == "memory_limit" and found["lower"] < found["upper"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("bound", BOUNDS)
def test_a_stop_ends_the_work_at_once(bound: str, depth: int) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.random((20_000, 6)), rng.integers(0, 2, 20_000)
    with stop_when(lambda: True):
        clf = OptimalTreeClassifier(
            0.0, solver="quant-bnb", quant_bnb=QuantBnB(bound), max_depth=depth
        ).fit(X, y)
    assert clf.status_ == "interrupted"
    assert clf.stats_["rows_walked"] > 0
    assert clf.stats_["rows_after_stop"] == 0
