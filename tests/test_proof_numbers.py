"""Proofs of regressions at the limits of doubles: checkers accept no false one."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from effort import rounds
from small_proofs import Small

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.proof.checker import check
from treeproof.proof.exact import Refuted, check_exactly

OFFSETS = (1e10, 1.7e12, 1e13, 1e14)


@pytest.fixture
def judge(program, tmp_path):
    """Return whether each of the three checkers accepts a proof of a small problem."""

    def verdicts(small, lines):
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        columns = {f"x{f}": cells for f, (_, _, cells) in enumerate(small.columns)}
        first = check(
            io.BytesIO(text), pd.DataFrame(columns), small.target, small.weights
        )
        table = tmp_path / "data.csv"
        table.write_text(small.csv())
        second = subprocess.run(
            [program, "-", table, "--target", "y", "--weight", "w"],
            input=text, capture_output=True,
        )  # fmt: skip
        try:
            check_exactly(text.splitlines(), columns, small.target, small.weights)
            third = True
        except Refuted:
            third = False
        return first.accepted, second.returncode == 0, third

    return verdicts


def numbers(target, weights, loss="squared_error", **settings):
    """Return a problem with one column, of which every cut is a test."""
    cells = [float(k) for k in range(len(target))]
    column = settings.pop("column", ("threshold", [], cells))
    settings = {"split_penalty": 0.01, "max_depth": 1} | settings
    return Small([column], target, weights=weights, loss=loss, **settings)


def loss_of(small, rows, constant=None):
    """Return the least loss on some rows, and the best constant, as fractions."""
    y = {i: Fraction(small.target[i]) for i in rows}
    w = {i: Fraction(small.weights[i]) for i in rows}
    if small.loss == "squared_error":
        mean = sum(w[i] * y[i] for i in rows) / sum(w.values())
        return sum(w[i] * (y[i] - mean) ** 2 for i in rows), mean
    return min((sum(w[i] * abs(y[i] - c) for i in rows), c) for c in y.values())


def stumps(small):
    """Return every tree of at most one split, with its exact and its stated cost."""
    everything = range(len(small.target))
    root, mean = loss_of(small, everything)
    yield root, {"predict": float(mean)}
    for c in range(len(small.tests)):
        parts = small.parts(frozenset(everything), c)
        losses = [loss_of(small, part) for part in parts]
        children = [[v, {"predict": float(m)}] for v, (_, m) in enumerate(losses)]
        cost = sum(loss for loss, _ in losses) + Fraction(small.split_penalty) * root
        yield cost, {"test": c, "children": children}


def claim(small, cost, tree):
    """Return a proof in one step that a tree is optimal."""
    root = float(loss_of(small, range(len(small.target)))[0])
    header = small.header() | {"tree": tree, "upper": cost, "lower": cost}
    header["split_cost"] = header["search_split_cost"] = small.split_penalty * root
    step = {"branch": [], "depth": 1, "bound": cost, "uses": []}
    return [header, step]


CASES = {
    "tiny weights": ([0.0, 0.0, 1.0, 1.0], [1e-163] * 4),
    "a light row far off": ([-1.0, 1.0, -1.0, 1.0, 3e8], [1.0] * 4 + [5e-16]),
    "a lighter row": ([-1.0, 1.0, -1.0, 1.0, 1e9], [1.0] * 4 + [1e-17]),
    "a heavier row": ([-1.0, 1.0, -1.0, 1.0, 1e7], [1.0] * 4 + [1e-12]),
    "24 orders": ([3.0, 0.0, 5.0, 1.0, 9.0], [1.0, 1e-24, 1e-12, 1e-6, 1e-18]),
    "one heavy row": ([0.0, 5.0, 1.0, 9.0], [1e-10, 1e-12, 1e9, 1e-10]),
    "a large offset": ([1e14, 1e14 + 1, 1e14 + 3, 1e14, 1e14 + 7], [1.0] * 5),
}  # fmt: skip


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("case", CASES)
def test_only_the_best_tree_is_believed(judge, case, loss):
    target, weights = CASES[case]
    small = numbers(target, weights, loss)
    trees = list(stumps(small))
    root, best = trees[0][0], min(cost for cost, _ in trees)
    for cost, tree in trees:
        verdicts = judge(small, claim(small, float(cost), tree))
        if cost > best + 3 * root / 10**9:
            assert verdicts == (False, False, False), (cost, best)
        if cost == best:
            assert verdicts == (True, True, True)


@pytest.mark.parametrize("target", [
    [1e200, -1e200, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1e-170, 1e-170],
    [1e308, -1e308, 0.0],
])  # fmt: skip
def test_losses_beyond_doubles_are_refused(judge, tmp_path, target):
    """A tolerance that is infinite or NaN would let every claim pass."""
    small = numbers(target, [1.0] * len(target))
    for cost in (0.0, 1.0, 1e300):
        header = numbers([0.0] * len(target), [1.0] * len(target)).header()
        header |= {"fingerprint": small.fingerprint(), "upper": cost, "lower": cost}
        step = {"branch": [], "depth": 1, "bound": cost, "uses": []}
        assert judge(small, [header, step])[:2] == (False, False)
    X = np.arange(len(target), dtype=float)[:, None]
    with pytest.raises(ValueError, match="beyond what a proof can state"):
        OptimalTreeRegressor().fit(X, target, proof=tmp_path / "p")
    OptimalTreeRegressor().fit(X, target)  # without a proof, the fit gives an answer


def test_losses_at_the_edge_of_doubles_are_refused(tmp_path):
    """Checkers round a loss of 1.0000000000000002e-300 down, to one they refuse."""
    reg = OptimalTreeRegressor(criterion="absolute_error", max_depth=1)
    with pytest.raises(ValueError, match="beyond what a proof can state"):
        reg.fit([[2.0], [1.0]], [2e-300, 3e-300], proof=tmp_path / "p")
    reg.fit([[2.0], [1.0]], [2e-300, 5e-300], proof=tmp_path / "p")
    assert check(tmp_path / "p", [[2.0], [1.0]], [2e-300, 5e-300]).optimal


def test_categories_without_rows_add_nothing(judge):
    """Tolerances for very many children without rows would add up."""
    n = 20_000
    values = [str(k) for k in range(n)]
    cells = ["0", "0", "1", "1"]
    small = numbers([0.0, 1.0, 0.4, 1.4], [1.0] * 4, column=("multiway", values, cells))
    leaf = loss_of(small, range(4))[0]
    truth = sum(loss_of(small, part)[0] for part in ((0, 1), (2, 3)))
    truth += Fraction(small.split_penalty) * leaf
    lie = float(truth + leaf * n / 2 / 10**9)
    small.split_penalty = 0.01
    tolerance = 0.99e-9 * float(leaf)
    claims = [[[0.5]], [[0.5]], *([[tolerance]] for _ in values[2:])]
    header = small.header() | {"upper": float(truth), "lower": float(truth)}
    step = {"branch": [], "depth": 1, "bound": lie, "uses": [[0, *claims]]}
    assert judge(small, [header, step]) == (False, False, False)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("offset", OFFSETS)
def test_our_proofs_of_large_offsets(judge, tmp_path, program, offset, criterion):
    """With timestamps in milliseconds, all checkers accept our proofs."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (24, 2)).astype(float)
    y = (
        offset
        + np.round(rng.normal(0, 3, 24) + X[:, 0])
        + (0.25 if offset < 1e13 else 0)
    )
    path = tmp_path / "p.gz"
    reg = OptimalTreeRegressor(max_depth=2, split_penalty=0.02, criterion=criterion)
    reg.fit(X, y, proof=path)
    assert reg.status_ == "optimal" and check(path, X, y).optimal
    lines = gzip.decompress(path.read_bytes())
    columns = {"x0": X[:, 0].tolist(), "x1": X[:, 1].tolist()}
    assert check_exactly(lines.splitlines(), columns, y.tolist())
    table = tmp_path / "t.csv"
    pd.DataFrame(columns | {"y": y}).to_csv(table, index=False)
    done = subprocess.run([program, "-", table, "--target", "y"], input=lines,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 0 and b"optimal" in done.stdout, done.stdout


def test_near_ties_at_large_offsets():
    """Among stumps of nearly equal loss the best is found, whatever the offset."""
    for seed in range(rounds(120, 1000)):
        rng = np.random.default_rng(seed)
        n = 7
        target = (1e14 + rng.integers(0, 4, n)).tolist()
        if len(set(target)) == 1:
            continue
        small = numbers(target, [1.0] * n, split_penalty=0.0)
        best = min(cost for cost, _ in stumps(small))
        root = loss_of(small, range(n))[0]
        reg = OptimalTreeRegressor(max_depth=1, split_penalty=0.0)
        reg.fit(np.arange(n, dtype=float)[:, None], target)
        assert reg.status_ == "optimal"
        assert abs(Fraction(reg.objective_) - best / root) < Fraction(1, 10**9)
        tree = reg.tree_
        if tree.n_splits:
            leaves = reg.apply(np.arange(n, dtype=float)[:, None])
            parts = [np.flatnonzero(leaves == k).tolist() for k in set(leaves.tolist())]
            cost = sum(loss_of(small, part)[0] for part in parts)
            assert (cost - best) / root < Fraction(1, 10**9)


def test_weights_too_different_for_doubles_are_refused():
    X = [[0.0], [1.0], [2.0], [3.0]]
    reg = OptimalTreeRegressor(
        criterion="absolute_error",
        min_samples_leaf=2,
        max_depth=1,
        split_penalty=0.1119,
    )
    for y in ([0.0, 5.0, 1.0, 9.0], [3.0, 1.0, 7.0, 2.0]):
        with pytest.raises(ValueError, match="too light for double precision"):
            reg.fit(X, y, sample_weight=[1e-10, 1e-12, 1e9, 1e-10])
    reg.fit(X, [0.0, 5.0, 1.0, 9.0], sample_weight=[1.0, 1e-3, 1e3, 1.0])
    assert reg.objective_ <= 1.0


def test_no_weight_rounds_to_nothing(judge, tmp_path):
    """A row of tiny weight is a row: it is counted, tested and part of the proof."""
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, np.nan], "b": [1.0, 2.0, 1.0, 2.0]})
    weights = [1e12, 1e12, 3.0, 1e-11]
    for missing in ("branch", "best-side"):
        path = tmp_path / "p"
        clf = OptimalTreeClassifier(missing=missing, split_penalty=0.0, max_depth=2)
        clf.fit(X, ["u", "v", "u", "v"], sample_weight=weights, proof=path)
        assert len(clf.predict(X)) == 4
        verdict = check(path, X, ["u", "v", "u", "v"], weights)
        assert verdict.optimal, verdict
    clf = OptimalTreeClassifier(first_split="a", max_depth=2, split_penalty=0.0)
    clf.fit(X.fillna(5), ["u", "v", "u", "v"], sample_weight=weights)
    assert clf.objective_ == 0.0


@pytest.mark.parametrize("model", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_the_only_row_with_a_missing_value_is_very_light(model):
    """Its branch exists in the tree, although 1e-11 of 1e12 rounds to nothing."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan]])
    y, weights = [0, 1, 0, 1, 1], [2.5e11] * 4 + [1e-11]
    fitted = model(missing="branch", split_penalty=0.01, max_depth=3)
    fitted.fit(X, y, sample_weight=weights)
    assert fitted.optimal_ and fitted.objective_ == pytest.approx(0.04)
    assert fitted.predict(X).tolist() == y


@pytest.mark.parametrize("weights", [[5e-324] * 4, [1e-300, 1e-310, 1e-300, 1e-305]])
def test_weights_near_the_least_double(tmp_path, weights):
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]
    OptimalTreeClassifier().fit(X, y, sample_weight=weights, proof=tmp_path / "p")
    assert check(tmp_path / "p", X, y, weights).optimal


def test_weights_that_add_up_to_infinity():
    with pytest.raises(ValueError, match="sum of sample_weight is beyond"):
        OptimalTreeClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[1e308] * 2)
    with pytest.raises(ValueError, match="add up to more than"):
        OptimalTreeClassifier(class_weight={0: 1e300}).fit(
            [[0.0], [1.0]], [0, 1], sample_weight=[1e100] * 2
        )
