"""The search for an oblique tree: list all rules if they are few, else bound them.

If the rules can be listed, the native engine proves the optimum. If not, upper bounds
come from simpler families that can be listed and from pools of rules
(`treeproof.proper.pool`), and lower bounds from parts of the rows
(`treeproof.proper.row_generation`); the two may meet all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treeproof import _core
from treeproof.proper.engine import Found, run_engine
from treeproof.proper.family import Family, make_families
from treeproof.proper.pool import improve_by_pools
from treeproof.proper.row_generation import bound_by_chunks, bound_by_rows
from treeproof.proper.sides import Sides
from treeproof.proper.task import Task, cost_floor


def search(task: Task, max_rules: int, rng: np.random.Generator) -> Found:
    """Find the best tree that time allows, with a lower bound.

    Parameters
    ----------
    task : Task
    max_rules : int
        List the rules if there are at most this many.
    rng : Generator
        For the choice of rows and pools.
    """
    found = Found()
    found.offer(task, Sides())
    found.raise_lower(task, cost_floor(task))
    listed = task.families[-1].n_rules <= max_rules
    try:
        if listed and not found.proved:
            _search_listed(task, found, max_rules)
        if not listed and not found.proved:
            _search_simpler(task, found, max_rules)
        if not found.proved and not task.clock.over():
            _search_anytime(task, found, rng)
    except KeyboardInterrupt:
        task.clock.interrupted = True
    return found


def _search_listed(task: Task, found: Found, max_rules: int) -> None:
    """List every rule and prove the optimum by the engine."""
    store = _list_all(task, task.families, max_rules, task.clock.slice(0.5))
    if store is None:
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


def _search_simpler(task: Task, found: Found, max_rules: int) -> None:
    """Find the best trees of simpler families, the thresholds first.

    Every rule of a simpler family is one of the task's, so the trees count; that they
    are optimal for their family proves nothing about the task's.
    """
    thresholds = make_families(task.X, "axis", 1, 0)
    for family in (*thresholds, *task.families[:-1]):
        if found.proved or task.clock.over():
            return
        if family.n_rules > max_rules:
            continue
        store = _list_all(task, [family], max_rules, task.clock.slice(0.1))
        if store is None:
            continue
        tree, answer = run_engine(
            task, store, start=found.tree, seconds=task.clock.slice(0.2)
        )
        found.count(answer["statistics"])
        found.offer(task, tree)


def _list_all(
    task: Task, families: Sequence[Family], max_rules: int, seconds: float
) -> Any:
    """List all rules of some families; return None if there was too little time."""
    store = _core.RuleStore(task.n_points)
    for number, family in enumerate(families):
        if family.coordinates.shape[1] == 0:
            continue
        status = store.add_family(
            family.kind,
            np.ascontiguousarray(family.coordinates),
            family=number,
            max_rules=4 * max_rules,
            time_limit=seconds,
        )
        task.clock.heed(status)
        if status != "complete":
            return None
    return store


def _search_anytime(task: Task, found: Found, rng: np.random.Generator) -> None:
    """Improve both bounds in turn, with short rounds at first for the easy cases."""
    improve_by_pools(task, found, rng, 0.03)
    part = bound_by_rows(task, found, rng, 0.5)
    bound_by_chunks(task, found, part, rng, 0.3)
    improve_by_pools(task, found, rng, 1.0)
