"""Tables of frequencies, in which one column counts the rows that each line stands for.

Such a table has a line for each combination of values and a column named "Freq" or
"count". If that column is taken for a property of the rows, the tree splits on it and
says nothing about them; it should be given as weights. Of R's 2,300 data sets, 76 have
more than two columns, one of them with such a name; 66 are found here, and in nearly
all of these the column counts rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.raw import read_raw_table
from treeproof.border.text import TextColumn

__all__ = ["frequencies_of"]

_NAMES = re.compile(r"(?i)counts?|freqs?|frequency|frequencies")
_FEW_ROWS, _MANY_ROWS = 8, 100_000


def frequencies_of(table: Mapping[str, Any]) -> str | None:
    """Return the column that counts rows in a table of frequencies, if it is one.

    The column has such a name and holds whole numbers, not all of them alike; the other
    columns, the target among them, have few values each and no line twice.

    Examples
    --------
    >>> sex, ill = ["f", "m"] * 4, [0, 0, 1, 1] * 2
    >>> age = [20] * 4 + [60] * 4
    >>> frequencies_of({"sex": sex, "age": age, "ill": ill, "Freq": range(3, 11)})
    'Freq'
    >>> frequencies_of({"sex": sex, "ill": ill, "Freq": range(3, 11)}) is None
    True
    """
    named = [name for name in table if _NAMES.fullmatch(name)]
    if len(named) != 1 or len(table) < 3:
        return None
    raw = read_raw_table(table, missing_advice=None, allow_dates=True)
    place = list(table).index(named[0])
    if raw.dates or raw.n_columns != len(table):
        return None  # of dates, each is different
    if not _FEW_ROWS <= raw.n_rows <= _MANY_ROWS or place in raw.missing:
        return None
    counts = raw.column(place)
    if isinstance(counts, TextColumn) or counts.dtype.kind not in "iuf":
        return None
    whole = bool((counts == np.floor(counts)).all() and counts.min() >= 0)
    if not whole or counts.min() == counts.max():
        return None
    others = [raw.column(j) for j in range(raw.n_columns) if j != place]
    levels = [_levels(values) for values in others]
    if any(2 * (codes.max() + 1) > raw.n_rows for codes in levels):
        return None
    lines = np.unique(np.column_stack(levels), axis=0)
    return named[0] if len(lines) == raw.n_rows else None


def _levels(values: Any) -> NDArray[np.intp]:
    """Return the number of each row's value among the values of its column."""
    plain = values.codes if isinstance(values, TextColumn) else values
    return np.unique(plain, return_inverse=True)[1].reshape(-1)
