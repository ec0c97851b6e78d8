"""Proofs of the search over thresholds, for classes and for numbers."""

from __future__ import annotations

import gzip
import json
import subprocess
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.estimators import action_tree, base
from treeproof.proof.checker import check
from treeproof.solving.proving import derive_steps

CRITERIA = ("misclassification", "squared_error", "absolute_error")


def column(rng: np.random.Generator, n: int) -> Any:
    kind = rng.integers(5)
    if kind < 2:
        return rng.normal(size=n)
    if kind < 4:
        return rng.integers(0, 6 if kind == 2 else 2, n).astype(float)
    return pd.Categorical(rng.choice(list("pqrst")[: rng.integers(1, 6)], n))


def problem(rng: np.random.Generator, criterion: str) -> Any:
    """Return a table, targets, perhaps weights, and parameters."""
    n = int(rng.integers(2, 18 if criterion == "absolute_error" else 36))
    X = pd.DataFrame({f"x{j}": column(rng, n) for j in range(rng.integers(1, 5))})
    signal = X.iloc[:, 0].astype("category").cat.codes.to_numpy()
    weights = [None, rng.integers(0, 4, n) * 1.0, rng.random(n) * 10][rng.integers(3)]
    parameters = {
        "split_penalty": float(rng.choice([0, 0.02, 0.05, 0.1])),
        "penalize": str(rng.choice(["leaves", "splits"])),
        "max_depth": [None, 0, 1, 2, 3, 4][rng.integers(6)],
        "max_splits": [None, None, None, 0, 1, 2, 3, 4, 5][rng.integers(9)],
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2, 3])),
        "categorical_split": str(rng.choice(["multiway", "one-vs-rest"])),
    }
    if parameters["max_depth"] is None:
        parameters["split_penalty"] = 0.1
    if criterion == "misclassification":
        y = rng.integers(0, rng.integers(1, 4), n)
        y = np.where(rng.random(n) < 0.6, (signal > 2).astype(int), y)
        if parameters["min_samples_leaf"] > 1:
            weights = None
    else:
        y = np.round(rng.normal(size=n) + signal, int(rng.integers(0, 9)))
    if weights is not None:
        weights[0] = 1.0
    return X, y, weights, parameters


def fit(path: Path, criterion: str, X: Any, y: Any, weights: Any, **parameters: Any):
    if criterion == "misclassification":
        model: Any = OptimalTreeClassifier(solver="threshold", **parameters)
    else:
        model = OptimalTreeRegressor(criterion=criterion, **parameters)
    return model.fit(X, y, weights, proof=path)


def run(program: Path, proof: Path, X: pd.DataFrame, y: Any, weights: Any) -> Any:
    data = proof.with_suffix(".csv")
    ones = np.ones(len(X)) if weights is None else weights
    X.assign(target=y, weight=ones).to_csv(data, index=False)
    text = gzip.decompress(proof.read_bytes())
    columns = ["--target", "target", "--weight", "weight"]
    command = [program, "-", data, *columns]
    return subprocess.run(command, input=text, capture_output=True, check=False)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(40))
def test_random_proofs_are_accepted(
    tmp_path: Path, program: Path, criterion: str, seed: int
) -> None:
    X, y, weights, parameters = problem(np.random.default_rng(seed), criterion)
    path = tmp_path / "p.gz"
    model = fit(path, criterion, X, y, weights, **parameters)
    verdict = check(path, X, y, weights)
    assert verdict.accepted, str(verdict)
    assert verdict.optimal == model.optimal_
    assert verdict.objective == pytest.approx(model.objective_, abs=1e-8)
    answer = run(program, path, X, y, weights)
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize(
    ("load", "parameters"),
    [
        (load_iris, {"max_depth": 3, "split_penalty": 0.0}),
        (load_iris, {"split_penalty": 0.01}),
        (load_wine, {"max_depth": 2, "split_penalty": 0.0}),
        (load_wine, {"max_depth": 3, "max_splits": 3, "split_penalty": 0.0}),
        (load_diabetes, {"max_depth": 2, "split_penalty": 0.0}),
    ],
)
def test_sets_of_scikit_learn(
    tmp_path: Path, program: Path, load: Any, parameters: dict[str, Any]
) -> None:
    X, y = load(return_X_y=True, as_frame=True)
    path = tmp_path / "p.gz"
    model = OptimalTreeRegressor if load is load_diabetes else OptimalTreeClassifier
    fitted = model(solver="threshold", **parameters).fit(X, y, proof=path)
    verdict = check(path, X, y)
    assert verdict.optimal and fitted.optimal_
    assert run(program, path, X, y.to_numpy(), None).returncode == 0


@pytest.mark.parametrize(
    ("criterion", "scale"),
    [*((c, 1.0) for c in CRITERIA), ("squared_error", 1e11), ("absolute_error", 1e20)],
)
def test_a_higher_bound_is_rejected(
    tmp_path: Path, program: Path, criterion: str, scale: float
) -> None:
    """If an exact bound of a step is raised, the proof is rejected."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({f"x{j}": rng.normal(size=40) for j in range(3)})
    y = (X.x0 * X.x1 > 0).astype(int) + 0.0
    if criterion != "misclassification":
        y = (y + np.round(rng.normal(size=40), 1)) * scale
    path = tmp_path / "p.gz"
    fit(path, criterion, X, y, None, split_penalty=0.01, max_depth=3)
    assert check(path, X, y).optimal
    lines = [json.loads(s) for s in gzip.decompress(path.read_bytes()).splitlines()]
    raised = lines[0]["upper"] * 0.01
    if criterion == "misclassification":
        raised = int(raised)
    lines[-1]["bound"] += raised
    lines[0]["lower"] += raised
    changed = tmp_path / "q.gz"
    text = "".join(json.dumps(line) + "\n" for line in lines)
    changed.write_bytes(gzip.compress(text.encode()))
    verdict = check(changed, X, y)
    assert not verdict.accepted and verdict.step == len(lines) - 2
    answer = run(program, changed, X, y, None)
    assert answer.returncode == 1
    assert f"at step {len(lines) - 2}".encode() in answer.stdout


@pytest.mark.parametrize("seed", range(6))
def test_two_categories_one_against_the_rest(tmp_path: Path, seed: int) -> None:
    """With two categories, only the first has a test, whichever the search asks for."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.choice(["a", "b"], 30), "z": rng.normal(size=30)})
    y = (X.x == "ab"[seed % 2]) * 2.0 + rng.normal(size=30)
    model = OptimalTreeRegressor(0.01, max_depth=2, categorical_split="one-vs-rest")
    model.fit(X, y, proof=tmp_path / "p")
    assert check(tmp_path / "p", X, y).optimal


def test_equal_targets(tmp_path: Path) -> None:
    X, y = [[1.0], [2.0]], [5.0, 5.0]
    OptimalTreeRegressor().fit(X, y, proof=tmp_path / "p")
    assert check(tmp_path / "p", X, y).optimal


def test_a_prover_out_of_time_says_so(tmp_path: Path) -> None:
    """If the search ends at once with the bound 0, so does its proof."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
    clf = OptimalTreeClassifier(0.0, max_depth=4, time_limit=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(X, y, proof=tmp_path / "p")
    verdict = check(tmp_path / "p", X, y)
    assert verdict.accepted and not verdict.optimal


@pytest.mark.parametrize("criterion", ["misclassification", "squared_error"])
@pytest.mark.parametrize("limit", [1e-9, 1e-4, 1e-3, 3e-3, 1e-2])
def test_a_prover_that_is_stopped_proves_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, criterion: str, limit: float
) -> None:
    """Wherever the clock stops the prover, what it has written is valid."""
    prove_alone(monkeypatch, limit)
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(150, 3)))
    X.columns = ["a", "b", "c"]
    y = (X.a * X.b > 0).astype(int) + rng.integers(0, 2, 150)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit(tmp_path / "p", criterion, X, y, None, max_depth=3)
    verdict = check(tmp_path / "p", X, y)
    assert verdict.accepted, verdict
    assert verdict.lower_bound <= model.objective_ + 1e-9


@pytest.mark.parametrize("criterion", ["misclassification", "squared_error"])
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_record_of_the_search_is_all_it_takes(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    criterion: str,
    depth: int,
    n_jobs: int,
) -> None:
    """With the record of the search, a prover without time proves the same bound."""
    prove_alone(monkeypatch, 1e-9, forget=False)
    rng = np.random.default_rng(depth)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=["a", "b", "c"])
    y = (X.a * X.b > 0).astype(int) + rng.integers(0, 2, 150)
    limits = {"max_depth": depth, "split_penalty": 0.0, "n_jobs": n_jobs}
    model = fit(tmp_path / "p", criterion, X, y, None, **limits)
    assert model.optimal_ and check(tmp_path / "p", X, y).optimal


def prove_alone(
    monkeypatch: pytest.MonkeyPatch, limit: float | None, forget: bool = True
) -> None:
    """Run the prover for some seconds, without the record if it shall `forget` it."""

    def derive(task: Any, found: Any, unit: float, steps: str) -> Any:
        if forget:
            found["record"].forget()
        return derive_steps(replace(task, time_limit=limit), found, unit, steps)

    for module in (action_tree, base):
        monkeypatch.setattr(module, "derive_steps", derive)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(40, 50))
def test_proofs_without_the_record_of_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, criterion: str, seed: int
) -> None:
    prove_alone(monkeypatch, None)
    X, y, weights, parameters = problem(np.random.default_rng(seed), criterion)
    model = fit(tmp_path / "p", criterion, X, y, weights, **parameters)
    verdict = check(tmp_path / "p", X, y, weights)
    assert verdict.accepted and verdict.optimal == model.optimal_, str(verdict)


def test_weights_that_are_not_whole_with_large_leaves(tmp_path: Path) -> None:
    clf = OptimalTreeClassifier(solver="threshold", min_samples_leaf=2)
    with pytest.raises(ValueError, match="weights that are not whole numbers"):
        clf.fit([[0.0], [1.0]], [0, 1], [0.5, 0.25], proof=tmp_path / "p")


def test_targets_beyond_double_precision(tmp_path: Path) -> None:
    model = OptimalTreeRegressor()
    with pytest.raises(ValueError, match="beyond what a proof can state"):
        model.fit([[0.0], [1.0]], [-1e200, 1e200], proof=tmp_path / "p")
