"""Trees with a restricted shape: directions, lists, groups and costs of columns.

Two engines search such trees. Directions of columns and lists do not depend on the
path to a node, so the search over thresholds knows them at full speed. What depends on
the path (which columns may follow which, what is paid for already) is a *state*; the
search over paths solves sets of rows in states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.arithmetic import MAX_TOTAL_WEIGHT, UNIT_COST, whole_weights
from treeproof.kinds import LEAF
from treeproof.solving.answer import Answer
from treeproof.solving.crossing import (
    labelled_table,
    search_options,
    target_problem,
)
from treeproof.tree.split_table import SplitTable

if TYPE_CHECKING:
    from treeproof.border import TrainingTable
    from treeproof.border.promises import Measurement
    from treeproof.solving.solvers import RegressionTask, Task
    from treeproof.tree import Tree

__all__ = [
    "PathRules",
    "Shape",
    "grow_in_order",
    "path_rules",
    "restrictions",
    "said_in_order",
]

_MOST_STATES = 20_000
_DEAREST = 1 << 55  # the cost of a split that never pays


@dataclass(frozen=True)
class PathRules:
    """The rules about columns on a path: states, allowed columns and costs.

    Attributes
    ----------
    next : ndarray of int32
        Shape (states, columns of the table): the state below a split on the column; -1
        if the state does not allow it. The root is in state 0.
    prices : ndarray of float64
        Shape (states, columns): what a split costs, for a row of weight 1.
    """

    next: NDArray[np.int32]
    prices: NDArray[np.float64]

    def paid(self, tree: Tree) -> float:
        """Return what a row pays on average for the columns on its path."""
        total, stack = 0.0, [(0, 0)]
        while stack:
            node, state = stack.pop()
            if tree.kind[node] == LEAF:
                continue
            column = int(tree.feature[node])
            total += self.prices[state, column] * tree.weighted_n_node_samples[node]
            below = int(self.next[state, column])
            first, n = int(tree.first_child[node]), int(tree.n_children[node])
            children = set(tree.children[first : first + n].tolist())
            stack += [(child, below) for child in children]
        return float(total / tree.weighted_n_node_samples[0])


@dataclass(frozen=True)
class Shape:
    """Restrictions of the trees of a problem.

    Attributes
    ----------
    is_list : bool
        Whether one child of every split must be a leaf.
    directions : ndarray of int32 or None
        For each column of the table, for two classes: 1 if predictions must not fall
        along it, -1 if they must not rise, 0 for neither.
    paths : PathRules or None
        Rules about the columns of a path.

    Examples
    --------
    >>> bool(Shape()), bool(Shape(is_list=True))
    (False, True)
    """

    is_list: bool = False
    directions: NDArray[np.int32] | None = None
    paths: PathRules | None = None

    def __bool__(self) -> bool:
        return self.is_list or self.directions is not None or self.paths is not None

    def engine_directions(self, table: TrainingTable) -> NDArray[np.int32] | None:
        """Return the direction of each column that the engine searches."""
        if self.directions is None:
            return None
        return np.ascontiguousarray(self.directions[table.engine.features])

    def in_header(self, header: dict[str, Any]) -> dict[str, Any]:
        """Return the header of a proof with the directions and the kind of tree."""
        header = {**header, "version": 4, "shape": "list" if self.is_list else "tree"}
        if self.directions is not None:
            pairs = zip(header["features"], self.directions.tolist(), strict=True)
            header["features"] = [{**f, "monotone": d} if d else f for f, d in pairs]
        return header

    def solve(self, task: Any, best: Answer | None = None) -> Answer:
        """Return the best tree; the best one so far, `best`, is of no use here."""
        if hasattr(task, "labels"):
            return self.solve_labels(task)
        return self.solve_targets(task)

    def solve_labels(self, task: Task) -> Answer:
        """Return the best tree for labels."""
        table = task.table
        options = search_options(task, is_list=self.is_list)
        directions = self.engine_directions(table)
        if self.paths is None:
            return _core.solve_threshold(
                labelled_table(task), options, directions=directions
            )
        weights, paid = task.weights, {}
        prices = self.paths.prices[:, table.engine.features]
        if prices.any():
            weights = _enlarged(whole_weights(task.weights))
            assert task.pays is not None
            pays = whole_weights(task.pays)
            total = float(weights.sum()) * UNIT_COST
            whole = np.minimum(prices * (total / pays.sum()), _DEAREST / pays.sum())
            charged = np.floor(whole + 0.5).astype(np.int64)
            paid = {
                "prices": charged.reshape(-1),
                "pays": pays.astype(np.int32),
                "contract": never_charges_more(
                    self.paths.next[:, table.engine.features],
                    charged,
                    table.engine.n_values > 2,
                ),
            }
        return _core.solve_path_labels(
            labelled_table(task, weights),
            options,
            directions=directions,
            **_states(self.paths, table),
            **paid,
        )

    def solve_targets(self, task: RegressionTask) -> Answer:
        """Return the best tree for numbers."""
        table, options = target_problem(task, is_list=self.is_list)
        if self.paths is None:
            return _core.solve_targets(table, options)
        return _core.solve_path_targets(
            table, options, **_states(self.paths, task.table)
        )

    def in_unit(self, factor: float) -> Shape:
        """Return the rules with costs as fractions of the engine's total weight."""
        if self.paths is None or not self.paths.prices.any():
            return self
        prices = self.paths.prices
        scaled = prices / factor if factor > 0 else (prices > 0).astype(np.float64)
        return replace(self, paths=replace(self.paths, prices=scaled))


def _states(paths: PathRules, table: TrainingTable) -> dict[str, Any]:
    """Return the states of paths and the columns that each allows."""
    below = paths.next[:, table.engine.features]
    return {
        "n_states": len(below),
        "next": np.ascontiguousarray(below, dtype=np.int32).reshape(-1),
    }


def _enlarged(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return whole weights times a power of two, so that costs lose no digits."""
    room = int(MAX_TOTAL_WEIGHT // 2 // max(int(weights.sum()), 1))
    return weights * float(1 << max(room.bit_length() - 1, 0))


def path_rules(
    n_columns: int,
    groups: Sequence[set[int]] | None,
    measurements: Sequence[Measurement],
    max_depth: int | None,
) -> PathRules:
    """Return the states that paths can be in, from groups and measurements.

    Parameters
    ----------
    n_columns : int
        Number of columns of the table.
    groups : sequence of set or None
        The columns of a path must lie in one of these; None for any.
    measurements : sequence of Measurement
        What columns cost the first time they are asked for on a path.
    max_depth : int or None
        The depth of the trees: longer paths need no states.
    """
    measured = {
        column: k
        for k, m in enumerate(measurements)
        for column in m.columns
        if m.cost > 0 or m.group is not None
    }
    start = (
        frozenset(range(len(groups))) if groups is not None else None,
        frozenset[int](),
    )
    states = {start: 0}
    rows: list[tuple[list[int], list[float]]] = []
    level, depth = [start], 0
    while level:
        following: list[Any] = []
        for left, paid in level:
            nexts, prices = [], []
            for column in range(n_columns):
                kept = left
                if left is not None and groups is not None:
                    kept = frozenset(g for g in left if column in groups[g])
                    if not kept:
                        nexts.append(-1)
                        prices.append(0.0)
                        continue
                price, now = _charge(measurements, measured.get(column), paid)
                below = (kept, now)
                if below not in states and (max_depth is None or depth < max_depth):
                    states[below] = len(states)
                    following.append(below)
                    if len(states) > _MOST_STATES:
                        raise ValueError(
                            "interaction_cst and test_costs make more than "
                            f"{_MOST_STATES} combinations of columns on a path; set a "
                            "smaller max_depth, or give fewer groups or costs."
                        )
                nexts.append(states.get(below, 0))
                prices.append(price)
            rows.append((nexts, prices))
        level, depth = following, depth + 1
    return PathRules(
        np.array([row[0] for row in rows], dtype=np.int32),
        np.array([row[1] for row in rows], dtype=np.float64),
    )


def _charge(
    measurements: Sequence[Measurement], number: int | None, paid: frozenset[int]
) -> tuple[float, frozenset[int]]:
    """Return the cost of a measurement on a path, and what is paid for after it."""
    if number is None or number in paid:
        return 0.0, paid
    own = measurements[number]
    cheaper = own.group is not None and any(
        measurements[k].group == own.group for k in paid
    )
    return (own.discounted if cheaper else own.cost), paid | {number}


def never_charges_more(
    states: NDArray[np.int32], prices: NDArray[np.int64], asked_again: NDArray[np.bool_]
) -> bool:
    """Whether a path that leaves out one of its tests never charges more for the rest.

    The search bounds the cuts between two others by this. Leaving a test of column c
    out saves its price. If c was the first of its group on the path, the discount
    moves: the next one of the group, m, is charged in full, and c is charged with the
    discount if it is tested again below m. So the path never charges more if the
    discount of m is at most the price of c, and, where c can be tested again, at most
    the discount of c. Prices are the whole numbers that the search adds, so that
    rounding is included.

    Parameters
    ----------
    states : ndarray of int32
        Shape (states, columns), as `PathRules.next`.
    prices : ndarray of int64
        Shape (states, columns): what a split costs, as the search adds it.
    asked_again : ndarray of bool
        Whether a path can have several tests of the column: it has more than two
        values.

    Examples
    --------
    Two blood tests cost 5 and 4, and 3 less where the blood is drawn already.

    >>> states = np.array([[1, 2], [1, 3], [3, 2], [3, 3]], dtype=np.int32)
    >>> prices = np.array([[5, 4], [0, 1], [2, 0], [0, 0]])
    >>> never_charges_more(states, prices, np.array([True, True]))
    True
    >>> prices[2, 0] = 4  # the first one is only 1 less after the second one
    >>> never_charges_more(states, prices, np.array([True, True]))
    False
    >>> never_charges_more(states, prices, np.array([False, True]))
    True
    """
    root, after = prices[0], states[0]
    allowed = after >= 0
    saved = np.zeros((len(root), len(root)), dtype=np.int64)
    for c in np.flatnonzero(allowed):
        together = allowed & (states[after[c]] >= 0)
        saved[c, together] = (root - prices[after[c]])[together]
    # Columns of one measurement save the whole price: each may stand for the other.
    as_one = (saved == root) & ((saved == root).T) & (saved > 0)
    np.fill_diagonal(as_one, False)
    again = asked_again | as_one.any(axis=1)
    most = np.where(again[:, np.newaxis], saved.T, root[:, np.newaxis])
    others = ~np.eye(len(root), dtype=bool)
    return bool((saved <= most)[others].all())


def grow_in_order(
    objective: Any, splits: SplitTable, directions: NDArray[np.int32]
) -> Tree:
    """Return the tree of an engine's split table; its leaves keep the directions.

    Of all predictions of two actions that do, these are the cheapest: at a split on a
    directed column, all leaves of the lower side predict the lower action, or all of
    the upper side the upper one.

    Parameters
    ----------
    objective : Objective
        What actions cost.
    splits : mapping
        The engine's split table.
    directions : ndarray of int32
        One for each column of the engine.
    """
    said = said_in_order(objective, objective.weights, splits, directions)
    tree: Tree = objective._grow(splits, _Said(objective, said))
    if not hasattr(objective, "costs"):
        tree.cost = None
    return tree


def said_in_order(
    objective: Any,
    weights: NDArray[Any],
    splits: SplitTable,
    directions: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Return the actions of the rows' leaves, the cheapest that keep the directions.

    `weights` are those of labels; tables of costs have their own gains.
    """
    gains = getattr(objective, "gains", None)
    if gains is None:
        gains = np.zeros((len(objective.labels), 2))
        gains[np.arange(len(gains)), objective.labels] = weights
    said = np.zeros(len(gains), dtype=np.int32)
    codes = objective.table.engine.codes.reshape(len(directions), -1)
    ordered = _Ordered(splits, codes, gains, directions)
    for rows, action in ordered.best(0, np.arange(len(gains)))[1]:
        said[rows] = action
    return said


@dataclass
class _Ordered:
    """The cheapest predictions of a tree that keep the directions of its columns."""

    splits: SplitTable
    codes: NDArray[np.int32]
    gains: NDArray[Any]
    directions: NDArray[np.int32]

    def lost(self, rows: NDArray[np.intp], action: int) -> Any:
        return self.gains[rows, 1 - action].sum()

    def best(
        self, node: int, rows: NDArray[np.intp]
    ) -> tuple[Any, list[tuple[NDArray[np.intp], int]]]:
        """Return the loss of the rows of a node, and the predictions of its leaves."""
        splits, lost = self.splits, self.lost
        kind, feature = int(splits["kind"][node]), int(splits["feature"][node])
        if kind == LEAF:
            action = int(lost(rows, 1) < lost(rows, 0))
            return lost(rows, action), [(rows, action)]
        first, n = int(splits["first_child"][node]), int(splits["n_children"][node])
        own = slice(first, first + n)
        column, code = self.codes[feature][rows], splits["code"][node]
        way = {1: column > code, 2: column != code, 3: column}[kind]
        parts = [rows[way == outcome] for outcome in splits["child_outcome"][own]]
        below = [
            self.best(int(child), part)
            for child, part in zip(splits["children"][own], parts, strict=True)
        ]
        direction = int(self.directions[feature])
        if direction == 0:
            return sum(b[0] for b in below), [x for b in below for x in b[1]]
        low, high = (0, 1) if direction > 0 else (1, 0)
        left = lost(parts[0], low) + below[1][0]
        right = below[0][0] + lost(parts[1], high)
        if left <= right:
            return left, [(parts[0], low), *below[1][1]]
        return right, [*below[0][1], (parts[1], high)]


class _Said:
    """The predictions of leaves are given; other nodes predict the cheapest class."""

    def __init__(self, objective: Any, said: NDArray[np.int32]) -> None:
        self._objective, self._said = objective, said
        self.actions = objective.actions
        self.measure = getattr(objective, "measure", "errors")

    def choose(self, rows: NDArray[np.intp]) -> tuple[int, float]:
        """Return the action of a node, and its mean cost."""
        said, objective = self._said[rows], self._objective
        alone = bool((said == said[0]).all())
        if not hasattr(objective, "costs"):
            action = said[0] if alone else np.argmax(objective.value(rows))
            return int(action), 0.0
        if not alone:
            action, cost = objective.choose(rows)
            return int(action), float(cost)
        weights = objective.weights[rows]
        paid = weights @ objective.costs[rows, said[0]]
        return int(said[0]), float(paid / weights.sum())


def restrictions(model: Any) -> list[str]:
    """Return the restrictions of an estimator, as a user has written them.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> restrictions(OptimalTreeClassifier(shape="list", monotonic_cst=[1]))
    ['monotonic_cst', 'shape="list"']
    """
    given = [
        name
        for name in ("monotonic_cst", "interaction_cst", "test_costs")
        if getattr(model, name, None) is not None
    ]
    if getattr(model, "shape", "tree") != "tree":
        given.append(f'shape="{model.shape}"')
    return given
