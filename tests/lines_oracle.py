"""What lines lose on small sets of rows, in fractions: brute force for tests.

The best line is found by solving the normal equations of intercept and slope, for each
column; nothing of this is shared with an engine or a checker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np


@dataclass
class LinesOracle:
    """Rows, and what lines in some of their columns lose on them."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    columns: Sequence[int]
    ridge: float
    known: dict[int, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.n = len(self.y)
        self.w = [Fraction(v) for v in self.weight.tolist()]
        self.t = [Fraction(v) for v in self.y.tolist()]
        self.x = {k: [Fraction(v) for v in self.X[:, k].tolist()] for k in self.columns}
        total = sum(self.w)
        self.bent = {}  # what a slope of 1 costs a row of weight 1
        for k, x in self.x.items():
            mean = sum(a * v for a, v in zip(self.w, x, strict=True)) / total
            spread = sum(a * (v - mean) ** 2 for a, v in zip(self.w, x, strict=True))
            self.bent[k] = Fraction(self.ridge) * spread / total

    def rows(self, mask: int) -> list[int]:
        return [i for i in range(self.n) if mask >> i & 1]

    def loss(self, rows: list[int], k: int, at: Any, slope: Any) -> Fraction:
        """What the line at + slope x loses."""
        lost = [
            self.w[i]
            * ((self.t[i] - at - slope * self.x[k][i]) ** 2 + self.bent[k] * slope**2)
            for i in rows
        ]
        return sum(lost, Fraction(0))

    def best(self, mask: int) -> Fraction:
        """What the best line loses on some rows."""
        rows = self.rows(mask)
        return min(self.best_in(rows, k) for k in self.x) if rows else Fraction(0)

    def best_in(self, rows: list[int], k: int) -> Fraction:
        x, w, t = self.x[k], self.w, self.t
        weight, first = sum(w[i] for i in rows), sum(w[i] * x[i] for i in rows)
        square = sum(w[i] * x[i] ** 2 for i in rows) + self.bent[k] * weight
        level, both = (
            sum(w[i] * t[i] for i in rows),
            sum(w[i] * x[i] * t[i] for i in rows),
        )
        under = weight * square - first**2
        if under == 0:  # the column is constant
            return self.loss(rows, k, level / weight, Fraction(0))
        at = (square * level - first * both) / under
        slope = (weight * both - first * level) / under
        return self.loss(rows, k, at, slope)

    def of(self, mask: int, told: list[Any]) -> Fraction:
        """What the leaf of a proof loses that predicts [p] or [p, column, slope]."""
        rows, p = self.rows(mask), Fraction(told[0])
        if len(told) == 1:
            return sum((self.w[i] * (self.t[i] - p) ** 2 for i in rows), Fraction(0))
        _, k, slope = told
        if k not in self.x:
            raise ValueError
        weight = sum(self.w[i] for i in rows)
        middle = sum(self.w[i] * self.x[k][i] for i in rows) / weight
        slope = Fraction(slope)
        return self.loss(rows, k, p - slope * middle, slope)
