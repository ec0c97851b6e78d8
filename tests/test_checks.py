"""The laws for solvers: ours keep them, and each fails on a solver that breaks it."""

from __future__ import annotations

import doctest
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor, checks
from treeproof.checks import LAWS, LawBroken, check_solver, random_problems

NUMERIC = list(random_problems(4, random_state=1))
TEXT = list(random_problems(4, random_state=2, text=True))
REGRESSION = list(random_problems(4, random_state=3, regression=True))


@pytest.mark.parametrize("problems", [NUMERIC, TEXT], ids=["numbers", "text"])
@pytest.mark.parametrize("solver", ["sparse", "threshold", "branches", "dt-miner"])
def test_our_classifiers_keep_every_law(solver, problems):
    skip = ["check_splits"] if solver == "branches" else []
    if solver == "dt-miner":  # it searches whole trees
        problems = [p.but(X=p.X[:, :2]) for p in problems[:2]]
    penalize = "splits" if solver in ("branches", "dt-miner") else "leaves"
    factory = partial(OptimalTreeClassifier, solver=solver, penalize=penalize)
    made = check_solver(factory, problems=problems, skip=skip)
    assert made == len(problems) * (len(LAWS) - len(skip))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_our_regressor_keeps_every_law(criterion):
    factory = partial(OptimalTreeRegressor, criterion=criterion)
    assert check_solver(factory, problems=REGRESSION) == len(REGRESSION) * len(LAWS)


def test_quant_bnb_keeps_the_laws_that_it_can():
    """It knows no penalty, no limits but a depth of two or three, and no text."""
    problems = [p.but(split_penalty=0.0, max_depth=2) for p in NUMERIC]
    skip = [
        "check_depth", "check_splits", "check_leaf_size", "check_penalty",
        "check_limits",
    ]  # fmt: skip
    factory = partial(OptimalTreeClassifier, solver="quant-bnb")
    assert check_solver(factory, problems=problems, skip=skip) == 4 * (
        len(LAWS) - len(skip)
    )


def test_a_solver_that_stops_early_keeps_every_law_but_shows_nothing():
    def factory(**parameters):
        return OptimalTreeClassifier(time_limit=1e-9, **parameters)

    problems = list(random_problems(2, random_state=5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for law in LAWS.values():
            for problem in problems:
                law(factory, problem)


class Solver(ClassifierMixin, BaseEstimator):
    """Claims that the tree found on changed data or limits is the optimum.

    Without a change it is right. Its certificate is consistent whatever is changed.
    """

    def __init__(
        self, split_penalty=0.02, max_depth=None, max_splits=None, min_samples_leaf=1
    ):
        self.split_penalty = split_penalty
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf

    def columns(self, X):
        return X

    def rows(self, X, y, weights):
        return X, y, weights

    def limits(self, X, parameters):
        return parameters

    def fit(self, X, y, sample_weight=None):
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        parameters = self.limits(X, self.get_params())
        inner = OptimalTreeClassifier(**parameters)
        rows, labels, seen = self.rows(self.columns(X), y, weights)
        self.inner_ = inner.fit(rows, labels, seen)
        self.n_splits_ = inner.n_splits_
        wrong = self.inner_.predict(self.columns(X)) != y
        loss = weights[wrong].sum() / weights.sum()
        self.objective_ = loss + self.split_penalty * self.n_splits_
        self.lower_bound_ = self.objective_
        self.optimal_ = True
        return self

    def predict(self, X):
        return self.inner_.predict(self.columns(X))

    def apply(self, X):
        return self.inner_.apply(self.columns(X))

    def get_depth(self):
        return self.inner_.get_depth()

    def to_sklearn(self):
        return self.inner_.to_sklearn()


class LiesAboutTheObjective(Solver):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.objective_ -= 0.001
        self.lower_bound_ -= 0.001
        return self


class BoundAboveObjective(Solver):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.lower_bound_ += 0.01
        return self


class OptimalWhenTimeWasLeft(Solver):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.lower_bound_ = 0.0
        return self


class GapOfNothing(Solver):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.lower_bound_, self.gap_, self.optimal_ = self.objective_ / 2, 0.0, False
        return self


class OptimalButStopped(Solver):
    status_ = "time_limit"


class IgnoresDepth(Solver):
    def limits(self, X, parameters):
        return parameters | {"max_depth": None}


class IgnoresLeafSize(Solver):
    def limits(self, X, parameters):
        return parameters | {"min_samples_leaf": 1}


class IgnoresMaxSplits(Solver):
    def limits(self, X, parameters):
        return parameters | {"max_splits": None}


class OtherTreeForSklearn(Solver):
    def to_sklearn(self):
        model = self.inner_.to_sklearn()
        model.tree_.value[:] = model.tree_.value[:, :, ::-1].copy()
        return model


class ShallowUnlessToldOtherwise(Solver):
    def limits(self, X, parameters):
        return parameters | ({"max_depth": 1} if self.max_depth is None else {})


class FewSplitsUnlessToldOtherwise(Solver):
    def limits(self, X, parameters):
        return parameters | ({"max_splits": 1} if self.max_splits is None else {})


class GrowsOnlyWithLargeLeaves(Solver):
    def limits(self, X, parameters):
        return parameters | ({"max_splits": 0} if self.min_samples_leaf == 1 else {})


class PenaltyRounded(Solver):
    """A solver that takes very cheap splits for expensive ones."""

    def limits(self, X, parameters):
        small = self.split_penalty < 0.01
        return parameters | ({"split_penalty": 0.15} if small else {})


class LearnsFromTheFirstRows(Solver):
    def rows(self, X, y, weights):
        half = len(y) // 2
        return X[:half], y[:half], weights[:half]


class LooksAtOneColumn(Solver):
    def columns(self, X):
        return X[:, :1]


class IgnoresWeights(Solver):
    def rows(self, X, y, weights):
        return X, y, np.ones(len(y))


class CountsWeightlessRows(Solver):
    def rows(self, X, y, weights):
        return X, y, np.maximum(weights, 1.0)


class PrefersTheFirstClass(Solver):
    def rows(self, X, y, weights):
        return X, y, weights * np.where(y == np.unique(y)[0], 5.0, 1.0)


class LooksAtAllButTheLastColumn(Solver):
    def columns(self, X):
        return X[:, 1:]


class DepthByTheWidth(Solver):
    def limits(self, X, parameters):
        return parameters | {"max_depth": X.shape[1] - 2, "split_penalty": 0.001}


class KeepsOldWeights(Solver):
    def rows(self, X, y, weights):
        if not hasattr(self, "old_"):
            self.old_ = weights.max() > 5
        return X, y, np.where(y == y[0], 9.0, 1.0) if self.old_ else weights


BROKEN = [
    ("check_certificate", LiesAboutTheObjective, "cost"),
    ("check_certificate", BoundAboveObjective, "above objective_"),
    ("check_certificate", OptimalWhenTimeWasLeft, "optimal_ is True"),
    ("check_certificate", GapOfNothing, "gap_ is 0"),
    ("check_certificate", OptimalButStopped, "status_ is 'time_limit'"),
    ("check_limits", IgnoresDepth, "levels"),
    ("check_limits", IgnoresLeafSize, "a leaf has"),
    ("check_splits", IgnoresMaxSplits, "splits; at most"),
    ("check_to_sklearn", OtherTreeForSklearn, "to_sklearn"),
    ("check_depth", ShallowUnlessToldOtherwise, "max_depth=None"),
    ("check_splits", FewSplitsUnlessToldOtherwise, "max_splits=None"),
    ("check_leaf_size", GrowsOnlyWithLargeLeaves, "min_samples_leaf=1"),
    ("check_penalty", PenaltyRounded, "split_penalty=0.0"),
    ("check_row_order", LearnsFromTheFirstRows, "rows came"),
    ("check_column_order", LooksAtOneColumn, "columns came"),
    ("check_duplicate_rows", IgnoresWeights, "doubled rows"),
    ("check_weightless_rows", CountsWeightlessRows, "weight zero"),
    ("check_relabelling", PrefersTheFirstClass, "other names"),
    ("check_constant_feature", LooksAtAllButTheLastColumn, "constant column"),
    ("check_duplicate_feature", DepthByTheWidth, "column was repeated"),
    ("check_repetition", KeepsOldWeights, "fitted again"),
]
MANY = list(random_problems(25, random_state=11))


def test_the_solver_without_a_change_keeps_every_law():
    check_solver(Solver, problems=MANY[:5])


@pytest.mark.parametrize(("law", "broken", "words"), BROKEN)
def test_a_broken_solver_breaks_the_law(law, broken, words):
    with pytest.raises(LawBroken, match=words):
        for problem in MANY:
            LAWS[law](broken, problem)


def test_every_law_has_a_solver_that_breaks_it():
    assert {law for law, _, _ in BROKEN} == set(LAWS)
    assert set(LAWS) < set(checks.__all__)


def test_check_solver_names_the_law():
    with pytest.raises(LawBroken, match=r"check_certificate\[0\]: objective_ is"):
        check_solver(LiesAboutTheObjective, problems=MANY[:1])


def test_a_solver_that_proves_nothing_is_not_let_off():
    class Modest(Solver):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y, sample_weight)
            self.lower_bound_, self.optimal_ = -1.0, False
            return self

    with pytest.raises(LawBroken, match="nothing was shown"):
        check_solver(Modest, problems=MANY[:2])


def test_unknown_laws_cannot_be_skipped():
    with pytest.raises(ValueError, match="no law 'check_colour'"):
        check_solver(Solver, skip=["check_colour"])


def test_the_page_on_laws():
    page = Path(__file__).parents[1] / "docs" / "checks.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 5 and failed == 0
    assert all(f"`{law}`" in page.read_text() for law in LAWS)
