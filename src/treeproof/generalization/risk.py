"""A bound on the true risk of a tree, from its training errors and its shape.

Theorem 2.3 of Shawe-Taylor, Bartlett, Williamson and Anthony (1998), with the growth
function in the place of Sauer's lemma as in Leboeuf et al. (2020), Eq. (8): with
probability at least 1 - delta over a sample of m rows, every tree t of every structure
T has, with k its errors on the sample,

    R(t) <= (2 k + 4 ln(4 tau_T(2 m) / (delta q_k p_T))) / m.

The priors q over numbers of errors and p over structures sum to at most one and are
fixed before the data is seen. Because the statement holds for all trees at once, a tree
may be chosen in any way, also by looking at the bound: that is what `prune` and
`select_by_bound` do.

* p_T = 6 / (pi^2 L^2) / (number of shapes with L leaves): sizes by an inverse square,
  all shapes of a size alike. Shapes are counted by Wedderburn-Etherington numbers, or,
  where the features allow splits into more than two, with all arities.
* q_k = (1 - r) r^k. A small r penalises errors. The bound is loose in the growth
  function, not in the errors, and r = 2^-13.7, which the paper found by
  cross-validation on one data set, restores the balance for *choosing* trees. It makes
  the value itself larger: for a value to quote, r = 1/2 or so gives a smaller one.

The value often exceeds 1 and then guarantees nothing; `rows_needed` says how many rows
would change that. Differences between trees remain meaningful as a complexity penalty.
"""

from __future__ import annotations

import math
from typing import Any

from treeproof.generalization.checks import (
    check_count,
    check_delta,
    check_method,
    check_r,
)
from treeproof.generalization.counting import (
    log_multiway_shapes,
    log_wedderburn_etherington,
)
from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.growth import GrowthFunctions
from treeproof.generalization.partitioning import Method, check_work
from treeproof.generalization.structure import TreeStructure

__all__ = ["PAPER_R", "RiskBound", "log_structure_prior", "risk_bound", "rows_needed"]

PAPER_R = 2**-13.7
"""The ratio of the error prior found in the paper by cross-validation on wine."""


def log_structure_prior(n_leaves: int, *, any_arity: bool = False) -> float:
    """Return the logarithm of p_T for a structure with this many leaves.

    Parameters
    ----------
    n_leaves : int
        Leaves of the structure.
    any_arity : bool
        Spread over all shapes rather than the binary ones.
    """
    shapes = log_multiway_shapes if any_arity else log_wedderburn_etherington
    return math.log(6 / math.pi**2) - 2 * math.log(n_leaves) - shapes(n_leaves)


class RiskBound:
    """The risk bound for fixed rows, features and classes, remembered by shape.

    It is Equation 8 of the paper; `risk_bound` computes it once.

    Parameters
    ----------
    m : int
        The number of training rows.
    features : int or FeatureSpace
        What the trees may test.
    n_classes : int
        The number of classes.
    delta : float
        The probability with which the bound may fail.
    r : float
        The ratio of the geometric prior on the number of errors.
    method : {"fast", "sum"}
        How the growth function is evaluated.

    Examples
    --------
    >>> bound = RiskBound(m=1000, features=4, n_classes=2, r=0.5)
    >>> round(bound(errors=10, structure=((), ())), 3)
    0.114
    """

    def __init__(
        self,
        m: int,
        features: int | FeatureSpace,
        n_classes: int,
        delta: float = 0.05,
        r: float = PAPER_R,
        method: Method = "fast",
    ) -> None:
        self.m = check_count("m", m)
        self.space = FeatureSpace.of(features)
        self.delta = check_delta(delta)
        self.r = check_r(r)
        self.growth = GrowthFunctions(self.space, n_classes, check_method(method))
        self.n_classes = self.growth.n_classes
        self.error_price = (2 - 4 * math.log(self.r)) / self.m
        """What one training error adds to the bound."""
        self._constant = math.log(4 / self.delta) - math.log1p(-self.r)
        self._any_arity = bool(self.space.multiway)
        self._complexity: dict[TreeStructure, float] = {}

    def __call__(self, errors: int, structure: Any) -> float:
        """Return the bound of a tree with this many training errors and this shape."""
        shape = TreeStructure.of(structure)
        errors = check_count("errors", errors, least=0)
        if errors > self.m:
            raise ValueError(
                f"errors={errors} is more than the number of rows, m={self.m}"
            )
        check_work(self.growth.functions, shape, 2 * self.m)
        return self.value(errors, shape)

    def value(self, errors: int, structure: TreeStructure) -> float:
        """Return the bound, for callers that have checked their arguments."""
        return self.complexity(structure) + errors * self.error_price

    def complexity(self, structure: TreeStructure) -> float:
        """Return the part of the bound that does not depend on the errors."""
        found = self._complexity.get(structure)
        if found is None:
            log_growth = self.growth.log(structure, 2 * self.m)
            log_prior = log_structure_prior(
                structure.n_leaves, any_arity=self._any_arity
            )
            found = 4 * (log_growth + self._constant - log_prior) / self.m
            self._complexity[structure] = found
        return found


def risk_bound(
    errors: int,
    m: int,
    structure: Any,
    n_features: int | FeatureSpace,
    n_classes: int,
    delta: float = 0.05,
    r: float = PAPER_R,
    *,
    method: Method = "fast",
) -> float:
    """Bound the error of a tree on new data: true with probability at least 1 - delta.

    Parameters
    ----------
    errors : int
        Training rows the tree gets wrong.
    m : int
        Training rows, drawn independently from the distribution new data come from.
    structure : TreeStructure or tree
        The shape of the tree; anything `TreeStructure.of` takes.
    n_features : int or FeatureSpace
        The number of real-valued features it could test, used or not; a FeatureSpace
        for mixed ones.
    n_classes : int
        The number of classes.
    delta : float, default=0.05
        The probability with which the bound may fail.
    r : float, default=2**-13.7
        Ratio of the prior :math:`q_k = (1 - r) r^k` on the number of errors. The
        default, from the paper, is made for choosing between trees; a larger one such
        as 0.5 gives a smaller value.
    method : {"fast", "sum"}
        How the growth function is evaluated; "sum" is tighter and for small m only.

    Returns
    -------
    float
        The bound on the probability of an error. Above 1 it says nothing about the tree
        by itself, and serves only to compare trees.

    Examples
    --------
    >>> round(risk_bound(3, 50_000, ((), ((), ())), 4, 2), 4)
    0.0052
    >>> risk_bound(3, 150, ((), ((), ())), 4, 3) > 1
    True
    """
    return RiskBound(m, n_features, n_classes, delta, r, method)(errors, structure)


def rows_needed(
    structure: Any,
    n_features: int | FeatureSpace,
    n_classes: int,
    *,
    error_rate: float = 0.0,
    target: float = 1.0,
    delta: float = 0.05,
    r: float = PAPER_R,
) -> int | None:
    """Return how many rows it takes until the bound is below a target.

    Parameters
    ----------
    structure, n_features, n_classes, delta, r
        As for `risk_bound`.
    error_rate : float
        The training error the tree would have at that size.
    target : float
        The bound to reach; 1 is where it starts to say something.

    Returns
    -------
    int or None
        The smallest such number, up to rounding; None if the training error alone keeps
        the bound above the target, however many rows there are.

    Examples
    --------
    >>> rows_needed(((), ((), ())), n_features=4, n_classes=3)
    96
    >>> rows_needed(((), ((), ())), 4, 3, error_rate=0.05) is None
    True
    >>> rows_needed(((), ((), ())), 4, 3, error_rate=0.05, r=0.5)
    135
    """
    shape = TreeStructure.of(structure)
    space = FeatureSpace.of(n_features)
    if not 0 <= error_rate <= 1:
        raise ValueError(f"error_rate must be between 0 and 1, not {error_rate!r}")
    if target <= 0:
        raise ValueError(
            f"target is the bound to reach and must be positive, not {target!r}"
        )

    def reached(m: int) -> bool:
        return risk_bound(
            round(error_rate * m), m, shape, space, n_classes, delta, r
        ) < target  # fmt: skip

    high = 1
    while not reached(high):
        high *= 2
        if high > 10**15:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if reached(middle):
            high = middle
        else:
            low = middle
    return high
