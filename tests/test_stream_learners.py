"""The online learners: learning, memory, invalid input and forgetting."""

import pickle
import signal

import numpy as np
import pytest

from treeproof.stream import (
    EpsilonGreedyTreeClassifier,
    OnlineBranchesClassifier,
    ThompsonTreeClassifier,
    UpperConfidenceTreeClassifier,
    finite_time_guarantee,
)
from treeproof.stream.datasets import stream, xor, xor_arrays

SEARCHES = [
    UpperConfidenceTreeClassifier,
    EpsilonGreedyTreeClassifier,
    ThompsonTreeClassifier,
]
LEARNERS = [OnlineBranchesClassifier, *SEARCHES]


def make(learner, **params):
    if learner is not OnlineBranchesClassifier:
        params.setdefault("seed", 0)
    return learner(**params)


def feed(model, rows):
    for x, y in rows:
        model.learn_one(x, y)
    return model


# ------------------------------------------------------------------------- learning


@pytest.mark.parametrize("seed", [42, 1, 2])
def test_online_branches_solves_xor_and_ends(seed):
    model = OnlineBranchesClassifier(0.01, window_size=1000, drift_detector=None)
    X, y = xor_arrays(100, 4000, seed)
    model.partial_fit(X[:3000], y[:3000])
    assert model.finished_ and model.n_splits_ == 3
    assert 1000 < model.n_samples_consumed_ <= 3000
    assert (model.predict(X[3000:]) == y[3000:]).all()
    assert model.objective_ == model.lower_bound_ == pytest.approx(0.03)


@pytest.mark.parametrize("learner", SEARCHES)
def test_searches_solve_xor(learner):
    model = make(learner, split_penalty=0.01, drift_detector=None)
    X, y = xor_arrays(50, 31_000, 42)
    model.partial_fit(X[:30_000], y[:30_000])
    assert model.n_splits_ == 3
    assert (model.predict(X[30_000:]) == y[30_000:]).all()


@pytest.mark.parametrize("learner", SEARCHES)
@pytest.mark.parametrize("seed", range(4))
def test_no_split_that_does_not_matter_stays(learner, seed):
    model = make(learner, seed=seed, drift_detector=None)
    X, y = xor_arrays(20, 15_000, seed)
    model.partial_fit(X, y)
    assert model.n_splits_ == 3
    assert model.stats_["raised_trees"] > 0


@pytest.mark.parametrize("name, splits", [("led", 9), ("stagger", 2)])
def test_online_branches_on_river_streams(name, splits):
    pytest.importorskip("river")
    model = OnlineBranchesClassifier(0.01 if name == "led" else 0.001)
    feed(model, stream(name, n_samples=3000))
    assert model.finished_ and model.n_splits_ == splits
    assert all(model.predict_one(x) == y for x, y in stream(name, 7, 500))


def brute_force(X, y, penalty, rows, free):
    """Least cost of any multiway tree, in rows."""
    counts = np.bincount(y[rows])
    best = counts.sum() - counts.max()
    for column in free:
        cost = penalty
        values = np.unique(X[rows, column])
        if len(values) < 2:
            continue
        for value in values:
            part = rows[X[rows, column] == value]
            cost += brute_force(X, y, penalty, part, free - {column})
        best = min(best, cost)
    return best


@pytest.mark.parametrize("seed", range(60))
def test_a_settled_window_is_optimal(seed):
    rng = np.random.default_rng(seed)
    n, q, c = (
        int(rng.integers(16, 60)),
        int(rng.integers(1, 5)),
        int(rng.integers(2, 4)),
    )
    X = rng.integers(0, c, (n, q))
    y = (X[:, 0] + (rng.random(n) < 0.3)) % int(rng.integers(2, 4))
    penalty = float(rng.choice([0.01, 0.03, 0.1]))
    model = OnlineBranchesClassifier(
        penalty, window_size=n, numeric_features=set(), drift_detector=None
    )
    model.fit(X, y)
    least = brute_force(X, y, penalty * n, np.arange(n), frozenset(range(q))) / n
    assert model.finished_
    assert model.objective_ == pytest.approx(least, abs=1e-6)
    errors = np.mean(model.predict(X) != y)
    assert errors + penalty * model.n_splits_ == pytest.approx(least, abs=1e-6)


def test_each_bound_fires():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 8))
    y = (X[:, 0] ^ X[:, 1]) ^ (rng.random(600) < 0.1)
    model = OnlineBranchesClassifier(0.02, window_size=200).partial_fit(X, y)
    for counter in ("closed_by_purification", "pruned_splits", "memo_hits"):
        assert model.stats_[counter] > 0, counter


@pytest.mark.parametrize("learner", LEARNERS)
def test_numbers_are_cut_at_quantiles(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3))
    y = np.where(X[:, 1] > 0, "high", "low")
    model = make(learner, split_penalty=0.02, drift_detector=None).partial_fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.95
    assert abs(model.tree_.threshold[0]) < 0.2


# ------------------------------------------------------------------- odd but allowed


@pytest.mark.parametrize("learner", LEARNERS)
def test_missing_and_new_values_are_no_trouble(learner):
    model = make(learner)
    rows = [
        {"a": 1, "b": "x"},
        {"a": None},
        {"b": "new", "c": 1.5},
        {"c": float("nan")},
    ]
    for k in range(400):
        model.learn_one(rows[k % 4], k % 3)
    for x in [*rows, {"a": -7}, {"b": "never seen"}, {"z": 1}]:
        assert sum(model.predict_proba_one(x).values()) == pytest.approx(1)
    assert set(model.classes_) == {0, 1, 2}


@pytest.mark.parametrize("learner", LEARNERS)
def test_whole_numbers_are_numbers_as_in_fit(learner):
    rng = np.random.default_rng(0)
    rows = [
        ({"age": int(k), "on": bool(k % 2)}, bool(k >= 40))
        for k in rng.integers(18, 90, 4000)
    ]
    model = make(learner, split_penalty=0.02)
    for x, y in rows:
        model.learn_one(x, y)
    assert model.n_splits_ == 1 and "age <= " in model.export_text()
    codes = make(learner, split_penalty=0.02, categorical_features=["age"])
    codes.set_params(max_categories=100)
    for x, y in rows:
        codes.learn_one(x, y)
    assert "age in {40, 41" in codes.export_text()


def test_a_feature_has_one_kind():
    model = OnlineBranchesClassifier(
        numeric_features=["a", "b"], categorical_features=["b"]
    )
    with pytest.raises(ValueError, match="'b' is in numeric_features and in"):
        model.learn_one({"a": 1, "b": 2}, 0)


def days(n_days, seed):
    """Yield rows of days: on one day in five most labels are True, else few are."""
    rng = np.random.default_rng(seed)
    for _ in range(n_days):
        share = 0.6 if rng.random() < 0.2 else 0.1
        for _ in range(100):
            yield {"hour": int(rng.integers(24))}, bool(rng.random() < share)


def test_labels_in_clusters_look_like_drift():
    """docs/stream.md explains this: on such streams, switch detection off."""
    pytest.importorskip("river", reason="the detector is River's, an extra")
    accuracy = {}
    for detector in ("auto", None):
        model = OnlineBranchesClassifier(drift_detector=detector)
        hits = [
            (model.predict_one(x) == y, model.learn_one(x, y)) for x, y in days(100, 1)
        ]
        accuracy[detector] = np.mean([hit for hit, _ in hits])
    majority = 1 - np.mean([y for _, y in days(100, 1)])
    assert accuracy[None] > majority - 0.005
    assert accuracy["auto"] < accuracy[None] - 0.02


@pytest.mark.parametrize("learner", LEARNERS)
def test_one_by_one_is_the_same_as_many(learner):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({
        "c": rng.choice(list("abc"), 3000), "i": rng.integers(0, 4, 3000),
        "x": rng.normal(size=3000),
    })  # fmt: skip
    y = pd.Series(np.where((frame.c == "a") ^ (frame.i > 1), "p", "q"))
    one, many = make(learner, split_penalty=0.02), make(learner, split_penalty=0.02)
    for x, label in zip(frame.to_dict("records"), y, strict=True):
        one.learn_one(x, label)
    many.learn_many(frame[:1000], y[:1000])
    many.learn_many(frame[1000:], y[1000:])
    assert one.export_text() == many.export_text()
    assert (
        one.predict_one(frame.iloc[5].to_dict())
        == many.predict_many(frame[5:6]).iloc[0]
    )


@pytest.mark.parametrize("learner", LEARNERS)
def test_pickle_in_the_middle_changes_nothing(learner):
    rows = list(xor(20, 5, 6000))
    model = feed(make(learner), rows[:2345])
    copy = pickle.loads(pickle.dumps(model))
    feed(model, rows[2345:])
    feed(copy, rows[2345:])
    assert model.export_text() == copy.export_text()
    # Containers read from a file have no spare room.
    assert model.stats_ | {"bytes": 0} == copy.stats_ | {"bytes": 0}


@pytest.mark.parametrize("learner", LEARNERS)
def test_damaged_bytes_are_refused(learner):
    model = feed(make(learner), xor(20, 5, 300))._model
    encoder, learnt, *rest = model.save()
    for damaged, words in [
        (learnt[:-1], "cut short"),
        (learnt + b"x", "damaged"),
        (b"x" + learnt[1:], "another version"),
        (b"", "cut short"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.load((encoder, damaged, *rest))
    model.load((encoder, learnt, *rest))


@pytest.mark.parametrize("learner", SEARCHES)
def test_a_seed_repeats_the_run(learner):
    first, second = (feed(make(learner, seed=9), xor(20, 5, 3000)) for _ in range(2))
    assert first.stats_ == second.stats_
    assert first.export_text() == second.export_text()


@pytest.mark.parametrize("learner", LEARNERS)
def test_memory_stays_below_the_limit(learner):
    limit = 2_000_000
    model = make(learner, split_penalty=0.001, memory_limit=limit, drift_detector=None)
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (30_000, 30))
    y = rng.integers(0, 2, 30_000)
    sizes = []
    for start in range(0, len(X), 2000):
        model.partial_fit(X[start : start + 2000], y[start : start + 2000])
        sizes.append(model.stats_["bytes"])
    assert max(sizes) < 1.5 * limit


class ControlC:
    """A drift detector during whose 5000th row the user presses Ctrl-C."""

    def __init__(self):
        self.rows = 0
        self.drift_detected = False

    def update(self, mistake):
        self.rows += 1
        if self.rows == 5000:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("learner", LEARNERS)
def test_an_interrupted_learner_keeps_what_it_learnt(learner):
    X, y = xor_arrays(10, 20_000, 1)
    model = make(learner, drift_detector=ControlC())
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    # Signals are looked at every 256 rows.
    assert 5000 <= model.stats_["samples"] < 5257
    model = pickle.loads(pickle.dumps(model))
    assert model.n_splits_ == 3
    model.partial_fit(X, y)
    assert (model.predict(X[:500]) == y[:500]).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_long_stream_needs_no_more_memory_than_a_short_one(learner):
    # The two relevant bits change every 10,000 rows, so the search never ends.
    model = make(learner, split_penalty=0.01, memory_limit=3_000_000)
    sizes = []
    for part in range(8):
        X, _ = xor_arrays(30, 10_000, part)
        model.partial_fit(X, X[:, 2 * part] ^ X[:, 2 * part + 1])
        sizes.append(len(pickle.dumps(model)))
    assert max(sizes[4:]) < 1.25 * max(sizes[:4])
    if learner is OnlineBranchesClassifier:
        assert model.n_drifts_ > 0


# ------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "x, y, w, words",
    [
        ([1, 2], 0, 1.0, "dictionary"),
        ({}, 0, 1.0, "empty"),
        ({"a": [1]}, 0, 1.0, "'a' has the value"),
        ({"a": 1}, None, 1.0, "label"),
        ({"a": 1}, [1], 1.0, "label"),
        ({"a": 1}, 0, 0.0, "weight"),
        ({"a": 1}, 0, -1.0, "weight"),
        ({"a": 1}, 0, float("nan"), "weight"),
        ({"a": 1}, 0, "heavy", "weight"),
    ],
)
def test_bad_rows_get_one_sentence(learner, x, y, w, words):
    model = make(learner)
    with pytest.raises((ValueError, TypeError), match=words):
        model.learn_one(x, y, w)
    model.learn_one({"a": 1}, 0)
    assert model.predict_one({"a": 1}) == 0


def test_bad_parameters_and_labels():
    with pytest.raises(ValueError, match="window_size"):
        OnlineBranchesClassifier(window_size=0).learn_one({"a": 1}, 0)
    with pytest.raises(TypeError, match="drift_detector"):
        OnlineBranchesClassifier(drift_detector=3).learn_one({"a": 1}, 0)
    model = OnlineBranchesClassifier().partial_fit([[1]], [0], classes=[0, 1])
    with pytest.raises(ValueError, match="label 2 is none of"):
        model.learn_one({0: 1}, 2)
    model = OnlineBranchesClassifier()
    model.learn_one({"a": 1.5}, 0)
    with pytest.raises(ValueError, match="'a' is numeric"):
        model.learn_one({"a": "red"}, 0)


# ----------------------------------------------------------------------------- drift


@pytest.mark.parametrize("kind", ["stagger", "random-tree"])
def test_drift_is_survived_only_with_a_detector(kind):
    synth = pytest.importorskip("river.datasets.synth")
    window, change = 1000, 6000
    if kind == "stagger":
        parts = [synth.STAGGER(classification_function=k, seed=k) for k in (0, 1)]
    else:
        parts = [
            synth.RandomTree(
                seed_tree=seed, seed_sample=seed, n_num_features=0, n_cat_features=8,
                n_categories_per_feature=2, max_tree_depth=4,
            )
            for seed in (42, 7)
        ]  # fmt: skip
    both = synth.ConceptDriftStream(*parts, position=change, width=50, seed=1)

    def accuracies(**params):
        model = OnlineBranchesClassifier(0.002, window_size=window, **params)
        hits = []
        for x, y in both.take(change + 3 * window):
            hits.append(model.predict_one(x) == y)
            model.learn_one(x, y)
        after = change + 2 * window
        return np.mean(hits[change - 500 : change]), np.mean(hits[after : after + 500])

    before, after = accuracies()
    assert after >= before - 0.02
    before, after = accuracies(drift_detector=None)
    assert after < before - 0.02


# ------------------------------------------------------------------------- guarantee


def test_guarantee_grows_with_the_window():
    constants = {
        "n_features": 4, "n_categories": 2, "n_classes": 2, "split_penalty": 0.1,
        "optimal_splits": 1, "optimal_accuracy": 0.97, "epsilon": 0.02, "delta": 0.02,
    }  # fmt: skip
    found = [finite_time_guarantee(n, **constants) for n in (1000, 30_000, 10**6)]
    chances = [g.probability for g in found]
    assert chances == sorted(chances) and chances[0] == 0 and chances[-1] > 0.999
    assert found[0].branches == 1 + 4 * 2 + 6 * 4
    with pytest.raises(ValueError, match="epsilon"):
        finite_time_guarantee(10, **constants | {"epsilon": 0.2})
