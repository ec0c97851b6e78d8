"""Constraints that can be tested on the way down: prefix-closed filters.

If a tree keeps a prefix-closed property, so do its subtrees (Section 4.8.1). The test
can then be fused into the recursion: a subproblem that no tree can satisfy is dropped
before anything is built. A filter sees a subproblem, not a tree; every leaf is itself a
subproblem with no rules left, so testing all subproblems is the same as testing all
trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Subproblem:
    """A place in a tree that is still to be filled.

    Parameters
    ----------
    n_rules : int
        Rules that must be placed here.
    data : object
        Data that reach this place.
    depth : int
        Rules above it.

    Examples
    --------
    >>> Subproblem(n_rules=2, data=0b1111, depth=1).data.bit_count()
    4
    """

    n_rules: int
    data: Any
    depth: int


Filter = Callable[[Subproblem], bool]


def min_leaf_size(least: int) -> Filter:
    """Ask for at least `least` data in every leaf.

    k rules make k + 1 leaves, so a place for k rules needs k + 1 times as many data.

    Examples
    --------
    >>> keep = min_leaf_size(2)
    >>> keep(Subproblem(n_rules=1, data=0b1111, depth=0))
    True
    >>> keep(Subproblem(n_rules=1, data=0b0111, depth=0))
    False
    """
    return lambda place: place.data.bit_count() >= least * (place.n_rules + 1)


def max_depth(most: int) -> Filter:
    """Ask for at most `most` rules on every path.

    k rules need at least the height of a balanced tree.

    Examples
    --------
    >>> keep = max_depth(2)
    >>> keep(Subproblem(n_rules=3, data=None, depth=0))
    True
    >>> keep(Subproblem(n_rules=2, data=None, depth=1))
    False
    """
    return lambda place: place.depth + place.n_rules.bit_length() <= most
