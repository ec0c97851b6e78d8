"""Warnings of a fit are shown with the line of the user who called it."""

import inspect
import linecache
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treeproof import (
    ObliqueTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
)
from treeproof.path import penalty_path
from treeproof.policy import OptimalDRPolicyTree, OptimalPolicyTree
from treeproof.survival import OptimalSurvivalTree

LITTLE = {"time_limit": 1e-4}

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 8))
classes = rng.integers(0, 2, 300)
amounts = rng.normal(size=300)
rewards = rng.normal(size=(300, 3))
lifetimes = rng.exponential(size=300)


def fit_classifier():
    OptimalTreeClassifier(0.001, **LITTLE).fit(X, classes)


def fit_ratio():
    OptimalTreeClassifier(0.0, metric="f1", max_depth=5, **LITTLE).fit(X, classes)


def fit_probabilities():
    OptimalTreeClassifier(0.001, criterion="gini", **LITTLE).fit(X, classes)


def fit_regressor():
    OptimalTreeRegressor(0.001, **LITTLE).fit(X, amounts)


def fit_chosen_classifier():
    OptimalTreeClassifierCV(OptimalTreeClassifier(**LITTLE), cv=2).fit(X, classes)


def fit_chosen_regressor():
    OptimalTreeRegressorCV(OptimalTreeRegressor(**LITTLE), cv=2).fit(X, amounts)


def fit_policy():
    OptimalPolicyTree(max_depth=5, **LITTLE).fit(X, rewards)


def fit_policy_of_observations():
    model = OptimalDRPolicyTree(max_depth=5, **LITTLE)
    model.fit(amounts, classes, X=X)


def fit_survival():
    OptimalSurvivalTree(0.001, **LITTLE).fit(X, lifetimes)


def fit_oblique():
    ObliqueTreeClassifier(max_splits=3, **LITTLE).fit(X, classes)


def trace_a_path():
    penalty_path(X, classes, estimator=OptimalTreeClassifier(**LITTLE))


def fit_in_a_pipeline():
    model = make_pipeline(StandardScaler(), OptimalTreeClassifier(0.001, **LITTLE))
    model.fit(X, classes)


def fit_by_cross_validation():
    cross_val_score(OptimalTreeClassifier(0.001, **LITTLE), X, classes, cv=2)


STOPPED = [
    fit_classifier,
    fit_ratio,
    fit_probabilities,
    fit_regressor,
    fit_chosen_classifier,
    fit_chosen_regressor,
    fit_policy,
    fit_policy_of_observations,
    fit_survival,
    fit_oblique,
    trace_a_path,
    fit_in_a_pipeline,
    fit_by_cross_validation,
]


def line_of(warning):
    """The line that Python prints below a warning."""
    assert warning.filename == __file__
    return linecache.getline(warning.filename, warning.lineno).strip()


def warnings_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


@pytest.mark.parametrize("call", STOPPED, ids=lambda f: f.__name__)
def test_a_stopped_search_shows_the_line_of_the_call(call):
    caught = [w for w in warnings_of(call) if w.category is ConvergenceWarning]
    assert caught
    last = inspect.getsource(call).splitlines()[-1].strip()
    assert {line_of(warning) for warning in caught} == {last}


def test_a_single_leaf_shows_the_line_of_the_call():
    model = OptimalTreeClassifier(1.0)
    [warning] = warnings_of(lambda: model.fit(X, np.arange(300) < 15))
    assert "single leaf" in str(warning.message)
    assert "model.fit" in line_of(warning)
