"""Policy trees: known answers, brute force, estimated rewards, and what is refused."""

import gzip
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from effort import rounds
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.utils.estimator_checks import parametrize_with_checks
from table_oracle import random_problem
from test_costs import SOLVERS, brute_force, check_tree, random_options

from treeproof import from_json
from treeproof.policy import OptimalDRPolicyTree, OptimalPolicyTree
from treeproof.proof.checker import check
from treeproof.words import number

WARFARIN = Path(__file__).parents[2] / "shared" / "data" / "tasks" / "warfarin.csv.gz"
BLOCKS = 10


# ------------------------------------------------------------------ known answers

KNOWN = {
    ("direct", 2): 3058.63,
    ("inverse_propensity", 2): 2871.5248,
    ("doubly_robust", 2): 3046.2783,
    ("direct", 3): 3104.93,
    ("inverse_propensity", 3): 2951.2772,
    ("doubly_robust", 3): 3095.3228,
}


@pytest.mark.skipif(not WARFARIN.exists(), reason="needs the warfarin data")
@pytest.mark.parametrize(("method", "depth"), list(KNOWN))
def test_warfarin(method, depth):
    with gzip.open(WARFARIN) as file:
        table = pd.read_csv(file)
    rows, given = np.arange(len(table)), table["treatment"].to_numpy()
    expected = table[["yhat0", "yhat1", "yhat2"]].to_numpy()
    rewards = np.zeros_like(expected) if method == "inverse_propensity" else expected
    rewards = rewards.copy()
    if method != "direct":
        surprise = table["outcome"].to_numpy() - rewards[rows, given]
        rewards[rows, given] += surprise / table["propensity"].to_numpy()
    model = OptimalPolicyTree(max_depth=depth).fit(table.filter(regex="^f"), rewards)
    assert model.optimal_
    assert model.policy_value_ * len(table) == pytest.approx(
        KNOWN[method, depth], abs=1e-4
    )


def test_the_best_stump_is_found_by_trying_all():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    rewards = random.normal(size=(60, 3))
    model = OptimalPolicyTree(max_depth=1).fit(X, rewards)
    best = rewards.sum(axis=0).max()
    for column in X.T:
        for cut in column:
            left = column <= cut
            parts = rewards[left].sum(axis=0).max(), rewards[~left].sum(axis=0).max()
            best = max(best, sum(parts))
    assert model.policy_value_ == pytest.approx(best / 60)
    assert model.objective_ == -model.policy_value_


@pytest.mark.parametrize("block", range(BLOCKS))
def test_rewards_equal_brute_force(block):
    for seed in range(block, rounds(200, 6_000), BLOCKS):
        problem, random = random_problem(seed), np.random.default_rng(60_000 + seed)
        n, k = len(problem.labels), int(random.integers(2, 5))
        rewards = random.integers(-5, 6, (n, k)).astype(float)
        if random.random() < 0.5:
            rewards += random.normal(size=(n, k))
        flat = random.random(n) < random.choice([0.0, 0.5])
        rewards[flat] = rewards[flat][:, :1]
        options = random_options(random)
        solver = SOLVERS[seed % len(SOLVERS)]
        if solver == "threshold":
            options["max_splits"] = None
        model = OptimalPolicyTree(
            missing=problem.missing,
            categorical_split=problem.categorical_split,
            solver=solver,
            **options,
        ).fit(problem.frame, rewards, problem.weights)
        weights = problem.weights.astype(float)
        expected = brute_force(problem.for_classes(), -rewards, weights, options)
        assert model.optimal_, seed
        assert model.objective_ == pytest.approx(expected, abs=1e-6), seed
        check_tree(model, problem.frame, -rewards, weights, options)
        chosen = model.predict(problem.frame)
        value = weights @ rewards[np.arange(n), chosen] / weights.sum()
        assert model.policy_value_ == pytest.approx(value)


# ------------------------------------------------------------------- what it says


def study(n=400, seed=0):
    """A study in which the pill helps from 50 on, and harms below."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": random.integers(20, 80, n),
            "sex": random.choice(["f", "m"], n),
            "dose": np.where(random.random(n) < 0.1, np.nan, random.random(n)),
        }
    )
    pill = random.random(n) < np.where(X["sex"] == "m", 0.7, 0.3)
    T = np.where(pill, "pill", "none")
    Y = np.where(pill, np.where(X["age"] > 50, 1.0, -1.0), 0.0)
    return Y + random.normal(0, 0.1, n), T, X


def rewards_of(X):
    better = np.where(X["age"] > 50, 1.0, -1.0)
    return pd.DataFrame({"none": np.zeros(len(X)), "pill": better})


def test_treatments_have_the_names_of_the_columns():
    _, _, X = study()
    rewards = rewards_of(X)
    named = OptimalPolicyTree(max_depth=1).fit(X, rewards)
    assert set(named.predict(X)) == {"none", "pill"}
    assert named.treatments_.tolist() == ["none", "pill"]
    again = OptimalPolicyTree(max_depth=1).fit(X, pl.DataFrame(rewards.to_dict("list")))
    assert again.tree_ == named.tree_
    numbers = OptimalPolicyTree(max_depth=1).fit(X, rewards.to_numpy())
    assert numbers.predict(X).dtype.kind == "i"
    assert ((numbers.predict(X) == 1) == (named.predict(X) == "pill")).all()
    share = named.predict_proba(X)
    assert (share.argmax(axis=1) == numbers.predict(X)).all()


def test_values_are_means_of_rewards():
    _, _, X = study()
    rewards = rewards_of(X).to_numpy() + np.arange(len(X))[:, None] / 100
    weights = np.arange(len(X)) % 3 + 0.5
    model = OptimalPolicyTree(max_depth=2).fit(X, rewards, weights)
    value = model.predict_value(X)
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        inside = leaves == leaf
        mean = np.average(rewards[inside], axis=0, weights=weights[inside])
        assert value[inside] == pytest.approx(np.tile(mean, (inside.sum(), 1)))
    always = np.average(rewards, axis=0, weights=weights)
    assert model.always_treat_value_ == pytest.approx(always)
    assert (model.always_treat_value_ <= model.policy_value_ + 1e-12).all()


def test_certificate_speaks_of_rewards():
    _, _, X = study()
    model = OptimalPolicyTree(max_depth=1).fit(X, rewards_of(X))
    value = f"{model.policy_value_:.6g}"
    said = f"no tree of depth 1 or less has a higher mean reward than {value}"
    assert said in model.certificate()
    penalised = OptimalPolicyTree(0.01, max_depth=1).fit(X, rewards_of(X))
    assert "a higher mean reward after penalties than" in penalised.certificate()
    paid = penalised.policy_value_ - 0.01 * penalised.n_splits_
    assert f"than {paid:.6g}" in penalised.certificate()
    assert penalised.objective_ == pytest.approx(-paid)


def test_a_stopped_search_says_what_is_left():
    random = np.random.default_rng(0)
    X, rewards = random.normal(size=(3000, 12)), random.normal(size=(3000, 3))
    model = OptimalPolicyTree(max_depth=4, time_limit=0.3)
    with pytest.warns(Warning, match="mean reward") as told:
        model.fit(X, rewards)
    assert "none above" in str(told[0].message)
    assert -model.lower_bound_ > model.policy_value_


def test_pictures_show_every_treatment():
    _, _, X = study()
    model = OptimalPolicyTree(max_depth=1).fit(X, rewards_of(X))
    assert f"mean reward {model.policy_value_:.6g}. Optimal" in model._repr_html_()
    text = model.export_text()
    assert "none" in text and "pill" in text and "mean reward" in text
    for leaf in np.flatnonzero(model.tree_.kind == 0):
        for k, name in enumerate(["none", "pill"]):
            if model.tree_.action[leaf] != k:
                shown = f"{name}: {number(model.tree_.value[leaf][k], 4)}"
                assert shown in text
                assert shown in model.to_svg()
                assert shown in model.to_dot()
                assert shown in model.to_svg(orientation="right")
    rules = model.to_rules()
    assert {rule.prediction for rule in rules} == {"none", "pill"}
    assert all(set(rule.rewards) == {"none", "pill"} for rule in rules)
    assert "mean reward" in str(rules[0])


@pytest.mark.parametrize("estimated", [False, True])
def test_saved_and_copied(estimated):
    Y, T, X = study()
    if estimated:
        model = OptimalDRPolicyTree(
            model_regression=LinearRegression(),
            model_propensity=DummyClassifier(),
            cv=GroupKFold(2),
            missing="error",
            random_state=0,
        ).fit(Y, T, X=X[["age", "sex"]], groups=np.arange(len(Y)) % 4)
    else:
        model = OptimalPolicyTree(max_depth=1).fit(X, rewards_of(X))
    seen = X[list(model.feature_names_in_)]
    for again in (pickle.loads(pickle.dumps(model)), from_json(model.to_json())):
        assert type(again) is type(model)
        assert (again.predict(seen) == model.predict(seen)).all()
        assert np.array_equal(again.predict_value(seen), model.predict_value(seen))
        assert again.certificate() == model.certificate()
        assert again.policy_value_ == model.policy_value_
        assert again.always_treat_value_.tolist() == model.always_treat_value_.tolist()
    assert clone(model).get_params().keys() == model.get_params().keys()


def test_a_proof_of_a_policy(tmp_path):
    random = np.random.default_rng(0)
    X, rewards = random.normal(size=(50, 3)), random.normal(size=(50, 3))
    file = tmp_path / "policy.proof.gz"
    OptimalPolicyTree(max_depth=2).fit(X, rewards, proof=file)
    assert check(file, X, rewards).accepted
    assert not check(file, X, rewards + np.eye(50, 3)).accepted


def test_the_best_trees():
    X = study()[2][["age", "sex"]]
    model = OptimalPolicyTree(max_depth=1, n_best=3).fit(X, rewards_of(X))
    values = [tree.model.policy_value_ for tree in model.trees_]
    assert len(values) == 3 and values == sorted(values, reverse=True)
    near = model.near_optimal(2.0)
    assert near.count > 3


def test_tables_that_are_not_in_memory(tmp_path):
    _, _, X = study()
    table = X.assign(**{f"reward {n}": v for n, v in rewards_of(X).items()})
    table.to_parquet(tmp_path / "study.parquet")
    names = ["reward none", "reward pill"]
    model = OptimalPolicyTree(max_depth=1).fit(str(tmp_path / "study.parquet"), names)
    plain = OptimalPolicyTree(max_depth=1).fit(X, rewards_of(X))
    assert model.policy_value_ == pytest.approx(plain.policy_value_)
    assert model.treatments_.tolist() == names


# --------------------------------------------------------------- estimated rewards


@pytest.mark.parametrize("method", ["doubly_robust", "inverse_propensity", "direct"])
def test_the_right_policy_is_learnt(method):
    Y, T, X = study(1500)
    model = OptimalDRPolicyTree(method=method, max_depth=1, random_state=0)
    model.fit(Y, T, X=X, W=X[["dose"]].rename(columns={"dose": "w"}))
    wanted = np.where(X["age"] > 50, "pill", "none")
    assert (model.predict(X) == wanted).mean() > 0.95
    value = model.predict_value(X)
    assert value.shape == (len(X), 1)
    assert ((value[:, 0] > 0) == (model.predict(X) == "pill")).all()
    assert hasattr(model, "propensities_") == (method != "direct")
    assert model.rewards_.shape == (len(X), 2)
    assert model.policy_treatment_names() == ["none", "pill"]
    assert model.policy_feature_names() == list(X)


def test_doubly_robust_scores_are_right_if_one_model_is():
    Y, T, X = study(4000)
    pill = T == "pill"
    propensity = np.where(X["sex"] == "m", 0.7, 0.3)
    truth = np.where(X["age"] > 50, 1.0, -1.0).mean()

    class Known(DummyClassifier):
        def predict_proba(self, features):
            male = features[:, 1]
            p = np.where(male == 1, 0.7, 0.3)
            return np.column_stack([1 - p, p])

    model = OptimalDRPolicyTree(
        model_regression=DummyRegressor(), model_propensity=Known(), random_state=0
    ).fit(Y, T, X=X)
    assert model.always_treat_value_[1] == pytest.approx(truth, abs=0.1)
    naive = Y[pill].mean()
    assert propensity.mean() == pytest.approx(0.5, abs=0.05)
    assert np.isfinite(naive)


MODELS = {
    "model_regression": LinearRegression(),
    "model_propensity": DummyClassifier(),
    "random_state": 1,
}


def test_order_of_categories_and_rounds_of_models():
    Y, T, X = study()
    model = OptimalDRPolicyTree(
        categories=["pill", "none"], mc_iters=3, mc_agg="median", cv=3, **MODELS
    ).fit(Y, T, X=X[["age"]])
    assert model.treatments_.tolist() == ["pill", "none"]
    other = OptimalDRPolicyTree(mc_iters=3, mc_agg="median", cv=3, **MODELS)
    X = X[["age"]]
    other.fit(Y, T, X=X)
    assert model.predict_value(X) == pytest.approx(-other.predict_value(X), abs=0.5)
    repeated = clone(model).fit(Y, T, X=X)
    assert np.array_equal(repeated.rewards_, model.rewards_)


def test_weights_reach_the_models():
    Y, T, X = study()
    weights = np.where(np.arange(len(Y)) < 200, 1.0, 1e-9)
    heavy = OptimalDRPolicyTree(random_state=0).fit(Y, T, X=X, sample_weight=weights)
    assert heavy.optimal_
    with pytest.raises(ValueError, match="does not take any"):
        OptimalDRPolicyTree(model_propensity=_NoWeights()).fit(
            Y, T, X=X[["age"]], sample_weight=weights
        )


class _NoWeights(LogisticRegression):
    def fit(self, X, y):
        return super().fit(X, y)


# --------------------------------------------------------------------- bad input


def refused(words, *arguments, **given):
    with pytest.raises(ValueError, match=words) as told:
        OptimalPolicyTree().fit(*arguments, **given)
    assert "\n" not in str(told.value)


def test_rewards_that_are_refused():
    X = [[0], [1], [2]]
    hole = [[0, 1], [1, np.nan], [0, 0]]
    refused("rewards has nan in row 1, column 1", X, hole)
    frame = pd.DataFrame(hole, columns=["a", "b"])
    refused("rewards has nan in row 1, column 'b'", X, frame)
    refused("rewards has inf in row 0, column 0", X, [[np.inf, 1], [1, 2], [0, 0]])
    refused("rewards has 2 rows, but X has 3", X, [[0, 1], [1, 0]])
    refused("rewards must be a table .* it has 1 dimension", X, [0, 1, 2])
    refused("rewards must be a table of numbers", X, [["a", "b"]] * 3)
    refused("requires y to be passed", X, None)
    refused("rewards has no columns", X, np.zeros((3, 0)))
    twice = pd.DataFrame(np.zeros((3, 2)), columns=["a", "a"])
    refused("two columns for the treatment 'a'", X, twice)


def test_one_treatment_leaves_nothing_to_choose():
    with pytest.warns(UserWarning, match="only one treatment and nothing to choose"):
        model = OptimalPolicyTree().fit([[0], [1]], [[1.0], [2.0]])
    assert model.n_splits_ == 0 and model.policy_value_ == 1.5


def refused_study(words, Y, T, X, **parameters):
    given = {name: parameters.pop(name) for name in ("W",) if name in parameters}
    with pytest.raises(ValueError, match=words) as told:
        OptimalDRPolicyTree(**parameters).fit(Y, T, X=X, **given)
    assert "\n" not in str(told.value)


def test_studies_that_are_refused():
    Y, T, X = study(40)
    refused_study("X is None, but a policy must look at something", Y, T, None)
    refused_study("Y is None", None, T, X)
    refused_study("T is None", Y, None, X)
    refused_study(r"Input y contains NaN \(first: row 3\)", _holed(Y, 3), T, X)
    refused_study("Outcomes must be finite numbers", _holed(Y, 0, np.inf), T, X)
    refused_study("Y has 39 rows, but X has 40", Y[1:], T, X)
    refused_study("T has 39 rows, but X has 40", Y, T[1:], X)
    refused_study("W has 39 rows, but X has 40", Y, T, X, W=X[["age"]][1:])
    refused_study("Y has the shape", np.zeros((40, 2)), T, X)
    refused_study("T has the shape", Y, np.zeros((40, 2)), X)
    refused_study("Treatments must be labels", Y, Y, X)
    refused_study("Every row was given the treatment 'none'", Y, ["none"] * 40, X)
    refused_study(
        "categories has the treatment 'rest', which no row was given", Y, T, X,
        categories=["none", "pill", "rest"],
    )  # fmt: skip
    refused_study(
        "T has the treatment 'pill', which is not in categories", Y, T, X,
        categories=["none", "none"],
    )  # fmt: skip
    rare = np.where(np.arange(40) == 0, "rare", T)
    refused_study("'rare' was given to 1 row, fewer than the 2 folds of cv", Y, rare, X)
    folds = [(np.arange(1, 40), np.arange(1)), (np.arange(39), np.arange(1, 40))]
    refused_study(
        "The treatment 'rare' is given to no row of a fold", Y, rare, X, cv=folds
    )
    refused_study(r"no prediction for 39 rows \(first: row 1\)", Y, T, X, cv=folds[:1])


def _holed(Y, row, value=np.nan):
    Y = Y.copy()
    Y[row] = value
    return Y


class _Sure(DummyClassifier):
    """A model that is certain that every row gets the first treatment."""

    def predict_proba(self, X):
        return np.tile([1.0, 0.0], (len(X), 1))


def test_propensities_of_zero_are_raised():
    Y, T, X = study(60)
    model = OptimalDRPolicyTree(model_propensity=_Sure(), min_propensity=0.01)
    with pytest.warns(UserWarning, match="60 propensities are below min_propensity"):
        model.fit(Y, T, X=X)
    assert model.propensities_.min() == 0.01
    assert np.abs(model.rewards_).max() <= 100 * (np.abs(Y).max() + 2)


def test_names_of_a_wrong_number():
    Y, T, X = study(60)
    model = OptimalDRPolicyTree(random_state=0).fit(Y, T, X=X)
    with pytest.raises(ValueError, match="treatment_names has 1 names"):
        model.policy_treatment_names(treatment_names=["a"])
    with pytest.raises(ValueError, match="feature_names has 1 names"):
        model.policy_feature_names(feature_names=["a"])
    assert model.policy_feature_names(feature_names=["a", "b", "c"]) == ["a", "b", "c"]


# ------------------------------------------------------------ scikit-learn's checks


@pytest.mark.filterwarnings("ignore:rewards has one column")
@parametrize_with_checks([OptimalPolicyTree()])
def test_estimator_checks(estimator, check):
    check(estimator)


def test_parameters_of_the_other_estimator():
    """It takes outcomes and treatments first, so that few of the checks apply."""
    from sklearn.utils.estimator_checks import (
        check_get_params_invariance,
        check_no_attributes_set_in_init,
        check_parameters_default_constructible,
        check_set_params,
    )

    name = "OptimalDRPolicyTree"
    for one in (
        check_get_params_invariance,
        check_no_attributes_set_in_init,
        check_parameters_default_constructible,
        check_set_params,
    ):
        one(name, OptimalDRPolicyTree())
    with pytest.raises(ValueError, match="min_propensity"):
        OptimalDRPolicyTree(min_propensity=2).fit([0.0], [0], X=[[0]])


def test_min_samples_leaf_with_many_different_rewards():
    """Copies of rows of zero weight are rows of the search nevertheless."""
    random = np.random.default_rng(3)
    X = random.integers(0, 2, (60, 6))
    rewards = random.normal(size=(60, 3))
    rewards[0] = 0.0  # the same for all treatments
    rewards[np.arange(60), X[:, 0] ^ X[:, 1]] += 1
    found = {
        solver: OptimalPolicyTree(max_depth=3, min_samples_leaf=4, solver=solver).fit(
            X, rewards
        )
        for solver in ("sparse", "threshold")
    }
    assert found["sparse"].optimal_ and found["threshold"].optimal_
    assert found["sparse"].objective_ == pytest.approx(found["threshold"].objective_)


def test_doses_are_not_treatments():
    X, Y = np.arange(20.0)[:, None], np.ones(20)
    with pytest.raises(ValueError, match=r"such as 0.5 that are not whole; divide"):
        OptimalDRPolicyTree().fit(Y, np.arange(20) / 2, X=X)
