"""Linearly separable dichotomies by linear programming, and trees by brute force."""

from itertools import product

import numpy as np
from scipy.optimize import linprog


def separable(X, positive):
    """Return whether a hyperplane separates these rows from all others."""
    sign = np.where(positive, 1.0, -1.0)[:, None]
    rows = -sign * np.c_[X, np.ones(len(X))]
    free = [(None, None)] * rows.shape[1]
    zero = np.zeros(rows.shape[1])
    result = linprog(zero, A_ub=rows, b_ub=-np.ones(len(X)), bounds=free)
    return result.status == 0


def separable_sides(X):
    """Return every separable dichotomy with two non-empty sides once, as masks."""
    points, where = np.unique(X, axis=0, return_inverse=True)
    sides = []
    for rest in product([False, True], repeat=len(points) - 1):
        positive = np.array([True, *rest])
        if not positive.all() and separable(points, positive):
            sides.append(positive[where.reshape(-1)])
    return sides


def best_cost(sides, y, n_splits, *, weights=None, penalty=0.0, depth=99, least=1):
    """Least cost of a tree over the given dichotomies, by trying all of them.

    A hyperplane that separates some of the rows can be moved off all others, so the
    dichotomies of a part of the rows are those of all rows, restricted.
    """
    y = np.asarray(y)
    weights = np.ones(len(y)) if weights is None else np.asarray(weights)
    memo = {}

    def best(rows, k, levels):
        key = rows, k, levels
        if key in memo:
            return memo[key]
        here = list(rows)
        totals = np.bincount(y[here], weights[here])
        cost = totals.sum() - totals.max()
        if k and levels:
            for left in {tuple(r for r in rows if side[r]) for side in sides}:
                right = tuple(r for r in rows if r not in left)
                if min(len(left), len(right)) < least:
                    continue
                for a in range(k):
                    low = best(left, a, levels - 1)
                    high = best(right, k - 1 - a, levels - 1)
                    cost = min(cost, penalty + low + high)
        memo[key] = cost
        return cost

    return best(tuple(range(len(y))), n_splits, depth)
