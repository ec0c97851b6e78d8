"""More than a hundred bad inputs, each with its exact sentence.

The sentences are in ``bad_input_sentences.json``; texts that other packages write into
them are left to the tests that look at fragments.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from bad_files import COMMANDS, write_files
from test_bad_input import LABELS, TABLES, WEIGHTS, X, Y

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import main

SENTENCES = json.loads(
    (Path(__file__).parent / "bad_input_sentences.json").read_text("utf-8")
)
FRAME = pd.DataFrame({"a": [0.0, 1, 2, 3], "b": list("pqpq")})
DATES = FRAME.assign(a=pd.to_datetime(["2024-01-02"] * 4))
GAPS = FRAME.assign(a=[0.0, np.nan, 2, 3])


def sentence(call):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return f"{type(caught.value).__name__}: {caught.value}"


def fit(X, y, **options):
    return OptimalTreeClassifier(missing="error").fit(X, y, **options)


@pytest.mark.parametrize("name, table", [t[:2] for t in TABLES])
def test_tables(name, table):
    assert sentence(lambda: fit(table, Y)) == SENTENCES[f"table: {name}"]


@pytest.mark.parametrize("name, labels", [t[:2] for t in LABELS])
def test_labels(name, labels):
    assert sentence(lambda: fit(X, labels)) == SENTENCES[f"labels: {name}"]


@pytest.mark.parametrize("name, weights", [t[:2] for t in WEIGHTS])
def test_weights(name, weights):
    found = sentence(lambda: fit(X, Y, sample_weight=weights))
    assert found == SENTENCES[f"weights: {name}"]


def predicted(rows):
    return lambda: fit(FRAME, Y).predict(rows)


OTHERS = {
    "predict: a column less": predicted(FRAME[["a"]]),
    "predict: another name": predicted(FRAME.rename(columns={"b": "c"})),
    "predict: text for numbers": predicted(FRAME.assign(a="x")),
    "predict: numbers for text": predicted(FRAME.assign(b=1.5)),
    "predict: NaN": predicted(FRAME.assign(a=np.nan)),
    "predict: another number of columns": lambda: fit(X, Y).predict([[1, 2, 3]]),
    "predict: one row as a list": lambda: fit(X, Y).predict([1, 2]),
    "fit: the target among the features": lambda: fit(FRAME, FRAME["a"]),
    "fit: text target among the features": lambda: fit(
        pl.from_pandas(FRAME), pl.Series("b", list("pqpq"))
    ),
    "fit: too many categories": lambda: fit(
        pd.DataFrame({"code": [f"c{i}" for i in range(65_536)]}), [0] * 65_536
    ),
    "fit: too many subsets": lambda: OptimalTreeClassifier(
        categorical_split="subset"
    ).fit({"kind": [*"abcdefghijklm", None]}, [0] * 14),
    "fit: subsets of many categories in a proof": lambda: OptimalTreeClassifier(
        max_depth=1, categorical_split="subset"
    ).fit(
        pd.DataFrame({"kind": [f"k{i:02d}" for i in range(14)] * 2}),
        [0, 1] * 14,
        proof="never.proof",
    ),
    "fit: a third branch for Quant-BnB": lambda: OptimalTreeClassifier(
        0.0, missing="branch", max_depth=2, solver="quant-bnb"
    ).fit(GAPS[["a"]], Y),
    "fit: infinity among missing values": lambda: OptimalTreeClassifier().fit(
        FRAME.assign(a=[np.nan, np.inf, 1, 2]), Y
    ),
    "fit: dates and a proof": lambda: OptimalTreeClassifier().fit(
        DATES, Y, proof="p.gz"
    ),
    "predict: dates for numbers": lambda: (
        OptimalTreeClassifier(max_depth=1).fit(FRAME[["a"]], Y).predict(DATES[["a"]])
    ),
    "fit: a number among text and gaps": lambda: OptimalTreeClassifier().fit(
        FRAME.assign(b=pd.Series(["p", 1, None, "q"], dtype=object)), Y
    ),
    "fit: keys left out": lambda: OptimalTreeClassifier().fit(
        [{"a": 1, "b": 2}, {"a": 1}], [0, 1]
    ),
    "predict: infinity": lambda: (
        OptimalTreeClassifier().fit(GAPS, Y).predict(FRAME.assign(a=np.inf))
    ),
    "export: a category named <missing>": lambda: (
        OptimalTreeClassifier()
        .fit({"b": ["<missing>", "p", "<missing>", "p"]}, Y)
        .to_onnx()
    ),
    "regression: text": lambda: OptimalTreeRegressor().fit(X, list("abcd")),
    "regression: NaN": lambda: OptimalTreeRegressor().fit(X, [1, 2, np.nan, 4]),
}


@pytest.mark.parametrize("name", list(OTHERS))
def test_others(name):
    assert sentence(OTHERS[name]) == SENTENCES[name]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    write_files(folder)
    (folder / "changed.csv").write_text("a,b\nq,x\n")
    before = os.getcwd()
    os.chdir(folder)
    try:
        run(["fit", "good.csv", "--target", "y", "--quiet", "--save", "model.json"])
        yield folder
    finally:
        os.chdir(before)


def run(arguments):
    old = sys.argv
    sys.argv = ["treeproof", *arguments]
    try:
        with pytest.raises(SystemExit) as stopped:
            main()
    finally:
        sys.argv = old
    return stopped.value.code


KNOWN = [name for name in COMMANDS if f"command: {name}" in SENTENCES]


@pytest.mark.parametrize("name", KNOWN)
def test_commands(name, folder, capsys):
    status = run(COMMANDS[name])
    captured = capsys.readouterr()
    assert status == 2 and captured.out == ""
    assert captured.err == SENTENCES[f"command: {name}"] + "\n"


def test_there_are_enough():
    used = len(TABLES) + len(LABELS) + len(WEIGHTS) + len(OTHERS) + len(KNOWN)
    assert used == len(SENTENCES) >= 60


def test_what_is_strange_but_right():
    """Inputs that look bad and are not: they give the tree they should."""
    assert fit(X, [7, 7, 7, 7]).n_splits_ == 0  # one class
    assert fit(np.ones((4, 2)), Y).n_splits_ == 0  # nothing to split on
    many = pd.DataFrame({"code": [f"c{i % 10_000}" for i in range(20_000)]})
    labels = [i % 2 for i in range(20_000)]
    model = OptimalTreeClassifier(penalize="splits").fit(many, labels)
    assert model.optimal_ and model.n_splits_ == 1
    assert fit(many, labels).n_splits_ == 0  # no code pays for a leaf
    same_name = pd.Series([1, 0, 0, 1], name="a")  # a name, but not the same column
    assert fit(FRAME, same_name).n_features_in_ == 2
    assert OptimalTreeRegressor().fit(X, [2.5] * 4).n_splits_ == 0
