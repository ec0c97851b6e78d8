"""What runs on a worker: some subproblems, each for a slice of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treeproof.cluster.table import Branch, Outcome, SharedTable

__all__ = ["Slice", "work"]


class Slice(NamedTuple):
    """A subproblem, how long to work on it, and the bound that is enough."""

    branch: Branch
    depth_left: int | None
    seconds: float
    cutoff: int


def work(table: SharedTable, slices: Sequence[Slice]) -> list[Outcome]:
    """Work on subproblems one after the other."""
    return [
        table.solve_part(
            table.rows_of(part.branch),
            part.depth_left,
            seconds=part.seconds,
            cutoff=part.cutoff,
        )
        for part in slices
    ]
