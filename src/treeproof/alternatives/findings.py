"""The answers to questions about all trees within a margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.alternatives.near_tree import NearTree

__all__ = [
    "Agreement",
    "Asking",
    "Disagreement",
    "Extremes",
    "Fairness",
    "Reliance",
]


@dataclass(frozen=True)
class Agreement:
    """How far trees agree with given predictions, on the training rows.

    Attributes
    ----------
    least, most : float
        The least and the greatest share of the training weight on which a tree of the
        set makes the given predictions.
    closest, farthest : NearTree
        The cheapest trees with this agreement.
    """

    least: float
    most: float
    closest: NearTree
    farthest: NearTree


@dataclass(frozen=True)
class Extremes:
    """The least and the greatest value that a sum over rows has for a tree of the set.

    Attributes
    ----------
    least, most : float
        The sums.
    least_tree, most_tree : NearTree
        The cheapest trees that have these sums.
    """

    least: float
    most: float
    least_tree: NearTree
    most_tree: NearTree


@dataclass(frozen=True)
class Reliance:
    """How much trees of the set rely on a column.

    Attributes
    ----------
    least, most : float
        The least and the greatest loss of a tree if the column is shuffled.
    use : float
        The share of the trees that test the column.
    least_tree, most_tree : NearTree
        The cheapest trees that have these losses.
    """

    least: float
    most: float
    use: float
    least_tree: NearTree
    most_tree: NearTree


@dataclass(frozen=True, eq=False)
class Disagreement:
    """The predictions that trees of the set make for each training row.

    Attributes
    ----------
    classes : ndarray of shape (classes,)
        The classes that a tree may predict.
    objectives : ndarray of shape (rows, classes)
        The cost of the cheapest tree that predicts the class; infinite if none does.
    """

    classes: NDArray[Any]
    objectives: NDArray[np.float64]

    @property
    def disputed(self) -> NDArray[np.bool_]:
        """The rows for which trees of the set predict different classes."""
        return np.isfinite(self.objectives).sum(axis=1) > 1

    @property
    def gap(self) -> NDArray[np.float64]:
        """For each row, the least additional cost of a tree with another prediction."""
        two = np.sort(self.objectives, axis=1)[:, :2]
        if two.shape[1] < 2:
            return np.full(len(two), np.inf)
        gap: NDArray[np.float64] = two[:, 1] - two[:, 0]
        return gap


@dataclass(frozen=True)
class Fairness:
    """The tree of the set whose rates differ least between two groups.

    Attributes
    ----------
    difference : float
        The difference of the rates.
    rates : dict
        The rate of each group.
    tree : NearTree
        The cheapest tree with this difference.
    """

    difference: float
    rates: dict[Any, float]
    tree: NearTree


@dataclass(frozen=True)
class Asking:
    """The tree of the set whose columns are cheapest to measure.

    Attributes
    ----------
    cost : float
        The mean cost of the columns that are tested for a row.
    tree : NearTree
        The cheapest tree with this mean cost.
    """

    cost: float
    tree: NearTree
