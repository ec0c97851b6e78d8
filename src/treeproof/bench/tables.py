"""Any table as a problem that all solvers understand.

Most exact solvers take 0/1 tests only. So that all of them solve the same problem, a
category becomes one test for each of its values, and a number a test at each of a few
quantiles. Where all columns are numbers, the table is a second problem as it is, for
the solvers that look at every threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.bench.problem import AMOUNTS, Problem
from treeproof.border.categorical import is_categorical
from treeproof.border.labels import read_labels
from treeproof.border.raw import read_raw_table
from treeproof.border.table import encode_table

__all__ = ["amounts_problem", "binary_problem", "numeric_problem"]


def binary_problem(
    name: str, X: Mapping[str, Any], y: Any, *, penalty: float, cuts: int = 8
) -> Problem:
    """Return a table as 0/1 tests.

    Parameters
    ----------
    name : str
        How the problem is called.
    X : mapping
        Columns by name.
    y : array-like
        Labels.
    penalty : float
        What a split costs, as a fraction of the rows.
    cuts : int, default=8
        The maximum number of tests for a column of numbers.

    Examples
    --------
    >>> X = {"size": [1, 2, 3, 4], "colour": ["red", "blue", "red", "green"]}
    >>> binary_problem("toy", X, ["a", "b", "a", "b"], penalty=0.01, cuts=2).X
    array([[1, 1, 0, 0, 1],
           [1, 1, 1, 0, 0],
           [0, 1, 0, 0, 1],
           [0, 0, 0, 1, 0]])
    """
    table = encode_table(read_raw_table(dict(X)), "from_dtype", "multiway")
    tests: list[NDArray[np.bool_]] = []
    for j, column in enumerate(table.columns):
        codes, n = table.codes[j], int(table.n_values[j])
        if column.categories is not None and n > 2:
            tests += [codes == code for code in range(n)]
        elif column.categories is not None or n <= 2:
            tests.append(codes == 0)
        else:
            tests += [codes <= code for code in _quantiles(codes, n, cuts)]
    varied = [test for test in tests if test.any() and not test.all()]
    if not varied:
        raise ValueError(f"No column of {name!r} has two values; nothing can be split.")
    binary = np.column_stack(varied).astype(np.int64)
    return Problem(name, binary, _labels(y), False, penalty)


def numeric_problem(
    name: str, X: Mapping[str, Any], y: Any, *, penalty: float
) -> Problem | None:
    """Return a table of numbers as it is; None if it holds anything else."""
    raw = read_raw_table(dict(X))
    if any(is_categorical(raw, j) for j in range(raw.n_columns)):
        return None
    columns = [np.asarray(raw.column(j), dtype=float) for j in range(raw.n_columns)]
    numbers = np.column_stack(columns)
    if all(len(np.unique(column)) <= 2 for column in numbers.T):
        return None
    return Problem(f"{name} (numbers)", numbers, _labels(y), False, penalty)


def amounts_problem(problem: Problem, y: Any) -> Problem:
    """Return the same table with amounts to predict.

    Examples
    --------
    >>> table = binary_problem("toy", {"a": [1, 2, 3]}, [0, 1, 0], penalty=0.0)
    >>> amounts_problem(table, [1.5, 2.0, 4.0]).y
    array([1.5, 2. , 4. ])
    """
    return replace(problem, y=np.asarray(y, dtype=float), task=AMOUNTS)


def _labels(y: Any) -> NDArray[np.int64]:
    return read_labels(y, "bench")[1].astype(np.int64)


def _quantiles(codes: NDArray[np.int32], n: int, cuts: int) -> list[int]:
    """Return the codes after which to cut, equally many rows between them."""
    if n - 1 <= cuts:
        return list(range(n - 1))
    shares = np.arange(1, cuts + 1) / (cuts + 1)
    chosen = np.quantile(codes, shares, method="lower")
    return sorted({int(code) for code in chosen if code < n - 1})
