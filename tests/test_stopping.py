"""A condition around a fit stops it, in any thread, and the tree found is kept."""

import threading

import native
import numpy as np
import pytest

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    _core,
    stop_when,
    watch,
)
from treeproof.datasets import make_planted_tree

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def hard():
    return make_planted_tree(
        1000, n_features=60, n_splits=8, label_noise=0.2, random_state=0,
        return_X_y=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    return rng.random((1500, 12)), rng.integers(0, 2, 1500)


def test_a_fit_in_a_thread_stops_when_told(hard):
    button, seen, fitted = threading.Event(), threading.Event(), []

    def work():
        with stop_when(button.is_set), watch(lambda *event: seen.set()):
            fitted.append(OptimalTreeClassifier(time_limit=None).fit(*hard))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert seen.wait(60)
    assert thread.is_alive()
    button.set()
    thread.join(60)
    assert not thread.is_alive()
    (model,) = fitted
    assert model.status_ == "interrupted" and model.n_splits_ > 0
    assert model.lower_bound_ < model.objective_


def test_all_threads_of_a_search_stop(hard):
    with stop_when(lambda: True):
        model = OptimalTreeClassifier(n_jobs=2, time_limit=30).fit(*hard)
    assert model.status_ == "interrupted"


@pytest.mark.parametrize("solver", ["sparse", "branches", "dt-miner"])
def test_every_solver_of_categories_asks(hard, solver):
    with stop_when(lambda: True):
        model = OptimalTreeClassifier(solver=solver, time_limit=30).fit(*hard)
    assert model.status_ == "interrupted"


@pytest.mark.parametrize("solver", ["threshold", "quant-bnb"])
def test_every_solver_of_numbers_asks(numbers, solver):
    with stop_when(lambda: True):
        model = OptimalTreeClassifier(
            0.0, solver=solver, max_depth=3, time_limit=30
        ).fit(*numbers)
    assert model.status_ == "interrupted"


def test_regression_asks(numbers):
    with stop_when(lambda: True):
        model = OptimalTreeRegressor(0.0, max_depth=4, time_limit=30).fit(*numbers)
    assert model.status_ == "interrupted"


def test_only_fits_in_the_block_are_stopped():
    with stop_when(lambda: True):
        pass
    assert OptimalTreeClassifier().fit([[0], [1]], [0, 1]).optimal_


def test_a_fault_in_the_condition_comes_out(hard):
    def broken():
        raise ZeroDivisionError("the condition is broken")

    with pytest.raises(ZeroDivisionError, match="broken"), stop_when(broken):
        OptimalTreeClassifier(time_limit=30).fit(*hard)


@pytest.fixture(scope="module")
def planes():
    rng = np.random.default_rng(1)
    store = _core.RuleStore(200)
    store.add_sides(rng.integers(0, 2, (3000, 200)).astype(bool))
    return store, {
        "points": np.arange(200, dtype=np.int32),
        "labels": rng.integers(0, 2, 200).astype(np.int32),
        "n_classes": 2,
        "weights": np.ones(200),
        "max_splits": 4,
        "time_limit": 30.0,
    }


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("where", ["condition", "observer"])
def test_a_fault_ends_all_threads_of_a_search_over_rules(planes, n_threads, where):
    def broken(*event):
        raise ZeroDivisionError(f"the {where} is broken")

    store, table = planes
    observer = broken if where == "observer" else None
    condition = broken if where == "condition" else bool
    with pytest.raises(ZeroDivisionError, match="broken"), stop_when(condition):
        native.solve_rules(store, **table, n_jobs=n_threads, observer=observer)


def test_ctrl_c_in_an_observer_of_rules_keeps_the_tree(planes):
    def press(*event):
        raise KeyboardInterrupt

    store, table = planes
    answer = native.solve_rules(store, **table, observer=press)
    assert answer["status"] == "interrupted"
    assert answer["lower"] < answer["upper"]
