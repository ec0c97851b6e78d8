"""Every bad input gets one clear sentence and the right exception."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from treeproof import OptimalTreeClassifier
from treeproof.border.raw import read_raw_table
from treeproof.border.table import encode_table

X = np.array([[0, 1.0], [1, 2.0], [0, 3.0], [1, 4.0]])
Y = np.array([0, 1, 0, 1])
NAN, INF = float("nan"), float("inf")


def frame(**columns):
    return pd.DataFrame(columns)


TABLES = [
    ("no rows", np.empty((0, 2)), ValueError, "0 sample"),
    ("no columns", np.empty((4, 0)), ValueError, "0 feature"),
    ("empty frame", pd.DataFrame(), ValueError, "0 feature"),
    ("frame without rows", frame(a=[], b=[]), ValueError, "0 sample"),
    ("empty list", [], ValueError, "Reshape your data"),
    ("one dimension", np.arange(4.0), ValueError, "Reshape your data"),
    ("scalar", np.array(3.0), ValueError, "Reshape your data"),
    ("a series", pd.Series([1, 2, 3, 4]), ValueError, "Reshape your data"),
    ("three dimensions", np.zeros((4, 2, 2)), ValueError, "dim 3"),
    ("ragged rows", [[1, 2], [3], [4, 5], [6, 7]], ValueError, "row 1 has 1"),
    ("sparse", sparse.csr_matrix(X), TypeError, "toarray"),
    ("complex", X + 1j, ValueError, "Complex data not supported"),
    ("lazy frame", pl.LazyFrame({"a": [1, 2]}), TypeError, "collect"),
    ("not a table", 7, ValueError, "Reshape your data"),
    ("None", None, ValueError, "Reshape your data"),
    ("NaN in array", np.where(X == 3, NAN, X), ValueError, "Column 1 contains NaN.*2"),
    (
        "NaN in frame",
        frame(a=[1.0, NAN, 2, NAN], b=[1, 2, 3, 4]),
        ValueError,
        r"Column 'a' contains NaN in 2 rows \(first: row 1\).*SimpleImputer",
    ),
    (
        "None in text",
        frame(a=["x", None, "y", "y"]),
        ValueError,
        "Column 'a' contains NaN or None in 1 row .*row 1.*Fill them in",
    ),
    (
        "NA in a nullable column",
        pd.DataFrame({"a": pd.array([1, None, 2, 3], dtype="Int64")}),
        ValueError,
        "Column 'a' contains NaN",
    ),
    (
        "missing category",
        frame(a=pd.Categorical(["x", None, "y", "y"])),
        ValueError,
        "Column 'a' contains NaN or None in 1 row",
    ),
    (
        "null in Polars numbers",
        pl.DataFrame({"a": [1, None, 2, 3]}),
        ValueError,
        "Column 'a' contains NaN",
    ),
    (
        "null in Polars text",
        pl.DataFrame({"a": ["x", None, "y", "y"]}),
        ValueError,
        "Column 'a' contains NaN or None",
    ),
    (
        "infinity",
        frame(a=[1.0, 2, INF, 3]),
        ValueError,
        r"Column 'a' contains infinity in 1 row \(first: row 2\)",
    ),
    (
        "durations",
        frame(took=pd.to_timedelta([1, 2, 3, 4], unit="s")),
        TypeError,
        "Column 'took' holds dates or times",
    ),
    (
        "mixed text and numbers",
        frame(a=pd.Series(["x", 1, "y", 2], dtype=object)),
        TypeError,
        "Column 'a' mixes text such as 'x' with other values such as 1",
    ),
    (
        "unhashable",
        frame(a=pd.Series([[1], [2], [1], [3]], dtype=object)),
        TypeError,
        r"Column 'a' holds \[1\], a list",
    ),
    (
        "dictionaries",
        np.array([[{"k": 1}], [2], [3], [4]], dtype=object),
        TypeError,
        "Column 0 holds {'k': 1}, a dict",
    ),
    (
        "nested Polars column",
        pl.DataFrame({"a": [[1], [2], [1], [3]]}),
        TypeError,
        "Column 'a' has the type List",
    ),
    (
        "duplicate names",
        pd.DataFrame(X, columns=["a", "a"]),
        ValueError,
        "more than one column named 'a'",
    ),
    (
        "names of mixed types",
        pd.DataFrame(X, columns=["a", 1]),
        TypeError,
        "all input features have string names",
    ),
    (
        "masked values",
        np.ma.masked_array(X, mask=X == 3),
        ValueError,
        "Column 1 contains NaN in 1 row .first: row 2",
    ),
    (
        "dictionaries that differ",
        [{"a": 1}, {"a": 2}, {"b": 3}, {"a": 4}],
        ValueError,
        "different keys: row 0 has .'a'., row 2 is",
    ),
    (
        "columns of unequal length",
        {"a": [1, 2, 3, 4], "b": [1, 2]},
        ValueError,
        "'a' has 4 rows, 'b' has 2",
    ),
]  # fmt: skip


@pytest.mark.parametrize("table, error, words", [t[1:] for t in TABLES],
                         ids=[t[0] for t in TABLES])  # fmt: skip
def test_bad_tables(table, error, words):
    with pytest.raises(error, match=words):
        OptimalTreeClassifier(missing="error").fit(table, Y)


LABELS = [
    ("None", None, ValueError, "requires y to be passed"),
    ("too few", Y[:3], ValueError, r"inconsistent numbers of samples: \[4, 3\]"),
    ("too many", [0] * 9, ValueError, r"\[4, 9\]"),
    ("two columns", np.zeros((4, 2)), ValueError, "y should be a 1d array"),
    ("fractions", [0.1, 0.9, 0.1, 0.9], ValueError, "Unknown label type: .*0.1"),
    ("NaN", [0.0, NAN, 1.0, 1.0], ValueError, "y contains NaN .*row 1"),
    ("None among text", ["a", None, "b", "b"], ValueError, "y contains NaN or None"),
    ("infinity", [0.0, INF, 1.0, 1.0], ValueError, "y contains infinity"),
    ("mixed", ["a", 1, "b", 2], ValueError, "Unknown label type: .*int, str"),
    ("complex", [1j, 2j, 1j, 2j], ValueError, "Unknown label type"),
    ("dates", np.array(["2024-01-01"] * 4, "M8[D]"), ValueError, "Unknown label type"),
    ("lists", [[1], [2, 3], [1], [1]], ValueError, "single values"),
]


@pytest.mark.parametrize("labels, error, words", [t[1:] for t in LABELS],
                         ids=[t[0] for t in LABELS])  # fmt: skip
def test_bad_labels(labels, error, words):
    with pytest.raises(error, match=words):
        OptimalTreeClassifier().fit(X, labels)


WEIGHTS = [
    ("NaN", [1, NAN, 1, 1], "sample_weight contains NaN .*row 1"),
    ("infinite", [1, 1, INF, 1], "sample_weight contains infinity .*row 2"),
    ("negative", [1, 1, 1, -2], "negative weight .-2 in row 3"),
    ("all zero", [0, 0, 0, 0], "zero for every row"),
    ("too few", [1, 1], r"sample_weight.shape == \(2,\), expected \(4,\)"),
    ("two-dimensional", np.ones((4, 2)), "1D"),
    ("text", ["a", "b", "c", "d"], "must be numbers"),
]


@pytest.mark.parametrize("weights, words", [t[1:] for t in WEIGHTS],
                         ids=[t[0] for t in WEIGHTS])  # fmt: skip
def test_bad_weights(weights, words):
    with pytest.raises(ValueError, match=words):
        OptimalTreeClassifier().fit(X, Y, sample_weight=weights)


PARAMETERS = [
    ({"max_depth": -1}, "max_depth"),
    ({"max_depth": 1.5}, "max_depth"),
    ({"max_splits": -1}, "max_splits"),
    ({"min_samples_leaf": 0}, "min_samples_leaf"),
    ({"split_penalty": -0.1}, "split_penalty"),
    ({"split_penalty": 1.1}, "split_penalty"),
    ({"split_penalty": NAN}, "split_penalty"),
    ({"split_penalty": "0.1"}, "split_penalty"),
    ({"solver": "magic"}, "solver.*magic"),
    ({"categorical_split": "binary"}, "categorical_split"),
    ({"time_limit": 0}, "time_limit"),
    ({"time_limit": -3}, "time_limit"),
    ({"memory_limit": 0}, "memory_limit"),
    ({"memory_limit": "lots"}, "'lots' is not an amount of memory"),
    ({"memory_limit": "-1GB"}, "not an amount of memory"),
    ({"n_jobs": 0}, "n_jobs"),
    ({"class_weight": "even"}, "class_weight"),
    ({"class_weight": {0: -1}}, "class_weight gives class 0 the weight -1"),
    ({"class_weight": {0: "a"}}, "class_weight gives class 0"),
    ({"class_weight": {"a": 2}}, "class_weight names .'a'., none of which is a class"),
    ({"class_weight": {0: 0, 1: 0}}, "class_weight is zero for every class"),
    ({"categorical_features": "all"}, "categorical_features"),
    ({"categorical_features": [5]}, "column number 5, but X has the columns 0 to 1"),
    ({"categorical_features": [-1]}, "column number -1"),
    ({"categorical_features": [True]}, "mask of length 1, but X has 2"),
    ({"categorical_features": ["a"]}, "X has no column names"),
    ({"categorical_features": [[0]]}, "categorical_features must be"),
    ({"categorical_features": [0.5]}, "categorical_features must be"),
]


@pytest.mark.parametrize(
    "parameters, words", PARAMETERS, ids=[str(p[0]) for p in PARAMETERS]
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words):
        OptimalTreeClassifier(**parameters).fit(X, Y)


def test_an_unknown_categorical_name():
    with pytest.raises(ValueError, match="names the column 'c', which X does not"):
        OptimalTreeClassifier(categorical_features=["c"]).fit(frame(a=[1, 2, 3, 4]), Y)


def test_text_that_is_not_listed_as_categorical():
    table = frame(a=["1", "2", "x", "4"], b=["p", "q", "p", "q"])
    with pytest.raises(
        ValueError, match="Column 'a' holds text such as 'x' but is not"
    ):
        OptimalTreeClassifier(categorical_features=["b"]).fit(table, Y)
    with pytest.raises(ValueError, match="Column 'a' holds text"):
        OptimalTreeClassifier(categorical_features=None).fit(table, Y)


def test_too_many_categories():
    table = frame(code=[f"c{i}" for i in range(65_536)])
    with pytest.raises(ValueError, match="Column 'code' has 65536 categories, more"):
        OptimalTreeClassifier().fit(table, np.zeros(65_536, dtype=int))


def test_the_most_categories():
    raw = read_raw_table({"code": [f"c{i}" for i in range(65_535)]})
    assert encode_table(raw, "from_dtype", "multiway").n_values.tolist() == [65_535]


@pytest.mark.parametrize(
    "table, words",
    [
        (frame(a=[1.0]), "now missing:\n- b"),
        (frame(a=[1.0], c=[1.0]), "unseen at fit time:\n- c"),
        (frame(a=["x"], b=[1.0]), "Column 'a' held numbers .*text such as 'x'"),
        (frame(a=[NAN], b=[1.0]), "Column 'a' contains NaN"),
    ],
)
def test_wrong_columns_at_predict(table, words):
    model = OptimalTreeClassifier(missing="error")
    model.fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    for method in (model.predict, model.predict_proba, model.apply, model.encode):
        with pytest.raises(ValueError, match="(?s)" + words):
            method(table)


def test_numbers_where_text_was():
    model = OptimalTreeClassifier().fit(frame(a=["x", "y", "x", "y"]), Y)
    with pytest.raises(
        ValueError, match=r"held text such as 'x'.*numbers such as 1 now"
    ):
        model.predict(frame(a=[1, 2]))


def test_wrong_number_of_columns_at_predict():
    model = OptimalTreeClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2"):
        model.predict(np.zeros((2, 3)))


def test_names_that_come_and_go_are_warned_of():
    named = pd.DataFrame(X, columns=["a", "b"])
    with pytest.warns(UserWarning, match="fitted without feature names"):
        OptimalTreeClassifier().fit(X, Y).predict(named)
    with pytest.warns(UserWarning, match="fitted with feature names"):
        OptimalTreeClassifier().fit(named, Y).predict(X)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "encode"])
def test_not_fitted(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(OptimalTreeClassifier(), method)(X)


@pytest.mark.parametrize("method", ["get_depth", "export_text", "to_sklearn"])
def test_not_fitted_without_argument(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(OptimalTreeClassifier(), method)()
