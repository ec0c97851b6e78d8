"""A table in memory, wherever it came from, as NumPy columns by name."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import plain
from treeproof.datasets.bundled import load_bundled

__all__ = ["ColumnFacts", "Table", "bundled_table", "read_path", "read_upload"]

_LIKELY_TARGETS = ("target", "class", "label", "y", "outcome", "species", "diagnosis")


@dataclass(frozen=True)
class ColumnFacts:
    """What the page says about a column before anything is fitted."""

    name: str
    kind: str  # "numbers", "categories", "dates" or "other"
    distinct: int
    missing: int


@dataclass(frozen=True)
class Table:
    """Columns of equal length.

    Attributes
    ----------
    name : str
        How the page calls it.
    columns : dict of ndarray
        Numbers, booleans, or objects (text, None).
    target : str
        The column that is most likely the one to predict.
    numbers : ndarray or None
        The number of each row in the file, from 0; None if all rows are here.
    """

    name: str
    columns: dict[str, NDArray[Any]]
    target: str
    numbers: NDArray[np.intp] | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.columns.values())))

    @property
    def stem(self) -> str:
        """The name without folder and ending, for files made from it."""
        name = Path(self.name).name.removesuffix(".gz")
        return name.rsplit(".", 1)[0] or "table"

    def take(
        self, names: Sequence[str], rows: NDArray[Any] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return some columns, of all rows or of some."""
        chosen = {name: self.columns[name] for name in names}
        if rows is None:
            return chosen
        return {name: values[rows] for name, values in chosen.items()}

    def labelled(self, target: str) -> Table:
        """Return the rows that have a value of the target."""
        values = self.columns[target]
        if values.dtype.kind == "f":
            there = np.flatnonzero(~np.isnan(values))
        elif values.dtype == object:
            there = np.flatnonzero([value is not None for value in values.tolist()])
        else:
            return self
        if len(there) in (0, len(values)):
            return self
        columns = self.take(list(self.columns), there)
        return Table(self.name, columns, self.target, there)

    def facts(self) -> list[ColumnFacts]:
        """Say of each column what it holds."""
        return [_facts(name, values) for name, values in self.columns.items()]

    def rows(self, which: NDArray[np.intp]) -> list[dict[str, Any]]:
        """Return some rows as plain values, with their numbers from 1."""
        numbers = which if self.numbers is None else self.numbers[which]
        return [
            {"row": int(row) + 1, **{n: plain(v[i]) for n, v in self.columns.items()}}
            for i, row in zip(which, numbers, strict=True)
        ]


def _facts(name: str, values: NDArray[Any]) -> ColumnFacts:
    if values.dtype.kind == "f":
        there = values[~np.isnan(values)]
    elif values.dtype == object:
        there = np.array([v for v in values.tolist() if v is not None], dtype=object)
    else:
        there = values
    missing = len(values) - len(there)
    if there.dtype.kind in "iuf":
        return ColumnFacts(name, "numbers", len(np.unique(there)), missing)
    distinct = set(there.tolist())
    kind = "other"
    if all(isinstance(v, str | bool | int | float) for v in distinct):
        kind = "categories"
    elif all(isinstance(v, date) for v in distinct):  # times of a day are some, too
        kind = "dates"
    return ColumnFacts(name, kind, len(distinct), missing)


def bundled_table(name: str) -> Table:
    """Return a bundled set.

    Examples
    --------
    >>> bundled_table("monks").n_rows
    432
    """
    columns, target = load_bundled(name)
    return Table(name, {n: np.asarray(v) for n, v in columns.items()}, target)


def read_path(path: str) -> Table:
    """Read a file, or run a query, as the command line does."""
    return _table(path, _read(path))


def read_upload(name: str, content: bytes) -> Table:
    """Read a file that came through the browser; messages call it by its own name.

    On the disk it gets a name of ours: nothing but the ending is taken from outside.
    """
    safe = Path(name.replace("\\", "/")).name or "upload.csv"
    ending = re.search(r"(\.[A-Za-z0-9]{1,10}){1,2}\Z", safe)
    with tempfile.TemporaryDirectory(prefix="treeproof-") as folder:
        path = Path(folder) / f"table{ending[0] if ending else ''}"
        path.write_bytes(content)
        try:
            return _table(safe, _read(str(path)))
        except (ValueError, TypeError, OSError, ImportError) as error:
            text = str(error).replace(str(path), safe).replace(str(folder), "")
            raise ValueError(text) from None


def _read(path: str) -> dict[str, NDArray[Any]]:
    from treeproof.cli.tables import read_table

    return {name: _array(values) for name, values in read_table(path).items()}


def _array(values: Any) -> NDArray[Any]:
    if not hasattr(values, "to_numpy"):
        return np.asarray(values)
    if str(values.type).startswith(("string", "large_string", "dictionary")):
        return np.array(values.to_pylist(), dtype=object)
    return np.asarray(values.to_numpy())


def _table(name: str, columns: dict[str, NDArray[Any]]) -> Table:
    if len(columns) < 2:
        raise ValueError(
            f"{name!r} has one column only; a tree needs a target and at least one "
            "column to split on."
        )
    likely = [n for n in columns if n.strip().lower() in _LIKELY_TARGETS]
    return Table(name, columns, likely[0] if likely else list(columns)[-1])
