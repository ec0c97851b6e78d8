"""What a source of rows must be able to do, and when its distinct rows are too many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treeproof.limits import machine_memory

__all__ = ["Counted", "Cuts", "Question", "Source", "most_rows", "too_many_rows"]

ROWS, WEIGHT, LOW = "treeproof rows", "treeproof weight", "treeproof low "
"""Names of the columns that counting adds to the table."""

Cuts = Mapping[str, NDArray[np.float64]]
"""For each coarsened column, the greatest value of each of its bins, ascending."""


@dataclass
class Question:
    """Which rows to count.

    Attributes
    ----------
    columns : sequence of str
        The columns that make two rows different.
    weight : str or None
        The column whose sum is wanted beside the number of rows. Rows of weight zero
        are left out.
    cuts : Cuts
        Columns of which only the bin matters. They come back as the number of the bin,
        beside a column ``LOW + name`` with the least value seen.
    most : int
        The maximum number of distinct rows to return.
    """

    columns: Sequence[str]
    weight: str | None
    cuts: Cuts
    most: int


@dataclass
class Counted:
    """An Arrow table of distinct rows with the columns ROWS, WEIGHT and LOW..."""

    table: Any
    n_rows: int


class Source(Protocol):
    """A table that somebody else holds."""

    label: str  # how messages call it

    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    def numeric(self) -> set[str]:
        """Return the columns whose type is a number."""

    def head(self, columns: Sequence[str]) -> Any:
        """Return the first row of some columns as an Arrow table."""

    def check_weights(self, weight: str) -> None:
        """Refuse weights that are missing, negative or not finite."""

    def cuts(self, columns: Sequence[str], weight: str | None, bins: int) -> Cuts:
        """Return quantile bins for those of the columns that have more values."""

    def count(self, question: Question) -> Counted:
        """Return the distinct rows, or ValueError if there are too many."""

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow tables, in their order."""


def most_rows(memory: int, n_columns: int) -> int:
    """Return how many distinct rows a search may hold.

    Half of the memory goes to them. A row takes about 24 bytes a column while it is
    read, encoded and copied into the engine, and 160 bytes besides.
    """
    total = memory or machine_memory()
    return max(1000, total // 2 // (24 * n_columns + 160))


def too_many_rows(
    label: str, n_rows: str, distinct: str, most: int, wide: Mapping[str, int]
) -> ValueError:
    """Return the message about more distinct rows than fit.

    `wide` holds the numbers of distinct values of the columns.
    """
    worst = sorted(wide, key=wide.__getitem__, reverse=True)[:3]
    named = ", ".join(f"{name!r} (about {wide[name]:,})" for name in worst)
    columns = f" The columns with most values are {named}." if worst else ""
    return ValueError(
        f"{label} has {n_rows} rows, of which {distinct} are distinct; {most:,} fit "
        f"into the memory.{columns} Leave out such columns, coarsen those that hold "
        "numbers with quantiles=64, or raise memory_limit."
    )
