"""With `tolerance=`, a search may end at a gap, and the certificate states it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from treeproof import OptimalTreeClassifier, OptimalTreeRegressor


def noisy(n_rows: int = 400, n_columns: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, 0] + X[:, 1] > 0) ^ (rng.random(n_rows) < 0.2)
    return X, y.astype(int)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tolerance", [0.5, "99%"])
def test_a_search_ends_at_the_gap_without_a_warning(tolerance):
    X, y = noisy()
    model = OptimalTreeClassifier(tolerance=tolerance, time_limit=None).fit(X, y)
    assert model.status_ == "tolerance"
    assert not model.optimal_
    assert 0 < model.gap_ <= 0.5
    words = "0.5" if tolerance == 0.5 else "99% of the cost"
    assert f"within the tolerance of {words}" in model.certificate()
    assert "Optimal" not in model.certificate()


def test_the_bound_still_holds():
    X, y = noisy(150, 3)
    exact = OptimalTreeClassifier(0.02, max_depth=3).fit(X, y)
    assert exact.optimal_
    for tolerance in (0.01, 0.05, 0.2, "20%"):
        near = OptimalTreeClassifier(0.02, max_depth=3, tolerance=tolerance).fit(X, y)
        assert near.lower_bound_ <= exact.objective_ <= near.objective_
        allowed = tolerance if isinstance(tolerance, float) else 0.2 * near.objective_
        assert near.gap_ <= allowed + 1e-12


def test_numbers_to_predict():
    X, _ = noisy(200, 3)
    y = X[:, 0] + np.abs(X[:, 1])
    exact = OptimalTreeRegressor(0.02, max_depth=3).fit(X, y)
    near = OptimalTreeRegressor(0.02, max_depth=3, tolerance="50%").fit(X, y)
    assert near.lower_bound_ <= exact.objective_ <= near.objective_ + 1e-12
    assert near.optimal_ or near.gap_ <= 0.5 * near.objective_


def test_costs_are_in_the_unit_of_the_user():
    X, y = noisy(200, 3)
    matrix = [[0.0, 30.0], [100.0, 0.0]]
    options = {"cost_matrix": matrix, "max_depth": 3, "split_penalty": 1.0}
    exact = OptimalTreeClassifier(**options).fit(X, y)
    near = OptimalTreeClassifier(**options, tolerance=15.0).fit(X, y)
    assert near.gap_ <= 15.0
    assert near.lower_bound_ <= exact.objective_


@pytest.mark.parametrize("tolerance", ["much", "-1%", "120%", ""])
def test_bad_tolerances_get_one_sentence(tolerance):
    X, y = noisy(20, 2)
    with pytest.raises(ValueError, match="is neither a gap nor a percentage"):
        OptimalTreeClassifier(tolerance=tolerance).fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [{"solver": "branches"}, {"shape": "list", "max_depth": 2}, {"first_split": 0}],
)
def test_what_it_does_not_go_with(parameters):
    X, y = noisy(20, 2)
    with pytest.raises(ValueError, match="tolerance cannot be combined with"):
        OptimalTreeClassifier(tolerance=0.1, **parameters).fit(X > 0, y)


def test_on_the_command_line(treeproof, tmp_path):
    X, y = noisy(200, 4)
    table = tmp_path / "table.csv"
    rows = "\n".join(
        ",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)
    )
    table.write_text("a,b,c,d,y\n" + rows)
    _, out, _ = treeproof(
        "fit", str(table), "--target", "y", "--tolerance", "90%", "--json"
    )
    answer = json.loads(out)
    assert answer["status"] in ("tolerance", "optimal")
    assert answer["objective"] - answer["lower_bound"] <= 0.9 * answer["objective"]
