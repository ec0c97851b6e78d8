"""Tables of frequencies, in which a column counts the rows that a line stands for.

Such a table has a line for each combination of values, and a column named "Freq" or
"count". If this column is used as a feature, the tree splits on it and is useless; it
should be passed as weights. Of R's 2,300 data sets, 76 have more than two columns, one
of which has such a name; 66 are found here, and in nearly all of these the column
counts rows.
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
    """Return the column that counts rows if a table contains frequencies, or None.

    The column has such a name and contains integers that are not all equal. The other
    columns, including the target, have few values each, and no line occurs twice.

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
        return None  # values of dates are all different
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
    """Return the number of each row's value among the distinct values of the column."""
    plain = values.codes if isinstance(values, TextColumn) else values
    return np.unique(plain, return_inverse=True)[1].reshape(-1)
