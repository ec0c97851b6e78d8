r"""Any table of costs, searched as labels with weights.

Row i costs c[i, a] if its leaf takes the action a. Let m[i] be the greatest of row i's
costs and g[i, a] = m[i] - c[i, a] >= 0 its *gains*. A leaf with the rows S costs

    min over a of sum c[i, a]  =  sum m[i]  -  max over a of sum g[i, a].

Give an engine, for each row and each action with a positive gain, one copy of the row
with the label a and the weight g[i, a]. Copies of one row have equal values in all
columns, so no tree parts them, and the weight that a leaf of copies misclassifies is

    sum over a of sum g[i, a]  -  max over a of sum g[i, a],

which differs from the cost by a number that does not depend on the tree. So a tree is
best for the costs if and only if it is best for the labelled copies, every bound of
every engine holds, and so does every proof. A row needs at most as many copies as there
are actions but one; with two actions it has one copy, whose weight is what the better
action saves.

Gains become whole numbers once, as weights of rows do: whole gains of moderate size
stay as they are, others are multiplied by a power of two and rounded.

A row for which all actions cost the same would have no copy, and engines would not see
the children that it makes, which cost penalties. It gets the gain 1 for every action,
as if it cost more by that whatever is done.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof import _core
from treeproof.objectives.objective import Objective, Units
from treeproof.tree import LEAF, Tree

if TYPE_CHECKING:
    from treeproof.border import TrainingTable
    from treeproof.tree.split_table import SplitTable

__all__ = ["Costs", "Told"]

_MOST_WEIGHT = 1 << 30  # upper limit of the total weight of the engines


@dataclass(frozen=True)
class Told:
    """How a table of costs was given; proofs state the costs in this form.

    Attributes
    ----------
    matrix : ndarray of shape (classes, actions) or None
        The costs of each class, if the costs of a row depend on its class alone.
    abstain_cost : float or None
        The cost of the last action for every row, if it was given separately.
    class_factors : ndarray of shape (classes,) or None
        Factors of the classes in the rows' weights; None if classes do not matter.

    Examples
    --------
    >>> Told(abstain_cost=0.3)
    Told(matrix=None, abstain_cost=0.3, class_factors=None)
    """

    matrix: NDArray[np.float64] | None = None
    abstain_cost: float | None = None
    class_factors: NDArray[np.float64] | None = None


class Costs(Objective):
    """The cost of the actions that the leaves take, for any table of costs.

    Parameters
    ----------
    table : TrainingTable
        The rows.
    weights : ndarray of shape (rows,)
        Their weights, all positive.
    costs : ndarray of shape (rows, actions)
        What each action costs for each row, for a weight of one; finite.
    actions : ndarray of shape (actions,)
        What a leaf may predict or choose.
    classes, labels : ndarray or None
        The classes, and each row's, if the rows have any.
    samples : ndarray of shape (rows,) or None
        How many rows of the user's table each of them stands for; None for one.
    measure : {"cost", "reward"}
        Whether costs are costs, or rewards with the opposite sign.
    told : Told
        How the costs were given.

    Examples
    --------
    >>> from treeproof.border import read_training_table
    >>> table = read_training_table([[0], [1], [2]])
    >>> costs = np.array([[0.0, 2.0], [1.0, 0.0], [3.0, 0.0]])
    >>> objective = Costs(table, np.ones(3), costs, np.array(["wait", "act"]))
    >>> objective.gains.tolist()
    [[2, 0], [0, 1], [0, 3]]
    >>> action, cost = objective.choose(np.arange(3))
    >>> print(objective.actions[action], round(cost, 3))
    act 0.667
    """

    def __init__(
        self,
        table: TrainingTable,
        weights: NDArray[np.float64],
        costs: NDArray[np.float64],
        actions: NDArray[Any],
        *,
        classes: NDArray[Any] | None = None,
        labels: NDArray[np.int32] | None = None,
        samples: NDArray[np.int64] | None = None,
        measure: str = "cost",
        told: Told | None = None,
    ) -> None:
        self.table, self.weights, self.samples = table, weights, samples
        self.costs, self.actions = costs, actions
        self.classes, self.labels, self.measure = classes, labels, measure
        self.told = Told() if told is None else told
        self._total = float(np.cumsum(weights)[-1])  # in order, as checkers add them
        worst = costs.max(axis=1)
        gains = (worst[:, None] - costs) * weights[:, None]
        self.scale, self.gains = _whole(gains)
        rounding = np.abs(gains - self.gains / self.scale).max(axis=1).sum()
        flat = ~self.gains.any(axis=1)
        if not flat.all():
            self.gains[flat] = 1
        self.engine_total = int(self.gains.sum())
        engine = self.engine_total / self.scale
        raised = np.count_nonzero(flat) / self.scale if self.engine_total else 0.0
        base = float((weights * worst).sum()) + raised - engine
        self.units = Units(
            factor=engine / self._total if self.engine_total else 1.0,
            offset=base / self._total,
            slack=float(rounding) / self._total,
        )

    @property
    def unit(self) -> float:
        """The precision to which costs of a row are rounded, for a weight of one."""
        return 0.0 if self.units.slack == 0 else 1.0 / self.scale

    def question(self, min_samples_leaf: int) -> dict[str, Any]:
        """Return the labelled copies of the rows.

        If leaves have a minimum number of rows, every row has the same number of
        copies, some with weight zero, and the minimum is multiplied by that number.
        """
        copies = 1
        if self.engine_total == 0:  # every action costs the same for every row
            rows = np.arange(len(self.gains))
            labels, weights = np.zeros(len(rows), np.int64), np.ones(len(rows))
        elif min_samples_leaf > 1:
            copies = max(1, int((self.gains > 0).sum(axis=1).max()))
            best = np.argsort(-self.gains, axis=1, kind="stable")[:, :copies]
            rows = np.repeat(np.arange(len(self.gains)), copies)
            labels = best.reshape(-1)
            weights = self.gains[rows, labels].astype(np.float64)
        else:
            rows, labels = np.nonzero(self.gains)
            weights = self.gains[rows, labels].astype(np.float64)
        table = self.table
        # a row pays for tests once, however many copies it has
        first = np.concatenate([[True], rows[1:] != rows[:-1]])
        if not np.array_equal(rows, np.arange(table.n_rows)):
            table = replace(table, codes=np.ascontiguousarray(table.codes[:, rows]))
        return {
            "table": table,
            "labels": labels.astype(np.int32),
            "n_classes": len(self.actions),
            "weights": weights,
            "samples": None,
            "min_samples_leaf": min_samples_leaf * copies,
            "pays": np.where(first, self.weights[rows], 0.0),
        }

    def choose(self, rows: NDArray[np.intp]) -> tuple[int, float]:
        """Return the action of the greatest gain, and its mean cost."""
        action = int(np.argmax(self.gains[rows].sum(axis=0)))
        weights = self.weights[rows]
        return action, float(weights @ self.costs[rows, action] / weights.sum())

    def value(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the weight of each class; without classes the mean rewards."""
        weights = self.weights[rows]
        if self.labels is None or self.classes is None:
            mean = weights @ self.costs[rows] / weights.sum()
            return 0.0 - mean if self.measure == "reward" else mean
        return np.bincount(
            self.labels[rows], weights, minlength=len(self.classes)
        ).astype(np.float64)

    def grow(self, splits: SplitTable) -> Tree:
        """Complete an engine's split table; leaves take their cheapest action."""
        return self._grow(splits, self)

    def loss(self, tree: Tree) -> float:
        """Return the mean cost of a row."""
        assert tree.cost is not None
        leaves = tree.kind == LEAF
        weights = tree.weighted_n_node_samples[leaves]
        return float((weights * tree.cost[leaves]).sum() / self._total)


def _whole(gains: NDArray[np.float64]) -> tuple[float, NDArray[np.int64]]:
    """Return gains as whole numbers, and the factor they were multiplied by.

    Their sum stays small enough for the engines to use them without scaling.
    """
    positive = gains[gains > 0]
    scale = float(_core.weight_scale(positive)) if len(positive) else 1.0
    while True:
        whole = np.floor(gains * scale + 0.5).astype(np.int64)
        if whole.sum() < _MOST_WEIGHT - gains.size - 1 or scale < np.finfo(float).tiny:
            return scale, whole
        scale /= 2
