"""The third checker, in fractions: it accepts all true proofs and no false one."""

from __future__ import annotations

import ast
import gzip
import json
import random
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from small_proofs import Small, random_columns
from tampering import forge, lies, tiny

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.proof import (
    exact,
    exact_data,
    exact_leaves,
    exact_limits,
    exact_lines,
    exact_list,
    exact_more,
    exact_paths,
    exact_shapes,
)
from treeproof.proof.checker import check
from treeproof.proof.exact import Refuted, check_exactly


def exactly(small: Small, lines: list) -> bool | str:
    """Return whether the tree is optimal, or why the proof does not hold."""
    columns = {f"x{f}": cells for f, (_, _, cells) in enumerate(small.columns)}
    text = [json.dumps(line).encode() for line in lines]
    try:
        return check_exactly(text, columns, small.target, small.weights)
    except Refuted as error:
        return str(error)


def regression(rng: random.Random) -> Small:
    n = rng.randint(3, 6)
    return Small(
        random_columns(rng, n, 2),
        [float(rng.choice([0, 1, 1, 3, 7, 1e6])) for _ in range(n)],
        weights=[rng.choice([1.0, 0.5, 3.0]) for _ in range(n)],
        loss=rng.choice(["squared_error", "absolute_error"]),
        split_penalty=rng.choice([0.0, 0.05, 0.2]),
        max_depth=rng.choice([1, 2]),
        max_splits=rng.choice([None, 1, 2]),
        min_samples_leaf=rng.choice([1, 1, 2]),
        missing=rng.choice(["best-side", "branch"]),
    )


@pytest.mark.parametrize("block", range(4))
def test_proofs_by_exhaustion(block):
    rng, seen = random.Random(block), 0
    while seen < rounds(15, 150):
        small = (tiny if rng.random() < 0.6 else regression)(rng)
        lines = small.full_proof()
        if len(lines) > 80 or not small.tests:
            continue
        seen += 1
        assert exactly(small, lines) is True
        if not small.classification:
            continue
        for _ in range(8):
            forgery = forge(small, lines, rng)
            if lies(forgery) is not None:
                assert isinstance(exactly(forgery.small, forgery.lines), str)


@pytest.mark.parametrize("seed", range(10))
def test_proofs_of_the_engine(tmp_path: Path, seed: int):
    """Small tables of every kind through the estimators, then through both checkers."""
    rng = np.random.default_rng(seed)
    n = 12
    frame = pd.DataFrame({
        "a": rng.integers(0, 4, n) / 2,
        "b": rng.choice(["u", "v", "w"], n),
        "c": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 3, n)),
    })  # fmt: skip
    settings = {
        "max_depth": [None, 1, 2, 3][seed % 4],
        "split_penalty": [0.02, 0.1][seed % 2],
        "categorical_split": ["multiway", "one-vs-rest", "subset"][seed % 3],
        "missing": ["best-side", "branch"][seed % 2],
        "min_samples_leaf": [1, 2][seed // 5],
    }
    weights = rng.choice([1.0, 0.3, 2.0], n) if seed % 3 == 0 else np.ones(n)
    for estimator, y in (
        (OptimalTreeClassifier(**settings), rng.choice(["p", "q"], n)),
        (OptimalTreeRegressor(**settings), np.round(rng.normal(1e6, 1, n), 2)),
        (OptimalTreeRegressor(criterion="absolute_error"), rng.normal(size=n)),
    ):  # fmt: skip
        path = tmp_path / "p"
        estimator.fit(frame, y, sample_weight=weights, proof=path)
        assert check(path, frame, y, weights).optimal
        with gzip.open(path) as file:
            lines = file.readlines()
        columns = {
            name: [None if v != v else v for v in frame[name].tolist()]
            for name in frame
        }
        assert check_exactly(lines, columns, y.tolist(), weights.tolist())


def code_of(module: ModuleType) -> list[str]:
    """Return the lines that are not blank, nor documentation."""
    text = Path(str(module.__file__)).read_text()
    documented = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                documented |= set(range(first.lineno, (first.end_lineno or 0) + 1))
    return [
        line for k, line in enumerate(text.splitlines(), 1)
        if k not in documented and line.strip() and not line.strip().startswith("#")
    ]  # fmt: skip


def test_it_is_short():
    """The code to be trusted for labels and numbers is short enough to be read."""
    assert len(code_of(exact)) + len(code_of(exact_data)) < 400
    assert len(code_of(exact_more)) < 150
    more = exact_lines, exact_list, exact_paths
    for others in (exact_leaves, exact_limits, exact_shapes, *more):
        assert len(code_of(others)) < 150


PARTS = [
    exact, exact_data, exact_leaves, exact_limits, exact_lines, exact_list, exact_more,
    exact_paths, exact_shapes,
]  # fmt: skip


@pytest.mark.parametrize("module", PARTS)
def test_it_needs_nothing(module):
    tree = ast.parse(Path(module.__file__).read_text())
    imported = {
        alias.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    } - {"treeproof.proof", *(part.__name__ for part in PARTS)}
    assert all(str(name).split(".")[0] in sys.stdlib_module_names for name in imported)


def test_labels_and_numbers_need_only_the_short_part(monkeypatch):
    """Proofs without costs, ratios and prices do not run the code for these."""

    def never(*_: object) -> None:
        raise AssertionError

    for name in ("costs_of", "take_gains"):
        monkeypatch.setattr(exact_more, name, never)
    for name in ("Prices", "ratio_is_best"):
        monkeypatch.setattr(exact, name, never)
    rng = random.Random(0)
    for make in (tiny, regression):
        small = make(rng)
        while not small.tests or len(small.full_proof()) > 80:
            small = make(rng)
        assert exactly(small, small.full_proof()) is True
