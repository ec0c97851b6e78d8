"""Brute force: every tree that keeps constraints, with the actions of its leaves.

Plain Python on sets of rows. A tree is the number of an action for a leaf, else
``(column, groups, trees)`` with the groups of rows that the test makes and the tree on
each. Tests of one column that make the same groups are one test; a split whose children
are all leaves of the same action is none.
"""

from __future__ import annotations

from functools import cache

from oracle import n_penalties


class TooManyError(Exception):
    """There are too many trees to list them in a test."""


def tests_of(problem, rows):
    """For each column the ways in which it parts these rows of a table."""
    out = []
    for name, values in problem.columns.items():
        of_column = []
        for outcome in problem._splits(name, [values[r] for r in rows]):
            of_column.append({r: outcome(values[r]) for r in rows})
        out.append(of_column)
    return out


def labelled_trees(problem, rows, adds, penalty, budget, options, most=30_000):
    """Return (cost, sums, tree) of every tree of at most this cost.

    `adds[row][action]` is a cost, which is not negative, then numbers that are summed
    up.
    """
    tests = tests_of(problem, rows)
    k = len(adds[rows[0]])

    @cache
    def below(rows, depth):
        trees = []
        for action in range(k):
            own = [adds[r][action] for r in rows]
            cost, *sums = (sum(each) for each in zip(*own, strict=True))
            if cost <= budget:
                trees.append((cost, tuple(sums), action))
        if depth == 0:
            return trees
        for column, of_column in enumerate(tests):
            seen = set()
            for outcome in of_column:
                groups = {}
                for r in rows:
                    groups.setdefault(outcome[r], []).append(r)
                groups = tuple(sorted(map(tuple, groups.values())))
                if len(groups) < 2 or groups in seen:
                    continue
                seen.add(groups)
                if min(map(len, groups)) < options["min_samples_leaf"]:
                    continue
                trees += split(column, groups, depth)
        if len(trees) > most:
            raise TooManyError
        return trees

    def split(column, groups, depth):
        width = len(adds[rows[0]][0]) - 1
        paid = penalty * n_penalties(len(groups), options["penalize"])
        joint = [(paid, (0,) * width, ())]
        for group in groups:
            joint = [
                (cost + more, tuple(map(sum, zip(sums, own, strict=True))), (*t, tree))
                for cost, sums, t in joint
                for more, own, tree in below(group, depth - 1)
                if cost + more <= budget
            ]
            if len(joint) > most:
                raise TooManyError
        return [
            (cost, sums, (column, groups, t))
            for cost, sums, t in joint
            if not (isinstance(t[0], int) and all(one == t[0] for one in t))
        ]

    n = len(rows)
    depth = n if options["max_depth"] is None else min(options["max_depth"], n)
    return [t for t in below(tuple(rows), depth) if t[0] <= budget]


def said_by(tree, rows):
    """Return the action of each row."""
    if isinstance(tree, int):
        return dict.fromkeys(rows, tree)
    out = {}
    for group, part in zip(tree[1], tree[2], strict=True):
        out |= said_by(part, group)
    return out


def columns_of(tree):
    """Return the columns that a tree tests."""
    if isinstance(tree, int):
        return set()
    return {tree[0]}.union(*map(columns_of, tree[2]))


def size_of(tree):
    """Return the number of splits."""
    return 0 if isinstance(tree, int) else 1 + sum(map(size_of, tree[2]))


def as_listed(near, frame, rows):
    """Return a tree of the set in the form of `labelled_trees`."""
    tree = near.tree
    leaves = near.model.apply(frame)

    def below(node):
        children = sorted({int(c) for c in tree.node_children(node)})
        if not children:
            own = tuple(r for r in rows if leaves[r] == node)
            return own, int(tree.action[node])
        parts = sorted((below(child) for child in children), key=lambda part: part[0])
        groups = tuple(part[0] for part in parts)
        whole = tuple(sorted(r for group in groups for r in group))
        return whole, (int(tree.feature[node]), groups, tuple(p[1] for p in parts))

    return below(0)[1]
