"""All trees that are optimal for some penalty, as a slider wants them.

The cost of a tree is loss + penalty * splits, a line over the penalty; the least cost
over all trees is the lower envelope of these lines. Between two penalties whose optimal
trees are known, the place where their lines cross is the only one at which a third tree
can lie deepest below: fit there, and either nothing is better and the two are
neighbours, or the new tree divides the interval. Every fit is exact, so the path is;
where a fit stopped early, the points it lies between are marked as not proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from treeproof.explorer.fitting import Fitted, fit
from treeproof.explorer.question import Question
from treeproof.explorer.tables import Table

__all__ = ["PathPoint", "penalty_path"]

_LARGEST = 0.3
_SMALLEST = 0.001
_MOST_FITS = 80
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class PathPoint:
    """A tree that is optimal from the penalty `low` to the penalty `high`."""

    low: float
    high: float
    splits: int
    loss: float
    proved: bool
    fitted: Fitted


def penalty_path(
    table: Table,
    question: Question,
    *,
    smallest: float = _SMALLEST,
    go_on: Callable[[str], bool] = lambda note: True,
) -> list[PathPoint]:
    """Return the trees of a question for all penalties, the smallest penalty first.

    Parameters
    ----------
    table, question
        What to fit; the penalty of the question is not used.
    smallest : float
        Where the path ends; smaller penalties give larger trees and take longer.
    go_on : callable
        Told how far the work is; returns whether to go on.

    Examples
    --------
    >>> from treeproof.explorer.question import first_question
    >>> from treeproof.explorer.tables import bundled_table
    >>> table = bundled_table("iris")
    >>> for point in penalty_path(table, first_question(table), smallest=0.01):
    ...     print(point.splits, round(point.loss, 3), round(point.low, 4))
    3 0.02 0.01
    2 0.04 0.02
    1 0.333 0.2933
    """
    fits: dict[float, Fitted] = {}

    def at(penalty: float) -> Fitted:
        fits[penalty] = fit(table, replace(question, penalty=penalty))
        return fits[penalty]

    low, high = at(smallest), at(_LARGEST)
    pending = [(low, high)]
    while pending and len(fits) < _MOST_FITS:
        if not go_on(f"{len(fits)} trees fitted"):
            break
        left, right = pending.pop()
        crossing = _crossing(left, right)
        if crossing is None:
            continue
        between = at(crossing)
        known = _loss(right) + crossing * _splits(right)
        if between.model.objective_ < known - _TOLERANCE and _splits(between) not in (
            _splits(left),
            _splits(right),
        ):
            pending += [(left, between), (between, right)]
    return _points(list(fits.values()), smallest)


def _loss(fitted: Fitted) -> float:
    model = fitted.model
    return float(model.objective_ - model.split_penalty * model.n_splits_)


def _splits(fitted: Fitted) -> int:
    return int(fitted.model.n_splits_)


def _crossing(left: Fitted, right: Fitted) -> float | None:
    """Return the penalty at which two trees cost the same."""
    more = _splits(left) - _splits(right)
    if more <= 0:
        return None
    crossing = (_loss(right) - _loss(left)) / more
    inside = left.model.split_penalty < crossing < right.model.split_penalty
    return crossing if inside else None


def _points(fits: list[Fitted], smallest: float) -> list[PathPoint]:
    """Order the fitted trees and give each the interval in which it is the best."""
    best: dict[int, Fitted] = {}
    for fitted in fits:
        known = best.get(_splits(fitted))
        if known is None or (_loss(fitted), not fitted.model.optimal_) < (
            _loss(known),
            not known.model.optimal_,
        ):
            best[_splits(fitted)] = fitted
    points: list[PathPoint] = []
    low = smallest
    for splits in sorted(best, reverse=True):
        point = best[splits]
        ahead: list[Any] = [best[s] for s in best if s < splits]
        crossings = [(_loss(o) - _loss(point)) / (splits - _splits(o)) for o in ahead]
        high = min([*crossings, 1.0])
        if high <= low + _TOLERANCE:
            continue
        points.append(
            PathPoint(low, high, splits, _loss(point), point.model.optimal_, point)
        )
        low = high
    return points
