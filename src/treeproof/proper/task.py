"""The task of a search for an oblique tree: rows at points, limits and a clock.

Costs are whole numbers, as in the native engine: 2^20 for each unit of weight. Rows at
the same place are one point; a rule is known by the points on its positive side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.arithmetic import UNIT_COST
from treeproof.proper.family import Family


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
        """Return a share of the remaining time; 0 means no limit to the engine."""
        if self.seconds is None:
            return 0.0
        return max(share * self.remaining(), 1e-3)

    def end(self, grace: float = 0.0) -> float:
        """Return when `time.monotonic()` ends the search, but not before `grace`."""
        if self.seconds is None:
            return np.inf
        return max(self.start + self.seconds, time.monotonic() + grace)

    def over(self) -> bool:
        """Return whether the search has to end."""
        return self.interrupted or self.remaining() <= 0

    def heed(self, status: str) -> None:
        """Record that a call of the engine was interrupted."""
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
        Whole numbers; see `treeproof.arithmetic.whole_weights`.
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
        return int(self.weight.sum()) * UNIT_COST

    def class_weights(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Weight of each class among some rows."""
        return np.bincount(
            self.label[rows], self.weight[rows], minlength=self.n_classes
        ).astype(np.float64)

    def report(self, lower: int, upper: int) -> None:
        """Report the bounds for all rows to the observer."""
        if self.observer is not None:
            unit = self.unit
            self.observer(
                0, self.clock.elapsed(), max(lower, 0) / unit, upper / unit, 0
            )


def cost_floor(task: Task) -> int:
    """Return a cost that every tree has, whatever its rules.

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
    return int(max(mixed, by_class[n_leaves:].sum())) * UNIT_COST
