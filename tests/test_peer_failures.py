"""What went wrong in other solvers of optimal trees must not go wrong here.

Each test is a failure that was seen in a published package, on the same small data.
"""

import copy
import io
import pickle
from contextlib import redirect_stdout

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

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
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[list("fedcba")])
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
