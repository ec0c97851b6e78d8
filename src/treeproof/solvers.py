"""Which engine solves which problem.

`SOLVERS` maps each value of the estimators' ``solver`` parameter to the function that
runs it. A solver takes a `Task` and returns the engine's answer as a mapping:

=============== ==================================================================
tree            the split table: ``feature, kind, code, first_child, n_children,
                children, child_outcome`` (see `treeproof.tree.Tree.grow`)
lower, upper    proved bound and cost of the tree, as whole numbers
unit            the whole number that stands for a cost of 1.0
status          "optimal", "time_limit", "memory_limit" or "interrupted"
seconds         time spent in the engine
n_merged_rows   distinct rows the search saw
statistics      counters of the search
=============== ==================================================================

To add an engine, write such a function and one line in `SOLVERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.border import TrainingTable
from treeproof.border.table import ORDERED

__all__ = ["SOLVERS", "Task", "solve"]

Observer = Callable[[int, float, float, float, int], None]
"""Called with event kind, seconds, lower bound, objective and nodes so far."""


@dataclass
class Task:
    """A classification problem as an engine wants it."""

    table: TrainingTable
    labels: NDArray[np.int32]
    n_classes: int
    weights: NDArray[np.float64]
    split_penalty: float
    max_depth: int | None = None
    max_splits: int | None = None
    min_samples_leaf: int = 1
    time_limit: float | None = None
    memory_allowance: int = 0
    observer: Observer | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def _native(solver: str) -> Callable[[Task], Mapping[str, Any]]:
    """Make a solver of one that the native core has under this name."""

    def run(task: Task) -> Mapping[str, Any]:
        return _core.solve(solver=solver, **_arguments(task))

    return run


def _threshold(task: Task) -> Mapping[str, Any]:
    """Search over every threshold of sorted columns."""
    return _core.solve_threshold(**_arguments(task))


def _arguments(task: Task) -> dict[str, Any]:
    """Spell a task the way the native core wants it."""
    return {
        "kinds": task.table.kinds,
        "n_values": task.table.n_values,
        "codes": task.table.codes.reshape(-1),
        "labels": task.labels,
        "n_classes": task.n_classes,
        "weights": task.weights,
        "split_penalty": task.split_penalty,
        "max_depth": -1 if task.max_depth is None else task.max_depth,
        "max_splits": -1 if task.max_splits is None else task.max_splits,
        "min_samples_leaf": task.min_samples_leaf,
        "time_limit": 0.0 if task.time_limit is None else task.time_limit,
        "memory_limit": task.memory_allowance,
        "observer": task.observer,
        **task.options,
    }


SOLVERS: dict[str, Callable[[Task], Mapping[str, Any]]] = {
    "sparse": _native("sparse"),
    "threshold": _threshold,
    "branches": _native("branches"),
    "dt-miner": _native("dt-miner"),
}


MANY_THRESHOLDS = 400
"""From this many thresholds on, sorted columns beat bit masks of literals.

Measured on numeric tables cut into 4 to 100 values a column, 180 to 4,400 rows: below
300 thresholds the sparse engine is faster, above 600 the threshold engine is.
"""


def choose_solver(task: Task) -> str:
    """Return the solver that ``solver="auto"`` means for this problem."""
    table = task.table
    thresholds = int((table.n_values[table.kinds == ORDERED] - 1).sum())
    return "threshold" if thresholds > MANY_THRESHOLDS else "sparse"


def solve(solver: str, task: Task) -> tuple[str, Mapping[str, Any]]:
    """Run a solver by name; return the name of the one that ran, and its answer."""
    name = choose_solver(task) if solver == "auto" else solver
    return name, SOLVERS[name](task)
