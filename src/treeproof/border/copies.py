"""Columns that repeat the target in other words, such as a flag beside a verdict.

A column whose values correspond one to one to the classes, or that orders the rows as
the number to predict does, is nearly always computed from the target: "late_flag"
beside "delivered", or a price in another currency. The tree then repeats this column,
and is of no use for rows whose target is not known yet. As this may be intended, there
is a warning and not an error. Small tables, where it happens by chance, are not
checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.raw import RawTable
from treeproof.border.text import TextColumn
from treeproof.columns import plain
from treeproof.notices import warn_user

__all__ = ["warn_of_copies_of_labels", "warn_of_copies_of_numbers"]

_FEW_ROWS = 50
_FEW_NUMBERS = 20  # up to this many numbers may have the same order by chance
_FIRST = 1000  # rows that are compared first; nearly all columns differ there


def warn_of_copies_of_labels(
    raw: RawTable, labels: NDArray[np.int32], classes: NDArray[Any]
) -> None:
    """Warn about columns with one value for each class.

    Examples
    --------
    >>> import warnings
    >>> from treeproof.border.raw import read_raw_table
    >>> raw = read_raw_table({"flag": [0, 1] * 30, "x": list(range(60))})
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     labels = np.array([1, 0] * 30, dtype=np.int32)
    ...     warn_of_copies_of_labels(raw, labels, np.array(["late", "on time"]))
    >>> print(told[0].message)  # doctest: +NORMALIZE_WHITESPACE
    Column 'flag' has one value for each class (1 where the target is 'late'), so the
    tree will repeat it; leave it out, unless it is known before the target is.
    """
    if raw.n_rows < _FEW_ROWS or raw.n_columns < 2 or len(classes) < 2:
        return
    alike = _first_alike(labels)
    first = alike[:_FIRST]
    for j in range(raw.n_columns):
        values = _values(raw, j)
        if values is None or not _corresponds(values[:_FIRST], first):
            continue
        if not _corresponds(values, alike):
            continue
        row = int(np.argmax(labels == labels.min()))
        label = plain(classes[int(labels.min())])
        warn_user(
            f"{raw.label(j)} has one value for each class ({_shown(raw, j, row)} "
            f"where the target is {label!r}), so the tree will repeat it; leave it "
            "out, unless it is known before the target is."
        )


def warn_of_copies_of_numbers(raw: RawTable, targets: NDArray[np.float64]) -> None:
    """Warn about columns that order the rows exactly as the target does."""
    if raw.n_rows < _FEW_ROWS or raw.n_columns < 2 or targets.ndim != 1:
        return
    others = _of_other_order(raw, targets)
    for j in range(raw.n_columns):
        if others[j]:
            continue
        values = _values(raw, j)
        if values is None or isinstance(raw.column(j), TextColumn):
            continue
        if not _same_order(values[:_FIRST], targets[:_FIRST]):
            continue
        if len(np.unique(values)) < _FEW_NUMBERS or not _same_order(values, targets):
            continue
        warn_user(
            f"{raw.label(j)} puts the rows in the same order as the target does, so it "
            "is probably the target in other units; leave it out, unless it is known "
            "before the target is."
        )


def _values(raw: RawTable, column: int) -> NDArray[Any] | None:
    """Return a column as numbers or codes; None if values are missing."""
    if column in raw.missing or column in raw.dates:
        return None
    values = raw.column(column)
    return values.codes if isinstance(values, TextColumn) else np.asarray(values)


def _first_alike(labels: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return, for each row, the number of the first row with the same label.

    Examples
    --------
    >>> _first_alike(np.array([2, 0, 2, 0], dtype=np.int32)).tolist()
    [0, 1, 0, 1]
    """
    first = np.zeros(int(labels.max()) + 1, dtype=np.intp)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first[labels]


def _corresponds(values: NDArray[Any], alike: NDArray[np.intp]) -> bool:
    """Whether equal values have equal labels, and different ones different labels."""
    if not (values == values[alike]).all():
        return False
    one_each = values[np.unique(alike)]
    return len(np.unique(one_each)) == len(one_each)


def _of_other_order(raw: RawTable, targets: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which columns do not order rows as the target does, by neighbours only."""
    if raw.matrix is None:
        return np.zeros(raw.n_columns, dtype=np.bool_)
    values, first = raw.matrix[:_FIRST], targets[:_FIRST]
    alike = (first[1:] == first[:-1])[:, None]
    told: NDArray[np.bool_] = ((values[1:] == values[:-1]) != alike).any(axis=0)
    return told


def _same_order(values: NDArray[Any], targets: NDArray[np.float64]) -> bool:
    """Whether one is a strictly monotone function of the other."""
    # Most columns are told apart by neighbouring rows, without sorting.
    if ((values[1:] == values[:-1]) != (targets[1:] == targets[:-1])).any():
        return False
    order = np.argsort(values, kind="stable")
    steps, moves = np.diff(values[order].astype(np.float64)), np.diff(targets[order])
    if ((steps == 0) != (moves == 0)).any():
        return False
    return bool((moves >= 0).all() or (moves <= 0).all())


def _shown(raw: RawTable, column: int, row: int) -> str:
    values = raw.column(column)
    if isinstance(values, TextColumn):
        return repr(plain(values.distinct[int(values.codes[row])]))
    return f"{plain(values[row]):g}"
