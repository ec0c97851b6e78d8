"""The checker in C++ as a module: it agrees with the others and can be stopped."""

from __future__ import annotations

import _thread
import gzip
import io
import json
import random
import re
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mutants import same, verdicts
from small_proofs import Small
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import app
from treeproof.proof import check

ROOT = Path(__file__).resolve().parent.parent


def judge(path, X, y, weights=None, **given):
    """Return the common verdict of all three checkers."""
    fast = check(path, X, y, weights, **given)
    readable = check(path, X, y, weights, checker="python", **given)
    assert fast.accepted == readable.accepted, (fast, readable)
    same(readable, fast)
    if fast.accepted:
        assert check(path, X, y, weights, checker="exact", **given) == fast
    else:
        assert fast.step == readable.step, (fast, readable)
        assert fast.reason.endswith(".") and readable.reason.endswith(".")
    return fast


def small_frame(rng: np.random.Generator, n: int = 14) -> pd.DataFrame:
    """Return a table with a column of every common type."""
    frame = pd.DataFrame({
        "number": rng.integers(0, 5, n) / 3,
        "whole": rng.integers(-2, 3, n),
        "truth": rng.random(n) < 0.5,
        "text": rng.choice(["1", "01", "ü", "x y"], n),
        "gap": np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 3, n)),
    })  # fmt: skip
    frame["id"] = rng.choice([2**53, 2**53 + 1, -(2**60) - 1], n).astype(object)
    frame["mixed"] = pd.Series(rng.choice(["a", "b"], n)).astype("category")
    frame.loc[0, "mixed"] = None
    frame["nullable"] = pd.array(rng.integers(0, 3, n), dtype="Int64")
    frame.loc[1, "nullable"] = pd.NA
    return frame


@pytest.mark.parametrize("seed", range(8))
def test_three_checkers_agree_on_frames(tmp_path, seed):
    rng = np.random.default_rng(seed)
    frame = small_frame(rng)
    chosen = rng.choice(frame.columns, 3, replace=False)
    X, n, path = frame[list(chosen)], len(frame), tmp_path / "p.gz"
    weights = rng.choice([0.0, 1.0, 0.3, 2.0], n)
    settings = {
        "max_depth": 2,
        "split_penalty": float(rng.choice([0.0, 0.02])),
        "categorical_split": str(rng.choice(["multiway", "one-vs-rest"])),
        "missing": str(rng.choice(["best-side", "branch"])),
    }
    labels = rng.choice(["p", "q"], n)
    model = OptimalTreeClassifier(**settings).fit(X, labels, weights, proof=path)
    verdict = judge(path, X, labels, weights)
    assert verdict.optimal and verdict.n_steps > 0
    assert verdict.objective == pytest.approx(model.objective_)
    assert not judge(path, X, labels[::-1], weights).accepted
    assert not judge(path, X[::-1], labels, weights).accepted
    numbers = np.round(rng.normal(1e3, 1, n), 2)
    reg = OptimalTreeRegressor(**settings).fit(X, numbers, proof=path)
    assert judge(path, X, numbers).objective == pytest.approx(reg.objective_)


def test_arrays_lists_and_several_outputs(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (20, 2)).astype(float), rng.normal(size=(20, 2))
    path = tmp_path / "p.gz"
    OptimalTreeRegressor(max_depth=2).fit(X, y, proof=path)
    for table in (
        X,
        X.tolist(),
        X.astype(object),
        pd.DataFrame(X, columns=["x0", "x1"]),
    ):
        assert judge(path, table, y).optimal
    for table in (X[:, :1], np.hstack([X, X]), X[:, 0], X[:-1]):
        assert not check(path, table, y).accepted
        assert not check(path, table, y, checker="python").accepted
    assert not check(path, X, y[:, 0]).accepted
    assert not check(path, X, None).accepted
    for weights in (np.full(20, -1.0), np.full(20, np.nan), np.ones(19)):
        assert not judge(path, X, y, weights).accepted


def test_large_whole_numbers_are_told_apart(tmp_path, program):
    """Neighbours above 2^53 are one double, but two categories."""
    near = [2**53, 2**53 + 1, -(2**60) - 1]
    small = Small([("multiway", near, near * 2)], ["a", "b", "a"] * 2, max_depth=1)
    lines = [json.dumps(line) for line in small.full_proof()]
    text = "".join(line + "\n" for line in lines).encode()
    said = verdicts(small, text, tmp_path, program)
    assert all(accepted for accepted, _ in said.values()), said
    small.columns[0][2][1] += 1
    said = verdicts(small, text, tmp_path, program)
    assert not any(accepted for accepted, _ in said.values()), said


def test_text_is_no_number(tmp_path):
    path = tmp_path / "p"
    y = ["a", "b", "a", "b"]
    OptimalTreeClassifier(split_penalty=0.0).fit({"c": ["1", "2"] * 2}, y, proof=path)
    assert judge(path, {"c": ["1", "2"] * 2}, y).optimal
    assert not judge(path, {"c": np.array([1, 2] * 2, dtype=object)}, y).accepted
    for cells in (["1", None], ["1", np.nan], ["1", pd.NA], ["1", ()], ["1", "\ud800"]):
        column = np.empty(4, dtype=object)
        column[:] = cells * 2
        assert not judge(path, {"c": column}, y).accepted
    assert not judge(path, {"\ud800": ["1", "2"] * 2}, y).accepted
    assert not check(path, {3: ["1", "2"] * 2}, y).accepted


def test_damage_is_named_alike(tmp_path):
    """Both fast checkers name the same step that does not hold."""
    rng = random.Random(1)
    made = np.random.default_rng(1)
    X, y = made.integers(0, 2, (40, 5)), made.integers(0, 2, 40)
    path = tmp_path / "p.gz"
    OptimalTreeClassifier(split_penalty=0.03, max_depth=3).fit(X, y, proof=path)
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    for _ in range(20):
        changed = list(lines)
        at = rng.randrange(1, len(lines))
        step = json.loads(changed[at])
        step["bound"] += 2**20 * rng.choice([1, 5])
        changed[at] = json.dumps(step).encode() + b"\n"
        judge(io.BytesIO(b"".join(changed)), X, y)
    for text in (b"", b"\n", b"\x00" * 9, b"[" * 9999, lines[0][:50], b"{}\n" * 3):
        verdict = judge(io.BytesIO(text), X, y)
        assert not verdict.accepted


def test_progress_counts_steps(tmp_path):
    X = np.array([[i >> k & 1 for k in range(6)] for i in range(64)])
    y, path = X.sum(axis=1) % 3 == 0, tmp_path / "p.gz"
    OptimalTreeClassifier(split_penalty=0.02).fit(X, y, proof=path)
    for checker in ("c++", "python", "exact"):
        told: list[int] = []
        verdict = check(path, X, y, checker=checker, progress=told.append)
        assert verdict.accepted and told[0] == 0
        assert max(told) >= verdict.n_steps - 1


def test_an_unknown_checker():
    with pytest.raises(ValueError, match="checker is 'fast', not one of"):
        check("p", [[0]], [0], checker="fast")


# -- interruption and threads


@pytest.fixture(scope="module")
def long_check(tmp_path_factory):
    """Return a proof of few steps that take seconds, as each has many children."""
    rng = np.random.default_rng(0)
    n = 8000
    X = rng.random((n, 5))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ (rng.random(n) < 0.3)).astype(int)
    path = tmp_path_factory.mktemp("long") / "p.gz"
    OptimalTreeClassifier(split_penalty=0.001, max_depth=2).fit(X, y, proof=path)
    return path, X, y


def test_ctrl_c_ends_a_check(long_check):
    """Another thread gets its turn while a step is checked, and its signal is heard."""
    path, X, y = long_check
    begun = threading.Event()

    def knock():
        begun.wait()
        _thread.interrupt_main()

    other = threading.Thread(target=knock)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            check(path, X, y, progress=lambda _: begun.set())
    finally:
        begun.set()
        other.join()


def test_faults_of_the_caller_come_through(tmp_path):
    X, y, path = [[0], [1]], ["a", "b"], tmp_path / "p"
    OptimalTreeClassifier().fit(X, y, proof=path)

    def fail(steps):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        check(path, X, y, progress=fail)
    with pytest.raises(ValueError, match="could not convert"):
        check(path, X, y, ["heavy", "light"])


# -- command line


def test_command_line(tmp_path):
    frame = small_frame(np.random.default_rng(3), 40)[["number", "text", "truth"]]
    frame["label"] = np.where(frame["number"] > 0.5, "u", "v")
    table, path = tmp_path / "t.csv", tmp_path / "p.gz"
    frame.to_csv(table, index=False)
    runner = CliRunner()
    fit = ["fit", str(table), "--target", "label", "--proof", str(path)]
    assert runner.invoke(app, fit).exit_code == 0
    said = []
    for options in ([], ["--python"], ["--exact"], ["--python", "--exact"]):
        command = ["check", str(path), str(table), "--json", *options]
        done = runner.invoke(app, command)
        assert done.exit_code == 0, done.output
        said.append(json.loads(done.stdout))
    assert said[0]["optimal"] and all(one == said[0] for one in said)
    text = gzip.decompress(path.read_bytes()).replace(b'"lower": ', b'"lower": 1')
    path.write_bytes(gzip.compress(text))
    for options in ([], ["--python"], ["--exact"]):
        done = runner.invoke(app, ["check", str(path), str(table), *options])
        assert done.exit_code == 1 and "rejected: " in done.stdout


# -- its sources


def test_it_shares_no_code_with_the_search():
    folder = ROOT / "tools" / "checker"
    for source in [*folder.glob("*"), ROOT / "tools" / "check_proof.cpp"]:
        for header in re.findall(r'^#include "([^"]+)"', source.read_text(), re.M):
            assert (folder / header.removeprefix("checker/")).is_file(), source
    rules = (ROOT / "CMakeLists.txt").read_text()
    assert re.findall(r"_checker NB_STATIC (.*)\)", rules) == [
        "tools/checker/module.cpp"
    ]
    assert "target_link_libraries(_checker" not in rules
