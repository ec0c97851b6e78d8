"""Counting trees with the native core: one problem, one budget, any filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.alternatives.counts import Count, Counted, DistinctCount, number_of
from treeproof.border.partial_tree import Given
from treeproof.solving.solvers import RegressionTask, Task, run_solver
from treeproof.tree.split_table import SplitTable

__all__ = [
    "FEWER",
    "Family",
    "Frontier",
    "LimitReachedError",
    "Search",
    "sparse_costs",
]

FEWER = (  # advice against too many trees
    "what helps most is a smaller max_depth (2 or 3), then fewer thresholds "
    "(quantiles=10), a larger split_penalty and a smaller margin"
)
_BUILDING = 0.7  # share of the time for finding subproblems; the rest is for counting
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


def root_column(task: Task | RegressionTask) -> int:
    """Return the column that the root must test, or -1 for any."""
    prefix = task.prefix
    if prefix is None:
        return -1
    if prefix.parameter != "first_split" or not isinstance(prefix.root, Given):
        raise ValueError(
            f"Near-optimal trees cannot be listed with {prefix.parameter}; use "
            "first_split, or fit without it."
        )
    return prefix.root.column


def sparse_costs(task: Task) -> tuple[int, int, int]:
    """Return the integer costs of 1.0, of a split, and of the best tree."""
    found = run_solver("sparse", replace(task, observer=None, proof_log=""))
    return int(found["unit"]), int(found["split_cost"]), int(found["upper"])


class Search:
    """A problem whose trees within a budget can be found, one budget after the other.

    What is learned for one budget is used for the next.

    Parameters
    ----------
    task : Task or RegressionTask
        The problem.
    split_cost : int
        The penalty, in the unit of the costs; not used by a regression.
    expand_last : bool, default=False
        Whether the leaves' labels are chosen by the caller.
    """

    def __init__(
        self,
        task: Task | RegressionTask,
        split_cost: int,
        *,
        expand_last: bool = False,
    ) -> None:
        self.max_splits = -1 if task.max_splits is None else task.max_splits
        self._memory = task.memory_allowance
        table = task.table.engine
        common: dict[str, Any] = {
            "kinds": table.kinds,
            "n_values": table.n_values,
            "columns": table.features,
            "max_depth": -1 if task.max_depth is None else task.max_depth,
            "min_samples_leaf": task.min_samples_leaf,
            "memory_limit": task.memory_allowance,
            "penalize": task.penalize,
            "root_column": root_column(task),
        }
        self._search: Any
        if isinstance(task, RegressionTask):
            self._search = _core.NearSearch.of_targets(
                codes=np.ascontiguousarray(table.codes).reshape(-1),
                targets=np.ascontiguousarray(task.targets).reshape(-1),
                n_outputs=task.targets.shape[1],
                weights=task.weights,
                criterion=task.criterion,
                split_penalty=task.split_penalty,
                **common,
            )
        else:
            self._search = _core.NearSearch(
                codes=table.codes.reshape(-1),
                labels=task.labels,
                n_classes=task.n_classes,
                weights=task.weights,
                split_cost=split_cost,
                expand_last=expand_last,
                **common,
            )

    def groups(self, codes: Any) -> NDArray[np.int64]:
        """Return the same number for rows with the same codes."""
        found = self._search.groups(np.ascontiguousarray(codes).reshape(-1))
        return np.asarray(found, dtype=np.int64)

    def lower(self, groups: Sequence[int], depth: int | None, enough: int) -> int:
        """Return a lower bound of trees on the rows of some groups.

        Parameters
        ----------
        groups : sequence of int
            Groups of rows with the same codes.
        depth : int or None
            The depth of the trees; None for any.
        enough : int
            The bound need not exceed this.
        """
        return int(self._search.lower(groups, -1 if depth is None else depth, enough))

    def family(
        self, budget: int, within: float, time_limit: float | None = None
    ) -> Family:
        """Return all trees that cost at most a budget, or those found before a limit.

        Parameters
        ----------
        budget : int
            The most that a tree may cost.
        within : float
            The margin in words of the caller, for messages.
        time_limit : float or None
            Seconds for this and all questions to the family; None for any time.
        """
        deadline = None if time_limit is None else monotonic() + time_limit
        # Some of the time is left for counting.
        found = self._search.build(
            budget,
            time_limit=0.0 if time_limit is None else _BUILDING * time_limit,
            memory_limit=self._memory,
        )
        return Family(found, within, deadline, self.max_splits)


class Family:
    """All trees of a problem that cost at most a budget.

    If a limit has ended the search (`status`), not all of them are known.
    """

    def __init__(
        self, found: Any, within: float, deadline: float | None, max_splits: int
    ) -> None:
        self.within = within
        self.status = str(found.status)
        self._set, self._deadline, self._max_splits = found, deadline, max_splits
        self._each = 0.0  # seconds for each question without a deadline; 0 for any

    def count(
        self,
        required: Sequence[int],
        banned: Sequence[int],
        *,
        distinct: str = "trees",
        partial: bool = False,
    ) -> Counted:
        """Count the trees that test some features and do not test others.

        Parameters
        ----------
        required, banned : sequence of int
            The features.
        distinct : {"trees", "predictions", "functions"}, default="trees"
            Whether trees with the same predictions count once.
        partial : bool, default=False
            If not all trees are known, count those that are.
        """
        if self.status != "complete" and not partial:
            raise LimitReachedError(self.status, self.within)
        if distinct != "trees":
            found = self._set.distinct(
                by=distinct,
                required=list(required),
                banned=list(banned),
                max_splits=self._max_splits,
                time_limit=self._seconds_left(),
            )
            if found.status != "complete":
                raise LimitReachedError(found.status, self.within)
            return DistinctCount(self._set, found)
        counts = self._counts(required, banned, at_most=False)
        if counts.status != "complete":
            raise LimitReachedError(counts.status, self.within)
        return Count(self._set, counts)

    def at_most(self, required: Sequence[int], banned: Sequence[int]) -> int | None:
        """Return a number that the trees do not exceed, or None."""
        counts = self._counts(required, banned, at_most=True)
        if counts.status != "complete" or not counts.bounded:
            return None
        return number_of(counts.total)

    def _counts(
        self, required: Sequence[int], banned: Sequence[int], *, at_most: bool
    ) -> Any:
        return self._set.count(
            required=list(required),
            banned=list(banned),
            max_splits=self._max_splits,
            at_most=at_most,
            time_limit=self._seconds_left(),
        )

    def least_sum(
        self,
        columns: tuple[Sequence[int], Sequence[int]],
        codes: Any,
        values: NDArray[np.int64] | None,
        of_split: int = 0,
        *,
        nearest_zero: bool = False,
    ) -> tuple[int, int, SplitTable]:
        """Return the least sum of numbers of rows and splits.

        Also returns the cost of a tree that has it, and that tree.

        Parameters
        ----------
        columns : pair of sequences of int
            Only trees that test the first features, and none of the second.
        codes : ndarray of shape (columns, rows)
            The rows of the table, as the engine knows them.
        values : ndarray of shape (rows, classes) or None
            What each row adds if its leaf predicts each class; None for nothing.
        of_split : int
            What each split adds.
        nearest_zero : bool, default=False
            Whether to look for the sum that is nearest to 0.
        """
        none = values is None
        return self._extreme(
            "least_sum",
            columns,
            codes=np.ascontiguousarray(codes[:, :0] if none else codes).reshape(-1),
            values=np.zeros(0, np.int64) if values is None else values.reshape(-1),
            of_split=of_split,
            nearest_zero=nearest_zero,
        )

    def reliance(
        self,
        columns: tuple[Sequence[int], Sequence[int]],
        codes: Any,
        weights: NDArray[np.int64],
        column: int,
        *,
        greatest: bool,
    ) -> tuple[int, int, SplitTable]:
        """Return the least or greatest error when a column is shuffled.

        It is in products of two weights: of an error, and of a value of the column.
        Also returns the cost of a tree that has it, and that tree.

        Parameters
        ----------
        columns : pair of sequences of int
            Only trees that test the first features, and none of the second.
        codes : ndarray of shape (columns, rows)
            The rows of the table, as the engine knows them.
        weights : ndarray of shape (rows,)
            With which the values of the rows are drawn.
        column : int
            The column.
        greatest : bool
            Whether to look for the greatest error.
        """
        return self._extreme(
            "reliance",
            columns,
            codes=np.ascontiguousarray(codes).reshape(-1),
            weights=weights,
            column=column,
            greatest=greatest,
        )

    def least_asking(
        self,
        columns: tuple[Sequence[int], Sequence[int]],
        codes: Any,
        pays: NDArray[np.int64],
        following: NDArray[np.int32],
        prices: NDArray[np.int64],
    ) -> tuple[int, int, SplitTable]:
        """Return the least sum of what rows pay for the columns on their path.

        Also returns the cost of a tree that has it, and that tree.

        Parameters
        ----------
        columns : pair of sequences of int
            Only trees that test the first features, and none of the second.
        codes : ndarray of shape (columns, rows)
            The rows of the table, as the engine knows them.
        pays : ndarray of shape (rows,)
            How much each row pays.
        following, prices : ndarray of shape (states, columns)
            The state below a split on a column, and the price of the column.
        """
        return self._extreme(
            "least_asking",
            columns,
            codes=np.ascontiguousarray(codes).reshape(-1),
            pays=pays,
            n_states=len(prices),
            next=np.ascontiguousarray(following).reshape(-1),
            prices=np.ascontiguousarray(prices).reshape(-1),
        )

    def answers(
        self, columns: tuple[Sequence[int], Sequence[int]], codes: Any
    ) -> NDArray[np.int64]:
        """Return the least cost of a tree that predicts each class for each row, or -1.

        Parameters
        ----------
        columns : pair of sequences of int
            Only trees that test the first features, and none of the second.
        codes : ndarray of shape (columns, rows)
            The rows of the table, as the engine knows them.
        """
        flat = np.ascontiguousarray(codes).reshape(-1)
        found = self._ask("answers", columns, codes=flat)
        return np.asarray(found, dtype=np.int64).reshape(codes.shape[1], -1)

    def _extreme(
        self, name: str, columns: tuple[Sequence[int], Sequence[int]], **more: Any
    ) -> tuple[int, int, SplitTable]:
        found = self._ask(name, columns, **more)
        if found is None:
            raise ValueError("There is no tree within the margin.")
        return int(found[0]), int(found[1]), found[2]

    def _ask(
        self, name: str, columns: tuple[Sequence[int], Sequence[int]], **more: Any
    ) -> Any:
        if self.status != "complete":
            raise LimitReachedError(self.status, self.within)
        required, banned = columns
        found = getattr(self._set, name)(
            required=list(required),
            banned=list(banned),
            max_splits=self._max_splits,
            time_limit=self._seconds_left(),
            **more,
        )
        if isinstance(found, str):
            raise LimitReachedError(found, self.within)
        return found

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
        if self.status != "complete":
            raise LimitReachedError(self.status, self.within)
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

    def renew(self, time_limit: float | None) -> None:
        """Give each further question to the family this time."""
        self._deadline, self._each = None, time_limit or 0.0

    def allow(self, seconds: float) -> None:
        """Give all further questions together this time."""
        self._deadline = monotonic() + seconds

    def _seconds_left(self) -> float:
        if self._deadline is None:
            return self._each
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
