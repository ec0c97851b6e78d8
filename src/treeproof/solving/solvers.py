"""Which engine solves which problem.

`SOLVERS` maps each value of the estimators' ``solver`` parameter to the function that
runs it. A solver takes a `Task` and returns an `Answer`: a tree, a proved bound and why
the search ended (see `treeproof.solving.answer`).

To add an engine, write such a function and one line in `SOLVERS`;
`REGRESSION_SOLVERS` and `RegressionTask` are the same for numbers to predict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.border import TrainingTable
from treeproof.border.partial_tree import Prefix
from treeproof.kinds import ORDERED
from treeproof.objectives import Objective
from treeproof.solving.answer import Answer
from treeproof.solving.crossing import (
    labelled_table,
    other_options,
    search_options,
    sparse_options,
    target_problem,
)
from treeproof.solving.levels import climb_task
from treeproof.solving.observers import Observer
from treeproof.solving.prefix import solve_prefix
from treeproof.solving.quant_bnb import QuantBnB, check_task
from treeproof.solving.shape import Shape

__all__ = [
    "REGRESSION_SOLVERS",
    "SOLVERS",
    "RegressionTask",
    "Task",
    "native_solver",
    "run_solver",
    "solve",
    "solver_name",
]


@dataclass(kw_only=True)
class _Problem:
    """The part of a problem that all engines share, whatever they predict."""

    table: TrainingTable
    weights: NDArray[np.float64]
    split_penalty: float
    penalize: str = "leaves"  # or "splits"
    max_depth: int | None = None
    max_splits: int | None = None
    min_samples_leaf: int = 1
    time_limit: float | None = None
    # the gap at which the search may end: absolute, and relative to the cost
    tolerance: tuple[float, float] = (0.0, 0.0)
    memory_allowance: int = 0
    observer: Observer | None = None
    n_threads: int = 1
    proof_log: str = ""  # file for the steps of the proof; "" for none
    options: Mapping[str, Any] = field(default_factory=dict)
    quant: QuantBnB = field(default_factory=QuantBnB)
    prefix: Prefix | None = None  # what the tree must begin with
    # number of table rows that each row stands for; None if each stands for one
    samples: NDArray[np.int64] | None = None
    shape: Shape | None = None  # restrictions of the trees; None for none
    # called with settled levels and better trees
    ladder: Callable[[str, Any], None] | None = None


@dataclass(kw_only=True)
class RegressionTask(_Problem):
    """A regression problem in the form that the engines expect."""

    targets: NDArray[np.float64]
    criterion: str
    smoothing: float = 0.0  # weight of the imaginary rows of each class in every leaf
    levels: tuple[float, ...] = ()  # the quantiles that a leaf predicts
    # what lines in leaves may depend on, shape (columns, rows); None for constants
    lines: NDArray[np.float64] | None = None
    ridge: float = 0.0  # what slopes of lines cost


@dataclass(kw_only=True)
class Task(_Problem):
    """A classification problem in the form that the engines expect."""

    labels: NDArray[np.int32]
    n_classes: int
    # the objective that the labels and weights encode
    objective: Objective | None = None
    checkpoint: str = ""  # checkpoint file to read and write; see `CheckpointFile`
    # weight with which each row pays for tests; None for its weight
    pays: NDArray[np.float64] | None = None


def native_solver(solver: str) -> Callable[[Task], Answer]:
    """Return a solver that calls the engine of this name in the native core."""

    def run(task: Task) -> Answer:
        return _core.solve(
            labelled_table(task),
            search_options(task),
            solver=solver,
            sparse_options=sparse_options(task),
            **other_options(task),
        )

    return run


def _climbing(*engines: str) -> Callable[[Task], Answer]:
    """Return a solver in which several engines take turns, level by level."""

    def run(task: Task) -> Answer:
        return _core.climb_labels(
            labelled_table(task),
            search_options(task),
            sparse="sparse" in engines,
            threshold="threshold" in engines,
            for_proof=bool(task.proof_log),
            ladder=task.ladder,
            tolerance=task.tolerance,
            sparse_options=sparse_options(task, proof_log="sparse" in engines),
            **other_options(task),
        )

    return run


def _regression_climbing(task: RegressionTask) -> Answer:
    """Search for a regression tree, one level of depth after the other."""
    return _core.climb_targets(
        *target_problem(task),
        ladder=task.ladder,
        tolerance=task.tolerance,
        **other_options(task),
    )


def _quant_bnb(task: Task) -> Answer:
    """Run the published Quant-BnB."""
    check_task(task)
    return _core.quant_labels(
        labelled_table(task), search_options(task), **task.quant.arguments()
    )


def _regression_quant_bnb(task: RegressionTask) -> Answer:
    """Run the published Quant-BnB on numbers to predict."""
    check_task(task)
    return _core.quant_targets(*target_problem(task), **task.quant.arguments())


SOLVERS: dict[str, Callable[[Task], Answer]] = {
    "sparse": _climbing("sparse"),
    "threshold": _climbing("threshold"),
    "branches": native_solver("branches"),
    "dt-miner": native_solver("dt-miner"),
    "quant-bnb": _quant_bnb,
}
PORTFOLIO = (
    "sparse+threshold"  # both engines in turns; "auto" means this for most tables
)

REGRESSION_SOLVERS: dict[str, Callable[[RegressionTask], Answer]] = {
    "threshold": _regression_climbing,
    "quant-bnb": _regression_quant_bnb,
}


MANY_THRESHOLDS = 1500
"""From this many thresholds on, the sparse engine does not take part any more.

Its bit masks, one for each threshold, then cost more than they give. Sparse against
threshold, processor seconds to prove depth 3: 184 thresholds (Titanic) 0.04 and 0.01,
618 (OJ) 0.19 and 0.09, 993 (Mroz) 0.21 and 0.03, 1,947 (HMDA) more than 2.7 and 0.05.
Below, it is kept for the trees it finds: on two small noisy tables of 500 and 900
thresholds (Pima.tr, scat) they were better after 8 s: 0.160 for 0.167, 0.11 for 0.12.
"""

MANY_IN_A_PROOF = 400
"""From this many thresholds on, a proof is written by the threshold engine."""


def _thresholds(task: Task) -> int:
    """Return the number of thresholds, of columns with more than two values.

    A column with two values is a single literal in either engine.
    """
    table = task.table.engine
    values = table.n_values[(table.kinds == ORDERED) & (table.n_values > 2)]
    return int((values - 1).sum())


def choose_solver(task: Task) -> str:
    """Return the solver that ``solver="auto"`` means for this problem.

    It runs every engine that can contribute. Without thresholds this is the sparse
    engine, and with very many thresholds it is the threshold engine.
    """
    if task.checkpoint:
        return "sparse"  # no other engine writes checkpoints
    if task.proof_log and task.min_samples_leaf > 1:
        return "sparse"  # its proofs need not consider every threshold then
    thresholds = _thresholds(task)
    if task.proof_log:
        return "threshold" if thresholds > MANY_IN_A_PROOF else "sparse"
    if thresholds == 0:
        return "sparse"
    if thresholds > MANY_THRESHOLDS:
        return "threshold"
    if task.min_samples_leaf > 1 and (task.weights != np.round(task.weights)).any():
        return "sparse"  # the engines would round these weights differently
    return PORTFOLIO


def solve(
    solver: str, task: Task | RegressionTask, *, levels: bool = True
) -> tuple[str, Answer]:
    """Run a solver by name; return the name of the one that ran, and its answer.

    Searches that know one depth only are run level by level; without `levels`, they
    are run once.
    """
    lines = isinstance(task, RegressionTask) and task.lines is not None
    _check_tolerance(task, solver, lines=lines)
    if task.shape is not None or lines:
        shape = task.shape or Shape()
        name = "threshold" if shape.paths is None else "paths"
        if not levels:
            return name, shape.solve(task)
        return name, climb_task(task, shape.solve, deepens=shape.paths is not None)
    if task.prefix is not None:
        beginning = partial(solve_prefix, solve=partial(solve, solver))
        answer = climb_task(task, beginning) if levels else beginning(task)
        return str(answer["statistics"]["engine"] or solver), answer
    name = solver_name(solver, task)
    if task.table.unread:
        return name, _single_leaf(run_solver(name, task))
    return name, run_solver(name, task)


def _single_leaf(found: Answer) -> Answer:
    """Return the answer for a table without columns as if there were columns.

    The time limit was reached before the columns were read. Any tree is a single leaf
    or has at least one split, which gives a lower bound.
    """
    lower = min(found["split_cost"], found["upper"])
    optimal = bool(lower == found["upper"])
    levels = [found["certificates"][-1] | {"lower": lower, "optimal": optimal}]
    status = "optimal" if optimal else "time_limit"
    return {**found, "lower": lower, "status": status, "certificates": levels}


def solver_name(solver: str, task: Task | RegressionTask) -> str:
    """Return the solver to run; refuse a proof that it cannot write."""
    if isinstance(task, RegressionTask):
        name = "threshold" if solver == "auto" else solver
        _check_proof(task, name, ("threshold",))
    else:
        name = choose_solver(task) if solver == "auto" else solver
        _check_proof(task, name, ("sparse", "threshold"))
        _check_penalize(task, name)
    return name


def run_solver(name: str, task: Task | RegressionTask) -> Answer:
    """Return the answer of the solver with this name."""
    if isinstance(task, RegressionTask):
        return REGRESSION_SOLVERS[name](task)
    if name == PORTFOLIO:
        return _climbing("sparse", "threshold")(task)
    return SOLVERS[name](task)


def _check_tolerance(task: Task | RegressionTask, solver: str, *, lines: bool) -> None:
    """Refuse a tolerance for searches that do not proceed by levels of depth."""
    if not any(task.tolerance):
        return
    hindered = {
        "first_split or prefix": task.prefix is not None,
        'leaf="linear"': lines,
        "monotonic_cst, shape, interaction_cst or test_costs": task.shape is not None,
        f'solver="{solver}"': solver not in ("auto", "sparse", "threshold", PORTFOLIO),
    }
    for what, present in hindered.items():
        if present:
            raise ValueError(
                f"tolerance cannot be combined with {what}; pass tolerance=0, and a "
                "time_limit to bound the time instead."
            )


def _check_penalize(task: Task, solver: str) -> None:
    """Refuse penalties that the published algorithms do not support."""
    table, wide = task.table, None
    if task.penalize == "leaves" and task.split_penalty > 0:
        wide = table.engine.first_wide()
    if wide is not None and solver in ("branches", "dt-miner"):
        name = table.columns[wide].name
        raise ValueError(
            f'solver="{solver}" charges one penalty for each split, as published, but '
            f"column {name!r} is split into more than two children; pass "
            'penalize="splits", or use another solver.'
        )


def _check_proof(
    task: Task | RegressionTask, solver: str, able: tuple[str, ...]
) -> None:
    """Refuse a proof that the solver cannot write, before the search begins."""
    if not task.proof_log:
        return
    if solver not in able:
        others = " or ".join(f'solver="{name}"' for name in ("auto", *able))
        raise ValueError(
            f'solver="{solver}" writes no proof; use {others}, or fit without proof.'
        )
    column = task.table.cut_by_target
    if column is not None:
        raise ValueError(
            f"A proof lists every subset of the categories of column {column!r}, which "
            "are too many; group rare categories, or fit without proof."
        )
