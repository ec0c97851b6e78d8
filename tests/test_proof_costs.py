"""Proofs of costs, rewards and ratios: three checkers accept only true ones."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cost_tampering import ALWAYS_REJECTED, OF_COSTS, OF_RATIOS, changed_objective
from effort import rounds
from mutants import compare, mutate, verdicts
from small_costs import tiny_costs, tiny_ratio
from tampering import Forgery, forge, lies
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier
from treeproof.cli import app
from treeproof.objectives import Costs
from treeproof.proof.checker import check
from treeproof.proof.exact import check_exactly

KINDS = {"costs": tiny_costs, "ratio": tiny_ratio}


def text_of(lines):
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def proof_of(kind, rng):
    """Return a problem and its proof, of a few dozen lines."""
    while True:
        small = KINDS[kind](rng)
        lines = small.full_proof()
        if small.tests and len(lines) < 50:
            return small, lines


@pytest.fixture
def judge(program, tmp_path):
    """Return the verdicts of all checkers about a forged proof."""

    def verdict(forgery):
        return verdicts(
            forgery.small, text_of(forgery.lines), tmp_path, program, always=True
        )

    return verdict


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", range(3))
def test_proofs_by_exhaustion(judge, kind, block):
    rng = random.Random(block)
    for _ in range(rounds(20, 300)):
        small, lines = proof_of(kind, rng)
        forgery = Forgery(small, lines)
        assert lies(forgery) is None
        for accepted, said in judge(forgery).values():
            assert accepted, said
        frame = {
            f"x{f}": np.array(cells, dtype=object)
            for f, (_, _, cells) in enumerate(small.columns)
        }
        verdict = check(io.BytesIO(text_of(lines)), frame, **small.given)
        told = 1 - small.best if kind == "ratio" else small.mean_cost(lines[0])
        assert verdict.optimal and verdict.objective == pytest.approx(float(told))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", range(3))
def test_random_changes(judge, kind, block):
    """All checkers reject false claims, and none accepts more than another."""
    rng, seen = random.Random(100 + block), {"lies": 0, "changes": 0}
    while seen["changes"] < rounds(60, 900):
        small, lines = proof_of(kind, rng)
        for _ in range(10):
            change = rng.choice([forge, changed_objective])
            forgery = change(small, lines, rng)
            seen["changes"] += 1
            said = judge(forgery)
            fast = {said[name][0] for name in ("Python", "C++")}
            assert len(fast) == 1, (forgery.what, said)
            if lies(forgery) is not None:
                seen["lies"] += 1
                accepted = [name for name, (yes, _) in said.items() if yes]
                assert not accepted, (forgery.what, lies(forgery), said)
    assert seen["lies"] > seen["changes"] / 5


@pytest.mark.parametrize("kind", KINDS)
def test_mutants(tmp_path, program, kind):
    rng, accepted = random.Random(7), 0
    for _ in range(rounds(8, 100)):
        small, lines = proof_of(kind, rng)
        lines = [json.dumps(line) for line in lines]
        for _ in range(20):
            text = mutate(lines, rng)
            accepted += compare(verdicts(small, text, tmp_path, program))
    assert accepted > 0


# -- changes of one kind


@pytest.mark.parametrize(
    ("kind", "change"),
    [("costs", c) for c in OF_COSTS] + [("ratio", c) for c in OF_RATIOS],
    ids=lambda part: getattr(part, "__name__", part),
)
def test_changes_of_each_kind(judge, kind, change):
    rng, seen, tried = random.Random(3), 0, 0
    while seen < rounds(25, 300):
        small, lines = proof_of(kind, rng)
        for _ in range(3):
            forgery = Forgery(small, copy.deepcopy(lines), change.__name__)
            change(forgery, rng)
            tried += 1
            if forgery.lines == lines and forgery.small is small:
                continue  # this problem has nothing to change in this way
            if change not in ALWAYS_REJECTED and lies(forgery) is None:
                continue  # by chance the changed proof is true as well
            seen += 1
            accepted = {n: said for n, (yes, said) in judge(forgery).items() if yes}
            assert not accepted, (accepted, forgery)
        assert tried < 100 * (seen + 10)


# -- proofs of the library


def random_table(rng, n):
    return pd.DataFrame({
        "a": rng.integers(0, 4, n) / 2,
        "b": rng.choice(["u", "v", "w"], n),
        "c": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 3, n)),
    })  # fmt: skip


def settings(rng):
    return {
        "max_depth": [1, 2, 3, None][rng.integers(4)],
        "max_splits": [None, None, 2][rng.integers(3)],
        "categorical_split": ["multiway", "one-vs-rest", "subset"][rng.integers(3)],
        "missing": ["best-side", "branch"][rng.integers(2)],
        "min_samples_leaf": [1, 1, 2, 3][rng.integers(4)],
        "solver": ["auto", "sparse", "threshold"][rng.integers(3)],
        "penalize": ["leaves", "splits"][rng.integers(2)],
    }


def all_accept(program, folder, path, X, y, weights, costs=None):
    """Check that the three checkers accept a proof; return verdict and words."""
    verdict = check(path, X, y, weights, costs=costs)
    assert verdict.accepted, verdict
    data = X.copy()
    options = []
    if y is not None:
        data["y"], options = y, ["--target", "y"]
    if weights is not None:
        data["w"], options = weights, [*options, "--weight", "w"]
    for a in range(0 if costs is None else costs.shape[1]):
        data[f"cost{a}"], options = costs[:, a], [*options, "--cost", f"cost{a}"]
    data.to_csv(folder / "data.csv", index=False)
    with gzip.open(path) as file:
        lines = file.readlines()
    done = subprocess.run(
        [program, "-", folder / "data.csv", *options],
        input=b"".join(lines), capture_output=True,
    )  # fmt: skip
    words = done.stdout.decode()
    assert done.returncode == 0, words
    assert words[words.rindex("steps (") + 7 : words.rindex(")")] == verdict.statement
    if len(lines) < 60:
        columns = {
            name: [None if v != v else v for v in X[name].tolist()] for name in X
        }
        plain = [None if v is None else v.tolist() for v in (y, weights, costs)]
        assert check_exactly(lines, columns, *plain) == verdict.optimal
    return verdict, words


@pytest.mark.filterwarnings("ignore:cost_matrix has negative")
@pytest.mark.filterwarnings("ignore:abstain_cost")
@pytest.mark.parametrize("kind", ["matrix", "rows", "abstain", "rows and abstain"])
@pytest.mark.parametrize("block", range(2))
def test_costs_of_the_library(program, tmp_path: Path, kind, block):
    rng = np.random.default_rng(block)
    for _ in range(rounds(12, 150)):
        n, k = int(rng.integers(5, 40)), int(rng.integers(2, 4))
        X, told = random_table(rng, n), settings(rng)
        told["split_penalty"] = [0.02, 0.3, 2.0][rng.integers(3)]
        y = rng.choice(list("pqr")[:k], n)
        y[:k] = list("pqr")[:k]
        costs, weights = None, None
        digits = [0, 2][rng.integers(2)]
        if kind == "matrix":
            told["cost_matrix"] = np.round(rng.normal(0, 3, (k, k)), digits)
        if "rows" in kind:
            costs = np.round(rng.normal(0, 2, (n, k)), digits)
        if "abstain" in kind:
            told["abstain_cost"] = 0.3
        if rng.random() < 0.3:
            told["class_weight"] = "balanced"
        if rng.random() < 0.3:
            weights = rng.choice([0, 1.0, 0.3, 2], n)
            weights[:k] = 1
        if costs is not None and costs.min() >= 0.3:
            continue
        model = OptimalTreeClassifier(**told)
        path = tmp_path / "tree.proof.gz"
        model.fit(X, y, sample_weight=weights, proof=path, costs=costs)
        verdict, words = all_accept(program, tmp_path, path, X, y, weights, costs)
        assert verdict.optimal and model.optimal_
        assert verdict.objective == pytest.approx(model.objective_, abs=1e-9)
        stated = float(words.split("mean cost ")[1].split(",")[0])
        assert stated == pytest.approx(model.objective_, abs=1e-9)


@pytest.mark.parametrize("metric", ["f1", "fbeta", "jaccard"])
@pytest.mark.parametrize("block", range(2))
def test_ratios_of_the_library(program, tmp_path: Path, metric, block):
    rng = np.random.default_rng(block)
    for _ in range(rounds(12, 150)):
        n = int(rng.integers(5, 50))
        X, told = random_table(rng, n), settings(rng)
        told["beta"] = [0.5, 1.0, 2.0, 0.3][rng.integers(4)]
        told["pos_label"] = ["p", "q"][rng.integers(2)]
        if told["max_depth"] is None and told["max_splits"] is None:
            told["max_depth"] = 2
        y = rng.choice(["p", "q"], n, p=[0.3, 0.7])
        y[:2] = ["p", "q"]
        weights = None
        if rng.random() < 0.4:
            weights = rng.choice([0.0, 1.0, 2.0, 5.0], n)
            weights[:2] = 1
        model = OptimalTreeClassifier(metric=metric, **told)
        path = tmp_path / "tree.proof.gz"
        model.fit(X, y, sample_weight=weights, proof=path)
        verdict, words = all_accept(program, tmp_path, path, X, y, weights)
        assert verdict.optimal and model.optimal_
        assert verdict.objective == pytest.approx(model.objective_, abs=1e-12)
        stated = float(words.split("optimal, ")[1].split(",")[0].split()[-1])
        assert 1 - stated == pytest.approx(model.objective_, abs=1e-12)


# -- the command line, and what is refused


def run_check(*arguments):
    return CliRunner().invoke(app, ["check", *map(str, arguments)])


def hospital(n=40, seed=1):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.integers(20, 80, n), "sex": rng.choice(["f", "m"], n)})
    rewards = np.round(rng.normal(size=(n, 3)), 2)
    rewards[:, 1] += X["age"] > 50
    return X, rewards


def test_command_line_with_costs_of_rows(tmp_path: Path):
    X, rewards = hospital()
    path, costs = tmp_path / "p.gz", -rewards
    OptimalTreeClassifier(split_penalty=0.05, max_depth=2).fit(
        X, None, costs=costs, proof=path
    )
    X.to_csv(tmp_path / "x.csv", index=False)
    pd.DataFrame(costs, columns=list("abc")).to_csv(tmp_path / "c.csv", index=False)
    both = X.assign(**dict(zip("abc", costs.T, strict=True)))
    both.to_csv(tmp_path / "xc.csv", index=False)
    for arguments in (
        (tmp_path / "x.csv", "--costs", tmp_path / "c.csv", "--exact"),
        (tmp_path / "xc.csv", "--costs", "a,b,c"),
    ):
        done = run_check(path, *arguments)
        assert done.exit_code == 0, done.output
        assert "mean cost of the actions [0, 1, 2], costs of each row" in done.output
    done = run_check(path, tmp_path / "xc.csv", "--costs", "a,c,b")
    assert done.exit_code == 1 and "other data" in done.output
    done = run_check(path, tmp_path / "x.csv")
    assert isinstance(done.exception, ValueError)
    assert "say with --costs where" in str(done.exception)


def test_command_line_with_a_matrix_and_a_ratio(tmp_path: Path):
    X, rewards = hospital()
    y = np.where(rewards[:, 1] > 0.4, "ill", "well")
    path, table = tmp_path / "p.gz", tmp_path / "t.csv"
    X.assign(y=y).to_csv(table, index=False)
    OptimalTreeClassifier(
        max_depth=2, cost_matrix=[[0, 20], [1, 0]], abstain_cost=0.5, abstain_label="?"
    ).fit(X, y, proof=path)
    done = run_check(path, table, "--exact")
    assert done.exit_code == 0, done.output
    assert 'the actions ["ill", "well", "?"], cost matrix' in done.output
    assert '{"ill": [0, 20, 0.5], "well": [1, 0, 0.5]}, gains not' in done.output
    done = run_check(path, table, "--costs", "age")
    assert "leave out --costs" in str(done.exception)
    OptimalTreeClassifier(max_depth=2, metric="f1", pos_label="ill").fit(
        X, y, proof=path
    )
    done = run_check(path, table, "--exact")
    assert done.exit_code == 0, done.output
    assert "optimal, no tree of depth 2 or less has F1 above" in done.output
    assert 'F1 of the class "ill"' in done.output


def test_rewards_are_told_as_rewards(program, tmp_path: Path):
    """A proof of `Costs` with the measure of rewards, as policy trees make it."""
    X, rewards = hospital()

    class Policy(OptimalTreeClassifier):
        def _objective(self, data):
            return Costs(
                data.table, data.weights, -rewards, np.array(["a", "b", "c"]),
                measure="reward",
            )  # fmt: skip

    path = tmp_path / "p.gz"
    model = Policy(max_depth=2, split_penalty=0.01).fit(
        X, None, costs=-rewards, proof=path
    )
    verdict, words = all_accept(program, tmp_path, path, X, None, None, rewards)
    assert verdict.objective == pytest.approx(model.objective_)
    assert check(path, X, rewards).accepted  # rewards take the place of y
    best = f"{-model.objective_:.6g}"
    assert f"no tree of depth 2 or less has a mean reward above {best}" in str(verdict)
    assert "optimal, mean reward " in words
    assert 'mean reward of the actions ["a", "b", "c"], rewards of' in verdict.statement
    assert not check(path, X, -rewards).accepted


def test_nothing_to_choose(program, tmp_path: Path):
    """If all actions cost the same, the proof states that there is no choice."""
    X, rewards = hospital()
    path, costs = tmp_path / "p.gz", np.ones_like(rewards)
    for least in (1, 3):
        model = OptimalTreeClassifier(min_samples_leaf=least)
        model.fit(X, None, costs=costs, proof=path)
        verdict, _ = all_accept(program, tmp_path, path, X, None, None, costs)
        assert verdict.optimal and verdict.objective == 1.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_search_that_was_stopped(program, tmp_path: Path):
    """A bound short of the optimum is stated in the unit of the costs."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (200, 12)), columns=list("abcdefghijkl"))
    costs = np.round(rng.normal(size=(200, 3)), 3)
    path = tmp_path / "p.gz"
    model = OptimalTreeClassifier(
        split_penalty=0.001, solver="sparse", memory_limit=1, max_depth=2
    ).fit(X, None, costs=costs, proof=path)
    verdict, _ = all_accept(program, tmp_path, path, X, None, None, costs)
    assert verdict.lower_bound <= verdict.objective + 1e-12
    assert verdict.objective == pytest.approx(model.objective_)


def test_refused(tmp_path: Path):
    X, rewards = hospital()
    path = tmp_path / "p.gz"
    with pytest.raises(ValueError, match="class_weight needs the classes of the rows"):
        OptimalTreeClassifier(class_weight="balanced").fit(
            X, None, costs=rewards, proof=path
        )
    y = (rewards[:, 1] > 0.4).astype(int)
    f1 = OptimalTreeClassifier(metric="f1", max_depth=2)
    with pytest.raises(ValueError, match="takes weights that are whole numbers"):
        f1.fit(X, y, sample_weight=np.full(len(y), 0.5), proof=path)
    with pytest.raises(ValueError, match="add up to 4000000000, too much for a proof"):
        f1.fit(X, y, sample_weight=np.full(len(y), 1e8), proof=path)
    with pytest.raises(ValueError, match="takes a beta between 1/1024 and 1024"):
        f1.set_params(metric="fbeta", beta=3000.0).fit(X, y, proof=path)
    assert not path.exists()
