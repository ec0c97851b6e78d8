"""The search for an oblique tree: list all rules if they are few, else bound them.

If the rules can be listed, the native engine proves the optimum. If not, upper bounds
come from pools of rules (`treeproof.proper.pool`) and lower bounds from parts of the
rows (`treeproof.proper.row_generation`); the two may meet all the same.
"""

from __future__ import annotations

import numpy as np

from treeproof import _core
from treeproof.proper.pool import improve_by_pools
from treeproof.proper.row_generation import bound_by_chunks, bound_by_rows
from treeproof.proper.task import Found, Sides, Task, cost_floor, run_engine


def search(
    task: Task, max_rules: int, start: Sides | None, rng: np.random.Generator
) -> Found:
    """Find the best tree that time allows, with a lower bound.

    Parameters
    ----------
    task : Task
    max_rules : int
        List the rules if there are at most so many.
    start : Sides, optional
        A tree to begin with; its rules must belong to the families.
    rng : Generator
        For the choice of rows and pools.
    """
    found = Found()
    found.offer(task, Sides())
    found.raise_lower(task, cost_floor(task))
    if start is not None:
        found.offer(task, start)
    try:
        if not found.proved and task.families[-1].n_rules <= max_rules:
            _search_listed(task, found, max_rules)
        if not found.proved and not task.clock.over():
            _search_anytime(task, found, rng)
    except KeyboardInterrupt:
        task.clock.interrupted = True
    return found


def _search_listed(task: Task, found: Found, max_rules: int) -> None:
    """List every rule and let the engine prove the optimum."""
    store = _core.RuleStore(task.n_points)
    for number, family in enumerate(task.families):
        if family.coordinates.shape[1] == 0:
            continue
        status = store.add_family(
            family.kind,
            np.ascontiguousarray(family.coordinates),
            family=number,
            max_rules=4 * max_rules,
            time_limit=task.clock.slice(0.5),
        )
        task.clock.heed(status)
        if status != "complete":
            return
    tree, answer = run_engine(
        task,
        store,
        start=found.tree,
        seconds=task.clock.slice(0.9),
        observer=task.observer,
    )
    found.count(answer["statistics"])
    found.offer(task, tree)
    found.raise_lower(task, answer["lower"])


def _search_anytime(task: Task, found: Found, rng: np.random.Generator) -> None:
    """Improve both bounds in turn; the first rounds are short, for the easy cases."""
    improve_by_pools(task, found, rng, 0.03)
    part = bound_by_rows(task, found, rng, 0.5)
    bound_by_chunks(task, found, part, rng, 0.3)
    improve_by_pools(task, found, rng, 1.0)
