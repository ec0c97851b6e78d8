"""Models of every status and with every kind of parameter are saved and loaded."""

import json
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    QuantBnB,
    from_json,
)
from treeproof.constraints import (
    Budget,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateAtMost,
    InfeasibleError,
    Linear,
    RecallAtLeast,
)
from treeproof.policy import OptimalPolicyTree
from treeproof.solving.statuses import STATUSES

random = np.random.default_rng(0)
X = random.integers(0, 4, (60, 4))
Y = (X[:, 0] + random.integers(0, 3, 60) > 2).astype(int)
GROUPS = ["a", "b"] * 30
NOISE = np.random.default_rng(1).normal(size=(200, 6))


def again(model):
    """The model after it was saved and loaded; certificates and trees are the same."""
    text = model.to_json()
    loaded = from_json(text)
    assert loaded.status_ == model.status_ and loaded.tree_ == model.tree_
    assert loaded.certificates_ == model.certificates_
    assert loaded.proved_depth_ == model.proved_depth_
    assert loaded.certificate() == model.certificate()
    assert json.loads(loaded.to_json())["parameters"] == json.loads(text)["parameters"]
    return loaded


def stopped():
    model = OptimalTreeClassifier(0.01, time_limit=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(NOISE, np.random.default_rng(2).integers(0, 2, 200))


def infeasible():
    limits = [RecallAtLeast(1.0), FalsePositiveRateAtMost(0.0)]
    with pytest.raises(InfeasibleError) as caught:
        OptimalTreeClassifier(max_depth=1, constraints=limits).fit(X, Y)
    return caught.value.model


def near():
    trees = OptimalTreeClassifier(max_depth=2).fit(X, Y).near_optimal(within=0.02)
    return next(tree.model for tree in trees.best(len(trees)) if not tree._proved)


def tolerant():
    return OptimalTreeRegressor(0.01, tolerance="60%").fit(X, 1.0 * Y + NOISE[:60, 0])


ENDS = {
    "optimal": lambda: OptimalTreeClassifier().fit(X, Y),
    "tolerance": tolerant,
    "near-optimal": near,
    "infeasible": infeasible,
    "time_limit": stopped,
}


@pytest.mark.parametrize("status", list(ENDS))
def test_a_model_of_this_status_is_loaded(status):
    model = ENDS[status]()
    assert model.status_ == status
    rows = NOISE[:, : model.n_features_in_]
    assert np.array_equal(again(model).predict(rows), model.predict(rows))


@pytest.mark.parametrize("status", sorted(STATUSES))
def test_every_status_can_be_saved_and_loaded(status):
    """Whatever ended the search, also where that is hard to bring about."""
    model = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    proved = status == "optimal"
    cost = model.objective_
    model._set_certificate(
        model.tree_, objective=cost, lower=cost / 2, proved=proved, status=status,
        warn=False,
    )  # fmt: skip
    assert again(model).optimal_ == proved


def test_no_estimator_has_another_status():
    model = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    with pytest.raises(AssertionError, match="exhausted"):
        model._set_certificate(
            model.tree_, objective=1.0, lower=0.0, proved=False, status="exhausted"
        )


@pytest.mark.parametrize(
    "constraint",
    [
        DemographicParity(0.1),
        EqualOpportunity(0.2),
        EqualizedOdds(0.3),
        RecallAtLeast(Fraction(1, 3)),
        FalsePositiveRateAtMost(0.3),
        Budget(share=0.5),
        Budget(amount=20.0, prices={1: 2.0}),
        Budget(share=0.5, prices=np.array([0.0, 1.0])),
        Linear(np.array([0, 1]), 20),
    ],
    ids=lambda constraint: type(constraint).__name__,
)
def test_constraints_are_kept(constraint):
    model = OptimalTreeClassifier(max_depth=2, constraints=[constraint])
    model.fit(X, Y, sensitive_features=GROUPS)
    loaded = again(model)
    assert "that keeps the constraints" in loaded.certificate()
    assert loaded.constraints_ == model.constraints_
    read = loaded.constraints[0]
    assert type(read) is type(constraint)
    # what was read means the same: a fit with it finds a tree of the same cost
    loaded.fit(X, Y, sensitive_features=GROUPS)
    assert loaded.objective_ == model.objective_


def test_a_budget_of_treatments_is_kept():
    rewards = NOISE[:60, :2]
    model = OptimalPolicyTree(max_depth=2, constraints=Budget(share=0.5))
    loaded = again(model.fit(X, rewards))
    assert loaded.constraints == Budget(share=0.5)


PARAMETERS = {
    "quant_bnb": (0.0, {"solver": "quant-bnb", "quant_bnb": QuantBnB(s=4)}),
    "test_costs": (0.01, {"test_costs": {0: 0.01, (1, 2): 0.1, 3: (0.1, "g", 0.05)}}),
    "interaction_cst": (0.01, {"interaction_cst": [{0, 1}, {2, 3}]}),
    "monotonic_cst": (0.01, {"monotonic_cst": {0: 1}}),
    "prefix": (0.01, {"prefix": {"feature": 0, "threshold": 1}}),
    "cost_matrix": (0.01, {"cost_matrix": {0: {1: 1.0}, 1: {0: 3.0}}}),
}


@pytest.mark.parametrize("name", list(PARAMETERS))
def test_parameters_mean_the_same_after_loading(name):
    penalty, parameters = PARAMETERS[name]
    model = OptimalTreeClassifier(penalty, max_depth=2, **parameters)
    model.fit(X.astype(float), Y)
    loaded = again(model)
    assert loaded.fit(X.astype(float), Y).objective_ == model.objective_


def test_no_other_class_is_made():
    document = json.loads(OptimalTreeClassifier().fit(X, Y).to_json())
    for record in ("Path", ["Budget"], "Constraint", None):
        held = {"record": record, "fields": {"pairs": []}}
        document["parameters"]["constraints"] = [held]
        with pytest.raises(ValueError, match="'constraints' of the model cannot"):
            from_json(json.dumps(document))
    document["parameters"]["constraints"] = None
    document["constraints"] = [{"name": "recall"}]
    with pytest.raises(ValueError, match="how its constraints are kept"):
        from_json(json.dumps(document))
