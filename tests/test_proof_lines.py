"""Proofs of lines in leaves, through all checkers, where numbers are awkward."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from leaf_forgeries import forge, lie_of, proved
from leaf_problems import leaf_problem
from lines_oracle import LinesOracle
from mutants import mutate

from treeproof import OptimalTreeRegressor
from treeproof.proof import check
from treeproof.proof.exact import Refuted, check_exactly
from treeproof.proof.line_leaves import LineLeaves

TOLERANCE = Fraction(1, 10**9)


def exactly(text: bytes, X: Any, y: Any, w: Any) -> bool:
    columns = {f"x{k}": column.tolist() for k, column in enumerate(np.asarray(X).T)}
    try:
        check_exactly(text.splitlines(), columns, list(y), list(w))
    except Refuted:
        return False
    return True


def verdicts(text: bytes, X: Any, y: Any, w: Any) -> tuple[bool, bool, bool]:
    """Whether the checkers in C++, in Python and in fractions accept a proof."""
    table = {f"x{k}": column for k, column in enumerate(np.asarray(X).T)}
    fast = [
        check(io.BytesIO(text), table, y, w, checker=name) for name in ("c++", "python")
    ]
    if fast[0].accepted and fast[1].accepted:
        assert fast[0].statement == fast[1].statement
        for key in ("objective", "lower_bound"):
            mine, other = (getattr(verdict, key) for verdict in fast)
            assert mine == pytest.approx(other, rel=1e-9, abs=1e-12)
    return fast[0].accepted, fast[1].accepted, exactly(text, X, y, w)


def text_of(lines: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


N = 12
RNG = np.random.default_rng(5)
GRID = RNG.integers(0, 4, (N, 2)).astype(float)
NOISE = np.round(RNG.normal(size=N), 3)
ONES = np.ones(N)
CASES: dict[str, tuple[Any, Any, Any]] = {
    "plain": (GRID, NOISE, ONES),
    "targets on a line": (GRID, 2 * GRID[:, 0] + 1, ONES),
    "equal columns": (np.column_stack([GRID[:, 0]] * 2), NOISE, ONES),
    "collinear columns": (
        np.column_stack([GRID[:, 0], 1e6 - 3 * GRID[:, 0]]),
        NOISE,
        ONES,
    ),
    "a constant column": (
        np.column_stack([GRID[:, 0], np.full(N, 0.1)]),
        NOISE,
        ONES,
    ),
    "only constant columns": (np.full((N, 2), 1e9 + 0.1), NOISE, ONES),
    "fewer rows than columns": (np.eye(3, 5), NOISE[:3], ONES[:3]),
    "two rows": (GRID[:2] + np.eye(2), NOISE[:2], ONES[:2]),
    "an offset in y": (GRID, NOISE + 1e9, ONES),
    "a large offset in y": (GRID, np.round(NOISE * 4) / 4 + 1e14, ONES),
    "an offset in x": (GRID + 1e9, NOISE, ONES),
    "a large offset in x": (GRID + 1.7e15, NOISE, ONES),
    "tiny weights": (GRID, NOISE, np.full(N, 1e-163)),
    "huge weights": (GRID, NOISE, np.full(N, 1e250)),
    "weights of 12 orders": (GRID, NOISE, 10.0 ** -(np.arange(N) % 13.0)),
    "a light row far off": (
        GRID,
        np.where(np.arange(N) == 3, 1e6, NOISE),
        np.where(np.arange(N) == 3, 1e-12, 1.0),
    ),
    "a row far off in x": (
        np.where(np.arange(N)[:, None] == 3, 1e9, GRID),
        NOISE,
        ONES,
    ),
    "a cluster far off in x": (
        GRID + np.where(np.arange(N) < 6, 0.0, 1e7)[:, None],
        NOISE,
        ONES,
    ),
    "large scale": (GRID * 1e140, NOISE * 1e140, ONES),
    "small scale": (GRID * 1e-140, NOISE * 1e-140, ONES),
    "tiny columns": (GRID * 1e-250, NOISE, ONES),
    "huge columns": (GRID * 1e250, NOISE, ONES),
    "equal targets": (GRID, np.full(N, 0.1), ONES),
    "one row of weight": (GRID, NOISE, (np.arange(N) == 2) * 1.0),
}


@pytest.mark.parametrize("ridge", [1e-9, 1e-6, 0.5])
@pytest.mark.parametrize("case", CASES)
def test_awkward_numbers(case: str, ridge: float, tmp_path: Path) -> None:
    """Trees are as good as brute force says, and all checkers accept their proofs."""
    X, y, w = CASES[case]
    path = tmp_path / "p"
    model = OptimalTreeRegressor(0.05, leaf="linear", ridge=ridge, max_depth=1)
    model.fit(X, y, sample_weight=w, proof=path)
    text = gzip.decompress(path.read_bytes())
    assert verdicts(text, X, y, w) == (True, True, True)
    trees = stumps(X, y, w, ridge)
    root, best = trees[0][0], min(cost for cost, _ in trees)
    if root > 0:
        assert abs(Fraction(model.objective_) - best / root) < 2 * TOLERANCE


def stumps(X: Any, y: Any, w: Any, ridge: float) -> list[tuple[Fraction, Any]]:
    """The cost of every tree of at most one split, and its tree as proofs tell it."""
    kept = np.flatnonzero(w > 0)
    X, y, w = X[kept], y[kept], w[kept]
    oracle = LinesOracle(X, y, w, range(X.shape[1]), ridge)
    everything = (1 << len(y)) - 1
    root = oracle.best(everything)
    found = [(root, {"predict": line_of(oracle, everything)})]
    test = 0
    for column in X.T:
        for c in np.unique(column)[:-1]:
            yes = sum(1 << int(i) for i in np.flatnonzero(column <= c))
            sides = yes, everything & ~yes
            children = [
                [v, {"predict": line_of(oracle, s)}] for v, s in enumerate(sides)
            ]
            cost = sum(map(oracle.best, sides)) + Fraction(0.05) * root
            found.append((cost, {"test": test, "children": children}))
            test += 1
    return found


def line_of(oracle: LinesOracle, mask: int) -> list[Any]:
    """The best line of some rows: the mean, a column and a slope."""
    rows = oracle.rows(mask)
    w, t = oracle.w, oracle.t
    weight = sum(w[i] for i in rows)
    mean = sum(w[i] * t[i] for i in rows) / weight
    k = min(oracle.x, key=lambda k: oracle.best_in(rows, k))
    x = oracle.x[k]
    middle = sum(w[i] * x[i] for i in rows) / weight
    bent = sum(w[i] * (x[i] - middle) ** 2 for i in rows) + oracle.bent[k] * weight
    both = sum(w[i] * (x[i] - middle) * t[i] for i in rows)
    slope = float(both / bent) if bent else 0.0
    return [float(mean), k, slope]


@pytest.mark.parametrize(
    "case", [c for c in CASES if c not in ("equal targets", "one row of weight")]
)
def test_only_the_best_tree_is_believed(case: str, tmp_path: Path) -> None:
    """Of proofs in one step, only those of the best tree pass, whatever the numbers."""
    X, y, w = CASES[case]
    ridge = 1e-6
    trees = stumps(X, y, w, ridge)
    root, best = trees[0][0], min(cost for cost, _ in trees)
    model = OptimalTreeRegressor(0.05, leaf="linear", ridge=ridge, max_depth=1)
    model.fit(X, y, sample_weight=w, proof=tmp_path / "p")
    header = json.loads(gzip.decompress((tmp_path / "p").read_bytes()).splitlines()[0])
    rng, seen = random.Random(0), 0
    for cost, tree in [trees[0], *rng.sample(trees, min(len(trees), rounds(4, 99)))]:
        told = float(cost)
        own = header | {"tree": tree, "upper": told, "lower": told, "root": 0}
        text = text_of([own, {"branch": [], "depth": 1, "bound": told, "uses": []}])
        if cost > best + 3 * root * TOLERANCE:
            seen += 1
            assert verdicts(text, X, y, w) == (False, False, False), tree
        elif cost == best:
            assert verdicts(text, X, y, w) == (True, True, True), tree
    assert seen or best == root


def test_losses_are_rounded_down() -> None:
    """By next to nothing, even where the whole loss is a billionth of the variance."""
    rng = np.random.default_rng(0)
    for _ in range(rounds(30, 1000)):
        n = int(rng.integers(3, 9))
        X = rng.integers(0, 4, (n, 2)) * rng.choice([1.0, 1e-8, 1e8])
        X = X + rng.choice([0.0, 1e9])
        y = X @ [1.0, 0.5] if rng.random() < 0.5 else rng.normal(size=n)
        w = rng.random(n) + 0.1 if rng.random() < 0.5 else np.ones(n)
        ridge = float(rng.choice([1e-9, 1e-6, 1.0]))
        told = LineLeaves(y, w, {0: X[:, 0], 1: X[:, 1]}, ridge)
        oracle = LinesOracle(X, y, w, [0, 1], ridge)
        masks = range(1, 1 << n)
        members = np.array([[mask >> i & 1 for mask in masks] for i in range(n)])
        found = told.leaf(told.channels.T @ members)
        room = oracle.best(masks[-1]) / 10**12
        for mask, loss in zip(masks, found.tolist(), strict=True):
            exact = oracle.best(mask)
            assert exact - room <= Fraction(loss) <= exact


def test_changed_proofs_of_lines(tmp_path: Path) -> None:
    """Hundreds of changes: whatever brute force finds false, all checkers reject."""
    rng = np.random.default_rng(1)
    tried = lies = seed = 0
    while tried < rounds(300, 5000):
        seed += 1
        problem = leaf_problem("linear", np.random.default_rng(50_000 + seed))
        if len(problem.y) > 7:
            continue
        _, lines = proved(problem, tmp_path)
        for _ in range(10):
            forged = forge(problem, lines, rng, tmp_path)
            other, text = forged.problem, text_of(forged.lines)
            said = verdicts(text, other.X, other.y, other.weight)
            lie = lie_of(other, forged.lines)
            tried += 1
            lies += lie is not None
            assert lie is None or not any(said), (seed, forged.what, lie, said)
            assert said[0] == said[1] <= said[2], (seed, forged.what, said)
    assert lies > tried / 4


def test_mutants_do_not_tell_the_checkers_apart(tmp_path: Path) -> None:
    """Values of other kinds in odd places, and the text itself."""
    rng = random.Random(3)
    for seed in range(rounds(12, 300)):
        problem = leaf_problem("linear", np.random.default_rng(90_000 + seed))
        _, lines = proved(problem, tmp_path)
        for _ in range(12):
            text = mutate([json.dumps(line) for line in lines], rng)
            said = verdicts(text, problem.X, problem.y, problem.weight)
            assert said[0] == said[1] <= said[2], text


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (None, ""),
        ({"columns": [], "ridge": 1e-6}, ""),
        ({"columns": [0, 0], "ridge": 1e-6}, "twice"),
        ({"columns": [0, 2], "ridge": 1e-6}, "no column 2"),
        ({"columns": [-1], "ridge": 1e-6}, ""),
        ({"columns": ["x0"], "ridge": 1e-6}, ""),
        ({"columns": [0, 1]}, ""),
        ({"columns": [0, 1], "ridge": 0}, "ridge"),
        ({"columns": [0, 1], "ridge": -1e-6}, "ridge"),
        ({"columns": [0, 1], "ridge": 1e10}, "ridge"),
        ({"columns": [0, 1], "ridge": "1e-6"}, "ridge"),
    ],
)
def test_headers_that_are_refused(lines: Any, words: str, tmp_path: Path) -> None:
    X, y, w = CASES["plain"]
    path = tmp_path / "p"
    OptimalTreeRegressor(0.05, leaf="linear", max_depth=1).fit(X, y, proof=path)
    header, *steps = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
    changed = copy.deepcopy(header) | {"lines": lines}
    text = text_of([changed, *steps])
    assert verdicts(text, X, y, w) == (False, False, False)
    for name in ("c++", "python"):
        assert words in check(io.BytesIO(text), X, y, checker=name).reason


def test_lines_need_numbers_in_every_row(tmp_path: Path) -> None:
    """A column that may be missing, or of categories, is none for lines."""
    X = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": [1.0, None, 3, 1, 2, 2]})
    X["c"] = list("uvuvuv")
    y, path = [1.0, 2, 4, 4, 5, 9], tmp_path / "p"
    OptimalTreeRegressor(0.05, leaf="linear", max_depth=2).fit(X, y, proof=path)
    header, *steps = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
    assert header["lines"]["columns"] == [0]
    said = [check(path, X, y, checker=c) for c in ("c++", "python", "exact")]
    assert all(one.accepted and one.optimal for one in said), said
    assert said[0].statement.startswith("linear in a with ridge 1e-06, 6 rows")
    for column in (1, 2):
        changed = header | {"lines": {"columns": [0, column], "ridge": 1e-6}}
        text = text_of([changed, *steps])
        for name in ("c++", "python"):
            said = check(io.BytesIO(text), X, y, checker=name)
            assert "of lines is not one of numbers" in said.reason


def test_the_program_reads_lines(program: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    y = np.where(table.a > 0, 3 * table.b, table.b - table.a) + rng.normal(size=60) / 4
    for settings in (
        {"max_depth": 3},
        {"max_depth": 3, "shape": "list"},
        {"max_depth": 3, "max_splits": 2},
        {"max_depth": 2, "min_samples_leaf": 5},
    ):
        path = tmp_path / "p.gz"
        model = OptimalTreeRegressor(0.02, leaf="linear", **settings)
        model.fit(table, y, proof=path)
        assert model.optimal_
        said = check(path, table, y, checker="python")
        assert said.accepted and said.optimal, said
        table.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
        run = subprocess.run(
            [program, "-", tmp_path / "t.csv", "--target", "y"],
            input=gzip.decompress(path.read_bytes()), capture_output=True,
        )  # fmt: skip
        assert run.returncode == 0 and b"linear in a, b with ridge" in run.stdout


def test_a_stopped_fit_proves_its_bound(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    model = OptimalTreeRegressor(0.001, leaf="linear", time_limit=0.2)
    with pytest.warns(UserWarning):
        model.fit(X, y, proof=tmp_path / "p")
    said = check(tmp_path / "p", X, y)
    assert said.accepted and said.lower_bound <= said.objective


@pytest.mark.parametrize("ridge", [1e-9, 0.1])
@pytest.mark.parametrize(
    "case", [c for c in CASES if c not in ("equal targets", "one row of weight")]
)
def test_a_leaf_is_known_to_a_billionth(
    case: str, ridge: float, tmp_path: Path
) -> None:
    """A bound above the loss of a leaf by three tolerances is refused everywhere."""
    X, y, w = CASES[case]
    model = OptimalTreeRegressor(0.05, leaf="linear", ridge=ridge, max_depth=0)
    model.fit(X, y, sample_weight=w, proof=tmp_path / "p")
    text = gzip.decompress((tmp_path / "p").read_bytes())
    header, step = map(json.loads, text.splitlines())
    for more, accepted in ((0.0, True), (0.5e-9, True), (3e-9, False), (-3e-9, True)):
        header["lower"] = step["bound"] = header["upper"] * (1 + more)
        said = verdicts(text_of([header, step]), X, y, w)
        assert said == (accepted,) * 3, (more, said)
        if accepted and more < -1e-9:
            file = io.BytesIO(text_of([header, step]))
            assert not check(file, X, y, w).optimal
