"""Multiway splits and one category against the rest, side by side.

Costs against brute force are in ``test_missing_optimum.py`` and proofs of all kinds of
splits in ``test_proof_missing.py``; here is what is particular to this kind.
"""

import gzip
import io
import json
import subprocess

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from oracle import UNIT, optimal_cost
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from table_oracle import random_problem
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.cli import app
from treeproof.export.json import from_json
from treeproof.kinds import EQUALS, MULTIWAY
from treeproof.parameters import kind_of_split
from treeproof.proof.checker import check
from treeproof.proof.exact import Refuted, check_exactly


def words(seed, n=120):
    """A table on which the best tree has splits of both kinds."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "colour": rng.choice(list("abcdef"), n), "shape": rng.choice(list("xyz"), n),
        "size": rng.integers(0, 9, n),
    })  # fmt: skip
    part = np.where(
        X["colour"] == "c", X["shape"].map({"x": "1", "y": "2", "z": "3"}), "0"
    )
    noise = rng.random(n) < 0.05
    return X, np.where(noise, rng.choice(list("0123"), n), part)


def penalties(model, X, y):
    return float((model.predict(X) != y).mean()) + 0.01 * (model.get_n_leaves() - 1)


def test_auto_follows_the_penalty():
    assert kind_of_split(OptimalTreeClassifier()) == "either"
    assert kind_of_split(OptimalTreeRegressor()) == "either"
    assert kind_of_split(OptimalTreeClassifier(penalize="splits")) == "multiway"
    for solver in ("branches", "dt-miner", "quant-bnb"):
        assert kind_of_split(OptimalTreeClassifier(solver=solver)) == "multiway"
    assert kind_of_split(OptimalTreeClassifier(categorical_split="subset")) == "subset"


def test_a_tree_may_have_both_kinds():
    X, y = words(0)
    model = OptimalTreeClassifier().fit(X, y)
    assert {EQUALS, MULTIWAY} <= set(model.tree_.kind.tolist())
    assert model.optimal_
    assert model.objective_ == pytest.approx(penalties(model, X, y), abs=1e-9)
    for kind in ("multiway", "one-vs-rest"):
        other = OptimalTreeClassifier(categorical_split=kind, max_depth=2).fit(X, y)
        both = OptimalTreeClassifier(max_depth=2).fit(X, y)
        assert both.optimal_ and both.objective_ <= other.objective_
    assert "with multiway and one-vs-rest splits of categories" in model.certificate()
    assert "categories" not in OptimalTreeClassifier().fit(X[["size"]], y).certificate()


def test_two_values_and_very_many_are_split_one_way(monkeypatch):
    X, y = words(1)
    X["two"] = np.where(X["size"] > 4, "p", "q")
    model = OptimalTreeClassifier().fit(X, y)
    splits = {c.name: c for c in model.tree_.columns}
    from treeproof.border import Wanted, read_classification_data, table

    def kinds():
        data = read_classification_data(
            model, X, y, wanted=Wanted(categorical_split="either")
        )
        return [data.table.split_of(splits[c]) for c in ("colour", "shape", "two")]

    assert kinds() == ["either", "either", "multiway"]
    monkeypatch.setattr(table, "MAX_EITHER_VALUES", 4)
    assert kinds() == ["multiway", "either", "multiway"]


@pytest.mark.parametrize("solver", ["sparse", "threshold", "auto"])
def test_never_behind_either_kind_or_cart(solver):
    """Depth by depth: what holds for each kind alone holds for both together."""
    for seed in range(rounds(6, 60)):
        X, y = words(10 + seed, 60)
        for depth in (1, 2, 3, None):
            options = {"max_depth": depth, "solver": solver}
            found = OptimalTreeClassifier(**options).fit(X, y)
            assert found.optimal_
            for kind in ("multiway", "one-vs-rest"):
                alone = OptimalTreeClassifier(categorical_split=kind, **options)
                assert found.objective_ <= alone.fit(X, y).objective_ + 1e-12
            hot = OneHotEncoder(sparse_output=False).fit_transform(X)
            cart = DecisionTreeClassifier(max_depth=depth, ccp_alpha=0.01).fit(hot, y)
            wrong = 1 - cart.score(hot, y)
            if depth is None:
                cost = wrong + 0.01 * (cart.get_n_leaves() - 1)
                numbers = OptimalTreeClassifier(solver=solver).fit(hot, y)
                assert found.objective_ <= max(cost, numbers.objective_) + 1e-12


def test_without_a_depth_limit_multiway_splits_add_nothing():
    """The lemma behind the default: a chain of binary splits costs the same."""
    for seed in range(rounds(150, 3000)):
        problem = random_problem(seed)
        if problem.missing == "branch":
            continue  # there, a test of one category has three outcomes
        costs = []
        for kind in ("either", "multiway"):
            problem.categorical_split = kind
            table = problem.for_classes()
            costs.append(optimal_cost(table, 0.03, penalize="leaves"))
        assert costs[0] <= costs[1], seed
        model = OptimalTreeClassifier(0.03, missing=problem.missing)
        model.fit(problem.frame, problem.labels, problem.weights)
        total = problem.weights.sum()
        assert model.objective_ == pytest.approx(costs[0] / UNIT / total, abs=1e-5)


def test_chains_that_separate_every_category_become_one_split():
    X = {"c": list("abcd") * 3}
    y = list("pqrs") * 3
    for kind in (OptimalTreeClassifier, OptimalTreeRegressor):
        target = y if kind is OptimalTreeClassifier else [1.0, 4.0, 9.0, 16.0] * 3
        model = kind(0.001).fit(X, target)
        assert (model.n_splits_, model.get_depth(), model.get_n_leaves()) == (1, 1, 4)
        assert model.tree_.kind[0] == MULTIWAY
    # Two categories that stay together leave a chain.
    model = OptimalTreeClassifier(0.001).fit(X, list("pqrr") * 3)
    assert (model.n_splits_, model.get_n_leaves()) == (2, 3)
    assert model.objective_ == pytest.approx(0.002)
    # With one penalty for each split, nothing can be folded.
    model = OptimalTreeClassifier(0.001, penalize="splits", categorical_split="either")
    assert model.fit(X, y).objective_ == pytest.approx(0.001)


@pytest.mark.parametrize("missing", ["best-side", "branch"])
def test_missing_values(missing):
    X, y = words(2)
    X.loc[::7, "colour"] = None
    y = np.where(X["colour"].isna(), "0", y)
    model = OptimalTreeClassifier(missing=missing, max_depth=2).fit(X, y)
    assert model.objective_ == pytest.approx(penalties(model, X, y), abs=1e-9)
    again = from_json(model.to_json())
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.certificate() == model.certificate()
    for one in ({"colour": [None]}, {"colour": ["new"]}):
        row = pd.DataFrame({"shape": ["x"], "size": [1]} | one)
        assert len(model.predict(row[X.columns])) == 1


def test_proofs_are_accepted_by_all_checkers(program, tmp_path):
    X, y = words(3, 90)
    X.loc[::9, "shape"] = None
    data = tmp_path / "data.csv"
    X.assign(y=[f"class {v}" for v in y]).to_csv(data, index=False)
    y = np.array([f"class {v}" for v in y])
    path = tmp_path / "p"
    model = OptimalTreeClassifier(max_depth=2).fit(X, y, proof=path)
    assert model.optimal_ and model.n_splits_ > 1
    verdict = check(path, X, y)
    assert verdict.accepted and verdict.optimal, verdict
    assert "1 either, 1 either with best-side" in verdict.statement
    columns = {name: X[name].tolist() for name in X}
    with gzip.open(path) as lines:
        assert check_exactly(lines, columns, y.tolist())
    plain = gzip.decompress(path.read_bytes())
    command = [program, "-", data, "--target", "y"]
    said = subprocess.run(command, input=plain, capture_output=True, timeout=60)
    assert said.returncode == 0, said
    # With fewer splits of a column, the steps are about another problem.
    lines = plain.decode().splitlines()
    header = json.loads(lines[0])
    for split in ("multiway", "one-vs-rest"):
        header["features"][0]["split"] = split
        other = "\n".join([json.dumps(header), *lines[1:]]).encode()
        said = subprocess.run(command, input=other, capture_output=True, timeout=60)
        assert said.returncode != 0
        assert not check(io.BytesIO(other), X, y).accepted
        with pytest.raises(Refuted):
            check_exactly(io.BytesIO(other), columns, y.tolist())


def test_near_optimal_trees_are_counted_once():
    """At a node with two categories both kinds of split are the same one."""
    X = {"c": list("aabbc") * 4, "d": list("xyxyx") * 4}
    y = [0, 1, 1, 0, 1] * 4
    model = OptimalTreeClassifier(0.05, max_depth=2).fit(X, y)
    trees = model.near_optimal(within=0.1)
    texts = [trees[i].tree.export_text() for i in range(trees.count)]
    assert len(set(texts)) == trees.count > 1
    assert trees.filter(using="d", without="c").count < trees.count


def test_near_optimal_trees_with_missing_values():
    X = {"n": [1.0, None, 3.0, 4.0] * 5, "c": ["a", "b", None, "c"] * 5}
    y = [0, 1, 1, 0] * 5
    model = OptimalTreeClassifier(0.05, max_depth=2).fit(X, y)
    trees = model.near_optimal(within=0.1)
    for i in range(trees.count):
        wrong = trees[i].model.predict(X) != y
        cost = wrong.mean() + 0.05 * (trees[i].tree.n_leaves - 1)
        assert trees[i].objective == pytest.approx(cost, abs=1e-6)
    texts = [trees[i].tree.export_text() for i in range(trees.count)]
    assert len(set(texts)) == trees.count


def test_scikit_learn_takes_the_same_tree():
    X, y = words(4)
    X.loc[::11, "colour"] = None
    model = OptimalTreeClassifier(0.005).fit(X, y)
    tree = model.to_sklearn()
    codes = model.encode(X)
    assert codes.shape[1] == len(model.encoded_names()) == tree.n_features_in_
    assert tree.predict(codes).tolist() == model.predict(X).tolist()


def test_first_split_and_regression():
    X, y = words(5, 60)
    number = pd.Series(y).astype(float)
    for depth in (1, 2):
        model = OptimalTreeRegressor(0.02, max_depth=depth).fit(X, number)
        for kind in ("multiway", "one-vs-rest"):
            alone = OptimalTreeRegressor(0.02, max_depth=depth, categorical_split=kind)
            assert model.objective_ <= alone.fit(X, number).objective_ + 1e-9
        forced = [
            OptimalTreeClassifier(0.02, max_depth=depth, first_split=c).fit(X, y)
            for c in X
        ]
        free = OptimalTreeClassifier(0.02, max_depth=depth).fit(X, y)
        leaf = 1 - np.unique(y, return_counts=True)[1].max() / len(y)
        best = min(leaf, *(f.objective_ for f in forced))
        assert free.objective_ == pytest.approx(best, abs=1e-6)


def test_command_line(tmp_path):
    X, y = words(6, 60)
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    run = ["fit", str(tmp_path / "t.csv"), "--target", "y", "--json", "--quiet"]
    run += ["--max-depth", "2"]
    found = {}
    for kind in ("auto", "either", "multiway"):
        said = CliRunner().invoke(app, [*run, "--categorical-split", kind])
        assert said.exit_code == 0, said.output
        found[kind] = json.loads(said.stdout)["objective"]
    assert found["auto"] == found["either"] <= found["multiway"]
