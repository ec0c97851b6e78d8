"""Columns that repeat the target in other words draw a warning."""

import warnings

import numpy as np
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor


@pytest.fixture
def orders():
    rng = np.random.default_rng(0)
    late = rng.random(200) < 0.3
    return {"amount": rng.normal(size=200), "hour": rng.integers(0, 24, 200)}, late


@pytest.mark.parametrize(
    "copy",
    [
        lambda late: late.astype(int),
        lambda late: ~late,
        lambda late: np.where(late, "L", "-"),
        lambda late: np.where(late, 2.5, -1.0),
    ],
)
def test_a_copy_of_the_labels_is_named(orders, copy):
    X, late = orders
    y = np.where(late, "late", "on time")
    with pytest.warns(UserWarning, match="'flag' has one value for each class"):
        OptimalTreeClassifier().fit(X | {"flag": copy(late)}, y)


def test_what_only_resembles_the_labels_is_not_named(orders):
    X, late = orders
    flag = late.copy()
    flag[-1] = not flag[-1]
    parts = np.where(late, 2, np.arange(200) % 2)  # two values for one class
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifier(max_depth=1).fit(X | {"flag": flag}, late)
        OptimalTreeClassifier(max_depth=1).fit(X | {"parts": parts}, late)
        OptimalTreeClassifier(max_depth=1).fit({"flag": late}, late)  # nothing else
        few = {name: values[:40] for name, values in X.items()}
        OptimalTreeClassifier(max_depth=1).fit(few | {"flag": late[:40]}, late[:40])


def test_a_number_in_other_units_is_named(orders):
    X, _ = orders
    price = np.round(np.exp(X["amount"]) * 100, 2)
    for copy in (price * 1.2, -price, np.log(price)):
        with pytest.warns(UserWarning, match="'copy' puts the rows in the same order"):
            table = {"hour": X["hour"], "copy": copy}
            OptimalTreeRegressor(max_depth=1).fit(table, price)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rounded = np.round(price, -1)  # several prices for one value
        table = {"hour": X["hour"], "rounded": rounded}
        OptimalTreeRegressor(max_depth=1).fit(table, price)
