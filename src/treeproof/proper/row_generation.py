"""Bounds where the rules are too many to list: solve for some of the rows.

The loss of a tree on some of the rows is at most its loss on all of them, so the
optimum for a part of the rows bounds the optimum for all from below. A part of a few
dozen rows has few enough rules to be solved exactly. Its optimal tree, applied to all
rows, is a candidate; the rows it gets wrong are those the part is missing. Adding some
of them and solving again raises the bound and improves the tree in turn, until they
meet or the part has too many rules. The rows that matter lie near the surfaces, so
where a tree with few errors exists, a small part of the rows often proves it optimal
although all rows together have millions of rules.

Parts without common rows add up: a tree's loss is the sum of its losses on them. So
rows that are left over can raise the bound further, in chunks.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.proper.engine import Found, run_engine
from treeproof.proper.family import Family
from treeproof.proper.hull import hull
from treeproof.proper.sides import Sides, restrict, spread, wrong_rows
from treeproof.proper.task import Task

FIRST_RULES = 2_000
MOST_RULES = 400_000
CHUNK_RULES = 20_000
MOST_STARTS = 50
_MOST_DIMENSIONS = 12  # exact determinants of larger matrices take too long


def bound_by_rows(
    task: Task, found: Found, rng: np.random.Generator, share: float
) -> NDArray[np.bool_]:
    """Solve for a growing part of the points, and improve both bounds.

    Parameters
    ----------
    task : Task
    found : Found
        Updated in place.
    rng : Generator
    share : float
        Share of the remaining time to use.

    Returns
    -------
    array of bool
        The points of the last part whose bound was taken.
    """
    end = task.clock.elapsed() + share * task.clock.remaining()
    bounded = np.zeros(task.n_points, dtype=bool)
    for _ in range(MOST_STARTS):
        if task.clock.over() or task.clock.elapsed() >= end or found.proved:
            break
        before = found.lower
        part = _grow_part(task, found, rng, end)
        if part is not None and (found.lower > before or not bounded.any()):
            bounded = part
    return bounded


def _grow_part(
    task: Task, found: Found, rng: np.random.Generator, end: float
) -> NDArray[np.bool_] | None:
    """Grow one part until it proves the optimum or has too many rules.

    Returns the largest part that was solved.
    """
    family = task.families[-1]
    part = _first_part(task, found, family, rng)
    solved = None
    while not task.clock.over() and task.clock.elapsed() < end:
        points = np.flatnonzero(part)
        store = list_rules(task, family, points, _seconds(task, end))
        if store is None:
            break
        tree, answer = run_engine(
            task,
            store,
            points=points,
            start=restrict(found.tree, points),
            seconds=_seconds(task, end),
        )
        found.count(answer["statistics"])
        found.raise_lower(task, answer["lower"])
        solved = part
        if found.proved or answer["lower"] < answer["upper"]:
            break
        grown = _add_wrong(task, found, tree, part, rng)
        if grown is None or found.proved:
            break
        part = grown
    return solved


def bound_by_chunks(
    task: Task,
    found: Found,
    part: NDArray[np.bool_],
    rng: np.random.Generator,
    share: float,
) -> None:
    """Add up the optima of the points outside `part`, in chunks, to the lower bound.

    Splits are paid for once, by the part: the chunks are solved without their cost.
    """
    clock = task.clock
    end = clock.elapsed() + share * clock.remaining()
    family = task.families[-1]
    order = rng.permutation(np.flatnonzero(~part))
    size = _most_points(family, CHUNK_RULES)
    lower = found.lower
    for first in range(0, len(order), size):
        if clock.over() or clock.elapsed() >= end or found.proved:
            return
        points = np.sort(order[first : first + size])
        store = list_rules(task, family, points, _seconds(task, end))
        if store is None:
            return
        _, answer = run_engine(
            task,
            store,
            points=points,
            split_cost=0,
            seconds=_seconds(task, end),
        )
        found.count(answer["statistics"])
        lower += answer["lower"]
        found.raise_lower(task, lower)


def list_rules(
    task: Task, family: Family, points: NDArray[np.intp], seconds: float
) -> Any:
    """List every rule of a family for some of the points; None if that was too much."""
    coordinates = family.coordinates[points]
    store = _core.RuleStore(len(points))
    if family.kind != "axis":
        coordinates = hull(coordinates, coordinates.shape[1])
        part = Family(family.name, family.degree, family.terms, coordinates)
        dimensions = coordinates.shape[1]
        independent = len(points) == dimensions + 1
        if part.n_rules > 4 * MOST_RULES or (
            dimensions > _MOST_DIMENSIONS and not independent
        ):
            return None
    if coordinates.shape[1] == 0:
        return store
    status = store.add_family(
        family.kind,
        np.ascontiguousarray(coordinates),
        max_rules=4 * MOST_RULES,
        time_limit=seconds,
    )
    task.clock.heed(status)
    return store if status == "complete" else None


def _seconds(task: Task, end: float) -> float:
    """Return the time until `end` for the engine, where 0 means no limit."""
    if task.clock.seconds is None:
        return 0.0
    return max(end - task.clock.elapsed(), 1e-3)


def _most_points(family: Family, n_rules: int) -> int:
    """Return how many points have at most this many rules; at least two."""
    n = 2
    while n < len(family.coordinates):
        n += 1
        fake = np.empty((n, family.coordinates.shape[1]))
        bound = (
            n * family.coordinates.shape[1]
            if family.kind == "axis"
            else Family(family.name, family.degree, family.terms, fake).n_rules
        )
        if bound > n_rules:
            return n - 1
    return n


def _first_part(
    task: Task, found: Found, family: Family, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose points that the best tree gets wrong, and others at random, by class."""
    size = _most_points(family, FIRST_RULES)
    wrong = np.unique(task.point[wrong_rows(task, found.tree)])
    chosen = rng.permutation(wrong)[: size // 2]
    part = np.zeros(task.n_points, dtype=bool)
    part[chosen] = True
    by_class = [
        rng.permutation(np.unique(task.point[task.label == c]))[:size]
        for c in range(task.n_classes)
    ]
    for turn in zip_longest(*by_class, fillvalue=None):
        for point in turn:
            if point is not None and part.sum() < size:
                part[point] = True
    return part


def _add_wrong(
    task: Task,
    found: Found,
    tree: Sides,
    part: NDArray[np.bool_],
    rng: np.random.Generator,
) -> NDArray[np.bool_] | None:
    """Evaluate the part's tree on all rows, and add points that it gets wrong."""
    whole = spread(task, tree, np.flatnonzero(part))
    if whole is None:
        return None
    found.offer(task, whole)
    wrong = np.unique(task.point[wrong_rows(task, whole)])
    wrong = wrong[~part[wrong]]
    if len(wrong) == 0:
        return None
    n_new = 1 + int(part.sum()) // 8
    grown = part.copy()
    grown[rng.permutation(wrong)[:n_new]] = True
    family = task.families[-1]
    if grown.sum() > _most_points(family, MOST_RULES):
        return None
    return grown
