"""Brute force: every tree within a budget, listed one by one.

Plain Python on sets of rows. A tree is a nested tuple: ``()`` for a leaf, else
``(feature, groups, trees)`` with the groups of rows that the test makes and the tree on
each. Tests of one feature that make the same groups are one test; a split whose
children are all leaves of the same class is none.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from oracle import UNIT, Table, n_penalties


def all_trees(
    table: Table,
    split_cost: int,
    budget: int,
    max_depth: int,
    min_samples_leaf: int,
    penalize: str = "splits",
    columns: np.ndarray | None = None,
    costs: np.ndarray | None = None,
    leaf=None,
) -> list[tuple[int, tuple]]:
    """Return (cost, tree) of every tree that costs at most the budget.

    `columns` says which features stand for the same column: tests of one column that
    part a node's rows alike are one test. With costs of each row and action, a row's
    least cost is taken off, and a leaf takes its cheapest action. `leaf` may be given
    instead: from rows to a cost and what is predicted.
    """
    tests = {}
    for feature, kind, code in table.tests():
        out = table.outcomes(feature, kind, code)
        own = feature if columns is None else int(columns[feature])
        tests.setdefault(own, []).append(out)

    def labelled(rows):
        if costs is not None:
            above = costs[list(rows)] - costs[list(rows)].min(axis=1, keepdims=True)
            return above.sum(axis=0).min(), int(np.argmin(above.sum(axis=0)))
        by_class = [0] * table.n_classes
        for r in rows:
            by_class[table.labels[r]] += int(table.weights[r])
        return (sum(by_class) - max(by_class)) * UNIT, int(np.argmax(by_class))

    leaf = leaf or labelled

    @cache
    def below(rows, depth):
        """Every tree on these rows, whatever it costs."""
        trees = [(leaf(rows)[0], ())]
        if depth == 0:
            return trees
        for feature, outcomes in tests.items():
            seen = set()
            for out in outcomes:
                values = sorted({int(out[r]) for r in rows})
                groups = tuple(tuple(r for r in rows if out[r] == v) for v in values)
                if len(groups) < 2 or frozenset(groups) in seen:
                    continue
                seen.add(frozenset(groups))
                if min(map(len, groups)) < min_samples_leaf:
                    continue
                groups = tuple(sorted(groups))
                paid = n_penalties(len(groups), penalize)
                joint = [(paid * split_cost, ())]
                for group in groups:
                    joint = [
                        (cost + more, (*parts, tree))
                        for cost, parts in joint
                        for more, tree in below(group, depth - 1)
                        if cost + more <= budget
                    ]
                one_class = len({leaf(group)[1] for group in groups}) == 1
                trees += [
                    (cost, (feature, groups, parts))
                    for cost, parts in joint
                    if not (one_class and not any(parts))
                ]
        return trees

    n = len(table.labels)
    depth = n if max_depth < 0 else max_depth
    return [t for t in below(tuple(range(n)), depth) if t[0] <= budget]


def engine_tree(table: Table, tree: dict, columns: np.ndarray) -> tuple:
    """Return a tree of the engine in the form of `all_trees`."""

    def below(node, rows):
        if tree["kind"][node] == 0:
            return ()
        out = table.outcomes(
            int(tree["feature"][node]), int(tree["kind"][node]), int(tree["code"][node])
        )
        first, n = int(tree["first_child"][node]), int(tree["n_children"][node])
        parts = []
        for slot in range(first, first + n):
            group = tuple(r for r in rows if out[r] == tree["child_outcome"][slot])
            parts.append((group, below(int(tree["children"][slot]), group)))
        parts.sort()
        return (
            int(columns[tree["feature"][node]]),
            tuple(group for group, _ in parts),
            tuple(t for _, t in parts),
        )

    return below(0, tuple(range(len(table.labels))))


def splits_of(tree: tuple) -> int:
    """Return the number of splits of a tree."""
    return 1 + sum(splits_of(t) for t in tree[2]) if tree else 0


def features_of(tree: tuple) -> set[int]:
    """Return the features that a tree tests."""
    if not tree:
        return set()
    return {tree[0]}.union(*(features_of(t) for t in tree[2]))
