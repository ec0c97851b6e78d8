"""OptimalTreeRegressor: contract, certificate, bad input, exports."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor

from treeproof import OptimalTreeRegressor, _core
from treeproof.persistence import load, save


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(120, 4)), 2)
    y = np.where(X[:, 0] > 0, 2.0 * (X[:, 1] > 0.3), -1.0) + 0.2 * rng.normal(size=120)
    return X, y


def test_certificate_and_attributes(data):
    X, y = data
    model = OptimalTreeRegressor(max_depth=3).fit(X, y)
    assert model.optimal_ and model.status_ == "optimal" and model.gap_ == 0.0
    assert model.objective_ == model.lower_bound_
    loss = ((y - model.predict(X)) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert model.objective_ == pytest.approx(loss + 0.01 * model.n_splits_, rel=1e-12)
    assert model.get_depth() <= 3 and model.get_n_leaves() == model.n_splits_ + 1
    assert model.stats_["solver"] == "threshold" and model.n_outputs_ == 1
    assert "by more than 1e-9 of that" in model.certificate()


def test_never_worse_than_cart(data):
    X, y = data
    for depth in (1, 2, 3):
        cart = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
        ours = OptimalTreeRegressor(0.0, max_depth=depth).fit(X, y)
        assert ours.score(X, y) >= cart.score(X, y) - 1e-12


def test_absolute_error_predicts_medians(data):
    X, y = data
    model = OptimalTreeRegressor(0.0, criterion="absolute_error", max_depth=2)
    model.fit(X[:60], y[:60])
    assert model.optimal_
    leaf = model.apply(X[:60])
    for node in np.unique(leaf):
        assert model.tree_.value[node, 0] == pytest.approx(
            np.median(y[:60][leaf == node])
        )
    loss = np.abs(y[:60] - model.predict(X[:60])).sum()
    assert model.objective_ == pytest.approx(
        loss / np.abs(y[:60] - np.median(y[:60])).sum()
    )


def test_several_outputs(data):
    X, y = data
    Y = np.column_stack([y, y > 0, X[:, 2]])
    model = OptimalTreeRegressor(0.0, max_depth=2).fit(X, Y)
    assert model.predict(X).shape == (120, 3) and model.n_outputs_ == 3
    assert "[" in model.export_text()
    tree = model.to_sklearn()
    np.testing.assert_allclose(
        tree.predict(X.astype(np.float32)), model.predict(X), rtol=1e-12
    )
    one = OptimalTreeRegressor(0.0, max_depth=2).fit(X, y[:, None])
    np.testing.assert_array_equal(
        one.predict(X), OptimalTreeRegressor(0.0, max_depth=2).fit(X, y).predict(X)
    )


def test_weights_are_repetitions(data):
    X, y = data
    counts = np.random.default_rng(1).integers(0, 4, size=120)
    weighted = OptimalTreeRegressor(max_depth=2).fit(X, y, sample_weight=counts)
    repeated = OptimalTreeRegressor(max_depth=2).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X))
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    assert repeated.stats_["n_merged_rows"] == weighted.stats_["n_merged_rows"]


def test_merging_keeps_rows_that_differ():
    columns = {
        "kinds": np.zeros(2, np.int32),
        "n_values": np.array([2, 3], np.int32),
        "codes": np.array([0, 0, 1, 0, 1, 1, 1, 2], np.int32),
        "weights": np.arange(1.0, 5.0),
        "merge": True,
    }
    make = _core.EncodedTable.with_targets
    assert make(**columns, targets=np.array([1.0, 2.0, 1.0, 1.0])).n_rows == 4
    assert make(**columns, targets=np.ones(4)).n_rows == 3


@pytest.mark.parametrize("split", ["multiway", "one-vs-rest"])
def test_mixed_columns(split):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], size=90),
            "size": rng.normal(size=90),
            "wet": rng.random(90) < 0.5,
        }
    )
    y = (frame["colour"] == "red") * 3.0 + (frame["size"] > 0.2) * frame["wet"]
    model = OptimalTreeRegressor(0.001, categorical_split=split).fit(frame, y)
    assert model.optimal_
    np.testing.assert_allclose(model.predict(frame), y, atol=1e-12)
    tree = model.to_sklearn()
    np.testing.assert_allclose(tree.predict(model.encode(frame)), y, atol=1e-12)
    unseen = frame.head(3).assign(colour="violet")
    assert np.isfinite(model.predict(unseen)).all()
    assert "colour" in model.export_text()


def test_min_samples_leaf_and_max_splits(data):
    X, y = data
    model = OptimalTreeRegressor(0.0, max_depth=3, min_samples_leaf=15).fit(X, y)
    leaves = model.tree_.n_node_samples[model.tree_.kind == 0]
    assert model.optimal_ and leaves.min() >= 15
    assert OptimalTreeRegressor(0.0, max_depth=3, max_splits=2).fit(X, y).n_splits_ <= 2


def test_constant_targets_and_single_rows():
    model = OptimalTreeRegressor(0.0).fit([[1.0], [2.0], [3.0]], [0.1, 0.1, 0.1])
    assert model.optimal_ and model.objective_ == 0.0 and model.n_splits_ == 0
    assert model.predict([[9.0]]).tolist() == [0.1]
    assert OptimalTreeRegressor().fit([[1.0]], [5]).predict([[0.0]]).tolist() == [5.0]


def test_ties_at_thresholds_for_float32_and_float64(data):
    X, y = data
    model = OptimalTreeRegressor(0.0, max_depth=3).fit(X, y)
    node = int(np.flatnonzero(model.tree_.kind == 1)[0])
    feature, threshold = model.tree_.feature[node], model.tree_.threshold[node]
    x = X[:1].copy()
    x[0, feature] = threshold
    at = model.predict(x)
    x[0, feature] = np.nextafter(threshold, -np.inf)
    assert model.predict(x) == at
    X32 = X.astype(np.float32)
    fitted = OptimalTreeRegressor(0.0, max_depth=3).fit(X32, y)
    np.testing.assert_allclose(
        fitted.predict(X32), fitted.predict(X32.astype(np.float64))
    )
    np.testing.assert_allclose(fitted.to_sklearn().predict(X32), fitted.predict(X32))


def test_sklearn_tree_shows_true_impurities(data):
    X, y = data
    tree = OptimalTreeRegressor(0.0, max_depth=2).fit(X, y).to_sklearn()
    assert tree.tree_.impurity[0] == pytest.approx(y.var())
    assert tree.tree_.n_node_samples[0] == 120
    assert tree.criterion == "squared_error"


def test_clone_pickle_save_cross_validation(data, tmp_path):
    X, y = data
    model = OptimalTreeRegressor(0.02, max_depth=2).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.5
    assert model.tree_ == again.tree_ and model.tree_.collapse().n_leaves <= 4


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, 2.0], r"Input y contains NaN \(first: row 1\)"),
        ([1.0, 2.0, np.inf], "Input y contains infinity"),
        ([1.0, None, 2.0], "NaN"),
        (["a", "b", "c"], "y holds text such as 'a'"),
        ([[1.0, 2.0], [3.0, np.nan], [1.0, 1.0]], "row 1"),
        (np.zeros((3, 2, 2)), "2d array with one column for each output"),
        (np.zeros((3, 0)), "no columns"),
        ([1j, 2j, 3j], "Complex"),
        ([1.0, 2.0], "inconsistent numbers of samples"),
        (None, "requires y"),
        ([object(), 1.0, 2.0], "not a number"),
    ],
)
def test_bad_targets(y, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeRegressor().fit([[1.0], [2.0], [3.0]], y)


def test_bad_parameters_and_tables(data):
    X, y = data
    for wrong in ({"criterion": "poisson"}, {"split_penalty": 2.0}, {"solver": "cart"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            OptimalTreeRegressor(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        OptimalTreeRegressor(missing="error").fit([[np.nan], [1.0]], [1.0, 2.0])
    with pytest.raises(NotFittedError):
        OptimalTreeRegressor().predict(X)


def test_time_limit_warns_and_keeps_a_tree():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(400, 10)), rng.normal(size=400)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = OptimalTreeRegressor(0.0, max_depth=5, time_limit=0.2).fit(X, y)
    assert model.status_ == "time_limit" and not model.optimal_
    assert 0.0 <= model.lower_bound_ < model.objective_ <= 1.0
    assert model.predict(X).shape == (400,)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupt_keeps_a_tree():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(400, 10)), rng.normal(size=400)

    def interrupt() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = OptimalTreeRegressor(0.0, max_depth=5, time_limit=60).fit(X, y)
    thread.join()
    assert model.status_ == "interrupted" and model.gap_ > 0.0
