r"""The finite-time guarantee of Online-BRANCHES (Theorem 28 of the thesis).

With probability at least

.. math::

    1 - 2\,\psi\,\bigl(2 e^{-2 n \epsilon^2} + K e^{-n \delta^2 / 2}\bigr)

the search on a window of n rows ends with the optimal tree after at most n + psi
samples, where psi counts the branches of at most kappa splits and kappa bounds the
splits of any branch the search can expand. Epsilon and delta are constants of the
problem: how far the second-best tree is behind, and how clear every branch's majority
is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Guarantee", "epsilon_of_trees", "finite_time_guarantee"]


@dataclass(frozen=True)
class Guarantee:
    """The statement of Theorem 28 for one problem and window.

    Attributes
    ----------
    probability : float
        Lower bound on the probability that the tree is optimal and the samples are few
        enough; 0 where the theorem says nothing.
    max_samples : int
        The number of samples in question, n + psi.
    kappa : int
        The maximum number of splits of a branch that matters.
    branches : int
        How many such branches there are, psi.

    Examples
    --------
    >>> from treeproof.stream import Guarantee
    >>> Guarantee(probability=0.99, max_samples=11_000, kappa=3, branches=1_000).kappa
    3
    """

    probability: float
    max_samples: int
    kappa: int
    branches: int


def epsilon_of_trees(
    trees: Iterable[tuple[float, int]],
    *,
    optimal_accuracy: float,
    optimal_splits: int,
    n_categories: int,
    split_penalty: float,
) -> float:
    """Return the theorem's epsilon from the accuracies and splits of all other trees.

    Parameters
    ----------
    trees : iterable of (accuracy, splits)
        Every tree but the optimal one, on the stream's distribution.
    optimal_accuracy, optimal_splits : float, int
        Those of the optimal tree.
    n_categories : int
        Categories of each feature, at least 2.
    split_penalty : float
        Cost of a split.

    Examples
    --------
    >>> epsilon_of_trees([(0.75, 0)], optimal_accuracy=1.0, optimal_splits=1,
    ...                  n_categories=2, split_penalty=0.125)
    0.020833333333333332
    """
    best = optimal_accuracy - split_penalty * optimal_splits
    least = split_penalty / (n_categories - 1)
    for accuracy, splits in trees:
        gap = best - (accuracy - split_penalty * splits)
        least = min(gap / (2 + (n_categories - 1) * (splits + optimal_splits)), least)
    return least / 2


def finite_time_guarantee(
    window_size: int,
    *,
    n_features: int,
    n_categories: int,
    n_classes: int,
    split_penalty: float,
    optimal_splits: int,
    optimal_accuracy: float,
    epsilon: float,
    delta: float,
) -> Guarantee:
    """Bound the probability that Online-BRANCHES ends with the optimal tree.

    This is Theorem 28 of the thesis, which also says after how many rows at most.

    Parameters
    ----------
    window_size : int
        Rows in the window, n.
    n_features, n_categories, n_classes : int
        q >= 2 features with C >= 2 categories each, K classes.
    split_penalty : float
        Cost of a split, in (0, 1].
    optimal_splits, optimal_accuracy : int, float
        Splits and accuracy of the optimal tree of the stream.
    epsilon : float
        Half the least of ``gap(T) / (2 + (C - 1)(S(T) + S*))`` over all other trees T
        and of ``split_penalty / (C - 1)``; see `epsilon_of_trees`.
    delta : float
        Least difference, over all branches, between the probability of the majority
        class in the branch and that of any other class.

    Returns
    -------
    Guarantee

    Examples
    --------
    Four binary features, one of which separates two classes but for a few rows:

    >>> g = finite_time_guarantee(100_000, n_features=4, n_categories=2, n_classes=2,
    ...                           split_penalty=0.1, optimal_splits=1,
    ...                           optimal_accuracy=0.97, epsilon=0.02, delta=0.02)
    >>> g.kappa, g.branches, g.max_samples, round(g.probability, 4)
    (2, 33, 100033, 1.0)
    >>> finite_time_guarantee(1000, n_features=4, n_categories=2, n_classes=2,
    ...                       split_penalty=0.1, optimal_splits=1,
    ...                       optimal_accuracy=0.97, epsilon=0.02,
    ...                       delta=0.02).probability
    0.0
    """
    for name, value, least in (
        ("window_size", window_size, 1),
        ("n_features", n_features, 2),
        ("n_categories", n_categories, 2),
        ("n_classes", n_classes, 1),
        ("optimal_splits", optimal_splits, 0),
    ):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}.")
    if not 0 < split_penalty <= 1:
        raise ValueError(f"split_penalty must be in (0, 1], got {split_penalty}.")
    if not 0 < epsilon <= split_penalty / (2 * (n_categories - 1)):
        raise ValueError(
            "epsilon must be above 0 and at most split_penalty / 2(n_categories - 1) "
            f"= {split_penalty / (2 * (n_categories - 1)):g}, got {epsilon}."
        )
    if delta <= 0:
        raise ValueError(f"delta must be above 0, got {delta}.")
    more = n_categories - 1
    deepest = (
        (split_penalty + more * epsilon) * optimal_splits
        + 1
        - split_penalty
        - optimal_accuracy
        + 2 * epsilon
    ) / (split_penalty - more * epsilon)
    kappa = min(max(0, math.floor(deepest)) + 1, n_features)
    branches = sum(n_categories**h * math.comb(n_features, h) for h in range(kappa + 1))
    failure = (
        2
        * branches
        * (
            2 * math.exp(-2 * window_size * epsilon**2)
            + n_classes * math.exp(-window_size * delta**2 / 2)
        )
    )
    return Guarantee(max(0.0, 1 - failure), window_size + branches, kappa, branches)
