"""Proofs of tables with missing values, ordered categories and subset splits."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import subprocess

import pandas as pd
import pytest
from missing_problems import as_frame, fit, random_problem
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier
from treeproof.cli import app
from treeproof.proof.checker import check


@pytest.fixture
def judge(program, tmp_path):
    """Return the verdicts of both checkers about the lines of a proof."""

    def verdicts(lines, small):
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        table = tmp_path / "data.csv"
        table.write_text(small.csv())
        command = [program, "-", table, "--target", "y", "--weight", "w"]
        said = subprocess.run(command, input=text, capture_output=True, timeout=60)
        theirs = check(io.BytesIO(text), as_frame(small), small.target)
        return [said.returncode == 0, theirs.accepted], [said.stdout, str(theirs)]

    return verdicts


def lines_of(path):
    with gzip.open(path) as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("seed", range(60))
def test_proofs_against_every_tree(judge, tmp_path, seed):
    rng = random.Random(seed)
    small = random_problem(rng)
    if seed % 3 == 0:
        loss = rng.choice(["squared_error", "absolute_error"])
        small = random_problem(rng, loss=loss)
        small.target = [rng.choice([0.0, 1.0, 2.5, 10.0]) for _ in small.target]
    solver = rng.choice(["auto", "threshold"])
    model = fit(small, tmp_path / "p", solver=solver)
    lines = lines_of(tmp_path / "p")
    accepted, said = judge(lines, small)
    assert accepted == [True, True], said
    assert lines[0]["fingerprint"] == small.fingerprint()
    least, _ = small.optimum(
        small.everything, small.max_depth, small.max_splits, small.split_cost()
    )
    assert model.optimal_ and lines[0]["upper"] == pytest.approx(least, abs=1e-9)


def gaps(seed=2, n=30):
    """Return a larger table with gaps in columns of every kind."""
    rng = random.Random(seed)
    holes = {"size": 0.2, "grade": 0.1, "colour": 0.3}
    sizes = [round(2 * rng.gauss(0, 1)) / 2 for _ in range(n)]
    grades = [rng.choice(["low", "mid", "high"]) for _ in range(n)]
    colours = [rng.choice(["red", "green", "blue", "grey"]) for _ in range(n)]
    score = zip(sizes, grades, colours, strict=True)
    y = [int((s > 0) + (g == "high") + (c in ("red", "grey")) > 1) for s, g, c in score]
    y = [1 - label if rng.random() < 0.1 else label for label in y]
    table = {"size": sizes, "grade": grades, "colour": colours}
    table = {
        name: [None if rng.random() < holes[name] else cell for cell in cells]
        for name, cells in table.items()
    }
    grade = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    X = pd.DataFrame(table).astype({"grade": grade, "colour": "category"})
    return X, y


@pytest.mark.parametrize("missing", ["best-side", "branch"])
@pytest.mark.parametrize("split", ["subset", "one-vs-rest", "multiway"])
def test_changed_data_and_steps(program, tmp_path, missing, split):
    X, y = gaps()
    settings = {"categorical_split": split, "missing": missing, "max_depth": 3}
    OptimalTreeClassifier(0.02, **settings).fit(X, y, proof=tmp_path / "p")
    lines = lines_of(tmp_path / "p")

    def verdicts(lines, X):
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        X.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
        command = [program, "-", tmp_path / "data.csv", "--target", "y"]
        said = subprocess.run(command, input=text, capture_output=True, timeout=60)
        return [said.returncode == 0, check(io.BytesIO(text), X, y).accepted]

    assert verdicts(lines, X) == [True, True]
    for name in X:
        filled = X.copy()
        row = int(X.index[X[name].isna()][0])
        filled.loc[row, name] = X[name].dropna().iloc[0]
        assert verdicts(lines, filled) == [False, False]
    rows = list(range(len(X)))
    rows[0], rows[1] = 1, 0
    assert verdicts(lines, X.iloc[rows].reset_index(drop=True)) == [False, False]
    for name, lie in {"missing": None, "split": "threshold"}.items():
        for k in range(len(lines[0]["features"])):
            header = copy.deepcopy(lines[0])
            if header["features"][k][name] != lie:
                header["features"][k][name] = lie
                assert verdicts([header, *lines[1:]], X) == [False, False]

    def with_step(at, **change):
        return verdicts([*lines[:at], lines[at] | change, *lines[at + 1 :]], X)

    dearest = max(range(1, len(lines)), key=lambda k: lines[k]["bound"])
    bound = lines[dearest]["bound"] + 1
    assert with_step(dearest, bound=bound) == [False, False]
    rng, rejected = random.Random(0), 0
    for at in [k for k, line in enumerate(lines) if line.get("branch")][-6:]:
        _, *others = lines[at]["branch"]
        both = with_step(at, branch=[rng.randrange(8), *others])
        assert both[0] == both[1]  # other literals are other rows
        rejected += not both[0]
    assert rejected > 0


def test_raw_csv_on_the_command_line(program, tmp_path):
    X, y = gaps()
    data, proof = tmp_path / "t.csv", tmp_path / "t.proof.gz"
    X.assign(label=y).to_csv(data, index=False)
    run = CliRunner().invoke
    options = ["--missing", "best-side", "--max-depth", "2", "--proof", str(proof)]
    done = run(app, ["fit", str(data), "--target", "label", *options])
    assert done.exit_code == 0, done.output
    done = run(app, ["check", str(proof), str(data)])
    assert done.exit_code == 0 and "optimal" in done.output, done.output
    text = gzip.decompress(proof.read_bytes())
    command = [program, "-", data, "--target", "label"]
    said = subprocess.run(command, input=text, capture_output=True)
    assert said.returncode == 0, said.stdout


def test_all_missing_and_odd_spellings(program, tmp_path):
    X = pd.DataFrame(
        {
            "none": [None, None, None, None, None, None],
            "n": ["1", "NaN", "", "2.5", "nan", "1"],
            "flag": [True, None, False, True, None, False],
        }
    )
    y = [0, 1, 1, 0, 1, 0]
    numbers = X.assign(n=pd.to_numeric(X["n"], errors="coerce"))
    for missing in ("best-side", "branch"):
        OptimalTreeClassifier(0.01, missing=missing, categorical_split="subset").fit(
            numbers, y, proof=tmp_path / "p"
        )
        assert check(tmp_path / "p", numbers, y).accepted
        X.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
        text = gzip.decompress((tmp_path / "p").read_bytes())
        command = [program, "-", tmp_path / "data.csv", "--target", "y"]
        said = subprocess.run(command, input=text, capture_output=True)
        assert said.returncode == 0, said.stdout


def test_too_many_subsets_are_refused(tmp_path):
    """With many categories, a split tries the cuts of one order only."""
    X = pd.DataFrame({"c": pd.Categorical([f"c{k % 15:02d}" for k in range(60)])})
    y = [int(k % 15 % 3 == 0) for k in range(60)]
    clf = OptimalTreeClassifier(0.01, max_depth=1, categorical_split="subset")
    assert clf.fit(X, y).optimal_
    with pytest.raises(ValueError, match="'c', which are too many"):
        clf.fit(X, y, proof=tmp_path / "p")
