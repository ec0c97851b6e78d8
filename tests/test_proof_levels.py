"""Proofs of levels of depth whose best tree costs more than the fitted, deeper one."""

from __future__ import annotations

import gzip
import json
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from test_proof_costs import run_check
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import app
from treeproof.objectives import ratio_fit
from treeproof.proof import check
from treeproof.solving import levels, proving, solvers


def noisy(n_rows: int, n_columns: int, seed: int, digits: int = 1) -> Any:
    """Numbers whose class is a rule of two columns, with errors."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).round(digits)
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5) ^ (rng.random(n_rows) < 0.25)
    return pd.DataFrame(X, columns=[f"c{k}" for k in range(n_columns)]), y.astype(int)


def stopped_at(level: int) -> Any:
    """Return a solver for `proving` that is as if a limit had ended its search.

    It knows that no tree of this depth costs less than its best tree, which is deeper,
    and not which of them is the best.
    """

    def run(name: str, task: Any) -> Any:
        options = {**task.options, "levels_first": True}
        found = solvers.run_solver(name, replace(task, options=options))
        upper, levels = found["upper"], []
        for known in found["certificates"][:level]:
            assert known["optimal"]
            levels.append(dict(known))
        assert levels[-1]["upper"] > upper, "deeper trees are better on this table"
        levels[-1] |= {"lower": upper, "optimal": False}
        whole = {**found["certificates"][-1], "lower": upper / 2, "optimal": False}
        if isinstance(upper, int):
            whole["lower"] = upper // 2
        changed = {"status": "time_limit", "lower": whole["lower"]}
        return {**found, **changed, "certificates": [*levels, whole]}

    return run


KINDS: dict[str, Any] = {
    "sparse": (OptimalTreeClassifier, {"solver": "sparse"}),
    "threshold": (OptimalTreeClassifier, {"solver": "threshold"}),
    "at most six splits": (
        OptimalTreeClassifier,
        {"solver": "sparse", "max_splits": 6},
    ),
    "costs": (OptimalTreeClassifier, {"cost_matrix": [[0, 1], [3, 0]]}),
    "shares": (OptimalTreeClassifier, {"criterion": "gini"}),
    "numbers": (OptimalTreeRegressor, {}),
}


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_the_proof_is_about_the_deepest_level_that_is_settled(
    tmp_path, monkeypatch, kind, weighted
):
    make, options = KINDS[kind]
    X, y = noisy(40, 2, seed=3)
    weights = None
    if weighted:
        weights = np.random.default_rng(1).integers(1, 4, len(y)) / 3
    path = tmp_path / "proof.gz"
    monkeypatch.setattr(proving, "run_solver", stopped_at(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make(0.002, **options).fit(X, y, weights, proof=path)
    assert not model.optimal_ and model.proved_depth_ == 2
    assert model.stats_["proof_max_depth"] == 2 and model.get_depth() > 2
    verdict = check(path, X, y, weights)
    assert verdict.accepted and verdict.max_depth == 2, verdict
    assert verdict.lower_bound >= model.objective_ - 1e-6
    assert verdict.objective == pytest.approx(
        model.certificates_[1].objective, abs=1e-6
    )
    with gzip.open(path) as file:
        assert json.loads(file.readline())["max_depth"] == 2


def test_the_command_line_says_what_the_file_proves(tmp_path, monkeypatch):
    X, y = noisy(40, 2, seed=3)
    data, path = tmp_path / "data.csv", tmp_path / "proof.gz"
    X.assign(y=y).to_csv(data, index=False)
    ask = ["fit", str(data), "--target", "y", "--split-penalty", "0.002"]
    ask += ["--proof", str(path), "--quiet", "--json"]
    whole = CliRunner().invoke(app, ask)
    result = json.loads(whole.stdout)
    assert result["proved_depth"] == result["proof_max_depth"] == "any"
    assert f"wrote {path}: no tree costs less than" in whole.stderr
    monkeypatch.setattr(proving, "run_solver", stopped_at(2))
    done = CliRunner().invoke(app, ask)
    result = json.loads(done.stdout)
    assert result["proved_depth"] == result["proof_max_depth"] == 2
    words = f"no tree of depth 2 or less costs less than {result['objective']:.6g}"
    assert result["proof"] == words and f"wrote {path}: {words}\n" in done.stderr
    checked = run_check(path, data)
    assert "of depth 2 or less has" in checked.output


RESTRICTED: dict[str, dict[str, Any]] = {
    "monotonic_cst": {"monotonic_cst": {0: 1}},
    "shape": {"shape": "list"},
    "interaction_cst": {"interaction_cst": [[0], [1]]},
    "first_split": {"first_split": 0},
    "test_costs": {"test_costs": {0: 0.001}},
    "metric": {"metric": "f1", "max_splits": 4},
}


@pytest.mark.parametrize("name", list(RESTRICTED))
def test_proofs_of_restricted_fits_are_about_the_settled_level(
    tmp_path, monkeypatch, name
):
    """The whole problem is never proved here, as if there were too little time."""
    X, y = noisy(40, 2, seed=3)
    path, climb = tmp_path / "proof.gz", levels.climb

    def stopped(search: Any, **how: Any) -> Any:
        whole = how["max_depth"]

        def part(depth: Any, seconds: Any, best: Any) -> Any:
            answer = search(depth, None, best)
            if depth == whole:
                return {**answer, "lower": answer["lower"] / 2, "status": "time_limit"}
            return answer

        return climb(part, **how | {"levels": [1, 2]})

    monkeypatch.setattr(levels, "climb", stopped)
    monkeypatch.setattr(ratio_fit, "climb", stopped)
    penalty = 0.0 if name == "metric" else 0.002
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = OptimalTreeClassifier(penalty, **RESTRICTED[name])
        model.fit(X.to_numpy(), y, proof=path)
    assert not model.optimal_ and model.proved_depth_ == 2
    assert model.stats_["proof_max_depth"] == 2 and model.get_depth() > 2
    verdict = check(path, X.to_numpy(), y)
    assert verdict.accepted and verdict.max_depth == 2, verdict
    assert verdict.lower_bound >= model.objective_ - 1e-6
