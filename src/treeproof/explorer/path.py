"""All trees that are optimal for some penalty, for the slider."""

from __future__ import annotations

from dataclasses import dataclass, replace

from treeproof.explorer.fitting import Fitted, estimator
from treeproof.explorer.question import Question
from treeproof.explorer.tables import Table

__all__ = ["PathPoint", "trees_of_all_sizes"]

_SMALLEST = 0.002


@dataclass(frozen=True)
class PathPoint:
    """A tree that is optimal from the penalty `low` to the penalty `high`."""

    low: float
    high: float
    splits: int
    loss: float
    proved: bool
    fitted: Fitted


def trees_of_all_sizes(
    table: Table, question: Question, *, smallest: float = _SMALLEST
) -> list[PathPoint]:
    """Return the trees of a question for all penalties, small trees first.

    Parameters
    ----------
    table, question
        What to fit; the penalty of the question matters only if it is below `smallest`.
    smallest : float
        Where the path ends; smaller penalties give larger trees and take longer.

    Examples
    --------
    >>> from treeproof.explorer.question import first_question
    >>> from treeproof.explorer.tables import bundled_table
    >>> table = bundled_table("iris")
    >>> question = first_question(table)
    >>> for point in trees_of_all_sizes(table, question, smallest=0.01)[1:]:
    ...     print(point.splits, round(point.loss, 3), round(point.low, 4))
    1 0.333 0.2933
    2 0.04 0.02
    3 0.02 0.01
    """
    from treeproof import penalty_path

    question.check(table)
    low = min(smallest, question.penalty) or smallest
    found = penalty_path(
        table.take(question.columns),
        table.columns[question.target],
        low=low,
        estimator=estimator(question),
    )
    return [
        PathPoint(
            point.interval[0],
            point.interval[1],
            point.n_splits,
            point.loss,
            point.optimal,
            Fitted(replace(question, penalty=point.penalty), table, point.model),
        )
        for point in found
    ]
