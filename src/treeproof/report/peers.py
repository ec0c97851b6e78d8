"""Other learners on the same rows: CART of the same size, and boosted trees.

Both are scikit-learn's and get what their users would give them: CART one 0/1 column
for each category, boosting the categories as such, missing values as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from treeproof.border.dates import date_columns, with_date_parts
from treeproof.border.raw import read_raw_table
from treeproof.border.table import encode_table
from treeproof.report.measures import Measure

__all__ = ["GROWN", "Score", "compare"]

GROWN = "CART, grown to the end"

_MOST_CATEGORIES = 250  # of a column of scikit-learn's boosted trees
_MOST_HOT = 60

Score = tuple[str, int | None, float]
"""The name of a learner, its number of leaves, and its score on held-out rows."""


def compare(
    X: Mapping[str, Any],
    y: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    *,
    measure: Measure,
    numeric: bool,
    leaves: int,
    weights: NDArray[np.float64] | None = None,
) -> list[Score]:
    """Fit the other learners on the same rows; return their scores on the others.

    Parameters
    ----------
    X : mapping
        The columns of the table.
    y : ndarray
        The target.
    train, test : ndarray of int
        Numbers of the rows to fit and to score on.
    measure : Measure
        What the learners are scored by. They minimise what it is made of where they
        can; costs and ratios are not known to them.
    numeric : bool
        Whether the target is a number.
    leaves : int
        The size that CART may have.
    weights : ndarray or None
        What each row counts; None for 1.
    """
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
    )
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    hot, codes, categorical = _encoded(X)
    cart = DecisionTreeRegressor if numeric else DecisionTreeClassifier
    boosted: Any = (
        HistGradientBoostingRegressor if numeric else HistGradientBoostingClassifier
    )
    size = max(leaves, 2)
    models: list[tuple[str, Any, NDArray[Any]]] = [
        (
            "CART, as many leaves",
            cart(max_leaf_nodes=size, random_state=0, **measure.cart),
            hot,
        ),
        (GROWN, cart(random_state=0, **measure.cart), hot),
        (
            "boosted trees",
            boosted(
                categorical_features=categorical, random_state=0, **measure.boosted
            ),
            codes,
        ),
    ]
    found: list[Score] = []

    def rows_of(rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
        return None if weights is None else weights[rows]

    for name, model, matrix in models:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                # On a busy machine the threads of boosted trees wait for each other,
                # many times as long as one of them alone would take.
                with threadpool_limits(1, user_api="openmp"):
                    model.fit(matrix[train], y[train], sample_weight=rows_of(train))
            except ValueError:  # such as a class with one row
                continue
        n_leaves = int(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else None
        told = measure.of(model.predict(matrix[test]), y[test], rows_of(test))
        found.append((name, n_leaves, told))
    return found


def _encoded(
    X: Mapping[str, Any],
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int]]:
    """Return the table with 0/1 columns, with codes, and which columns are codes."""
    raw = read_raw_table(X, None, allow_dates=True)
    raw = with_date_parts(raw, date_columns(raw))
    table = encode_table(raw, "from_dtype", "multiway", missing="best-side")
    hot: list[Any] = []
    codes: list[Any] = []
    categorical: list[int] = []
    for j, column in enumerate(table.columns):
        if column.name in table.dates:
            continue
        if column.categories is None:
            values = np.append(table.distinct[j].astype(np.float64), np.nan)
            numbers = values[table.codes[j]]
            hot.append(numbers)
            codes.append(numbers)
            continue
        gone = table.codes[j] == column.missing_code
        code = np.where(gone, np.nan, table.codes[j].astype(np.float64))
        if len(column.categories) <= _MOST_CATEGORIES and not column.ordered:
            categorical.append(len(codes))
        codes.append(code)
        hot += _hot(table.codes[j], len(column.categories) + column.has_missing)
    return np.column_stack(hot), np.column_stack(codes), categorical


def _hot(codes: NDArray[np.int32], size: int) -> Sequence[NDArray[np.float64]]:
    """Return one 0/1 column for each of the most frequent categories."""
    frequent = np.argsort(-np.bincount(codes, minlength=size))[:_MOST_HOT]
    return [(codes == code).astype(np.float64) for code in sorted(frequent.tolist())]
