"""The searches behind a path: one problem, one split cost after another.

Costs are integers here, and `unit` is the integer for a cost of 1.0. The sparse engine
keeps what it has proved from search to search (`treeproof._core.PathSearch`); every
other engine starts from nothing at each split cost. The costs of regression are real
numbers, proved within a relative tolerance of 1e-9; they are rounded to 2**-48.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from time import monotonic
from typing import Any

from treeproof import _core
from treeproof.arithmetic import UNIT_COST
from treeproof.objectives import Units
from treeproof.path.envelope import EXACT, Solution
from treeproof.path.levels import LevelBounds
from treeproof.path.progress import PathListener
from treeproof.solving.answer import Answer
from treeproof.solving.crossing import labelled_table, search_options
from treeproof.solving.solvers import RegressionTask, Task, run_solver
from treeproof.tree.split_table import SplitTable

__all__ = ["Searches"]

_REGRESSION_UNIT = 1 << 48
_REGRESSION_TOLERANCE = Fraction(2, 10**9)
_SHORTEST = 1e-3  # seconds of a search; even then it returns its first tree


class Searches:
    """All searches of one path, sharing one time limit.

    A split cost may be searched again with more time: what was found and proved before
    is kept, and what is proved is not searched again.

    Attributes
    ----------
    status : str
        Why the last search without a proof ended; "optimal" if there was none.
    n_searches : int
        How many searches there were.
    known : dict
        The best solution at each split cost that was searched.
    levels : LevelBounds
        What was proved about trees of small depth.
    trees : list of Solution
        All trees that were found here or elsewhere.
    """

    def __init__(
        self,
        name: str,
        task: Task | RegressionTask,
        listener: PathListener | None = None,
    ) -> None:
        self._name = name
        self._task = task
        self._listener = listener
        self._started = monotonic()
        self._exact = isinstance(task, Task)
        self._path = None
        if isinstance(task, Task) and name == "sparse" and task.max_splits is None:
            self._path = _warm_searches(task)
            self.unit = int(self._path.unit)
        elif self._exact:
            self.unit = int(run_solver(name, replace(task, split_penalty=1.0))["unit"])
        else:
            self.unit = _REGRESSION_UNIT
        objective = task.objective if isinstance(task, Task) else None
        self.units = Units() if objective is None else objective.units
        self.error_unit = UNIT_COST if self._exact else 1
        self.tolerance = EXACT if self._exact else _REGRESSION_TOLERANCE
        self.status = "optimal"
        self.n_searches = 0
        self.known: dict[int, Solution] = {}
        self.levels = LevelBounds()
        self.trees: list[Solution] = []
        self._spent: dict[int, float] = {}
        self.begin_round(task.time_limit)

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return monotonic() - self._started

    @property
    def in_vain(self) -> float:
        """The seconds that went into the last search at each unproved split cost."""
        return sum(self._spent[x] for x, s in self.known.items() if not s.proved)

    def begin_round(
        self, seconds: float | None, split_costs: Sequence[int] = ()
    ) -> None:
        """Set the time for the next searches.

        Parameters
        ----------
        seconds : float or None
            The time for all of them; None for no limit.
        split_costs : sequence of int
            Where there will be searches, from the largest split cost to the smallest,
            and perhaps in between: each gets an equal part of the time that is left.
        """
        self._until = None if seconds is None else monotonic() + seconds
        self._planned = list(split_costs)

    def learn(self, others: list[Solution]) -> None:
        """Take trees that were found elsewhere for the same problem."""
        self.trees += others

    def split_cost(self, penalty: float) -> int:
        """Return a penalty as an integer, rounded as the engine rounds it."""
        exact = float(penalty) * self.unit
        return int(exact + 0.5)

    def solve(self, split_cost: int, lower: int) -> Solution:
        """Find the best tree at this split cost; `lower` is a known lower bound."""
        before = self.known.get(split_cost)
        if before is not None and before.proved:
            return before
        if before is not None:
            lower = max(lower, before.lower)
        begun = monotonic()
        answer = self._search(split_cost, lower)
        self._spent[split_cost] = monotonic() - begun
        self.n_searches += 1
        if answer["status"] != "optimal":
            self.status = answer["status"]
        penalties = _penalties(answer["tree"], self._task.penalize)
        factor = self.unit / answer["unit"] if not self._exact else 1
        upper, bound = round(answer["upper"] * factor), round(answer["lower"] * factor)
        for level in answer.get("certificates", [])[:-1]:
            least = round(level["lower"] * factor)
            if level["max_depth"] is not None:
                self.levels.add(level["max_depth"], split_cost, least)
        found = Solution(
            split_cost=split_cost,
            errors=upper - penalties * split_cost,
            penalties=penalties,
            lower=bound,
            proved=answer["lower"] == answer["upper"],
            answer=answer,
        )
        self.trees.append(found)
        if not found.proved:
            found = self._best_known(found, lower)
        self.known[split_cost] = found
        return found

    def _best_known(self, found: Solution, lower: int) -> Solution:
        """Return the cheapest tree at a split cost, with the best bound."""
        best = min(self.trees, key=lambda tree: tree.at(found.split_cost))
        least = max(found.lower, lower)
        return replace(
            found,
            errors=best.errors,
            penalties=best.penalties,
            lower=least,
            proved=least >= best.at(found.split_cost),
            answer=best.answer,
        )

    def _search(self, split_cost: int, lower: int) -> Answer:
        seconds = self._seconds(split_cost)
        observer = None
        if self._listener is not None:
            penalty = self.units.factor * split_cost / self.unit
            depth = self._task.max_depth
            tell = self._listener.begin_search(penalty, depth)
            observer = self.units.listening(tell)
        if self._path is not None:
            return self._path.solve(
                split_cost=split_cost,
                root_lower=lower,
                time_limit=seconds or 0.0,
                memory_limit=self._task.memory_allowance,
                observer=observer,
            )
        task = replace(
            self._task,
            split_penalty=split_cost / self.unit,
            time_limit=seconds,
            observer=observer,
            ladder=None,
        )
        return run_solver(self._name, task)

    def _seconds(self, split_cost: int) -> float | None:
        """Return the time of the next search."""
        if self._until is None:
            return None
        # Searches at smaller penalties, which find larger trees, come later.
        later = [x for x in self._planned if x < split_cost and not self._proved(x)]
        return max((self._until - monotonic()) / (1 + len(later)), _SHORTEST)

    def _proved(self, split_cost: int) -> bool:
        found = self.known.get(split_cost)
        return found is not None and found.proved


def _warm_searches(task: Task) -> Any:
    return _core.PathSearch(labelled_table(task), search_options(task))


def _penalties(tree: SplitTable, penalize: str) -> int:
    """Return the number of penalties that a tree of the engine pays."""
    splits = int((tree["kind"] > 0).sum())
    return len(tree["kind"]) - splits - 1 if penalize == "leaves" else splits
