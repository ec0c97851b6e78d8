"""The columns over which an engine searches, if they are not those of the table.

Engines know three kinds of columns: ordered codes that are split by thresholds, codes
of which each is split from the rest, and codes that are split with one child each. To
an engine, a split is only a way to divide the rows, so that these kinds are enough to
offer every other split, too: a column of the table becomes one or several *engine
columns*, and a test of these is translated to a split of the table's column
(`Meaning`). So every engine finds optimal trees over all these splits, although engines
know nothing about missing values, orders or subsets:

=================== ==================================================================
numbers with gaps,  two copies of the column: the missing value is the smallest in one
best side           and the largest in the other, so that every threshold exists with
                    the missing values on either side; the outermost ones ask whether
                    the value is missing
numbers with gaps,  for each threshold a column of three codes, split with one child
own branch          each: yes, no, missing; and a column "is it missing?"
one against the     best side: the missing value is one more category (so it goes with
rest, with gaps     the rest), and for each category a column "this one or missing";
                    own branch: for each category a column of three codes
multiway, with gaps the missing value is one more category, in either mode
either of the two   the column of multiway, then those of one against the rest; with
                    best side the missing value is one more category in all of them
ordered categories  like numbers; a threshold divides the categories
subsets             a column of two codes for each way to divide the categories in two;
                    the missing value is one more category (best side), or a third code.
                    Of many categories for a tree of one split: the cuts of their order
                    by mean target, among which the best subset is (`target_ranks`)
=================== ==================================================================

A column without missing values and orders is its own engine column.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from treeproof.kinds import (
    ABSENT,
    EQUALS,
    LEAF,
    MULTIWAY,
    NO,
    ONE_EACH,
    ONE_VS_REST,
    ORDERED,
    OWN,
    SUBSET,
    THRESHOLD,
    YES,
)

__all__ = [
    "MAX_SUBSET_VALUES",
    "EngineTable",
    "Meaning",
    "TableColumn",
    "engine_table",
    "target_ranks",
]

MAX_SUBSET_VALUES = 12
"""The maximum number k of values of a column split by subsets: 2^(k-1) - 1 splits."""

MAX_CELLS = 150_000_000
"""The maximum number of codes passed to an engine (four bytes each)."""


@dataclass(frozen=True)
class Meaning:
    """The split of the table's column for which a test of an engine stands.

    Attributes
    ----------
    kind : int
        The kind of node in the tree.
    code : int
        The last code that goes left, or the category; -1 for other kinds.
    missing : int
        The outcome for missing values; -1 if the kind decides it.
    outcomes : dict
        The tree's outcome for each outcome of the engine, if they differ.
    """

    kind: int
    code: int = -1
    missing: int = -1
    outcomes: dict[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass
class TableColumn:
    """A column of the table as codes, with all that its splits depend on.

    A missing value has the code `n_values`.
    """

    number: int
    label: str
    codes: NDArray[np.int32]
    n_values: int
    split: str  # "threshold", "order", or a kind of split of categories
    has_missing: bool
    ranks: NDArray[np.int64] | None = None  # of the values, by their mean target


@dataclass
class EngineColumn:
    """One column of an engine, and what its tests mean."""

    feature: int
    kind: int
    n_values: int
    codes: NDArray[np.int32]
    meaning: Callable[[int], Meaning]


@dataclass
class EngineTable:
    """All columns of an engine.

    Attributes
    ----------
    kinds, n_values, codes : ndarray
        In the form for engines: see `treeproof.border.table.TrainingTable`.
    columns : list of EngineColumn or None
        The meaning of the columns; None if they are those of the table.
    """

    kinds: NDArray[np.int32]
    n_values: NDArray[np.int32]
    codes: NDArray[np.int32]
    columns: list[EngineColumn] | None = None

    def first_wide(self) -> int | None:
        """Return the first column of the table with splits into three or more."""
        wide = np.flatnonzero((self.kinds == ONE_EACH) & (self.n_values > 2))
        if not len(wide):
            return None
        k = int(wide[0])
        return k if self.columns is None else self.columns[k].feature

    def of_column(self, column: int) -> list[int]:
        """Return the engine's columns that stand for a column of the table."""
        if self.columns is None:
            return [column]
        return [k for k, c in enumerate(self.columns) if c.feature == column]

    def only(self, allowed: Container[int]) -> EngineTable:
        """Return a table in which other columns of the table have a single value.

        All columns keep their numbers.
        """
        gone = [k for k, j in enumerate(self.features.tolist()) if j not in allowed]
        n_values, codes = self.n_values.copy(), self.codes.copy()
        n_values[gone], codes[gone] = 1, 0
        return EngineTable(self.kinds, n_values, codes, self.columns)

    @property
    def features(self) -> NDArray[np.int32]:
        """The column of the table that each column stands for."""
        if self.columns is None:
            return np.arange(len(self.kinds), dtype=np.int32)
        return np.array([c.feature for c in self.columns], dtype=np.int32)


def engine_table(columns: list[TableColumn], own_branch: bool) -> EngineTable:
    """Return the engine's columns for the splits of some columns of the table.

    Parameters
    ----------
    columns : list of TableColumn
        The table.
    own_branch : bool
        Whether missing values have a branch of their own, or go with the better side.
    """
    offered: list[EngineColumn] = []
    cells = 0
    for column in columns:
        for one in _offer(column, own_branch):
            cells += len(one.codes)
            if cells > MAX_CELLS:
                raise ValueError(_too_many(column, own_branch))
            offered.append(one)
    if not offered:  # no column can be split; engines need at least one column
        nothing = np.zeros(len(columns[0].codes), dtype=np.int32)
        offered.append(EngineColumn(0, ONE_EACH, 1, nothing, lambda _: Meaning(LEAF)))
    return EngineTable(
        np.array([c.kind for c in offered], dtype=np.int32),
        np.array([c.n_values for c in offered], dtype=np.int32),
        np.array([c.codes for c in offered], dtype=np.int32),
        offered,
    )


def _too_many(column: TableColumn, own_branch: bool) -> str:
    way = 'missing="best-side" (which needs two columns)' if own_branch else "fewer"
    return (
        f"{column.label} has {column.n_values} values and missing ones; with so many "
        f"rows that makes more splits than fit into memory. Use {way}, or round the "
        "values."
    )


def _offer(column: TableColumn, own_branch: bool) -> Iterator[EngineColumn]:
    if column.n_values == 0:  # nothing but missing values
        return iter(())
    if column.split == "subset":
        return _subsets(column, own_branch)
    if column.split == "multiway":
        return _multiway(column)
    if column.split == "one-vs-rest":
        return _one_vs_rest(column, own_branch)
    if column.split == "either":
        return chain(_multiway(column), _one_of(column, own_branch))
    if not column.has_missing:
        return _plain(column, ORDERED, lambda c: _cut(column, c, NO))
    return (_cuts_three if own_branch else _cuts_either)(column)


def _plain(
    column: TableColumn, kind: int, meaning: Callable[[int], Meaning]
) -> Iterator[EngineColumn]:
    n_values = column.n_values + column.has_missing
    yield EngineColumn(column.number, kind, n_values, column.codes, meaning)


def _multiway(column: TableColumn) -> Iterator[EngineColumn]:
    return _plain(column, ONE_EACH, lambda _: Meaning(MULTIWAY))


def _one_vs_rest(column: TableColumn, own_branch: bool) -> Iterator[EngineColumn]:
    yield from _one_of(column, own_branch)
    # With two categories "a or missing" is "not b", and that is one of the tests above.
    if not column.has_missing or own_branch or column.n_values < 3:
        return
    for code in range(column.n_values):
        rest = (column.codes != code) & (column.codes != column.n_values)
        yield EngineColumn(
            column.number,
            ORDERED,
            2,
            rest.astype(np.int32),
            _always(Meaning(EQUALS, code, YES)),
        )


def _one_of(column: TableColumn, own_branch: bool) -> Iterator[EngineColumn]:
    """Test each category; missing values are one more, or have their own branch."""
    if column.has_missing and own_branch:
        return _equals_three(column)

    def meaning(code: int) -> Meaning:
        if code == column.n_values:
            return Meaning(ABSENT, missing=YES)
        return Meaning(EQUALS, code, NO)

    return _plain(column, ONE_VS_REST, meaning)


def _cut(column: TableColumn, code: int, missing: int) -> Meaning:
    """Divide a column after a code, with the missing values on the given side."""
    if column.split == "threshold":
        return Meaning(THRESHOLD, code, missing)
    left, right = tuple(range(code + 1)), tuple(range(code + 1, column.n_values))
    return _parts(column, left, right, missing)


def _parts(
    column: TableColumn, left: tuple[int, ...], right: tuple[int, ...], missing: int
) -> Meaning:
    """Divide the categories in two; missing values go to a side or stay apart."""
    gone = (column.n_values,) if column.has_missing else ()
    outcomes = {YES: left, NO: right}
    if missing == OWN:
        outcomes[OWN] = gone
    else:
        outcomes[missing] += gone
    return Meaning(SUBSET, outcomes=outcomes)


def _cuts_either(column: TableColumn) -> Iterator[EngineColumn]:
    last = column.n_values

    def first_meaning(code: int) -> Meaning:
        if code == 0:
            return Meaning(ABSENT, missing=YES)
        return _cut(column, code - 1, YES)

    def last_meaning(code: int) -> Meaning:
        if code == last - 1:
            # The engine's yes stands for values that are not missing.
            return Meaning(ABSENT, missing=YES, outcomes={0: (NO,), 1: (YES,)})
        return _cut(column, code, NO)

    first = np.where(column.codes == last, 0, column.codes + 1).astype(np.int32)
    yield EngineColumn(column.number, ORDERED, last + 1, first, first_meaning)
    if last > 1:
        yield EngineColumn(column.number, ORDERED, last + 1, column.codes, last_meaning)


def _is_missing(column: TableColumn) -> EngineColumn:
    codes = (column.codes != column.n_values).astype(np.int32)
    return EngineColumn(
        column.number, ORDERED, 2, codes, lambda _: Meaning(ABSENT, missing=YES)
    )


def _cuts_three(column: TableColumn) -> Iterator[EngineColumn]:
    yield _is_missing(column)
    for code in range(column.n_values - 1):
        three = _three(column, column.codes <= code)
        meaning = _cut(column, code, OWN)
        yield EngineColumn(column.number, ONE_EACH, 3, three, _always(meaning))


def _three(column: TableColumn, yes: NDArray[np.bool_]) -> NDArray[np.int32]:
    gone = column.codes == column.n_values
    return np.where(gone, OWN, np.where(yes, YES, NO)).astype(np.int32)


def _always(meaning: Meaning) -> Callable[[int], Meaning]:
    return lambda _: meaning


def _tested_categories(column: TableColumn) -> range:
    # With two categories, both equality tests divide the rows in the same way.
    return range(1 if column.n_values == 2 else column.n_values)


def _equals_three(column: TableColumn) -> Iterator[EngineColumn]:
    yield _is_missing(column)
    for code in _tested_categories(column) if column.n_values > 1 else ():
        three = _three(column, column.codes == code)
        meaning = Meaning(EQUALS, code, OWN)
        yield EngineColumn(column.number, ONE_EACH, 3, three, _always(meaning))


def _subsets(column: TableColumn, own_branch: bool) -> Iterator[EngineColumn]:
    """Offer every way to divide the values in two; the first one is on the left."""
    n = column.n_values
    apart = column.has_missing and own_branch
    if apart:
        yield _is_missing(column)
    values = n + (column.has_missing and not own_branch)
    if values > MAX_SUBSET_VALUES and column.ranks is not None:
        yield from _cuts_by_target(column, column.ranks[:values], apart)
        return
    if values > MAX_SUBSET_VALUES:
        raise ValueError(
            f"{column.label} has {values} categories (missing counts as one); "
            f'categorical_split="subset" tries all ways to part them in two, which is '
            f"possible up to {MAX_SUBSET_VALUES}. Group rare categories, make the "
            'column an ordered category, or use categorical_split="either".'
        )
    for chosen in range(max(2 ** (values - 1) - 1, 0)):
        # Bit k - 1 says whether value k is with value 0; never all of them.
        left = tuple(k for k in range(values) if k == 0 or chosen >> (k - 1) & 1)
        right = tuple(k for k in range(values) if k not in left)
        yield _two_parts(column, left, right, apart)


def _two_parts(
    column: TableColumn, left: tuple[int, ...], right: tuple[int, ...], apart: bool
) -> EngineColumn:
    """Divide the values in two; "missing" is one of the values unless `apart`."""
    side = np.isin(column.codes, left)
    if apart:
        meaning = _always(_parts(column, left, right, OWN))
        return EngineColumn(column.number, ONE_EACH, 3, _three(column, side), meaning)
    gone = (column.n_values,)
    if left == gone:
        meaning = _always(Meaning(ABSENT, missing=YES))
    elif right == gone:
        swapped: dict[int, tuple[int, ...]] = {0: (NO,), 1: (YES,)}
        meaning = _always(Meaning(ABSENT, missing=YES, outcomes=swapped))
    else:
        meaning = _always(Meaning(SUBSET, outcomes={YES: left, NO: right}))
    codes = (~side).astype(np.int32)
    return EngineColumn(column.number, ORDERED, 2, codes, meaning)


def _cuts_by_target(
    column: TableColumn, ranks: NDArray[np.int64], apart: bool
) -> Iterator[EngineColumn]:
    """Divide the values by their position in the order of their mean targets."""
    order = np.argsort(ranks).tolist()
    for cut in range(1, len(order)):
        left, right = tuple(sorted(order[:cut])), tuple(sorted(order[cut:]))
        yield _two_parts(column, left, right, apart)


def target_ranks(
    codes: NDArray[np.int32],
    n_values: int,
    target: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Rank the values of a column by their mean target.

    The best single split into two sets of values is a cut of this order, for two
    classes and for squared error of one output. For two classes: once it is decided
    which child predicts which class, every value belongs where it costs less, which
    depends on whether its share of the second class is above one half. For squared
    error: let the children predict a < b; a value costs less with b exactly if its mean
    is above (a + b) / 2. (L. Breiman et al., "Classification and Regression Trees",
    1984, section 4.2.) Neither is true for larger trees, or if leaves have a minimum
    number of rows.

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 2], dtype=np.int32)
    >>> target_ranks(codes, 3, np.array([1.0, 0.0, 0.0, 1.0]), np.ones(4))
    array([1, 0, 2])
    """
    total = np.bincount(codes, weights, minlength=n_values)
    mean = np.bincount(codes, weights * target, minlength=n_values) / total
    return np.argsort(np.argsort(mean, kind="stable"), kind="stable")
