"""What is known about the rows of a leaf: classes, smoothed shares, intervals.

The share of a class among the few rows of a leaf is a rough estimate of its probability
there. *Laplace smoothing* adds the same small count to every class, so that no class
has the probability zero. A *confidence interval* says how far the share of new rows may
lie from that of the training rows: Wilson's interval for the share of the predicted
class, Student's for the mean of a regression tree.

Both take the leaf as given. The tree was chosen to fit these very rows, so the truth is
a little less favourable than the intervals say; only held-out rows can tell how much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import plain
from treeproof.kinds import LEAF

if TYPE_CHECKING:
    from treeproof.tree.tree import Tree

__all__ = ["LeafFacts", "leaf_facts", "likely", "mean_interval", "smoothed", "wilson"]


@dataclass(frozen=True)
class LeafFacts:
    """What is known about one leaf.

    Attributes
    ----------
    node : int
        Its number in the tree.
    prediction : object
        What it predicts.
    rows : int
        Training rows in it.
    weight : float
        Their total weight.
    rows_per_class : dict or None
        Training rows of each class; None where there are no classes.
    probabilities : dict or None
        The share of the weight of each class, smoothed if asked for.
    interval : tuple of float or None
        Confidence interval for the share of the predicted class among rows such as
        these, or for the mean; None where it is not known.
    """

    node: int
    prediction: Any
    rows: int
    weight: float
    rows_per_class: dict[Any, int] | None
    probabilities: dict[Any, float] | None
    interval: tuple[float, float] | None


def leaf_facts(
    tree: Tree, *, smoothing: float = 0.0, confidence: float = 0.95
) -> list[LeafFacts]:
    """Return what is known about every leaf, from left to right.

    Parameters
    ----------
    tree : Tree
        A fitted tree.
    smoothing : float, default=0.0
        What Laplace smoothing adds to the weight of each class; 1.0 is usual.
    confidence : float, default=0.95
        Probability with which the intervals shall cover the truth.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is between 0 and 1, not {confidence:g}.")
    shares = None if tree.classes is None else smoothed(tree.value, smoothing)
    names = None if tree.classes is None else [plain(label) for label in tree.classes]
    counts = tree.rows_per_class
    found = []
    for node in np.flatnonzero(tree.kind == LEAF).tolist():
        found.append(
            LeafFacts(
                node,
                _plain_prediction(tree, node),
                int(tree.n_node_samples[node]),
                float(tree.weighted_n_node_samples[node]),
                None
                if counts is None or names is None
                else dict(zip(names, counts[node].tolist(), strict=True)),
                None
                if shares is None or names is None
                else dict(zip(names, shares[node].tolist(), strict=True)),
                interval_of(tree, node, confidence),
            )
        )
    return found


def _plain_prediction(tree: Tree, node: int) -> Any:
    said = tree.prediction(node)
    return said.tolist() if isinstance(said, np.ndarray) else plain(said)


def smoothed(weights: NDArray[np.float64], smoothing: float) -> NDArray[np.float64]:
    """Return the shares of classes in each row, after Laplace smoothing.

    Examples
    --------
    >>> smoothed(np.array([[3.0, 0.0]]), 1.0).tolist()
    [[0.8, 0.2]]
    """
    if not 0 <= smoothing < math.inf:
        raise ValueError(f"smoothing is a number >= 0, not {smoothing:g}.")
    raised = weights + smoothing
    return raised / raised.sum(axis=1, keepdims=True)


def likely(tree: Tree, node: int, smoothing: float) -> float | None:
    """Return the smoothed share of what a node predicts; None where it abstains.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
    >>> likely(clf.tree_, 1, 1.0)
    0.75
    """
    if tree.classes is None:
        raise ValueError(
            "smoothing is for trees that predict classes; leave it out for this one."
        )
    shares = smoothed(tree.value[node : node + 1], smoothing)[0]
    chosen = int(tree.action[node])
    return float(shares[chosen]) if chosen < len(shares) else None


def interval_of(
    tree: Tree, node: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Return the interval of a node's share or mean; None where it is not known."""
    n = int(tree.n_node_samples[node])
    if tree.classes is not None:
        counts, chosen = tree.rows_per_class, int(tree.action[node])
        if counts is None or chosen >= counts.shape[1]:
            return None
        return wilson(int(counts[node, chosen]), n, confidence)
    weighted = tree.weighted_n_node_samples[node] != n
    if tree.impurity is None or tree.value.shape[1] != 1 or weighted:
        return None
    if tree.actions is not None or not tree.predicts_means:
        return None
    mean, spread = float(tree.value[node, 0]), float(tree.impurity[node])
    return mean_interval(mean, spread, n, confidence)


def wilson(
    successes: int, n: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Return Wilson's score interval for a share; None without rows.

    Examples
    --------
    >>> low, high = wilson(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.596, 0.982)
    """
    from scipy.special import ndtri

    if n == 0:
        return None
    z = float(ndtri(0.5 + confidence / 2))
    share, z2 = successes / n, z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return low, high


def mean_interval(
    mean: float, variance: float, n: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Return Student's interval for a mean from the mean squared deviation of n rows.

    Examples
    --------
    >>> low, high = mean_interval(10.0, 4.0, 5)
    >>> round(low, 2), round(high, 2)
    (7.22, 12.78)
    """
    from scipy.special import stdtrit

    if n < 2:
        return None
    half = float(stdtrit(n - 1, 0.5 + confidence / 2)) * math.sqrt(variance / (n - 1))
    return mean - half, mean + half
