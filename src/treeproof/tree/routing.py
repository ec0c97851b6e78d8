"""Sending rows down a tree.

Rows are sent down by partitioning index arrays, node by node, so that the work per row
is one vectorised comparison per level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from treeproof.columns import Column
from treeproof.kinds import ABSENT, BY_CATEGORY, LEAF, NO, OWN, REFUSED, THRESHOLD

__all__ = ["Columns", "TreeRouting"]

NO_CHILD = -1

Columns = Sequence[NDArray[Any]] | NDArray[Any]
"""Encoded rows, column by column: numbers, or the codes of a categorical column."""


class TreeRouting:
    """Which node a row ends in, for a class that has the node table of a tree."""

    feature: NDArray[np.int32]
    kind: NDArray[np.int8]
    threshold: NDArray[np.float64]
    category: NDArray[np.int32]
    missing: NDArray[np.int8]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    children: NDArray[np.int32]
    child_outcome: NDArray[np.int32]
    columns: tuple[Column, ...]

    @property
    def node_count(self) -> int:
        """How many nodes the tree has, leaves included."""
        return len(self.kind)

    @property
    def parent(self) -> NDArray[np.int32]:
        """The parent of each node; -1 for the root."""
        parent = np.full(self.node_count, -1, dtype=np.int32)
        for node in np.flatnonzero(self.kind).tolist():
            parent[self.node_children(node)] = node
        return parent

    def slots(self, node: int) -> slice:
        """Return the slice of `children` and `child_outcome` that is this node's."""
        start = int(self.first_child[node])
        return slice(start, start + int(self.n_children[node]))

    def node_children(self, node: int) -> NDArray[np.int32]:
        """Return the children of a node, one for each slot."""
        return self.children[self.slots(node)]

    def apply(self, columns: Columns) -> NDArray[np.intp]:
        """Return the node in which each row ends.

        Parameters
        ----------
        columns : sequence of 1-D arrays
            Encoded rows column by column, as the input border makes them; for a numeric
            matrix ``X`` this is ``X.T``.

        Returns
        -------
        ndarray of shape (rows,)
            Node numbers: leaves, or the inner node at which a row with a category
            unseen there has to stop.
        """
        where = np.zeros(len(columns[0]), dtype=np.intp)
        for node, rows in self._route(columns, self.threshold):
            where[rows] = node
        return where

    def decision_path(self, columns: Columns) -> sparse.csr_matrix:
        """Return which nodes each row passes, as a 0/1 matrix (rows, nodes)."""
        where = self.apply(columns)
        parent = self.parent
        paths: dict[int, list[int]] = {}
        for node in np.unique(where):
            path, step = [], int(node)
            while step >= 0:
                path.append(step)
                step = int(parent[step])
            paths[int(node)] = path[::-1]
        lengths = np.zeros(self.node_count, dtype=np.int64)
        for node, path in paths.items():
            lengths[node] = len(path)
        indptr = np.concatenate([[0], np.cumsum(lengths[where])])
        indices = (
            np.concatenate([paths[int(node)] for node in where])
            if len(where)
            else np.zeros(0, dtype=np.intp)
        )
        return sparse.csr_matrix(
            (np.ones(len(indices), dtype=np.int64), indices, indptr),
            shape=(len(where), self.node_count),
        )

    def _route(
        self, columns: Columns, threshold: NDArray[Any]
    ) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Yield every node that rows reach, with those rows; parents come first."""
        stack = [(0, np.arange(len(columns[0])))]
        while stack:
            node, rows = stack.pop()
            yield node, rows
            if self.kind[node] == LEAF or len(rows) == 0:
                continue
            feature = int(self.feature[node])
            x = columns[feature][rows]
            if self.kind[node] in BY_CATEGORY:
                stack.extend(self._route_by_category(node, x, rows))
                continue
            outcome = self._outcome(node, x, threshold[node])
            slots = self.slots(node)
            for child, own in zip(
                self.children[slots], self.child_outcome[slots], strict=True
            ):
                # Several times as fast as indexing by the mask itself.
                stack.append((int(child), rows.take(np.flatnonzero(outcome == own))))

    def _outcome(self, node: int, x: NDArray[Any], threshold: Any) -> NDArray[Any]:
        """Return the outcome of a binary test for each value."""
        feature, kind = int(self.feature[node]), self.kind[node]
        if kind == ABSENT:
            return (~self.is_gone(feature, x)).astype(np.int8)
        if kind == THRESHOLD:
            # Compare as doubles: a float32 column against a double threshold must not
            # round the threshold.
            no = ~(x.astype(np.float64, copy=False) <= threshold)
        else:
            no = x != self.category[node]
        outcome = no.astype(np.int8)
        if self.missing[node] not in (REFUSED, NO):  # no comparison holds for NaN
            outcome[self.is_gone(feature, x)] = self.missing[node]
        return outcome

    def is_gone(self, feature: int, x: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which of the encoded values of a column are missing."""
        column = self.columns[feature]
        if column.categories is not None:
            return np.asarray(x == column.missing_code)
        if x.dtype.kind == "f":
            return np.isnan(x)
        return np.zeros(len(x), dtype=bool)

    @cached_property
    def meets_missing(self) -> NDArray[np.bool_]:
        """Which nodes a missing value of the column they test can come to.

        Only columns that had missing values count, and not below a split that has
        sent those another way.
        """
        meets = np.zeros(self.node_count, dtype=bool)
        stack: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
        while stack:
            node, excluded = stack.pop()
            if self.kind[node] == LEAF:
                continue
            feature = int(self.feature[node])
            column = self.columns[feature]
            meets[node] = column.has_missing and feature not in excluded
            own = column.missing_code if self.kind[node] in BY_CATEGORY else OWN
            gone = own if self.missing[node] == OWN else int(self.missing[node])
            slots = self.slots(node)
            to_missing = set(self.children[slots][self.child_outcome[slots] == gone])
            for child in set(self.children[slots].tolist()):
                less = excluded if child in to_missing else excluded | {feature}
                stack.append((child, less))
        return meets

    def _route_by_category(
        self, node: int, x: NDArray[Any], rows: NDArray[np.intp]
    ) -> Iterator[tuple[int, NDArray[np.intp]]]:
        slots = self.slots(node)
        categories = self.columns[self.feature[node]].categories
        assert categories is not None
        # Two entries more than there are categories: the first is for missing values,
        # and the code -1 of an unseen category finds the last one.
        child_of_code = np.full(len(categories) + 2, NO_CHILD, dtype=np.int32)
        child_of_code[self.child_outcome[slots]] = self.children[slots]
        child_of_row = child_of_code[x]
        order = np.argsort(child_of_row, kind="stable")
        targets, starts = np.unique(child_of_row[order], return_index=True)
        for child, part in zip(targets, np.split(order, starts[1:]), strict=True):
            if child != NO_CHILD:
                yield int(child), rows[part]
