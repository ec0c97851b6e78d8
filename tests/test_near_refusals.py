"""What `near_optimal` and its sets refuse, each in one sentence with what to do."""

import pickle

import numpy as np
import pandas as pd
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor
from treeproof.constraints import RecallAtLeast
from treeproof.policy import OptimalPolicyTree


def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=list("abc"))
    return X, rng.integers(0, 2, 60), rng.random(60)


def classifier(**parameters):
    X, y, _ = table()
    return OptimalTreeClassifier(0.02, **{"max_depth": 2, **parameters}).fit(X, y)


def regressor(**parameters):
    X, _, y = table()
    return OptimalTreeRegressor(0.05, max_depth=2, **parameters).fit(X, y)


def one_sentence(ask, words):
    with pytest.raises(ValueError) as told:
        ask()
    text = str(told.value)
    assert words in text
    assert text.endswith(".") and "\n" not in text and ". " not in text


TOP = {
    "feature": "a", "threshold": 1,
    "yes": {"feature": "b", "threshold": 1, "yes": None, "no": None}, "no": None,
}  # fmt: skip
FITS = {
    "does not know monotonic_cst": {"monotonic_cst": [1, 0, 0]},
    "does not know interaction_cst": {"interaction_cst": [["a", "b"], ["c"]]},
    "does not know test_costs": {"test_costs": {"a": 1.0}},
    'does not know shape="list"': {"shape": "list"},
    'metric="f1" is a ratio': {"metric": "f1"},
    'metric="fbeta" is a ratio': {"metric": "fbeta"},
    'metric="jaccard" is a ratio': {"metric": "jaccard"},
    'criterion="gini" has costs that are real numbers': {"criterion": "gini"},
    'criterion="log_loss" has costs': {"criterion": "log_loss"},
    "cannot be listed with prefix; use first_split": {"prefix": TOP},
}


@pytest.mark.parametrize("words", list(FITS))
def test_fits_whose_trees_are_not_listed(words):
    model = classifier(**FITS[words])
    one_sentence(lambda: model.near_optimal(0.02), words)
    one_sentence(lambda: model.near_optimal(0.02, count=False), words)


@pytest.mark.parametrize(
    ("words", "parameters"),
    [
        ('does not know criterion="absolute_error"', {"criterion": "absolute_error"}),
        ('does not know criterion="quantile"', {"criterion": "quantile"}),
        ('does not know leaf="linear"', {"leaf": "linear"}),
        ("cannot be listed with prefix", {"prefix": TOP}),
    ],
)
def test_regressions_whose_trees_are_not_listed(words, parameters):
    one_sentence(lambda: regressor(**parameters).near_optimal(0.02), words)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("is not a margin", {"within": -1}),
        ("is not a margin", {"within": 2}),
        ("must be a whole number from 1", {"limit": 0}),
        ("use 'trees', 'predictions' or 'functions'", {"distinct": "leaves"}),
        ("There is no column 'z'", {"using": "z"}),
        ("in both using and without", {"using": "a", "without": "a"}),
    ],
)
@pytest.mark.parametrize("constraints", [None, [RecallAtLeast(0.5)]])
def test_bad_arguments(words, arguments, constraints):
    model = classifier(constraints=constraints)
    one_sentence(lambda: model.near_optimal(**arguments), words)


def test_more_columns_than_can_be_required():
    X = np.random.default_rng(1).integers(0, 2, (40, 12))
    model = OptimalTreeClassifier(0.02, max_depth=1).fit(X, X[:, 0])
    one_sentence(lambda: model.near_optimal(using=list(range(9))), "at most 8 can be")


@pytest.mark.parametrize("constraints", [None, [RecallAtLeast(0.5)]])
def test_training_data_that_are_gone(constraints):
    model = classifier(constraints=constraints)
    again = pickle.loads(pickle.dumps(model))
    one_sentence(again.near_optimal, "no longer has its training data")
    loaded = pickle.loads(pickle.dumps(regressor()))
    one_sentence(loaded.near_optimal, "no longer has its training data")


@pytest.mark.parametrize(
    "question",
    ["smallest", "counts", "disagreement", "reliance"],
)
def test_questions_to_the_first_trees_only(question):
    first = classifier().near_optimal(0.02, limit=2)
    one_sentence(getattr(first, question), "a question to all trees within a margin")


def test_questions_about_classes():
    X, y, numbers = table()
    trees = regressor().near_optimal(0.05)
    for ask in (
        lambda: trees.closest(numbers),
        lambda: trees.agreement(numbers),
        lambda: trees.extremes(np.zeros((60, 2))),
        trees.disagreement,
        trees.reliance,
        lambda: trees.fairest(y),
        lambda: trees.votes(X),
    ):
        one_sentence(ask, "is about predictions of classes, and a regressor has none")
    one_sentence(lambda: trees.write_proof("nowhere"), "a classifier has whole ones")
    policy = OptimalPolicyTree(0.01, max_depth=1).fit(X, np.stack([numbers, 1 - y], 1))
    one_sentence(
        lambda: policy.near_optimal(0.05).fairest(y, rate="true positive"),
        "a policy has none",
    )
    one_sentence(
        lambda: classifier().near_optimal(0.02).fairest(X["a"]), "compares two groups"
    )


def test_columns_with_missing_values_or_subsets():
    X, y, _ = table()
    X["a"] = X["a"].where(X["a"] > 0)
    gaps = OptimalTreeClassifier(0.02, max_depth=2).fit(X, y)
    one_sentence(lambda: gaps.near_optimal(distinct="functions"), "missing values")
    one_sentence(lambda: gaps.near_optimal(0.02).reliance(), "missing values")
    X["a"] = np.where(X["b"] > 0, "x", np.where(X["c"] > 0, "y", "z"))
    subsets = OptimalTreeClassifier(0.02, max_depth=2, categorical_split="subset")
    subsets.fit(X, y)
    one_sentence(lambda: subsets.near_optimal(distinct="functions"), "subsets of")
