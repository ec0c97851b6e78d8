"""Encodes a table as its proof does: columns, labels, and views of columns.

Part of the checker: the standard library and NumPy only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from treeproof.proof.header import read_number
from treeproof.proof.rejected import Array, Rejected, require

MAX_SUBSET_VALUES = 16


def columns_of(X: Any, features: list[Any]) -> list[Array]:
    """Return the columns of a table in the order of the proof's features."""
    named = X if isinstance(X, Mapping) else getattr(X, "columns", None)
    if named is not None:
        names = [f.get("name") for f in features]
        for name in names:
            require(name in named, f"the table has no column {name!r}.")
        for name in named:
            require(name in names, f"the proof says nothing of the column {name!r}.")
        return [np.asarray(X[name]) for name in names]
    table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    fits = table.ndim == 2 and table.shape[1] == len(features)
    require(fits, f"the table does not have {len(features)} columns.")
    return list(table.T)


def positions(values: Any, listed: Any, otherwise: str) -> Array:
    """Return the position of each value in a list of distinct ones."""
    require(isinstance(listed, list), otherwise)
    try:
        position = {v: k for k, v in enumerate(listed)}
        plain = (v.item() if isinstance(v, np.generic) else v for v in values)
        code = np.array([position[v] for v in plain], dtype=np.int64)
    except (KeyError, TypeError):
        raise Rejected(otherwise) from None
    require(len(position) == len(listed), otherwise)
    return code


def read_labels(raw: dict[str, Any], y: Array) -> tuple[Array, Array]:
    """Return the codes of the labels, and a factor for each class."""
    code = positions(y, raw.get("classes"), "the labels are not those of the proof.")
    given = raw.get("class_weight")
    one_each = isinstance(given, list) and len(given) == len(raw["classes"]) > 0
    require(one_each, "the header has not one weight for each class.")
    return code, np.array([read_number(w, "a class weight", 0) for w in given or []])


def encode_column(
    feature: dict[str, Any], column: Array, digest: Any, header: str
) -> tuple[Array, int]:
    """Return a column's codes and its number of values; update the digest."""
    name = f"column {feature.get('name')!r}"
    listed: Any = feature.get("values")
    there = np.ones(len(column), bool)
    if feature.get("missing") is not None:
        there = ~np.array([_is_missing(cell) for cell in column], bool)
    if feature["split"] == "threshold":
        try:
            numbers = np.asarray(column[there], dtype=np.float64)
        except (TypeError, ValueError):
            raise Rejected(f"{name} is not numeric.") from None
        require(np.all(np.isfinite(numbers)), f"{name} is not finite.")
        listed, found = np.unique(numbers, return_inverse=True)
        digest.update((listed + 0.0).astype("<f8").tobytes())  # -0.0 is 0.0
    else:
        problem = f"{name} has not the proof's categories."
        found = positions(column[there], listed, problem)
        written = json.dumps(listed)
        require(written in header, f"{name}: its values are not written as by Python.")
        digest.update(written.encode())
    code = np.full(len(column), len(listed))  # the code of a missing value
    code[there] = found.reshape(-1)
    digest.update(code.astype("<i4").tobytes())
    return code, len(listed)


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (float, np.floating)) and bool(np.isnan(cell))


def views(split: str, n: int, missing: str | None) -> Iterator[tuple[str, Array]]:
    """Yield the views of a column of n values, which are what tests can ask about.

    A view is split by threshold, multiway or one against the rest. It has a code for
    each code of the column, where n stands for a missing value.
    """
    code = np.arange(n + 1 if missing else n)
    gone, own, ordered = code == n, missing == "branch", split in ("threshold", "order")
    if split == "either":
        yield "multiway", code
        if not own:
            yield "one-vs-rest", code
            return
    if split == "multiway" or (not missing and split != "subset"):
        yield "threshold" if ordered else split, code
        return
    if own:
        yield "threshold", 1 - gone  # whether the value is missing
    elif ordered:
        yield "threshold", np.where(gone, 0, code + 1)
        if n > 1:
            yield "threshold", code
    elif split == "one-vs-rest":
        yield split, code
    chosen: Iterable[Array]
    if split == "subset":
        size = n if own else len(code)
        require(size <= MAX_SUBSET_VALUES, "a column has too many subsets.")
        chosen = ((2 * k + 1) >> code & 1 for k in range(2 ** max(size - 1, 0) - 1))
    elif ordered:
        chosen = (code <= c for c in range(n - 1 if own else 0))
    elif own:
        chosen = (code == c for c in range(n if n > 2 else n - 1))
    else:
        chosen = ((code == c) | gone for c in range(n if n > 2 else 0))
    for yes in chosen:
        side = np.where(yes, 0, 1)
        yield ("multiway", np.where(gone, 2, side)) if own else ("threshold", side)
