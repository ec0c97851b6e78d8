"""All trees of a problem within a budget, as the native core finds and counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.alternatives.counts import Count, Counted, DistinctCount, number_of
from treeproof.border.partial_tree import Given
from treeproof.solving.crossing import labelled_table, search_options, target_table
from treeproof.solving.solvers import RegressionTask, Task, run_solver
from treeproof.tree.split_table import SplitTable

__all__ = [
    "FEWER",
    "Family",
    "Frontier",
    "LimitReachedError",
    "Search",
    "Summed",
    "sparse_costs",
]

FEWER = (  # what a user can do if there are too many trees
    "what helps most is a smaller max_depth (2 or 3), then fewer thresholds "
    "(quantiles=10), a larger split_penalty and a smaller margin"
)
_BUILDING = 0.7  # share of the time for finding subproblems; the rest is for questions
_ADVICE = {
    "time_limit": f"before the time limit; {FEWER}, or raise time_limit",
    "memory_limit": f"in the memory allowed; {FEWER}, or raise memory_limit",
    "interrupted": "because the work was interrupted",
}


class LimitReachedError(RuntimeError):
    """A limit was reached before the trees were counted."""

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


def flat(array: Any) -> Any:
    """Return the elements of an array in a row, as the core takes them."""
    return np.ascontiguousarray(array).reshape(-1)


def sparse_costs(task: Task) -> tuple[int, int, int]:
    """Return, in integer units of cost: an objective of 1, a split, the best tree."""
    found = run_solver("sparse", replace(task, observer=None, proof_log=""))
    return int(found["unit"]), int(found["split_cost"]), int(found["upper"])


class Search:
    """A problem for which all trees within a budget can be found.

    It can be searched with one budget after the other: bounds that were computed for
    one of them are used again for the next.

    Parameters
    ----------
    task : Task or RegressionTask
        The problem.
    split_cost : int
        The penalty, in units of cost; not used for regression.
    expand_last : bool, default=False
        Whether the caller chooses the labels of the leaves.
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
        if isinstance(task, RegressionTask):
            table = target_table(task)
        else:
            table = labelled_table(task)
        self._search = _core.NearSearch(
            table,
            search_options(task),
            columns=task.table.engine.features,
            split_cost=split_cost,
            expand_last=expand_last,
            root_column=root_column(task),
        )

    def groups(self, codes: Any) -> NDArray[np.int64]:
        """Return a number for each row; rows with the same codes have the same one."""
        return np.asarray(self._search.groups(flat(codes)), dtype=np.int64)

    def lower(self, groups: Sequence[int], depth: int | None, enough: int) -> int:
        """Return a lower bound on the cost of all trees on the rows of some groups.

        Parameters
        ----------
        groups : sequence of int
            Groups of rows with the same codes.
        depth : int or None
            The maximum depth of the trees; None for no limit.
        enough : int
            The search for a better bound stops at this value.
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
            The margin that the user has asked for; messages state it.
        time_limit : float or None
            Seconds for this call and all questions to the family; None for no limit.
        """
        deadline = None if time_limit is None else monotonic() + time_limit
        # The rest of the time is for questions.
        found = self._search.build(
            budget,
            time_limit=0.0 if time_limit is None else _BUILDING * time_limit,
            memory_limit=self._memory,
        )
        return Family(found, within, deadline, self.max_splits)


@dataclass
class Summed:
    """A sum that every tree has: of numbers for its rows and splits.

    Attributes
    ----------
    codes : ndarray of shape (columns, rows)
        The encoded rows of the table.
    values : ndarray of shape (rows, classes) or None
        What each row adds, for each class that its leaf may predict; None if rows add
        nothing.
    of_split : int
        What each split adds.
    nearest_zero : bool, default=False
        Whether the sum nearest to 0 is asked for, and not the least one.
    """

    codes: Any
    values: NDArray[np.int64] | None
    of_split: int = 0
    nearest_zero: bool = False


class Family:
    """All trees of a problem that cost at most a budget.

    If a limit has stopped the search, `status` names it, and not all trees are known.
    """

    def __init__(
        self, found: Any, within: float, deadline: float | None, max_splits: int
    ) -> None:
        self.within = within
        self.status = str(found.status)
        self._set, self._deadline, self._max_splits = found, deadline, max_splits
        # Without a deadline, the time limit of each question; 0 for none.
        self._each = 0.0

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
        if not partial:
            self._check_complete()
        if distinct != "trees":
            found = self._set.distinct(
                self._filter((required, banned)),
                by=distinct,
                time_limit=self._seconds_left(),
            )
            return DistinctCount(self._set, self._finished(found))
        counts = self._counts(required, banned, at_most=False)
        return Count(self._set, self._finished(counts))

    def at_most(self, required: Sequence[int], banned: Sequence[int]) -> int | None:
        """Return an upper bound on the number of trees, or None if there is none."""
        counts = self._counts(required, banned, at_most=True)
        if counts.status != "complete" or not counts.bounded:
            return None
        return number_of(counts.total)

    def _counts(
        self, required: Sequence[int], banned: Sequence[int], *, at_most: bool
    ) -> Any:
        return self._set.count(
            self._filter((required, banned)),
            at_most=at_most,
            time_limit=self._seconds_left(),
        )

    def least_sum(
        self, columns: tuple[Sequence[int], Sequence[int]], summed: Summed
    ) -> tuple[int, int, SplitTable]:
        """Return the least sum of numbers for rows and splits that a tree has.

        Also returns the cost of the tree, and the tree.

        Parameters
        ----------
        columns : pair of sequences of int
            Only trees that test all of the first features and none of the second.
        summed : Summed
            What is added up.
        """
        codes, values = summed.codes, summed.values
        if values is None:
            codes, values = codes[:, :0], np.zeros(0, np.int64)
        return self._extreme(
            "least_sum",
            columns,
            _core.RowNumbers(flat(codes), values.reshape(-1)),
            of_split=summed.of_split,
            nearest_zero=summed.nearest_zero,
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
        """Return the least or the greatest error of a tree if a column is shuffled.

        The unit is the product of the weight of an error and the weight of a value of
        the column. Also returns the cost of the tree, and the tree.

        Parameters
        ----------
        columns : pair of sequences of int
            Only trees that test all of the first features and none of the second.
        codes : ndarray of shape (columns, rows)
            The encoded rows of the table.
        weights : ndarray of shape (rows,)
            Values are drawn with probabilities proportional to the weights of the rows.
        column : int
            The column.
        greatest : bool
            Whether to look for the greatest error.
        """
        return self._extreme(
            "reliance",
            columns,
            _core.RowNumbers(flat(codes), weights),
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
        """Return the least total price of the columns on the rows' paths.

        Also returns the cost of the tree that has it, and the tree.

        Parameters
        ----------
        columns : pair of sequences of int
            Only trees that test all of the first features and none of the second.
        codes : ndarray of shape (columns, rows)
            The encoded rows of the table.
        pays : ndarray of shape (rows,)
            The factor by which the prices are multiplied for each row.
        following, prices : ndarray of shape (states, columns)
            For each state of a path: the state after a split on a column, and the
            price of the column.
        """
        given = _core.ColumnPrices(
            _core.RowNumbers(flat(codes), pays),
            n_states=len(prices),
            next=flat(following),
            prices=flat(prices),
        )
        return self._extreme("least_asking", columns, given)

    def answers(
        self, columns: tuple[Sequence[int], Sequence[int]], codes: Any
    ) -> NDArray[np.int64]:
        """Return, for each row and class, the least cost of a tree that predicts it.

        It is -1 if no tree predicts this class for this row.

        Parameters
        ----------
        columns : pair of sequences of int
            Only trees that test all of the first features and none of the second.
        codes : ndarray of shape (columns, rows)
            The encoded rows of the table.
        """
        found = self._ask("answers", columns, flat(codes))
        return np.asarray(found, dtype=np.int64).reshape(codes.shape[1], -1)

    def _extreme(
        self,
        name: str,
        columns: tuple[Sequence[int], Sequence[int]],
        given: Any,
        **more: Any,
    ) -> tuple[int, int, SplitTable]:
        """Ask for the tree with the least or greatest value of a question."""
        found = self._ask(name, columns, given, **more)
        if found is None:
            raise ValueError("There is no tree within the margin.")
        return int(found[0]), int(found[1]), found[2]

    def _ask(
        self,
        name: str,
        columns: tuple[Sequence[int], Sequence[int]],
        given: Any,
        **more: Any,
    ) -> Any:
        self._check_complete()
        ask = getattr(self._set, name)
        found = ask(
            self._filter(columns), given, time_limit=self._seconds_left(), **more
        )
        return self._finished(found)

    def _filter(self, columns: tuple[Sequence[int], Sequence[int]]) -> _core.NearFilter:
        """Return which trees a question is about, as the core takes it."""
        required, banned = columns
        return _core.NearFilter(
            required=list(required), banned=list(banned), max_splits=self._max_splits
        )

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
        """Find the trees of least cost for each value of sums over rows.

        Leaves may take any action.

        Parameters
        ----------
        codes : ndarray of shape (columns, rows)
            The encoded rows of the table.
        values : ndarray of shape (rows, actions, 1 + n_sums)
            What each row adds for each action: first its cost, then the sums.
        n_sums : int
            Number of sums.
        split_cost : int
            The penalty, in the same units as these costs.
        less_is_better : bool
            Whether a tree of smaller sums may replace one of larger sums.
        penalize : str
            Whether the penalty is charged for each split or for each further leaf.
        """
        self._check_complete()
        given = flat(codes)
        sums = _core.NearSums(
            _core.RowNumbers(given, flat(values)),
            n_sums=n_sums,
            split_cost=split_cost,
            penalize=penalize,
        )
        found = self._set.frontier(
            sums, less_is_better=less_is_better, time_limit=self._seconds_left()
        )
        return Frontier(self._set, self._finished(found), given)

    @property
    def n_subproblems(self) -> int:
        """The number of sets of rows that occur in these trees."""
        return int(self._set.n_subproblems)

    def renew(self, time_limit: float | None) -> None:
        """Set the time limit of each further question."""
        self._deadline, self._each = None, time_limit or 0.0

    def allow(self, seconds: float) -> None:
        """Set a time limit for all further questions together."""
        self._deadline = monotonic() + seconds

    def _check_complete(self) -> None:
        if self.status != "complete":
            raise LimitReachedError(self.status, self.within)

    def _finished(self, found: Any) -> Any:
        """Return what the core found, or raise if a limit has stopped it.

        The core returns the name of the limit, or an object with that name as `status`.
        """
        status = found if isinstance(found, str) else getattr(found, "status", None)
        if status not in (None, "complete"):
            raise LimitReachedError(str(status), self.within)
        return found

    def _seconds_left(self) -> float:
        if self._deadline is None:
            return self._each
        return max(self._deadline - monotonic(), 1e-3)


class Frontier:
    """The trees of least cost for each value of sums over rows."""

    def __init__(self, family: Any, found: Any, codes: Any) -> None:
        self._set, self._found, self._codes = family, found, codes

    @property
    def n_points(self) -> int:
        """The number of trees that are kept for all sets of rows together."""
        return int(self._found.n_points)

    def points(self) -> list[list[int]]:
        """Return a list for each tree: its cost, then its sums."""
        return list(self._found.points())

    def tree(self, i: int) -> tuple[dict[str, Any], Any]:
        """Return the i-th tree as a table of splits, and the action of each row."""
        return self._found.tree(self._set, i, self._codes)
