"""Upper bounds on the partitioning functions of a class of trees.

The c-partitioning function of a structure T is the largest number of c-partitions of m
rows that trees of this shape can make, whatever their tests and labels; leaves with the
same label count as one part. Leboeuf, LeBlanc and Marchand (2020) bound it by recursion
on the tree (Theorem 9; Theorem 7 is the case of a stump): sum over the ways to cut the
sample at the root into k and m - k rows, of the ways to merge what the two subtrees
make of their shares,

    pi_T^c(m) <= 2^-[T_l = T_r] sum_{k = L_l}^{m - L_r} min(2 ell, binom(m, k))
                 sum_{a, b} merges(a, b, c) pi_l^a(k) pi_r^b(m - k),

and never more than the Stirling number {m, c}, which is reached for m <= L_T.

``method="sum"`` is that formula. ``method="fast"`` replaces the sum over k by its
number of terms times the greatest one, as the paper's experiments do. The sum has m -
L_T + 1 terms; the paper prints m - L_T, which for a stump is below the true value ell
(m - 1), so here the + 1 is kept. All c are computed together, as one vector per shape
and m: the merges are a product of polynomials in the falling factorials, and a, b never
exceed the leaves of their subtrees, so that a hundred classes cost little more than
ten.

Features without thresholds (see `features`) enter as a number of ways E that does not
depend on m. Such a split cannot be moved by one row, so nothing is known about the
sizes: its term is E times the greatest product over all k, a part being allowed to be
empty. For the same reason a subtree is sure to isolate every one of its rows only if
thresholds are available in it; `capacity` counts the leaves for which that holds and
takes the place of L in the limits of the sum.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Literal

from treeproof.generalization.arithmetic import (
    Arithmetic,
    ExactArithmetic,
    LogArithmetic,
)
from treeproof.generalization.checks import check_count, check_method
from treeproof.generalization.features import FeatureSpace
from treeproof.generalization.structure import TreeStructure

__all__ = ["PartitioningFunctions", "SplitWays", "partitioning_function_bound"]

Method = Literal["sum", "fast"]

_MEMO_LIMIT = 200_000  # vectors kept between calls
_WORK_LIMIT = 4e9  # operations of a full sum: some minutes


class SplitWays:
    """How the root of a shape can cut a sample, given the features.

    Attributes
    ----------
    has_thresholds : bool
        Whether real-valued features can be used here: a node with two children.
    is_symmetric : bool
        Whether both children have the same shape.
    fixed : int
        The ways that use no threshold.
    capacity : int
        How many rows with distinct values the shape is sure to separate.
    """

    __slots__ = ("capacity", "fixed", "has_thresholds", "is_symmetric")

    capacity: int

    def __init__(
        self,
        structure: TreeStructure,
        space: FeatureSpace,
        parts: dict[TreeStructure, SplitWays],
    ) -> None:
        children = structure.children
        self.is_symmetric = len(children) == 2 and children[0] is children[1]
        self.has_thresholds = len(children) == 2 and space.real > 0
        self.fixed = space.ways_without_threshold(structure) if children else 0
        self.capacity = (
            sum(parts[child].capacity for child in children)
            if self.has_thresholds
            else 1
        )
        if children and not self.has_thresholds and not self.fixed:
            raise ValueError(_no_way(len(children), space))


def _no_way(arity: int, space: FeatureSpace) -> str:
    if space.multiway:
        return (
            f"no feature can split a node into {arity} children of these shapes; the "
            f"multiway features have {_enumerate(space.multiway)} categories"
        )
    if arity > 2:
        return (
            f"the structure has a node with {arity} children, but these features split "
            "in two; describe categorical columns with FeatureSpace(multiway=[...])"
        )
    return (
        "the structure has a node with two children, but no feature splits in two; "
        "check the FeatureSpace"
    )


def _enumerate(sizes: tuple[int, ...]) -> str:
    distinct = sorted(set(sizes))
    if len(distinct) == 1:
        return str(distinct[0])
    return ", ".join(map(str, distinct[:-1])) + f" or {distinct[-1]}"


class PartitioningFunctions:
    """The partitioning functions of any structure over the same features, memoised.

    Parameters
    ----------
    features : int or FeatureSpace
        The number of real-valued features, or a description of mixed ones.
    max_parts : int
        Count partitions into at most this many parts (with n classes, n).
    method : {"sum", "fast"}
        Theorem 9 in full, or its greatest term times the number of terms.
    exact : bool
        Integers, or natural logarithms.

    Examples
    --------
    >>> from treeproof.generalization import TreeStructure
    >>> functions = PartitioningFunctions(2, max_parts=3)
    >>> functions.vector(TreeStructure.of(((), ((), ()))), 5)
    [1, 15, 25]
    """

    def __init__(
        self,
        features: int | FeatureSpace,
        max_parts: int,
        method: Method = "sum",
        exact: bool = True,
    ) -> None:
        self.space = FeatureSpace.of(features)
        self.max_parts = check_count("max_parts", max_parts)
        self.method = check_method(method)
        self.arithmetic: Arithmetic = ExactArithmetic() if exact else LogArithmetic()
        self._ways: dict[TreeStructure, SplitWays] = {}
        self._vectors: dict[tuple[TreeStructure, int], Any] = {}
        self._tables: dict[TreeStructure, list[Any]] = {}

    def vector(self, structure: TreeStructure, m: int) -> Any:
        """Return the bounds for 1, 2, ... parts on m rows.

        The vector ends at the number of leaves or at `max_parts`.
        """
        if self.method == "fast":
            return self._fast(structure, m)
        return self._tabulate(structure, m)[m]

    def ways(self, structure: TreeStructure) -> SplitWays:
        """Return the ways to split at the root of the structure."""
        known = self._ways
        found = known.get(structure)
        if found is not None:
            return found
        stack = [structure]
        while stack:
            shape = stack[-1]
            missing = [child for child in shape.children if child not in known]
            if missing:
                stack.extend(missing)
            else:
                known[shape] = SplitWays(shape, self.space, known)
                stack.pop()
        return known[structure]

    def _size(self, structure: TreeStructure) -> int:
        return min(self.max_parts, structure.n_leaves)

    def _fast(self, structure: TreeStructure, m: int) -> Any:
        """Evaluate the fast form with a stack of its own, because trees may be deep."""
        memo = self._vectors
        if len(memo) > _MEMO_LIMIT:
            memo.clear()
        stack = [(structure, m)]
        while stack:
            task = stack[-1]
            if task in memo:
                stack.pop()
                continue
            needed = self.children_of(*task)
            missing = [part for part in needed if part not in memo]
            if missing:
                stack.extend(missing)
            else:
                memo[task] = self._fast_step(*task, [memo[part] for part in needed])
                stack.pop()
        return memo[structure, m]

    def children_of(
        self, structure: TreeStructure, m: int
    ) -> list[tuple[TreeStructure, int]]:
        """Return the children with the greatest number of rows each can be given.

        Thresholds leave at least `capacity` rows to the sibling. Other splits promise
        nothing.
        """
        ways = self.ways(structure)
        children = structure.children
        if not children or (ways.has_thresholds and m <= ways.capacity):
            return []
        if ways.fixed:
            return [(child, m) for child in children]
        left, right = children
        return [
            (left, m - self._ways[right].capacity),
            (right, m - self._ways[left].capacity),
        ]

    def greatest_term_ways(self, structure: TreeStructure, m: int) -> int:
        """Return the factor of the greatest term in the fast form."""
        ways = self.ways(structure)
        total = ways.fixed
        if ways.has_thresholds:
            cuts = self.space.real * (m - ways.capacity + 1)
            total += cuts if ways.is_symmetric else 2 * cuts
        return total

    def _fast_step(self, structure: TreeStructure, m: int, parts: list[Any]) -> Any:
        size = self._size(structure)
        numbers = self.arithmetic
        if structure.is_leaf:
            return numbers.one_part(size)
        if not parts:
            return numbers.all_partitions(m, size)
        # The greatest term: each subtree gets as many rows as it can have.
        greatest = parts[0]
        for part in parts[1:]:
            greatest = numbers.product(greatest, part, size)
        n_ways = self.greatest_term_ways(structure, m)
        return numbers.cap(numbers.total([greatest], [n_ways]), m)

    def _tabulate(self, structure: TreeStructure, m: int) -> list[Any]:
        """Fill the tables of all parts of the structure up to m rows."""
        self.ways(structure)
        if sum(map(len, self._tables.values())) > _MEMO_LIMIT:
            self._tables.clear()
        for part in structure.substructures():
            table = self._tables.setdefault(part, [None])
            while len(table) <= m:
                table.append(self._sum_step(part, len(table)))
        return self._tables[structure]

    def _sum_step(self, structure: TreeStructure, m: int) -> Any:
        size = self._size(structure)
        numbers = self.arithmetic
        ways = self._ways[structure]
        children = structure.children
        if not children:
            return numbers.one_part(size)
        if ways.has_thresholds and m <= ways.capacity:
            return numbers.all_partitions(m, size)
        terms: list[Any] = []
        if ways.has_thresholds:
            left, right = (self._tables[child] for child in children)
            first = self._ways[children[0]].capacity
            last = m - self._ways[children[1]].capacity
            cuts = self._cut_ways(m, first, last)
            term = numbers.convolution(
                left[first : last + 1],
                [right[m - k] for k in range(first, last + 1)],
                cuts,
                size,
            )
            terms.append(numbers.half(term) if ways.is_symmetric else term)
        if ways.fixed:
            greatest = self._greatest_split(children, m, size)
            terms.append(numbers.total([greatest], [ways.fixed]))
        return numbers.cap(numbers.total(terms, [1] * len(terms)), m)

    def _cut_ways(self, m: int, first: int, last: int) -> list[int]:
        """Return min(2 ell, binom(m, k)) for each k from first to last."""
        limit = 2 * self.space.real
        ways = [limit] * (last - first + 1)
        # binom(m, k) rises from both ends; stop where it passes the limit.
        for k in range(m // 2 + 1):
            choices = math.comb(m, k)
            if choices >= limit:
                break
            for position in {k, m - k}:
                if first <= position <= last:
                    ways[position - first] = choices
        return ways

    def _greatest_split(
        self, children: tuple[TreeStructure, ...], m: int, size: int
    ) -> Any:
        """Return the most partitions that a split with unknown sizes can lead to.

        Of two children each k is looked at, also 0, where all rows go one way. Of more
        children, each is given all m rows: simpler, and above every possible split,
        because pi(k) grows with k and merging with one part more never loses
        partitions.
        """
        numbers = self.arithmetic
        tables = [self._tables[child] for child in children]
        if len(children) > 2:
            greatest = tables[0][m]
            for table in tables[1:]:
                greatest = numbers.product(greatest, table[m], size)
            return greatest
        left, right = tables
        merged = [numbers.product(left[k], right[m - k], size) for k in range(1, m)]
        alone = [self._pad(table[m], size) for table in tables]
        return numbers.largest(merged + alone)

    def _pad(self, vector: Any, size: int) -> Any:
        """Return the vector of a subtree, extended by zeros."""
        zeros = self.arithmetic.all_partitions(0, size)
        if isinstance(vector, list):
            return vector + zeros[len(vector) :]
        padded = zeros.copy()
        padded[: len(vector)] = vector
        return padded


@lru_cache(maxsize=8)
def shared_functions(
    space: FeatureSpace, max_parts: int, method: Method, exact: bool
) -> PartitioningFunctions:
    """Return the memo that all calls with the same features share."""
    return PartitioningFunctions(space, max_parts, method, exact)


def check_work(
    functions: PartitioningFunctions, structure: TreeStructure, m: int
) -> None:
    """Refuse a sum that would take hours, and say what to do instead."""
    if functions.method == "fast":
        return
    work = 0.0
    for part in structure.substructures():
        if part.children:
            pairs = math.prod(
                min(functions.max_parts, c.n_leaves) for c in part.children
            )
            work += m * m / 2 * pairs
    if work > _WORK_LIMIT:
        raise ValueError(
            f"the full sum of Theorem 9 over m = {m} rows and {structure.n_leaves} "
            f"leaves needs about {work:.0e} operations; use method='fast'"
        )


def partitioning_function_bound(
    structure: Any,
    c: int,
    m: int,
    n_features: int | FeatureSpace,
    *,
    method: Method = "sum",
    log: bool = False,
) -> int | float:
    """Bound the number of c-partitions of m rows that trees of one shape can make.

    Parameters
    ----------
    structure : TreeStructure or tree
        Anything `TreeStructure.of` takes.
    c : int
        The number of parts.
    m : int
        The number of rows.
    n_features : int or FeatureSpace
        The number of real-valued features; a FeatureSpace for mixed ones.
    method : {"sum", "fast"}
        "sum" is Theorem 9, exact for stumps in all cases known (Theorem 7). "fast"
        takes the greatest term for all terms: looser by a few per cent of the
        logarithm, and independent of m in cost.
    log : bool
        Return the natural logarithm, computed in floating point.

    Returns
    -------
    int or float
        The bound: a Python integer, or its logarithm.

    References
    ----------
    J.-S. Leboeuf, F. LeBlanc, M. Marchand: Decision trees as partitioning machines to
    characterize their generalization properties. NeurIPS 2020.

    Examples
    --------
    A stump on two real-valued features splits four rows in two in at most six ways, of
    the seven there are:

    >>> partitioning_function_bound(((), ()), c=2, m=4, n_features=2)
    6
    >>> partitioning_function_bound(((), ((), ())), c=3, m=10, n_features=2)
    280
    >>> log_bound = partitioning_function_bound(
    ...     ((), ((), ())), c=3, m=1_000_000, n_features=2, method="fast", log=True
    ... )
    >>> round(log_bound, 6)
    29.710459
    """
    shape = TreeStructure.of(structure)
    c = check_count("c", c)
    m = check_count("m", m)
    space = FeatureSpace.of(n_features)
    if c > min(m, shape.n_leaves):
        return -math.inf if log else 0
    functions = shared_functions(space, c, check_method(method), not log)
    check_work(functions, shape, m)
    value = functions.vector(shape, m)[c - 1]
    return float(value) if log else int(value)
