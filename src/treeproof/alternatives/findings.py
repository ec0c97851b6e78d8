"""Answers to questions about all trees within a margin."""

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
        The least and the greatest share of the weight on which a tree of the set
        predicts what was given.
    closest, farthest : NearTree
        Trees that agree so much, the cheapest of them.
    """

    least: float
    most: float
    closest: NearTree
    farthest: NearTree


@dataclass(frozen=True)
class Extremes:
    """The least and the greatest sum over rows that trees of the set have.

    Attributes
    ----------
    least, most : float
        The sums.
    least_tree, most_tree : NearTree
        Trees that have them, the cheapest ones.
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
        The least and the greatest loss of a tree when the column is shuffled.
    use : float
        The share of the trees that test the column.
    least_tree, most_tree : NearTree
        Trees that rely on it so much, the cheapest ones.
    """

    least: float
    most: float
    use: float
    least_tree: NearTree
    most_tree: NearTree


@dataclass(frozen=True, eq=False)
class Disagreement:
    """What trees of the set predict for each training row.

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
        """How much more the cheapest tree costs that predicts another class."""
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
        The cheapest tree that has it.
    """

    difference: float
    rates: dict[Any, float]
    tree: NearTree


@dataclass(frozen=True)
class Asking:
    """The tree of the set whose columns cost least to know.

    Attributes
    ----------
    cost : float
        What a row pays in the mean.
    tree : NearTree
        The cheapest tree that has it.
    """

    cost: float
    tree: NearTree
