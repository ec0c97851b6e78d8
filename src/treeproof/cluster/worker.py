"""The function that runs on a worker: some subproblems, each for a slice of time.

A worker process remembers what its searches have proved, so that a subproblem that
comes back goes on where it was, and parts that several subproblems share are solved
once. It is told what other workers have proved, and tells them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from treeproof import _core
from treeproof.cluster.table import Branch, Outcome, SharedTable
from treeproof.limits import machine_memory

__all__ = ["RECORD_BYTES", "Report", "Slice", "forget", "work"]

RECORD_BYTES = 40
LEAST_EFFORT = 200  # microseconds; bounds that took less effort are not sent
MOST_MEMOS = 2  # fits that may be under way at the same time

_memos: dict[str, Any] = {}
_lock = threading.Lock()


class Slice(NamedTuple):
    """A subproblem, how long to work on it, and the bound that is enough (0: none)."""

    branch: Branch
    depth_left: int | None
    seconds: float
    cutoff: int


class Report(NamedTuple):
    """The results of some slices, and bounds that other workers may use."""

    outcomes: list[Outcome]
    news: bytes


def work(
    table: SharedTable, slices: Sequence[Slice], run: str, records: bytes, most: int
) -> Report:
    """Work on subproblems one after the other.

    Parameters
    ----------
    table : SharedTable
        The whole table.
    slices : sequence of Slice
        The subproblems.
    run : str
        The name of the fit, under which proved bounds are kept.
    records : bytes
        Bounds that other workers have proved.
    most : int
        How many records the report may have.
    """
    memo = _memo(run)
    memo.learn(records)
    outcomes = [
        table.solve_part(
            memo,
            table.rows_of(part.branch),
            part.depth_left,
            seconds=part.seconds,
            cutoff=part.cutoff,
        )
        for part in slices
    ]
    return Report(outcomes, memo.news(LEAST_EFFORT, most))


def forget(run: str) -> None:
    """Free the memory of a fit that has ended."""
    with _lock:
        _memos.pop(run, None)


def _memo(run: str) -> Any:
    with _lock:
        if run not in _memos:
            while len(_memos) >= MOST_MEMOS:
                _memos.pop(next(iter(_memos)))
            _memos[run] = _core.SharedMemo(_memory() // 2)
        return _memos[run]


def _memory() -> int:
    """Return the bytes this worker may take."""
    try:
        from distributed import get_worker

        limit = get_worker().memory_manager.memory_limit
    except (ImportError, ValueError):  # not on a worker
        limit = None
    if limit:
        return int(limit)
    return machine_memory() // (os.cpu_count() or 1)
