"""What a search for an oblique tree is given, and what it finds.

Costs are whole numbers, as in the native engine: 2^20 for each unit of weight. Rows at
the same place are one point; a rule is known by the points on its positive side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.proper.family import Family
from treeproof.proper.separator import find_surface
from treeproof.proper.surface import Surface

UNIT = 2**20
_MOST_WEIGHT = 2**30

Side = NDArray[np.bool_]


class Clock:
    """The time that is left, and whether the user asked to stop.

    Examples
    --------
    >>> clock = Clock(60.0)
    >>> 59 < clock.remaining() <= 60
    True
    >>> Clock(None).slice(0.5)
    0.0
    """

    def __init__(self, seconds: float | None) -> None:
        self.start = time.monotonic()
        self.seconds = seconds
        self.interrupted = False

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.start

    def remaining(self) -> float:
        """Return the seconds left; infinite without a limit."""
        return np.inf if self.seconds is None else self.seconds - self.elapsed()

    def slice(self, share: float = 1.0) -> float:
        """Return a share of the time left as the engine wants it: 0 for no limit."""
        if self.seconds is None:
            return 0.0
        return max(share * self.remaining(), 1e-3)

    def over(self) -> bool:
        """Tell whether the search has to end."""
        return self.interrupted or self.remaining() <= 0

    def heed(self, status: str) -> None:
        """Note that a call of the engine was interrupted."""
        self.interrupted = self.interrupted or status == "interrupted"


@dataclass(frozen=True)
class Task:
    """A classification problem over points.

    Parameters
    ----------
    X : array of shape (n_points, n_features)
        The distinct points.
    families : sequence of Family
        The rules, the simplest first; the last contains the others.
    point : array of int32
        Point of each row.
    label : array of int32
        Class of each row.
    n_classes : int
    weight : array of float
        Whole numbers; see `whole_weights`.
    split_cost : int
    max_splits, max_depth, min_samples_leaf, min_weight_leaf, n_threads : int
        `max_depth` is -1 for no limit.
    clock : Clock
    observer : callable, optional
    """

    X: NDArray[np.float64]
    families: Sequence[Family]
    point: NDArray[np.int32]
    label: NDArray[np.int32]
    n_classes: int
    weight: NDArray[np.float64]
    split_cost: int
    max_splits: int
    max_depth: int
    min_samples_leaf: int
    min_weight_leaf: int
    n_threads: int
    clock: Clock
    observer: Callable[[int, float, float, float, int], None] | None = None

    @property
    def n_points(self) -> int:
        """Number of distinct points."""
        return len(self.X)

    @property
    def unit(self) -> int:
        """The cost that stands for 1.0: all rows wrong."""
        return int(self.weight.sum()) * UNIT

    def class_weights(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Weight of each class among some rows."""
        return np.bincount(
            self.label[rows], self.weight[rows], minlength=self.n_classes
        ).astype(np.float64)

    def report(self, lower: int, upper: int) -> None:
        """Tell the observer about the bounds of all rows."""
        if self.observer is not None:
            unit = self.unit
            self.observer(
                0, self.clock.elapsed(), max(lower, 0) / unit, upper / unit, 0
            )


@dataclass(frozen=True)
class Sides:
    """A tree whose nodes are sets of points: a leaf, or a side with two subtrees."""

    positive: Side | None = None
    above: Sides | None = None
    below: Sides | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether this is a leaf."""
        return self.positive is None

    def children(self) -> tuple[Sides, Sides]:
        """Return the subtrees of the positive and the negative side."""
        assert self.above is not None and self.below is not None
        return self.above, self.below

    @property
    def n_splits(self) -> int:
        """Number of inner nodes."""
        if self.is_leaf:
            return 0
        above, below = self.children()
        return 1 + above.n_splits + below.n_splits


@dataclass
class Found:
    """The best tree so far with bounds on the optimum."""

    tree: Sides = field(default_factory=Sides)
    upper: int = 2**62
    lower: int = 0
    counters: dict[str, int] = field(default_factory=dict)

    @property
    def proved(self) -> bool:
        """Whether the bounds have met."""
        return self.lower >= self.upper

    def offer(self, task: Task, tree: Sides) -> bool:
        """Take a tree if it is allowed and better; tell whether it was."""
        cost = tree_cost(task, tree)
        if cost is None or cost >= self.upper:
            return False
        self.tree, self.upper = tree, cost
        task.report(self.lower, self.upper)
        return True

    def raise_lower(self, task: Task, lower: int) -> None:
        """Take a lower bound if it is higher."""
        if lower > self.lower:
            self.lower = min(lower, self.upper)
            task.report(self.lower, self.upper)

    def count(self, statistics: dict[str, int]) -> None:
        """Add up what the engine counted."""
        for name, value in statistics.items():
            self.counters[name] = self.counters.get(name, 0) + value


def whole_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale weights to whole numbers, unless they are whole already.

    As in the other classifiers: rounded once, to 2^-30 of their total.

    Examples
    --------
    >>> whole_weights(np.array([1.0, 2.0]))
    array([1., 2.])
    >>> whole_weights(np.array([0.5, 0.25])).sum() > 2**28
    np.True_
    """
    room = _MOST_WEIGHT - len(weights) - 1
    if (weights == np.floor(weights)).all() and weights.sum() < room:
        return weights
    scale = 2.0 ** np.floor(np.log2(room / weights.sum()))
    return np.round(weights * scale)


def tree_cost(task: Task, tree: Sides) -> int | None:
    """Return what a tree costs on all rows; None if a leaf has too few of them."""

    def visit(node: Sides, rows: NDArray[Any]) -> int | None:
        if node.positive is None:
            weights = task.class_weights(rows)
            if len(rows) < task.min_samples_leaf or (
                weights.sum() < task.min_weight_leaf
            ):
                return None
            return int(weights.sum() - weights.max()) * UNIT
        above, below = node.children()
        high = node.positive[task.point[rows]]
        a, b = visit(above, rows[high]), visit(below, rows[~high])
        return None if a is None or b is None else a + b + task.split_cost

    # The root alone is always allowed: there has to be some tree.
    everything = np.arange(len(task.label))
    if tree.is_leaf:
        weights = task.class_weights(everything)
        return int(weights.sum() - weights.max()) * UNIT
    return visit(tree, everything)


def cost_floor(task: Task) -> int:
    """Return what every tree costs at least, whatever its rules.

    At a point with several classes all but the heaviest are wrong, and so are the
    classes that get no leaf.
    """
    at_point = np.zeros((task.n_points, task.n_classes))
    np.add.at(at_point, (task.point, task.label), task.weight)
    mixed = at_point.sum() - at_point.max(axis=1).sum()
    n_leaves = task.max_splits + 1
    if 0 <= task.max_depth < 20:
        n_leaves = min(n_leaves, 2**task.max_depth)
    by_class = np.sort(at_point.sum(axis=0))[::-1]
    return int(max(mixed, by_class[n_leaves:].sum())) * UNIT


def leaf_of_rows(task: Task, tree: Sides) -> NDArray[np.intp]:
    """Find the leaf each row falls into, numbered from left to right."""
    leaf = np.zeros(len(task.label), dtype=np.intp)
    next_leaf = 0

    def visit(node: Sides, rows: NDArray[Any]) -> None:
        nonlocal next_leaf
        if node.positive is None:
            leaf[rows] = next_leaf
            next_leaf += 1
            return
        above, below = node.children()
        high = node.positive[task.point[rows]]
        visit(above, rows[high])
        visit(below, rows[~high])

    visit(tree, np.arange(len(task.label)))
    return leaf


def wrong_rows(task: Task, tree: Sides) -> NDArray[np.bool_]:
    """Mark the rows that are not of the heaviest class of their leaf."""
    leaf = leaf_of_rows(task, tree)
    n_leaves = tree.n_splits + 1
    weights = np.zeros((n_leaves, task.n_classes))
    np.add.at(weights, (leaf, task.label), task.weight)
    return weights.argmax(axis=1)[leaf] != task.label


def spread(
    task: Task, tree: Sides, points: NDArray[np.intp]
) -> tuple[Sides, dict[int, Surface]] | None:
    """Turn a tree over some points into one over all, by surfaces that separate those.

    Parameters
    ----------
    task : Task
    tree : Sides
        Over the given points only.
    points : array of int
        The points, in the order of the sides of `tree`.

    Returns
    -------
    (Sides, surfaces) or None
        The surfaces by the ``id`` of the new nodes' sides. None if a surface could not
        be found in floating point.
    """
    surfaces: dict[int, Surface] = {}
    degree = 0 if task.families[-1].name == "axis" else task.families[-1].degree

    def visit(node: Sides, here: NDArray[np.bool_]) -> Sides | None:
        if node.positive is None:
            return node
        side = node.positive[here]
        if side.all() or not side.any():
            # No point of the part decides; keep the subtree that has the points.
            return visit(node.children()[0 if side.all() else 1], here)
        surface = find_surface(task.X[points[here]], side, degree)
        if surface is None:
            return None
        positive = surface.values(task.X) > 0
        surfaces[id(positive)] = surface
        above = visit(node.children()[0], here & node.positive)
        below = visit(node.children()[1], here & ~node.positive)
        if above is None or below is None:
            return None
        return Sides(positive, above, below)

    whole = visit(tree, np.ones(len(points), dtype=bool))
    return None if whole is None else (whole, surfaces)


def restrict(tree: Sides, points: NDArray[np.intp]) -> Sides:
    """Reduce a tree to some of the points, without splits that no longer split them."""
    if tree.positive is None:
        return tree
    above, below = tree.children()
    side = tree.positive[points]
    if side.all() or not side.any():
        return restrict(above if side.all() else below, points)
    return Sides(side, restrict(above, points), restrict(below, points))


def run_engine(
    task: Task,
    store: Any,
    *,
    points: NDArray[np.intp] | None = None,
    split_cost: int | None = None,
    start: Sides | None = None,
    seconds: float = 0.0,
    observer: Any = None,
) -> tuple[Sides, dict[str, Any]]:
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
    answer = _core.solve_rules(
        store,
        points=np.ascontiguousarray(place),
        labels=np.ascontiguousarray(task.label[rows]),
        n_classes=task.n_classes,
        weights=np.ascontiguousarray(task.weight[rows]),
        split_cost=task.split_cost if split_cost is None else split_cost,
        max_splits=task.max_splits,
        max_depth=task.max_depth,
        min_samples_leaf=task.min_samples_leaf if points is None else 1,
        min_weight_leaf=task.min_weight_leaf if points is None else 0,
        n_threads=task.n_threads,
        time_limit=seconds,
        start=None if start is None else rules_of(store, start),
        observer=observer,
    )
    task.clock.heed(answer["status"])
    return sides_of(store, answer), answer


def sides_of(store: Any, answer: dict[str, Any]) -> Sides:
    """Read the engine's tree."""

    def visit(node: int) -> Sides:
        rule = int(answer["rule"][node])
        if rule < 0:
            return Sides()
        positive = np.asarray(store.side(rule)).astype(bool)
        above = visit(int(answer["positive"][node]))
        return Sides(positive, above, visit(int(answer["negative"][node])))

    return visit(0)


def rules_of(store: Any, tree: Sides) -> NDArray[np.int32]:
    """Write a tree as the engine reads it: its rules in preorder, -1 for a leaf."""
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
