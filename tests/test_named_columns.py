"""Columns by name: any order at prediction, suggestions, numbers that count rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from treeproof import OptimalTreeClassifier
from treeproof.border.row_names import row_names_of
from treeproof.cli import app


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(list("xyz"), 80)})
    y = (X["a"] > 0) ^ (X["b"] == "x")
    return OptimalTreeClassifier(0.01).fit(X, y), X, y


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "dict"])
def test_columns_are_taken_by_name(fitted, kind):
    clf, X, y = fitted
    odd = X.assign(target=y, when=pd.Timestamp("2020-01-01"))[
        ["when", "b", "target", "a"]
    ]
    table = {
        "pandas": lambda: odd,
        "polars": lambda: pl.from_pandas(odd),
        "arrow": lambda: pa.Table.from_pandas(odd),
        "dict": lambda: {name: odd[name].tolist() for name in odd},
    }[kind]()
    assert clf.predict(table).tolist() == clf.predict(X).tolist()
    assert np.array_equal(clf.predict_proba(table), clf.predict_proba(X))
    assert np.array_equal(clf.encode(table), clf.encode(X))
    assert (clf.decision_path(table) != clf.decision_path(X)).nnz == 0
    assert clf.score(table, y) == clf.score(X, y)


def test_a_missing_column_is_refused(fitted):
    clf, X, _ = fitted
    with pytest.raises(ValueError, match="yet now missing:\n- b\n"):
        clf.predict(X[["a"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- B\n"):
        clf.predict(X.rename(columns={"b": "B"}))


@pytest.mark.parametrize(
    "values, name, found",
    [
        (np.arange(1001, 1061), "number", True),
        (np.random.default_rng(1).permutation(60), "place", True),
        (np.arange(60) * 3 + 7, "case_number", True),
        (np.arange(1950, 2010), "year", False),
        (np.arange(60) * 3, "size", False),
        (np.arange(60) // 2, "number", False),
    ],
)
def test_numbers_that_count_the_rows(values, name, found):
    assert bool(row_names_of({name: values, "x": [1, 2] * 30})) == found
    X = pd.DataFrame({name: values, "x": [1, 2] * 30})
    if found:
        with pytest.warns(UserWarning, match="has a number of its own for each"):
            OptimalTreeClassifier(max_depth=1).fit(X, [0, 1] * 30)


def test_similar_names_are_suggested(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Status,Age\na,1\nb,2\n")
    for command in ("fit", "path", "stream"):
        result = CliRunner().invoke(app, [command, str(path), "--target", "status"])
        assert "did you mean 'Status'?" in str(result.exception)
    frame = pd.read_csv(path)
    with pytest.raises(ValueError, match="did you mean 'Status'"):
        OptimalTreeClassifier().fit(frame, "Statis")
    with pytest.raises(ValueError, match="did you mean 'Age'"):
        OptimalTreeClassifier(first_split="age").fit(frame[["Age"]], frame["Status"])
