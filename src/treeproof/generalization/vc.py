"""The VC dimension of decision stumps and trees.

A class of trees shatters m rows iff it makes every 2-partition of them, and there are
2^(m-1) - 1 (Leboeuf et al. 2020, Eq. 5). Theorem 7 is an equality where that is decided
for stumps, which gives their VC dimension exactly (Corollary 8). For larger trees, the
first m at which the bound of Theorem 9 falls below 2^(m-1) - 1 cannot be shattered, nor
can any larger one, because subsets of a shattered set are shattered (Appendix D).
"""

from __future__ import annotations

import math
from typing import Any

from scipy.special import lambertw

from treeproof.generalization.checks import check_count
from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.partitioning import PartitioningFunctions
from treeproof.generalization.structure import TreeStructure

__all__ = ["vc_dimension_asymptotic", "vc_dimension_bound", "vc_dimension_stump"]


def vc_dimension_stump(n_features: int) -> int:
    """Return the VC dimension of decision stumps on real-valued features, exactly.

    It is the largest d with 2 * n_features >= binom(d, d // 2) (Corollary 8).

    Parameters
    ----------
    n_features : int
        The number of real-valued features.

    Returns
    -------
    int

    Examples
    --------
    >>> [vc_dimension_stump(n) for n in (1, 2, 3, 5, 10, 18, 35)]
    [2, 3, 4, 5, 6, 7, 8]
    """
    n_features = check_count("n_features", n_features)
    d = 1
    while 2 * n_features >= math.comb(d + 1, (d + 1) // 2):
        d += 1
    return d


def vc_dimension_bound(structure: Any, n_features: int | FeatureSpace) -> int:
    """Return an upper bound on the VC dimension of the trees of one shape.

    Algorithm 2 of the paper: the largest m up to which the bound of Theorem 9 allows
    every 2-partition. For a stump on real-valued features it is the VC dimension
    itself.

    Parameters
    ----------
    structure : TreeStructure or tree
        Anything `TreeStructure.of` takes.
    n_features : int or FeatureSpace
        The number of real-valued features; a FeatureSpace for mixed ones.

    Returns
    -------
    int

    Notes
    -----
    The comparison runs on logarithms. Should it ever be closer than 1e-6, the integers
    are compared instead, so the result is that of exact arithmetic.

    Examples
    --------
    >>> vc_dimension_bound(((), ()), 10), vc_dimension_bound(((), ((), ())), 10)
    (6, 16)
    """
    shape = TreeStructure.of(structure)
    space = FeatureSpace.of(n_features)
    if shape.is_leaf:
        return 1
    logs = PartitioningFunctions(space, 2, "sum", exact=False)
    integers = PartitioningFunctions(space, 2, "sum", exact=True)
    m = 1
    while _may_shatter(shape, m + 1, logs, integers):
        m += 1
    return m


def _may_shatter(
    shape: TreeStructure,
    m: int,
    logs: PartitioningFunctions,
    integers: PartitioningFunctions,
) -> bool:
    """Return whether the bound allows all 2-partitions of m rows."""
    log_all = (m - 1) * math.log(2) + math.log1p(-(2.0 ** (1 - m)))
    log_bound = float(logs.vector(shape, m)[1])
    if log_bound < log_all - 1e-6:
        return False
    # The bound never exceeds the number of all partitions: it is equal to it or less.
    # Logarithms are rounded, so a bound that is less by no more than the rounding error
    # may be equal.
    if m <= 64 or log_bound < log_all:
        return bool(integers.vector(shape, m)[1] == 2 ** (m - 1) - 1)
    return True


def vc_dimension_asymptotic(n_nodes: int, n_features: int) -> float:
    r"""Return a closed form that bounds the VC dimension (Corollary 10).

    The 2-partitioning function of a tree with :math:`N` internal nodes on
    :math:`\ell` real-valued features is at most :math:`(14 m \ell)^N`, so the VC
    dimension is at most the largest :math:`m` with
    :math:`(14 m \ell)^N \ge 2^{m-1} - 1`: in order :math:`N \log(N \ell)`. The value
    returned solves the slightly weaker :math:`4 (14 m \ell)^N = 2^m` with Lambert's
    function; it is an upper bound for every shape with :math:`N` nodes, above
    `vc_dimension_bound` and immediate to compute.

    Parameters
    ----------
    n_nodes : int
        Internal nodes of the tree.
    n_features : int
        The number of real-valued features.

    Returns
    -------
    float

    Examples
    --------
    >>> round(vc_dimension_asymptotic(1, 10), 1), round(vc_dimension_asymptotic(39, 10))
    (12.8, 644)
    """
    n_nodes = check_count("n_nodes", n_nodes, least=0)
    n_features = check_count("n_features", n_features)
    if n_nodes == 0:
        return 1.0
    scale = 14 * n_features * n_nodes * 4 ** (1 / n_nodes)
    solution = lambertw(-math.log(2) / scale, k=-1).real
    return float(-n_nodes / math.log(2) * solution)
