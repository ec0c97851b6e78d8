"""Time limits on large tables, with artificial clocks: no test waits."""

from __future__ import annotations

import warnings

import native
import numpy as np
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.border import read_classification_data
from treeproof.estimators import base
from treeproof.limits import Deadline
from treeproof.policy import OptimalPolicyTree

ROWS, COLUMNS = 120_000, 10


class Clock:
    """A clock that advances by a second each time it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, (ROWS, COLUMNS)).astype(float)
    return X, (X[:, 0] > 20).astype(int)


def test_reading_stops_at_the_deadline():
    X, y = table()
    deadline = Deadline(3.5, clock=Clock())
    data = read_classification_data(OptimalTreeClassifier(), X, y, deadline=deadline)
    assert data.table.unread
    assert [len(values) > 0 for values in data.table.distinct] == [True] * 2 + [
        False
    ] * 8
    assert len(data.table.engine.kinds) == 0  # an engine must not get only some columns


def test_reading_is_the_same_column_by_column():
    X, y = table()
    late = Deadline(1e9, clock=Clock())
    one = read_classification_data(OptimalTreeClassifier(), X, y, deadline=late).table
    all_ = read_classification_data(OptimalTreeClassifier(), X, y).table
    assert np.array_equal(one.codes, all_.codes)
    assert all(map(np.array_equal, one.distinct, all_.distinct))
    assert not one.unread


def test_small_tables_are_always_read():
    X, y = table()
    deadline = Deadline(0.1, clock=Clock())
    model = OptimalTreeClassifier()
    data = read_classification_data(model, X[:1000], y[:1000], deadline=deadline)
    assert not data.table.unread


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize("model", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_a_fit_without_time_to_read_is_a_leaf(monkeypatch, model, frame):
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr(
        base, "Deadline", lambda limit, cuts: Deadline(limit, cuts, clock=Clock())
    )
    X, y = table()
    given = X
    if frame:
        given = pd.DataFrame(X)
        given.columns = [f"c{j}" for j in range(COLUMNS)]
        given["c9"] = given["c9"].astype(str)
    with pytest.warns(UserWarning, match="time limit was reached"):
        fitted = model(time_limit=4.5, split_penalty=0.125).fit(given, y)
    assert fitted.status_ == "time_limit" and not fitted.optimal_
    assert fitted.n_splits_ == 0
    # A tree is a leaf or has a split, so this bound always holds.
    assert fitted.lower_bound_ == pytest.approx(0.125)
    assert fitted.proved_depth_ == 0
    assert len(set(fitted.predict(given[:5]))) == 1
    assert "0.125" in fitted.certificate()


def test_a_leaf_that_nothing_can_beat_is_optimal(monkeypatch):
    monkeypatch.setattr(
        base, "Deadline", lambda limit, cuts: Deadline(limit, cuts, clock=Clock())
    )
    X, _ = table()
    y = (np.arange(ROWS) < 100).astype(int)
    fitted = OptimalTreeClassifier(time_limit=4.5, split_penalty=0.01).fit(X, y)
    assert fitted.optimal_ and fitted.n_splits_ == 0


def test_a_proof_needs_the_whole_table(monkeypatch, tmp_path):
    cuts = []

    def noted(limit: float, cuts_: bool = True, **rest: bool) -> Deadline:
        cuts.append(rest.get("cuts", cuts_))
        return Deadline(limit)

    monkeypatch.setattr(base, "Deadline", noted)
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        OptimalTreeClassifier().fit(X[:50], y[:50], proof=tmp_path / "p.gz")
        OptimalTreeClassifier(first_split=0).fit(X[:50], y[:50])
        OptimalTreeClassifier().fit(X[:50], y[:50])
    assert cuts == [False, False, True]


def climb(n_rows: int, **more):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, n_rows, (COLUMNS, n_rows)).astype(np.int32)
    y = (codes[0] > n_rows // 3).astype(np.int32)
    return native.climb_labels(
        kinds=np.zeros(COLUMNS, dtype=np.int32),
        n_values=np.full(COLUMNS, n_rows, dtype=np.int32),
        codes=codes.reshape(-1),
        labels=y,
        n_classes=2,
        weights=np.ones(n_rows),
        split_penalty=0.0625,
        time_limit=1e-9,
        **more,
    )


def test_preparing_a_large_table_polls_the_limits():
    """Without time, a large table is not even sorted, and a small one is searched."""
    large = climb(200_000)
    assert large["status"] == "time_limit"
    assert len(large["tree"]["feature"]) == 1
    assert large["n_merged_rows"] == 0  # merging was not finished
    assert large["lower"] / large["unit"] == pytest.approx(0.0625)
    small = climb(500)
    assert len(small["tree"]["feature"]) > 1  # at least CART's tree


def test_sorting_targets_polls_the_limits():
    rng = np.random.default_rng(1)
    n = 200_000
    codes = rng.integers(0, n, (COLUMNS, n)).astype(np.int32)
    found = native.climb_targets(
        kinds=np.zeros(COLUMNS, dtype=np.int32),
        n_values=np.full(COLUMNS, n, dtype=np.int32),
        codes=codes.reshape(-1),
        targets=codes[0].astype(float),
        weights=np.ones(n),
        split_penalty=0.0625,
        time_limit=1e-9,
    )
    assert found["status"] == "time_limit"
    assert len(found["tree"]["feature"]) == 1
    assert found["lower"] == 0.0625 and found["upper"] == 1.0


def test_equal_targets_have_no_penalty_below():
    found = native.climb_targets(
        kinds=np.zeros(1, dtype=np.int32),
        n_values=np.full(1, 600_000, dtype=np.int32),
        codes=np.arange(600_000, dtype=np.int32),
        targets=np.full(600_000, 3.0),
        weights=np.ones(600_000),
        split_penalty=0.0625,
        time_limit=1e-9,
    )
    assert found["lower"] == 0.0  # a leaf loses nothing


def test_a_policy_without_time_to_read_is_a_leaf(monkeypatch):
    monkeypatch.setattr(
        base, "Deadline", lambda limit, cuts: Deadline(limit, cuts, clock=Clock())
    )
    X, y = table()
    rewards = np.column_stack([y, 1 - y]).astype(float)
    with pytest.warns(UserWarning, match="The search stopped"):
        model = OptimalPolicyTree(time_limit=4.5).fit(X, rewards)
    assert (model.status_, model.n_splits_) == ("time_limit", 0)
    assert model.policy_value_ == pytest.approx(rewards.mean(axis=0).max())
    assert model.lower_bound_ <= -1 + 1e-6  # one split would do
