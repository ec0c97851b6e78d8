"""The searches behind a path: one problem, one split cost after another.

Costs are integers here, and `unit` is the integer for a cost of 1.0. The sparse engine
keeps what it has proved from search to search (`treeproof._core.PathSearch`); every
other engine starts from nothing at each split cost. The costs of regression are real
numbers, proved within a relative tolerance of 1e-9; they are rounded to 2**-48.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from time import monotonic
from typing import Any

from treeproof import _core
from treeproof.arithmetic import UNIT_COST
from treeproof.objectives import Units
from treeproof.path.envelope import EXACT, Solution
from treeproof.solving.answer import Answer
from treeproof.solving.crossing import labelled_table, search_options
from treeproof.solving.solvers import RegressionTask, Task, run_solver
from treeproof.tree.split_table import SplitTable

__all__ = ["Searches"]

_REGRESSION_UNIT = 1 << 48
_REGRESSION_TOLERANCE = Fraction(2, 10**9)
_SHARE = 0.4  # share of the remaining time for one search


class Searches:
    """All searches of one path, sharing one time limit."""

    def __init__(self, name: str, task: Task | RegressionTask) -> None:
        self._name = name
        self._task = task
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

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return monotonic() - self._started

    def split_cost(self, penalty: float) -> int:
        """Return a penalty as an integer, rounded as the engine rounds it."""
        exact = float(penalty) * self.unit
        return int(exact + 0.5)

    def solve(self, split_cost: int, lower: int) -> Solution:
        """Find the best tree at this split cost; `lower` is a known lower bound."""
        left = self._seconds_left()
        if self._path is not None:
            answer: Answer = self._path.solve(
                split_cost=split_cost,
                root_lower=lower,
                time_limit=left or 0.0,
                memory_limit=self._task.memory_allowance,
            )
        else:
            penalty = split_cost / self.unit
            # Searches at smaller penalties, which find larger trees, come later.
            share = None if left is None else _SHARE * left
            answer = run_solver(
                self._name,
                replace(
                    self._task,
                    split_penalty=penalty,
                    time_limit=share,
                    observer=None,
                    ladder=None,
                ),
            )
        if answer["status"] != "optimal":
            self.status = answer["status"]
        penalties = _penalties(answer["tree"], self._task.penalize)
        factor = self.unit / answer["unit"] if not self._exact else 1
        upper, bound = round(answer["upper"] * factor), round(answer["lower"] * factor)
        return Solution(
            split_cost=split_cost,
            errors=upper - penalties * split_cost,
            penalties=penalties,
            lower=bound,
            proved=answer["lower"] == answer["upper"],
            answer=answer,
        )

    def _seconds_left(self) -> float | None:
        if self._task.time_limit is None:
            return None
        return max(self._task.time_limit - self.seconds, 1e-3)


def _warm_searches(task: Task) -> Any:
    return _core.PathSearch(labelled_table(task), search_options(task))


def _penalties(tree: SplitTable, penalize: str) -> int:
    """Return the number of penalties that a tree of the engine pays."""
    splits = int((tree["kind"] > 0).sum())
    return len(tree["kind"]) - splits - 1 if penalize == "leaves" else splits
