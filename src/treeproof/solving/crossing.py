"""Hands tasks to the native core as one table and one record of options.

The functions of the core take an `EncodedTable` and `SearchOptions`; other arguments
are options of a single engine. Both classes check their arguments when they are
constructed.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core

if TYPE_CHECKING:
    from treeproof.solving.solvers import RegressionTask, Task

__all__ = [
    "labelled_table",
    "other_options",
    "search_options",
    "sparse_options",
    "target_problem",
    "target_table",
]

# A search identifies sets of rows by sums of random keys. The keys are drawn anew in
# each process, so that nobody can construct a table in which two sets have the same
# sum. The environment variable TREEPROOF_KEY_SEED fixes them.
KEY_SEED = int(os.environ.get("TREEPROOF_KEY_SEED") or int.from_bytes(os.urandom(7)))

_NO_TIME = 1e-9  # seconds; 0 would mean no limit
# seconds for each row of a regression to compute the values of the nodes
_FINISHING = 2e-7
_MERGING = 6e-8  # seconds for each cell

# options of a task that only the sparse engine has
_SPARSE = (
    "switches", "kernel", "fault", "helpers_at_once", "checkpoint_pause", "cutoff",
)  # fmt: skip


def labelled_table(
    task: Task, weights: NDArray[np.float64] | None = None
) -> _core.EncodedTable:
    """Return the table of a classification, with its own weights or the given ones."""
    engine = task.table.engine
    return _core.EncodedTable.with_labels(
        kinds=engine.kinds,
        n_values=engine.n_values,
        codes=engine.codes.reshape(-1),
        weights=task.weights if weights is None else weights,
        labels=task.labels,
        n_classes=task.n_classes,
    )


def search_options(
    task: Task | RegressionTask,
    *,
    time_limit: float | None = None,
    is_list: bool = False,
) -> _core.SearchOptions:
    """Return the restrictions and limits of a task, with a time limit of its own."""
    limit = task.time_limit if time_limit is None else time_limit
    return _core.SearchOptions(
        split_penalty=task.split_penalty,
        penalize=task.penalize,
        max_depth=-1 if task.max_depth is None else task.max_depth,
        max_splits=-1 if task.max_splits is None else task.max_splits,
        min_samples_leaf=task.min_samples_leaf,
        list=is_list,
        time_limit=0.0 if limit is None else limit,
        memory_limit=task.memory_allowance,
        observer=task.observer,
        n_jobs=task.n_threads,
    )


def sparse_options(task: Task, *, proof_log: bool = True) -> _core.SparseOptions:
    """Return the options that only the sparse engine has, and the files it writes."""
    own = {name: task.options[name] for name in _SPARSE if name in task.options}
    return _core.SparseOptions(
        proof_log=task.proof_log if proof_log else "",
        checkpoint=task.checkpoint,
        key_seed=KEY_SEED,
        **own,
    )


def other_options(task: Task | RegressionTask) -> dict[str, Any]:
    """Return the options of a task that only the other engines have."""
    return {name: v for name, v in task.options.items() if name not in _SPARSE}


def target_problem(
    task: RegressionTask, *, is_list: bool = False
) -> tuple[_core.EncodedTable, _core.SearchOptions]:
    """Return the table of a regression with equal rows merged, and its options."""
    begun = time.perf_counter()
    cells = task.table.engine.codes.size + task.targets.size
    limit = 0.0 if task.time_limit is None else task.time_limit
    worth = limit == 0.0 or _MERGING * cells < limit / 4
    # otherwise rows must stay separate so that they can be counted
    merge = task.min_samples_leaf == 1 and worth and task.lines is None
    table = target_table(task, merge=merge)
    # subtract the time of merging, and reserve time for the values of nodes
    if limit > 0.0:
        used = time.perf_counter() - begun + _FINISHING * len(task.weights)
        limit = max(limit - used, _NO_TIME)
    return table, search_options(task, time_limit=limit, is_list=is_list)


def target_table(task: RegressionTask, *, merge: bool = False) -> _core.EncodedTable:
    """Return the table of a regression; the core can merge equal rows first."""
    engine, lines = task.table.engine, None
    if task.lines is not None:
        lines = np.ascontiguousarray(task.lines, dtype=np.float64).reshape(-1)
    return _core.EncodedTable.with_targets(
        kinds=engine.kinds,
        n_values=engine.n_values,
        codes=np.ascontiguousarray(engine.codes).reshape(-1),
        weights=task.weights,
        targets=np.ascontiguousarray(task.targets).reshape(-1),
        n_outputs=task.targets.shape[1],
        criterion=task.criterion,
        smoothing=task.smoothing,
        quantiles=list(task.levels),
        lines=lines,
        ridge=task.ridge,
        merge=merge,
    )
