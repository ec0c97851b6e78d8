"""Brute force for restricted trees: directions, lists, paths and costs of tests.

Plain recursion over sets of rows, states of a path and leaves' predictions; it shares
nothing with the engines.
"""

from functools import cache

import numpy as np

UNIT = 1 << 20


def tests_of(codes, kinds):
    """Return every test as (column, mask of the rows that answer yes)."""
    tests = []
    for f in range(codes.shape[1]):
        values = np.unique(codes[:, f])
        for c in values[:-1] if kinds[f] == 0 else values:
            yes = codes[:, f] <= c if kinds[f] == 0 else codes[:, f] == c
            tests.append((f, sum(1 << int(i) for i in np.flatnonzero(yes))))
    return tests


def least_cost(
    codes,
    kinds,
    say,
    n_actions,
    split_cost,
    *,
    depth,
    splits=-1,
    min_leaf=1,
    directions=None,
    is_list=False,
    allowed=None,
    charge=None,
):
    """The least cost of any tree of splits into two.

    `say(mask, action)` is what rows cost if their leaf predicts the action. `allowed`
    takes the columns of a path, and one more; `charge` takes the columns of a path, one
    more, and a mask of rows, and returns what these rows pay.
    """
    n = len(codes)
    tests = tests_of(codes, kinds)

    def leaf(mask):
        return min(say(mask, a) for a in range(n_actions))

    @cache
    def best(mask, path, d, s):
        found = leaf(mask)
        if d == 0 or s == 0:
            return found
        for f, yes in tests:
            left, right = mask & yes, mask & ~yes
            if min(left.bit_count(), right.bit_count()) < min_leaf:
                continue
            if allowed is not None and not allowed(path | {f}):
                continue
            base = split_cost + (0 if charge is None else charge(path, f, mask))
            below = path | {f} if allowed is not None or charge is not None else path
            if directions is not None and directions[f]:
                low, high = (0, 1) if directions[f] > 0 else (1, 0)
                found = min(
                    found,
                    base + say(left, low) + best(right, below, d - 1, s - 1),
                    base + best(left, below, d - 1, s - 1) + say(right, high),
                )
            elif is_list:
                found = min(
                    found,
                    base + leaf(left) + best(right, below, d - 1, s - 1),
                    base + best(left, below, d - 1, s - 1) + leaf(right),
                )
            else:
                for k in range(s) if splits >= 0 else [s]:
                    rest = s - 1 - k if splits >= 0 else s
                    found = min(
                        found,
                        base
                        + best(left, below, d - 1, k)
                        + best(right, below, d - 1, rest),
                    )
        return found

    depth = n if depth < 0 else depth
    return best((1 << n) - 1, frozenset(), depth, splits if splits >= 0 else n)


def errors(labels, weights):
    """Return the costs of labels, in the whole numbers of the engines."""
    n = len(labels)

    @cache
    def say(mask, action):
        rows = [i for i in range(n) if mask >> i & 1 and labels[i] != action]
        return UNIT * int(weights[rows].sum())

    return say
