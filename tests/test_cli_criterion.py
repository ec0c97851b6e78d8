"""The loss of the leaves on the command line: fit and report with --criterion."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor

sklearn_metrics = pytest.importorskip("sklearn.metrics")


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame({"age": rng.integers(18, 80, n), "km": rng.integers(0, 50, n)})
    frame["claims"] = rng.poisson(np.where(frame.age < 30, 2.5, 0.5))
    frame["often"] = np.where(frame.claims + rng.integers(0, 3, n) > 2, "yes", "no")
    path = tmp_path / "claims.csv"
    frame.to_csv(path, index=False)
    return path


def run_well(*words: object) -> str:
    found = run(*words)
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.mark.parametrize(
    ("options", "parameters", "score"),
    [
        (
            ["--criterion", "poisson"],
            {"criterion": "poisson"},
            lambda y, told: sklearn_metrics.d2_tweedie_score(y, told, power=1),
        ),
        (
            ["--criterion", "quantile", "--quantile", "0.8"],
            {"criterion": "quantile", "quantile": 0.8},
            lambda y, told: sklearn_metrics.d2_pinball_score(y, told, alpha=0.8),
        ),
        (
            ["--criterion", "absolute_error"],
            {"criterion": "absolute_error"},
            sklearn_metrics.d2_absolute_error_score,
        ),
    ],
)
def test_fits_what_python_fits(claims, options, parameters, score) -> None:
    words = ["fit", claims, "--target", "claims", "--regression", "--drop", "often"]
    found = json.loads(run_well(*words, "--max-depth", 2, "--json", *options))
    frame = pd.read_csv(claims)
    X, y = frame[["age", "km"]], frame["claims"].astype(float)
    model = OptimalTreeRegressor(max_depth=2, **parameters).fit(X, y)
    assert found["objective"] == pytest.approx(model.objective_)
    assert found["d2"] == pytest.approx(score(y, model.predict(X)), abs=1e-9)
    assert "r2" not in found


def test_probabilities_of_classes(claims) -> None:
    words = ["fit", claims, "--target", "often", "--drop", "claims", "--max-depth", 2]
    found = json.loads(run_well(*words, "--json", "--criterion", "log_loss"))
    frame = pd.read_csv(claims)
    model = OptimalTreeClassifier(max_depth=2, criterion="log_loss")
    model.fit(frame[["age", "km"]], frame["often"])
    assert found["objective"] == pytest.approx(model.objective_)


def test_held_out_rows_are_scored_alike(claims) -> None:
    words = ["fit", claims, "--target", "claims", "--regression", "--drop", "often"]
    words += ["--criterion", "poisson", "--test-size", "0.3", "--time-limit", 1]
    text = run_well(*words, "--quiet")
    assert "D² of deviances" in text and "held out" in text and "r2" not in text


def test_report(claims, tmp_path) -> None:
    page = tmp_path / "report.html"
    words = ["report", claims, "--target", "claims", "--regression", "--drop", "often"]
    words += ["--criterion", "poisson", "--max-depth", 2, "--time-limit", 2]
    run_well(*words, "-o", page)
    assert "D² of deviances" in page.read_text(encoding="utf-8")


def test_the_loss_says_what_is_predicted(claims) -> None:
    """Counts of few different values are numbers if a loss of numbers is asked for."""
    words = ["fit", claims, "--target", "claims", "--drop", "often", "--max-depth", 1]
    assert "accuracy" in run_well(*words)
    assert "D² of deviances" in run_well(*words, "--criterion", "poisson")
    assert "accuracy" in run_well(*words, "--criterion", "gini")
    with pytest.raises(ValueError, match="this tree predicts classes"):
        run(*words, "--criterion", "poisson", "--classes")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--target", "often", "--criterion", "poisson"],
         "--criterion poisson is for numbers, and this tree predicts classes; use "
         "misclassification, log_loss or gini."),
        (["--target", "claims", "--regression", "--criterion", "gini"],
         "--criterion gini is for classes, and this tree predicts numbers; use "
         "squared_error, absolute_error, quantile or poisson."),
        (["--target", "often", "--criterion", "entropy"],
         "--criterion entropy is not known; use misclassification, log_loss or gini."),
        (["--target", "claims", "--regression", "--quantile", ".3"],
         "--quantile needs --criterion quantile."),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(claims, options, sentence) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        run("fit", claims, *options)
