"""Streams that begin without columns or values, and rows of another form."""

from __future__ import annotations

import copy
import math
import pickle
import random

import pytest
from effort import rounds
from fuzz_streams import LEARNERS, feed, random_rows


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("first", [
    [{"a": None}],
    [{"a": None}, {"a": math.nan}, {"c": None}, {"a": None}],
    [{"a": None, "b": None}] * 5,
])  # fmt: skip
def test_rows_in_which_nothing_is_known(learner, first):
    """The first column with a value may come after many rows."""
    model = LEARNERS[learner]()
    for row in first:
        model.learn_one(row, "q")
    for k in range(60):
        model.learn_one({"a": k % 3, "b": 0.5 * (k % 5)}, "pq"[k % 3 == 1])
    assert model.predict_one({"a": 1, "b": 1.0}) in ("p", "q")
    assert model.predict_one({"c": None}) in ("p", "q")
    with pytest.raises(ValueError, match="x is empty"):
        model.learn_one({}, "q")
    shares = model.predict_proba_one({"a": 0})
    assert sum(shares.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("learner", LEARNERS)
def test_columns_that_appear_later(learner):
    model = LEARNERS[learner]()
    for k in range(120):
        row = {f"c{j}": (k + j) % 3 for j in range(1 + k // 30)}
        model.learn_one(row | ({"x": k / 7} if k > 40 else {}), k % 2)
    assert model.predict_one({"c0": 1, "c3": 2, "x": 1.0, "new": 5}) in (0, 1)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "value", [10**400, -(10**400), "text", b"bytes", (1, 2), 1e308]
)
def test_changes_of_type_are_read_or_refused(learner, value):
    """A value that a column cannot have is refused in words, and nothing breaks."""
    model = LEARNERS[learner]()
    for k in range(30):
        model.learn_one({"n": k / 3, "c": k % 2}, k % 2)
    for row in ({"n": value}, {"c": value}, {"new": value}):
        try:
            model.learn_one(row, 1)
        except (TypeError, ValueError) as error:
            assert "Feature" in str(error)
    for k in range(30):
        model.learn_one({"n": k / 3, "c": k % 2}, k % 2)
    assert model.predict_one({"n": 1.0}) in (0, 1)


@pytest.mark.parametrize("learner", LEARNERS)
def test_random_streams(learner):
    for seed in range(rounds(15, 300)):
        feed(LEARNERS[learner](), random_rows(random.Random(seed)))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_copy_of_a_learner_that_knows_no_column(learner):
    model = LEARNERS[learner]()
    model.learn_one({"a": None}, "q")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        other.learn_one({"a": 1}, "q")
        assert other.predict_one({"a": 1}) == "q"


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_copy_after_a_refused_row_knows_its_columns(learner):
    """A refused row may name new columns, which a copy made next must know."""
    model = LEARNERS[learner]()
    model.learn_one({"a": 0}, "p")
    with pytest.raises(TypeError, match="Feature 'z'"):
        model.learn_one({"a": 0, **{f"b{j}": 0.5 for j in range(40)}, "z": [1]}, "p")
    other = pickle.loads(pickle.dumps(model))
    for k in range(600):
        row = {"a": 0, "b0": 0.5 + k % 2}
        for each in (model, other):
            each.learn_one(row, "pq"[k % 2])
    for each in (model, other):
        assert each.predict_one({"a": 0, "b0": 0.5}) == "p"
        assert each.predict_one({"a": 0, "b0": 1.5}) == "q"
    assert pickle.dumps(other) == pickle.dumps(model)
