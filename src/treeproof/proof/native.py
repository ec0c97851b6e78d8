"""The checker in C++ for tables in memory.

The checking is done by the module `treeproof._checker`, which is compiled from
``tools/checker``, the sources of the stand-alone program. This file converts tables to
columns of distinct cells.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from treeproof import _checker
from treeproof.proof.checker import Verdict, read_lines
from treeproof.proof.rejected import Array, Rejected, require

AT_ONCE = 32  # lines that are passed to the module at a time
MISSING = ()  # stands for a missing value such as pandas.NA
OTHER = object()  # stands for a cell that cannot be a category

Cells = tuple[list[Any], Array]


def check_natively(
    proof: str | os.PathLike[str] | BinaryIO,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    costs: Any = None,
    sensitive_features: Any = None,
    max_bytes: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Verdict:
    """Check a proof by the module in C++; parameters as in `treeproof.proof.check`."""
    steps = read_lines(proof, max_bytes)
    given = 0

    def next_lines() -> list[bytes]:
        nonlocal given
        if progress is not None:
            progress(max(given - 1, 0))  # the first line is the header
        lines = list(islice(steps, AT_ONCE))
        given += len(lines)
        return lines

    try:
        names, columns = _features(X)
        roles = {}
        for role, values in (("targets", y), ("costs", costs)):
            new = [] if values is None else _outputs(values)
            roles[role] = list(range(len(columns), len(columns) + len(new)))
            columns += new
        groups = None
        if sensitive_features is not None:
            groups = len(columns)
            columns += _outputs(sensitive_features)
        weight = None
        if sample_weight is not None:
            weight = len(columns)
            columns.append(_cells(np.asarray(sample_weight, dtype=np.float64)))
        lengths = {len(place) for _, place in columns}
        require(
            len(lengths) == 1, "the table, the labels and the weights differ in length."
        )
        found = _checker.check(
            next_lines, names, columns, weight=weight, groups=groups, **roles
        )
    except Rejected as error:
        return Verdict(False, None, str(error))
    if found["reason"]:
        found["reason"] += "."
    return Verdict(**found)


def _features(X: Any) -> tuple[list[str] | None, list[Cells]]:
    """Return the columns of a table, and their names if they have any."""
    named = X if isinstance(X, Mapping) else getattr(X, "columns", None)
    if named is not None:
        names = list(named)
        require(all(map(_is_text, names)), "a column has a name that is no text.")
        return names, [_cells(np.asarray(X[name])) for name in names]
    table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    require(table.ndim == 2, "the table does not have rows and columns.")
    return None, [_cells(column) for column in table.T]


def _is_text(name: Any) -> bool:
    """Whether a name is text that UTF-8 can represent: no half of a surrogate pair."""
    return isinstance(name, str) and not any("\ud800" <= c <= "\udfff" for c in name)


def _outputs(values: Any) -> list[Cells]:
    """Return labels, targets or costs: one column, or several."""
    table = np.asarray(values)
    require(table.ndim in (1, 2), "the labels or costs are no column, and no columns.")
    return [_cells(column) for column in (table.T if table.ndim == 2 else [table])]


def _cells(column: Array) -> Cells:
    """Return the distinct cells of a column, and the index of each row's cell."""
    if column.dtype.kind in "biuf":
        distinct, found = np.unique(column, return_inverse=True)
        return distinct.tolist(), found.reshape(-1).astype(np.int32)
    known: dict[Any, int] = {}
    cells: list[Any] = []
    places = np.empty(len(column), dtype=np.int32)
    for i, cell in enumerate(column):
        plain = _plain(cell)
        key = ("NaN",) if plain != plain else plain
        place = known.setdefault(key, len(cells))
        if place == len(cells):
            cells.append(plain)
        places[i] = place
    return cells, places


def _plain(cell: Any) -> Any:
    """Return None, a number or text; or what stands for anything else."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or isinstance(cell, (str, int, float)):
        return cell
    return MISSING if type(cell).__name__ in ("NAType", "NaTType") else OTHER
