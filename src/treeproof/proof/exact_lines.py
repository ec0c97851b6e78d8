"""Lines in leaves, for the exact checker.

Section 5 of docs/proof-format.md, *Lines*. Only for proofs of lines does anything
depend on this module. All sums are fractions, so that nothing is ever rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from treeproof.proof.exact_data import Problem, Rows, number, require, whole


class LineProblem(Problem):
    """The losses of lines in one of some columns, and the best of these lines."""

    def __init__(self, h: Any, columns: Any, target: Any, weight: Any, costs: Any):
        given, self.ridge = h["lines"]["columns"], Fraction(number(h["lines"]["ridge"]))
        named = [h["features"][whole(f)] for f in given]
        require(named and len(set(given)) == len(given), "the columns of lines")
        plain = all(f["split"] == "threshold" and not f.get("missing") for f in named)
        require(plain and 0 < self.ridge <= 10**9, "lines need numbers, and a ridge")
        kept = [i for i, w in enumerate(weight) if w > 0]
        self.x = {
            k: [Fraction(float(columns[f["name"]][i])) for i in kept]
            for k, f in zip(given, named, strict=True)
        }
        heft = [Fraction(weight[i]) for i in kept]
        self.variance = {k: _moment(heft, x, x) / sum(heft) for k, x in self.x.items()}
        super().__init__(h, columns, target, weight, costs)
        require(self.n_outputs == 1, "lines predict one number")

    def leaf(self, rows: Rows) -> Any:
        """Return the loss of the best line in any of the columns."""
        if len(rows) < 2:
            return Fraction(0)
        w, y = self._of(rows)
        saved = [Fraction(0)]
        for k, column in self.x.items():
            x = [column[i] for i in sorted(rows)]
            if bent := _moment(w, x, x):  # otherwise a slope changes no prediction
                dear = self.ridge * self.variance[k] * sum(w)
                saved.append(_moment(w, x, y) ** 2 / (bent + dear))
        return _moment(w, y, y) - max(saved)

    def lost(self, rows: Rows, values: list[Any], read: Callable[[Any], Any]) -> Any:
        """Return the loss of a leaf's line, which must pass near its mean."""
        require(len(values) in (1, 3), "a leaf has no constant and no line")
        w, y = self._of(rows)
        mean, p = _sum(w, y) / sum(w), read(values[0])
        p = mean if abs(p - mean) <= max(map(abs, y)) / 2**50 else p
        if len(values) == 1:
            return sum(a * (b - p) ** 2 for a, b in zip(w, y, strict=True))
        require(whole(values[1]) in self.x, "a line in another column")
        k, slope = values[1], read(values[2])
        x = [self.x[k][i] for i in sorted(rows)]
        middle = _sum(w, x) / sum(w)
        off = [b - p - slope * (v - middle) for b, v in zip(y, x, strict=True)]
        loss = sum(a * e**2 for a, e in zip(w, off, strict=True))
        return loss + self.ridge * self.variance[k] * slope**2 * sum(w)

    def _of(self, rows: Rows) -> tuple[list[Any], list[Any]]:
        """Return weights and targets."""
        own = sorted(rows)
        return [self.heft[i] for i in own], [self.target[i][0] for i in own]


def _moment(w: list[Any], u: list[Any], v: list[Any]) -> Any:
    """Return the sum of w (u - mean) (v - mean)."""
    both = sum(a * b * c for a, b, c in zip(w, u, v, strict=True))
    return both - _sum(w, u) * _sum(w, v) / sum(w)


def _sum(w: list[Any], v: list[Any]) -> Any:
    """Return the sum of w v."""
    return sum(a * b for a, b in zip(w, v, strict=True))
