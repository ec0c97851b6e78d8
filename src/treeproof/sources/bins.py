"""Numeric columns coarsened to quantile bins.

A numeric column of a large table has about as many values as rows, and then all rows
are distinct. Cut into bins of about equal numbers of rows it has few, at a price: only
thresholds between bins are tried, so that the tree is optimal among the trees that use
those. A column with no more values than bins stays as it is.

Value v belongs to bin ``ceil(bins * r / n)`` where r of the n rows have a value <= v.
This depends only on the data, not on their order, and DuckDB computes it with a sort of
the distinct values that may spill to disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border import TrainingTable
from treeproof.border.ranks import midpoint

__all__ = ["BinnedTable", "bin_number_sql", "quantile_cuts"]


@dataclass
class BinnedTable(TrainingTable):
    """A training table some of whose numeric columns hold bins.

    `distinct` has the greatest value of each bin, `low` the least: the threshold
    between two bins is half-way between the last value of one and the first of the
    next.
    """

    low: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    def cut(self, column: int, code: int) -> float:
        """Return the threshold between a bin (or value) and the next one."""
        if column not in self.low:
            return super().cut(column, code)
        below, above = self.distinct[column][code], self.low[column][code + 1]
        return midpoint(float(below), float(above))

    @classmethod
    def of(cls, table: TrainingTable, low: dict[int, Any]) -> BinnedTable:
        """Return a table with the least values of the bins of some columns."""
        given = {f.name: getattr(table, f.name) for f in fields(table) if f.init}
        return cls(**given, low=low)


def quantile_cuts(
    values: NDArray[np.float64], counts: NDArray[Any], bins: int
) -> NDArray[np.float64] | None:
    """Return the greatest value of each bin, or None if there are few values.

    Parameters
    ----------
    values : ndarray
        The distinct values in ascending order.
    counts : ndarray
        How many rows have each of them.
    bins : int
        The maximum number of bins.

    Examples
    --------
    >>> quantile_cuts(np.arange(6.0), np.array([1, 1, 1, 1, 1, 5]), 2)
    array([4., 5.])
    >>> quantile_cuts(np.arange(2.0), np.array([3, 9]), 2)
    """
    if len(values) <= bins:
        return None
    reached = np.cumsum(counts, dtype=np.int64)
    bin_of = -(-reached * bins // reached[-1])
    last = np.append(bin_of[1:] != bin_of[:-1], True)
    return values[last]


def bin_number_sql(expression: str, cuts: NDArray[np.float64]) -> str:
    """Return SQL for the number of a value's bin, by bisection.

    Examples
    --------
    >>> bin_number_sql("x", np.array([0.5, 2.0]))
    "CASE WHEN x <= '0.5'::DOUBLE THEN 0 ELSE 1 END"
    """

    def search(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        bound = f"'{float(cuts[middle])!r}'::DOUBLE"
        return (
            f"CASE WHEN {expression} <= {bound} THEN {search(low, middle)} "
            f"ELSE {search(middle + 1, high)} END"
        )

    return search(0, len(cuts) - 1)
