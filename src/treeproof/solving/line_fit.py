"""The best line for a set of numbers, and its loss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treeproof.solving.leaf_fit import LeafFit

__all__ = ["LineFit"]

_FLATTEST = 1e-280  # slope of a column, in the units of targets and column


class LineFit(LeafFit):
    """Lines and losses on subsets of weighted targets.

    A row of weight w loses ``w * ((y - a - b * x)**2 + ridge * b**2)``, with every
    column scaled to variance 1 over all rows, for the best column, slope and intercept.

    Parameters
    ----------
    targets : ndarray of shape (rows, 1)
        Numbers to predict.
    weights : ndarray of shape (rows,)
        Weights of the rows.
    columns : ndarray of shape (columns, rows)
        What lines may depend on.
    numbers : sequence of int
        The numbers of these columns in the table.
    ridge : float
        What slopes cost.

    Examples
    --------
    >>> x = np.array([[0.0, 1.0, 2.0, 3.0]])
    >>> fit = LineFit(np.array([[1.0], [3.0], [5.0], [8.0]]), np.ones(4), x, [7], 1e-9)
    >>> [float(round(v, 4)) for v in fit.line(np.arange(3))]
    [7.0, 2.0, 1.0]
    """

    def __init__(
        self,
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
        columns: NDArray[np.float64],
        numbers: Sequence[int],
        ridge: float,
    ) -> None:
        self.columns, self.numbers, self.ridge = columns, list(numbers), ridge
        share = weights / weights.sum()
        centre = columns @ share
        x = columns - centre[:, None]
        x -= (x @ share)[:, None]  # what rounding has left of a large offset
        x[columns.min(axis=1) == columns.max(axis=1)] = 0.0
        power = np.frexp(np.abs(x).max(axis=1))[1]  # so that no square vanishes
        x = np.ldexp(x, -power[:, None])
        spread = np.sqrt((x**2) @ share)
        spread = np.where(spread > 0, spread, 1.0)
        self.deviation = np.ldexp(spread, power)
        self._x = x / spread[:, None]
        super().__init__("squared_error", targets, weights)

    def value_and_losses(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the mean, the loss, the mean loss of a row, and the line."""
        return np.append(super().value_and_losses(rows), self.line(rows))

    def _best(
        self, rows: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> tuple[int, float, NDArray[np.float64], NDArray[np.float64]]:
        """Return the best column, its slope, and centred targets and columns."""
        total = weights.sum()
        y = self._scaled[rows, 0]
        y = y - weights @ y / total
        x = self._x[:, rows]
        x = x - (x @ weights / total)[:, None]
        together = (x * y) @ weights
        slopes = together / ((x * x) @ weights + self.ridge * total)
        best = int(np.argmax(slopes * together))
        return best, float(slopes[best]), y, x[best]

    def _raw_loss(
        self, rows: NDArray[np.intp], weights: NDArray[np.float64] | None = None
    ) -> float:
        if len(rows) == 1:
            return 0.0
        if weights is None:
            weights = self.weights.take(rows) / self._heaviest
        _, slope, y, x = self._best(rows, weights)
        left = y - slope * x
        return float(weights @ (left * left) + self.ridge * slope**2 * weights.sum())

    def slopes_in_range(self) -> NDArray[np.bool_]:
        """Return for each column whether doubles can tell its slopes."""
        with np.errstate(over="ignore"):
            steep = self._unit / self.deviation
        fine: NDArray[np.bool_] = (steep > _FLATTEST) & (steep < 1 / _FLATTEST)
        return fine | ~self._x.any(axis=1)

    def line(self, rows: NDArray[np.intp]) -> tuple[float, float, float]:
        """Return column, slope and intercept; column -1 for a constant."""
        best, slope, _, _ = self._best(rows, self.weights.take(rows))
        if slope == 0.0 or len(rows) == 1:
            return -1.0, 0.0, 0.0
        slope *= self._unit / float(self.deviation[best])
        mean = np.average(self.columns[best, rows], weights=self.weights[rows])
        intercept = float(self.value(rows)[0]) - slope * float(mean)
        return float(self.numbers[best]), slope, intercept
