"""scikit-learn's own estimator checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [OptimalTreeClassifier(time_limit=5), OptimalTreeRegressor(max_depth=3)]
)
def test_estimator_check(estimator, check):
    check(estimator)
