"""Columns of text, which are stored as codes from the moment they are read.

A text column is never processed value by value: it becomes the list of its distinct
strings and, for each row, the position of its string in that list. A pandas category
column has this form already; Arrow converts its own strings, and those of pandas and
Polars, which are the same in memory; all others go through a Python dictionary. (3,000
strings take 110 us with Arrow and 310 us with a dictionary, mostly for making Python
strings.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

__all__ = ["TextColumn", "factorize_list", "factorize_series", "own_order"]

MISSING = -1


@dataclass
class TextColumn:
    """Text as codes: row i holds ``distinct[codes[i]]``; strings may be unused.

    A code of -1 means that the value is missing.
    """

    codes: NDArray[np.int32]
    distinct: list[str]

    def take(self, rows: NDArray[Any]) -> TextColumn:
        """Return the column of the given rows."""
        return TextColumn(self.codes[rows], self.distinct)

    def encode(
        self, order: Sequence[Any] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[Any]]:
        """Return ranks among the sorted strings that occur, and those strings.

        A missing value has the rank after the last one. With an `order`, the strings
        are in that order instead, and all of them are included.
        """
        if order is not None:
            categories = np.array(order, dtype=object)
            return self.look_up(categories, MISSING), categories
        used = np.bincount(self.codes + 1, minlength=len(self.distinct) + 1)[1:] > 0
        names = np.array(self.distinct, dtype=object)
        places = sorted(np.flatnonzero(used).tolist(), key=self.distinct.__getitem__)
        # There is one more entry than there are strings: code -1 selects the last one.
        rank = np.full(len(names) + 1, len(places), dtype=np.int32)
        rank[places] = np.arange(len(places), dtype=np.int32)
        return rank[self.codes], names[np.array(places, dtype=np.intp)]

    def look_up(self, categories: NDArray[Any], unseen: int) -> NDArray[np.int32]:
        """Return each row's position among the categories, or `unseen`.

        A missing value has the position after the last one.
        """
        place = {value: code for code, value in enumerate(categories.tolist())}
        code_of = np.array(
            [*(place.get(value, unseen) for value in self.distinct), len(categories)],
            dtype=np.int32,
        )
        return code_of[self.codes]

    def example(self) -> str:
        """Return a string that is not a number, if there is one."""
        strings = [self.distinct[k] for k in np.unique(self.codes) if k != MISSING]
        for value in strings:
            try:
                float(value)
            except ValueError:
                return value
        return strings[0]


def factorize_list(items: Sequence[Any]) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the code of each item, and the distinct items; TypeError if unhashable.

    Examples
    --------
    >>> codes, distinct = factorize_list(["b", "a", "b"])
    >>> codes.tolist(), distinct
    ([0, 1, 0], ['b', 'a'])
    """
    # A dictionary that numbers new keys by itself: one pass, without Python code in it.
    place: defaultdict[Any, int] = defaultdict()
    place.default_factory = place.__len__
    codes = np.fromiter(map(place.__getitem__, items), dtype=np.int32, count=len(items))
    return codes, list(place)


def factorize_series(series: nw.Series[Any]) -> tuple[NDArray[np.int32], list[Any]]:
    """Do the same for a series; a code of -1 means missing."""
    native: Any = series.to_native()
    if series.implementation.is_pandas() and hasattr(native.array, "codes"):
        return native.array.codes.astype(np.int32), list(native.array.categories)
    objects = series.implementation.is_pandas() and native.dtype == object
    if series.dtype == nw.String and not objects and _arrow_is_here():
        return _factorize_arrow(series)
    return factorize_list(series.to_list())


def own_order(series: nw.Series[Any]) -> list[Any] | None:
    """Return the categories of an ordered category or enum column, in their order.

    Examples
    --------
    >>> import pandas as pd
    >>> sizes = pd.Categorical(["S", "L"], ["S", "M", "L"], ordered=True)
    >>> own_order(nw.from_native(pd.Series(sizes), series_only=True))
    ['S', 'M', 'L']
    """
    native: Any = series.to_native()
    if series.implementation.is_pandas():
        known = native.array
        return list(known.categories) if getattr(known, "ordered", False) else None
    if series.implementation.is_polars() and series.dtype == nw.Enum:
        return list(native.dtype.categories)
    if getattr(getattr(native, "type", None), "ordered", False):  # Arrow's dictionaries
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist())
    return None


@cache
def _arrow_is_here() -> bool:
    return find_spec("pyarrow") is not None


def _factorize_arrow(series: nw.Series[Any]) -> tuple[NDArray[np.int32], list[Any]]:
    array: Any = series.to_arrow()
    array = array.combine_chunks() if hasattr(array, "combine_chunks") else array
    coded = array.dictionary_encode()
    codes = coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
    return codes.astype(np.int32), coded.dictionary.to_pylist()
