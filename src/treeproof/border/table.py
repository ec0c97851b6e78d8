"""Encodes a table for the engines.

At fit, every column becomes small integers: the values of a numeric column become their
ranks among its distinct values (it is split by thresholds), those of a categorical
column their positions among its sorted categories. Which columns are categorical is
decided by their dtype (text, category, enum and boolean columns) or by the user. Text
that looks like numbers ("1", "2") is text. A missing value has the code after the last
one.

The columns that an engine splits are not always columns of the table: see
`engine_columns`.

How rows to predict are read is in `predict_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.categorical import which_categorical
from treeproof.border.dates import date_columns
from treeproof.border.engine_columns import (
    MAX_SUBSET_VALUES,
    EngineTable,
    TableColumn,
    engine_table,
    target_ranks,
)
from treeproof.border.names import known_columns
from treeproof.border.ranks import midpoint, rank_columns
from treeproof.border.raw import MISSING_ADVICE, RawTable
from treeproof.border.text import TextColumn
from treeproof.columns import Column, plain
from treeproof.kinds import ONE_EACH, ONE_VS_REST, ORDERED
from treeproof.limits import Deadline

__all__ = [
    "MAX_CATEGORIES",
    "TrainingTable",
    "encode_table",
]

MAX_CATEGORIES = 65_535

MAX_EITHER_VALUES = 1_000
"""The maximum number of values of a column for which "either" tests every value.

Columns with more values nearly identify the rows, and the search would never end.
"""

_SPLIT_KINDS = {
    "multiway": ONE_EACH,
    "one-vs-rest": ONE_VS_REST,
    "either": ONE_EACH,
    "subset": ONE_EACH,
}

MISSING_REFUSED = (
    f'{MISSING_ADVICE}, or fit with missing="best-side" or missing="branch"'
)

# Above this, integers are no longer exact as doubles.
_EXACT_WHOLE = 2**53

# number of cells; for smaller tables the clock need not be checked
_LARGE = 1_000_000
_AHEAD = 3e-7  # seconds per row that encoding a column and making a leaf take
_NO_DEADLINE = Deadline(None)


@dataclass
class TrainingTable:
    """Encoded training rows.

    Attributes
    ----------
    columns : tuple of Column
        Name and categories of each column.
    kinds : ndarray of int32
        How the engine may split each column: 0 by threshold on the codes, 1 with one
        child per category, 2 one category against the rest.
    n_values : ndarray of int32
        The number of codes of each column.
    codes : ndarray of int32 of shape (columns, rows)
        The encoded values.
    distinct : list of ndarray
        The distinct values behind the codes of each column.
    categorical_split, missing : str
        The estimator's parameters of these names; "auto" is replaced by the choice.
    dates : tuple of str
        Columns of dates or times; all their codes are 0, so that no tree tests them.
    unread : bool
        Whether the time limit was reached before all columns were encoded. Engines are
        then given no columns, and the tree is a single leaf.
    ranks : dict
        For a tree of one split, the ranks of the values of columns with too many for
        all their subsets, by mean target; see `target_ranks`.
    allowed : frozenset of int or None
        The columns that trees may test; None for all.
    given_cuts : dict
        Thresholds that the user has given, by column and the last code that goes left.
    engine : EngineTable
        The table in the form for engines.
    """

    columns: tuple[Column, ...]
    kinds: NDArray[np.int32]
    n_values: NDArray[np.int32]
    codes: NDArray[np.int32]
    distinct: list[NDArray[Any]]
    categorical_split: str = "multiway"
    missing: str = "error"
    ranks: dict[int, NDArray[np.int64]] = field(default_factory=dict)
    dates: tuple[str, ...] = ()
    unread: bool = False
    allowed: frozenset[int] | None = None
    given_cuts: dict[tuple[int, int], float] = field(default_factory=dict)
    engine: EngineTable = field(init=False)

    def __post_init__(self) -> None:
        """Make the columns for the engines."""
        self.engine = EngineTable(self.kinds, self.n_values, self.codes)
        if self.unread:
            self.engine = EngineTable(self.kinds[:0], self.n_values[:0], self.codes[:0])
            return
        splits = [self.split_of(c) for c in self.columns]
        special = any(c.ordered or c.has_missing for c in self.columns)
        if not special and not {"subset", "either"} & set(splits):
            if self.allowed is not None:
                self.engine = self.engine.only(self.allowed)
            return
        table = [
            TableColumn(
                j,
                f"Column {c.name!r}",
                self.codes[j],
                int(self.n_values[j]) if self.is_allowed(j) else 0,
                splits[j],
                c.has_missing,
                self.ranks.get(j),
            )
            for j, c in enumerate(self.columns)
        ]
        self.engine = engine_table(table, own_branch=self.missing == "branch")

    def is_allowed(self, column: int) -> bool:
        """Whether trees may test a column."""
        return self.allowed is None or column in self.allowed

    def split_of(self, column: Column) -> str:
        """Return how a column is split, in the terms of `TableColumn`."""
        if column.categories is None:
            return "threshold"
        if column.ordered:
            return "order"
        if self.categorical_split != "either":
            return self.categorical_split
        values = len(column.categories) + column.has_missing
        # A column with two values has only one test, whatever it is called.
        return "either" if 3 <= values <= MAX_EITHER_VALUES else "multiway"

    @property
    def cut_by_target(self) -> str | None:
        """Return a column with too many categories for all their subsets, or None."""
        for j in self.ranks:
            joined = self.columns[j].has_missing and self.missing == "best-side"
            values = self.n_values[j] + joined
            if values > MAX_SUBSET_VALUES:
                return self.columns[j].name
        return None

    @property
    def rows(self) -> list[NDArray[Any]]:
        """The encoded values in the form for trees: a missing number is NaN."""
        return [
            np.where(codes == len(values), np.nan, codes)
            if column.has_missing and not column.is_categorical
            else codes
            for codes, values, column in zip(
                self.codes, self.distinct, self.columns, strict=True
            )
        ]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.codes.shape[1]

    def number_of(self, column: str | int | None, parameter: str) -> int | None:
        """Return the number of the column that a parameter names; None for None."""
        if column is None:
            return None
        names = [about.name for about in self.columns]
        if isinstance(column, str) and column in names:
            return names.index(column)
        if not isinstance(column, str) and column < len(names):
            return int(column)
        known = known_columns(str(column), names)
        raise ValueError(f"{parameter}={column!r} is not a column of X; {known}")

    def cut(self, column: int, code: int) -> float:
        """Return the threshold between a code of a numeric column and the next one."""
        if (column, code) in self.given_cuts:
            return self.given_cuts[column, code]
        values = self.distinct[column]
        if self.columns[column].date is not None:
            return float(values[code])  # integers
        return midpoint(float(values[code]), float(values[code + 1]))


def encode_table(
    raw: RawTable,
    categorical_features: Any,
    categorical_split: str,
    missing: str = "error",
    by_target: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    deadline: Deadline | None = None,
    allowed: frozenset[int] | None = None,
) -> TrainingTable:
    """Decide how each column is used, and encode it.

    Targets and weights are used for subsets of categories in trees with one split. If
    the deadline passes, the columns that are not yet encoded are left out, and the
    table records this.
    """
    if deadline is None or raw.n_columns * raw.n_rows < _LARGE:
        deadline = _NO_DEADLINE
    categorical = which_categorical(raw, categorical_features)
    for j in raw.missing:
        # a column without any value is treated as categorical
        categorical[j] |= raw.is_empty(j)
    if raw.matrix is not None and not raw.missing:
        codes, distinct = _encode_matrix(raw.matrix, categorical, deadline)
    else:
        codes, distinct = _encode_columns(raw, categorical, deadline)
    unread = len(distinct) < raw.n_columns
    distinct += [np.empty(0)] * (raw.n_columns - len(distinct))
    n_values = np.fromiter(map(len, distinct), dtype=np.int32, count=len(distinct))
    for j in np.flatnonzero(categorical & (n_values > MAX_CATEGORIES)).tolist():
        raise ValueError(
            f"{raw.label(j)} has {n_values[j]} categories, more than the "
            f"{MAX_CATEGORIES} that are supported. Group rare categories or leave "
            "the column out."
        )
    parts = {part.name: part for part in date_columns(raw)}
    first_part = raw.n_columns - len(parts)
    columns = tuple(
        Column(
            raw.name(j),
            distinct[j] if categorical[j] else None,
            ordered=bool(categorical[j]) and j in raw.orders,
            has_missing=j in raw.missing,
            date=parts.get(raw.name(j)) if j >= first_part else None,
        )
        for j in range(raw.n_columns)
    )
    kinds = np.where(categorical, _SPLIT_KINDS[categorical_split], ORDERED)
    kinds = kinds.astype(np.int32)
    ranks = {}
    if by_target is not None and categorical_split == "subset":
        for j in np.flatnonzero(categorical & (n_values >= MAX_SUBSET_VALUES)).tolist():
            size = int(n_values[j]) + columns[j].has_missing
            if not columns[j].ordered:
                ranks[j] = target_ranks(codes[j], size, *by_target)
    return TrainingTable(
        columns,
        kinds,
        n_values,
        codes,
        distinct,
        categorical_split,
        missing,
        ranks,
        tuple(raw.name(j) for j in raw.dates),
        unread,
        allowed,
    )


def _encode_matrix(
    matrix: NDArray[Any],
    categorical: NDArray[np.bool_],
    deadline: Deadline = _NO_DEADLINE,
) -> tuple[NDArray[np.int32], list[NDArray[Any]]]:
    """Rank all columns; if the deadline passes, `distinct` is shorter."""
    large = matrix.dtype.kind in "iu" and _beyond_doubles(matrix)
    if not large and deadline.left() is None:
        return rank_columns(matrix)
    # Thresholds are doubles, so the values of numeric columns must be distinct as
    # doubles; the categories of a categorical column stay exact.
    codes = np.empty(matrix.shape[::-1], dtype=np.int32)
    distinct: list[NDArray[Any]] = []
    for j, is_categorical in enumerate(categorical):
        if deadline.passed(_AHEAD * len(matrix)):
            break
        column = matrix[:, [j]]
        part, values = rank_columns(
            column.astype(np.float64) if large and not is_categorical else column
        )
        codes[j] = part[0]
        distinct += values
    return codes, distinct


def _beyond_doubles(matrix: NDArray[Any]) -> bool:
    if matrix.dtype.itemsize < 8:
        return False
    return bool(matrix.max() > _EXACT_WHOLE or int(matrix.min()) < -_EXACT_WHOLE)


def _encode_columns(
    raw: RawTable, categorical: NDArray[np.bool_], deadline: Deadline
) -> tuple[NDArray[np.int32], list[NDArray[Any]]]:
    codes = np.empty((raw.n_columns, raw.n_rows), dtype=np.int32)
    distinct: list[NDArray[Any]] = []
    for j in range(raw.n_columns):
        if deadline.passed(_AHEAD * raw.n_rows):
            break
        values = raw.column(j)
        order = raw.orders.get(j) if categorical[j] else None
        if isinstance(values, TextColumn):
            if not categorical[j]:
                raise ValueError(
                    f"{raw.label(j)} holds text such as {values.example()!r} but is "
                    "not among categorical_features. Add it there, or turn its values "
                    "into numbers."
                )
            codes[j], found = values.encode(order)
        else:
            codes[j], found = _encode_numbers(
                values, raw.missing.get(j), categorical[j : j + 1], order
            )
        distinct.append(found)
    return codes, distinct


def _encode_numbers(
    values: NDArray[Any],
    gone: NDArray[np.bool_] | None,
    categorical: NDArray[np.bool_],
    order: Sequence[Any] | None,
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return codes, and the values behind them; the last code is for missing ones."""
    if gone is not None and gone.all():
        return np.zeros(len(values), dtype=np.int32), np.empty(0, dtype=object)
    there = slice(None) if gone is None else ~gone
    part, found = _encode_matrix(values[there][:, None], categorical)
    codes, distinct = part[0], found[0]
    if order is not None:
        place = {value: code for code, value in enumerate(order)}
        moved = np.array([place[plain(v)] for v in distinct], dtype=np.int32)
        codes, distinct = moved[codes], np.array(order, dtype=distinct.dtype)
    if gone is None:
        return codes, distinct
    filled = np.full(len(values), len(distinct), dtype=np.int32)
    filled[there] = codes
    return filled, distinct
