"""The threshold engine through the estimator: choice, mixed tables, ties, limits."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import native
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from treeproof import OptimalTreeClassifier

pd = pytest.importorskip("pandas")


def noisy(n: int, f: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, f))
    y = ((X[:, 0] > 0.2) ^ (X[:, 1] > -0.4) ^ (rng.random(n) < 0.2)).astype(int)
    return X, y


def test_auto_chooses_by_the_number_of_thresholds() -> None:
    X, y = noisy(600, 3)
    few = OptimalTreeClassifier(max_depth=2).fit(np.round(X), y)
    many = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert few.stats_["solver"] == "sparse+threshold"
    assert many.stats_["solver"] == "threshold"


def test_engines_in_turns_find_what_each_finds_alone() -> None:
    X, y = noisy(100, 2)  # 198 thresholds
    both = OptimalTreeClassifier(0.05).fit(X, y)
    assert both.stats_["solver"] == "sparse+threshold" and both.optimal_
    for solver in ("sparse", "threshold"):
        alone = OptimalTreeClassifier(0.05, solver=solver).fit(X, y)
        assert alone.optimal_ and alone.objective_ == both.objective_


def test_auto_searches_bits_by_their_literals() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 500))  # as many thresholds, but no numbers
    model = OptimalTreeClassifier(0.05).fit(X, X[:, 3] | X[:, 8])
    assert model.stats_["solver"] == "sparse" and model.optimal_


def test_auto_writes_a_checkpoint_where_it_is_asked_to(tmp_path) -> None:
    X, y = noisy(300, 3)
    model = OptimalTreeClassifier(0.1).fit(X, y, checkpoint=tmp_path / "kept")
    assert model.stats_["solver"] == "sparse"


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("penalty", [0.0, 0.01])
def test_both_engines_agree(load, penalty: float) -> None:
    X, y = load(return_X_y=True)
    fits = [
        OptimalTreeClassifier(penalty, max_depth=3, solver=solver).fit(X, y)
        for solver in ("sparse", "threshold")
    ]
    assert fits[0].optimal_ and fits[1].optimal_
    assert fits[0].objective_ == fits[1].objective_


@pytest.mark.parametrize("split", ["multiway", "one-vs-rest"])
def test_numbers_and_categories_in_one_tree(split: str) -> None:
    rng = np.random.default_rng(1)
    n = 500
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "sold": rng.integers(0, 2, n),
        }
    )
    y = np.where(frame.colour == "green", frame["size"] > 0.3, frame.sold == 1)
    model = OptimalTreeClassifier(
        0.001, max_depth=3, categorical_split=split, solver="threshold"
    ).fit(frame, y)
    assert model.optimal_
    assert model.score(frame, y) == 1.0
    assert set(model.tree_.feature) >= {0, 1, 2}
    assert (
        model.to_sklearn().predict(model.encode(frame)) == model.predict(frame)
    ).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbouring_numbers_are_told_apart(dtype: type) -> None:
    # Every value is the next number after the one before: midpoints round to an end.
    values = np.array([dtype(0.1)], dtype=dtype)
    for _ in range(40):
        values = np.append(values, np.nextafter(values[-1], dtype(np.inf)))
    y = (np.arange(41) // 10) % 2
    X = values[:, None]
    model = OptimalTreeClassifier(0.0, max_depth=3, solver="threshold").fit(X, y)
    assert model.optimal_
    assert (model.predict(X) == y).all()
    if dtype is np.float32:  # all that scikit-learn's trees can tell apart
        assert (model.to_sklearn().predict(X) == y).all()


def test_thresholds_are_midpoints_of_the_node() -> None:
    X = np.array([[0.0], [1.0], [4.0], [8.0]])
    y = [0, 0, 1, 1]
    model = OptimalTreeClassifier(0.0, max_depth=1, solver="threshold").fit(X, y)
    assert model.tree_.threshold[0] == 2.5


def test_constant_columns_and_one_value_per_row() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(500), rng.permutation(500), np.zeros(500)])
    y = X[:, 1] > 123
    model = OptimalTreeClassifier(0.0, max_depth=2, solver="threshold").fit(X, y)
    assert model.optimal_ and model.score(X, y) == 1.0
    constant = OptimalTreeClassifier(0.0, solver="threshold").fit(X[:, [0]], y)
    assert constant.optimal_ and constant.n_splits_ == 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_estimator_checks() -> None:
    check_estimator(OptimalTreeClassifier(solver="threshold", time_limit=0.3))


@pytest.mark.parametrize("depth", [3, 5])
@pytest.mark.parametrize("seconds", [0.001, 0.05, 0.3])
def test_stopped_early_is_no_worse_than_cart(depth: int, seconds: float) -> None:
    X, y = noisy(2000, 8, seed=depth)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = OptimalTreeClassifier(
            0.0, max_depth=depth, solver="threshold", time_limit=seconds
        ).fit(X, y)
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    assert model.score(X, y) >= cart.score(X, y)
    assert 0 <= model.lower_bound_ <= model.objective_
    assert model.optimal_ == (model.lower_bound_ == model.objective_)


@pytest.mark.parametrize(
    ("load", "objective"), [(load_iris, 0.05), (load_wine, 0.0456180)]
)
def test_a_penalty_alone_is_solved_to_proof(load, objective: float) -> None:
    X, y = load(return_X_y=True)
    model = OptimalTreeClassifier(0.01, solver="threshold", time_limit=None).fit(X, y)
    assert model.optimal_
    assert model.objective_ == pytest.approx(objective, abs=1e-6)


def test_a_memory_limit_keeps_a_tree_and_a_bound() -> None:
    X, y = noisy(3000, 10)
    found = native.solve_threshold(
        kinds=np.zeros(10, dtype=np.int32),
        n_values=np.full(10, 3000, dtype=np.int32),
        codes=np.argsort(np.argsort(X, axis=0), axis=0).T.astype(np.int32).reshape(-1),
        labels=y.astype(np.int32),
        n_classes=2,
        weights=np.ones(3000),
        split_penalty=0.0,
        max_depth=4,
        memory_limit=100_000,
    )
    assert found["status"] == "memory_limit"
    assert found["lower"] < found["upper"]
    assert len(found["tree"]["feature"]) > 1


def test_a_signal_stops_the_search_and_keeps_the_tree() -> None:
    X, y = noisy(3000, 10)
    model = OptimalTreeClassifier(0.0, max_depth=6, solver="threshold", time_limit=60)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    timer.join()
    assert model.status_ == "interrupted"
    assert model.n_splits_ > 0 and model.gap_ > 0
