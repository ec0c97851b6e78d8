"""Lines in the leaves of a regression tree: intercept + slope * one column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treeproof.tree.routing import Columns
from treeproof.words import number

__all__ = ["Line", "Lines"]


@dataclass(frozen=True)
class Line:
    """What one node predicts.

    Attributes
    ----------
    column : str
        The column that the prediction depends on.
    slope, intercept : float
        The prediction is ``intercept + slope * x``.
    otherwise : float
        The prediction where x is missing.

    Examples
    --------
    >>> str(Line("size", -2.0, 3.5, 1.0))
    '3.5 - 2 * size'
    """

    column: str
    slope: float
    intercept: float
    otherwise: float

    def __str__(self) -> str:
        sign = "-" if self.slope < 0 else "+"
        slope = number(abs(self.slope))
        return f"{number(self.intercept)} {sign} {slope} * {self.column}"


@dataclass
class Lines:
    """The line of every node.

    Attributes
    ----------
    column : ndarray of int32
        The column that a node's prediction depends on; -1 for a constant.
    slope, intercept : ndarray of float64
        The line of each node; 0 for a constant.
    """

    column: NDArray[np.int32]
    slope: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def predict(
        self,
        nodes: NDArray[np.intp],
        columns: Columns,
        constants: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return what rows that end in these nodes are predicted to be.

        Parameters
        ----------
        nodes : ndarray of shape (rows,)
            Where the rows end.
        columns : sequence of ndarray
            The values of the rows, column by column.
        constants : ndarray of shape (rows,)
            The predictions where there is no line, or no value for it.
        """
        predicted = constants.astype(np.float64)
        of_row = self.column[nodes]
        for column in np.unique(of_row[of_row >= 0]).tolist():
            rows = np.flatnonzero(of_row == column)
            x = np.asarray(columns[column], dtype=np.float64)[rows]
            there = np.isfinite(x)
            rows, x = rows[there], x[there]
            at = nodes[rows]
            predicted[rows] = self.intercept[at] + self.slope[at] * x
        return predicted
