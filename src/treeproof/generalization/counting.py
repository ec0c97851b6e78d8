"""Counting partitions, tree shapes, and ways to merge partitions.

Four families of numbers carry the theory of Leboeuf, LeBlanc and Marchand (2020):

* Stirling numbers of the second kind: all partitions of m things into c parts, the
  value no partitioning function can exceed;
* the coefficients of Theorem 9: in how many ways an a-partition and a b-partition of
  two disjoint sets merge into a c-partition. They are the linearisation coefficients of
  the falling factorials, (x)_a (x)_b = sum_c merges(a, b, c) (x)_c, which is why a
  whole tree can be handled as one polynomial (see `partitioning` and `growth`);
* Wedderburn-Etherington numbers: binary shapes with n leaves;
* their counterpart for any number of children.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "log_int",
    "log_multiway_shapes",
    "log_wedderburn_etherington",
    "merges",
    "multiway_shapes",
    "stirling2",
    "stirling2_exceeds",
    "wedderburn_etherington",
]


@lru_cache(maxsize=65536)
def stirling2(m: int, c: int) -> int:
    """Return how many partitions of m things into c non-empty parts there are.

    Examples
    --------
    >>> [stirling2(4, c) for c in range(6)]
    [0, 1, 7, 6, 1, 0]
    """
    if c < 0 or c > m:
        return 0
    if c == m:
        return 1
    if c == 0:
        return 0
    total, sign, choose = 0, 1, 1
    for j in range(c, 0, -1):
        total += sign * choose * j**m
        sign = -sign
        choose = choose * j // (c - j + 1)
    return total // math.factorial(c)


def stirling2_exceeds(m: int, c: int, bits: float) -> bool:
    """Say whether the Stirling number is surely at least 2**bits, without computing it.

    Every way to put the other m - c things beside c fixed ones is a different
    partition, so the number is at least c**(m - c). For samples much larger than the
    tree this settles the comparison in a moment; where it says False nothing is known.
    """
    return c >= 2 and (m - c) * math.log2(c) >= bits


@lru_cache(maxsize=65536)
def merges(a: int, b: int, c: int) -> int:
    """Return in how many ways a parts and b parts are joined pairwise to c parts.

    Of the a + b parts, a + b - c from each side are matched; the others stay.

    Examples
    --------
    >>> merges(2, 2, 2), merges(2, 2, 3), merges(2, 2, 4)
    (2, 4, 1)
    """
    j = a + b - c
    if j < 0 or j > min(a, b):
        return 0
    return math.comb(a, j) * math.comb(b, j) * math.factorial(j)


def log_int(n: int) -> float:
    """Return the natural logarithm of an integer of any size; -inf for 0."""
    return math.log(n) if n > 0 else -math.inf


def wedderburn_etherington(n: int) -> int:
    """Return the number of binary tree shapes with n leaves.

    Examples
    --------
    >>> [wedderburn_etherington(n) for n in range(1, 11)]
    [1, 1, 1, 2, 3, 6, 11, 23, 46, 98]
    """
    return _binary_table(_table_size(n))[n]


def _table_size(n: int) -> int:
    return max(64, 1 << (n - 1).bit_length())


@lru_cache(maxsize=16)
def _binary_table(size: int) -> list[int]:
    shapes = [0, 1]
    for n in range(2, size + 1):
        half = n // 2
        total = sum(shapes[i] * shapes[n - i] for i in range(1, (n + 1) // 2))
        if n % 2 == 0:
            total += shapes[half] * (shapes[half] + 1) // 2
        shapes.append(total)
    return shapes


_EXACT_SHAPES = 256


def log_wedderburn_etherington(n: int) -> float:
    """Return the logarithm of the number of binary shapes with n leaves.

    Beyond 256 leaves the recurrence runs on floating point numbers scaled by the known
    growth rate 2.4832535..., all terms being positive: a tree with ten thousand leaves
    costs a second, and the relative error stays near 1e-12.
    """
    if n <= _EXACT_SHAPES:
        return math.log(wedderburn_etherington(n))
    rate = 2.4832535361726367
    return math.log(_scaled_shapes(_table_size(n), rate)[n]) + n * math.log(rate)


@lru_cache(maxsize=4)
def _scaled_shapes(size: int, rate: float) -> NDArray[np.float64]:
    w = np.zeros(size + 1)
    w[1] = 1 / rate
    for k in range(2, size + 1):
        upper = (k + 1) // 2
        w[k] = w[1:upper] @ w[k - 1 : k - upper : -1]
        if k % 2 == 0:
            half = k // 2
            w[k] += w[half] * (w[half] + math.exp(-half * math.log(rate))) / 2
    return w


def multiway_shapes(n: int) -> int:
    """Return the number of tree shapes with n leaves and two or more children per node.

    Examples
    --------
    >>> [multiway_shapes(n) for n in range(1, 10)]
    [1, 1, 2, 5, 12, 33, 90, 261, 766]
    """
    return _multiway_table(_table_size(n))[n]


@lru_cache(maxsize=16)
def _multiway_table(size: int) -> list[int]:
    """Tabulate by Cayley's recurrence: forests of n leaves are twice the trees, n > 1.

    Let f(n) count multisets of shapes with n leaves in all. A shape with n > 1 leaves
    is a multiset of at least two shapes, so f(n) = 2 a(n); and n f(n) = sum over k of
    s(k) f(n - k) with s(k) = sum of d a(d) over the divisors d of k. The term k = n
    holds n a(n) itself, which moves to the left.
    """
    a = [0, 1] + [0] * (size - 1)
    f = [1, 1] + [0] * (size - 1)
    s = [0, 1] + [0] * (size - 1)
    for d in range(2, size + 1):
        s[d] += 1
    for n in range(2, size + 1):
        total = sum(s[k] * f[n - k] for k in range(1, n)) + s[n]
        a[n] = total // n
        f[n] = 2 * a[n]
        for multiple in range(n, size + 1, n):
            s[multiple] += n * a[n]
    return a


def log_multiway_shapes(n: int) -> float:
    """Return the logarithm of `multiway_shapes`, bounded above for n > 512.

    The numbers grow like 3.5608...**n, and a(n + 1) < 4 a(n) from the start, so that
    the bound a(512) * 4**(n - 512) is safe; a prior that is a little too small keeps
    every risk bound valid.
    """
    if n <= 512:
        return math.log(multiway_shapes(n))
    return math.log(multiway_shapes(512)) + (n - 512) * math.log(4)
