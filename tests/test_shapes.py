"""Trees keep their restrictions: directions, rule lists, groups, costs of tests."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from data_sets import data_file
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, penalty_path
from treeproof.border.promises import Measurement
from treeproof.cli import app
from treeproof.constraints import RecallAtLeast
from treeproof.kinds import LEAF
from treeproof.policy import OptimalPolicyTree
from treeproof.proof import check
from treeproof.solving.shape import never_charges_more, path_rules


def rising(model, X, column):
    """Return whether predictions never fall along one column."""
    classes = list(model.classes_)
    values = np.sort(np.unique(X[:, column]))
    values = np.concatenate([values, values + 1e-3])
    before = None
    for value in np.sort(values):
        moved = X.copy()
        moved[:, column] = value
        now = np.array([classes.index(c) for c in model.predict(moved)])
        if before is not None and (now < before).any():
            return False
        before = now
    return True


@pytest.mark.parametrize("seed", range(6))
def test_predictions_rise_where_they_must(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4))
    y = np.where(X[:, 0] - X[:, 1] ** 2 + rng.normal(size=120) > 0, "yes", "no")
    free = OptimalTreeClassifier(0.0, max_depth=3).fit(X, y)
    model = OptimalTreeClassifier(0.0, max_depth=3, monotonic_cst=[1, -1, 0, 0])
    model.fit(X, y)
    assert model.optimal_ and model.objective_ >= free.objective_
    assert rising(model, X, 0)
    assert rising(OptimalTreeClassifier(0.0, max_depth=3, monotonic_cst={"x1": 1})
                  .fit(X, y), X, 1)  # fmt: skip
    wrong = np.mean(model.predict(X) != y)
    assert wrong == pytest.approx(model.objective_)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()


def test_leaves_keep_their_class_against_the_majority():
    """A leaf may have to predict a class that most of its rows do not have."""
    found = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, size=(12, 2)).astype(float)
        y = rng.integers(0, 2, 12)
        if len(set(y)) < 2:
            continue
        model = OptimalTreeClassifier(0.0, max_depth=3, monotonic_cst=[1, -1]).fit(X, y)
        leaves = model.tree_.kind == LEAF
        most = model.tree_.value[leaves].max(axis=1)
        said = model.tree_.value[leaves, model.tree_.action[leaves]]
        found += int((said < most).any())
        assert np.mean(model.predict(X) != y) == pytest.approx(model.objective_)
        assert rising(model, X, 0)
    assert found > 0


def test_directions_with_costs_weights_and_missing_values():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    X[rng.random((80, 3)) < 0.1] = np.nan
    model = OptimalTreeClassifier(
        0.01, max_depth=3, monotonic_cst=[1, 0, 0],
        cost_matrix={0: {1: 1}, 1: {0: 5}},
    ).fit(X, y, sample_weight=rng.random(80))  # fmt: skip
    assert model.optimal_
    assert rising(model, np.nan_to_num(X), 0)
    with pytest.raises(ValueError, match=r"missing values with a branch of their own"):
        OptimalTreeClassifier(missing="branch", monotonic_cst=[1, 0, 0]).fit(X, y)


def test_a_list_is_a_list():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=200),
            "b": rng.choice(list("uvw"), 200),
            "c": pd.Categorical(rng.choice(["lo", "mid", "hi"], 200),
                                ["lo", "mid", "hi"], ordered=True),
        }
    )  # fmt: skip
    y = np.where((X["a"] > 0) ^ (X["b"] == "u"), "yes", "no")
    y[rng.random(200) < 0.1] = "no"
    for model in (
        OptimalTreeClassifier(0.005, max_depth=4, shape="list").fit(X, y),
        OptimalTreeRegressor(0.005, max_depth=4, shape="list").fit(X, y == "yes"),
        OptimalTreeClassifier(0.005, max_depth=3, shape="list", criterion="gini")
        .fit(X, y),
        OptimalTreeClassifier(0.005, max_depth=3, shape="list", monotonic_cst={"c": 1})
        .fit(X, y),
    ):  # fmt: skip
        tree = model.tree_
        assert model.optimal_ and tree.n_splits > 1
        for node in np.flatnonzero(tree.kind != LEAF):
            first, n = tree.first_child[node], tree.n_children[node]
            children = set(tree.children[first : first + n].tolist())
            assert sum(tree.kind[c] != LEAF for c in children) <= 1
        assert 'that keeps shape="list"' in model.certificate() or "and" in (
            model.certificate()
        )
    with pytest.raises(ValueError, match=r"column 'b' is split into one child"):
        OptimalTreeClassifier(shape="list", categorical_split="multiway").fit(X, y)


def used_together(tree, node=0, path=frozenset()):
    """Return the columns of every path."""
    if tree.kind[node] == LEAF:
        yield path
        return
    first, n = tree.first_child[node], tree.n_children[node]
    for child in set(tree.children[first : first + n].tolist()):
        yield from used_together(tree, child, path | {int(tree.feature[node])})


def test_interactions_as_in_scikit_learn():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 4))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    for groups in ([[0, 1], [2]], [[0, 1], [1, 2]], "pairwise", "no_interactions"):
        model = OptimalTreeClassifier(0.0, max_depth=3, interaction_cst=groups).fit(
            X, y
        )
        assert model.optimal_ and model.stats_["solver"] == "paths"
        assert model.stats_["interval_prunes"] > 0
        for path in used_together(model.tree_):
            if groups == "no_interactions":
                assert len(path) <= 1
            elif groups == "pairwise":
                assert len(path) <= 2
            else:
                assert any(path <= set(g) for g in [*groups, [3]])
    whole = OptimalTreeClassifier(0.0, max_depth=2, interaction_cst=[[0, 1, 2, 3]])
    free = OptimalTreeClassifier(0.0, max_depth=2)
    assert whole.fit(X, y).objective_ == pytest.approx(free.fit(X, y).objective_)
    lone = [
        OptimalTreeClassifier(0.0, max_depth=3).fit(X[:, [k]], y).objective_
        for k in range(4)
    ]
    alone = OptimalTreeClassifier(0.0, max_depth=3, interaction_cst="no_interactions")
    assert alone.fit(X, y).objective_ == pytest.approx(min(lone))


def test_what_tests_cost():
    X = pd.DataFrame({"free": [0, 0, 1, 1] * 5, "dear": [0, 1, 0, 1] * 5})
    y = [0, 1, 0, 1] * 5
    cheap = OptimalTreeClassifier(0.0, test_costs={"dear": 0.25}).fit(X, y)
    assert (cheap.objective_, cheap.stats_["test_cost"]) == (0.25, 0.25)
    assert cheap.optimal_ and cheap.n_splits_ == 1
    dear = OptimalTreeClassifier(0.0, test_costs={"dear": 0.6}).fit(X, y)
    assert (dear.objective_, dear.n_splits_) == (0.5, 0)
    # of one group: the second one is cheaper; measured together: it is free
    X = pd.DataFrame({"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5})
    y = [0, 1, 1, 0] * 5
    kinds = {
        0.3: {"a": 0.2, "b": 0.1},
        0.2: {"a": (0.15, "blood", 0.05), "b": (0.15, "blood", 0.05)},
        0.15: {("a", "b"): 0.15},
    }
    for cost, told in kinds.items():
        model = OptimalTreeClassifier(0.0, max_depth=2, test_costs=told).fit(X, y)
        assert model.objective_ == pytest.approx(cost, abs=1e-9)
        assert model.optimal_ and model.score(X, y) == 1.0


@pytest.mark.parametrize("which", ["low", "middle", "high"])
def test_car_with_its_costs(which, tmp_path):
    X = pd.read_csv(data_file("tasks", "car.csv.gz"))
    y = X.pop("y").to_numpy()
    told = json.loads(data_file("tasks", f"car-{which}-costs.json").read_text())
    matrix = np.array(told["matrix_true_by_predicted"])
    prices = {
        tuple(X.columns[m["columns"][0] : m["columns"][1] + 1]): (
            m["cost"], m["group"], m["discounted"],
        )
        for m in told["tests"]
    }  # fmt: skip
    models = [
        OptimalTreeClassifier(0.0, max_depth=d, cost_matrix=matrix, test_costs=prices)
        .fit(X, y, proof=tmp_path / str(d))
        for d in (2, 3)
    ]  # fmt: skip
    assert all(model.optimal_ for model in models)
    for d, model in zip((2, 3), models, strict=True):
        verdict = check(tmp_path / str(d), X, y)
        assert verdict.accepted and verdict.optimal, str(verdict)
        assert verdict.objective == pytest.approx(model.objective_)
    paid = {"low": (24.774964, 24.774964), "middle": (45.883739, 45.515572),
            "high": (122.383766, 114.021577)}[which]  # fmt: skip
    assert [m.objective_ for m in models] == pytest.approx(paid, abs=1e-5)
    # all tests after each other, and what errors cost at most
    groups = [m["group"] for m in told["tests"]]
    all_tests = sum(
        m["discounted" if m["group"] and m["group"] in groups[:k] else "cost"]
        for k, m in enumerate(told["tests"])
    )
    normaliser = all_tests + matrix.max() * (1 - np.bincount(y).max() / len(y))
    if which == "low":
        assert models[0].objective_ / normaliser == pytest.approx(0.0916461, abs=1e-7)


@pytest.mark.parametrize(
    ("measured", "values", "holds"),
    [
        # A test at .01 can be worth it for .9 less on another.
        ([((0,), 1, 1), ((1,), 100, 10)], (5, 5), False),
        # Both are discounted alike.
        ([((0,), 5, 2), ((1,), 4, 1)], (5, 5), True),
        # First a test of column 0, then 1, then 0 again costs 5; the last two cost 9.
        ([((0,), 5, 4), ((1,), 5, 0)], (5, 5), False),
        # With two values, column 0 is tested once on a path.
        ([((0,), 5, 4), ((1,), 5, 0)], (2, 5), True),
        # Column 2 is known with column 0, and tested where that was.
        ([((0, 2), 5, 4), ((1,), 5, 0)], (2, 5, 2), False),
        ([((0, 2), 5, 0), ((1,), 5, 0)], (2, 5, 2), True),
    ],
)
def test_paths_that_leave_out_a_test(measured, values, holds):
    """If a test can pay by its discount on others, every cut is tried."""
    measured = [Measurement(frozenset(c), p, "g", d) for c, p, d in measured]
    rules = path_rules(len(values), None, measured, None)
    whole = rules.prices.astype(np.int64)
    found = never_charges_more(rules.next, whole, np.array(values) > 2)
    assert found == holds


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"monotonic_cst": [1]}, "monotonic_cst has 1 values, but X has 2 columns"),
        ({"monotonic_cst": [2, 0]}, "has the value 2 for column 'a'; use 1, -1 or 0"),
        ({"monotonic_cst": {"z": 1}}, "monotonic_cst='z' is not a column of X"),
        ({"monotonic_cst": {"b": 1}}, "categories have no order"),
        ({"interaction_cst": [["a", "z"]]}, "'z' is not a column of X"),
        ({"interaction_cst": ["a"]}, "not a group of columns"),
        ({"test_costs": {"a": -1}}, "costs are finite and not negative"),
        ({"test_costs": {"a": "x"}}, "give a cost, or"),
        ({"test_costs": {"a": 1, ("a", "b"): 2}}, "column 'a' twice"),
        ({"test_costs": {"a": (1, "g", 2)}}, "more than its cost of 1"),
        ({"shape": "list", "first_split": "a"}, "cannot be combined with first_split"),
        ({"shape": "list", "n_best": 2}, "cannot be combined with n_best"),
        (
            {"shape": "list", "solver": "sparse"},
            'cannot be combined with solver="sparse"',
        ),
        ({"shape": "list", "constraints": [RecallAtLeast(0.5)]}, "with constraints"),
        ({"test_costs": {"a": 1}, "max_splits": 2}, "limit max_depth instead"),
        ({"monotonic_cst": {"a": 1}, "criterion": "gini"}, 'criterion="gini"'),
        ({"monotonic_cst": {"a": 1}, "abstain_cost": 0.2}, "abstain_cost"),
        ({"shape": "list", "metric": "f1", "max_depth": 2}, 'metric="f1"'),
    ],
)
def test_refusals(parameters, text):
    X = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": ["u", "v", "u", "v"]})
    with pytest.raises((ValueError, TypeError), match=text.replace("(", r"\(")):
        OptimalTreeClassifier(**parameters).fit(X, [0, 1, 1, 0])


def test_more_refusals(tmp_path):
    X, y = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6]}), [0, 1, 1, 0, 2, 2]
    with pytest.raises(ValueError, match="for two classes, but y has 3"):
        OptimalTreeClassifier(monotonic_cst=[1]).fit(X, y)
    with pytest.raises(ValueError, match="cannot be combined with proof"):
        OptimalTreeRegressor(interaction_cst=[["a"]]).fit(X, y, proof=tmp_path / "p")
    with pytest.raises(ValueError, match='shape="list" has no path of penalties'):
        penalty_path(X, y, estimator=OptimalTreeClassifier(shape="list"))
    model = OptimalTreeClassifier(shape="list").fit(X, y)
    for data in ({}, {"X": X, "y": y}):
        with pytest.raises(ValueError, match='does not know shape="list"'):
            model.near_optimal(0.1, **data)
    assert "monotonic_cst" not in OptimalPolicyTree().get_params()


def test_a_stopped_search_keeps_a_tree_and_a_bound():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(3000, 12)), rng.integers(0, 2, 3000)
    for restricted in (
        {"monotonic_cst": [1, -1, *[0] * 10]},
        {"test_costs": {0: 0.001}},
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = OptimalTreeClassifier(
                0.001, max_depth=6, time_limit=0.05, **restricted
            ).fit(X, y)
        assert not model.optimal_ and model.lower_bound_ < model.objective_
        paid = model.stats_.get("test_cost", 0.0)
        told = np.mean(model.predict(X) != y) + 0.001 * model.n_splits_ + paid
        assert told == pytest.approx(model.objective_)


def test_restrictions_on_the_command_line(tmp_path):
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    table["y"] = np.where(table["a"] > table["b"], "yes", "no")
    table.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "costs.json").write_text(json.dumps({"c": 0.5, "b": [0.1, "g", 0.05]}))
    base = [
        "fit",
        str(tmp_path / "t.csv"),
        "--target",
        "y",
        "--max-depth",
        "2",
        "--json",
    ]
    for options, kept in (
        (["--monotonic", "a,-b"], "monotonic_cst"),
        (["--shape", "list"], 'shape="list"'),
        (["--interactions", "a,b;c"], "interaction_cst"),
        (["--interactions", "pairwise"], "interaction_cst"),
        (["--test-costs", str(tmp_path / "costs.json")], None),
    ):
        done = CliRunner().invoke(app, [*base, *options])
        assert done.exit_code == 0, done.output
        result = json.loads(done.stdout)
        assert result["optimal"]
        assert kept is None or f"that keeps {kept}" in result["certificate"]
    done = CliRunner().invoke(app, [*base, "--test-costs", str(tmp_path / "none.json")])
    assert done.exit_code != 0 and "There is no file" in str(done.exception)
