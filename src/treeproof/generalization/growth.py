"""Upper bounds on the growth function: how many labelings of m rows a tree can produce.

With n classes an a-partition can be labelled in n (n - 1) ... (n - a + 1) = (n)_a ways,
so (Leboeuf et al. 2020, Eq. 4)

    tau_T(m) <= sum_a (n)_a pi_T^a(m).

For many classes there is a shorter way. The coefficients of Theorem 9 are those that
multiply falling factorials, (x)_a (x)_b = sum_c merges(a, b, c) (x)_c. Hence the sum
above, read as a polynomial P_T in x = n, obeys P_T = W P_l P_r in the fast form, W
being the number of cuts: labelings of the two sides are chosen independently. The only
part of Theorem 9 this leaves out are the caps by the number of all partitions. The cap
of the single 1-partition always holds and takes n (W - 1) labelings away:

    tau_T = W tau_l tau_r - n (W - 1),       tau_leaf = n.

The other caps do nothing as long as the product of all W is at most 2^(m - L_T): a
partition of L_T rows can be extended by each further row in at least c >= 2 ways, so
{m, c} >= 2^(m - L_T) {L_T, c}, while the recursion without caps gives at most
(product of W) {L_T, c}. `GrowthFunctions` uses the short recursion where
this is established. Where it is not, `capped` evaluates the polynomials at all of 1,
..., n (thresholds only, few classes), and the vectors of `partitioning` serve the rest.
All give the same number.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treeproof.generalization.capped import CappedGrowth
from treeproof.generalization.checks import check_count, check_method
from treeproof.generalization.counting import log_int
from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.partitioning import (
    Method,
    PartitioningFunctions,
    check_work,
    shared_functions,
)
from treeproof.generalization.structure import TreeStructure

__all__ = ["GrowthFunctions", "growth_function_bound"]

_LOG2 = math.log(2)
_LEAF = TreeStructure()
_FEW_CLASSES = 16  # up to here values with caps are faster than NumPy's vectors


class GrowthFunctions:
    """The logarithm of the growth function bound for many structures, memoised.

    Parameters
    ----------
    features : int or FeatureSpace
        What the trees may test.
    n_classes : int
        The number of classes.
    method : {"sum", "fast"}
        How Theorem 9 is evaluated.

    Attributes
    ----------
    n_short, n_capped, n_vector : int
        How many structures were evaluated by the short recursion, by values with caps,
        and by vectors.

    Examples
    --------
    >>> from treeproof.generalization import TreeStructure
    >>> growth = GrowthFunctions(4, n_classes=3, method="fast")
    >>> round(growth.log(TreeStructure.of(((), ((), ()))), 200), 6)
    16.933063
    """

    def __init__(
        self,
        features: int | FeatureSpace,
        n_classes: int,
        method: Method = "fast",
    ) -> None:
        self.space = FeatureSpace.of(features)
        self.n_classes = check_count("n_classes", n_classes)
        self.method = check_method(method)
        self.functions = PartitioningFunctions(
            self.space, self.n_classes, self.method, exact=False
        )
        self.n_short = 0
        self.n_capped = 0
        self.n_vector = 0
        self._log_n = math.log(self.n_classes)
        self._only_real = self.space == FeatureSpace(real=max(1, self.space.real))
        self._by_slack: dict[int, dict[TreeStructure, float]] = {}
        self._capped = CappedGrowth(self.space.real, self.n_classes)

    def log(self, structure: TreeStructure, m: int) -> float:
        """Return the natural logarithm of the bound on m rows."""
        if self.n_classes == 1:
            return 0.0
        if self.method == "fast":
            value = self._short(structure, m)
            if value is not None:
                self.n_short += 1
                return value
            if self._only_real and self.n_classes <= _FEW_CLASSES:
                self.n_capped += 1
                return self._capped.log(structure, m)
        self.n_vector += 1
        vector = self.functions.vector(structure, m)
        return min(_log_labelings(vector, self.n_classes), m * self._log_n)

    def _short(self, structure: TreeStructure, m: int) -> float | None:
        """Evaluate the short recursion; None where a cap may act."""
        if self._only_real:
            return self._short_real(structure, m - structure.n_leaves)
        functions = self.functions
        functions.ways(structure)
        done: dict[tuple[TreeStructure, int], tuple[float, float]] = {}
        stack = [(structure, m)]
        while stack:
            task = stack[-1]
            if task in done:
                stack.pop()
                continue
            shape, rows = task
            if not shape.children:
                done[task] = (self._log_n, 0.0)
                continue
            parts = functions.children_of(shape, rows)
            if not parts:  # so few rows that the tree can make every labeling
                return None
            missing = [part for part in parts if part not in done]
            if missing:
                stack.extend(missing)
                continue
            log_w = math.log(functions.greatest_term_ways(shape, rows))
            value = log_ways = log_w
            for part in parts:
                value += done[part][0]
                log_ways += done[part][1]
            if log_ways > (rows - shape.n_leaves) * _LOG2:
                return None
            done[task] = (self._without_repeats(value, log_w), log_ways)
        return done[structure, m][0]

    def _short_real(self, structure: TreeStructure, slack: int) -> float | None:
        """Evaluate the short recursion for thresholds only.

        A child is given the rows that are not needed to fill its sibling's leaves, so
        that rows minus leaves, the slack, is the same at every node, and with it W. One
        memo per slack then serves all trees with as many leaves: pruning a tree of 34
        leaves takes a third of the time it takes without.
        """
        if structure.arity > 2:
            # raises an error that names a node which no feature can split
            self.functions.ways(structure)
        if slack < 1:
            return None
        log_w = math.log(2 * self.space.real * (slack + 1))
        if structure.n_nodes * log_w > slack * _LOG2:
            return None
        memo = self._by_slack.get(slack)
        if memo is None:
            memo = self._by_slack[slack] = {_LEAF: self._log_n}
        found = memo.get(structure)
        if found is not None:
            return found
        stack = [structure]
        while stack:
            shape = stack[-1]
            left, right = shape.children
            a, b = memo.get(left), memo.get(right)
            if a is None:
                stack.append(left)
            elif b is None:
                stack.append(right)
            else:
                w = log_w - _LOG2 if left is right else log_w
                memo[shape] = self._without_repeats(w + a + b, w)
                stack.pop()
        return memo[structure]

    def _without_repeats(self, value: float, log_w: float) -> float:
        """Subtract n (W - 1), as each of W ways counts the constant labelings."""
        surplus = (1 - math.exp(-log_w)) * math.exp(self._log_n + log_w - value)
        return value + math.log1p(-surplus)


def _log_labelings(vector: Any, n_classes: int) -> float:
    """Return log sum_a (n)_a pi^a from the logarithms of the partition counts."""
    log_choices = np.cumsum(np.log(n_classes - np.arange(len(vector))))
    return float(np.logaddexp.reduce(log_choices + vector))


def growth_function_bound(
    structure: Any,
    m: int,
    n_features: int | FeatureSpace,
    n_classes: int,
    *,
    method: Method = "sum",
    log: bool = False,
) -> int | float:
    """Bound the number of labelings of m rows that trees of one shape can produce.

    Parameters
    ----------
    structure : TreeStructure or tree
        Anything `TreeStructure.of` takes.
    m : int
        The number of rows.
    n_features : int or FeatureSpace
        The number of real-valued features; a FeatureSpace for mixed ones.
    n_classes : int
        The number of classes; hundreds are no problem.
    method : {"sum", "fast"}
        As in `partitioning_function_bound`.
    log : bool
        Return the natural logarithm, computed in floating point.

    Returns
    -------
    int or float
        The bound, never more than ``n_classes ** m``.

    Examples
    --------
    A stump on one feature labels four rows with two classes in 8 of 16 ways: constant,
    or a threshold at three places with either side positive.

    >>> growth_function_bound(((), ()), m=4, n_features=1, n_classes=2)
    8
    >>> log_bound = growth_function_bound(
    ...     ((), ()), m=10**6, n_features=20, n_classes=100, method="fast", log=True
    ... )
    >>> round(log_bound, 3)
    26.012
    """
    shape = TreeStructure.of(structure)
    m = check_count("m", m)
    n_classes = check_count("n_classes", n_classes)
    space = FeatureSpace.of(n_features)
    if log and method == "fast":
        return GrowthFunctions(space, n_classes, method).log(shape, m)
    parts = min(n_classes, shape.n_leaves)
    functions = shared_functions(space, parts, check_method(method), not log)
    check_work(functions, shape, m)
    vector = functions.vector(shape, m)
    if log:
        return min(_log_labelings(vector, n_classes), m * log_int(n_classes))
    total = sum(math.perm(n_classes, a) * count for a, count in enumerate(vector, 1))
    return int(min(total, n_classes**m)) if m < 10_000 else int(total)
