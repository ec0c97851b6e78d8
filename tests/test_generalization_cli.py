"""The command ``treeproof prune``."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from treeproof.cli import app
from treeproof.generalization import FeatureSpace, risk_bound
from treeproof.persistence import load


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def files(tmp_path):
    """Noisy data with a category, and an optimal tree fitted on it."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, [2, 2, 2, 100], (400, 4))
    colour = rng.choice(["red", "green", "blue"], 400)
    y = (colour == "red") ^ (x[:, 0] == 1) ^ (rng.random(400) < 0.15)
    data, model = tmp_path / "data.csv", tmp_path / "model"
    with data.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "d", "colour", "class"])
        for row in zip(*x.T, colour, np.where(y, "yes", "no"), strict=True):
            writer.writerow(row)
    fit = ("fit", data, "--target", "class", "--split-penalty", 0.001, "--quiet")
    assert run(*fit, "--max-depth", 3, "--save", model).exit_code == 0
    return data, model, tmp_path


def test_prune_by_bound(files):
    data, model, folder = files
    saved = folder / "pruned"
    result = run("prune", model, data, "--json", "--save", saved, "--r", 0.5)
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    bounds = [step["bound"] for step in answer["steps"]]
    assert bounds == sorted(bounds, reverse=True)
    assert answer["bound"] == bounds[answer["chosen"]]
    assert answer["informative"] == (answer["bound"] < 1)
    assert answer["leaves"] < load(model).get_n_leaves()
    pruned = load(saved)
    assert pruned.get_n_leaves() == answer["leaves"]
    space = FeatureSpace(real=4, multiway=[3], one_vs_rest=[3])
    again = risk_bound(answer["errors"], 400, pruned, space, 2, r=0.5)
    assert again == pytest.approx(answer["bound"])
    assert run("predict", saved, data).exit_code == 0


def test_prune_shows_the_steps_and_is_honest(files):
    data, model, _ = files
    result = run("prune", model, data)
    assert result.exit_code == 0
    assert "<- chosen" in result.stdout
    text = " ".join(result.stdout.split())
    assert "says nothing about their error on new data" in text


def test_binary_columns_lower_the_bound(files):
    data, model, _ = files
    plain = json.loads(run("prune", model, data, "--json").stdout)
    for columns in ("all", "a,b,c"):
        told = json.loads(
            run("prune", model, data, "--json", "--binary", columns).stdout
        )
        assert told["bound"] < plain["bound"]


@pytest.mark.parametrize("by", ["cart", "m-cart"])
def test_prune_by_cross_validation(files, by):
    data, model, _ = files
    answer = json.loads(run("prune", model, data, "--by", by, "--json").stdout)
    assert answer["by"] == by
    errors = [step["cv_error"] for step in answer["steps"]]
    assert answer["cv_error"] == min(errors)
    assert "informative" not in answer


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--by", "lasso"], "--by is bound, cart or m-cart, not 'lasso'"),
        (["--delta", "1"], "delta is the probability"),
        (["--target", "age"], "'age' is not a column"),
        (["--binary", "colour"], "not a column of numbers"),
    ],
)
def test_bad_options(files, arguments, words):
    data, model, _ = files
    result = run("prune", model, data, *arguments)
    assert words in str(result.exception)


def test_missing_files_and_columns(files):
    data, model, folder = files
    assert "no file" in str(run("prune", folder / "nowhere", data).exception)
    short = folder / "short.csv"
    short.write_text("a,b,class\n0,1,yes\n1,1,no\n")
    assert "lacks the column 'c'" in str(run("prune", model, short).exception)
