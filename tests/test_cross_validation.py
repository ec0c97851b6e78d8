"""The penalty chosen by cross-validation."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from treeproof import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
)


@parametrize_with_checks(
    [
        OptimalTreeClassifierCV(OptimalTreeClassifier(max_depth=2), low=0.02),
        OptimalTreeRegressorCV(OptimalTreeRegressor(max_depth=2), low=0.02, cv=3),
    ]
)
def test_estimator_check(estimator, check):
    check(estimator)


def table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        rng.choice(list("abcd"), size=(n, 4)), columns=["one", "two", "three", "four"]
    )
    y = np.where((X["one"] == "a") ^ (X["two"] == "b"), "yes", "no")
    y[rng.random(n) < 0.15] = "no"
    return X, y


def test_scores_equal_a_grid_search():
    """At the penalties of the path's points, the folds' trees are separate fits."""
    X, y = table()
    base = OptimalTreeClassifier(categorical_split="one-vs-rest")
    model = OptimalTreeClassifierCV(base, low=0.01, cv=StratifiedKFold(4)).fit(X, y)
    grid = {"split_penalty": model.cv_results_["penalty"]}
    search = GridSearchCV(base, grid, cv=StratifiedKFold(4)).fit(X, y)
    ours, theirs = model.cv_results_, search.cv_results_
    # Trees of equal cost may score differently; on this table none do.
    for name in ("mean_test_score", "std_test_score", "rank_test_score"):
        np.testing.assert_allclose(ours[name], theirs[name])
    assert model.split_penalty_ == search.best_params_["split_penalty"]
    assert model.chosen_ is model.path_[model.best_index_]


def test_it_is_the_chosen_tree():
    X, y = table()
    model = OptimalTreeClassifierCV(low=0.01).fit(X, y)
    fit = OptimalTreeClassifier(model.split_penalty_).fit(X, y)
    assert model.objective_ == pytest.approx(fit.objective_)
    assert model.optimal_ and model.n_splits_ == fit.n_splits_
    assert (model.predict(X) == model.estimator_.predict(X)).all()
    assert model.predict_proba(X).shape == (len(y), 2)
    assert model.score(X, y) == pytest.approx(model.chosen_.score)
    assert list(model.classes_) == ["no", "yes"]
    assert "SELECT" in model.to_sql() or "CASE" in model.to_sql()
    assert model.near_optimal(0.0).count >= 1
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    assert not hasattr(clone(model), "estimator_") and not hasattr(model, "nonsense")


def test_one_standard_error_takes_a_smaller_tree():
    X, y = load_iris(return_X_y=True)
    base = OptimalTreeClassifier(max_depth=4)
    best = OptimalTreeClassifierCV(base, low=0.001).fit(X, y)
    small = OptimalTreeClassifierCV(base, low=0.001, one_standard_error=True).fit(X, y)
    assert small.n_splits_ <= best.n_splits_
    mean = best.cv_results_["mean_test_score"]
    folds = [best.cv_results_[f"split{k}_test_score"] for k in range(5)]
    error = np.std([f[best.best_index_] for f in folds], ddof=1) / np.sqrt(5)
    wanted = np.argmax(mean >= mean[best.best_index_] - error)
    assert small.best_index_ == wanted


def test_scoring_weights_and_jobs():
    X, y = table()
    w = np.random.default_rng(1).random(len(y))
    one = OptimalTreeClassifierCV(scoring="balanced_accuracy", low=0.01)
    two = clone(one).set_params(n_jobs=2)
    one.fit(X, y, w)
    two.fit(X, y, w)
    np.testing.assert_allclose(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"]
    )


def test_any_table():
    X, y = table(60)
    wanted = OptimalTreeClassifierCV(low=0.02).fit(X, y).cv_results_
    columns = {name: list(X[name]) for name in X}
    forms = [columns, X.to_dict("records"), X.to_numpy().tolist()]
    for module in ("polars", "pyarrow"):
        library = pytest.importorskip(module)
        make = library.DataFrame if module == "polars" else library.table
        forms.append(make(columns))
    for form in forms:
        found = OptimalTreeClassifierCV(low=0.02).fit(form, list(y)).cv_results_
        np.testing.assert_allclose(found["mean_test_score"], wanted["mean_test_score"])


def test_files_are_refused(tmp_path):
    pytest.importorskip("duckdb")
    X, y = table(20)
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="needs a table in memory"):
        OptimalTreeClassifierCV().fit(tmp_path / "t.csv", "y")


def test_regression():
    rng = np.random.default_rng(0)
    X = rng.random((90, 2))
    y = np.where(X[:, 0] > 0.4, 3.0, 0.0) + rng.normal(0, 0.3, 90)
    model = OptimalTreeRegressorCV(low=0.01, cv=KFold(3, shuffle=True, random_state=0))
    model.fit(X, y)
    assert model.n_splits_ == 1
    assert model.score(X, y) > 0.8
    assert model.estimator_.status_ == "optimal"


def test_selection_by_bound_takes_a_path():
    from treeproof import penalty_path
    from treeproof.generalization import select_by_bound

    X, y = table()
    path = penalty_path(X, y, low=0.01)
    selection = select_by_bound(X, y, path=path, stop_early=False)
    assert [point.n_leaves for point in selection] == [p.n_leaves for p in path]
    grid = select_by_bound(X, y, penalties=[p.penalty for p in path], stop_early=False)
    assert [p.bound for p in selection] == [p.bound for p in grid]
    assert selection.tree is path[selection.best].model


@pytest.mark.parametrize(
    ("model", "error", "sentence"),
    [
        (OptimalTreeClassifierCV(low=0.5, high=0.1), ValueError, "low=0.5 is above"),
        (OptimalTreeClassifierCV(OptimalTreeRegressor()), TypeError, "a classifier"),
        (OptimalTreeRegressorCV(OptimalTreeClassifier()), TypeError, "a regressor"),
    ],
)
def test_bad_parameters(model, error, sentence):
    with pytest.raises(error, match=sentence):
        model.fit([[0], [1]] * 10, [0, 1] * 10)
