"""All trees that keep constraints and cost at most a margin more than the best of them.

The priced cost of a tree that keeps the constraints is not above its cost
(`treeproof.constraints.pricing`). Therefore all trees that keep the constraints and
cost at most some number are among the trees whose priced cost is at most this number,
with every choice of actions for their leaves. The engine counts the latter by their
costs and limited sums, in integers (`cpp/search/near/sum_counts.hpp`). Which of them
keep the constraints is decided in this module, without rounding.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from math import ceil, lcm
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.alternatives.counts import Counted, number_of
from treeproof.alternatives.engine import Family, LimitReachedError, Summed, flat
from treeproof.alternatives.problems import ROUNDED, Problem
from treeproof.arithmetic import UNIT_COST
from treeproof.constraints.by_levels import GivenActions
from treeproof.constraints.fit import objective_of
from treeproof.constraints.search import Candidate, ConstrainedSearch
from treeproof.constraints.sums import MOST_SUMS, Limit
from treeproof.limits import Deadline
from treeproof.objectives import Objective
from treeproof.tree.split_table import SplitTable

__all__ = ["KeptProblem"]

_MOST_LISTED = 20_000  # for questions that visit one tree after the other
# Share of the time for an upper bound on the number of trees: before the trees
# themselves are counted, and if not all trees are known.
_FOR_A_BOUND = 0.2
_WHERE_OPEN = 0.7


class KeptTable(SplitTable):
    """A table of splits, and the actions that its leaves take.

    Attributes
    ----------
    actions : ndarray of int
        The action of each row of the table.
    """

    actions: NDArray[np.intp]


class KeptProblem(Problem):
    """The problem of finding all near-optimal trees that keep constraints.

    Parameters
    ----------
    model : ActionTree
        The fitted estimator.
    search : ConstrainedSearch
        The search that found its tree.
    shown : Objective
        Decides what the nodes of a tree show: weights of classes or mean rewards.
    """

    def __init__(self, model: Any, search: ConstrainedSearch, shown: Objective) -> None:
        assert search.best is not None
        if len(search.sums.columns) > MOST_SUMS:
            raise ValueError(
                f"These constraints limit {len(search.sums.columns)} sums, and trees "
                f"are counted by at most {MOST_SUMS} of them; use fewer groups or "
                "constraints."
            )
        self.model, self.kept = model, search
        self._shown = shown
        search.deadline = Deadline(search.model.time_limit)
        self.priced = search.question(search.prices, 1.0)
        self.task = self.priced.task
        self.task.objective, self.task.observer = search.objective, None
        self.task.time_limit = search.model.time_limit
        objective = search.objective
        self._weight = float(objective.scale * np.cumsum(objective.weights)[-1])
        self.unit, self.split_cost = UNIT_COST, search.penalty
        self.best = search.best.cost
        self.step = max(self.split_cost // 4, UNIT_COST)
        cheapest = objective.weights * objective.costs.min(axis=1)
        self._first = float(cheapest.sum() / np.cumsum(objective.weights)[-1])
        self.values = search.values()

    def search(self, **limits: Any) -> Any:
        """Return a search for trees; `limits` replace the limits of the task."""
        return _KeptSearch(self, self.priced.search(**limits))

    def margin(self, within: float) -> int:
        """Return a margin in units of cost, raised by the rounding of penalties."""
        return ceil(within * self._weight * UNIT_COST) + ROUNDED

    def stated_margin(self, margin: int) -> float:
        """Return a margin in the user's unit of cost."""
        return margin / UNIT_COST / self._weight

    def stated(self, cost: float) -> float:
        """Return a cost in the user's unit."""
        return self._first + cost / UNIT_COST / self._weight

    def grown(self, splits: SplitTable) -> tuple[Any, float]:
        """Return the tree of a table of splits and actions, and its loss."""
        actions = cast(KeptTable, splits)["actions"]
        objective = self.kept.objective
        tree = self._shown._grow(splits, GivenActions(objective, actions))
        if self._shown is not objective:
            tree.cost, tree.measure = None, "errors"
        return tree, objective_of(objective, Candidate(splits, actions, 0, ()))

    def keeps(self, sums: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each row of a table of sums whether all limits are kept."""
        kept = np.ones(len(sums), dtype=bool)
        for limit in self.kept.sums.limits:
            kept &= _keeps(limit, sums)
        return kept


def _keeps(limit: Limit, sums: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each row of sums whether a limit is kept, without rounding."""
    parts = [limit.at_most, *limit.factors.values()]
    common = lcm(*(part.denominator for part in parts))
    most = int(limit.at_most * common)
    total = np.zeros(len(sums), dtype=object)
    for j, factor in limit.factors.items():
        total += sums[:, j].astype(object) * int(factor * common)
    kept: NDArray[np.bool_] = (total <= most).astype(bool)
    return kept


class _KeptSearch:
    """Finds the trees within a budget, for one budget after the other."""

    def __init__(self, problem: KeptProblem, search: Any) -> None:
        self._problem, self._search = problem, search

    def family(
        self, budget: int, within: float, time_limit: float | None = None
    ) -> KeptFamily:
        """Return all trees that keep the constraints and cost at most a budget."""
        priced = self._problem.priced.budget(budget / UNIT_COST)
        found = self._search.family(priced, within, time_limit)
        return KeptFamily(found, self._problem, budget)


class KeptFamily(Family):
    """All trees that keep the constraints and cost at most a budget."""

    def __init__(self, found: Family, problem: KeptProblem, budget: int) -> None:
        super().__init__(found._set, found.within, found._deadline, -1)
        self._problem, self._budget = problem, budget
        self._bounds: dict[Any, int | None] = {}

    def count(
        self,
        required: Sequence[int],
        banned: Sequence[int],
        *,
        distinct: str = "trees",
        partial: bool = False,
    ) -> Counted:
        """Count the trees that keep the constraints; see `Family.count`."""
        if self._deadline is not None and not partial:
            # Later there may be no time left for the bound.
            self._bound(required, banned)
        if not partial:
            self._check_complete()
        functions = distinct == "functions"
        keeping = "trees" if functions else distinct
        found = self._by_sums((required, banned), keeping=keeping)
        count = KeptCount(self, found, self._problem, self._budget)
        if not functions:
            return count
        _check_listed(count.total, 'distinct="functions" looks at all trees')
        named = found.functions(
            self._set, count.entries, time_limit=self._seconds_left()
        )
        return KeptFunctions(count, self._finished(named))

    def at_most(self, required: Sequence[int], banned: Sequence[int]) -> int | None:
        """Return an upper bound on the number of trees, or None if there is none."""
        return self._bound(required, banned)

    def _bound(self, required: Sequence[int], banned: Sequence[int]) -> int | None:
        """Count all trees within the priced cost, whether they keep the limits or not.

        Their number is an upper bound, and it is found faster than the number of those
        that keep the limits.
        """
        key = tuple(required), tuple(banned)
        if key not in self._bounds:
            self._bounds[key] = self._bounded(required, banned)
        return self._bounds[key]

    def _bounded(self, required: Sequence[int], banned: Sequence[int]) -> int | None:
        values = self._problem.values[:, :, :2].copy()
        values[:, :, 1] = 0
        part = _FOR_A_BOUND if self.status == "complete" else _WHERE_OPEN
        try:
            found = self._by_sums((required, banned), values, at_most=True, part=part)
        except LimitReachedError:
            return None
        if not found.bounded:
            return None
        listed = found.entries(self._budget).reshape(-1, 2)
        return sum(number_of(found.number(i)) for i in range(len(listed)))

    def least_sum(
        self, columns: tuple[Sequence[int], Sequence[int]], summed: Summed
    ) -> tuple[int, int, SplitTable]:
        """Return the least sum of a tree; see `Family.least_sum`."""
        all_values = self._problem.values
        more = np.zeros((*all_values.shape[:2], 1), np.int64)
        if summed.values is not None:
            more[:, :, 0] = summed.values
        if all_values.shape[2] > MOST_SUMS:
            raise ValueError(
                f"Questions to all trees under constraints need at most "
                f"{MOST_SUMS - 1} limited sums, and these constraints have "
                f"{all_values.shape[2] - 1}; leave some of them or some groups out."
            )
        self._check_complete()
        found = self._by_sums(
            columns,
            np.concatenate([all_values, more], axis=2),
            keeping="trees" if summed.nearest_zero else "least",
            of_split=summed.of_split,
        )
        count = KeptCount(self, found, self._problem, self._budget, more_sums=1)
        if count.total == 0:
            raise ValueError("There is no tree within the margin.")
        sums = count.sums[:, -1]
        rank = np.abs(sums) if summed.nearest_zero else sums
        best = int(np.lexsort([count.costs, rank])[0])
        return int(sums[best]), int(count.costs[best]), count.tree_of(best, 0)

    def answers(
        self, columns: tuple[Sequence[int], Sequence[int]], codes: Any
    ) -> NDArray[np.int64]:
        """Return, for each row and class, the least cost of a tree that predicts it.

        It is -1 if no tree predicts this class for this row. The distinct predictions
        of the trees are visited one after the other.
        """
        count = self.count(*columns, distinct="predictions")
        _check_listed(count.total, "disagreement() looks at all different predictions")
        n_rows, n_actions, _ = self._problem.values.shape
        out = np.full((n_rows, n_actions), -1, np.int64)
        rows = np.arange(n_rows)
        # The cheapest tree comes last and replaces the costs of the others.
        for i in reversed(range(count.total)):
            splits, cost = count.tree(i)
            out[rows, cast(KeptTable, splits)["actions"]] = cost
        return out

    def _extreme(
        self,
        name: str,
        columns: tuple[Sequence[int], Sequence[int]],
        given: Any,
        **more: Any,
    ) -> tuple[int, int, SplitTable]:
        """Ask for the tree with the least or greatest value of a question.

        Under constraints, the trees are visited one after the other.
        """
        self._check_complete()
        found = self._by_sums(columns)
        count = KeptCount(self, found, self._problem, self._budget)
        shown = "cheapest_to_ask" if name == "least_asking" else name
        _check_listed(count.total, f"{shown}() looks at all trees")
        ask = getattr(found, name)
        best = ask(
            self._set, count.entries, given, time_limit=self._seconds_left(), **more
        )
        if self._finished(best) is None:
            raise ValueError("There is no tree within the margin.")
        value, entry, number = best
        place = count.entries.index(entry)
        return int(value), int(count.costs[place]), count.tree_of(place, number)

    def _by_sums(
        self,
        columns: tuple[Sequence[int], Sequence[int]],
        values: NDArray[np.int64] | None = None,
        *,
        part: float = 1.0,
        **more: Any,
    ) -> Any:
        """Count trees by their costs and sums, with the engine."""
        values = self._problem.values if values is None else values
        codes = self._problem.kept.objective.table.engine.codes
        sums = _core.NearSums(
            _core.RowNumbers(flat(codes), flat(values)),
            n_sums=values.shape[2] - 1,
            split_cost=self._problem.split_cost,
            penalize=self._problem.kept.model.penalize,
        )
        found = self._set.sum_counts(
            self._filter(columns),
            sums,
            time_limit=part * self._seconds_left(),
            **more,
        )
        return self._finished(found)


def _check_listed(total: int, what: str) -> None:
    """Raise if there are too many trees to visit one after the other."""
    if total > _MOST_LISTED:
        raise ValueError(
            f"Under constraints, {what} one by one, and there are {total:,}, more than "
            f"{_MOST_LISTED:,}; choose a smaller margin."
        )


class KeptCount:
    """The number of trees that keep the constraints, and each of these trees.

    Trees with the same cost and the same sums are counted together, as an entry.

    Attributes
    ----------
    entries : list of int
        The numbers of the entries that keep the constraints, sorted by cost.
    costs : ndarray of shape (entries,)
        The cost of each of these entries.
    sums : ndarray of shape (entries, sums)
        The sums of each of these entries.
    """

    def __init__(
        self,
        family: KeptFamily,
        found: Any,
        problem: KeptProblem,
        budget: int,
        more_sums: int = 0,
    ) -> None:
        self._family, self._found = family, found
        width = problem.values.shape[2] + more_sums
        listed = found.entries(budget).reshape(-1, width)
        kept = np.flatnonzero(problem.keeps(listed[:, 1:]))
        self.entries = kept.tolist()
        self.costs, self.sums = listed[kept, :1].ravel(), listed[kept, 1:]
        numbers = [number_of(found.number(i)) for i in self.entries]
        self._before = list(accumulate(numbers, initial=0))
        self.total = self._before[-1]
        by_cost: Counter[int] = Counter()
        for cost, n in zip(self.costs.tolist(), numbers, strict=True):
            by_cost[cost] += n
        self.by_cost = list(by_cost.items())

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, as a table of splits, and its cost.

        The table also contains the action of each row.
        """
        entry = bisect_right(self._before, i) - 1
        return self.tree_of(entry, i - self._before[entry]), int(self.costs[entry])

    def tree_of(self, entry: int, number: int) -> SplitTable:
        """Return the tree with this number among those of an entry."""
        words = [(number >> (64 * k)) & (2**64 - 1) for k in range(4)]
        family = self._family
        splits, actions = self._found.tree(family._set, self.entries[entry], words)
        table: KeptTable = splits
        table["actions"] = actions.astype(np.intp)
        return table


class KeptFunctions:
    """The cheapest tree for each function of the columns' values that trees compute."""

    def __init__(self, count: KeptCount, named: Sequence[tuple[int, int]]) -> None:
        self._count = count
        place = {entry: i for i, entry in enumerate(count.entries)}
        self._trees = [(place[entry], number) for entry, number in named]
        self.total = len(self._trees)
        costs = Counter(int(count.costs[entry]) for entry, _ in self._trees)
        self.by_cost = list(costs.items())

    def tree(self, i: int) -> tuple[SplitTable, int]:
        """Return the i-th tree, the cheapest first, and its cost."""
        entry, number = self._trees[i]
        return self._count.tree_of(entry, number), int(self._count.costs[entry])
