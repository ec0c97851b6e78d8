"""Claims that all trees within a margin are counted, and their checker."""

import gzip
import json
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from effort import rounds

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.proof import check_all_trees
from treeproof.proof.header import Header
from treeproof.proof.problem import Problem
from treeproof.proof.tree_counts import Bounds, Family

KINDS = ("numbers", "categories", "gaps", "weights", "costs", "three", "ordered")


def drawn(seed):
    """A classifier of some kind with its table, and what `fit` and `check` need."""
    rng = np.random.default_rng([51, seed])
    kind = KINDS[seed % len(KINDS)]
    n = int(rng.integers(12, 40))
    X = pd.DataFrame({"a": rng.integers(0, 4, n), "b": rng.random(n).round(1)})
    more, fit = {}, {}
    if kind in ("categories", "gaps"):
        X["c"] = rng.choice(["x", "y", "z"], n)
        more["categorical_split"] = str(
            rng.choice(["one-vs-rest", "multiway", "auto", "subset"])
        )
    if kind == "gaps":
        X["b"] = X["b"].where(rng.random(n) < 0.8)
        more["missing"] = str(rng.choice(["best-side", "branch"]))
    if kind == "ordered":
        sizes = rng.choice(["low", "mid", "high"], n)
        X["c"] = pd.Categorical(sizes, ["low", "mid", "high"], ordered=True)
    y = rng.integers(0, 3 if kind == "three" else 2, n)
    if kind == "weights":
        fit["sample_weight"] = rng.random(n).round(2) + 0.1
        more["class_weight"] = "balanced"
    if kind == "costs":
        fit["costs"] = rng.integers(0, 5, (n, 2)).astype(float)
    depth = rng.choice([1, 2, 3, None])
    clf = OptimalTreeClassifier(
        float(rng.choice([0.02, 0.05])),
        max_depth=None if depth is None else int(depth),
        max_splits=int(rng.integers(1, 4)) if rng.random() < 0.2 else None,
        min_samples_leaf=int(rng.choice([1, 1, 2])),
        penalize=str(rng.choice(["splits", "leaves"])),
        **more,
    ).fit(X, y, **fit)
    trees = clf.near_optimal(float(rng.choice([0.0, 0.02, 0.05])))
    return rng, X, y, fit, clf, trees


def written(trees, folder):
    path = folder / "trees.proof.gz"
    trees.write_proof(path)
    return gzip.decompress(path.read_bytes()).splitlines()


def checked(lines, X, y, fit):
    return check_all_trees(BytesIO(b"\n".join(lines) + b"\n"), X, y, **fit)


# In the last cases, bounds were once listed in another order than they were written.
@pytest.mark.parametrize("seed", [*range(rounds(28, 1000)), 264, 332, 877])
def test_complete_sets_are_accepted(seed, tmp_path):
    _, X, y, fit, clf, trees = drawn(seed)
    lines = written(trees, tmp_path)
    verdict = checked(lines, X, y, fit)
    assert verdict.accepted, verdict.reason
    assert verdict.count == trees.count
    assert verdict.objective == pytest.approx(clf.objective_)
    # Without any bound the count takes longer and has the same result.
    assert checked(lines[:2], X, y, fit).count == trees.count


def tampered(rng, lines):
    """One change of a file: of its claim, of the problem, or of a bound."""
    out = [json.loads(line) for line in lines]
    kind = int(rng.integers(0, 14))
    bounds = range(2, len(out))
    if kind == 0:
        out[0]["budget"] += int(rng.choice([-1, 1])) * int(rng.integers(1, 2**22))
    elif kind == 1:
        entry = out[0]["by_cost"][int(rng.integers(len(out[0]["by_cost"])))]
        entry[1] += int(rng.choice([-1, 1, 7]))
    elif kind == 2:
        out[0]["by_cost"].pop(int(rng.integers(len(out[0]["by_cost"]))))
    elif kind == 3:
        out[0]["by_cost"].append([out[0]["budget"], 1])
    elif kind == 4:
        out[1]["split_penalty"] *= float(rng.choice([0.5, 2.0]))
    elif kind == 5:
        out[1]["max_depth"] = 1 if out[1]["max_depth"] != 1 else 2
    elif kind == 6:
        out[1]["min_samples_leaf"] += int(rng.integers(1, 3))
    elif kind == 7:
        out[1]["upper"] += int(rng.choice([-1, 1]))
    elif kind == 8 and bounds:
        out[int(rng.choice(bounds))]["bound"] += int(rng.integers(1, 2**22))
    elif kind == 9 and bounds:  # a bound for trees of another depth
        out[int(rng.choice(bounds))]["depth"] = int(rng.integers(0, 4))
    elif kind == 10 and len(bounds) > 1:  # the bound of other rows
        one, two = (out[int(k)] for k in rng.choice(bounds, 2, replace=False))
        one["rows"], two["rows"] = two["rows"], one["rows"]
    elif kind == 11:  # as many trees as before, of other costs
        one, two = (int(k) for k in rng.integers(len(out[0]["by_cost"]), size=2))
        out[0]["by_cost"][one][1] -= 1
        out[0]["by_cost"][two][1] += 1
    elif kind == 12:
        own = out[1]["penalize"]
        out[1]["penalize"] = "leaves" if own == "splits" else "splits"
    else:  # costs that no tree has
        out[0]["by_cost"][-1][0] += int(rng.choice([-1, 1])) * 2**20
    return [json.dumps(each).encode() for each in out], out


@pytest.mark.parametrize("seed", range(rounds(100, 2000)))
def test_no_false_claim_is_accepted(seed, tmp_path):
    rng, X, y, fit, _, trees = drawn(seed)
    lines = written(trees, tmp_path)
    for _ in range(4):
        changed, out = tampered(rng, lines)
        verdict = checked(changed, X, y, fit)
        if not verdict.accepted:
            assert verdict.reason
            continue
        # What is accepted must be true: the trees are counted again without any bound.
        header = Header(changed[1])
        args = fit.get("sample_weight"), fit.get("costs")
        problem = Problem(header, X, y, *args)
        found = Family(problem, Bounds(problem), out[0]["budget"]).by_cost()
        assert [list(pair) for pair in found] == out[0]["by_cost"]


def test_claims_that_are_false_are_rejected(tmp_path):
    """Three hundred changes of what is claimed, none of which is true."""
    rng = np.random.default_rng(7)
    X, y = rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60)
    trees = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y).near_optimal(0.03)
    lines = written(trees, tmp_path)
    assert checked(lines, X, y, {}).accepted
    claim = json.loads(lines[0])
    for _ in range(300):
        false = json.loads(lines[0])
        k = int(rng.integers(len(false["by_cost"])))
        what = int(rng.integers(4))
        if what == 0:
            false["by_cost"][k][1] += int(rng.integers(1, 5))
        elif what == 1 and false["by_cost"][k][1] > 1:
            false["by_cost"][k][1] -= 1
        elif what == 2:
            false["by_cost"][k][0] += int(rng.integers(1, 100))
        else:
            false["by_cost"].pop(k)
        assert false != claim
        verdict = checked([json.dumps(false).encode(), *lines[1:]], X, y, {})
        assert not verdict.accepted and verdict.reason


def test_bounds_that_do_not_hold_are_rejected(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (80, 5)), rng.integers(0, 2, 80)
    trees = OptimalTreeClassifier(0.02, max_depth=3).fit(X, y).near_optimal(0.01)
    lines = written(trees, tmp_path)
    assert len(lines) > 10, "bounds must be used"
    high = [json.loads(line) for line in lines]
    for line in high[2:]:
        line["bound"] += 40 * 2**20
    verdict = checked([json.dumps(each).encode() for each in high], X, y, {})
    assert not verdict.accepted
    assert "bound" in verdict.reason or "cost" in verdict.reason
    assert "rejected" in str(verdict)


def test_other_data_are_rejected(tmp_path):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, (40, 3)), rng.integers(0, 2, 40)
    trees = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y).near_optimal(0.01)
    lines = written(trees, tmp_path)
    verdict = checked(lines, X, 1 - y, {})
    assert not verdict.accepted and "fingerprint" in verdict.reason
    assert not checked(lines[1:], X, y, {}).accepted
    assert "none is missing" in str(checked(lines, X, y, {}))
    for key, value in (("shape", "list"), ("prices", None), ("metric", "f1")):
        header = json.loads(lines[1]) | {key: value}
        changed = [lines[0], json.dumps(header).encode(), *lines[2:]]
        assert not checked(changed, X, y, {}).accepted
    header = json.loads(lines[1])
    header["features"][0]["monotone"] = 1
    changed = [lines[0], json.dumps(header).encode(), *lines[2:]]
    assert "not known here" in checked(changed, X, y, {}).reason
    header = json.loads(lines[1]) | {"max_splits": 9}
    header["search_split_cost"] += 1
    changed = [lines[0], json.dumps(header).encode(), *lines[2:]]
    assert "search_split_cost differs" in checked(changed, X, y, {}).reason


def test_what_cannot_be_proved_is_refused(tmp_path):
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 3, (40, 3)), rng.integers(0, 2, 40)
    path = tmp_path / "trees.proof.gz"
    clf = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y)
    for trees, why in (
        (clf.near_optimal(0.01, limit=1), "not all trees"),
        (clf.near_optimal(0.01, distinct="predictions"), "one by one"),
        (clf.near_optimal(0.01, without="x0"), "using and without"),
        (OptimalTreeClassifier(0.02, max_depth=2, quantiles=2).fit(X, y)
         .near_optimal(0.01), "quantiles join values"),
        (OptimalTreeRegressor(0.1, max_depth=1).fit(X, y * 1.0).near_optimal(0.1),
         "real numbers"),
        (OptimalTreeClassifier(0.02, max_depth=2, first_split=0).fit(X, y)
         .near_optimal(0.01), "first_split"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            trees.write_proof(path)
    assert not path.exists()


def test_the_command_checks_it_too(tmp_path):
    from typer.testing import CliRunner

    from treeproof.cli import app

    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.integers(0, 3, (40, 3)), columns=["a", "b", "c"])
    y = rng.integers(0, 2, 40)
    trees = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y).near_optimal(0.01)
    lines = written(trees, tmp_path)
    X.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    arguments = ["check", str(tmp_path / "trees.proof.gz"), str(tmp_path / "data.csv")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "none is missing" in done.output
    claim = json.loads(lines[0])
    claim["by_cost"][0][1] += 1
    false = b"\n".join([json.dumps(claim).encode(), *lines[1:]]) + b"\n"
    (tmp_path / "trees.proof.gz").write_bytes(gzip.compress(false))
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1 and "rejected" in done.output
