"""Proofs of the sparse search are accepted, and false ones are refused."""

from __future__ import annotations

import copy
import gzip
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import treeproof.proof
from treeproof import OptimalTreeClassifier, datasets
from treeproof.cli import app
from treeproof.proof.checker import Verdict, check

Table = tuple[pd.DataFrame, np.ndarray, np.ndarray | None]


def random_table(rng: np.random.Generator) -> Table:
    """Return a few rows of mixed columns, labels and perhaps weights."""
    n = int(rng.integers(3, 40))
    columns: dict[str, Any] = {}
    for j in range(int(rng.integers(1, 7))):
        kind = rng.integers(3)
        if kind < 2:
            columns[f"x{j}"] = rng.integers(0, 2 if kind == 0 else 5, n).astype(float)
        else:
            columns[f"x{j}"] = pd.Categorical(rng.choice(list("pqrst"), n))
    X = pd.DataFrame(columns)
    n_classes = int(rng.integers(1, 5))
    y = rng.integers(0, n_classes, n)
    if rng.random() < 0.5:
        pattern = (X.iloc[:, 0].astype(str) == str(X.iloc[0, 0])).to_numpy()
        y = np.where(rng.random(n) < 0.7, pattern.astype(int) % n_classes, y)
    weights = [None, rng.integers(0, 4, n) * 1.0, rng.random(n) * 10][rng.integers(3)]
    if weights is not None:
        weights[0] = 1.0
    return X, y, weights


def random_parameters(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "split_penalty": float(rng.choice([0, 0.01, 0.03, 0.07, 0.1, 1 / 3])),
        "penalize": str(rng.choice(["leaves", "splits"])),
        "max_depth": [None, None, 0, 1, 2, 3, 4][rng.integers(7)],
        "max_splits": [None, None, None, 0, 1, 2, 3, 4][rng.integers(8)],
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2, 3])),
        "categorical_split": str(rng.choice(["multiway", "one-vs-rest"])),
    }


def prove(path: Path, table: Table, **parameters: Any) -> OptimalTreeClassifier:
    X, y, weights = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return OptimalTreeClassifier(**parameters).fit(X, y, weights, proof=path)


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path) as lines:
        return [json.loads(line) for line in lines]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("seed", range(150))
def test_proofs_of_random_problems_are_accepted(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    clf = prove(tmp_path / "p", table, **random_parameters(rng))
    verdict = check(tmp_path / "p", *table)
    assert verdict.accepted, verdict
    assert verdict.optimal == clf.optimal_
    assert verdict.objective == pytest.approx(clf.objective_, abs=1e-5)
    assert verdict.n_steps == clf.stats_["proof_steps"]


def test_proof_of_a_stopped_search_is_about_the_level_it_proved(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 30))
    y = rng.integers(0, 2, 300)
    table = (pd.DataFrame(X, columns=[f"x{j}" for j in range(30)]), y, None)
    clf = prove(tmp_path / "p", table, split_penalty=0.001, time_limit=0.3)
    assert not clf.optimal_
    verdict = check(tmp_path / "p", *table)
    depth = clf.stats_["proof_max_depth"]
    stated = "none" if depth is None else depth
    assert verdict.accepted and f"max_depth {stated}," in verdict.statement
    [level] = [known for known in clf.certificates_ if known.max_depth == depth]
    assert depth == clf.proved_depth_
    assert verdict.lower_bound >= clf.objective_ - 1e-6
    assert verdict.objective == pytest.approx(level.objective, abs=1e-6)
    assert verdict.optimal or not level.optimal


def test_class_weights_and_names(tmp_path: Path) -> None:
    X, y = datasets.load_monks(2, return_X_y=True, as_frame=True)
    clf = OptimalTreeClassifier(0.01, class_weight="balanced", max_depth=3)
    clf.fit(X, y, proof=tmp_path / "p")
    assert check(tmp_path / "p", X, y).optimal
    assert check(tmp_path / "p", X[X.columns[::-1]], y).optimal  # columns go by name
    verdict = check(tmp_path / "p", X.drop(columns=X.columns[0]), y)
    assert "no column" in verdict.reason


@pytest.fixture(scope="module")
def tictactoe(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], Any, Any]:
    X, y = datasets.load_monks(2, return_X_y=True, as_frame=True)
    path = tmp_path_factory.mktemp("proof") / "p"
    clf = OptimalTreeClassifier(0.005, categorical_split="one-vs-rest", max_depth=4)
    clf.fit(X, y, proof=path)
    assert clf.optimal_
    return read(path), X, y


def verdict_on(lines: list[Any], X: Any, y: Any, path: Path) -> Verdict:
    return check(write(path, lines), X, y)


def test_other_data_are_refused(tmp_path: Path, tictactoe: Any) -> None:
    lines, X, y = tictactoe
    path = write(tmp_path / "p", lines)
    assert check(path, X, y).accepted
    flipped = y.copy()
    flipped.iloc[3] = y[y != y.iloc[3]].iloc[0]
    assert "other data" in check(path, X, flipped).reason
    swapped = X.iloc[[1, 0, *range(2, len(X))]].reset_index(drop=True)
    assert "other data" in check(path, swapped, y).reason
    assert "length" in check(path, X.iloc[:-1], y).reason
    assert "other data" in check(path, X, y, np.full(len(y), 2.0)).reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "the header is not valid JSON"),
        (b"[]", "not a JSON object"),
        (b'{"format": "x"}', "not a treeproof proof"),
        (b"\x1f\x8b garbage", "cannot be read"),
        (b"[" * 100_000, "not valid JSON"),
    ],
)
def test_files_that_are_no_proofs(tmp_path: Path, text: bytes, reason: str) -> None:
    (tmp_path / "p").write_bytes(text)
    assert reason in check(tmp_path / "p", [[0]], [0]).reason


def test_missing_file() -> None:
    assert "cannot be read" in check("/nowhere/p", [[0]], [0]).reason


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.update(bound="much"),
        lambda s: s.update(bound=1 << 70),
        lambda s: s.update(branch=[0]),
        lambda s: s.update(branch=[0, 5]),
        lambda s: s.update(branch=[1000, 0]),
        lambda s: s.update(uses=None),
        lambda s: s.update(uses=[[]]),
        lambda s: s.update(uses=[[0]]),
        lambda s: s.update(uses=[["x", [], []]]),
        lambda s: s.update(uses=[[0, [True], []]]),
        lambda s: s.update(uses=[[0, 1, 2]]),
        lambda s: s.update(depth=-1),
        lambda s: s.update(splits=0.5),
        lambda s: s.clear(),
    ],
)
def test_malformed_steps(
    tmp_path: Path, tictactoe: Any, change: Callable[[dict[str, Any]], None]
) -> None:
    lines, X, y = tictactoe
    lines = copy.deepcopy(lines[:12])
    change(lines[-1])
    verdict = verdict_on(lines, X, y, tmp_path / "p")
    assert not verdict.accepted and verdict.step == 10


def test_the_checker_stands_alone() -> None:
    folder = Path(treeproof.proof.__file__).parent
    names = (
        "boxes", "checker", "conjunctions", "deviances", "encoding", "exact",
        "exact_data", "exact_leaves", "exact_limits", "exact_lines", "exact_list",
        "exact_more", "exact_paths", "exact_shapes", "gains", "header", "lifetimes",
        "limits", "line_leaves", "node", "path_search", "paths", "prices", "problem",
        "ratio", "rejected", "statement", "targets", "tree_counts", "tree_list",
    )  # fmt: skip
    own = tuple(f"from treeproof.proof.{name} " for name in names)
    for name in names:
        for line in (folder / f"{name}.py").read_text().splitlines():
            if line.startswith(("import ", "from ")):
                assert "treeproof" not in line or line.startswith(own)


def test_solvers_without_proof_say_so(tmp_path: Path) -> None:
    clf = OptimalTreeClassifier(solver="branches")
    with pytest.raises(ValueError, match='solver="branches" writes no proof'):
        clf.fit([[0], [1]], [0, 1], proof=tmp_path / "p")


def test_places_where_no_proof_can_go(tmp_path: Path) -> None:
    clf = OptimalTreeClassifier()
    with pytest.raises(ValueError, match="is a folder"):
        clf.fit([[0], [1]], [0, 1], proof=tmp_path)
    with pytest.raises(ValueError, match="does not exist"):
        clf.fit([[0], [1]], [0, 1], proof=tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


def test_nothing_but_the_proof_is_left(tmp_path: Path) -> None:
    prove(tmp_path / "p", random_table(np.random.default_rng(5)))
    assert [p.name for p in tmp_path.iterdir()] == ["p"]


def test_columns_the_proof_does_not_name(tmp_path: Path) -> None:
    X = pd.DataFrame({"a": [0, 1, 0, 1], "b": [1, 1, 0, 0]})
    prove(tmp_path / "p", (X, np.array([0, 1, 0, 1]), None))
    verdict = check(tmp_path / "p", X.assign(c=0), [0, 1, 0, 1])
    assert str(verdict) == "rejected: the proof says nothing of the column 'c'."


def test_command_line(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    X, y = datasets.load_monks(1, return_X_y=True, as_frame=True)
    X.assign(member=y).to_csv(data, index=False)
    run = CliRunner().invoke
    proof = str(tmp_path / "p.gz")
    fitted = run(app, ["fit", str(data), "--target", "member", "--proof", proof])
    assert fitted.exit_code == 0, fitted.output
    good = run(app, ["check", proof, str(data)])
    assert good.exit_code == 0
    assert good.stdout.startswith("accepted: optimal, no tree has an objective below")
    named = run(app, ["check", proof, str(data), "--target", "member", "--json"])
    assert json.loads(named.stdout)["optimal"] is True
    X.assign(member=list(y)[::-1]).to_csv(data, index=False)
    bad = run(app, ["check", proof, str(data)])
    assert bad.exit_code == 1
    assert "rejected: the proof is about other data" in bad.stdout
