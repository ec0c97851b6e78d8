"""The common interface of objectives with finitely many actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.tree import Tree
from treeproof.tree.growing import grow

if TYPE_CHECKING:
    from treeproof.border import TrainingTable
    from treeproof.solving.answer import Answer
    from treeproof.solving.observers import Observer
    from treeproof.tree.split_table import SplitTable

__all__ = ["Objective", "Units"]


@dataclass(frozen=True)
class Units:
    """Conversion of an engine's costs to the user's unit.

    A fraction f is ``factor * f + offset``. Costs are rounded once, before the search;
    a bound that was computed from rounded costs holds for the given ones after
    `slack` is taken off.

    Examples
    --------
    >>> Units(factor=20.0, offset=1.5).stated(0.25)
    6.5
    """

    factor: float = 1.0
    offset: float = 0.0
    slack: float = 0.0

    def stated(self, fraction: float) -> float:
        """Return the cost that a fraction of the engine's total weight stands for."""
        return self.factor * fraction + self.offset

    def engine_penalty(self, penalty: float) -> float:
        """Return a penalty in the engine's fractions; above 1 no split can pay."""
        return min(penalty / self.factor, 1.0) if self.factor > 0 else 1.0

    def translate(self, found: Answer) -> Answer:
        """Return an engine's answer in the user's unit."""
        unit = found["unit"] if self.factor == 1.0 else found["unit"] / self.factor
        return {**found, "unit": unit, "offset": self.offset, "slack": self.slack}

    def listening(self, observer: Observer) -> Observer:
        """Return an observer that reports costs in the user's unit."""
        if self == Units():
            return observer

        def tell(kind: int, seconds: float, low: float, high: float, n: int) -> None:
            observer(kind, seconds, self.stated(low), self.stated(high), n)

        return tell


class Objective(ABC):
    """One objective on one table: the problem for the engines, and the predictions.

    Attributes
    ----------
    table : TrainingTable
        The rows.
    weights : ndarray of float64
        Their weights.
    samples : ndarray of int64 or None
        How many rows of the user's table each of them stands for; None for one.
    classes : ndarray or None
        The class labels, if rows have classes.
    actions : ndarray
        What a leaf may predict or choose.
    units : Units
        How costs are stated.

    Examples
    --------
    >>> from treeproof.objectives import Costs, Labels
    >>> issubclass(Costs, Objective), issubclass(Labels, Objective)
    (True, True)
    """

    table: TrainingTable
    weights: NDArray[np.float64]
    samples: NDArray[np.int64] | None
    classes: NDArray[Any] | None
    actions: NDArray[Any]
    units: Units

    @abstractmethod
    def question(self, min_samples_leaf: int) -> dict[str, Any]:
        """Return the labelled rows that engines search, and their least leaf."""

    @abstractmethod
    def value(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what a node with these rows keeps: class weights or mean rewards."""

    @abstractmethod
    def grow(self, splits: SplitTable) -> Tree:
        """Complete an engine's split table with node values and actions."""

    @abstractmethod
    def loss(self, tree: Tree) -> float:
        """Return what a tree costs without its penalties."""

    def grow_costed(self, splits: SplitTable) -> tuple[Tree, float]:
        """Return the tree of an engine's split table, and its loss."""
        tree = self.grow(splits)
        return tree, self.loss(tree)

    def _grow(self, splits: SplitTable, choice: Any) -> Tree:
        return grow(
            splits,
            self.table,
            weights=self.weights,
            value=self.value,
            classes=self.classes,
            samples=self.samples,
            choice=choice,
            labels=getattr(self, "labels", None),
        )
