"""The penalty of a multiway split, by leaves or by splits, in all parts."""

from __future__ import annotations

import gzip
import json
import subprocess
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import native
import numpy as np
import pandas as pd
import pytest
from cpp_checker import compiled
from oracle import (
    MULTIWAY,
    ORDERED,
    UNIT,
    Table,
    engine_arguments,
    optimal_cost,
    random_table,
    tree_facts,
)

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Tree,
    penalty_path,
)
from treeproof.export.json import from_json
from treeproof.proof.checker import check

RULES = ("leaves", "splits")
WIDE = {"categorical_split": "multiway"}


def frame_of(table: Table) -> pd.DataFrame:
    """The table with text where a column is multiway, numbers elsewhere."""
    columns: dict[str, Any] = {}
    for f, kind in enumerate(table.kinds):
        codes = table.codes[:, f]
        columns[f"x{f}"] = [f"v{c}" for c in codes] if kind == MULTIWAY else codes * 1.0
    return pd.DataFrame(columns)


def random_frame(seed: int, **options: Any) -> tuple[Table, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    options = {"max_rows": 16, "max_values": 5} | options
    table = random_table(rng, kinds=(ORDERED, MULTIWAY), **options)
    table.weights = np.ones(len(table.labels), dtype=np.int64)
    return table, frame_of(table)


def best(table: Table, penalty: float, rule: str, **limits: Any) -> float:
    cost = optimal_cost(table, penalty, penalize=rule, **limits)
    return cost / UNIT / table.total_weight


# -- the cost


def test_a_column_of_names_does_not_win() -> None:
    rng = np.random.default_rng(0)
    useful = rng.integers(0, 2, 200)
    y = np.where(rng.random(200) < 0.9, useful, 1 - useful)
    X = pd.DataFrame({"useful": useful, "row": [f"r{k}" for k in range(200)]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the border warns of such columns
        by_split = OptimalTreeClassifier(0.01, penalize="splits").fit(X, y)
        by_leaf = OptimalTreeClassifier(0.01).fit(X, y)
    assert by_split.objective_ == pytest.approx(0.01) and by_split.n_splits_ == 1
    assert by_leaf.tree_.columns[by_leaf.tree_.feature[0]].name == "useful"
    assert by_leaf.optimal_ and by_leaf.get_n_leaves() == 2


@pytest.mark.parametrize("solver", ["sparse", "threshold"])
@pytest.mark.parametrize("rule", RULES)
def test_estimators_say_what_the_tree_costs(solver: str, rule: str) -> None:
    for seed in range(60):
        table, X = random_frame(seed)
        clf = OptimalTreeClassifier(
            0.03, penalize=rule, solver=solver, max_depth=3, **WIDE
        )
        clf.fit(X, table.labels)
        penalties = clf.n_splits_ if rule == "splits" else clf.get_n_leaves() - 1
        wrong = 1 - clf.score(X, table.labels)
        assert clf.objective_ == pytest.approx(wrong + 0.03 * penalties, abs=1e-9)
        assert clf.optimal_
        wanted = best(table, 0.03, rule, max_depth=3)
        assert clf.objective_ == pytest.approx(wanted, abs=1e-5)


def test_two_way_trees_cost_the_same() -> None:
    table, X = random_frame(5, max_rows=40)
    for split in ("one-vs-rest", "subset"):
        costs = {
            OptimalTreeClassifier(0.02, penalize=rule, categorical_split=split)
            .fit(X, table.labels)
            .objective_
            for rule in RULES
        }
        assert len(costs) == 1


def test_a_branch_for_missing_values_is_a_leaf() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, None] * 10})
    y = ["a", "b", "c"] * 10
    for rule, penalties in (("leaves", 2), ("splits", 1)):
        clf = OptimalTreeClassifier(0.05, penalize=rule, missing="branch").fit(X, y)
        assert clf.get_n_leaves() == 3
        assert clf.objective_ == pytest.approx(0.05 * penalties)


# -- the bounds


def wide_table() -> Table:
    """Merging a side into its sibling's tree needs further children, each for L.

    Where the first column is 0, the second has two categories that tell the classes;
    elsewhere every row has a category of its own there and one class.
    """
    first = [0] * 8 + [1] * 4
    second = [0] * 4 + [1] * 4 + [2, 3, 4, 5]
    labels = [0] * 4 + [1] * 4 + [0] * 4
    return Table(
        kinds=np.array([ORDERED, MULTIWAY]),
        n_values=np.array([2, 6]),
        codes=np.column_stack([first, second]),
        labels=np.array(labels),
        n_classes=2,
        weights=np.ones(12, dtype=np.int64),
    )


@pytest.mark.parametrize("solver", ["sparse", "threshold"])
def test_rows_that_bring_new_categories_cost_further_leaves(solver: str) -> None:
    """The side of four rows weighs 4 <= L: without categories it could be merged."""
    table = wide_table()
    for penalty in (0.05, 0.1, 0.2, 4 / 12 - 0.001, 4 / 12, 0.34):
        wanted = optimal_cost(table, penalty, penalize="leaves")
        arguments = engine_arguments(table) | {"split_penalty": penalty}
        if solver == "sparse":
            found = native.solve(solver=solver, penalize="leaves", **arguments)
        else:
            found = native.solve_threshold(penalize="leaves", **arguments)
            found["upper"] *= UNIT * table.total_weight // found["unit"]
        assert found["upper"] == wanted, penalty
        facts = tree_facts(table, found["tree"], penalty, "leaves")
        assert facts.cost == wanted


def test_bounds_go_on_where_no_column_is_wide() -> None:
    """The bounds fire below a node that has used up the wide column."""
    rng = np.random.default_rng(1)
    counts = {"admissible_dropped": 0, "merging_dropped": 0, "similarity_raised": 0}
    for _ in range(12):
        kinds = np.array([MULTIWAY] + [ORDERED] * 7)
        codes = (rng.random((90, 8)) < rng.uniform(0.08, 0.5, 8)).astype(int)
        codes[:, 0] = rng.integers(0, 3, 90)
        table = Table(
            kinds, np.array([3] + [2] * 7), codes, rng.integers(0, 2, 90), 2,
            np.ones(90, dtype=np.int64),
        )  # fmt: skip
        for switches in ({}, {"admissible": False}):  # others have more to do
            found = native.solve(
                solver="sparse", split_penalty=0.02, penalize="leaves",
                switches=switches, **engine_arguments(table),
            )  # fmt: skip
            for name in counts:
                counts[name] += found["statistics"][name]
    assert all(counts.values()), counts


# -- other parts that depend on it


@pytest.mark.parametrize("rule", RULES)
def test_paths(rule: str) -> None:
    for seed in range(25):
        table, X = random_frame(seed)
        base = OptimalTreeClassifier(penalize=rule, **WIDE)
        path = penalty_path(X, table.labels, low=0.01, high=0.3, estimator=base)
        for penalty in (0.01, 0.023, 0.07, 0.2):
            wanted = best(table, penalty, rule)
            found = path.at(penalty)
            assert found.objective(penalty) == pytest.approx(wanted, abs=1e-5)
            model = found.model
            penalties = model.tree_.n_penalties(rule)
            cost = found.loss + model.split_penalty * penalties
            assert model.objective_ == pytest.approx(cost)


def test_cross_validation_takes_the_rule() -> None:
    table, X = random_frame(3, max_rows=60)
    base = OptimalTreeClassifier(penalize="splits")
    chosen = OptimalTreeClassifierCV(base, low=0.02, cv=2).fit(X, table.labels)
    assert chosen.path_[0].model.penalize == "splits"


@pytest.mark.parametrize("rule", RULES)
def test_first_split(rule: str) -> None:
    """The best tree is the best of those that begin with each column."""
    for seed in range(25):
        table, X = random_frame(seed)
        varied = [name for name in X if X[name].nunique() > 1]
        costs = [
            OptimalTreeClassifier(0.02, penalize=rule, first_split=name, **WIDE)
            .fit(X, table.labels)
            .objective_
            for name in varied
        ]
        leaf = 1 - np.bincount(table.labels).max() / len(table.labels)
        wanted = best(table, 0.02, rule)
        assert min([leaf, *costs]) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("rule", RULES)
def test_near_optimal_trees(rule: str) -> None:
    table, X = random_frame(11, max_rows=30)
    clf = OptimalTreeClassifier(0.03, penalize=rule, max_depth=2, **WIDE)
    clf.fit(X, table.labels)
    trees = clf.near_optimal(within=0.05)
    for k in range(min(20, trees.count)):
        near = trees[k]
        cost = near.loss + 0.03 * near.tree.n_penalties(rule)
        assert near.objective == pytest.approx(cost)
        assert near.objective <= clf.objective_ + 0.05 + 1e-9


def test_published_solvers_charge_splits() -> None:
    X = pd.DataFrame({"a": list("xyz") * 8, "b": list("pq") * 12})
    y = [0, 1, 1] * 8
    for solver in ("branches", "dt-miner"):
        with pytest.raises(ValueError, match=r"column 'a' .* penalize=\"splits\""):
            OptimalTreeClassifier(solver=solver).fit(X, y)
        once = OptimalTreeClassifier(solver=solver, penalize="splits").fit(X, y)
        assert once.objective_ == pytest.approx(0.01)
        free = OptimalTreeClassifier(0.0, solver=solver, max_depth=2).fit(X, y)
        assert free.objective_ == 0.0
        two_way = OptimalTreeClassifier(solver=solver).fit(X[["b"]], y)
        assert two_way.optimal_
    with pytest.raises(ValueError, match="charges each split once"):
        native.solve(
            solver="branches", split_penalty=0.1, penalize="leaves",
            **engine_arguments(wide_table()),
        )  # fmt: skip


def test_checkpoints_are_of_one_rule(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(list("ab"), (300, 30)))  # noise: takes hours
    X["kind"] = rng.choice(list("abc"), 300)
    X.columns = [f"x{k}" for k in range(31)]
    y = rng.integers(0, 2, 300)
    file = tmp_path / "kept"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        limited = OptimalTreeClassifier(0.001, solver="sparse", time_limit=0.2)
        limited.fit(X, y, checkpoint=file)
        assert not limited.optimal_ and file.exists()
        other = OptimalTreeClassifier(0.001, penalize="splits", time_limit=0.2)
        with pytest.raises(ValueError, match="other parameters"):
            other.fit(X, y, checkpoint=file)


def test_models_in_json() -> None:
    table, X = random_frame(4, max_rows=40)
    clf = OptimalTreeClassifier(0.01).fit(X, table.labels)
    document = json.loads(clf.to_json())
    assert document["parameters"]["penalize"] == "leaves"
    del document["parameters"]["penalize"]  # of an earlier version
    assert from_json(json.dumps(document)).penalize == "splits"


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_regression(criterion: str) -> None:
    X = pd.DataFrame({"kind": list("abcd") * 6})
    y = np.array([0.0, 0.0, 4.0, 4.1] * 6)
    costs = {
        rule: OptimalTreeRegressor(0.1, penalize=rule, criterion=criterion, **WIDE).fit(
            X, y
        )
        for rule in RULES
    }
    assert costs["splits"].objective_ == pytest.approx(0.1, abs=1e-9)
    assert costs["leaves"].objective_ == pytest.approx(0.3, abs=1e-9)
    assert costs["leaves"].optimal_


def test_penalties_of_a_tree() -> None:
    clf = OptimalTreeClassifier(0.0, **WIDE)
    tree: Tree = clf.fit([["a"], ["b"], ["c"]], [0, 1, 2]).tree_
    assert (tree.n_penalties("leaves"), tree.n_penalties("splits")) == (2, 1)


def test_unknown_rule() -> None:
    with pytest.raises(ValueError, match="penalize"):
        OptimalTreeClassifier(penalize="nodes").fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="unknown penalize"):
        native.solve(
            solver="sparse", split_penalty=0.1, penalize="nodes",
            **engine_arguments(wide_table()),
        )  # fmt: skip


# -- proofs


@pytest.fixture(scope="module")
def program() -> Path:
    found = compiled()
    if found is None:
        pytest.skip("no C++ compiler")
    return found


def verdicts(
    program: Path, folder: Path, lines: list[bytes], X: pd.DataFrame, y: Any
) -> tuple[bool, bool]:
    """Return the verdicts of both checkers about a proof."""
    path, data = folder / "changed.gz", folder / "data.csv"
    path.write_bytes(gzip.compress(b"".join(lines)))
    X.assign(label=y).to_csv(data, index=False)
    command = [program, "-", data, "--target", "label"]
    answer = subprocess.run(
        command, input=b"".join(lines), capture_output=True, check=False
    )
    return check(path, X, y).accepted, answer.returncode == 0


@pytest.mark.parametrize("max_splits", [None, 2])
def test_a_proof_holds_for_its_rule_only(
    tmp_path: Path, program: Path, max_splits: int | None
) -> None:
    seen = 0
    for seed in range(40):
        table, X = random_frame(seed, max_rows=30)
        y = table.labels.tolist()
        for rule, other in (RULES, RULES[::-1]):
            clf = OptimalTreeClassifier(
                0.03, penalize=rule, max_splits=max_splits, **WIDE
            )
            clf.fit(X, y, proof=tmp_path / "p.gz")
            with gzip.open(tmp_path / "p.gz") as file:
                header, *steps = file.readlines()
            stated = json.loads(header)
            assert stated["penalize"] == rule
            assert verdicts(program, tmp_path, [header, *steps], X, y) == (True, True)
            changed = json.dumps(stated | {"penalize": other}).encode() + b"\n"
            both = verdicts(program, tmp_path, [changed, *steps], X, y)
            if clf.get_n_leaves() - 1 != clf.n_splits_:
                assert both == (False, False)
                seen += 1
            del stated["penalize"]  # means "splits"
            old = json.dumps(stated).encode() + b"\n"
            both = verdicts(program, tmp_path, [old, *steps], X, y)
            assert rule == "leaves" or both == (True, True)
    assert seen > 10


def test_lower_bounds_by_splits_are_none_by_leaves(
    tmp_path: Path, program: Path
) -> None:
    """The steps of one rule do not prove the other's bound, whatever the header says.

    The tree and its cost are made to fit the other rule; only the steps give it away.
    """
    table = wide_table()
    X, y, penalty = frame_of(table), table.labels.tolist(), 0.2
    by_leaf = OptimalTreeClassifier(penalty, solver="sparse", **WIDE).fit(
        X, y, proof=tmp_path / "p.gz"
    )
    with gzip.open(tmp_path / "p.gz") as file:
        header, *steps = file.readlines()
    by_split = OptimalTreeClassifier(penalty, penalize="splits").fit(X, y)
    assert by_split.objective_ < by_leaf.objective_
    stated = json.loads(header)
    penalties = by_leaf.n_splits_
    loss = stated["upper"] - by_leaf.tree_.n_penalties("leaves") * stated["split_cost"]
    stated |= {"penalize": "splits", "upper": loss + penalties * stated["split_cost"]}
    stated["lower"] = min(stated["lower"], stated["upper"])
    lines = [json.dumps(stated).encode() + b"\n", *steps]
    unit = Fraction(stated["lower"], UNIT * 12)
    assert unit > by_split.objective_  # a false claim
    assert verdicts(program, tmp_path, lines, X, y) == (False, False)
