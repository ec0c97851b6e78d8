"""River's shipped property checks and scikit-learn's estimator checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from treeproof.stream import (
    EpsilonGreedyTreeClassifier,
    OnlineBranchesClassifier,
    ThompsonTreeClassifier,
    UpperConfidenceTreeClassifier,
)

# Whole numbers with many values are read as categories, and said to be so.
pytestmark = pytest.mark.filterwarnings("ignore:Feature .* has more than")

MODELS = [
    OnlineBranchesClassifier(window_size=100),
    OnlineBranchesClassifier(window_size=100, drift_detector=None),
    UpperConfidenceTreeClassifier(samples_per_simulation=10),
    EpsilonGreedyTreeClassifier(samples_per_simulation=10),
    ThompsonTreeClassifier(samples_per_simulation=10),
    ThompsonTreeClassifier(samples_per_simulation=10, backpropagation="clark"),
]


def river_checks():
    checks = pytest.importorskip("river.checks", reason="River is not installed")
    for model in MODELS:
        for check in checks.yield_checks(model):
            yield pytest.param(
                model, check, id=f"{type(model).__name__}-{check.__name__}"
            )


def pytest_generate_tests(metafunc):
    if "river_check" in metafunc.fixturenames:
        metafunc.parametrize(("river_model", "river_check"), list(river_checks()))


def test_river_check(river_model, river_check):
    river_check(river_model.clone())


def expected_failures(estimator):
    if isinstance(estimator, OnlineBranchesClassifier):
        return {}
    # A simulation counts rows, so a row of weight two is not the same as two rows.
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": "rows are counted"
        for kind in ("dense", "sparse")
    }


@parametrize_with_checks(
    [
        OnlineBranchesClassifier(split_penalty=0.005),
        UpperConfidenceTreeClassifier(split_penalty=0.005, seed=0),
        EpsilonGreedyTreeClassifier(split_penalty=0.005, seed=0),
        ThompsonTreeClassifier(split_penalty=0.005, seed=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
