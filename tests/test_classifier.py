"""OptimalTreeClassifier: certificate, limits, weights, and use in scikit-learn."""

import os
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from oracle import UNIT, Table, optimal_cost
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from trees import random_table

from treeproof import OptimalTreeClassifier
from treeproof.limits import engine_allowance, parse_memory, resident_bytes
from treeproof.solving.progress import ProgressLine


def hard_problem(n_rows=600, n_features=40):
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (n_rows, n_features))
    return X, random.integers(0, 2, n_rows)


def stopped_fit(**parameters):
    X, y = hard_problem()
    with pytest.warns(ConvergenceWarning) as caught:
        model = OptimalTreeClassifier(1e-4, **parameters).fit(X, y)
    return model, X, y, str(caught[0].message)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("split", ["multiway", "one-vs-rest"])
def test_the_objective_is_the_optimum(seed, split):
    X, y = random_table(seed, n_rows=18)
    X = X[["size", "colour", "code"]]
    model = OptimalTreeClassifier(0.04, categorical_split=split).fit(X, y)
    kind = 1 if split == "multiway" else 2
    codes = np.column_stack([np.unique(X[c], return_inverse=True)[1] for c in X])
    table = Table(
        kinds=np.array([0, kind, kind]),
        n_values=codes.max(axis=0) + 1,
        codes=codes,
        labels=np.unique(y, return_inverse=True)[1],
        n_classes=len(np.unique(y)),
        weights=np.ones(len(y), dtype=int),
    )
    best = optimal_cost(table, 0.04, penalize="leaves") / (len(y) * UNIT)
    assert model.optimal_
    assert model.objective_ == pytest.approx(best, abs=1e-5)


def check_certificate(model, X, y):
    errors = float(np.mean(model.predict(X) != y))
    expected = errors + model.split_penalty * model.n_splits_
    assert model.objective_ == pytest.approx(expected, abs=1e-12)
    assert 0 <= model.lower_bound_ <= model.objective_
    assert model.gap_ == model.objective_ - model.lower_bound_
    assert model.optimal_ is (model.lower_bound_ == model.objective_)
    assert model.optimal_ is (model.status_ == "optimal")


def test_certificate_of_a_proved_tree():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y)
    check_certificate(model, X, y)
    assert model.optimal_ and model.n_splits_ == 2
    assert (
        model.certificate()
        == "Optimal: no tree of depth 2 or less costs less than 0.08."
    )
    assert model.stats_["solver"] in ("sparse", "threshold", "sparse+threshold")
    assert model.stats_["n_rows"] == 150


def test_certificate_of_a_stopped_search():
    model, X, y, message = stopped_fit(time_limit=0.2)
    check_certificate(model, X, y)
    assert model.status_ == "time_limit" and model.gap_ > 0
    assert "the time limit was reached" in message and "time_limit" in message
    assert "Any depth: none below" in model.certificate()


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="sanitizers need more memory")
def test_memory_limit_is_kept_or_said():
    X, y = hard_problem(2000, 60)
    limit = resident_bytes() + 60_000_000
    model = OptimalTreeClassifier(1e-4, memory_limit=limit, time_limit=2)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    check_certificate(model, X, y)
    assert model.status_ in ("time_limit", "memory_limit")
    assert resident_bytes() < 1.1 * limit


def test_memory_allowance():
    assert engine_allowance(0) == 0
    small = parse_memory("8MB")
    assert engine_allowance(small) == small // 4
    large = resident_bytes() * 10
    assert 0.5 * large < engine_allowance(large) < large


@pytest.mark.parametrize("inside_observer", [True, False])
def test_ctrl_c_keeps_the_tree(monkeypatch, inside_observer):
    """Interrupted at the first news of the search, in its observer or after it."""

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    def answer(*_):
        if inside_observer:
            interrupt()
        else:
            threading.Thread(target=interrupt).start()

    monkeypatch.setattr(ProgressLine, "__call__", answer)
    X, y = hard_problem()
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = OptimalTreeClassifier(1e-4, time_limit=60, verbose=True).fit(X, y)
    assert model.status_ == "interrupted"
    check_certificate(model, X, y)


def test_two_fits_at_once_do_not_disturb_each_other():
    tables = [random_table(seed) for seed in range(4)]
    alone = [OptimalTreeClassifier(0.02).fit(*t).objective_ for t in tables]
    together = [None] * 4

    def work(k):
        together[k] = OptimalTreeClassifier(0.02).fit(*tables[k]).objective_

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


@pytest.mark.parametrize(
    "labels",
    [
        [-1, 1],
        [3, 5],
        ["no", "yes"],
        [False, True],
        [0.0, 2.0],
        [np.int8(0), np.int8(7)],
        ["", "ä"],
    ],
)
def test_any_labels(labels):
    X = np.array([[0], [1], [0], [1], [1]])
    y = np.array(labels)[X.ravel()]
    model = OptimalTreeClassifier().fit(X, y)
    assert np.array_equal(model.classes_, np.unique(y))
    assert model.classes_.dtype == y.dtype
    assert np.array_equal(model.predict(X), y)
    assert model.predict_proba([[0], [1]]).tolist() == [[1, 0], [0, 1]]
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize(
    "wrap", [list, np.array, pd.Series, lambda y: pd.Series(y, dtype="category")]
)
def test_labels_in_any_container(wrap):
    model = OptimalTreeClassifier().fit(
        [[0], [1], [0], [1]], wrap(["a", "b", "a", "b"])
    )
    assert model.classes_.tolist() == ["a", "b"]


def test_the_index_of_a_series_does_not_matter():
    X = pd.DataFrame({"a": [0, 1, 0, 1]}, index=[5, 6, 7, 8])
    y = pd.Series([0, 1, 0, 1], index=[8, 7, 6, 5])
    assert OptimalTreeClassifier().fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_repetitions(seed):
    X, y = random_table(seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(y))
    weighted = OptimalTreeClassifier(0.02).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    repeated = OptimalTreeClassifier(0.02).fit(X.iloc[rows], y[rows])
    assert weighted.objective_ == pytest.approx(repeated.objective_, abs=1e-12)
    halves = OptimalTreeClassifier(0.02).fit(X, y, sample_weight=weights * 0.5)
    assert halves.objective_ == pytest.approx(repeated.objective_, abs=1e-6)


def test_rows_of_weight_zero_are_left_out():
    X = [["a", 1.0], ["b", 2.0], ["c", 3.0]]
    model = OptimalTreeClassifier(0.0).fit(X, [0, 1, 2], sample_weight=[1, 1, 0])
    assert model.tree_.columns[0].categories.tolist() == ["a", "b"]
    assert model.tree_.n_node_samples[0] == 2
    assert model.classes_.tolist() == [0, 1, 2]
    model = OptimalTreeClassifier(0.0, min_samples_leaf=2)
    model.fit([[0], [0], [1]], [0, 1, 1], sample_weight=[1, 0, 1])
    assert model.n_splits_ == 0


def test_class_weight():
    X, y = np.array([[0], [0], [0], [1]]), np.array([0, 0, 1, 0])
    assert OptimalTreeClassifier().fit(X, y).predict([[0]]).tolist() == [0]
    heavy = OptimalTreeClassifier(class_weight={1: 5}).fit(X, y)
    assert heavy.predict([[0]]).tolist() == [1]
    by_hand = OptimalTreeClassifier().fit(X, y, sample_weight=[1, 1, 5, 1])
    assert heavy.objective_ == by_hand.objective_
    balanced = OptimalTreeClassifier(class_weight="balanced").fit(X, y)
    assert balanced.tree_.value[0].tolist() == [2.0, 2.0]
    text = OptimalTreeClassifier(class_weight={"b": 3}).fit(X, ["a", "a", "b", "a"])
    assert text.predict([[0]]).tolist() == ["b"]


def test_limits_on_the_tree():
    X, y = hard_problem(60, 6)
    for depth in (0, 1, 2):
        model = OptimalTreeClassifier(0.001, max_depth=depth).fit(X, y)
        assert model.get_depth() <= depth
        check_certificate(model, X, y)
    model = OptimalTreeClassifier(0.0, min_samples_leaf=10).fit(X, y)
    assert model.tree_.n_node_samples.min() >= 10
    assert OptimalTreeClassifier(1.0).fit(X, y).n_splits_ == 0


@pytest.mark.parametrize("splits", [0, 1, 3])
def test_limit_on_the_splits(splits):
    X, y = hard_problem(60, 6)
    model = OptimalTreeClassifier(0.0, max_splits=splits).fit(X, y)
    assert model.n_splits_ <= splits
    check_certificate(model, X, y)


def test_inside_scikit_learn():
    X, y = load_iris(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=1)
    assert is_classifier(model)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.5
    search = GridSearchCV(model, {"split_penalty": [0.01, 0.9]}, cv=2).fit(X, y)
    assert search.best_params_ == {"split_penalty": 0.01}
    bins = KBinsDiscretizer(3, encode="ordinal", quantile_method="linear")
    pipeline = make_pipeline(make_column_transformer((bins, [2, 3])), model)
    assert pipeline.fit(X, y).score(X, y) > 0.6
    fitted = OptimalTreeClassifier(0.3, max_depth=2).fit(X, y)
    assert clone(fitted).get_params() == fitted.get_params()
    assert not hasattr(clone(fitted), "tree_")


def test_sample_weight_is_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        X, y = random_table(0)
        model = OptimalTreeClassifier(0.05).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        weights = np.arange(len(y)) % 3
        scores = sklearn.model_selection.cross_validate(
            model, X[["count"]], y, params={"sample_weight": weights}, cv=2
        )
    assert len(scores["test_score"]) == 2


def test_parameters_are_only_stored():
    parameters = OptimalTreeClassifier().get_params()
    assert set(parameters) == {
        "split_penalty", "penalize", "max_depth", "max_splits", "min_samples_leaf",
        "categorical_features", "categorical_split", "solver", "time_limit",
        "memory_limit", "n_jobs", "class_weight", "random_state", "verbose",
        "quant_bnb", "quantiles", "n_best",
        "first_split", "missing", "cost_matrix", "abstain_cost", "abstain_label",
        "metric", "pos_label", "beta", "constraints", "criterion", "smoothing",
        "monotonic_cst", "shape", "interaction_cst", "test_costs",
        "prefix", "allowed_features", "tolerance",
    }  # fmt: skip
    assert vars(OptimalTreeClassifier(max_depth=-7))["max_depth"] == -7


def test_refitting_starts_afresh():
    X, y = random_table(0)
    model = OptimalTreeClassifier(0.03).fit(X, y, sample_weight=np.arange(len(y)))
    model.fit(X, y)
    assert model.tree_ == OptimalTreeClassifier(0.03).fit(X, y).tree_
    model.fit(X.to_numpy(), y)
    assert not hasattr(model, "feature_names_in_")


def test_verbose_shows_a_line_and_prints_nothing(capfd):
    X, y = hard_problem()
    with pytest.warns(ConvergenceWarning):
        OptimalTreeClassifier(1e-4, time_limit=0.3, verbose=True).fit(X, y)
    assert capfd.readouterr().out == ""


def test_a_quiet_fit_prints_nothing(capfd):
    OptimalTreeClassifier().fit(*random_table(0))
    captured = capfd.readouterr()
    assert captured.out == "" and captured.err == ""


@pytest.mark.parametrize(
    "text, amount",
    [("500MB", 5 * 10**8), ("2GB", 2 * 10**9), ("1 GiB", 2**30), ("7", 7)],
)
def test_amounts_of_memory(text, amount):
    assert parse_memory(text) == amount
