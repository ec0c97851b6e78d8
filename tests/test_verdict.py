"""Verdicts: the whole statement, in the same words from both fast checkers."""

from __future__ import annotations

import gzip
import json
import random
import subprocess

import pandas as pd
import pytest
from mutants import compare, mutate, small_proof, verdicts
from small_proofs import Small
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import app
from treeproof.proof.checker import check


def in_brackets(text):
    return text[text.rindex("steps (") + 7 : text.rindex(")")]


@pytest.mark.parametrize("loss", ["classes", "squared_error", "absolute_error"])
def test_both_checkers_state_the_same(tmp_path, program, loss):
    X = pd.DataFrame({
        "n": [0.5, 1.0, 2.0, None, 3.0, 4.0],
        "c": ["u", "v", "w", "u", "v", "w"],
        "o": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
    })  # fmt: skip
    weights = [1.0, 0.25, 3.0, 1.0, 0.0, 2.0]
    y = ["a", "b", "a", "b", "b", "a"] if loss == "classes" else [1.0, 2, 5, 3, 1, 0]
    settings = {"max_depth": 2, "min_samples_leaf": 1, "split_penalty": 0.015}
    if loss == "classes":
        model = OptimalTreeClassifier(class_weight={"a": 0.5}, **settings)
    else:
        model = OptimalTreeRegressor(criterion=loss, max_splits=3, **settings)
    path, table = tmp_path / "p.gz", tmp_path / "t.csv"
    model.fit(X, y, sample_weight=weights, proof=path)
    X.assign(y=y, w=weights).to_csv(table, index=False)
    verdict = check(path, X, y, weights)
    assert verdict.accepted, verdict
    done = subprocess.run(
        [program, "-", table, "--target", "y", "--weight", "w"],
        input=gzip.decompress(path.read_bytes()), capture_output=True,
    )  # fmt: skip
    assert in_brackets(done.stdout.decode()) == verdict.statement
    for words in ("5 rows", "1 more of weight 0 left out", "3 columns", "max_depth 2",
                  "min_samples_leaf 1", "split_penalty 0.015"):  # fmt: skip
        assert words in verdict.statement
    exactness = "exact" if loss == "classes" else "within 1e-09 in each comparison"
    assert verdict.statement.endswith(exactness)
    done = CliRunner().invoke(app, [
        "check", str(path), str(table), "--target", "y", "--weight", "w", "--json",
        "--exact",
    ])  # fmt: skip
    told = json.loads(done.stdout)
    assert told["accepted"] and told["statement"] == verdict.statement


def test_a_class_of_no_weight_is_told(tmp_path):
    """If a class has weight 0, no error costs anything; the verdict says why."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]
    path = tmp_path / "p"
    OptimalTreeClassifier(class_weight={"a": 1, "b": 0}).fit(X, y, proof=path)
    verdict = check(path, X, y)
    assert verdict.optimal and verdict.objective == 0.0
    assert 'class weights {"a": 1, "b": 0}' in str(verdict)
    assert "2 more of weight 0 left out" in str(verdict)


CHANGES = {
    "split_cost off by one": lambda h, s: h.update(split_cost=h["split_cost"] + 1),
    "split_cost off by some": lambda h, s: h.update(split_cost=h["split_cost"] - 3),
    "n_rows as a list": lambda h, s: h.update(n_rows=[h["n_rows"]]),
    "a list as a name": lambda h, s: h["features"][0].update(name=["x0"]),
    "a name twice": lambda h, s: h["features"].append(h["features"][0]),
    "version as a double": lambda h, s: h.update(version=2.0),
    "predict and test": lambda h, s: h["tree"].update(predict=0),
    "uses of a step that needs none": lambda h, s: s.update(bound=0, uses=[[0, "x"]]),
    "a later step cited in vain": lambda h, s: s.update(bound=0, uses=[[0, [99], []]]),
    "a look as a double": lambda h, s: s.update(uses=[[0, [-1.0], []]]),
    "no class weights": lambda h, s: h.pop("class_weight"),
    "a negative class weight": lambda h, s: h.update(class_weight=[1.0, -1.0]),
    "a penalty above one": lambda h, s: h.update(split_penalty=1.5),
}


@pytest.mark.parametrize("change", CHANGES)
def test_all_refuse_what_one_refuses(tmp_path, program, change):
    small = xor()
    lines = small.full_proof()
    honest = "".join(json.dumps(line) + "\n" for line in lines).encode()
    assert compare(verdicts(small, honest, tmp_path, program))
    step = next(s for s in lines[1:] if s["uses"])
    CHANGES[change](lines[0], step)
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    said = verdicts(small, text, tmp_path, program)
    assert not any(accepted for accepted, _ in said.values()), said


@pytest.mark.parametrize("key", ["lower", "bound", "max_depth"])
def test_a_key_twice(tmp_path, program, key):
    small = xor()
    text = "".join(json.dumps(line) + "\n" for line in small.full_proof())
    text = text.replace(f'"{key}":', f'"{key}": 0, "{key}":', 1).encode()
    said = verdicts(small, text, tmp_path, program)
    assert not any(accepted for accepted, _ in said.values()), said


def test_negative_weights(tmp_path, program):
    small = xor()
    lines = small.full_proof()
    small.weights[0] = -1.0
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    said = verdicts(small, text, tmp_path, program)
    assert not any(accepted for accepted, _ in said.values()), said


def xor():
    cells = [("0", 0.0, "n"), ("0", 1.0, "y"), ("1", 0.0, "y"), ("1", 1.0, "n")] * 2
    columns = [("one-vs-rest", ["0", "1"], [a for a, _, _ in cells]),
               ("threshold", [], [b for _, b, _ in cells])]  # fmt: skip
    return Small(columns, [y for _, _, y in cells], max_depth=2, split_penalty=0.03)


@pytest.mark.parametrize("block", range(4))
def test_mutants(tmp_path, program, block):
    rng, accepted = random.Random(block), 0
    for _ in range(6):
        small, lines = small_proof(rng)
        for _ in range(20):
            text = mutate(lines, rng)
            accepted += compare(verdicts(small, text, tmp_path, program))
    assert accepted > 0
