"""Attacks: random instances of what has broken before, one function for each class.

A function gets a source of chance, a folder and the checker in C++ (or None), and fails
with an AssertionError, or takes the process down. `fuzz.py` runs them in turn.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import random
import warnings
import xml.etree.ElementTree as xml
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_outside import OUTSIDE
from fuzz_streams import LEARNERS, feed, random_rows
from missing_problems import fit, random_problem
from mutant_kinds import SUBJECTS, change_a_set, change_and_compare
from mutants import compare, mutate, small_proof, verdicts
from small_proofs import Small

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    _core,
    from_json,
)
from treeproof.estimators.oblique import ObliqueTreeClassifier
from treeproof.proof.checker import check

Attack = Callable[[random.Random, Path, Path | None], None]
REFUSALS = (
    "too light for double precision",
    "beyond what a proof can state",
    "Rescale the targets",
)
LIGHT = Fraction(1, 10**9)
MUTANTS = 40  # of one proof


def numbers(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Fit weights over 24 orders of magnitude, large offsets and near ties."""
    n = rng.randint(2, 7)
    spread = 10.0 ** rng.choice([0, 0, -300, -150, 150, 100, -10])
    offset = rng.choice([0.0, 0.0, 1.7e12, 1e14, 1e15]) if spread == 1 else 0.0
    target = [offset + spread * rng.choice([0, 1, 2, 3, 5]) for _ in range(n)]
    if rng.random() < 0.3:
        target[-1] += spread * 10.0 ** rng.randint(3, 9)
    reach = rng.choice([0, 0, 3, 12, 24])
    weights = [10.0 ** rng.uniform(-reach, 0) if reach else 1.0 for _ in range(n)]
    loss = rng.choice(["squared_error", "absolute_error"])
    cells = [float(rng.randint(0, 4)) for _ in range(n)]
    small = Small([("threshold", [], cells)], target, weights=weights, loss=loss,
                  split_penalty=rng.choice([0.0, 0.01, 0.1]), max_depth=1)  # fmt: skip
    _believe_only_the_best(small, folder, program)
    _fit_numbers(small, folder, program)


def _loss(small: Small, rows: Any) -> tuple[Fraction, Fraction]:
    pairs = [(Fraction(small.target[i]), Fraction(small.weights[i])) for i in rows]
    if small.loss == "squared_error":
        mean = sum(w * y for y, w in pairs) / sum(w for _, w in pairs)
        return sum((w * (y - mean) ** 2 for y, w in pairs), Fraction(0)), Fraction(mean)
    return min((sum(w * abs(y - c) for y, w in pairs), c) for c, _ in pairs)  # type: ignore[return-value]


def _stumps(small: Small) -> list[tuple[Fraction, Any]]:
    """Return the trees of at most one split with their exact costs, the leaf first."""
    rows = range(len(small.target))
    root, mean = _loss(small, rows)
    found: list[tuple[Fraction, Any]] = [(root, {"predict": float(mean)})]
    for test in range(len(small.tests)):
        parts = [_loss(small, part) for part in small.parts(frozenset(rows), test)]
        children = [[v, {"predict": float(m)}] for v, (_, m) in enumerate(parts)]
        cost = sum(loss for loss, _ in parts) + Fraction(small.split_penalty) * root
        found.append((cost, {"test": test, "children": children}))
    return found


def _believe_only_the_best(small: Small, folder: Path, program: Path | None) -> None:
    trees = _stumps(small)
    root, best = trees[0][0], min(cost for cost, _ in trees)
    if not 1e-290 < root < 1e290:
        return
    for cost, tree in trees:
        claimed = float(cost)
        header = small.header() | {"tree": tree, "upper": claimed, "lower": claimed}
        each = small.split_penalty * float(root)
        header |= {"split_cost": each, "search_split_cost": each}
        step = {"branch": [], "depth": 1, "bound": claimed, "uses": []}
        text = f"{json.dumps(header)}\n{json.dumps(step)}\n".encode()
        said = verdicts(small, text, folder, program)
        if cost > best + 3 * LIGHT * root:
            assert not any(accepted for accepted, _ in said.values()), said
        accepted = compare(said) if cost == best else False
        assert accepted or cost != best or _degenerate(small), said


def _degenerate(small: Small) -> bool:
    """Whether a fast checker may refuse a true claim that doubles cannot decide."""
    return max(small.weights) > 1e100 * min(small.weights)


def _fit_numbers(small: Small, folder: Path, program: Path | None) -> None:
    cells, y = small.columns[0][2], small.target
    X = np.array(cells)[:, None]
    path = folder / "numbers.gz"
    path.unlink(missing_ok=True)
    model = OptimalTreeRegressor(
        small.split_penalty, criterion=small.loss, max_depth=1, time_limit=None
    )
    try:
        model.fit(X, y, sample_weight=small.weights, proof=path)
    except ValueError as error:
        assert any(words in str(error) for words in REFUSALS), error
        return
    costs = [cost for cost, _ in _stumps(small)]
    root = costs[0]
    best = min(costs) / root if root else Fraction(0)
    assert abs(Fraction(model.objective_) - best) < 5 * LIGHT, (model.objective_, best)
    text = gzip.decompress(path.read_bytes())
    said = verdicts(small, text, folder, program)
    assert all(accepted for accepted, _ in said.values()), said


def mutants(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Compare the checkers on changed proofs of every kind."""
    if rng.random() < 0.5:
        change_and_compare(rng.choice(list(SUBJECTS)), rng, folder, MUTANTS)
        return
    small, lines = small_proof(rng)
    for k in range(MUTANTS):  # a process for each would take most of the time
        text = mutate(lines, rng)
        compare(verdicts(small, text, folder, program if k % 20 == 0 else None))


def sets(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Change proofs that no near-optimal tree is missing."""
    change_a_set(rng, folder, MUTANTS)


def streams(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Run online learners on streams that begin empty, and pickle them."""
    for learner in LEARNERS.values():
        feed(learner(), random_rows(rng))


def missing(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Fit tables with missing values in every mode, with weights of any size."""
    n = rng.randint(2, 9)
    values: list[Any] = [None, "u", "v", "w"]
    X = {
        "a": np.array([rng.choice([np.nan, 0.0, 1.0, 2.0]) for _ in range(n)]),
        "b": np.array([rng.choice(values) for _ in range(n)], dtype=object),
    }
    y = [rng.choice(["p", "q"]) for _ in range(n)]
    reach = rng.choice([0, 0, 10, 24])
    weights = [10.0 ** rng.uniform(-reach, 0) if reach else 1.0 for _ in range(n)]
    model = OptimalTreeClassifier(
        split_penalty=rng.choice([0.0, 0.05]),
        max_depth=rng.choice([1, 2, None]),
        missing=rng.choice(["best-side", "branch"]),
        categorical_split=rng.choice(["multiway", "one-vs-rest", "subset"]),
        min_samples_leaf=rng.choice([1, 1, 2]),
    )
    path = folder / "missing.gz"
    try:
        model.fit(X, y, sample_weight=weights, proof=path)
    except ValueError as error:
        assert "writes no proof" in str(error), error
        return
    assert len(model.predict(X)) == n
    verdict = check(path, X, y, weights)
    assert verdict.optimal, verdict


def missing_numbers(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Fit regressions with missing values, compare with all trees, check proofs."""
    loss = rng.choice(["squared_error", "absolute_error"])
    small = random_problem(rng, loss=loss)
    n = len(small.target)
    small.target = [rng.choice([0.0, 1.0, 2.5, 10.0]) for _ in range(n)]
    small.weights = [rng.choice([1.0, 1.0, 0.5, 3.0]) for _ in range(n)]
    path = folder / "missing-numbers.gz"
    model = fit(small, path)
    limits = small.max_depth, small.max_splits
    least, _ = small.optimum(small.everything, *limits, small.split_cost())
    root = small.leaf(small.everything)[0]
    share = least / root if root else 0.0
    assert model.optimal_ and abs(model.objective_ - share) < 1e-8, (model, share)
    text = gzip.decompress(path.read_bytes())
    said = verdicts(small, text, folder, program if rng.random() < 0.2 else None)
    assert all(accepted for accepted, _ in said.values()), said


def checkpoints(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Stop fits at random and continue them, from files that may have been changed."""
    made = np.random.default_rng(rng.randrange(2**32))
    X = made.integers(0, 2, (60, 9))
    y = (X[:, 0] ^ X[:, 1]) ^ (made.random(60) < 0.15)
    model = OptimalTreeClassifier(
        split_penalty=0.01, solver="sparse", time_limit=10.0 ** rng.uniform(-4, -1.5)
    )
    path = folder / "fuzz.checkpoint"
    path.unlink(missing_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            model.fit(X, y, checkpoint=path)
            if path.exists() and rng.random() < 0.3:
                content = bytearray(path.read_bytes())
                content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
                path.write_bytes(content)
                try:
                    model.fit(X, y, checkpoint=path)
                except ValueError as error:
                    assert "checkpoint" in str(error)
                path.unlink(missing_ok=True)
    model.set_params(time_limit=None).fit(X, y, checkpoint=path)
    whole = OptimalTreeClassifier(split_penalty=0.01, solver="threshold").fit(X, y)
    assert model.optimal_ and abs(model.objective_ - whole.objective_) < 1e-9


def killed(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Kill fits at some moment, again and again, and continue what they leave."""
    made = np.random.default_rng(rng.randrange(2**32))
    X, y = made.integers(0, 2, (200, 14)), made.integers(0, 3, 200)
    model = OptimalTreeClassifier(split_penalty=0.009, solver="sparse", time_limit=None)
    path = folder / "killed.checkpoint"
    path.unlink(missing_ok=True)
    for _ in range(3):
        child = multiprocessing.get_context("fork").Process(
            target=_fit_often_saved, args=(model, X, y, path)
        )
        child.start()
        child.join(10.0 ** rng.uniform(-2.5, -0.5))
        child.kill()
        child.join()
        assert child.exitcode in (0, -9), child.exitcode
    objective = model.fit(X, y, checkpoint=path).objective_
    assert model.optimal_ and not path.exists()
    assert objective == model.fit(X, y).objective_


def _fit_often_saved(model: Any, X: np.ndarray, y: np.ndarray, path: Path) -> None:
    options = _core.SparseOptions
    _core.SparseOptions = lambda **k: options(**k, checkpoint_pause=0.0)
    model.fit(X, y, checkpoint=path)


def choices(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Run near-optimal trees, cross-validation, oblique trees and quantiles."""
    made = np.random.default_rng(rng.randrange(2**32))
    n = rng.randint(8, 20)
    X = made.integers(0, 3, (n, 2)).astype(float)
    y = made.integers(0, 2, n)
    y[:4] = [0, 1, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = OptimalTreeClassifier(split_penalty=0.05, max_depth=2).fit(X, y)
        near = plain.near_optimal(0.05)
        assert near.count >= 1
        for tree in near.best(5):
            assert (
                plain.objective_ - 1e-9 <= tree.objective <= plain.objective_ + 0.0501
            )
        chosen = OptimalTreeClassifierCV(plain, cv=2).fit(X, y)
        assert chosen.predict(X).shape == (n,)
        oblique = ObliqueTreeClassifier(max_splits=1).fit(X, y)
        assert oblique.lower_bound_ <= oblique.objective_ + 1e-12
        coarse = OptimalTreeClassifier(split_penalty=0.05, max_depth=2, quantiles=2)
        coarse.fit(X, y)
        assert coarse.objective_ >= plain.objective_ - 1e-9


def names(rng: random.Random, folder: Path, program: Path | None) -> None:
    """Use column names, categories and labels that try to break what displays them."""
    parts = ["<script>alert(1)</script>", '"', "'", "\x00", "]]>", "--", "\\",
             "{{1+1}}", "é", "\n", "${x}", "</svg>", "&lt;", "\u202e", "\ud800",
             "\udfff"]  # fmt: skip

    def name() -> str:
        return "".join(rng.choice(parts) for _ in range(rng.randint(1, 3)))

    # Labels that end with NUL are refused.
    column, labels = name(), list({name() + "l" for _ in range(3)} | {"p"})
    categories = list({name() for _ in range(3)} | {"u"})
    n = 12
    X = {column: np.array([rng.choice(categories) for _ in range(n)], dtype=object)}
    y = [rng.choice(labels) for _ in range(n)]
    model = OptimalTreeClassifier(split_penalty=0.0).fit(X, y)
    root = xml.fromstring(model.to_svg())
    assert not [e for e in root.iter() if e.tag.endswith("script")]
    assert "<script" not in model._repr_html_()
    try:
        again = from_json(model.to_json())
    except ValueError as error:
        assert "surrogate pair" in str(error), error
        return
    assert list(again.predict(X)) == list(model.predict(X))


ATTACKS: dict[str, Attack] = {
    f.__name__: f
    for f in (
        *(numbers, mutants, sets, streams, missing, missing_numbers),
        *(checkpoints, choices, names),
    )
} | OUTSIDE
if hasattr(os, "fork"):
    ATTACKS["killed"] = killed
