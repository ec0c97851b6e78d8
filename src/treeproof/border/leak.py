"""A target that is also a feature: any tree would be perfect, and of no use."""

from __future__ import annotations

from typing import Any

import numpy as np

from treeproof.border.labels import read_vector
from treeproof.border.raw import RawTable
from treeproof.border.text import TextColumn

__all__ = ["check_target_is_apart"]


def check_target_is_apart(raw: RawTable, y: Any) -> None:
    """Refuse a table that holds the target under its own name, value for value."""
    name = getattr(y, "name", None)
    if raw.names is None or not isinstance(name, str) or name not in raw.names:
        return
    place = raw.names.index(name)
    if place in raw.missing:
        return  # a target has no missing values
    column = raw.column(place)
    values = read_vector(y, "y")
    if values.ndim != 1 or len(values) != raw.n_rows:
        return
    if isinstance(column, TextColumn):
        same = [column.distinct[k] for k in column.codes.tolist()] == values.tolist()
    else:
        same = bool(np.array_equal(column, values))
    if same:
        raise ValueError(
            f"Column {name!r} of X is the target itself; leave it out of X, or the "
            "tree would only repeat it."
        )
