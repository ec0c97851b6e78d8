"""Questions to all trees within a margin, answered exactly without listing them.

Every answer is a sum over rows and splits whose least and greatest values the engine
finds over the whole set (cpp/search/near/extremes.hpp), with a tree that has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.alternatives.near_tree import NearTree

if TYPE_CHECKING:
    from treeproof.alternatives.result import NearOptimalSet

__all__ = ["Agreement", "agreement", "closest", "largest", "smallest"]


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


def smallest(trees: NearOptimalSet) -> NearTree:
    """Return a tree with the fewest splits, the cheapest of them."""
    return _extreme(trees, None, 1)[1]


def largest(trees: NearOptimalSet) -> NearTree:
    """Return a tree with the most splits, the cheapest of them."""
    return _extreme(trees, None, -1)[1]


def closest(trees: NearOptimalSet, to: Any) -> NearTree:
    """Return the tree that differs from given predictions on the fewest rows."""
    return _extreme(trees, _differences(trees, to), 0)[1]


def agreement(trees: NearOptimalSet, rules: Any) -> Agreement:
    """Return how far the trees agree with given predictions."""
    differs = _differences(trees, rules)
    total = int(differs.max(axis=1).sum()) or 1
    few, near = _extreme(trees, differs, 0)
    many, far = _extreme(trees, -differs, 0)
    return Agreement(1 + many / total, 1 - few / total, near, far)


def _extreme(
    trees: NearOptimalSet, values: NDArray[np.int64] | None, of_split: int
) -> tuple[int, NearTree]:
    """Return the least sum over a set that was counted, and the tree that has it."""
    trees._check_whole()
    problem = trees._question.problem
    least, cost, splits = trees._found.family.least_sum(
        *trees._question.columns,
        problem.task.table.engine.codes,
        values,
        of_split,
    )
    return least, problem.grow(splits, cost)


def _differences(trees: NearOptimalSet, rules: Any) -> NDArray[np.int64]:
    """Return for each row and class the weight of the row if the rules say another."""
    task = trees._question.problem.task
    objective = getattr(task, "objective", None)
    if objective is None or objective.classes is None:
        raise ValueError(
            "Trees are compared with predictions of classes; a regressor has none."
        )
    classes = np.asarray(objective.actions)
    said = np.asarray(rules).ravel()
    if len(said) != len(objective.weights):
        raise ValueError(
            f"There are {len(said)} predictions and {len(objective.weights)} training "
            "rows; give one prediction for each row, such as rules.predict(X)."
        )
    unknown = ~np.isin(said, classes)
    if unknown.any():
        raise ValueError(
            f"The prediction {said[unknown][0]!r} is not one of the classes "
            f"{', '.join(map(str, classes.tolist()))}."
        )
    weights = whole_numbers(objective.weights)
    differs: NDArray[np.int64] = (said[:, None] != classes[None, :]) * weights[:, None]
    return np.ascontiguousarray(differs)


def whole_numbers(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights as whole numbers, rounded to a billionth of their sum.

    Examples
    --------
    >>> whole_numbers(np.array([1.0, 2.0])).tolist()
    [1, 2]
    """
    if (weights == np.floor(weights)).all():
        return weights.astype(np.int64)
    return np.round(weights / weights.sum() * 2**30).astype(np.int64)
