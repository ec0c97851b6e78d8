"""Searches and tables on a Dask cluster of two worker processes."""

import os
import signal
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from treeproof import OptimalTreeClassifier, stop_when
from treeproof.cluster import coordinator
from treeproof.policy import OptimalPolicyTree

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def short_slices(monkeypatch):
    """Slices so short that small problems have to be split."""
    monkeypatch.setattr(coordinator, "ROOT_SECONDS", 0.001)
    monkeypatch.setattr(coordinator, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(coordinator, "NEXT_SECONDS", 0.5)


def problem(seed, n=250, features=7):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {f"f{j}": rng.choice(list("abc")[: 2 + j % 2], n) for j in range(features)}
    )
    X["n"] = rng.integers(0, 5, n)
    good = (X.f0 == "a") & (X.n > 2) | (X.f1 == "b")
    y = good.to_numpy() ^ (rng.random(n) < 0.2)
    return X, np.where(y, "yes", "no")


PARAMETERS = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 8},
    {"categorical_split": "one-vs-rest", "max_depth": 3},
    {"categorical_split": "subset", "missing": "branch", "max_depth": 3},
]


@pytest.mark.parametrize("seed", range(20))
def test_same_optimum_as_one_process(client, short_slices, seed):
    X, y = problem(seed)
    X = X.mask(np.random.default_rng(seed).random(X.shape) < (seed % 2) / 20)
    weights = None if seed % 2 else np.random.default_rng(seed).random(len(y))
    model = OptimalTreeClassifier(0.015, time_limit=None, **PARAMETERS[seed % 5])
    known = clone(model).fit(X, y, weights)
    found = model.fit(X, y, weights, distributed=client)
    assert found.optimal_ and found.status_ == "optimal"
    # Another of the optimal trees may be found; its cost is another sum of the weights.
    assert found.objective_ == pytest.approx(known.objective_, rel=1e-12)
    assert found.lower_bound_ == found.objective_
    assert found.stats_["workers"] == 2
    if found.stats_["nodes_split"]:
        assert found.stats_["subproblems"] > 1
    leaves = found.tree_.n_node_samples[found.tree_.kind == 0]
    assert leaves.min() >= PARAMETERS[seed % 5].get("min_samples_leaf", 1)


@pytest.mark.parametrize(
    ("parameters", "given"),
    [
        ({"cost_matrix": [[0, 1], [5, 0]]}, {}),
        ({}, {"costs": np.random.default_rng(1).random((120, 2))}),
        ({"abstain_cost": 0.3}, {}),
        ({"metric": "balanced_accuracy"}, {}),
    ],
    ids=["matrix", "rows", "abstain", "balanced accuracy"],
)
def test_costs(client, short_slices, parameters, given):
    rng = np.random.default_rng(5)
    X = rng.choice(list("abc"), (120, 5))
    y = (X[:, 0] == "a") ^ (rng.random(120) < 0.2)
    model = OptimalTreeClassifier(0.01, max_depth=3, solver="sparse", **parameters)
    alone = model.fit(X, y, **given).objective_
    model.fit(X, y, distributed=client, **given)
    assert model.optimal_ and model.objective_ == pytest.approx(alone, abs=1e-9)


def test_treatments(client, short_slices):
    rng = np.random.default_rng(6)
    X, rewards = rng.choice(list("ab"), (120, 5)), rng.normal(size=(120, 3))
    model = OptimalPolicyTree(0.01, max_depth=3, solver="sparse")
    alone = model.fit(X, rewards).objective_
    model.fit(X, rewards, distributed=client)
    assert model.optimal_ and model.objective_ == pytest.approx(alone, abs=1e-9)
    assert model.stats_["workers"] == 2


def test_f1_needs_one_process(client):
    model = OptimalTreeClassifier(metric="f1", max_depth=2, pos_label=1)
    with pytest.raises(ValueError, match="takes several searches"):
        model.fit([[0], [1], [2]], [0, 1, 1], distributed=client)


def test_a_killed_worker_loses_nothing(client, short_slices, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 16)), rng.integers(0, 2, 300)
    model = OptimalTreeClassifier(0.008, time_limit=None)
    known = clone(model).fit(X, y)
    processes = client.run(os.getpid)
    submit = coordinator._Run._submit
    sent = []

    def submit_and_kill(run, parts):
        submit(run, parts)
        sent.append(len(parts))
        if len(sent) == 3:
            os.kill(next(iter(processes.values())), signal.SIGKILL)

    monkeypatch.setattr(coordinator._Run, "_submit", submit_and_kill)
    found = model.fit(X, y, distributed=client)
    assert len(sent) > 3, "the search was over before a worker could be killed"
    assert found.optimal_ and found.objective_ == known.objective_
    client.wait_for_workers(2)


def test_limits_and_interruption(client):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 25)), rng.integers(0, 2, 400)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = OptimalTreeClassifier(0.002, time_limit=2).fit(X, y, distributed=client)
    assert model.status_ == "time_limit"
    assert 0 < model.lower_bound_ < model.objective_ < 0.5
    assert model.score(X, y) + 0.002 * model.n_splits_ > 0.5
    with stop_when(lambda: True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, distributed=client)
    assert model.status_ == "interrupted"


def test_bad_requests(client):
    X, y = problem(0)
    for parameters, sentence in (
        ({"max_splits": 3}, "max_splits cannot be combined with distributed"),
        ({"solver": "branches"}, 'solver="branches" runs on one machine only'),
    ):
        with pytest.raises(ValueError, match=sentence):
            OptimalTreeClassifier(**parameters).fit(X, y, distributed=client)
    with pytest.raises(TypeError, match=r"must be a dask\.distributed\.Client"):
        OptimalTreeClassifier().fit(X, y, distributed="localhost")


def test_rows_counted_on_the_cluster(client):
    X, y = problem(5, n=20_000)
    table = X.assign(label=y)
    known = OptimalTreeClassifier().fit(X, y)
    found = OptimalTreeClassifier().fit(
        dd.from_pandas(table, npartitions=9), "label", distributed=client
    )
    assert found.objective_ == pytest.approx(known.objective_)
    assert found.optimal_ and known.optimal_
    assert found.stats_["n_rows"] == 20_000 > found.stats_["distinct_rows"]


def test_grid_search_through_joblib(client):
    X, y = problem(2)
    search = GridSearchCV(
        OptimalTreeClassifier(), {"split_penalty": [0.01, 0.02, 0.05]}, cv=3
    )
    with joblib.parallel_config(backend="dask"):
        search.fit(X, y)
    alone = clone(search).fit(X, y)
    assert search.best_params_ == alone.best_params_
    assert search.best_score_ == alone.best_score_
