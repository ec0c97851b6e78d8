"""ObliqueTreeClassifier: exact, with true bounds, and a valid estimator."""

import os
import pickle
import signal
import threading
import warnings

import numpy as np
import pytest
from dichotomy_oracle import separable_sides
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from treeproof import ObliqueTreeClassifier, OptimalTreeClassifier
from treeproof.proper.separating_plane import separate, separate_exactly
from treeproof.proper.separator import find_surface
from treeproof.proper.surface import lift, monomials


def errors(clf, X, y):
    return int((clf.predict(X) != y).sum())


@parametrize_with_checks([ObliqueTreeClassifier(time_limit=2.0)])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def test_threads_do_not_change_the_optimum():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(45, 2)), rng.integers(0, 2, 45)
    objectives = {
        ObliqueTreeClassifier(max_splits=3, n_jobs=n).fit(X, y).objective_
        for n in (1, 2, 3)
    }
    assert len(objectives) == 1


def test_too_many_rules_are_counted_before_anything_is_computed():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"19,731,027 hyperplane rules.*fewer rows"):
        ObliqueTreeClassifier(on_too_many="raise").fit(X, y)
    with pytest.raises(ValueError, match="a lower degree"):
        ObliqueTreeClassifier("hypersurface", on_too_many="raise").fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Searching anytime"):
        clf = ObliqueTreeClassifier(time_limit=1.0, random_state=0).fit(X, y)
    # No tree of two splits has fewer than one error; see the benchmark.
    assert clf.lower_bound_ <= 1 / 150 + 1e-12 <= clf.objective_ + 1e-9
    assert errors(clf, X, y) == round(150 * clf.objective_)


def test_bounds_of_an_anytime_search_are_true():
    """Forced to work without the list of rules, it must bracket the true optimum."""
    rng = np.random.default_rng(6)
    for trial in range(4):
        X, y = rng.normal(size=(25, 2)), rng.integers(0, 2, 25)
        exact = ObliqueTreeClassifier().fit(X, y)
        with pytest.warns(ConvergenceWarning):
            rough = ObliqueTreeClassifier(
                max_candidates=50, time_limit=1.0, random_state=trial
            ).fit(X, y)
        assert rough.lower_bound_ <= exact.objective_ + 1e-12
        assert rough.objective_ >= exact.objective_ - 1e-12
        assert errors(rough, X, y) == round(25 * rough.objective_)


def hard_problem():
    rng = np.random.default_rng(7)
    return rng.normal(size=(300, 6)), rng.integers(0, 2, 300)


def test_time_limit_keeps_the_tree_and_a_true_gap():
    X, y = hard_problem()
    with pytest.warns(ConvergenceWarning, match="time limit"):
        clf = ObliqueTreeClassifier(max_splits=3, time_limit=0.5).fit(X, y)
    assert clf.status_ == "time_limit" and not clf.optimal_
    assert clf.gap_ == clf.objective_ - clf.lower_bound_ > 0
    assert errors(clf, X, y) == round(300 * clf.objective_)


@pytest.mark.parametrize("time_limit", [1e-4, 1e-3, 1e-2])
def test_hardly_any_time_still_gives_a_tree(time_limit):
    X, y = hard_problem()
    with pytest.warns(ConvergenceWarning, match="time limit"):
        clf = ObliqueTreeClassifier(max_splits=3, time_limit=time_limit).fit(X, y)
    assert clf.status_ == "time_limit" and clf.gap_ > 0
    assert errors(clf, X, y) == round(300 * clf.objective_)


def test_simpler_families_give_the_start_where_rules_cannot_be_listed():
    rng = np.random.default_rng(12)
    X, y = rng.normal(size=(30, 2)).round(1), rng.integers(0, 2, 30)
    thresholds = OptimalTreeClassifier(split_penalty=0, max_splits=2).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="hypersurface rules"):
        mixed = ObliqueTreeClassifier(
            "mixed", max_candidates=5_000, time_limit=3.0, random_state=0
        ).fit(X, y)
    assert mixed.objective_ <= thresholds.objective_ + 1e-12


def test_interrupt_keeps_the_tree():
    X, y = hard_problem()
    kick = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    kick.start()
    try:
        with pytest.warns(ConvergenceWarning, match="interrupted"):
            clf = ObliqueTreeClassifier(max_splits=3, time_limit=300).fit(X, y)
    finally:
        kick.cancel()
    assert clf.status_ == "interrupted"
    assert errors(clf, X, y) == round(300 * clf.objective_)


def test_bad_input_is_refused_with_a_sentence():
    clf = ObliqueTreeClassifier()
    with pytest.raises(ValueError, match="Column 1 contains NaN"):
        clf.fit([[0.0, np.nan], [1.0, 2.0]], [0, 1])
    with pytest.raises(ValueError, match="holds text such as 'red'"):
        clf.fit([["red"], ["blue"]], [0, 1])
    with pytest.raises(ValueError, match="overflow; rescale"):
        clf.fit([[1e200], [2.0]], [0, 1])
    with pytest.raises(ValueError, match=r"96,560,645 terms.*lower degree"):
        ObliqueTreeClassifier("mixed", degree=100).fit(np.eye(2, 5), [0, 1])
    with pytest.raises(ValueError, match="max_splits"):
        ObliqueTreeClassifier(max_splits=-1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="rules"):
        ObliqueTreeClassifier("circle").fit([[0.0], [1.0]], [0, 1])


def test_few_rows_constant_columns_and_single_classes():
    assert ObliqueTreeClassifier().fit([[1.0, 2.0]], ["a"]).predict([[9, 9]]) == ["a"]
    constant = ObliqueTreeClassifier().fit([[3.0, 3.0]] * 4, [0, 1, 1, 1])
    assert constant.optimal_ and constant.objective_ == 0.25
    few = ObliqueTreeClassifier(max_splits=9).fit(np.eye(3, 5), [0, 1, 0])
    assert few.optimal_ and few.objective_ == 0 and few.n_splits_ == 1
    none = ObliqueTreeClassifier(max_splits=0).fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    assert none.optimal_ and none.n_splits_ == 0 and none.export_text().startswith("0")


def test_text_names_the_columns():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"height": [0, 0, 1, 1], "width": [0, 1, 0, 1]})
    clf = ObliqueTreeClassifier(max_splits=1).fit(X, ["no", "no", "no", "yes"])
    assert "height + width <= 1.5: no   3 rows (75%), 0 wrong" in clf.export_text()
    assert clf.get_depth() == 1 and clf.get_n_leaves() == 2
    assert clf.predict_proba(X).tolist()[3] == [0.0, 1.0]
    swapped = clf.predict(X[["width", "height"]])  # columns are found by their names
    assert swapped.tolist() == clf.predict(X).tolist()


def test_paths_and_leaves_agree_and_models_can_be_saved():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(20, 2)), rng.integers(0, 2, 20)
    clf = ObliqueTreeClassifier(max_splits=2).fit(X, y)
    path = clf.decision_path(X).toarray()
    assert (path[np.arange(20), clf.apply(X)] == 1).all()
    assert (path[:, 0] == 1).all()
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict(X) == clf.predict(X)).all()


@pytest.mark.parametrize("rules", ["axis", "hyperplane", "hypersurface"])
def test_pictures(rules, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    rng = np.random.default_rng(9)
    X = rng.normal(size=(16, 2)).round(1)
    y = (X[:, 0] ** 2 + X[:, 1] > 0.5).astype(int)
    clf = ObliqueTreeClassifier(rules, max_splits=2, max_candidates=10**5).fit(X, y)
    for name, axes in (("regions", clf.plot(X, y)), ("tree", clf.plot_tree())):
        axes.figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
    wide = ObliqueTreeClassifier().fit(np.eye(4), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="two columns"):
        wide.plot()


def test_surfaces_separate_what_they_should():
    rng = np.random.default_rng(10)
    for degree in (1, 2):
        for _ in range(20):
            X = rng.normal(size=(12, 2)).round(2)
            w = rng.normal(size=len(monomials(2, degree)))
            heights = lift(X, monomials(2, degree)) @ w
            positive = heights > np.median(heights)
            surface = find_surface(X, positive, degree)
            assert ((surface.values(X) > 0) == positive).all()
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert find_surface(square, np.array([True, False, False, True]), 1) is None


def test_exact_separation_agrees_with_linear_programming():
    rng = np.random.default_rng(11)
    for _ in range(10):
        X = rng.integers(0, 3, size=(5, 2)) * 1.0
        points = np.unique(X, axis=0)
        found = {tuple(s.tolist()) for s in separable_sides(points)}
        for number in range(1, 2 ** (len(points) - 1)):
            side = np.array([number >> i & 1 == 0 for i in range(len(points))])
            side = side if side[0] else ~side
            if side.all():
                continue
            weights = separate_exactly(points, side)
            assert (weights is not None) == (tuple(side.tolist()) in found)


@pytest.mark.parametrize("n_rows", [300, 3000])
def test_separating_planes_with_few_and_many_points(n_rows):
    rng = np.random.default_rng(n_rows)
    Z = rng.normal(size=(n_rows, 5))
    heights = Z[:, 1] - 2 * Z[:, 3]
    Z = Z[np.abs(heights) > 0.2]
    positive = Z[:, 1] - 2 * Z[:, 3] > 0
    heights = Z @ separate(Z, positive)
    assert heights[positive].min() > heights[~positive].max()
    positive[np.abs(Z).sum(axis=1).argmin()] ^= True
    assert separate(Z, positive) is None
