"""Every objective with every feature: it works, or one sentence says why not."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    from_json,
    penalty_path,
)
from treeproof.constraints import RecallAtLeast
from treeproof.policy import OptimalDRPolicyTree, OptimalPolicyTree
from treeproof.survival import OptimalSurvivalTree

ROWS = 40
_random = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "a": _random.integers(0, 3, ROWS).astype(float),
        "b": _random.integers(0, 3, ROWS).astype(float),
        "c": _random.choice(["u", "v"], ROWS),
    }
)
NUMBERS = X[["a", "b"]] + _random.random((ROWS, 2))
CLASSES = np.where((X["a"] > 0) ^ (_random.random(ROWS) < 0.2), "yes", "no")
COUNTS = _random.poisson(1.0 + 2 * (X["b"] > 1))
REWARDS = _random.normal(size=(ROWS, 2)) + np.array(X[["a", "b"]])
TIMES = np.array(
    [(bool(e), float(t)) for e, t in zip(COUNTS < 3, 1 + COUNTS, strict=True)],
    dtype=[("event", bool), ("time", float)],
)
COSTS = _random.random((ROWS, 2))

# The kind of estimator, its parameters, and what ``fit`` takes after X.
OBJECTIVES = {
    "errors": (OptimalTreeClassifier, {}, (CLASSES,), {}),
    "balanced": (
        OptimalTreeClassifier, {"metric": "balanced_accuracy"}, (CLASSES,), {}),
    "f1": (OptimalTreeClassifier, {"metric": "f1"}, (CLASSES,), {}),
    "matrix": (
        OptimalTreeClassifier, {"cost_matrix": [[0, 1], [5, 0]]}, (CLASSES,), {}),
    "rows": (OptimalTreeClassifier, {}, (CLASSES,), {"costs": COSTS}),
    "abstain": (OptimalTreeClassifier, {"abstain_cost": 0.3}, (CLASSES,), {}),
    "log_loss": (OptimalTreeClassifier, {"criterion": "log_loss"}, (CLASSES,), {}),
    "gini": (OptimalTreeClassifier, {"criterion": "gini"}, (CLASSES,), {}),
    "squared": (OptimalTreeRegressor, {}, (COUNTS,), {}),
    "absolute": (
        OptimalTreeRegressor, {"criterion": "absolute_error"}, (COUNTS,), {}),
    "quantile": (
        OptimalTreeRegressor,
        {"criterion": "quantile", "quantile": [0.2, 0.8]}, (COUNTS,), {}),
    "poisson": (OptimalTreeRegressor, {"criterion": "poisson"}, (COUNTS,), {}),
    "lines": (OptimalTreeRegressor, {"leaf": "linear"}, (COUNTS,), {}),
    "rewards": (OptimalPolicyTree, {}, (REWARDS,), {}),
    "estimated": (OptimalDRPolicyTree, {"random_state": 0}, (CLASSES,), {}),
    "lifetimes": (OptimalSurvivalTree, {}, (TIMES,), {}),
}  # fmt: skip


class Case:
    """An objective, to be fitted with more parameters and arguments."""

    def __init__(self, name, folder):
        self.kind, self.parameters, self.answers, self.given = OBJECTIVES[name]
        self.folder = folder

    def model(self, **more):
        usual = {"max_depth": 2}
        if self.kind is OptimalTreeClassifier:
            usual["pos_label"] = "yes"
        return self.kind(**{**usual, **self.parameters, **more})

    def fit(self, table=X, *, arguments=None, **more):
        model, arguments = self.model(**more), {**self.given, **(arguments or {})}
        if self.kind is OptimalDRPolicyTree:
            outcome, given = REWARDS[:, 0], COUNTS % 2
            return model.fit(outcome, given, X=table, **arguments)
        return model.fit(table, *self.answers, **arguments)

    def path(self, kind=None):
        if kind is not None:
            return kind(self.model(), cv=2).fit(X, *self.answers, **self.given)
        return penalty_path(
            X, *self.answers, low=0.05, estimator=self.model(), **self.given
        )


def gaps():
    table = X.copy()
    table.loc[3:6, "a"] = np.nan
    return table


WEIGHTS = {"sample_weight": np.arange(ROWS) % 3 + 1.0}

# Parameters.
FEATURES = {
    "first_split": lambda c: c.fit(first_split="b"),
    "prefix": lambda c: c.fit(prefix={"feature": "b"}),
    "prefix and weights": lambda c: c.fit(prefix={"feature": "b"}, arguments=WEIGHTS),
    "allowed_features": lambda c: c.fit(allowed_features=["a", "c"]),
    "tolerance": lambda c: c.fit(tolerance=0.1),
    "max_splits": lambda c: c.fit(max_splits=2),
    "min_samples_leaf": lambda c: c.fit(min_samples_leaf=5),
    "penalize": lambda c: c.fit(penalize="splits"),
    "no limit": lambda c: c.fit(max_depth=None, split_penalty=0.2),
    "threads": lambda c: c.fit(n_jobs=2),
    "sparse": lambda c: c.fit(solver="sparse"),
    "threshold": lambda c: c.fit(solver="threshold"),
    "quantiles": lambda c: c.fit(NUMBERS, quantiles=4),
    "n_best": lambda c: c.fit(n_best=2),
    "list": lambda c: c.fit(shape="list"),
    "monotonic_cst": lambda c: c.fit(monotonic_cst={"a": 1}),
    "interaction_cst": lambda c: c.fit(interaction_cst="no_interactions"),
    "test_costs": lambda c: c.fit(test_costs={"a": 0.1}),
    "constraints": lambda c: c.fit(constraints=[RecallAtLeast(0.5)]),
    "class_weight": lambda c: c.fit(class_weight="balanced"),
    "smoothing": lambda c: c.fit(smoothing=1.0),
    "quantile": lambda c: c.fit(quantile=0.3),
    "a typing error": lambda c: c.fit(max_deph=3),
    # Arguments of fit.
    "weights": lambda c: c.fit(arguments=WEIGHTS),
    "missing values": lambda c: c.fit(gaps()),
    "proof": lambda c: c.fit(arguments={"proof": c.folder / "proof.gz"}),
    "proof and prefix": lambda c: c.fit(
        prefix={"feature": "b"}, arguments={"proof": c.folder / "proof.gz"}
    ),
    "checkpoint": lambda c: c.fit(
        solver="sparse", arguments={"checkpoint": c.folder / "checkpoint"}
    ),
    "checkpoint alone": lambda c: c.fit(
        arguments={"checkpoint": c.folder / "checkpoint"}
    ),
    "distributed": lambda c: c.fit(arguments={"distributed": "no cluster"}),
    "entry": lambda c: c.fit(arguments={"entry": np.zeros(ROWS)}),
    "costs": lambda c: c.fit(arguments={"costs": COSTS}),
    "groups": lambda c: c.fit(arguments={"sensitive_features": X["c"]}),
    # Other trees.
    "near_optimal": lambda c: c.fit().near_optimal(0.01, limit=3),
    "penalty_path": lambda c: c.path(),
    "cross-validation of classes": lambda c: c.path(OptimalTreeClassifierCV),
    "cross-validation of numbers": lambda c: c.path(OptimalTreeRegressorCV),
    # What a fitted estimator does.
    "text": lambda c: c.fit().export_text(details=True),
    "certificate": lambda c: c.fit().certificate(),
    "summary": lambda c: c.fit().summary(),
    "sql": lambda c: c.fit().to_sql(),
    "python": lambda c: c.fit().to_python(),
    "json": lambda c: from_json(c.fit().to_json()),
    "onnx": lambda c: c.fit(NUMBERS).to_onnx(),
    "rules": lambda c: c.fit().to_rules(),
    "scikit-learn": lambda c: c.fit().to_sklearn(),
    "svg": lambda c: c.fit().to_svg(),
    "model card": lambda c: c.fit().to_model_card(),
    "top": lambda c: c.fit(prefix=c.fit().to_prefix(1)),
    "importances": lambda c: c.fit().feature_importances_,
    "pickle": lambda c: pickle.loads(pickle.dumps(c.fit())).predict(X),
    "probabilities": lambda c: c.fit().predict_proba(X),
    "mean_cost": lambda c: c.fit().mean_cost(X, CLASSES),
    "predict_value": lambda c: c.fit().predict_value(X),
    "curves": lambda c: c.fit().predict_survival_function(X),
}

_BARE = re.compile(
    r"unexpected keyword|object has no attribute|'NoneType'|not callable|unsupported"
    r"|positional argument|\n"
)


# What is refused; everything else has to work.
REFUSED = {
    "errors":
        "smoothing, quantile, a typing error, distributed, entry, cross-validation of "
        "numbers, predict_value, curves",
    "balanced":
        "class_weight, smoothing, quantile, a typing error, proof and prefix, "
        "distributed, entry, costs, cross-validation of numbers, predict_value, "
        "curves",
    "f1":
        "first_split, prefix, prefix and weights, no limit, n_best, list, "
        "monotonic_cst, interaction_cst, test_costs, constraints, class_weight, "
        "smoothing, quantile, a typing error, proof and prefix, checkpoint, "
        "checkpoint alone, distributed, entry, costs, near_optimal, penalty_path, "
        "cross-validation of classes, cross-validation of numbers, top, "
        "predict_value, curves",
    "matrix":
        "smoothing, quantile, a typing error, distributed, entry, costs, "
        "cross-validation of numbers, predict_value, curves",
    "rows":
        "smoothing, quantile, a typing error, distributed, entry, cross-validation of "
        "classes, cross-validation of numbers, predict_value, curves",
    "abstain":
        "monotonic_cst, smoothing, quantile, a typing error, distributed, entry, "
        "cross-validation of numbers, onnx, predict_value, curves",
    "log_loss":
        "sparse, n_best, monotonic_cst, test_costs, constraints, quantile, a typing "
        "error, proof and prefix, checkpoint, checkpoint alone, distributed, entry, "
        "costs, near_optimal, penalty_path, cross-validation of classes, "
        "cross-validation of numbers, predict_value, curves",
    "gini":
        "sparse, n_best, monotonic_cst, test_costs, constraints, quantile, a typing "
        "error, proof and prefix, checkpoint, checkpoint alone, distributed, entry, "
        "costs, near_optimal, penalty_path, cross-validation of classes, "
        "cross-validation of numbers, predict_value, curves",
    "squared":
        "sparse, n_best, monotonic_cst, test_costs, constraints, class_weight, "
        "smoothing, a typing error, proof and prefix, checkpoint, checkpoint alone, "
        "distributed, entry, costs, groups, cross-validation of classes, "
        "probabilities, mean_cost, predict_value, curves",
    "absolute":
        "sparse, n_best, monotonic_cst, test_costs, constraints, class_weight, "
        "smoothing, a typing error, proof and prefix, checkpoint, checkpoint alone, "
        "distributed, entry, costs, groups, near_optimal, cross-validation of "
        "classes, probabilities, mean_cost, predict_value, curves",
    "quantile":
        "sparse, n_best, monotonic_cst, test_costs, constraints, class_weight, "
        "smoothing, a typing error, proof and prefix, checkpoint, checkpoint alone, "
        "distributed, entry, costs, groups, near_optimal, cross-validation of "
        "classes, sql, probabilities, mean_cost, predict_value, curves",
    "poisson":
        "sparse, n_best, monotonic_cst, test_costs, constraints, class_weight, "
        "smoothing, a typing error, proof and prefix, checkpoint, checkpoint alone, "
        "distributed, entry, costs, groups, cross-validation of classes, "
        "probabilities, mean_cost, predict_value, curves",
    "lines":
        "first_split, prefix, prefix and weights, tolerance, sparse, quantiles, "
        "n_best, monotonic_cst, test_costs, constraints, class_weight, smoothing, a "
        "typing error, proof and prefix, checkpoint, checkpoint alone, distributed, "
        "entry, costs, groups, near_optimal, penalty_path, cross-validation of "
        "classes, cross-validation of numbers, onnx, scikit-learn, top, "
        "probabilities, mean_cost, predict_value, curves",
    "rewards":
        "list, monotonic_cst, interaction_cst, test_costs, constraints, class_weight, "
        "smoothing, quantile, a typing error, distributed, entry, costs, "
        "penalty_path, cross-validation of classes, cross-validation of numbers, "
        "scikit-learn, mean_cost, curves",
    "estimated":
        "list, monotonic_cst, interaction_cst, test_costs, constraints, class_weight, "
        "smoothing, quantile, a typing error, distributed, entry, costs, groups, "
        "penalty_path, cross-validation of classes, cross-validation of numbers, "
        "scikit-learn, mean_cost, curves",
    "lifetimes":
        "sparse, threshold, quantiles, n_best, list, monotonic_cst, interaction_cst, "
        "test_costs, constraints, class_weight, smoothing, quantile, a typing error, "
        "proof and prefix, checkpoint, checkpoint alone, distributed, costs, groups, "
        "near_optimal, penalty_path, cross-validation of classes, cross-validation of "
        "numbers, probabilities, mean_cost, predict_value",
}  # fmt: skip


def refused(objective, feature):
    return feature in REFUSED[objective].split(", ")


def outcome_of(objective, feature, folder):
    """None if it works, else the sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            FEATURES[feature](Case(objective, folder))
        except (AttributeError, TypeError, ValueError) as error:
            return str(error)
    return None


@pytest.mark.parametrize("objective", list(OBJECTIVES))
def test_it_works_or_is_refused_in_one_sentence(objective, tmp_path):
    for feature in FEATURES:
        said = outcome_of(objective, feature, tmp_path)
        if said is None:
            assert not refused(objective, feature), (objective, feature)
            continue
        assert not _BARE.search(said), (objective, feature, said)
        assert said.endswith((".", "?")), (objective, feature, said)
        one = said.count(". ") == 0 or "parameter of" in said  # scikit-learn's words
        assert one, (objective, feature, said)
        assert refused(objective, feature), (objective, feature, said)


class Own(OptimalTreeClassifier):
    """A subclass of a user, with a parameter more."""

    def __init__(self, extra=1, **others):
        super().__init__(**others)
        self.extra = extra

    def fit(self, X, y, more=None, **others):
        self.more = more
        return super().fit(X, y, **others)


def test_subclasses_may_pass_on_what_they_are_given():
    own = Own(extra=3, max_depth=1)
    assert (own.extra, own.max_depth) == (3, 1)
    with pytest.raises(TypeError, match="has no parameter 'max_deph'; did you mean"):
        OptimalTreeClassifier(max_deph=1)
    with pytest.raises(TypeError, match="fit of Own has no argument 'entry'"):
        own.fit(X, CLASSES, more=4, entry=5)
    assert own.more == 4


def test_other_attributes_are_as_python_has_them():
    model = OptimalTreeRegressor()
    assert not hasattr(model, "predict_proba") and not hasattr(model, "nothing")
    with pytest.raises(AttributeError, match="object has no attribute 'nothing'"):
        _ = model.nothing
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        _ = OptimalPolicyTree().policy_value_
