"""Joins the solutions of the parts of a table into a tree with a split above them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treeproof.tree.split_table import SplitTable, split_table

__all__ = ["Part", "Parts", "Share", "impossible", "join", "shares"]

_SPLIT_TABLE = ("feature", "kind", "code", "n_children")


@dataclass(frozen=True)
class Part:
    """What is known about the best tree of some rows, in units of the whole problem."""

    lower: Any
    upper: Any
    tree: SplitTable | None  # None: no tree is possible
    merged: int = 0


_NOTHING = Part(math.inf, math.inf, None)
Parts = list[Part]
"""Parts by the number of splits that they may have; without a limit a single one."""


@dataclass(frozen=True)
class Share:
    """How many splits each child gets, for the least cost and for the least bound."""

    upper: tuple[int, ...]
    lower: tuple[int, ...]


def shares(below: list[Parts], most: int | None) -> Iterator[tuple[int, Share]]:
    """Return the best way to share out each number of splits among children.

    The place of the result counts the splits of the whole part, this one included.
    """
    if most is None:
        single = (0,) * len(below)
        yield 0, Share(single, single)
        return
    chosen = {}
    for name in ("upper", "lower"):
        costs: list[Any] = [0] * (most + 1)
        ways: list[tuple[int, ...]] = [()] * (most + 1)
        for parts in below:
            values = [getattr(part, name) for part in parts]
            best = [
                min(range(k + 1), key=lambda s, k=k: costs[k - s] + values[s])  # type: ignore[misc]
                for k in range(most + 1)
            ]
            ways = [(*ways[k - s], s) for k, s in enumerate(best)]
            costs = [costs[k - s] + values[s] for k, s in enumerate(best)]
        chosen[name] = ways
    for k in range(most + 1):
        yield k + 1, Share(chosen["upper"][k], chosen["lower"][k])


def impossible(most: int | None) -> Parts:
    """Return the answer for rows on which no tree is allowed."""
    return [_NOTHING] * (1 if most is None else most + 1)


def join(
    column: int, kind: int, code: int, outcomes: list[int], parts: list[Part]
) -> SplitTable | None:
    """Join the split tables of the children below a new root."""
    n = len(parts)
    columns: dict[str, list[Any]] = {
        "feature": [column], "kind": [kind], "code": [code], "n_children": [n],
    }  # fmt: skip
    first, slots, outcomes = [0], [], list(outcomes)
    below: list[int] = []
    nodes = 1
    for part in parts:
        slots.append(nodes)
        tree = part.tree
        assert tree is not None
        for name in _SPLIT_TABLE:
            columns[name] += np.asarray(tree[name]).tolist()  # type: ignore[literal-required]
        first += (np.asarray(tree["first_child"]) + n + len(below)).tolist()
        below += (np.asarray(tree["children"]) + nodes).tolist()
        outcomes += np.asarray(tree["child_outcome"]).tolist()
        nodes += len(tree["kind"])
    columns |= {"first_child": first, "children": slots + below,
                "child_outcome": outcomes}  # fmt: skip
    return split_table(**columns)
