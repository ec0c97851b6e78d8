"""The path of trees of any depth, and those of shallow trees, within one time limit.

Shallow trees are proved quickly where deeper ones take hours, and they are often the
best of all. So a path that is not proved in the first part of its time is followed by
the paths of trees of depth three and four, whose trees also count for the path of all
trees. After that, split costs that are not proved are searched again with more time,
until it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from treeproof.path.budget import Budget
from treeproof.path.envelope import Envelope, stages, trace
from treeproof.path.levels import LevelBounds
from treeproof.path.progress import PathListener
from treeproof.path.searches import Searches
from treeproof.solving.certificates import any_depth
from treeproof.solving.levels import table_depth

__all__ = ["Level", "Traced", "trace_levels"]

_RUNGS = (3, 4)  # depths with a path of their own
_FIRST = 0.4  # share of the time for the first look at trees of any depth
_OF_RUNG = 0.4  # share of what is left then, and again, for each depth
_MORE = 2.0  # times as much time is worth another search of the same
_WORTHWHILE = 0.02  # share of the time that is worth another round


@dataclass(frozen=True)
class Level:
    """What is known about the trees of a level at one split cost.

    Attributes
    ----------
    max_depth : int
        The level.
    upper, lower : Fraction
        The cost of the best of its trees that is known, and a bound on all of them.
    seconds : float
        When the searches ended.
    """

    max_depth: int
    upper: Fraction
    lower: Fraction
    seconds: float


@dataclass(frozen=True)
class Traced:
    """The path of a problem, and what is known about its levels of depth.

    Attributes
    ----------
    searches : Searches
        The searches for trees of any depth.
    envelope : Envelope
        The path.
    n_searches : int
        How many searches there were, with those of shallow trees.
    levels : LevelBounds
        What was proved about trees of small depth.
    seconds : float
        How long it took.
    """

    searches: Searches
    envelope: Envelope
    n_searches: int
    levels: LevelBounds
    seconds: float

    def levels_at(self, split_cost: int, cost: int) -> Iterator[Level]:
        """Yield what is known about levels at a split cost.

        Shallow levels that were not proved there are left out: a path looks for the
        best trees of depth three and four, but not for those of depth one and two.
        `cost` is that of the best tree.
        """
        for depth in range(1, max(self.levels.depths, default=0) + 1):
            known = [
                solution.at(split_cost)
                for solution in self.envelope.solutions
                if table_depth(solution.answer["tree"]) <= depth
            ]
            if not known:
                continue
            upper = Fraction(min(known))
            lower = min(self.levels.lower(depth, Fraction(split_cost)), upper)
            if lower >= upper or depth >= min(_RUNGS):
                yield Level(depth, upper, lower, self.seconds)


def trace_levels(
    name: str, task: Any, low: float, high: float, listener: PathListener
) -> Traced:
    """Return the path between two penalties, in the user's unit.

    Parameters
    ----------
    name : str
        The solver.
    task : Task or RegressionTask
        The problem.
    low, high : float
        The range of penalties.
    listener : PathListener
        Is told about all searches.
    """
    return _Tracing(name, task, low, high, listener).run()


class _Tracing:
    def __init__(
        self, name: str, task: Any, low: float, high: float, listener: PathListener
    ) -> None:
        self._name, self._task, self._listener = name, task, listener
        self._budget = Budget(task.time_limit)
        self._whole = Searches(name, task, listener)
        units = self._whole.units
        self._ends = (
            self._whole.split_cost(units.engine_penalty(low)),
            self._whole.split_cost(units.engine_penalty(high)),
        )
        self._plan = stages(*self._ends)
        self._n_searches = 0

    def run(self) -> Traced:
        whole = self._whole
        rungs = [d for d in _RUNGS if d < any_depth(self._task.max_depth)]
        whole.begin_round(self._budget.share(_FIRST if rungs else 1.0), self._plan)
        envelope = self._traced(whole)
        for depth in rungs:
            if envelope.complete or whole.status == "interrupted":
                break
            flat = self._rung(depth)
            if not flat.complete:
                break
        envelope = envelope.joined(whole.trees, [], *self._ends)
        while not envelope.proved and self._goes_on():
            before = whole.n_searches
            envelope = self._again(envelope)
            if whole.n_searches == before:
                break
        n_searches = self._n_searches + whole.n_searches
        return Traced(whole, envelope, n_searches, whole.levels, whole.seconds)

    def _again(self, envelope: Envelope) -> Envelope:
        """Spend time that is left on what is not proved; return what is known then.

        If there is much more of it than the unproved searches have had, all of them
        are repeated. Otherwise one is made with all of the time, where the gap is
        largest.
        """
        whole, left = self._whole, self._budget.share(1.0)
        assert left is not None
        if left >= _MORE * whole.in_vain:
            whole.begin_round(left, self._plan)
            known = self._traced(whole).known
        else:
            _, at = max(envelope.gap(segment) for segment in envelope.segments)
            split_cost = round(-at)
            whole.begin_round(left)
            found = whole.solve(split_cost, int(envelope.lower(Fraction(split_cost))))
            bound = found.at(split_cost) if found.proved else found.lower
            known = [(Fraction(split_cost), Fraction(bound))]
        return envelope.joined(whole.trees, known, *self._ends)

    def _traced(self, searches: Searches) -> Envelope:
        unit, tolerance = searches.error_unit, searches.tolerance
        return trace(searches.solve, *self._ends, unit, tolerance)

    def _rung(self, depth: int) -> Envelope:
        """Trace the path of shallow trees, and hand up what it has found."""
        task = replace(self._task, max_depth=depth)
        searches = Searches(self._name, task, self._listener)
        searches.begin_round(self._budget.share(_OF_RUNG), self._plan)
        flat = self._traced(searches)
        self._whole.learn(searches.trees)
        self._whole.levels.update(depth, flat.known)
        self._n_searches += searches.n_searches
        if searches.status == "interrupted":
            self._whole.status = "interrupted"
        return flat

    def _goes_on(self) -> bool:
        """Whether there is time for another round that could prove more."""
        left, limit = self._budget.left(), self._task.time_limit
        time_is_left = left is not None and left > _WORTHWHILE * limit
        return time_is_left and self._whole.status == "time_limit"
