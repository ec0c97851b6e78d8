"""scikit-learn's own estimator checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from treeproof import OptimalTreeClassifier


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([OptimalTreeClassifier(time_limit=5)])
def test_estimator_check(estimator, check):
    check(estimator)
