"""The measured rows, kept as a CSV file that is rewritten after every run.

With `--resume` the rows of peers that are already there are kept, since they take
most of an hour; ours are always measured anew.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .suites import Task

# Columns of the file and what their text stands for.
COLUMNS: dict[str, Callable[[str], Any]] = {
    "suite": str,
    "problem": str,
    "solver": str,
    "penalty": float,
    "max_depth": int,
    "limit": float,
    "status": str,
    "cpu": float,
    "wall": float,
    "objective": float,
    "claimed": float,
    "lower_bound": float,
    "splits": int,
    "steps": int,
    "rows": int,
    "features": int,
    "peak_mb": float,
    "start_mb": float,
    "total_wall": float,
    "repeats": int,
    "core": int,
    "patience": float,
    "memory_cap_mb": float,
    "version": str,
    "python": str,
    "machine": str,
    "when": str,
    "detail": str,
}

Row = dict[str, Any]


def starved(row: Row) -> bool:
    """Say whether a run gave up by wall time without having had its CPU time."""
    return row["status"] == "open" and row["cpu"] < 0.95 * row["limit"]


class Store:
    """Rows by task; `path` is written on every change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row] = []
        if path.exists():
            with path.open(newline="") as file:
                self.rows = [
                    {
                        c: read(text) if (text := record[c]) else None
                        for c, read in COLUMNS.items()
                    }
                    for record in csv.DictReader(file)
                ]

    @staticmethod
    def _same(row: Row, task: Task) -> bool:
        return (
            row["suite"] == task.suite
            and row["problem"] == task.problem
            and row["solver"] == task.solver
            and row["penalty"] == task.penalty
            and row["max_depth"] == task.max_depth
        )

    def find(self, task: Task) -> Row | None:
        """Return the row of a task, if it was measured."""
        return next((r for r in self.rows if self._same(r, task)), None)

    def settled(self, task: Task, limit: float) -> bool:
        """Say whether the stored row answers the task under this limit."""
        row = self.find(task)
        if row is None or row["status"] == "error" or starved(row):
            return False
        proved_earlier = row["status"] == "optimal" and row["limit"] <= limit
        return row["limit"] == limit or proved_earlier

    def put(self, task: Task, row: Row) -> None:
        """Replace or add the row of a task."""
        self.rows = [r for r in self.rows if not self._same(r, task)]
        merged = {**row, **vars(task)}
        self.rows.append({c: merged.get(c) for c in COLUMNS})
        self._write()

    def select(self, suite: str, problems: Iterable[str] | None = None) -> list[Row]:
        """Return the rows of a suite."""
        names = None if problems is None else set(problems)
        return [
            r
            for r in self.rows
            if r["suite"] == suite and (names is None or r["problem"] in names)
        ]

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix(".tmp")
        with fresh.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(
                {c: "" if r[c] is None else r[c] for c in COLUMNS} for r in self.rows
            )
        fresh.replace(self.path)
