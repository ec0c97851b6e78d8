"""One table of lifetimes, ready to be solved: how trees on it get their values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border import RegressionData, TrainingTable
from treeproof.border.lifetimes import Lifetimes
from treeproof.solving.leaf_fit import LeafFit
from treeproof.survival.curves import StepFunction, kaplan_meier
from treeproof.tree import LEAF, Tree
from treeproof.tree.growing import grow

__all__ = ["LifetimeProblem"]


class LifetimeProblem:
    """One table of lifetimes, and how trees on it get their values."""

    def __init__(
        self,
        data: RegressionData,
        leaf: LeafFit,
        rows: Lifetimes,
        weights: NDArray[np.float64],
    ) -> None:
        self.data, self.leaf, self.rows, self.weights = data, leaf, rows, weights

    def grow(self, splits: Any) -> tuple[Tree, float]:
        """Return the tree with its risks, and the loss of its leaves."""
        table = self.data.table

        tree = grow(
            splits,
            table,
            weights=self.weights,
            value=self.leaf.value_and_losses,
        )
        loss = float(tree.value[tree.kind == LEAF, 1].sum())
        tree.impurity = tree.value[:, 2].copy()
        tree.value = tree.value[:, :1].copy()
        tree.measure = "risk"
        tree.predicts_means = False
        return tree, loss

    def curves(self, tree: Tree) -> dict[int, StepFunction]:
        """Return the Kaplan-Meier curve of the rows of every leaf."""
        leaf = tree.apply(_columns_of(self.data.table, set(tree.used_columns)))
        return {
            int(node): kaplan_meier(
                self.rows.take(leaf == node), self.weights[leaf == node]
            )
            for node in np.flatnonzero(tree.kind == LEAF)
        }


def _columns_of(table: TrainingTable, used: set[int]) -> list[NDArray[Any]]:
    """Return the training rows as trees see them: numbers, codes of categories.

    Columns that the tree does not use remain codes.
    """
    return [
        np.append(values, np.nan)[codes]
        if k in used and not column.is_categorical
        else codes
        for k, (codes, values, column) in enumerate(
            zip(table.codes, table.distinct, table.columns, strict=True)
        )
    ]
