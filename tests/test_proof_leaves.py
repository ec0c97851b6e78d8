"""Proofs of every kind of leaf, of lists and monotone trees, through all checkers."""

from __future__ import annotations

import copy
import gzip
import io
import json
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from leaf_problems import KINDS, LeafProblem, leaf_problem

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.proof import check
from treeproof.proof.deviances import spread
from treeproof.proof.exact_leaves import log
from treeproof.proof.targets import ROUNDING

CHECKERS = ("c++", "python", "exact")


def proved(problem: LeafProblem, folder: Path) -> tuple[Any, list[dict[str, Any]]]:
    """The fitted model, and the lines of its proof."""
    path = folder / "tree.proof.gz"
    model = problem.fit(proof=path)
    with gzip.open(path, "rt") as lines:
        return model, [json.loads(line) for line in lines]


def verdict(problem: LeafProblem, lines: list[dict[str, Any]], checker: str) -> Any:
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = io.BytesIO(text)
    given = problem.X, problem.y, problem.weight
    return check(file, *given, checker=checker, **problem.late)


def tolerance(header: dict[str, Any], best: Any, everything: int) -> float:
    """What a comparison allows, for each node of a tree."""
    exact = header["loss"] in ("misclassification", "costs")
    return 0 if exact else 40e-9 * abs(best(everything, 0, 0)) + 1e-12


def lie_of(problem: LeafProblem, lines: list[dict[str, Any]]) -> str | None:
    """Return a false claim of a proof, found by brute force; None if all are true."""
    header, *steps = lines
    kept, _ = problem.rows_of_proof()
    best, everything = problem.optimum(header), (1 << len(kept)) - 1
    room = tolerance(header, best, everything)
    masks = [yes for _, yes in problem.tests(kept)]

    def limit(value: Any) -> int:
        return 99 if value is None else min(value, 99)

    for number, step in enumerate(steps):
        mask = everything
        for test, outcome in zip(
            step["branch"][::2], step["branch"][1::2], strict=True
        ):
            mask &= masks[test] if outcome == 0 else ~masks[test]
        limits = limit(step.get("depth")), limit(step.get("splits"))
        if mask and step["bound"] > best(mask, *limits) + room:
            return f"the bound of step {number}"
    least = best(everything, limit(header["max_depth"]), limit(header["max_splits"]))
    if header["lower"] > least + room:
        return "the lower bound"
    if header["upper"] < least - room:
        return "the upper bound"
    return None


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


def change(rng: np.random.Generator, lines: list[dict[str, Any]]) -> None:
    """Change one claim, one parameter or one citation of a proof."""
    header, *steps = lines
    step = steps[rng.integers(len(steps))]
    exact = isinstance(header["upper"], int)
    factor = float(rng.choice([0.5, 1.001, 1.3, 2.0]))
    features = header["features"]

    def times(value: Any) -> Any:
        return int(value * factor + 1) if exact else value * factor + 1e-6

    def bound() -> None:
        step["bound"] = times(step["bound"])

    def root() -> None:
        steps[header["root"]]["bound"] = times(steps[header["root"]]["bound"])
        header["lower"] = times(header["lower"])

    def upper() -> None:
        header["upper"] = times(header["upper"])

    def parameter() -> None:
        if "quantiles" in header:
            header["quantiles"][0] = float(rng.choice([0.05, 0.3, 0.6]))
        elif "smoothing" in header:
            header["smoothing"] = float(rng.choice([0.0, 0.5, 3.0]))
        elif "shape" in header:
            header["shape"] = "tree" if rng.random() < 0.5 else "list"
        else:
            header["loss"] = "squared_error"

    def direction() -> None:
        feature = features[rng.integers(len(features))]
        feature["monotone"] = int(rng.integers(-1, 2))

    def limits() -> None:
        name = ["max_depth", "max_splits"][rng.integers(2)]
        header[name] = [None, 1, 2, 5][rng.integers(4)]

    def citation() -> None:
        if step.get("uses"):
            del step["uses"][rng.integers(len(step["uses"]))]

    def outcome() -> None:
        if step["branch"]:
            step["branch"][1] = 1 - step["branch"][1]

    def prediction() -> None:
        node = header["tree"]
        while "children" in node:
            node = node["children"][rng.integers(2)][1]
        told = node["predict"]
        changed = [v + factor for v in told] if isinstance(told, list) else 1 - told
        node["predict"] = changed

    ways = [bound, root, root, upper, parameter, direction, limits, citation, outcome]
    [*ways, prediction][rng.integers(10)]()


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
        for _ in range(6):
            forged = copy.deepcopy(lines)
            change(rng, forged)
            lie = lie_of(problem, forged)
            lies += lie is not None
            for checker in CHECKERS:
                said = verdict(problem, forged, checker)
                if lie is not None:
                    assert not said.accepted, (seed, checker, lie, str(said))


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
