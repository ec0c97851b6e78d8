"""Better trees where the rules are too many to list: search among some of them.

A pool holds the rules of the best tree so far, all thresholds, the thresholds along
directions that linear models suggest, and the hyperplanes that turn about flats through
points near the best tree's surfaces. The native engine finds the best tree of the pool
(it need not finish), the pool is drawn again around it, and so on. Nothing here proves
anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.proper.engine import Found, run_engine
from treeproof.proper.family import Family
from treeproof.proper.sides import Sides
from treeproof.proper.task import Task

_MOST_RULES = 20_000
_MOST_BITS = 2**28  # of all rules together, one for each point
_MOST_CUTS = 256
# A hyperplane through as many points as there are dimensions can be turned slightly so
# that each of these points falls on either side: 2^(dimensions - 1) partitions up to
# which side is called positive. Beyond this number of dimensions they are too many.
_MOST_DIMENSIONS = 8


def improve_by_pools(
    task: Task, found: Found, rng: np.random.Generator, share: float
) -> None:
    """Search pools around the best tree for a share of the remaining time."""
    clock = task.clock
    if clock.seconds is None:
        end, patience = np.inf, 20  # without a limit, stop when nothing comes of it
    else:
        end, patience = clock.elapsed() + share * clock.remaining(), 10**9
    idle, drawing = 0, 0.0
    # A pool that cannot be searched any more is not drawn.
    while (
        not clock.over()
        and clock.elapsed() + 2 * drawing < end
        and idle < patience
        and not found.proved
    ):
        before, start = found.upper, clock.elapsed()
        store = draw_pool(task, found.tree, rng, min((end - start) / 4, 1.0))
        drawing = clock.elapsed() - start
        if clock.over():
            return
        seconds = min(max((end - clock.elapsed()) / 2, 1e-3), 2.0)
        tree, answer = run_engine(task, store, start=found.tree, seconds=seconds)
        found.count(answer["statistics"])
        found.offer(task, tree)
        idle = idle + 1 if found.upper == before else 0


def draw_pool(task: Task, tree: Sides, rng: np.random.Generator, seconds: float) -> Any:
    """Collect rules around a tree; stop adding some when time is over."""
    store = _core.RuleStore(task.n_points)
    most = min(_MOST_RULES, _MOST_BITS // task.n_points)
    sides = _sides_in(tree)
    if sides:
        store.add_sides(np.array(sides))
    thresholds = next((f for f in task.families if f.name == "axis"), None)
    linear = next((f for f in task.families if f.name != "axis"), None)
    if thresholds is None and linear is not None:
        thresholds = Family("axis", 1, linear.terms, linear.coordinates)
    if thresholds is not None:
        coordinates = np.ascontiguousarray(thresholds.coordinates)
        per_column = 1 + most // max(1, coordinates.shape[1])
        store.add_family("axis", coordinates, max_cuts=per_column, time_limit=seconds)
    for family in task.families:
        if family.name == "axis" or task.clock.over():
            continue
        _add_model_directions(store, task, family, tree, rng)
        _add_flats(store, family, sides, rng, most, seconds)
    return store


def _sides_in(tree: Sides) -> list[NDArray[np.bool_]]:
    if tree.positive is None:
        return []
    above, below = tree.children()
    return [tree.positive, *_sides_in(above), *_sides_in(below)]


def _add_model_directions(
    store: Any, task: Task, family: Family, tree: Sides, rng: np.random.Generator
) -> None:
    """Add thresholds along the directions that separate the classes, node by node."""
    coordinates = family.coordinates
    scale = coordinates.std(axis=0)
    scale[scale == 0] = 1.0
    Z = (coordinates - coordinates.mean(axis=0)) / scale
    places = [np.ones(task.n_points, dtype=bool)]
    stack = [(tree, places[0])]
    while stack:
        node, here = stack.pop()
        if node.positive is None:
            continue
        above, below = node.children()
        for child, part in ((above, node.positive), (below, ~node.positive)):
            places.append(here & part)
            stack.append((child, here & part))
    for here in places:
        rows = np.flatnonzero(here[task.point])
        present = np.unique(task.label[rows])
        if len(present) < 2:
            continue
        for c in present[: 1 if len(present) == 2 else None]:
            if task.clock.over():
                return
            direction = _direction(
                Z[task.point[rows]], task.label[rows] == c, task.weight[rows], rng
            )
            store.add_family("axis", (Z @ direction)[:, None], max_cuts=_MOST_CUTS)


def _direction(
    Z: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Fit a ridge regression to the classes, with rows reweighted at random."""
    share = weight * rng.exponential(size=len(weight))
    share /= share.sum()
    target = np.where(positive, 1.0, -1.0)
    centered = Z - share @ Z
    ridge = 10.0 ** rng.uniform(-6, 0) * np.eye(Z.shape[1])
    moment = centered.T * share
    return np.linalg.solve(
        moment @ centered + ridge, moment @ (target - share @ target)
    )


def _add_flats(
    store: Any,
    family: Family,
    sides: list[NDArray[np.bool_]],
    rng: np.random.Generator,
    most: int,
    seconds: float,
) -> None:
    """Add hyperplanes that turn about points near a surface, or about any points."""
    n, r = family.coordinates.shape
    if not 2 <= r <= _MOST_DIMENSIONS or n <= r:
        return
    per_flat = (n - r + 1) * 2 ** (r - 1)
    if per_flat > 4 * most:
        return
    n_flats = max(2, most // per_flat)
    near = [_near_points(family.coordinates, side) for side in sides]
    flats = []
    for k in range(n_flats):
        if near and k % 4:
            candidates = near[rng.integers(len(near))][: 3 * r]
        else:
            candidates = np.arange(n)
        flats.append(rng.choice(candidates, r - 1, replace=False))
    store.add_family(
        "hyperplane",
        np.ascontiguousarray(family.coordinates),
        flats=np.concatenate(flats).astype(np.int32),
        max_rules=4 * most,
        time_limit=seconds,
    )


def _near_points(
    coordinates: NDArray[np.float64], side: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Return points ordered by their distance from a surface with this partition."""
    scale = coordinates.std(axis=0)
    scale[scale == 0] = 1.0
    Z = (coordinates - coordinates.mean(axis=0)) / scale
    design = np.c_[Z, np.ones(len(Z))]
    fit, *_ = np.linalg.lstsq(design, np.where(side, 1.0, -1.0), rcond=None)
    return np.argsort(np.abs(design @ fit))
