"""What went wrong in other solvers of optimal trees must not go wrong here.

Each test is a failure that was seen in a published package (STreeD, ConTree, GOSDT,
DL8.5, TreeFARMS, OSRT, ODTLearn), on the same small data where it depends on data.

====================================== ===============================================
failure seen elsewhere                 test here
====================================== ===============================================
crash on labels -1/+1; predictions of  test_labels_other_than_zero_and_one
classes that do not exist
abort on constant or empty tables      test_constant_and_empty_tables_do_not_crash
abort when memory ends; no limit on it test_memory_ends_with_a_tree
optimum that depends on row order      test_row_order_does_not_matter_for_categories
numbers and text cast to bool          test_numbers_are_not_cast_to_bool, test_text_...
numbers truncated to whole ones        test_numbers_are_not_truncated
fractional labels truncated            test_fractional_labels_are_refused
weights of an earlier fit kept         test_weights_of_an_earlier_fit_are_forgotten
penalty ignored without a word         test_the_penalty_is_not_ignored
lengths that differ, permuted and      test_lengths_must_agree, test_columns_must_agree
missing columns accepted
negative depth and penalty accepted    test_negative_depth_and_penalty_are_refused
parameters rewritten by fit            test_parameters_are_not_rewritten
broken by the next scikit-learn        test_only_public_imports_of_scikit_learn, and all
                                       of tests/test_sklearn_checks.py
probabilities indexed by label         test_probabilities_for_any_classes
models that cannot be pickled or       test_models_can_be_pickled_and_copied,
copied, or carry the training data     test_models_do_not_carry_the_training_data
is_classifier false, fit not checked   test_it_is_a_classifier_and_knows_when_it_...
output on every fit, bounds left at 0, test_nothing_is_printed_and_bounds_are_filled_in,
"no time-out" after a time-out         test_a_time_out_is_said
heavy or vanished dependencies         test_few_dependencies
licensed or hand-built solver needed   test_few_dependencies (none is a solver)
messages about internals               test_messages_say_what_to_do,
                                       test_wrong_column_count_is_named, and
                                       tests/test_bad_input_sentences.py
Ctrl-C and the clock ignored, the      tests/test_hard_knocks.py, and
interpreter lock held                  test_a_time_out_is_said
worse than greedy when stopped         test_stopped_early_is_no_worse_than_greedy
more trees than one can list           the best trees are counted and drawn, not listed:
                                       see the tests of n_best and of the explorer
NaN silently takes a branch, unfitted  test_missing_values_are_no_accident,
streams predict None                   tests/test_stream_learners.py
====================================== ===============================================
"""

import copy
import importlib.metadata
import io
import pickle
import re
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.tree import DecisionTreeClassifier

import treeproof
from treeproof import OptimalTreeClassifier

random = np.random.default_rng(0)
X = random.integers(0, 2, (200, 6))
Y = (X[:, 0] & X[:, 1]) | X[:, 2]


@pytest.mark.parametrize("labels", [Y * 2 - 1, Y * 2 + 3])
def test_labels_other_than_zero_and_one(labels):
    """Two solvers crash on -1/+1, one predicts a class that does not exist."""
    model = OptimalTreeClassifier(max_depth=3).fit(X, labels)
    assert set(model.predict(X)) == set(labels)
    assert model.score(X, labels) == 1.0
    assert model.predict_proba(X).shape == (200, 2)


def test_row_order_does_not_matter_for_categories():
    """One solver keeps the first categories it meets and lumps the others."""
    city = np.array([f"c{i}" for i in random.integers(0, 8, 200)])
    y = np.isin(city, ["c1", "c6"])
    found = set()
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(200)
        frame = pd.DataFrame({"city": city[order]})
        model = OptimalTreeClassifier().fit(frame, y[order])
        assert model.optimal_ and model.score(frame, y[order]) == 1.0
        found.add(model.objective_)
    assert len(found) == 1


def test_numbers_are_not_cast_to_bool():
    """One solver turns 0.3 into True and calls the result optimal."""
    numbers = random.random((200, 3))
    y = (numbers[:, 0] > 0.5).astype(int)
    model = OptimalTreeClassifier(split_penalty=0.02).fit(numbers, y)
    assert model.optimal_ and model.n_splits_ == 1
    assert model.objective_ == pytest.approx(0.02)


def test_text_is_not_cast_to_bool():
    table = np.where(X == 1, "yes", "no").astype(object)
    assert OptimalTreeClassifier(0.01).fit(table, Y).score(table, Y) == 1.0


def test_numbers_are_not_truncated():
    """One solver fits on all-zero columns when given numbers below one."""
    numbers = random.random((60, 2)) * 0.9
    model = OptimalTreeClassifier(max_depth=2, split_penalty=0.01)
    assert model.fit(numbers, (numbers[:, 0] > 0.4).astype(int)).n_splits_ == 1


def test_fractional_labels_are_refused():
    """Two solvers make all labels 0 and report an accuracy of one."""
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        OptimalTreeClassifier().fit(X, np.where(Y, 0.9, 0.1))


@pytest.mark.parametrize("names", [[3, 5], ["a", "b", "c"], ["no", "yes"]])
def test_probabilities_for_any_classes(names):
    """Others index by the label's value."""
    y = np.array(names)[np.arange(200) % len(names)]
    share = OptimalTreeClassifier(0.05, max_depth=2).fit(X, y).predict_proba(X)
    assert share.shape == (200, len(names))
    assert np.allclose(share.sum(axis=1), 1)


def test_weights_of_an_earlier_fit_are_forgotten():
    weights = random.random(200) + Y * 20
    model = OptimalTreeClassifier(0.1).fit(X, Y, sample_weight=weights)
    model.fit(X, Y)
    assert model.tree_ == OptimalTreeClassifier(0.1).fit(X, Y).tree_


def test_the_penalty_is_not_ignored():
    assert OptimalTreeClassifier(0.9, max_depth=3).fit(X, Y).get_n_leaves() == 1


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[200, 50"):
        OptimalTreeClassifier().fit(pd.DataFrame(X), pd.Series(Y[:50]))


def test_columns_must_agree():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = OptimalTreeClassifier().fit(frame, Y)
    swapped = model.predict(frame[list("fedcba")])  # columns are found by their names
    assert (swapped == model.predict(frame)).all()
    with pytest.raises(ValueError, match="now missing"):
        model.predict(frame[list("abc")])


def test_negative_depth_and_penalty_are_refused():
    with pytest.raises(ValueError, match="max_depth"):
        OptimalTreeClassifier(max_depth=-1).fit(X, Y)
    with pytest.raises(ValueError, match="split_penalty"):
        OptimalTreeClassifier(-1).fit(X, Y)


def test_parameters_are_not_rewritten():
    model = OptimalTreeClassifier(0.001, max_depth=4)
    before = copy.deepcopy(model.get_params())
    model.fit(X[:50], Y[:50])
    assert model.get_params() == before == clone(model).get_params()


def test_models_can_be_pickled_and_copied(tmp_path):
    model = OptimalTreeClassifier().fit(X, Y)
    joblib.dump(model, tmp_path / "model")
    for other in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        joblib.load(tmp_path / "model"),
    ):
        assert np.array_equal(other.predict(X), model.predict(X))
        assert other.tree_ == model.tree_


def test_it_is_a_classifier_and_knows_when_it_is_fitted():
    assert is_classifier(OptimalTreeClassifier())
    with pytest.raises(NotFittedError):
        OptimalTreeClassifier().predict(X)


def test_nothing_is_printed_and_bounds_are_filled_in():
    with redirect_stdout(io.StringIO()) as printed:
        model = OptimalTreeClassifier().fit(X, Y)
    assert printed.getvalue() == ""
    assert model.lower_bound_ == model.objective_ > 0


def test_constant_and_empty_tables_do_not_crash():
    """Two solvers abort the interpreter."""
    ones = pd.DataFrame(np.ones((100, 2), dtype=int), columns=["a", "b"])
    y = random.integers(0, 2, 100)
    model = OptimalTreeClassifier().fit(ones, y)
    assert model.n_splits_ == 0 and model.optimal_
    with pytest.raises(ValueError, match="0 sample"):
        OptimalTreeClassifier().fit(ones[:0], y[:0])


def test_memory_ends_with_a_tree():
    """Others end in SIGABRT, or in MemoryError without a tree."""
    noise = np.random.default_rng(1)
    X_hard, y_hard = noise.integers(0, 2, (500, 24)), noise.integers(0, 2, 500)
    model = OptimalTreeClassifier(
        0.004, max_depth=5, memory_limit=1_000_000, time_limit=0.5
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X_hard, y_hard)
    assert model.status_ in ("optimal", "time_limit", "memory_limit")
    assert model.lower_bound_ <= model.objective_ <= 0.5
    assert len(model.predict(X_hard)) == 500


def test_a_time_out_is_said():
    """One solver says after a time-out that there was none, others say nothing."""
    noise = np.random.default_rng(2)
    X_hard, y_hard = noise.integers(0, 2, (1500, 45)), noise.integers(0, 2, 1500)
    model = OptimalTreeClassifier(0.002, max_depth=5, time_limit=0.2)
    with pytest.warns(ConvergenceWarning, match="the time limit was reached"):
        model.fit(X_hard, y_hard)
    assert model.status_ == "time_limit" and not model.optimal_
    assert model.gap_ > 0 and model.lower_bound_ > 0


def test_stopped_early_is_no_worse_than_greedy():
    """The trees of three solvers at a time-out are worse than CART's."""
    noise = np.random.default_rng(3)
    X_hard, y_hard = noise.integers(0, 2, (600, 40)), noise.integers(0, 2, 600)
    model = OptimalTreeClassifier(0.0, max_depth=4, time_limit=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X_hard, y_hard)
    cart = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X_hard, y_hard)
    assert model.score(X_hard, y_hard) >= cart.score(X_hard, y_hard)


def test_models_do_not_carry_the_training_data():
    """A model of many rows is no larger than one of few."""
    sizes = []
    for n in (200, 20_000):
        many = np.random.default_rng(4).integers(0, 2, (n, 6))
        model = OptimalTreeClassifier().fit(
            many, (many[:, 0] & many[:, 1]) | many[:, 2]
        )
        sizes.append([len(pickle.dumps(model)), len(model.to_json())])
    few, many_rows = np.array(sizes)
    assert (many_rows < few + 1000).all() and (many_rows < 40_000).all()


def test_only_public_imports_of_scikit_learn():
    """One solver broke on an argument that had been renamed."""
    private = re.compile(r"from sklearn\S*\._|import sklearn\S*\._")
    allowed = (
        "from sklearn.utils._param_validation import"  # pinned by a test of its own
    )
    package = Path(treeproof.__file__).parent
    for path in package.rglob("*.py"):
        for line in path.read_text().splitlines():
            assert not private.search(line) or line.lstrip().startswith(allowed), path


def test_few_dependencies():
    """No solver, no licence, no big-number library, nothing that Python has dropped."""
    needed = {
        re.match(r"[\w-]+", requirement)[0]
        for requirement in importlib.metadata.requires("treeproof")
        if "extra ==" not in requirement
    }
    assert needed <= {"numpy", "scikit-learn", "narwhals", "typer", "rich"}


def test_missing_values_are_no_accident():
    """A library of streams sends NaN to the right without a word."""
    gaps = np.where(X == 1, np.nan, X.astype(float))
    model = OptimalTreeClassifier().fit(gaps, Y)
    assert model.optimal_ and model.score(gaps, Y) == 1.0
    assert "missing" in model.export_text()


@pytest.mark.parametrize(
    "X_bad, y_bad, words",
    [
        (X.tolist(), ["yes" if v else "no" for v in Y], None),
        (np.where(X == 1, np.inf, X), Y, "Column 0 contains infinity"),
        (X[:, 0], Y, "Reshape your data"),
    ],
)
def test_messages_say_what_to_do(X_bad, y_bad, words):
    model = OptimalTreeClassifier()
    if words is None:
        assert model.fit(X_bad, y_bad).score(X_bad, y_bad) == 1.0
    else:
        with pytest.raises(ValueError, match=words):
            model.fit(X_bad, y_bad)


def test_wrong_column_count_is_named():
    model = OptimalTreeClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* 6 features"):
        model.predict(X[:, :3])
