"""Brute force: the optimal cost of a decision tree over every possible tree.

Plain Python on bit masks of rows, sharing nothing with the engine. The recursion tries
every test at every set of rows and remembers its answers by set, so that thousands of
small problems take seconds. What a leaf costs is a function of its rows: the weight of
its errors, or that of its cheapest action (`cheapest_action`). Costs are the engine's:
one unit of weight is 2**20, one penalty is its share of the total weight, rounded once.
With ``penalize="leaves"`` a split into c children costs c - 1 penalties, with
``penalize="splits"`` it costs one.

What counts as a tree here is what counts everywhere in the project: a test must send
rows to at least two outcomes, outcomes without rows are no children, and every child
must hold at least ``min_samples_leaf`` table rows (weights do not count there; a root
that stays a leaf is always allowed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

UNIT = 1 << 20
INFINITE = 1 << 62
ORDERED, MULTIWAY, ONE_VS_REST = 0, 1, 2


@dataclass
class Table:
    """A small problem: codes (rows x features), labels, whole-number weights."""

    kinds: np.ndarray
    n_values: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    n_classes: int
    weights: np.ndarray
    _parts: list[list[int]] = field(default_factory=list, repr=False)

    @property
    def total_weight(self) -> int:
        return int(self.weights.sum())

    def tests(self) -> Iterator[tuple[int, int, int]]:
        """Every test as (feature, kind of test as in the engine's trees, code)."""
        for f, (kind, n) in enumerate(zip(self.kinds, self.n_values, strict=True)):
            if kind == MULTIWAY:
                yield f, 3, 0
            elif kind == ORDERED:
                yield from ((f, 1, c) for c in range(n - 1))
            else:
                yield from ((f, 2, c) for c in range(n))

    def outcomes(self, feature: int, kind: int, code: int) -> np.ndarray:
        """Outcome of a test on each row: 0 for "yes" and 1 for "no", or a category."""
        column = self.codes[:, feature]
        if kind == 1:
            return (column > code).astype(int)
        if kind == 2:
            return (column != code).astype(int)
        return column

    def parts(self) -> list[list[int]]:
        """The partition each test makes, as masks; trivial and equal ones once."""
        if not self._parts:
            seen = set()
            for test in self.tests():
                out = self.outcomes(*test)
                masks = tuple(sorted(_mask(out == v) for v in np.unique(out)))
                if len(masks) > 1 and masks not in seen:
                    seen.add(masks)
                    self._parts.append(list(masks))
        return self._parts

    def split_cost(self, split_penalty: float) -> int:
        """One split in fixed point; halves go up, as in the engine."""
        exact = split_penalty * float(self.total_weight) * float(UNIT)
        return int(np.floor(exact + 0.5))


def n_penalties(n_children: int, penalize: str) -> int:
    """How often the penalty is charged for one split."""
    return n_children - 1 if penalize == "leaves" else 1


def _mask(rows: np.ndarray) -> int:
    return sum(1 << int(r) for r in np.flatnonzero(rows))


def optimal_cost(
    table: Table,
    split_penalty: float,
    *,
    max_depth: int = -1,
    max_splits: int = -1,
    min_samples_leaf: int = 1,
    penalize: str = "splits",
    leaf: Callable[[int], Any] | None = None,
    first: list[list[int]] | None = None,
) -> Any:
    """Least cost of any tree, in the engine's fixed point; -1 means no limit.

    With `leaf`, a function from a mask of rows to a cost >= 0, costs are its own, and
    the penalty is in its unit. `first` has the partitions that the first split may
    make, if there must be one of them.
    """
    split_cost: Any = split_penalty if leaf else table.split_cost(split_penalty)
    search = _BruteForce(table, split_cost, min_samples_leaf, penalize, leaf)
    everything = (1 << len(table.labels)) - 1
    depth = len(table.labels) if max_depth < 0 else min(max_depth, len(table.labels))
    if first is not None:
        return search.best_beginning(everything, depth, first)
    if max_splits < 0:
        return search.best(everything, depth)
    return search.best_by_splits(everything, depth, max_splits)[-1]


def cheapest_action(
    costs: np.ndarray, weights: np.ndarray
) -> tuple[Callable[[int], Fraction], Fraction]:
    """Return the exact cost of leaves that choose their cheapest action.

    Returns the cost of a mask of rows, which is never negative because each row's least
    cost is taken off, and what was taken off in all.
    """
    exact = [
        [Fraction(float(c)) * Fraction(float(w)) for c in row]
        for row, w in zip(costs, weights, strict=True)
    ]
    least = [min(row) for row in exact]
    above = [[c - low for c in row] for row, low in zip(exact, least, strict=True)]

    def leaf(mask: int) -> Fraction:
        rows = [above[r] for r in range(len(above)) if mask >> r & 1]
        return min(sum(column) for column in zip(*rows, strict=True))

    return leaf, sum(least, Fraction(0))


def least_errors(
    table: Table,
    positive: np.ndarray,
    *,
    max_depth: int = -1,
    max_splits: int = -1,
    min_samples_leaf: int = 1,
) -> set[tuple[int, int]]:
    """Return the weights of false negatives and false positives of all trees.

    Every tree and every choice of its leaves is tried; pairs that another one beats in
    both numbers are left out.
    """
    weights = [int(w) for w in table.weights]
    n, everything = len(weights), (1 << len(weights)) - 1
    search = _BruteForce(table, 0, min_samples_leaf, "splits")
    memo: dict[tuple[int, int, int], set[tuple[int, int]]] = {}

    def best(mask: int, depth: int, splits: int) -> set[tuple[int, int]]:
        key = (mask, depth, splits)
        if key in memo:
            return memo[key]
        inside = [r for r in range(n) if mask >> r & 1]
        found = {
            (sum(weights[r] for r in inside if positive[r]), 0),
            (0, sum(weights[r] for r in inside if not positive[r])),
        }
        if depth > 0 and splits > 0:
            for children in search.splits(mask):
                found |= _joint(children, depth - 1, splits - 1)
        memo[key] = _front(found)
        return memo[key]

    def _joint(children: list[int], depth: int, splits: int) -> set[tuple[int, int]]:
        if not children:
            return {(0, 0)}
        child, *rest = children
        shares = [(own, splits - own) for own in range(splits + 1)]
        if splits >= n:  # as many as any tree can use
            shares = [(splits, splits)]
        found = set()
        for own, left in shares:
            others = _joint(rest, depth, left)
            for a, b in best(child, depth, own):
                found |= {(a + c, b + d) for c, d in others}
        return _front(found)

    depth = n if max_depth < 0 else min(max_depth, n)
    return best(everything, depth, 2 * n if max_splits < 0 else max_splits)


def _front(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    kept: set[tuple[int, int]] = set()
    lowest = INFINITE
    for a, b in sorted(pairs):
        if b < lowest:
            kept.add((a, b))
            lowest = b
    return kept


class _BruteForce:
    def __init__(
        self,
        table: Table,
        split_cost: Any,
        min_samples_leaf: int,
        penalize: str,
        leaf: Callable[[int], Any] | None = None,
    ) -> None:
        self.leaf_cost = leaf
        self.parts = table.parts()
        self.split_cost = split_cost
        self.penalize = penalize
        self.min_samples_leaf = min_samples_leaf
        self.class_masks = [_mask(table.labels == k) for k in range(table.n_classes)]
        self.weights = [int(w) for w in table.weights]
        self.equal_weights = len(set(self.weights)) == 1
        self.memo: dict[tuple[int, int], int] = {}
        self.memo_by_splits: dict[tuple[int, int, int], list[int]] = {}

    def weight(self, mask: int) -> int:
        if self.equal_weights:
            return self.weights[0] * mask.bit_count()
        total = 0
        while mask:
            low = mask & -mask
            total += self.weights[low.bit_length() - 1]
            mask ^= low
        return total

    def price(self, n_children: int) -> int:
        return self.split_cost * n_penalties(n_children, self.penalize)

    def leaf(self, mask: int) -> Any:
        if self.leaf_cost is not None:
            return self.leaf_cost(mask)
        by_class = [self.weight(mask & k) for k in self.class_masks]
        return (sum(by_class) - max(by_class)) * UNIT

    def splits(self, mask: int) -> Iterator[list[int]]:
        for parts in self.parts:
            children = [p & mask for p in parts if p & mask]
            if len(children) > 1 and all(
                c.bit_count() >= self.min_samples_leaf for c in children
            ):
                yield children

    def best(self, mask: int, depth: int) -> int:
        depth = min(depth, mask.bit_count() - 1)
        key = (mask, depth)
        if key not in self.memo:
            best = self.leaf(mask)
            if best > 0 and depth > 0:
                for children in self.splits(mask):
                    cost = self.price(len(children))
                    for child in children:
                        cost += self.best(child, depth - 1)
                        if cost >= best:
                            break
                    best = min(best, cost)
            self.memo[key] = best
        return self.memo[key]

    def best_beginning(self, mask: int, depth: int, first: list[list[int]]) -> Any:
        """Least cost of a tree whose first split is one of these."""
        return min(
            self.price(len(children))
            + sum(self.best(child, depth - 1) for child in children)
            for children in first
            if all(c.bit_count() >= self.min_samples_leaf for c in children)
        )

    def best_by_splits(self, mask: int, depth: int, splits: int) -> list[int]:
        """Least cost with at most 0, 1, ..., `splits` splits."""
        useful = mask.bit_count() - 1
        depth = min(depth, useful)
        key = (mask, depth, min(splits, useful))
        if key not in self.memo_by_splits:
            self.memo_by_splits[key] = self._by_splits(*key)
        costs = self.memo_by_splits[key]
        return costs + costs[-1:] * (splits + 1 - len(costs))

    def _by_splits(self, mask: int, depth: int, splits: int) -> list[int]:
        best = [self.leaf(mask)] * (splits + 1)
        if best[0] == 0 or depth == 0 or splits == 0:
            return best
        for children in self.splits(mask):
            joint = [
                self.price(len(children))
            ] * splits  # index: the number of splits in the children
            for child in children:
                own = self.best_by_splits(child, depth - 1, splits - 1)
                joint = [
                    min(joint[k - j] + own[j] for j in range(k + 1))
                    for k in range(splits)
                ]
            for k, cost in enumerate(joint):
                best[k + 1] = min(best[k + 1], cost)
        for k in range(splits):
            best[k + 1] = min(best[k + 1], best[k])
        return best


@dataclass(frozen=True)
class TreeFacts:
    """The facts about a tree, computed again from the table."""

    cost: int
    splits: int
    depth: int
    smallest_leaf: int


def tree_facts(
    table: Table, tree: dict[str, Any], split_penalty: float, penalize: str = "splits"
) -> TreeFacts:
    """Recompute cost, splits, depth and smallest leaf of a tree the engine returned.

    Also asserts that the node table is well formed: every row ends in exactly one leaf
    and no child is empty.
    """
    split_cost = table.split_cost(split_penalty)
    visited: set[int] = set()

    def below(node: int, rows: np.ndarray) -> TreeFacts:
        assert node not in visited, "a node has two parents"
        visited.add(node)
        assert len(rows) > 0, "an empty child"
        if tree["kind"][node] == 0:
            by_class = np.bincount(
                table.labels[rows], weights=table.weights[rows].astype(float)
            )
            return TreeFacts(
                int(by_class.sum() - by_class.max()) * UNIT, 0, 0, len(rows)
            )
        test = (tree["feature"][node], tree["kind"][node], tree["code"][node])
        out = table.outcomes(*map(int, test))[rows]
        first, n = int(tree["first_child"][node]), int(tree["n_children"][node])
        assert n >= 2, "a split with fewer than two children"
        slots = range(first, first + n)
        found = [int(tree["child_outcome"][s]) for s in slots]
        assert sorted(found) == sorted(np.unique(out)), "children and outcomes differ"
        parts = [
            below(int(tree["children"][s]), rows[out == tree["child_outcome"][s]])
            for s in slots
        ]
        return TreeFacts(
            split_cost * n_penalties(n, penalize) + sum(p.cost for p in parts),
            1 + sum(p.splits for p in parts),
            1 + max(p.depth for p in parts),
            min(p.smallest_leaf for p in parts),
        )

    facts = below(0, np.arange(len(table.labels)))
    assert visited == set(range(len(tree["kind"]))), "unreachable nodes"
    return facts


def random_table(
    rng: np.random.Generator,
    *,
    max_rows: int = 14,
    max_features: int = 4,
    max_values: int = 4,
    kinds: Sequence[int] = (ORDERED, MULTIWAY, ONE_VS_REST),
) -> Table:
    """Return a random small problem, with a planted rule or noise, perhaps weighted."""
    n = int(rng.integers(1, max_rows + 1))
    q = int(rng.integers(1, max_features + 1))
    n_classes = int(rng.choice([1, 2, 2, 2, 3, 4]))
    n_values = rng.integers(1, max_values + 1, size=q)
    codes = np.column_stack([rng.integers(0, v, size=n) for v in n_values])
    labels = rng.integers(0, n_classes, size=n)
    if rng.random() < 0.5:  # a rule on two columns, sometimes broken
        rule = (codes[:, 0] + 2 * codes[:, -1] * (codes[:, 0] > 0)) % n_classes
        labels = np.where(rng.random(n) < 0.85, rule, labels)
    weighted = rng.random() < 0.3
    weights = rng.integers(1, 6, size=n) if weighted else np.ones(n, dtype=np.int64)
    return Table(
        kinds=rng.choice(np.asarray(kinds), size=q),
        n_values=n_values,
        codes=codes,
        labels=labels,
        n_classes=n_classes,
        weights=weights,
    )


def random_limits(
    rng: np.random.Generator, rules: Sequence[str] = ("leaves", "splits")
) -> dict[str, Any]:
    """Return a random penalty and limits; each limit is absent half of the time."""
    return {
        "split_penalty": float(rng.choice([0.0, 0.001, 0.01, 0.03, 0.1, 0.25])),
        "max_depth": int(rng.choice([-1, -1, -1, 0, 1, 2, 3])),
        "max_splits": int(rng.choice([-1, -1, -1, -1, 0, 1, 2, 3])),
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2, 3])),
        "penalize": str(rng.choice(np.asarray(rules))),
    }


def engine_arguments(table: Table) -> dict[str, Any]:
    """The table as keyword arguments of the engine's `solve`."""
    return {
        "kinds": np.ascontiguousarray(table.kinds, dtype=np.int32),
        "n_values": np.ascontiguousarray(table.n_values, dtype=np.int32),
        "codes": np.ascontiguousarray(table.codes.T.ravel(), dtype=np.int32),
        "labels": np.ascontiguousarray(table.labels, dtype=np.int32),
        "n_classes": table.n_classes,
        "weights": np.ascontiguousarray(table.weights, dtype=np.float64),
    }
