"""Questions to the set of near-optimal trees, against a list of all trees."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from sklearn.exceptions import ConvergenceWarning

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.alternatives.engine import LimitReachedError
from treeproof.alternatives.search import Question

KINDS = ("classes", "weights", "three classes", "cost matrix", "abstain", "costs")


def drawn(seed):
    """A fitted classifier of some kind, its table, and all its near-optimal trees."""
    rng = np.random.default_rng([41, seed])
    kind = KINDS[seed % len(KINDS)]
    n = int(rng.integers(12, 30))
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 4, n),
            "b": rng.random(n).round(1),
            "c": rng.choice(["x", "y", "z"], n),
        }
    )
    n_classes = 3 if kind == "three classes" else 2
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    more, fit = {}, {}
    if kind == "weights":
        fit["sample_weight"] = rng.integers(1, 5, n).astype(float)
    elif kind == "cost matrix":
        more["cost_matrix"] = [[0, 1], [3, 0]]
    elif kind == "abstain":
        more["abstain_cost"] = 0.3
    elif kind == "costs":
        fit["costs"] = rng.integers(0, 5, (n, 2)).astype(float)
    split = str(rng.choice(["one-vs-rest", "multiway", "auto"]))
    clf = OptimalTreeClassifier(
        0.03, max_depth=2, categorical_split=split, penalize="splits", **more
    ).fit(X, y, **fit)
    trees = clf.near_optimal(0.04)
    weights = fit.get("sample_weight", np.ones(n))
    return rng, X, y, weights, clf, trees, kind


def wanted_actions(clf):
    return np.asarray(clf._task.objective.actions)


def loss_of(clf, y, said, rows):
    """The loss of predictions, from the costs of the actions."""
    objective = clf._task.objective
    actions = list(objective.actions)
    number = np.array([actions.index(s) for s in said])
    costs = getattr(objective, "costs", None)
    if costs is None:
        wrong = (np.asarray(said) != y[rows]).astype(float)
    else:
        wrong = costs[rows, number]
    return wrong


@pytest.mark.parametrize("seed", range(rounds(30, 600)))
def test_every_question_against_a_list(seed):
    rng, X, y, weights, clf, trees, kind = drawn(seed)
    if trees.count > 400:
        return
    listed = trees.to_list(400)
    said = [near.model.predict(X) for near in listed]
    actions = wanted_actions(clf)
    number = [np.searchsorted(actions, s) if kind != "abstain" else
              np.array([list(actions).index(v) for v in s]) for s in said]  # fmt: skip

    # Answers of each row.
    least = np.full((len(y), len(actions)), np.inf)
    for near, own in zip(listed, number, strict=True):
        cells = np.arange(len(y)), own
        least[cells] = np.minimum(least[cells], near.objective)
    found = trees.disagreement()
    assert np.allclose(found.objectives, least, atol=1e-9)
    assert (found.disputed == (np.isfinite(least).sum(axis=1) > 1)).all()

    # Any sum over rows.
    values = rng.integers(-4, 5, (len(y), len(actions)))
    sums = [values[np.arange(len(y)), own].sum() for own in number]
    extremes = trees.extremes(values)
    assert (extremes.least, extremes.most) == (min(sums), max(sums))
    real = values + rng.random(values.shape)
    sums = [real[np.arange(len(y)), own].sum() for own in number]
    extremes = trees.extremes(real)
    assert extremes.least == pytest.approx(min(sums), abs=1e-6)
    assert extremes.most == pytest.approx(max(sums), abs=1e-6)

    # Different predictions.
    counts = trees.counts()
    assert counts["trees"] == trees.count
    assert counts["predictions"] == len({tuple(own) for own in number})
    merged = clf.near_optimal(0.04, distinct="predictions")
    assert merged.count == counts["predictions"]
    objectives = [near.objective for near in merged]
    assert (np.diff(objectives) > -1e-12).all()

    # The cheapest to ask.
    prices = {"a": 0.5, "b": 2.0}
    paid = []
    for near in listed:
        path = near.model.decision_path(X).toarray()
        total = 0.0
        for i, own in enumerate(weights):
            used = {int(near.tree.feature[k]) for k in np.flatnonzero(path[i])}
            total += own * sum(prices[c] for f, c in ((0, "a"), (1, "b")) if f in used)
        paid.append(total / weights.sum())
    assert trees.cheapest_to_ask(prices).cost == pytest.approx(min(paid))


@pytest.mark.parametrize("seed", range(rounds(12, 300)))
def test_reliance_and_functions_against_a_list(seed):
    _, X, y, weights, clf, trees, _ = drawn(seed)
    if trees.count > 150:
        return
    listed = trees.to_list(150)
    grid = pd.DataFrame(
        list(product(*(sorted(X[c].unique()) for c in X))), columns=X.columns
    )
    functions = {tuple(near.model.predict(grid)) for near in listed}
    assert trees.counts()["functions"] == len(functions)
    found = trees.reliance()
    rows = np.repeat(np.arange(len(y)), len(y))
    others = np.tile(np.arange(len(y)), len(y))
    for column in X:
        mixed = X.iloc[rows].reset_index(drop=True)
        mixed[column] = X[column].to_numpy()[others]
        both = weights[rows] * weights[others]
        losses = [
            np.average(loss_of(clf, y, near.model.predict(mixed), rows), weights=both)
            for near in listed
        ]
        assert found[column].least == pytest.approx(min(losses))
        assert found[column].most == pytest.approx(max(losses))
        used = sum(near.tree.feature.tolist().count(list(X).index(column)) > 0
                   for near in listed)  # fmt: skip
        assert found[column].use == pytest.approx(used / len(listed))


@pytest.mark.parametrize("seed", range(rounds(20, 300)))
def test_the_fairest_against_a_list(seed):
    rng, X, y, weights, clf, trees, kind = drawn(seed)
    if trees.count > 400 or kind == "abstain":
        return
    who = rng.choice(["f", "m"], len(y))
    who[:4] = ["f", "m", "f", "m"]
    y_of = np.asarray(y)
    for rate in ("selection", "true positive", "false positive"):
        positive = clf.classes_[-1]
        among = np.ones(len(y), dtype=bool)
        if rate != "selection":
            among = (y_of == positive) == (rate == "true positive")
        if not ((who == "f") & among).any() or not ((who == "m") & among).any():
            with pytest.raises(ValueError, match="has no rows"):
                trees.fairest(who, rate=rate)
            continue
        gaps = []
        for near in trees.to_list(400):
            yes = near.model.predict(X) == positive
            rates = [
                np.average(yes[among & (who == g)], weights=weights[among & (who == g)])
                for g in "fm"
            ]
            gaps.append(abs(rates[0] - rates[1]))
        found = trees.fairest(who, rate=rate)
        assert found.difference == pytest.approx(min(gaps), abs=1e-9)
        assert set(found.rates) == {"f", "m"}


def test_columns_that_trees_may_not_test():
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 3, (40, 4)), rng.integers(0, 2, 40)
    clf = OptimalTreeClassifier(0.02, max_depth=2, allowed_features=[1, 2])
    trees = clf.fit(X, y).near_optimal(0.03)
    assert [trees.feature_use()[name] for name in ("x0", "x3")] == [0, 0]
    assert trees.filter(using="x3").count == 0
    assert trees.cheapest_to_ask({"x3": 1.0}).cost == 0
    found = trees.reliance("x3")["x3"]
    assert found.use == 0
    assert found.least == pytest.approx(min(near.loss for near in trees))


def test_questions_have_a_time_limit():
    rng = np.random.default_rng(6)
    X, y = rng.random((300, 6)), rng.integers(0, 2, 300)
    trees = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y).near_optimal(0.02)
    trees.limit_questions(0.001)
    with pytest.raises(LimitReachedError, match="before the time limit"):
        trees.reliance()
    trees.limit_questions(60)
    assert trees.disagreement().disputed.any()


def test_what_cannot_be_answered_is_refused():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.random(60), "b": rng.choice(["x", "y", "z"], 60)})
    y = rng.integers(0, 2, 60)
    trees = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y).near_optimal(0.01)
    with pytest.raises(ValueError, match="one number for each of the 60 training rows"):
        trees.extremes(np.ones(3))
    with pytest.raises(ValueError, match="compares two groups"):
        trees.fairest(np.arange(60) % 3)
    with pytest.raises(ValueError, match="rate='odd' is not known"):
        trees.fairest(np.arange(60) % 2, rate="odd")
    with pytest.raises(ValueError, match="positive=7 is not one of the classes"):
        trees.fairest(np.arange(60) % 2, positive=7)
    with pytest.raises(ValueError, match="There is no column 'q'"):
        trees.reliance("q")
    with pytest.raises(ValueError, match="distinct='rows' is not known"):
        trees._question.problem.model.near_optimal(0.01, distinct="rows")
    some = trees._question.problem.model.near_optimal(0.01, limit=1)
    with pytest.raises(ValueError, match="a question to all trees"):
        some.disagreement()
    X.loc[3, "a"] = np.nan
    gaps = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y).near_optimal(0.01)
    with pytest.raises(ValueError, match="needs columns without missing values"):
        gaps.reliance()
    assert "functions" not in gaps.counts()
    assert gaps.disagreement().objectives.min() == pytest.approx(gaps.objective)
    reg = OptimalTreeRegressor(0.02, max_depth=1).fit(X[["b"]], rng.random(60))
    numbers = reg.near_optimal(0.5)
    with pytest.raises(ValueError, match="a regressor has none"):
        numbers.disagreement()
    assert numbers.smallest().n_splits >= 0


@pytest.mark.parametrize("seed", range(rounds(10, 200)))
def test_numbers_that_are_predicted_alike(seed):
    rng = np.random.default_rng([43, seed])
    X = rng.integers(0, 3, (14, 3))
    y = rng.integers(0, 4, 14).astype(float)
    reg = OptimalTreeRegressor(0.05, max_depth=2).fit(X, y)
    trees = reg.near_optimal(0.2)
    if trees.count > 300:
        return
    listed = trees.to_list(300)
    said = {tuple(near.model.predict(X).round(9)) for near in listed}
    grid = np.array(list(product(*(np.unique(c) for c in X.T))))
    everywhere = {tuple(near.model.predict(grid).round(9)) for near in listed}
    counts = trees.counts()
    assert counts["predictions"] == len(said)
    assert counts["functions"] == len(everywhere)


def test_trees_of_a_smaller_depth_are_not_all_trees(monkeypatch) -> None:
    """If deeper trees could not be counted, the set says so, and has no upper bound."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (64, 5)).astype(float)
    y = X[:, :4].sum(axis=1) % 2
    model = OptimalTreeClassifier(0.001).fit(X, y)
    assert model.get_depth() == 4
    whole = model.near_optimal(within=0.01)
    assert whole.complete and whole.max_depth is None
    largest, deepest = Question._largest, [4]

    def stopped(self, max_depth, seconds, alone):
        if max_depth is None or max_depth > deepest[0]:
            raise LimitReachedError("time_limit", 0.01)
        return largest(self, max_depth, seconds, alone)

    monkeypatch.setattr(Question, "_largest", stopped)
    with pytest.warns(ConvergenceWarning, match="these are those of depth 4 or less"):
        part = model.near_optimal(within=0.01)
    assert part.max_depth == 4 and part.count > 0 and not part.complete
    deepest[0] = 3
    with pytest.warns(ConvergenceWarning, match="these are those of depth 3 or less"):
        part = model.near_optimal(within=0.01)
        assert part.count == 0
    assert not part.complete and part.max_depth == 3
    assert (part.at_least, part.at_most) == (0, None)
    assert "0 trees of depth 3 or less within 0.01" in repr(part)


@pytest.mark.parametrize("proved", [3.0, 4.0, 5.0])
def test_depths_rise_as_far_as_they_were_proved(monkeypatch, proved) -> None:
    """A fit that was stopped is followed by trees of the depths that it proved."""
    X = np.random.default_rng(0).integers(0, 2, (40, 3)).astype(float)
    model = OptimalTreeClassifier(0.05).fit(X, X[:, 0] * X[:, 1])
    model.optimal_, model.proved_depth_ = False, proved
    asked = []
    largest = Question._largest

    def stopped(self, max_depth, seconds, alone):
        asked.append(max_depth)
        if max_depth is None:
            raise LimitReachedError("time_limit", 0.01)
        return largest(self, max_depth, seconds, alone)

    monkeypatch.setattr(Question, "_largest", stopped)
    deepest = max(4, int(proved))  # depth four is tried in any case
    with pytest.warns(ConvergenceWarning, match=f"depth {deepest} or less"):
        assert model.near_optimal(within=0.01).max_depth == deepest
    assert asked == [*range(1, deepest + 1), None]
