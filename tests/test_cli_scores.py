"""The scores of `treeproof fit` are those of `score` with the weights of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    fbeta_score,
    jaccard_score,
)

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli.fitted import _by_measure, scores
from treeproof.cli.training import Training, training_score


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (60, 3)).astype(float)
    return X, X[:, 0] * X[:, 1] + rng.normal(size=60)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "options",
    [{}, {"class_weight": "balanced"}, {"class_weight": {0: 0.0}}, {"metric": "f1"},
     {"cost_matrix": [[0, 1], [5, 0]]}, {"abstain_cost": 0.1}],
    ids=str,
)  # fmt: skip
def test_accuracy(seed, options):
    X, y = table(seed)
    labels = (y > 2).astype(int)
    model = OptimalTreeClassifier(0.01, max_depth=2, **options).fit(X, labels)
    found = training_score(model, Training(X, labels, None, None))
    assert found == pytest.approx(model.score(X, labels), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_r2(criterion, weighted):
    X, y = table(7)
    weights = np.where(y > 1, 3.0, 0.0) if weighted else None
    model = OptimalTreeRegressor(0.01, max_depth=2, criterion=criterion)
    model.fit(X, y, weights)
    found = training_score(model, Training(X, y, weights, None))
    assert found == pytest.approx(model.score(X, y, weights), abs=1e-12)


def with_costs(y, predicted):
    return np.where(predicted == y, 0, np.where(y == 1, 5, 1)).mean()


@pytest.mark.parametrize(
    ("options", "key", "by_hand"),
    [
        ({"metric": "f1"}, "f1", lambda y, p: f1_score(y, p)),
        (
            {"metric": "fbeta", "beta": 2},
            "fbeta",
            lambda y, p: fbeta_score(y, p, beta=2),
        ),
        ({"metric": "jaccard"}, "jaccard", jaccard_score),
        ({"metric": "balanced_accuracy"}, "balanced_accuracy", balanced_accuracy_score),
        ({"class_weight": "balanced"}, "balanced_accuracy", balanced_accuracy_score),
        ({"cost_matrix": [[0, 1], [5, 0]]}, "mean_cost", with_costs),
    ],
    ids=["f1", "fbeta", "jaccard", "balanced accuracy", "balanced", "costs"],
)
def test_the_measure_of_the_fit_is_shown(options, key, by_hand):
    X, y = table(3)
    labels = (y > 2).astype(int)
    model = OptimalTreeClassifier(0.01, max_depth=1, **options).fit(X[:40], labels[:40])
    inside = Training(X[:40], labels[:40], None, None)
    outside = Training(X[40:], labels[40:], None, None)
    found = scores(model, False, inside, outside)
    assert found[key] == pytest.approx(by_hand(labels[:40], model.predict(X[:40])))
    expected = by_hand(labels[40:], model.predict(X[40:]))
    assert found[f"held_out_{key}"] == pytest.approx(expected)
    assert f"held out {expected:.4f}" in _by_measure(found)


def test_accuracy_and_r2_are_not_shown_twice():
    X, y = table(3)
    for model, target in (
        (OptimalTreeClassifier(max_depth=1), (y > 2).astype(int)),
        (OptimalTreeRegressor(max_depth=1), y),
    ):
        rows = Training(X, target, None, None)
        found = scores(model.fit(X, target), target is y, rows, None)
        assert "measure" not in found and _by_measure(found) == ""


def test_leaves_are_asked_instead_of_rows(monkeypatch):
    X, y = table(1)
    for model, target in (
        (OptimalTreeClassifier(0.01), (y > 2).astype(int)),
        (OptimalTreeRegressor(0.01), y),
    ):
        fitted = model.fit(X, target)
        monkeypatch.setattr(type(fitted), "score", None)
        assert 0.5 < training_score(fitted, Training(X, target, None, None)) <= 1.0


def test_a_much_lower_score_on_rows_held_out_is_noted(treeproof, tmp_path):
    rng = np.random.default_rng(0)
    table = tmp_path / "noise.csv"
    cells = np.column_stack([rng.normal(size=(400, 4)), rng.integers(0, 2, 400)])
    header = "a,b,c,d,y"
    np.savetxt(table, cells, delimiter=",", header=header, comments="", fmt="%.4g")
    words = ["fit", table, "--target", "y", "--classes", "--test-size", 0.4]
    words += ["--max-depth", 3, "--split-penalty", 0]
    status, _, err = treeproof(*words)
    assert status == 0
    assert "much lower than on the training rows" in err
    assert "treeproof path --cv 5" in err
