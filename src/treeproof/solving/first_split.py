"""The best tree whose first split tests a given column.

Users who know their subject may want to prescribe the first split and optimise the
rest. Given the first split, the children are independent problems, each solved by an
engine with its own proof; only the cut of the first split has to be chosen. For a
multiway split there is no choice. For one category against the rest, every category is
tried. For numbers, the two-sided monotone bound of the numeric engine is used: moving
the cut to the right gives the left child more rows and the right child fewer, and more
rows never cost less, because a tree for them is also a tree for any subset. For all
cuts between two cuts that are solved, the left child therefore costs at least as much
as at the left cut, and the right child at least as much as at the right cut. Bisection,
starting with the interval of the lowest bound, leaves out most cuts. (With a minimum
number of rows in a leaf, a tree for all rows need not be valid for a subset, and every
cut is solved.)

For classification, costs are integers, so that "optimal" is as exact as without a
prescribed first split.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.arithmetic import UNIT_COST, split_cost, whole_weights
from treeproof.kinds import ONE_EACH, ONE_VS_REST, ORDERED
from treeproof.solving.answer import Answer
from treeproof.solving.leaf_fit import LeafFit
from treeproof.solving.stopping import stop_wanted
from treeproof.tree.split_table import SplitTable, leaf_table, split_table

__all__ = ["solve_first_split"]

Rows = NDArray[np.intp]
Solve = Callable[[Any], tuple[str, Answer]]

_TOLERANCE = 1e-9  # relative tolerance of regression
_SPLIT_TABLE = ("feature", "kind", "code", "n_children")
# minimum time of a search in seconds; even then it returns its first tree
_SHORTEST = 1e-3


@dataclass
class _Child:
    """The answer of an engine for some rows, in units of the whole problem."""

    lower: float
    upper: float
    found: Answer | None  # None: a leaf


@dataclass
class _Best:
    upper: float = math.inf
    outcomes: list[int] = field(default_factory=list)
    children: list[_Child] = field(default_factory=list)
    code: int = -1
    column: int = -1  # of the engine


def solve_first_split(task: Any, column: int, solve: Solve) -> Answer:
    """Return the best tree that splits on a column first, as an engine would.

    Parameters
    ----------
    task : Task or RegressionTask
        The problem.
    column : int
        The column of the first split.
    solve : callable
        Solves a task with an engine.
    """
    return _Search(task, column, solve).run()


class _Search:
    def __init__(self, task: Any, column: int, solve: Solve) -> None:
        _check(task, column)
        self._column, self._solve = column, solve
        self._begun = time.perf_counter()
        self._leaf: LeafFit | None = None
        if hasattr(task, "labels"):
            # Whole numbers, so that parts of the rows keep their weights.
            weights = whole_weights(task.weights)
            task = replace(task, weights=weights)
            self._unit = float(weights.sum()) * UNIT_COST
            self._penalty = float(split_cost(task.split_penalty, weights.sum()))
        else:
            self._leaf = LeafFit(task.criterion, task.targets, task.weights)
            self._unit, self._penalty = 1.0, float(task.split_penalty)
        self._task = task
        self._best = _Best()
        # the lowest bound of the cuts that were not solved completely
        self._left_open = math.inf
        self._solved = 0
        self._status = "optimal"
        self._name = ""

    def run(self) -> Answer:
        try:
            for column in self._task.table.engine.of_column(self._column):
                self._try_column(column)
        except KeyboardInterrupt:
            if not self._best.children:
                raise
            self._interrupt(self._penalty)
        return self._answer()

    def _try_column(self, column: int) -> None:
        """Try all splits on one of the engine's columns."""
        engine = self._task.table.engine
        self._engine_column, self._codes = column, engine.codes[column]
        kind, present = int(engine.kinds[column]), np.unique(self._codes).tolist()
        if len(present) < 2:
            return
        if kind == ONE_EACH:
            self._try(list(present), -1, [self._codes == k for k in present])
        elif kind == ONE_VS_REST:
            self._try_categories(present)
        else:
            self._bisect(present)

    # ------------------------------------------------------------------- cuts

    def _try_categories(self, present: list[int]) -> None:
        for category in present:
            if self._over() and self._best.children:
                self._interrupt(self._penalty)
                return
            inside = self._codes == category
            self._try([0, 1], category, [inside, ~inside])

    def _bisect(self, present: list[int]) -> None:
        """Try cuts between the codes that occur, the most promising first."""
        monotone = self._task.min_samples_leaf == 1
        # bound, first cut, last cut, bound of the left child, bound of the right child
        pending = [(self._penalty, 0, len(present) - 2, 0.0, 0.0)]
        while pending and pending[0][0] < self._best.upper:
            if self._over() and self._best.children:
                self._interrupt(pending[0][0])
                return
            _, first, last, left_least, right_least = heapq.heappop(pending)
            cut = (first + last) // 2
            inside = self._codes <= present[cut]
            left, right = self._try([0, 1], present[cut], [inside, ~inside])
            if not monotone:
                left, right = _Child(0, 0, None), _Child(0, 0, None)
            for begin, end, low, high in (
                (first, cut - 1, left_least, max(right.lower, right_least)),
                (cut + 1, last, max(left.lower, left_least), right_least),
            ):
                if begin <= end:
                    bound = self._penalty + low + high
                    heapq.heappush(pending, (bound, begin, end, low, high))
            self._tell(pending[0][0] if pending else self._best.upper)

    def _try(
        self, outcomes: list[int], code: int, parts: list[NDArray[np.bool_]]
    ) -> list[_Child]:
        """Solve the children of one split, and keep it if it is the best so far."""
        children = [self._child(np.flatnonzero(part)) for part in parts]
        paid = len(parts) - 1 if self._task.penalize == "leaves" else 1
        upper = paid * self._penalty + sum(child.upper for child in children)
        lower = paid * self._penalty + sum(child.lower for child in children)
        if upper < self._best.upper:
            self._best = _Best(upper, outcomes, children, code, self._engine_column)
        if lower < upper:
            self._left_open = min(self._left_open, lower)
        return children

    def _child(self, rows: Rows) -> _Child:
        task = self._task
        if len(rows) < task.min_samples_leaf:
            return _Child(math.inf, math.inf, None)
        scale, penalty = 1.0, 0.0
        if self._leaf is None:
            penalty = self._penalty / (float(task.weights[rows].sum()) * UNIT_COST)
        else:
            scale = self._leaf.loss(rows)
            if scale == 0.0:
                return _Child(0.0, 0.0, None)
            penalty = self._penalty / scale
        rows = self._never_divisible(rows)
        part = replace(
            task,
            table=replace(
                task.table, codes=np.ascontiguousarray(task.table.codes[:, rows])
            ),
            weights=_shared_out(task.weights, rows),
            split_penalty=penalty,
            max_depth=None if task.max_depth is None else task.max_depth - 1,
            time_limit=self._seconds_left(),
            observer=None,
            first_split=None,
            **_answers(task, rows),
        )
        self._name, found = self._solve(part)
        self._solved += 1
        if found["status"] != "optimal" and self._status == "optimal":
            self._status = found["status"]
        lower, upper = float(found["lower"]), float(found["upper"])
        if self._leaf is not None:
            lower, upper = lower / found["unit"], upper / found["unit"]
        return _Child(lower * scale, upper * scale, found)

    def _never_divisible(self, rows: Rows) -> Rows:
        """List one row twice if all weights of a part have a common divisor.

        The engines would divide by it and round the penalty to a unit that differs from
        that of the other parts. A row of weight one prevents this.
        """
        if self._leaf is not None or self._task.weights[rows].min() == 1:
            return rows
        return np.append(rows, rows[0])

    # ----------------------------------------------------------------- limits

    def _seconds_left(self) -> float | None:
        if self._task.time_limit is None:
            return None
        used = time.perf_counter() - self._begun
        return max(self._task.time_limit - used, _SHORTEST)

    def _over(self) -> bool:
        if self._status in ("interrupted", "memory_limit") or stop_wanted():
            return True
        left = self._seconds_left()
        return left is not None and left <= _SHORTEST

    def _interrupt(self, bound: float) -> None:
        """End with some cuts not examined, none of which costs less than `bound`."""
        self._left_open = min(self._left_open, bound)
        if self._status == "optimal":
            out_of_time = (self._seconds_left() or math.inf) <= _SHORTEST
            self._status = "time_limit" if out_of_time else "interrupted"

    def _tell(self, bound: float) -> None:
        if self._task.observer is not None:
            lower = min(bound, self._left_open, self._best.upper) / self._unit
            seconds = time.perf_counter() - self._begun
            upper = self._best.upper / self._unit
            self._task.observer(1, seconds, lower, upper, self._solved)

    # ----------------------------------------------------------------- answer

    def _answer(self) -> Answer:
        best = self._best
        if not math.isfinite(best.upper):
            name = self._task.table.columns[self._column].name
            raise ValueError(
                f"No split on {name!r} leaves min_samples_leaf="
                f"{self._task.min_samples_leaf} rows on every side."
            )
        kind = int(self._task.table.engine.kinds[best.column])
        lower = min(self._left_open, best.upper)
        if self._leaf is not None and lower >= best.upper * (1 - _TOLERANCE):
            lower = best.upper
        exact = self._leaf is None
        return {
            "tree": _table(best.column, 1 + _TEST[kind], best),
            "lower": int(lower) if exact else lower,
            "upper": int(best.upper) if exact else best.upper,
            "unit": int(self._unit) if exact else 1.0,
            "split_cost": int(self._penalty) if exact else self._penalty,
            "status": "optimal" if lower == best.upper else self._status,
            "seconds": time.perf_counter() - self._begun,
            "n_merged_rows": sum(
                c.found["n_merged_rows"] for c in best.children if c.found is not None
            ),
            "statistics": {"subproblems": self._solved, "engine": self._name},
        }


_TEST = {ORDERED: 0, ONE_VS_REST: 1, ONE_EACH: 2}  # the engines' order of tests


def _check(task: Any, column: int) -> None:
    about = task.table.columns[column].name
    if task.max_splits is not None:
        raise ValueError(
            "first_split cannot be combined with max_splits; leave one out."
        )
    if task.max_depth is not None and task.max_depth < 1:
        raise ValueError("first_split needs a max_depth of at least 1.")
    if task.min_samples_leaf > 1 and (task.weights != 1).any():
        raise ValueError(
            "first_split with min_samples_leaf takes no weights; leave one out."
        )
    if getattr(task, "proof_log", ""):
        raise ValueError(
            "A search with first_split writes no proof; leave out first_split or proof."
        )
    if len(np.unique(task.table.codes[column])) < 2:
        raise ValueError(
            f"first_split={about!r} is a column with one value only; it cannot be "
            "split on."
        )


def _shared_out(weights: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    """Return the weights of rows; a row listed twice gives weight one to its copy."""
    chosen = weights[rows]
    if len(rows) > 1 and rows[-1] == rows[0]:
        chosen[0] -= 1
        chosen[-1] = 1
    return chosen


def _answers(task: Any, rows: Rows) -> dict[str, Any]:
    if hasattr(task, "labels"):
        return {"labels": np.ascontiguousarray(task.labels[rows])}
    return {"targets": np.ascontiguousarray(task.targets[rows])}


def _table(column: int, kind: int, best: _Best) -> SplitTable:
    """Put the split tables of the children below a root."""
    n = len(best.children)
    columns: dict[str, list[Any]] = {
        "feature": [column], "kind": [kind], "code": [best.code], "n_children": [n],
    }  # fmt: skip
    first, slots, outcomes = [0], [], list(best.outcomes)
    below: list[int] = []
    nodes = 1
    for child in best.children:
        slots.append(nodes)
        tree = _LEAF if child.found is None else child.found["tree"]
        for name in _SPLIT_TABLE:
            columns[name] += np.asarray(tree[name]).tolist()  # type: ignore[literal-required]
        first += (np.asarray(tree["first_child"]) + n + len(below)).tolist()
        below += (np.asarray(tree["children"]) + nodes).tolist()
        outcomes += np.asarray(tree["child_outcome"]).tolist()
        nodes += len(tree["kind"])
    columns |= {"first_child": first, "children": slots + below,
                "child_outcome": outcomes}  # fmt: skip
    return split_table(**columns)


_LEAF = leaf_table()
