"""Counting trees with the native core: one problem, one budget, any filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from treeproof import _core
from treeproof.solving.solvers import Task, run_solver
from treeproof.tree.split_table import SplitTable

__all__ = [
    "FEWER",
    "Count",
    "Family",
    "Frontier",
    "LimitReachedError",
    "check_task",
    "sparse_costs",
]

FEWER = (  # advice against too many trees
    "what helps most is a smaller max_depth (2 or 3), then fewer thresholds "
    "(quantiles=10), a larger split_penalty and a smaller margin"
)
_ADVICE = {
    "time_limit": f"before the time limit; {FEWER}, or raise time_limit",
    "memory_limit": f"in the memory allowed; {FEWER}, or raise memory_limit",
    "interrupted": "because the work was interrupted",
}


class LimitReachedError(RuntimeError):
    """A limit ended the counting."""

    def __init__(self, status: str, within: float) -> None:
        self.status = status
        super().__init__(
            f"The trees within {within:g} of the optimum could not be counted "
            f"{_ADVICE[status]}."
        )


def check_task(task: Task) -> None:
    """Refuse what the engine cannot do."""
    if task.max_splits is not None:
        raise ValueError(
            "Trees with at most max_splits splits cannot be listed; use max_depth or a "
            "larger split_penalty to keep them small."
        )
    if task.prefix is not None:
        raise ValueError(
            f"Near-optimal trees cannot be listed with {task.prefix.parameter}; fit "
            "without it."
        )


def sparse_costs(task: Task) -> tuple[int, int, int]:
    """Return the integer costs of 1.0, of a split, and of the best tree."""
    found = run_solver("sparse", replace(task, observer=None, proof_log=""))
    return int(found["unit"]), int(found["split_cost"]), int(found["upper"])


class Family:
    """All trees of a problem that cost at most a budget."""

    def __init__(
        self,
        task: Task,
        split_cost: int,
        budget: int,
        within: float,
        *,
        expand_last: bool = False,
    ) -> None:
        self.within = within
        self._deadline = None
        if task.time_limit is not None:
            self._deadline = monotonic() + task.time_limit
        table = task.table.engine
        self._set = _core.NearSet(
            kinds=table.kinds,
            n_values=table.n_values,
            codes=table.codes.reshape(-1),
            columns=table.features,
            labels=task.labels,
            n_classes=task.n_classes,
            weights=task.weights,
            split_cost=split_cost,
            budget=budget,
            max_depth=-1 if task.max_depth is None else task.max_depth,
            min_samples_leaf=task.min_samples_leaf,
            time_limit=self._seconds_left(),
            memory_limit=task.memory_allowance,
            penalize=task.penalize,
            expand_last=expand_last,
        )
        if self._set.status != "complete":
            raise LimitReachedError(self._set.status, within)

    def count(self, required: Sequence[int], banned: Sequence[int]) -> Count:
        """Count the trees that use some features and do without others."""
        counts = self._set.count(
            required=list(required),
            banned=list(banned),
            time_limit=self._seconds_left(),
        )
        if counts.status != "complete":
            raise LimitReachedError(counts.status, self.within)
        return Count(self._set, counts)

    def frontier(
        self,
        codes: Any,
        values: Any,
        n_sums: int,
        split_cost: int,
        *,
        less_is_better: bool,
        penalize: str,
    ) -> Frontier:
        """Find trees by cost and by sums over rows, for all actions of leaves.

        Parameters
        ----------
        codes : ndarray of shape (columns, rows)
            The rows of the table, as the engine knows them.
        values : ndarray of shape (rows, actions, 1 + n_sums)
            What each row adds for each action: its cost, then the sums.
        n_sums : int
            Number of sums.
        split_cost : int
            The penalty, in the unit of these costs.
        less_is_better : bool
            Whether a tree of smaller sums may replace one of larger sums.
        penalize : str
            What the penalty is charged for.
        """
        flat = np.ascontiguousarray(codes).reshape(-1)
        found = self._set.frontier(
            codes=flat,
            values=np.ascontiguousarray(values).reshape(-1),
            n_sums=n_sums,
            split_cost=split_cost,
            less_is_better=less_is_better,
            penalize=penalize,
            time_limit=self._seconds_left(),
        )
        if found.status != "complete":
            raise LimitReachedError(found.status, self.within)
        return Frontier(self._set, found, flat)

    @property
    def n_subproblems(self) -> int:
        """The number of sets of rows that occur in these trees."""
        return int(self._set.n_subproblems)

    def _seconds_left(self) -> float:
        if self._deadline is None:
            return 0.0
        return max(self._deadline - monotonic(), 1e-3)


class Frontier:
    """Trees by cost and sums, one of least cost for each value of the sums."""

    def __init__(self, family: Any, found: Any, codes: Any) -> None:
        self._set, self._found, self._codes = family, found, codes

    @property
    def n_points(self) -> int:
        """How many points all sets of rows have."""
        return int(self._found.n_points)

    def points(self) -> list[list[int]]:
        """Return lists of a cost and the sums."""
        return list(self._found.points())

    def tree(self, i: int) -> tuple[dict[str, Any], Any]:
        """Return a tree of a point as a split table, and the action of each row."""
        return self._found.tree(self._set, i, self._codes)


class Count:
    """How many trees there are, and the tree of any number."""

    def __init__(self, family: Any, counts: Any) -> None:
        self._set, self._counts = family, counts
        self.total = _number(counts.total)
        self.by_cost = [(int(cost), _number(n)) for cost, n in counts.by_cost()]

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, as a split table with its cost."""
        words = [(i >> (64 * k)) & (2**64 - 1) for k in range(4)]
        before = 0
        cost = self.by_cost[0][0]
        for cost, n in self.by_cost:  # noqa: B007 (it is what we look for)
            before += n
            if i < before:
                break
        return self._counts.tree(self._set, words), cost


def _number(words: Sequence[int]) -> int:
    return sum(int(word) << (64 * k) for k, word in enumerate(words))
