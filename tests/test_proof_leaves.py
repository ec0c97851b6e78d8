"""Proofs of every kind of leaf, of lists and monotone trees, through all checkers."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from leaf_forgeries import forge, lie_of, proved
from leaf_problems import KINDS, LeafProblem, leaf_problem

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.proof import check
from treeproof.proof.deviances import spread
from treeproof.proof.exact import Refuted, check_exactly
from treeproof.proof.exact_leaves import log
from treeproof.proof.targets import ROUNDING

CHECKERS = ("c++", "python", "exact")


def verdict(problem: LeafProblem, lines: list[dict[str, Any]], checker: str) -> Any:
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = io.BytesIO(text)
    given = problem.X, problem.y, problem.weight
    return check(file, *given, checker=checker, **problem.late)


def exactly(problem: LeafProblem, lines: list[dict[str, Any]] | bytes) -> bool:
    """Whether the exact checker, asked alone, accepts a proof."""
    columns = {f"x{f}": cells for f, cells in enumerate(problem.X.T.tolist())}
    target = problem.y.tolist()
    if problem.kind == "survival":
        late = [] if problem.entry is None else [problem.entry]
        columns_of_y = [problem.y["event"], problem.y["time"], *late]
        target = np.column_stack(columns_of_y).astype(float).tolist()
    if isinstance(lines, bytes):
        text = lines.splitlines()
    else:
        text = [json.dumps(line).encode() for line in lines]
    try:
        check_exactly(text, columns, target, problem.weight.tolist())
    except Refuted:
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_proofs_of_small_problems(kind: str, tmp_path: Path) -> None:
    """Brute force finds the same optimum, and all three checkers accept its proof."""
    for seed in range(rounds(12, 2000)):
        problem = leaf_problem(kind, np.random.default_rng(seed))
        model, lines = proved(problem, tmp_path)
        assert lie_of(problem, lines) is None, seed
        header = lines[0]
        kept, _ = problem.rows_of_proof()
        best = problem.optimum(header | {"search_split_cost": header["split_cost"]})
        splits = 99 if model.max_splits is None else model.max_splits
        least = best((1 << len(kept)) - 1, model.max_depth, splits)
        assert header["upper"] == pytest.approx(least, rel=1e-9, abs=1e-9), seed
        said = [verdict(problem, lines, checker) for checker in CHECKERS]
        for one in said:
            assert one.accepted and one.optimal, (seed, str(one))
            assert one.objective == pytest.approx(model.objective_, abs=1e-9)
        assert said[0].statement == said[1].statement


@pytest.mark.parametrize("kind", KINDS)
def test_false_proofs_are_rejected(kind: str, tmp_path: Path) -> None:
    """A change is rejected by every checker, or brute force finds nothing false."""
    rng = np.random.default_rng(KINDS.index(kind))
    lies = seed = 0
    while lies < rounds(20, 300):
        seed += 1
        problem = leaf_problem(kind, np.random.default_rng(10_000 + seed))
        _, lines = proved(problem, tmp_path)
        if len(lines) > 40:
            continue
        for _ in range(8):
            forged = forge(problem, lines, rng, tmp_path)
            lie = lie_of(forged.problem, forged.lines)
            lies += lie is not None
            fast = [
                verdict(forged.problem, forged.lines, checker).accepted
                for checker in CHECKERS[:2]
            ]
            exact = exactly(forged.problem, forged.lines)
            what = seed, forged.what, lie, fast, exact
            assert lie is None or not (any(fast) or exact), what
            assert fast[0] == fast[1] and exact >= fast[0], what


def test_an_offset_does_no_harm(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = 1e9 + rng.poisson(3 + (X[:, 0] > 0)).astype(float)
    for criterion in ("poisson", "quantile"):
        path = tmp_path / f"{criterion}.gz"
        model = OptimalTreeRegressor(0.01, criterion=criterion, max_depth=2)
        model.fit(X, y, proof=path)
        for checker in CHECKERS[:2]:
            said = check(path, X, y, checker=checker)
            assert said.accepted and said.optimal, str(said)


def test_the_program_reads_classes_and_lifetimes(program: Any, tmp_path: Path) -> None:
    problem = leaf_problem("survival", np.random.default_rng(4))
    problem.fit(proof=tmp_path / "a.gz")
    names = [f"x{f}" for f in range(problem.X.shape[1])]
    table = pd.DataFrame(problem.X, columns=names)
    model = problem.model.fit(table, problem.y, sample_weight=problem.weight,
                              proof=tmp_path / "a.gz", **problem.late)  # fmt: skip
    table["event"], table["time"] = problem.y["event"].astype(int), problem.y["time"]
    table["w"] = problem.weight
    targets = ["event", "time"]
    if problem.entry is not None:
        table["entry"] = problem.entry
        targets.append("entry")
    table.to_csv(tmp_path / "a.csv", index=False)
    options = [word for name in targets for word in ("--target", name)]
    text = gzip.decompress((tmp_path / "a.gz").read_bytes())
    run = subprocess.run(
        [program, "-", tmp_path / "a.csv", *options, "--weight", "w"],
        input=text, capture_output=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
    assert model.optimal_ and b"survival" in run.stdout


def test_logarithms() -> None:
    """The fast checker's logarithms are within its stated distance of exact ones."""
    rng = np.random.default_rng(0)
    n = rounds(400, 20_000)
    a = np.exp(rng.normal(scale=9, size=n))
    near, far = (
        rng.normal(size=n) * 10.0 ** -rng.integers(0, 9, n),
        np.exp(rng.normal(size=n)),
    )
    s = a * np.where(rng.random(n) < 0.6, np.maximum(near, -0.99), far - 1)
    value, logs = spread(a, s)
    for each in zip(a.tolist(), s.tolist(), value.tolist(), logs.tolist(), strict=True):
        under, more, found, told = map(Fraction, each)
        x = under + more
        below, above = log(x / under)
        assert above - below < Fraction(1, 2**140)
        exact = x * below - more
        assert abs(found - exact) <= 600 * Fraction(ROUNDING) * exact, each
        assert abs(told - below) <= 600 * Fraction(ROUNDING) * abs(below), each


def test_restricted_trees_are_stated(tmp_path: Path) -> None:
    X = pd.DataFrame({"age": [1.0, 2, 3, 4, 5, 6], "size": [2.0, 1, 2, 1, 2, 1]})
    y = [0, 1, 0, 1, 1, 1]
    path = tmp_path / "a.gz"
    OptimalTreeClassifier(
        monotonic_cst={"age": 1, "size": -1}, shape="list", max_depth=3
    ).fit(X, y, proof=path)
    said = check(path, X, y)
    assert "rule lists, monotone in +age, -size, exact" in said.statement


@pytest.mark.parametrize("kind", ["poisson", "survival"])
def test_a_leaf_of_zeros_predicts_nothing_below_zero(kind: str, tmp_path: Path) -> None:
    """It would lose less than nothing, or as much as the best leaf."""
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y = np.array([0.0, 0.0, 2.0, 3.0])
    problem = leaf_problem(kind, np.random.default_rng(0))
    if kind == "survival":
        y = np.array([(False, 5), (False, 6), (True, 2), (True, 3)], problem.y.dtype)
    problem = replace(problem, X=X, y=y, weight=np.ones(4), entry=None)
    problem.model.set_params(
        max_depth=1, max_splits=None, min_samples_leaf=1, split_penalty=0.0
    )
    _, lines = proved(problem, tmp_path)
    leaf = lines[0]["tree"]["children"][0][1]
    assert leaf["predict"] == [0.0]
    for below in (-1e-300, -0.3):
        leaf["predict"] = [below]
        assert not exactly(problem, lines)
        for checker in CHECKERS[:2]:
            said = verdict(problem, lines, checker)
            assert not said.accepted and "negative number" in said.reason
