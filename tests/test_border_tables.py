"""Tables of every kind give the same codes, and ranks are right."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from treeproof import OptimalTreeClassifier
from treeproof.border import Wanted, read_classification_data
from treeproof.border.ranks import midpoint, rank_columns
from treeproof.border.raw import read_raw_table
from treeproof.border.table import encode_table

COLUMNS = {
    "age": [31.5, 22.0, 47.25, 22.0, 60.0, 31.5],
    "visits": [3, 0, 12, 3, 0, 1],
    "colour": ["red", "blue", "red", "green", "blue", "red"],
    "member": [True, False, True, True, False, False],
}
Y = ["yes", "no", "yes", "no", "no", "yes"]


def encode(X, **options):
    data = read_classification_data(SimpleNamespace(), X, Y, wanted=Wanted(**options))
    return data.table


def containers():
    frame = pd.DataFrame(COLUMNS)
    rows = [list(row) for row in zip(*COLUMNS.values(), strict=True)]
    return {
        "pandas": frame,
        "pandas-object": frame.astype(object),
        "pandas-category": frame.astype({"colour": "category"}),
        "pandas-nullable": frame.convert_dtypes(),
        "pandas-arrow": frame.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.DataFrame(COLUMNS),
        "polars-categorical": pl.DataFrame(COLUMNS).cast({"colour": pl.Categorical}),
        "arrow": pa.table(COLUMNS),
        "arrow-dictionary": pa.table(
            {**COLUMNS, "colour": pa.array(COLUMNS["colour"]).dictionary_encode()}
        ),
        "mapping": COLUMNS,
        "records": frame.to_dict("records"),
        "rows": rows,
        "object-array": np.array(rows, dtype=object),
    }


@pytest.mark.parametrize("name", list(containers()))
def test_every_container_gives_the_same_codes(name):
    table = encode(containers()[name])
    assert table.codes.tolist() == [
        [1, 0, 2, 0, 3, 1],
        [2, 0, 3, 2, 0, 1],
        [2, 0, 2, 1, 0, 2],
        [1, 0, 1, 1, 0, 0],
    ]
    assert table.kinds.tolist() == [0, 0, 1, 1]
    assert table.n_values.tolist() == [4, 4, 3, 2]
    assert table.columns[2].categories.tolist() == ["blue", "green", "red"]
    assert table.codes.flags.c_contiguous and table.codes.dtype == np.int32
    named = name not in ("rows", "object-array")
    assert table.columns[0].name == ("age" if named else "x0")


@pytest.mark.parametrize("name", list(containers()))
def test_every_container_predicts_the_same(name):
    model = OptimalTreeClassifier(split_penalty=0.02).fit(pd.DataFrame(COLUMNS), Y)
    with_names = OptimalTreeClassifier(split_penalty=0.02).fit(containers()[name], Y)
    assert with_names.predict(containers()[name]).tolist() == (
        model.predict(pd.DataFrame(COLUMNS)).tolist()
    )
    assert with_names.objective_ == model.objective_


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int32, np.uint64, np.float16, np.float32]
)
def test_every_number_type(dtype):
    X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]).astype(dtype)
    model = OptimalTreeClassifier(split_penalty=0.0).fit(X, [0, 1, 1, 0])
    assert model.predict(X).tolist() == [0, 1, 1, 0]


def test_wide_small_integers_do_not_overflow():
    X = np.array([[-128], [127], [0]], dtype=np.int8)
    codes, distinct = rank_columns(X)
    assert codes.tolist() == [[0, 2, 1]]
    assert distinct[0].tolist() == [-128, 0, 127]


def test_whole_numbers_beyond_doubles():
    big = 2**60
    X = np.array([[big], [big + 1], [big + 512]])
    assert encode_table(read_raw_table(X), None, "multiway").n_values.tolist() == [2]
    as_categories = encode_table(read_raw_table(X), [0], "multiway")
    assert as_categories.n_values.tolist() == [3]
    model = OptimalTreeClassifier(0.0, categorical_features=[0]).fit(X, [0, 1, 0])
    assert model.predict(X).tolist() == [0, 1, 0]
    model = OptimalTreeClassifier(0.0).fit(X, [0, 1, 1])
    assert model.score(X, [0, 1, 1]) == pytest.approx(1 - model.objective_)


MATRICES = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.int64, np.int16, np.uint8]),
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=12),
)


@given(MATRICES, st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_ranks_are_those_of_unique(matrix, coarse):
    if matrix.dtype.kind == "f":
        matrix = np.nan_to_num(matrix, posinf=9, neginf=-9)
    if coarse > 2:
        matrix = np.clip(matrix, -coarse if matrix.dtype.kind != "u" else 0, coarse)
    codes, distinct = rank_columns(matrix)
    for j in range(matrix.shape[1]):
        values, ranks = np.unique(matrix[:, j], return_inverse=True)
        assert np.array_equal(distinct[j], values)
        assert np.array_equal(codes[j], ranks.reshape(-1))


def test_ranks_do_not_depend_on_memory_order():
    random = np.random.default_rng(0)
    matrix = random.integers(0, 5, (50, 4))
    for other in (np.asfortranarray(matrix), matrix[::-1][::-1], matrix.astype(float)):
        assert np.array_equal(rank_columns(other)[0], rank_columns(matrix)[0])


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE)
def test_midpoint_separates(a, b):
    a, b = min(a, b), max(a, b)
    if a == b:
        return
    t = midpoint(a, b)
    assert a <= t < b
    with np.errstate(over="ignore"):
        low, high, middle = np.float32(a), np.float32(b), np.float32(t)
    if low < high:
        assert low <= middle < high


@pytest.mark.parametrize(
    "choice, kinds",
    [
        ("from_dtype", [0, 0, 1, 1]),
        (["visits", "colour"], [0, 1, 1, 0]),
        ([1, 2], [0, 1, 1, 0]),
        ([False, True, True, False], [0, 1, 1, 0]),
        (np.array([2, 3]), [0, 0, 1, 1]),
        (pd.Index(["colour"]), [0, 0, 1, 0]),
    ],
)
def test_categorical_features(choice, kinds):
    table = encode(pd.DataFrame(COLUMNS), categorical_features=choice)
    assert table.kinds.tolist() == kinds


def test_one_vs_rest_is_a_kind_of_its_own():
    table = encode(pd.DataFrame(COLUMNS), categorical_split="one-vs-rest")
    assert table.kinds.tolist() == [0, 0, 2, 2]


def test_category_dtype_of_numbers_is_categorical():
    frame = pd.DataFrame({"code": pd.Categorical([10, 20, 10, 30, 20, 10])})
    table = encode(frame)
    assert table.kinds.tolist() == [1]
    assert table.columns[0].categories.tolist() == [10, 20, 30]


def test_unused_categories_are_dropped():
    colour = pd.Categorical(COLUMNS["colour"], categories=["x", "red", "blue", "green"])
    table = encode(pd.DataFrame({"colour": colour}))
    assert table.columns[0].categories.tolist() == ["blue", "green", "red"]


def test_text_that_looks_like_numbers_is_text():
    table = encode(np.array([["10"], ["9"], ["10"], ["8"], ["9"], ["9"]]))
    assert table.kinds.tolist() == [1]
    assert table.columns[0].categories.tolist() == ["10", "8", "9"]


def test_rows_with_mixed_columns_keep_their_types():
    table = encode([["a", 1.5], ["b", 2.5], ["a", 0.5], ["b", 1], ["a", 2], ["a", 3]])
    assert table.kinds.tolist() == [1, 0]


def test_constant_columns_are_fine():
    X = np.column_stack([np.ones(6), np.arange(6)])
    model = OptimalTreeClassifier().fit(X, [0, 0, 0, 1, 1, 1])
    assert model.tree_.feature[0] == 1 and model.optimal_


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({0: ["a", "b", "a"], 1: [1, 2, 3]}),
        pd.DataFrame({("p", "q"): ["a", "b", "a"], ("p", "r"): [True, False, True]}),
        pd.DataFrame({"a": pd.arrays.SparseArray([0, 1, 0])}),
        np.matrix([[0], [1], [0]]),
        np.ma.masked_array([[0.0], [1.0], [0.0]], mask=False),
        np.array([(0, 1.0), (1, 2.0), (0, 1.5)], dtype=[("p", "i4"), ("q", "f8")]),
        memoryview(np.array([[0.0], [1.0], [0.0]])),
        [("a", 1), ("b", 1), ("a", 1)],
    ],
    ids=["numbered", "two-level", "sparse", "matrix", "masked", "structured", "memory",
         "tuples"],
)  # fmt: skip
def test_unusual_tables(table):
    model = OptimalTreeClassifier(0.0).fit(table, [0, 1, 0])
    assert model.predict(table).tolist() == [0, 1, 0]


def test_one_row_and_one_class():
    model = OptimalTreeClassifier().fit([[3.0, 4.0]], ["only"])
    assert (model.optimal_, model.objective_, model.n_splits_) == (True, 0.0, 0)
    assert model.predict([[0.0, 0.0]]).tolist() == ["only"]
    assert model.predict_proba([[0.0, 0.0]]).tolist() == [[1.0]]


def test_the_user_s_arrays_are_not_changed():
    X = np.random.default_rng(1).integers(0, 2, (30, 3)).astype(float)
    y, w = X[:, 0].astype(int), np.arange(30.0)
    copies = X.copy(), y.copy(), w.copy()
    OptimalTreeClassifier().fit(X, y, w).predict(X)
    for array, copy in zip((X, y, w), copies, strict=True):
        assert np.array_equal(array, copy)
