"""The cheapest tree that keeps constraints, over all trees and actions of leaves.

Prices give a lower bound (`treeproof.constraints.pricing`). A list of trees closes the
gap that is left between it and U, the cost of the best known tree that keeps the
constraints: if such a tree costs less than U, its priced cost is below U as well, so
that it is in the list of all trees whose priced cost is at most U. Of the trees that
agree in all sums, the list contains the cheapest (`cpp/search/near/frontier.hpp`).

Costs and sums are integers, and these decide whether a tree keeps the limits and which
tree is cheaper. Prices may be rounded in any way: they only decide which trees are
listed, with a margin for the rounding, and never which of them is best.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treeproof.alternatives.engine import LimitReachedError, Search, sparse_costs
from treeproof.arithmetic import UNIT_COST
from treeproof.constraints.pricing import Cut, best_prices
from treeproof.constraints.sums import MOST_SUMS, Sums
from treeproof.limits import Deadline
from treeproof.objectives import Costs
from treeproof.solving.answer import Answer
from treeproof.solving.certificates import any_depth
from treeproof.solving.levels import table_depth
from treeproof.solving.solvers import Task, solve
from treeproof.tree.split_table import SplitTable, leaf_table

__all__ = ["Candidate", "ConstrainedSearch", "Found"]


# The engine's costs are integers below this. If prices make all choices cost nearly the
# same, a budget in the engine's units may be larger than its integers can represent.
_DEARER_THAN_ANY_TREE = 1 << 60
_LEVELS = (1 / 16, 1 / 4, 1.0)  # trees are listed up to these shares of the gap
_FOR_PRICES = 0.5  # share of the time
_MOST_PRICE = 1e3  # for an excess of 1, in multiples of the highest cost of a tree


@dataclass(frozen=True)
class Candidate:
    """A tree with the action of every row, its cost as an integer, and its sums."""

    splits: SplitTable
    actions: NDArray[np.intp]
    cost: int
    sums: tuple[int, ...]


@dataclass(frozen=True)
class Found:
    """The result of a search. Costs are integers.

    `best` keeps the constraints; it is None if no such tree was found. `lower` is a
    lower bound on the cost of all trees that keep them. `closest` is the tree with the
    least excess, and `least_excess` a lower bound on the excess of every tree. `proved`
    says that `best` is optimal or, if it is None, that no tree keeps the constraints.
    """

    best: Candidate | None
    closest: Candidate
    lower: float
    least_excess: float
    proved: bool
    status: str
    solver: str
    statistics: dict[str, Any]
    answer: Answer | None


@dataclass(frozen=True)
class Priced:
    """The problem in which limited sums cost their prices.

    `unit` and `split_cost` are the engine's costs of an objective of 1 and of a split.
    `paid` is the constant part of priced costs: the prices times the limits.
    """

    objective: Costs
    task: Task
    unit: int
    split_cost: int
    paid: float

    def budget(self, top: float) -> int:
        """Return an engine's cost that no tree of priced cost `top` or less exceeds.

        `top` is an integer cost. The result includes a margin for rounding.
        """
        n, units = self.objective.table.n_rows, self.objective.units
        room = units.slack + 1e-9 * (1 + abs(top) / n)
        stated = (top + self.paid) / n + room
        budget = int((stated - units.offset) / units.factor * self.unit) + n + 1
        # All actions cost the same; the engine then counts rows.
        if self.objective.engine_total == 0:
            budget += self.unit
        return min(budget, _DEARER_THAN_ANY_TREE)

    def search(self, **limits: Any) -> Search:
        """Return a search for trees; `limits` replace the limits of the task."""
        task = replace(self.task, **limits)
        return Search(task, self.split_cost, expand_last=True)


class ConstrainedSearch:
    """A problem with constraints: integer costs, sums, and limits on them.

    Parameters
    ----------
    model : ActionTree
        The estimator whose parameters are used.
    objective : Costs
        The costs of actions.
    sums : Sums
        The sums, and the limits on them.
    deadline : Deadline
        The time at which the search stops.
    """

    def __init__(
        self, model: Any, objective: Costs, sums: Sums, deadline: Deadline
    ) -> None:
        self.model, self.objective, self.sums = model, objective, sums
        self.deadline, self.time_limit = deadline, model.time_limit
        self.max_depth: int | None = model.max_depth
        gains = objective.gains
        self.costs = gains.max(axis=1)[:, None] - gains  # integers
        self.table = sums.table()
        weight = float(np.cumsum(objective.weights)[-1])
        penalty = float(model.split_penalty) * objective.scale * weight
        # Of one further leaf, or of one split.
        self.penalty = round(penalty * UNIT_COST)
        whole = int(np.gcd.reduce(self.costs, axis=None)) or 1
        # The smallest difference between the costs of two trees.
        self.step = whole * UNIT_COST if self.penalty == 0 else 1
        self.best: Candidate | None = None
        self.closest: Candidate | None = None
        self.status = "optimal"
        self.counted = {"prices": 0, "lists": 0, "points": 0}
        self.known_units: dict[tuple[float, bytes], tuple[int, int]] = {}
        self.prices = np.zeros(len(sums.limits))
        self.last: tuple[str, Answer] | None = None
        # All trees that were found so far, by this search or by others of the problem.
        self.seen: list[Candidate] = []

    def limited(self, max_depth: int | None, seconds: float | None) -> Self:
        """Return a search of the same problem with a depth and a time of its own.

        It knows the trees that others have found.
        """
        other = copy.copy(self)
        other.deadline, other.time_limit = Deadline(seconds), seconds
        other.max_depth = max_depth
        other.best = other.closest = other.last = None
        other.status, other.counted = "optimal", dict.fromkeys(self.counted, 0)
        return other

    # ------------------------------------------------------------------- search

    def run(self) -> Found:
        """Find the cheapest tree that keeps the limits, or show that there is none."""
        cuts = [self._cut(leaf) for leaf in self._single_leaves()]
        for tree in self.seen:
            if table_depth(tree.splits) <= any_depth(self.max_depth):
                cuts.append(self._cut(self._note(tree)))
        if self.best is None:
            least = self._seek_feasible(cuts)
            if self.best is None:
                return self._found(np.inf, least, proved=least > 0)
        prices, bound = best_prices(
            cuts,
            self._priced_answer,
            lambda lower: self._reached(lower * UNIT_COST),
            most=_MOST_PRICE * max(float(self.costs.max(axis=1).sum()), 1.0),
            together=False,
            close=self.step / UNIT_COST / 4,
        )
        self.prices = prices
        lower = self._listed(prices, bound * UNIT_COST)
        return self._found(lower, -np.inf, proved=self._reached(lower))

    def _found(self, lower: float, least: float, *, proved: bool) -> Found:
        assert self.closest is not None
        name, answer = self.last or ("sparse", None)
        return Found(
            self.best,
            self.closest,
            lower,
            least,
            proved,
            "optimal" if proved else self.status,
            name,
            dict(self.counted),
            answer,
        )

    def _reached(self, lower: float) -> bool:
        """Whether a bound proves that no tree costs less than the best one."""
        return self.best is not None and lower > self.best.cost - self.step

    def _seek_feasible(self, cuts: list[Cut]) -> float:
        """Look for a tree that keeps all limits; return a lower bound on the excess."""
        prices, bound = best_prices(
            cuts,
            self._priced_excess,
            lambda lower: self.best is not None or lower > 0,
            most=1.0,
            together=True,
            close=1e-9,
        )
        while self.best is None and self.status == "optimal":
            worst = float(self._excess(self._nearest().sums).max())
            if bound >= worst * (1 - 1e-12) or len(self.sums.columns) > MOST_SUMS:
                break
            # List all trees whose priced excess is at most the least one that is known.
            if not self._list(prices, 0.0, worst):
                break
            bound = float(self._excess(self._nearest().sums).max())
        return bound

    # ------------------------------------------------------------------- prices

    def _priced_answer(
        self, prices: NDArray[np.float64]
    ) -> tuple[float, list[Cut]] | None:
        return self._answer(prices, 1.0)

    def _priced_excess(
        self, prices: NDArray[np.float64]
    ) -> tuple[float, list[Cut]] | None:
        return self._answer(prices, 0.0)

    def _answer(
        self, prices: NDArray[np.float64], costs: float
    ) -> tuple[float, list[Cut]] | None:
        """Solve the priced problem; return its bound as an integer, and its tree."""
        if self._out_of_time(_FOR_PRICES if self.counted["prices"] > 2 else 1.0):
            return None
        objective, task = self._priced(prices, costs)
        name, found = solve(self.model.solver, task)
        self.counted["prices"] += 1
        self.last = name, found
        if "certificates" in found and task.min_samples_leaf == 1:
            # Lists count costs in these units, which need not be found again.
            units = int(found["unit"]), int(found["split_cost"])
            self.known_units[costs, prices.tobytes()] = units
        if found["status"] != "optimal":
            self.status = found["status"]
        candidate = self._candidate(found["tree"], self._says(found["tree"], objective))
        self.seen.append(candidate)
        lower = objective.units.stated(found["lower"] / found["unit"])
        lower = (lower - objective.units.slack) * self.objective.table.n_rows
        lower -= float(prices @ self._at_most())
        return lower - 1e-9 * (1 + abs(lower)), [self._cut(candidate)]

    def _priced(self, prices: NDArray[np.float64], costs: float) -> tuple[Costs, Task]:
        """Return the problem in which limited sums have prices."""
        own, limits = self.objective, self.sums.limits
        rows = np.zeros(len(self.sums.columns))
        for price, limit in zip(prices, limits, strict=True):
            for j, factor in limit.factors.items():
                rows[j] += price * float(factor / limit.unit)
        priced = Costs(
            own.table,
            np.ones(own.table.n_rows),
            costs * self.costs + self.table @ rows,
            own.actions,
            samples=own.samples,
        )
        task = self.model._task_for(priced, self.deadline)
        penalty = costs * self.penalty / UNIT_COST / own.table.n_rows
        engine = priced.units.engine_penalty(penalty)
        return priced, replace(task, split_penalty=engine, max_depth=self.max_depth)

    def _at_most(self) -> NDArray[np.float64]:
        limits = self.sums.limits
        return np.array([float(limit.at_most / limit.unit) for limit in limits])

    # -------------------------------------------------------------------- lists

    def question(self, prices: NDArray[np.float64], costs: float) -> Priced:
        """Return the problem whose trees are listed by their priced cost."""
        objective, task = self._priced(prices, costs)
        known = self.known_units.get((costs, prices.tobytes()))
        units = known or sparse_costs(task)[:2]
        return Priced(objective, task, *units, paid=float(prices @ self._at_most()))

    def _listed(self, prices: NDArray[np.float64], bound: float) -> float:
        """List trees by priced cost until the gap is closed; return the bound."""
        if len(self.sums.columns) > MOST_SUMS:
            if self.status == "optimal" and not self._reached(bound):
                self.status = "too_many_sums"
            return bound
        for part in _LEVELS:
            assert self.best is not None
            if self._reached(bound) or self.status != "optimal":
                break
            top = bound + part * (self.best.cost - self.step - bound)
            if part == 1.0:
                top = float(self.best.cost - self.step)
            if not self._list(prices, 1.0, top / UNIT_COST):
                break
            # All trees up to `top` are known, with the best one that keeps the limits.
            bound = max(bound, np.nextafter(top, np.inf))
        if self.best is not None and bound > self.best.cost - self.step:
            return float(self.best.cost)
        return bound

    def _list(self, prices: NDArray[np.float64], costs: float, top: float) -> bool:
        """List all trees whose priced cost is at most `top`."""
        if self._out_of_time():
            return False
        question = self.question(prices, costs)
        budget = question.budget(top)
        if budget < 0:
            return True
        try:
            family = question.search().family(budget, 0.0, question.task.time_limit)
            listed = family.frontier(
                self.objective.table.engine.codes,
                self.values(),
                len(self.sums.columns),
                self.penalty,
                less_is_better=self._less_is_better(),
                penalize=self.model.penalize,
            )
        except LimitReachedError as reached:
            self.status = reached.status
            return False
        self.counted["lists"] += 1
        self.counted["points"] += listed.n_points
        self._take(listed)
        return True

    def _take(self, listed: Any) -> None:
        """Keep the best tree of a list that keeps the limits, or the closest one."""
        best, closest = None, None
        for i, (cost, *sums) in enumerate(listed.points()):
            excess = self.sums.worst(sums)[0]
            if excess <= 0 and (best is None or cost < best[0]):
                best = (cost, i)
            if closest is None or excess < closest[0]:
                closest = (excess, i)
        if best is not None and (self.best is None or best[0] < self.best.cost):
            self.seen.append(self._candidate(*listed.tree(best[1])))
        elif closest is not None and self.best is None:
            self._note(self._candidate(*listed.tree(closest[1])))

    def values(self) -> NDArray[np.int64]:
        """Return what each row adds for each action: first its cost, then the sums."""
        own = self.costs[:, :, None].astype(np.int64) * UNIT_COST
        return np.concatenate([own, self.table], axis=2)

    def _less_is_better(self) -> bool:
        """Whether limits stay kept if sums become smaller."""
        return all(f > 0 for limit in self.sums.limits for f in limit.factors.values())

    # -------------------------------------------------------------------- trees

    def _single_leaves(self) -> list[Candidate]:
        leaf = leaf_table()
        n = self.objective.table.n_rows
        return [
            self._note(self._candidate(leaf, np.full(n, a)))
            for a in range(len(self.objective.actions))
        ]

    def _says(self, splits: SplitTable, objective: Costs) -> NDArray[np.intp]:
        """Return the action of every row of the table."""
        recorder = _Recorder(objective)
        objective._grow(splits, recorder)
        return recorder.of_rows()

    def _candidate(self, splits: SplitTable, actions: NDArray[np.intp]) -> Candidate:
        actions = np.asarray(actions, dtype=np.intp)
        rows = np.arange(len(actions))
        cost = int(self.costs[rows, actions].sum()) * UNIT_COST
        n_children = np.asarray(splits["n_children"])
        inner = n_children > 0
        if self.model.penalize == "leaves":
            cost += self.penalty * int((n_children[inner] - 1).sum())
        else:
            cost += self.penalty * int(inner.sum())
        sums = self.table[rows, actions].sum(axis=0)
        return self._note(Candidate(splits, actions, cost, tuple(sums.tolist())))

    def _note(self, tree: Candidate) -> Candidate:
        """Store a tree if it is the best so far, or closest to keeping the limits."""
        worst = self.sums.worst(tree.sums)[0]
        if worst <= 0 and (self.best is None or tree.cost < self.best.cost):
            self.best = tree
        if self.closest is None or worst < self.sums.worst(self.closest.sums)[0]:
            self.closest = tree
        return tree

    def _nearest(self) -> Candidate:
        assert self.closest is not None
        return self.closest

    def _cut(self, tree: Candidate) -> Cut:
        return Cut(tree.cost / UNIT_COST, self._excess(tree.sums))

    def _excess(self, sums: tuple[int, ...]) -> NDArray[np.float64]:
        return np.array([float(limit.excess(sums)) for limit in self.sums.limits])

    def _out_of_time(self, part: float = 1.0) -> bool:
        left, whole = self.deadline.left(), self.time_limit
        if left is None or whole is None:
            return False
        out = left <= (1 - part) * whole + 1e-3
        if out and part == 1.0:
            self.status = "time_limit"
        return out


class _Recorder:
    """Records the action of every row while the nodes of a tree get their values."""

    measure = "cost"

    def __init__(self, objective: Costs) -> None:
        self._objective, self.actions = objective, objective.actions
        self._seen: list[tuple[NDArray[np.intp], int]] = []

    def choose(self, rows: NDArray[np.intp]) -> tuple[int, float]:
        """Return the action with the greatest gain, and its mean cost."""
        action, cost = self._objective.choose(rows)
        self._seen.append((rows, action))
        return action, cost

    def of_rows(self) -> NDArray[np.intp]:
        """Return the action of each row: that of the smallest node that contains it."""
        out = np.zeros(self._objective.table.n_rows, dtype=np.intp)
        for rows, action in sorted(self._seen, key=lambda seen: -len(seen[0])):
            out[rows] = action
        return out
