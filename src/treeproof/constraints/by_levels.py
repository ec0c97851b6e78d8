"""The search for the cheapest tree that keeps constraints, level of depth by level."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.arithmetic import UNIT_COST
from treeproof.constraints.search import Candidate, ConstrainedSearch, Found
from treeproof.objectives import Costs, Objective
from treeproof.solving.answer import Answer
from treeproof.solving.levels import climb, levels_below
from treeproof.solving.observers import Observer, climbing
from treeproof.tree import Tree

__all__ = ["GivenActions", "search_by_levels", "unit_of"]


def unit_of(objective: Costs) -> float:
    """Return the whole number of costs that stands for a mean cost of one."""
    return UNIT_COST * objective.scale * float(np.cumsum(objective.weights)[-1])


def search_by_levels(
    search: ConstrainedSearch, shown: Objective, observer: Observer
) -> tuple[ConstrainedSearch, Found, Answer]:
    """Return the last search of all trees, what was found, and the answer.

    Parameters
    ----------
    search : ConstrainedSearch
        The problem, with the time for all searches together.
    shown : Objective
        What the nodes of trees show.
    observer : callable
        Called with the bounds of all trees after each search.
    """
    rungs = _Rungs(search, shown, observer)
    answer: Any = climb(
        rungs.solve,
        max_depth=search.max_depth,
        levels=levels_below(search.max_depth, search.objective.table.n_rows - 1),
        time_limit=search.deadline.left(),
        told=climbing(rungs.grow),
    )
    found: Found = answer["found"]
    whole = rungs.whole
    whole.deadline = search.deadline
    if found.best is not None:
        whole.best = found.best
        found = replace(
            found,
            lower=float(answer["lower"]),
            proved=answer["status"] == "optimal",
            status=answer["status"],
        )
    return whole, found, answer


class _Rungs:
    """Searches of one problem with constraints that learn from each other."""

    def __init__(
        self, search: ConstrainedSearch, shown: Objective, observer: Observer
    ) -> None:
        self._first, self._shown, self._observer = search, shown, observer
        self._begun = time.perf_counter()
        self._newest: Candidate | None = None
        self.whole = search

    def solve(
        self, max_depth: int | None, seconds: float | None, _: Answer | None
    ) -> Answer:
        """Search the trees of a maximum depth; costs are whole numbers."""
        begun, first = time.perf_counter(), self._first
        search = first.limited(max_depth, seconds)
        found = search.run()
        upper, lower = np.inf, -np.inf
        if found.best is not None:
            upper = found.best.cost
            lower = upper if found.proved else min(found.lower, upper)
        elif found.proved:
            lower = np.inf
        if max_depth == first.max_depth:
            self.whole = search
        self._newest = found.best or found.closest
        self._tell(lower if max_depth == first.max_depth else 0, upper)
        status = found.status
        if status == "optimal" and not found.proved:
            status = "too_many_sums"
        rows = first.objective.table.n_rows
        answer: Any = {
            "tree": self._newest.splits,
            "lower": lower,
            "upper": upper,
            "unit": unit_of(first.objective),
            "split_cost": first.penalty,
            "status": status,
            "seconds": time.perf_counter() - begun,
            "n_merged_rows": (found.answer or {"n_merged_rows": rows})["n_merged_rows"],
            "statistics": found.statistics,
            "found": found,
        }
        return answer  # type: ignore[no-any-return]

    def grow(self, _: Any) -> Tree:
        """Return the newest tree, which was just told to be better."""
        assert self._newest is not None
        says = GivenActions(self._first.objective, self._newest.actions)
        return self._shown._grow(self._newest.splits, says)

    def _tell(self, lower: float, upper: float) -> None:
        if upper < np.inf:
            unit, seconds = (
                unit_of(self._first.objective),
                time.perf_counter() - self._begun,
            )
            self._observer(0, seconds, lower / unit, upper / unit, 0)


class GivenActions:
    """Leaves take given actions; other nodes take the cheapest action."""

    def __init__(self, objective: Costs, actions: NDArray[np.intp]) -> None:
        self._objective, self._says = objective, actions
        self.actions, self.measure = objective.actions, objective.measure

    def choose(self, rows: NDArray[np.intp]) -> tuple[int, float]:
        """Return the action of a leaf, and its mean cost."""
        said = self._says[rows]
        if (said != said[0]).any():
            return self._objective.choose(rows)
        weights = self._objective.weights[rows]
        paid = weights @ self._objective.costs[rows, said[0]]
        return int(said[0]), float(paid / weights.sum())
