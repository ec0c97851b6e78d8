"""Two ways to compute with partition counts: exact integers, and logarithms.

A *vector* holds the counts of 1-, 2-, ..., c-partitions. The recursions of
`partitioning` are written once and run on either arithmetic: `ExactArithmetic` keeps
Python integers, `LogArithmetic` keeps natural logarithms in NumPy arrays (minus
infinity for zero), which is what a million rows and a hundred leaves need. Only sums,
products and minima of non-negative numbers occur, so the logarithms lose nothing to
cancellation: their absolute error stays below 1e-10 where the numbers have thousands of
digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treeproof.generalization.counting import (
    log_int,
    merges,
    stirling2,
    stirling2_exceeds,
)

__all__ = ["Arithmetic", "ExactArithmetic", "LogArithmetic"]

Vector = Any


class Arithmetic(Protocol):
    """The operations that the recursions need."""

    def one_part(self, size: int) -> Vector:
        """Return the vector of a leaf: one 1-partition."""

    def all_partitions(self, m: int, size: int) -> Vector:
        """Return the number of all partitions of m things, for each number of parts."""

    def product(self, u: Vector, v: Vector, size: int) -> Vector:
        """Return how many partitions merging those of two disjoint sets makes."""

    def total(self, vectors: Sequence[Vector], ways: Sequence[int]) -> Vector:
        """Return the sum of the vectors, each multiplied by its factor."""

    def half(self, vector: Vector) -> Vector:
        """Return half of the counts, which must be even."""

    def largest(self, vectors: Sequence[Vector]) -> Vector:
        """Return the greatest entry of the vectors at each position."""

    def convolution(
        self,
        left: Sequence[Vector],
        right: Sequence[Vector],
        ways: Sequence[int],
        size: int,
    ) -> Vector:
        """Return the sum over i of ways[i] * product(left[i], right[i])."""

    def cap(self, vector: Vector, m: int) -> Vector:
        """Return the vector with no entry above the number of all partitions."""


class ExactArithmetic:
    """Exact arithmetic: vectors are lists of Python integers."""

    def one_part(self, size: int) -> list[int]:
        """Return the vector of a leaf."""
        return [1] + [0] * (size - 1)

    def all_partitions(self, m: int, size: int) -> list[int]:
        """Return the Stirling numbers of m."""
        return [stirling2(m, c) for c in range(1, size + 1)]

    def product(self, u: list[int], v: list[int], size: int) -> list[int]:
        """Return the product of two polynomials in the basis of falling factorials."""
        return self._merge([[x * y for y in v] for x in u], size)

    def _merge(self, pairs: list[list[int]], size: int) -> list[int]:
        out = [0] * size
        plan = _integer_plan(len(pairs), len(pairs[0]), size)
        for row, plan_row in zip(pairs, plan, strict=True):
            for count, targets in zip(row, plan_row, strict=True):
                if count:
                    for position, ways in targets:
                        out[position] += ways * count
        return out

    def total(self, vectors: Sequence[list[int]], ways: Sequence[int]) -> list[int]:
        """Return the sum of the vectors, each multiplied by its factor."""
        return [
            sum(w * v[i] for v, w in zip(vectors, ways, strict=True))
            for i in range(len(vectors[0]))
        ]

    def half(self, vector: list[int]) -> list[int]:
        """Return half of the counts, which must be even."""
        return [x // 2 for x in vector]

    def largest(self, vectors: Sequence[list[int]]) -> list[int]:
        """Return the greatest entry of the vectors at each position."""
        return [max(column) for column in zip(*vectors, strict=True)]

    def convolution(
        self,
        left: Sequence[list[int]],
        right: Sequence[list[int]],
        ways: Sequence[int],
        size: int,
    ) -> list[int]:
        """Return the sum over all cuts; products are formed once for each pair."""
        pairs = [
            [
                sum(w * u[a] * v[b] for u, v, w in zip(left, right, ways, strict=True))
                for b in range(len(right[0]))
            ]
            for a in range(len(left[0]))
        ]
        return self._merge(pairs, size)

    def cap(self, vector: list[int], m: int) -> list[int]:
        """Return the minimum of the vector and the Stirling numbers."""
        return [
            x if stirling2_exceeds(m, c, x.bit_length()) else min(x, stirling2(m, c))
            for c, x in enumerate(vector, 1)
        ]


@lru_cache(maxsize=1024)
def _integer_plan(
    n_left: int, n_right: int, size: int
) -> list[list[list[tuple[int, int]]]]:
    """Return, for parts a and b, the positions c - 1 and the factors of the product."""
    return [
        [
            [(c - 1, merges(a, b, c)) for c in range(max(a, b), min(a + b, size) + 1)]
            for b in range(1, n_right + 1)
        ]
        for a in range(1, n_left + 1)
    ]


class LogArithmetic:
    """Arithmetic with vectors of natural logarithms."""

    def one_part(self, size: int) -> NDArray[np.float64]:
        """Return the vector of a leaf."""
        vector = np.full(size, -np.inf)
        vector[0] = 0.0
        return vector

    def all_partitions(self, m: int, size: int) -> NDArray[np.float64]:
        """Return the logarithms of the Stirling numbers of m."""
        return np.array([log_int(stirling2(m, c)) for c in range(1, size + 1)])

    def product(
        self, u: NDArray[np.float64], v: NDArray[np.float64], size: int
    ) -> NDArray[np.float64]:
        """Return the product of two polynomials in the basis of falling factorials."""
        return self._merge(u[:, None] + v[None, :], size)

    def _merge(self, pairs: NDArray[np.float64], size: int) -> NDArray[np.float64]:
        plan = _merge_plan(*pairs.shape, size)
        terms = pairs.ravel()[plan.pair] + plan.log_ways
        peak = np.maximum.reduceat(terms, plan.start)
        # An empty position (all terms zero) must not turn into inf - inf.
        shift = np.where(np.isfinite(peak), peak, 0.0)
        sums = np.add.reduceat(np.exp(terms - shift[plan.slot]), plan.start)
        out = np.full(size, -np.inf)
        with np.errstate(divide="ignore"):
            out[plan.part] = np.log(sums) + shift
        return out

    def total(
        self, vectors: Sequence[NDArray[np.float64]], ways: Sequence[int]
    ) -> NDArray[np.float64]:
        """Return the sum of the vectors, each multiplied by its factor."""
        terms = [v + log_int(w) for v, w in zip(vectors, ways, strict=True)]
        return np.asarray(np.logaddexp.reduce(terms, axis=0))

    def half(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return half of the counts."""
        return vector - math.log(2)

    def largest(self, vectors: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the greatest entry of the vectors at each position."""
        return np.asarray(np.max(vectors, axis=0))

    def convolution(
        self,
        left: Sequence[NDArray[np.float64]],
        right: Sequence[NDArray[np.float64]],
        ways: Sequence[int],
        size: int,
    ) -> NDArray[np.float64]:
        """Return the sum over all cuts, in one array operation."""
        log_ways = np.log(np.asarray(ways, dtype=np.float64))
        terms = (
            np.asarray(left)[:, :, None]
            + np.asarray(right)[:, None, :]
            + log_ways[:, None, None]
        )
        peak = terms.max(axis=0)
        shift = np.where(np.isfinite(peak), peak, 0.0)
        with np.errstate(divide="ignore"):
            pairs = np.log(np.exp(terms - shift).sum(axis=0)) + shift
        return self._merge(pairs, size)

    def cap(self, vector: NDArray[np.float64], m: int) -> NDArray[np.float64]:
        """Return the minimum of the vector and the Stirling numbers."""
        for c, x in enumerate(vector.tolist(), 1):
            if x != -math.inf and not stirling2_exceeds(m, c, x / math.log(2) + 1e-6):
                vector[c - 1] = min(x, log_int(stirling2(m, c)))
        return vector


class _MergePlan:
    """The products (a, b) that contribute to each c, as arrays sorted by c."""

    def __init__(self, n_left: int, n_right: int, size: int) -> None:
        triples = sorted(
            (c, (a - 1) * n_right + b - 1, math.log(merges(a, b, c)))
            for a in range(1, n_left + 1)
            for b in range(1, n_right + 1)
            for c in range(max(a, b), min(a + b, size) + 1)
        )
        part = np.array([c for c, _, _ in triples]) - 1
        self.pair = np.array([pair for _, pair, _ in triples])
        self.log_ways = np.array([ways for _, _, ways in triples])
        self.part, self.start, self.slot = np.unique(
            part, return_index=True, return_inverse=True
        )


@lru_cache(maxsize=1024)
def _merge_plan(n_left: int, n_right: int, size: int) -> _MergePlan:
    return _MergePlan(n_left, n_right, size)
