"""scikit-learn's own estimator checks."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from treeproof import (
    ObliqueTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
from treeproof.policy import OptimalDRPolicyTree, OptimalPolicyTree
from treeproof.survival import OptimalSurvivalTree


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        OptimalTreeClassifier(time_limit=5),
        OptimalTreeRegressor(max_depth=3),
        OptimalSurvivalTree(max_depth=3),
    ]
)
def test_estimator_check(estimator, check):
    """Policies of given rewards are checked in test_policy.py.

    `OptimalDRPolicyTree` takes outcomes and treatments first, as EconML's does, and
    declares that it cannot be checked so.
    """
    check(estimator)


@pytest.mark.parametrize(
    "kind",
    [OptimalTreeClassifier, OptimalTreeRegressor, OptimalPolicyTree,
     OptimalDRPolicyTree, OptimalSurvivalTree, ObliqueTreeClassifier],
)  # fmt: skip
def test_defaults_are_valid_parameters(kind):
    """`fit` checks only parameters that are not at their defaults."""
    model = kind()
    BaseEstimator._validate_params(model)
    assert set(model._defaults()) == set(model.get_params())
