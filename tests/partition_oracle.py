"""Brute force for the theory of partitions: what trees of a shape really do to a
sample.

Shares nothing with `treeproof.generalization`: shapes are nested tuples, rows are bits
of an integer, a partition is the sorted tuple of its parts. A sample is a list of
columns; a column is `Real(order)` (rows in increasing order of distinct values),
`OneVsRest(codes, n_categories)` or `Multiway(codes, n_categories)`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

Shape = tuple
Partition = tuple[int, ...]


@dataclass(frozen=True)
class Real:
    order: tuple[int, ...]

    def splits(self, mask: int, arity: int) -> Iterator[tuple[int, ...]]:
        if arity != 2:
            return
        first = 0
        rows = [row for row in self.order if mask >> row & 1]
        for end in range(len(rows) + 1):
            yield first, mask ^ first
            yield mask ^ first, first
            if end < len(rows):
                first |= 1 << rows[end]


@dataclass(frozen=True)
class Categories:
    codes: tuple[int, ...]
    n_categories: int

    @cached_property
    def masks(self) -> list[int]:
        masks = [0] * self.n_categories
        for row, code in enumerate(self.codes):
            masks[code] |= 1 << row
        return masks


class OneVsRest(Categories):
    def splits(self, mask: int, arity: int) -> Iterator[tuple[int, ...]]:
        if arity != 2:
            return
        for category in self.masks:
            part = mask & category
            yield part, mask ^ part
            yield mask ^ part, part


class Multiway(Categories):
    """One child per category, or fewer and one leaf takes all others."""

    def splits(self, mask: int, arity: int) -> Iterator[tuple[int, ...]]:
        if arity == self.n_categories:
            for chosen in itertools.permutations(self.masks):
                yield tuple(mask & part for part in chosen)

    def splits_with_rest(self, mask: int, shape: Shape) -> Iterator[tuple[int, ...]]:
        if len(shape) >= self.n_categories:
            return
        for place, child in enumerate(shape):
            if child == ():
                for chosen in itertools.permutations(self.masks, len(shape) - 1):
                    parts = [mask & part for part in chosen]
                    yield (*parts[:place], mask ^ sum(parts), *parts[place:])


def merge(u: Partition, v: Partition, most: int) -> Iterator[Partition]:
    """All partitions made by joining parts of u with parts of v."""
    for n_joined in range(min(len(u), len(v)) + 1):
        if len(u) + len(v) - n_joined > most:
            continue
        for left in itertools.combinations(range(len(u)), n_joined):
            for right in itertools.permutations(range(len(v)), n_joined):
                joined = [u[i] | v[j] for i, j in zip(left, right, strict=True)]
                rest = [p for i, p in enumerate(u) if i not in left]
                rest += [p for j, p in enumerate(v) if j not in right]
                yield tuple(sorted(joined + rest))


def partitions(
    shape: Shape, columns: Sequence, n_rows: int, most: int
) -> set[Partition]:
    """Every partition into at most `most` parts that trees of the shape realise."""
    memo: dict[tuple[Shape, int], set[Partition]] = {}

    def realise(shape: Shape, mask: int) -> set[Partition]:
        if mask == 0:
            return {()}
        if not shape:
            return {(mask,)}
        key = shape, mask
        if key not in memo:
            memo[key] = found = set()
            for parts in set(ways(shape, mask)):
                results: set[Partition] = {()}
                for child, part in zip(shape, parts, strict=True):
                    results = {
                        merged
                        for u in results
                        for v in realise(child, part)
                        for merged in merge(u, v, most)
                    }
                found |= results
        return memo[key]

    def ways(shape: Shape, mask: int) -> Iterator[tuple[int, ...]]:
        for column in columns:
            yield from column.splits(mask, len(shape))
            if isinstance(column, Multiway):
                yield from column.splits_with_rest(mask, shape)

    return realise(shape, (1 << n_rows) - 1)


def count_by_parts(found: set[Partition], most: int) -> list[int]:
    counts = [0] * most
    for partition in found:
        counts[len(partition) - 1] += 1
    return counts


def stump_partitions(columns: Sequence[Real], n_rows: int) -> int:
    """Return how many 2-partitions a stump realises, without the full enumeration."""
    everything = (1 << n_rows) - 1
    found = set()
    for column in columns:
        first = 0
        for row in column.order[:-1]:
            first |= 1 << row
            found.add(min(first, everything ^ first))
    return len(found)


def real_samples(n_rows: int, n_features: int) -> Iterator[list[Real]]:
    """Every sample, up to renaming rows (the first column is in order) and columns."""
    orders = list(itertools.permutations(range(n_rows)))
    for others in itertools.combinations_with_replacement(orders, n_features - 1):
        yield [Real(order) for order in (orders[0], *others)]
