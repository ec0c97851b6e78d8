"""Searches for a proof: an answer, and the material of its argument.

The sparse engine logs the steps of its argument while it searches; for a level of depth
it searches once more. The threshold engine keeps a record of its search, from which the
steps are derived (`derive_steps`); for a level of depth they are derived from the bound
that was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treeproof import _core
from treeproof.arithmetic import rounded_weights
from treeproof.solving.answer import Answer, LevelAnswer, PriceAnswer
from treeproof.solving.crossing import (
    labelled_table,
    other_options,
    search_options,
    target_problem,
)
from treeproof.solving.shape import Shape
from treeproof.solving.solvers import (
    RegressionTask,
    Task,
    native_solver,
    run_solver,
    solve,
    solver_name,
)

__all__ = [
    "Provable", "derive_steps", "highest_level", "logged_bound", "solve_for_proof",
    "solve_task",
]  # fmt: skip

CLOSE = 1e-9  # relative difference of real-valued costs that count as equal
CLIMBS_FROM = 4  # with a smaller depth limit, a fit does not proceed level by level


@dataclass(frozen=True)
class Provable:
    """An answer, and the material for its proof.

    A fit that ends without a proof of optimality may still have proved that no tree of
    a smaller depth is better. The proof is then about that depth, and ``proved`` is the
    answer to the problem with that ``max_depth``: its best known tree, and a bound that
    is not below the cost of the fitted tree. ``prices`` are the row prices that the
    proof uses, in addition to its steps or, if ``alone``, without any steps.
    """

    solver: str
    found: Answer
    task: Task | RegressionTask  # the problem that `proved` solves
    proved: Answer
    prices: Mapping[str, Any] | None = None  # in the form of the proof header
    alone: bool = False


def solve_task(
    solver: str, task: Task | RegressionTask, *, prove: bool
) -> tuple[str, Answer, Provable | None]:
    """Solve a task, and with `prove` also keep what its proof needs.

    Returns the name of the solver, its answer, and the `Provable` (None if no proof is
    asked for).
    """
    if not prove:
        return *solve(solver, task), None
    provable = solve_for_proof(solver, task)
    return provable.solver, provable.found, provable


def solve_for_proof(solver: str, task: Task | RegressionTask) -> Provable:
    """Solve a problem, and prepare the proof of the highest level proved."""
    if task.prefix is not None:
        solve(solver, task)  # raises an error that explains why it is refused
    # the search over thresholds alone knows shapes, and lines in leaves
    lines = isinstance(task, RegressionTask) and task.lines is not None
    restricted = task.shape is not None or lines
    name = "threshold" if restricted else solver_name(solver, task)
    climbs = task.max_depth is None or task.max_depth >= CLIMBS_FROM
    if name == "threshold" and not climbs:
        found = _recorded(task)
        return Provable(name, found, task, found)
    found = solve(solver, task)[1] if restricted else run_solver(name, task)
    best = highest_level(task, found)
    if found["status"] != "optimal" and best is not None:
        return _prove_level(name, task, found, best)
    if restricted:
        return _derivable(name, task, found, found)
    return _prove_answer(name, task, found)


def highest_level(task: Task | RegressionTask, found: Answer) -> LevelAnswer | None:
    """Return the highest level none of whose trees costs less than the fitted tree."""
    exact = isinstance(task, Task)
    least = found["upper"] if exact else found["upper"] * (1 - CLOSE)
    known = found.get("certificates", ())  # shallow problems are searched as a whole
    levels = [c for c in known[:-1] if c["lower"] >= least]
    return levels[-1] if levels else None


def _prove_level(
    name: str, task: Task | RegressionTask, found: Answer, best: LevelAnswer
) -> Provable:
    """Return the material for the proof of one level of depth.

    If the best tree of the level is not known, the proof shows that none of its trees
    costs less than the fitted tree, which is deeper.
    """
    level: Any = replace(
        task, max_depth=best["max_depth"], observer=None, ladder=None, time_limit=None
    )
    bound = best["lower"] if best["optimal"] else min(best["lower"], found["upper"])
    known: Any = {"tree": best["tree"], "upper": best["upper"], "lower": bound}
    if isinstance(level, RegressionTask):
        return _derivable(name, level, found, {**found, **known})
    level = replace(level, checkpoint="")
    prices = _citable_prices(level, found)
    header = None
    if prices is not None:
        header = _in_header(level, prices)
        level = replace(level, options={**level.options, "prices": prices["of_point"]})
    if name == "sparse" and level.max_splits is None:
        options = {**level.options, "cutoff": bound}
        proved = native_solver("sparse")(replace(level, options=options))
        proved = {**proved, "lower": max(proved["lower"], bound)}
        if best["upper"] <= proved["upper"]:
            proved = {**proved, "tree": best["tree"], "upper": best["upper"]}
        return Provable(name, found, level, proved, header)
    return _derivable(name, level, found, {**found, **known}, header)


def _derivable(
    name: str,
    task: Task | RegressionTask,
    found: Answer,
    proved: Any,
    prices: Mapping[str, Any] | None = None,
) -> Provable:
    """Return the material for steps that are derived from a tree and a bound alone.

    Deriving them takes no longer without a record of the search.
    """
    recorded = _recorded(task, search=False)
    if recorded["unit"] != found["unit"]:  # the proof counts weights in another way
        return Provable(name, found, task, _recorded(task), prices)
    proved = {**proved, "record": recorded["record"]}
    return Provable(name, found, task, proved, prices)


def _prove_answer(name: str, task: Task | RegressionTask, found: Answer) -> Provable:
    """Return the answer of a search by levels with the material for its proof.

    The log of its sparse search proves the bound, unless the bound comes from a level
    of depth or from prices of rows.
    """
    lower = found["lower"]
    if isinstance(task, RegressionTask):
        return Provable(name, found, task, _not_below(_recorded(task), found))
    if name == "sparse" and logged_bound(found, task.max_splits) >= lower:
        return Provable(name, found, task, found)
    prices = _citable_prices(task, found)
    if prices is None:
        if name == "sparse":
            return Provable(name, found, task, native_solver("sparse")(task))
        return Provable(name, found, task, _not_below(_recorded(task), found))
    header = _in_header(task, prices)
    if prices["bound"] >= lower:
        return Provable(name, found, task, found, header, alone=True)
    priced = replace(task, options={**task.options, "prices": prices["of_point"]})
    if name == "sparse":
        return Provable(name, found, task, native_solver("sparse")(priced), header)
    record = _threshold_recorded(priced, search=False)["record"]
    return Provable(name, found, task, {**found, "record": record}, header)


def _not_below(again: Answer, found: Answer) -> Answer:
    """Return the answer of a second search with the bound of the first one.

    A limit may have ended the second search earlier. Its steps are derived anew, for
    the bound that was proved before.
    """
    return {**again, "lower": max(again["lower"], found["lower"])}


MUCH_PRICED = 0.75
"""Prices are written to a proof if they bound this share of the best cost.

Whoever checks the proof has to compare them with every box, which takes longer than
most steps do: where they bound little, a proof without them is checked sooner.
"""
# maximum number of cells of a table for which prices are written
MOST_PRICED = 2_000_000


def _citable_prices(task: Task, found: Answer) -> PriceAnswer | None:
    """Return the best prices for the trees of a task, if they improve the bound."""
    apply = [
        prices
        for prices in found.get("prices", [])
        if prices["max_depth"] is None
        or (task.max_depth is not None and task.max_depth <= prices["max_depth"])
    ]
    best = max(apply, key=lambda prices: prices["bound"], default=None)
    if best is None or best["bound"] < max(1, MUCH_PRICED * found["upper"]):
        return None
    small = task.table.n_rows * len(task.table.engine.kinds) <= MOST_PRICED
    return best if small else None


def _in_header(task: Task, prices: PriceAnswer) -> Mapping[str, Any]:
    """Return prices in the form of the proof header."""
    # costs are searched as copies of rows; the proof is about the rows
    table = task.table if task.objective is None else task.objective.table
    engine = table.engine
    cells = _core.price_axes(
        _core.EncodedTable.with_labels(
            kinds=engine.kinds,
            n_values=engine.n_values,
            codes=engine.codes.reshape(-1),
            weights=np.ones(table.n_rows),
            labels=np.zeros(table.n_rows, np.int32),
            n_classes=1,
        )
    )
    _, first = np.unique(cells["point_of"], return_index=True)
    of_rows = np.zeros(table.n_rows, np.int64)
    # the first of several equal rows carries the price of all of them
    of_rows[first] = prices["of_point"]
    header = {"per_leaf": int(prices["per_leaf"]), "of_rows": of_rows.tolist()}
    if prices["max_depth"] is not None:
        return header | {"depth": prices["max_depth"]}
    axes = [[choice, codes.tolist()] for choice, codes in cells["axes"]]
    return header | {"axes": axes}


def logged_bound(found: Answer, max_splits: int | None) -> int:
    """Return the best bound that the log of a sparse search proves, or 0.

    A search with a higher split cost gives a bound for trees with `max_splits`.
    """
    limit = max_splits or 0
    return max(
        (
            bound - (cost - int(found["split_cost"])) * limit
            for cost, _, _, bound in found["log_sections"]
        ),
        default=0,
    )


def _recorded(task: Task | RegressionTask, search: bool = True) -> Answer:
    """Solve with the threshold engine, and keep the record that the prover needs.

    If no search was run, the record is empty.
    """
    if isinstance(task, RegressionTask):
        return _regression_recorded(task, search)
    return _threshold_recorded(task, search)


def _threshold_recorded(task: Task, search: bool = True) -> Answer:
    """Search over every threshold, with a record from which a proof can be derived."""
    task = _in_proof_arithmetic(task)
    shape = Shape() if task.shape is None else task.shape
    return _core.solve_threshold(
        labelled_table(task),
        search_options(task, is_list=shape.is_list),
        search=search,
        divide_weights=False,
        record=True,
        directions=shape.engine_directions(task.table),
        **other_options(task),
    )


def _regression_recorded(task: RegressionTask, search: bool = True) -> Answer:
    """Search for a regression tree, with a record for a proof."""
    is_list = task.shape is not None and task.shape.is_list
    table, options = target_problem(task, is_list=is_list)
    return _core.solve_targets(table, options, search=search, record=True)


def _in_proof_arithmetic(task: Task) -> Task:
    """Round fractional weights as a proof does: once for each set of equal rows."""
    weights = rounded_weights(task.table.codes, task.labels, task.weights)
    if weights is task.weights:
        return task
    if task.min_samples_leaf > 1:
        raise ValueError(
            'solver="threshold" writes no proof for weights that are not whole numbers '
            f'and min_samples_leaf={task.min_samples_leaf}; use solver="sparse", or '
            "fit without proof."
        )
    kept = weights > 0
    table = replace(task.table, codes=np.ascontiguousarray(task.table.codes[:, kept]))
    return replace(task, table=table, labels=task.labels[kept], weights=weights[kept])


_LEAST_SECONDS = 0.05  # for the steps of a proof, less than limits are kept to


def derive_steps(
    task: Task | RegressionTask, found: Answer, unit: float, steps: str
) -> Mapping[str, Any]:
    """Write the proof steps for the result of the search over thresholds.

    Parameters
    ----------
    task : Task or RegressionTask
        The problem that was solved.
    found : mapping
        The answer, with the record of the search.
    unit : float
        The loss of a single leaf (regression), in the units of the proof.
    steps : str
        File for the steps.

    Returns
    -------
    mapping
        ``n_steps``, ``root`` (the step about all rows), ``bound`` (what it shows, in
        the units of `found`) and ``complete`` (whether the file holds them all).
    """
    arguments = {} if isinstance(task, Task) else {"unit": unit}
    # A search may end before its limit is first noticed; its proof must not be cut.
    limit = max(task.time_limit, _LEAST_SECONDS) if task.time_limit else 0.0
    return found["record"].derive(  # type: ignore[no-any-return]
        bound=found["lower"],
        time_limit=limit,
        steps=steps,
        **arguments,
    )
