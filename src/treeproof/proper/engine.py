"""The native engine: the best tree so far, and the calls that improve it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.kinds import ORDERED
from treeproof.proper.sides import Sides, tree_cost
from treeproof.proper.task import Task
from treeproof.solving.answer import RulesAnswer


@dataclass
class Found:
    """The best tree so far with bounds on the optimum."""

    tree: Sides = field(default_factory=Sides)
    upper: int = 2**62
    lower: int = 0
    counters: dict[str, int] = field(default_factory=dict)

    @property
    def proved(self) -> bool:
        """Whether the lower bound equals the cost of the best tree."""
        return self.lower >= self.upper

    def offer(self, task: Task, tree: Sides) -> bool:
        """Keep a tree if it is allowed and better; return whether it was kept."""
        cost = tree_cost(task, tree)
        if cost is None or cost >= self.upper:
            return False
        self.tree, self.upper = tree, cost
        task.report(self.lower, self.upper)
        return True

    def raise_lower(self, task: Task, lower: int) -> None:
        """Keep a lower bound if it is higher."""
        if lower > self.lower:
            self.lower = min(lower, self.upper)
            task.report(self.lower, self.upper)

    def count(self, statistics: dict[str, int]) -> None:
        """Add the counters of a run of the engine."""
        for name, value in statistics.items():
            self.counters[name] = self.counters.get(name, 0) + value


def run_engine(
    task: Task,
    store: Any,
    *,
    points: NDArray[np.intp] | None = None,
    split_cost: int | None = None,
    start: Sides | None = None,
    seconds: float = 0.0,
    observer: Any = None,
) -> tuple[Sides, RulesAnswer]:
    """Run the native search on all points, or on some of them.

    Parameters
    ----------
    task : Task
    store : RuleStore
        Over the points searched.
    points : array of int, optional
        Those points; all by default. For some of them, leaves may be of any size: those
        of all rows are larger.
    split_cost : int, optional
        If not the task's.
    start : Sides, optional
        A tree over the points searched whose rules are in the store.
    seconds : float
        Time limit, 0 for none.
    observer : callable, optional

    Returns
    -------
    (Sides, answer)
        The tree over the points searched, and the engine's answer.
    """
    rows: Any = slice(None)
    place = task.point
    if points is not None:
        number = np.full(task.n_points, -1, dtype=np.int32)
        number[points] = np.arange(len(points), dtype=np.int32)
        rows = np.flatnonzero(number[task.point] >= 0)
        place = number[task.point[rows]]
    # The only column of the table is the number of the point.
    table = _core.EncodedTable.with_labels(
        kinds=np.array([ORDERED], dtype=np.int32),
        n_values=np.array([store.n_points], dtype=np.int32),
        codes=np.ascontiguousarray(place),
        weights=np.ascontiguousarray(task.weight[rows]),
        labels=np.ascontiguousarray(task.label[rows]),
        n_classes=task.n_classes,
    )
    options = _core.SearchOptions(
        max_splits=task.max_splits,
        max_depth=task.max_depth,
        min_samples_leaf=task.min_samples_leaf if points is None else 1,
        time_limit=seconds,
        observer=observer,
        n_jobs=task.n_threads,
    )
    answer = _core.solve_rules(
        store,
        table,
        options,
        split_cost=task.split_cost if split_cost is None else split_cost,
        min_weight_leaf=task.min_weight_leaf if points is None else 0,
        start=None if start is None else rules_of(store, start),
    )
    task.clock.heed(answer["status"])
    return sides_of(store, answer), answer


def sides_of(store: Any, answer: RulesAnswer) -> Sides:
    """Return the tree that the engine has found."""

    def visit(node: int) -> Sides:
        rule = int(answer["rule"][node])
        if rule < 0:
            return Sides()
        positive = np.asarray(store.side(rule)).astype(bool)
        above = visit(int(answer["positive"][node]))
        return Sides(positive, above, visit(int(answer["negative"][node])))

    return visit(0)


def rules_of(store: Any, tree: Sides) -> NDArray[np.int32]:
    """Return a tree in the engine's form: its rules in preorder, -1 for a leaf."""
    rules: list[int] = []

    def visit(node: Sides) -> None:
        if node.positive is None:
            rules.append(-1)
            return
        rule = int(store.find_sides(node.positive[None, :])[0])
        assert rule >= 0, "the store lacks a rule of the start tree"
        rules.append(rule)
        above, below = node.children()
        # The engine keeps every rule with point 0 on its negative side.
        if node.positive[0]:
            above, below = below, above
        visit(above)
        visit(below)

    visit(tree)
    return np.array(rules, dtype=np.int32)
