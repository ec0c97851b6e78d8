"""A given top, some of the columns, and a tolerance: for treatments and lifetimes."""

import math

import numpy as np
import pytest
from brute_prefix import Brute
from effort import rounds
from test_prefix import check, columns_of, drawn, keeps_to
from test_survival import exposures, leaf_loss, outcome

from treeproof.policy import OptimalDRPolicyTree, OptimalPolicyTree
from treeproof.proof import check as check_proof
from treeproof.survival import OptimalSurvivalTree

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def random_limits(rng, top):
    """Limits of a tree with a given top, and the columns that it may test."""
    allowed = [None, None, [0, 2, 3]][int(rng.integers(0, 3))]
    limits = {
        "max_depth": int(rng.choice([2, 3])),
        "max_splits": rng.choice(np.array([None, 2, 3, 4], dtype=object)),
        "allowed_features": allowed,
        "prefix": top,
    }
    return limits, None if allowed is None else frozenset(allowed)


def least(brute, limits, free, n_rows):
    top, allowed = limits["prefix"], limits["allowed_features"]
    if allowed is not None and not keeps_to(top, allowed):
        return math.inf
    return brute.best(
        top, range(n_rows), limits["max_depth"], limits["max_splits"], free
    )


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("block", range(rounds(3, 100)))
def test_treatments_equal_brute_force(block, gaps):
    rng = np.random.default_rng([block, gaps, 5])
    possible = 0
    for _ in range(12):
        X, top = drawn(rng, gaps)
        n = len(X)
        rewards = rng.integers(-5, 6, (n, int(rng.choice([2, 3])))).astype(float)
        if rng.random() < 0.5:
            rewards += rng.normal(size=rewards.shape)
        weights = rng.integers(1, 4, n).astype(float)

        def loss(rows, rewards=rewards, weights=weights):
            rows = list(rows)
            return -float((weights[rows] @ rewards[rows]).max()) / weights.sum()

        penalty = float(rng.choice([0.0, 0.1, 1.0]))
        limits, free = random_limits(rng, top)
        cost = least(Brute(columns_of(X), loss, penalty), limits, free, n)
        model = OptimalPolicyTree(penalty, time_limit=None, **limits)
        possible += check(model, cost, X, rewards, weights, tolerance=1e-6)
    assert possible >= 1


@pytest.mark.parametrize("block", range(rounds(3, 100)))
def test_lifetimes_equal_brute_force(block):
    rng = np.random.default_rng([block, 6])
    possible = 0
    for _ in range(8):
        X, top = drawn(rng, gaps=bool(rng.random() < 0.5))
        n = len(X)
        time = rng.integers(1, 7, n)
        event = rng.random(n) < 0.7
        time[0], event[0] = 1, True  # all others are at risk at this time
        y = outcome(event, time)
        weights = rng.integers(1, 4, n).astype(float)
        d, e = exposures(y, np.full(n, -np.inf), weights)

        def raw(rows, d=d, e=e, weights=weights):
            rows = list(rows)
            return leaf_loss(d[rows], e[rows], weights[rows])

        whole = raw(range(n))
        if whole < 1e-6:
            continue
        limits, free = random_limits(rng, top)
        brute = Brute(columns_of(X), lambda rows, w=whole: raw(rows) / w, 0.03)
        cost = least(brute, limits, free, n)
        model = OptimalSurvivalTree(0.03, time_limit=None, **limits)
        possible += check_lifetimes(model, cost, X, y, weights)
    assert possible >= 1


def check_lifetimes(model, cost, X, y, weights):
    if math.isinf(cost):
        with pytest.raises(ValueError, match=r"prefix|No tree that begins"):
            model.fit(X, y, sample_weight=weights)
        return False
    model.fit(X, y, sample_weight=weights)
    assert model.optimal_
    assert model.objective_ == pytest.approx(cost, abs=1e-8)
    return True


def noisy_rewards(n=200):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 4))
    return X, rng.normal(size=(n, 3)) + 2 * np.sign(X[:, :3] * X[:, 1:4])


def test_a_tolerance_for_treatments():
    X, rewards = noisy_rewards()
    exact = OptimalPolicyTree(0.01, max_depth=3).fit(X, rewards)
    for tolerance in (0.05, 0.3):
        near = OptimalPolicyTree(0.01, max_depth=3, tolerance=tolerance)
        near.fit(X, rewards)
        assert near.lower_bound_ <= exact.objective_ <= near.objective_ + 1e-9
        assert near.gap_ <= tolerance + 1e-9
    assert near.status_ in ("tolerance", "optimal")
    with pytest.raises(ValueError, match="a mean reward may be 0 or below"):
        OptimalPolicyTree(tolerance="5%").fit(X, rewards)


def test_a_tolerance_for_lifetimes():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(150, 3))
    y = outcome(rng.random(150) < 0.8, np.ceil(9 * rng.exponential(size=150)))
    exact = OptimalSurvivalTree(max_depth=3).fit(X, y)
    near = OptimalSurvivalTree(max_depth=3, tolerance="40%").fit(X, y)
    assert near.lower_bound_ <= exact.objective_ <= near.objective_ + 1e-9
    assert near.gap_ <= 0.4 * near.objective_


@pytest.mark.parametrize(
    "given",
    [{"prefix": {"feature": 1}}, {"allowed_features": [0, 2]}, {"first_split": 0}],
)
def test_proofs_of_rewards_with_a_given_top(tmp_path, given):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 3)).astype(float)
    rewards = rng.normal(size=(40, 3))
    model = OptimalPolicyTree(0.05, max_depth=2, **given)
    model.fit(X, rewards, proof=tmp_path / "proof.gz")
    for checker in ("c++", "python"):
        verdict = check_proof(
            tmp_path / "proof.gz", X, None, costs=rewards, checker=checker
        )
        assert verdict.accepted, verdict.reason
        assert verdict.objective == pytest.approx(model.objective_, abs=1e-6)
    worse = rewards.copy()
    worse[0] = worse[0, ::-1]
    assert not check_proof(tmp_path / "proof.gz", X, None, costs=worse).accepted


def test_policies_keep_checkpoints(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (80, 6)).astype(float)
    rewards = rng.normal(size=(80, 2))
    alone = OptimalPolicyTree(0.01, max_depth=3, solver="sparse").fit(X, rewards)
    kept = OptimalPolicyTree(0.01, max_depth=3, solver="sparse")
    kept.fit(X, rewards, checkpoint=tmp_path / "checkpoint")
    assert kept.objective_ == alone.objective_
    assert not (tmp_path / "checkpoint").exists()  # the fit ended with a proof


def test_estimated_rewards_with_some_columns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    T = rng.integers(0, 2, 200)
    Y = np.where(T == 1, X[:, 0], 0.0)
    model = OptimalDRPolicyTree(
        max_depth=1, allowed_features=[1, 2], tolerance=0.0, random_state=0
    ).fit(Y, T, X=X)
    assert model.tree_.feature[0] in (1, 2)
    begins = {"prefix": {"feature": 2}, "allowed_features": None, "max_depth": 2}
    model.set_params(**begins).fit(Y, T, X=X)
    assert model.tree_.feature[0] == 2
