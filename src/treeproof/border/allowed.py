"""Reads which columns splits may test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treeproof.border.names import known_columns

__all__ = ["read_allowed"]


def read_allowed(allowed_features: Any, table_names: list[str]) -> frozenset[int]:
    """Return the numbers of the columns that trees may test.

    Examples
    --------
    >>> sorted(read_allowed(["b", 0], ["a", "b", "c"]))
    [0, 1]
    """
    if isinstance(allowed_features, str | Mapping):
        raise TypeError(
            f"allowed_features is {allowed_features!r}; give a list of columns."
        )
    found = set()
    for column in allowed_features:
        if isinstance(column, str) and column in table_names:
            found.add(table_names.index(column))
        elif _is_whole(column) and 0 <= column < len(table_names):
            found.add(int(column))
        else:
            known = known_columns(str(column), table_names)
            raise ValueError(
                f"allowed_features has {column!r}, which is not a column of X; {known}"
            )
    return frozenset(found)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
