"""Memory: sets of Table 4.2 with a quarter of what the search takes if it may.

`python -m benchmarks.memory` solves each set twice for each solver, in a process of its
own. It exits with status 1 where one is not proved, holds more than its limit, or takes
ten times as long.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from treeproof.bench.usage import peak_megabytes

from .report import show, wide_console
from .tables import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))


@dataclass
class Use:
    """One search in a process of its own."""

    status: str
    upper: int
    megabytes: float  # as the search counts them, at most
    resident: float  # what the process grew by, above what the data take
    entry: float  # bytes of memo for each thing it knows
    cpu: float
    turned: bool  # from best-first search to backtracking


def _peak() -> float:
    """Return the most megabytes since the last call, and begin anew.

    What was freed goes back to the system first, so that nobody grows into it unseen.
    """
    peak = (peak_megabytes() or 0.0) * 1024 * 1024 / 1e6
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return peak


def use(solver: str, name: str, limit: int) -> Use:
    """Solve a set within so many bytes (0: no limit)."""
    import native
    import table42
    from oracle import engine_arguments

    arguments = engine_arguments(table42.load(name))
    arguments |= {"solver": solver, "split_penalty": table42.penalty(name)}
    for _ in range(2):  # the data in every form the engine wants, once all is loaded
        native.solve(time_limit=1e-6, **arguments)
        data = _peak()
    start = time.process_time()
    answer = native.solve(memory_limit=limit, **arguments)
    cpu = time.process_time() - start
    found = answer["statistics"]
    memo = found.get("memo_bytes", found["memory_bytes"])
    return Use(
        status=answer["status"],
        upper=answer["upper"],
        megabytes=found["memory_bytes"] / 1e6,
        resident=max(_peak() - data, 0.0),
        entry=memo / found.get("memo_entries", found.get("branches", 1)),
        cpu=cpu,
        turned=found.get("turned_to_backtracking", 0) == 1,
    )


def _alone(*arguments: Any) -> Use:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(use, arguments)


def main(
    names: Annotated[str, typer.Option()] = "tictactoe,careval,nursery",
    solvers: Annotated[str, typer.Option()] = "sparse,branches",
    part: Annotated[int, typer.Option(help="Allowed: one part of so many.")] = 4,
) -> None:
    """A quarter of the memory."""
    columns = [
        "solver", "set", "MB", "resident", "bytes/entry", "limit", "used", "resident",
        "CPU", "", "status",
    ]  # fmt: skip
    table = Table(f"Memory: one part of {part}", columns)
    missed = False
    for solver in solvers.split(","):
        for name in names.split(","):
            free = _alone(solver, name, 0)
            limit = free.megabytes / part
            tight = _alone(solver, name, int(limit * 1e6))
            times = tight.cpu / free.cpu
            missed |= (
                (tight.status, tight.upper) != ("optimal", free.upper)
                or max(tight.megabytes, tight.resident) > limit
                or times > 10
            )
            table.rows.append([
                solver, name, f"{free.megabytes:.2f}", f"{free.resident:.2f}",
                f"{free.entry:.0f}", f"{limit:.2f}", f"{tight.megabytes:.2f}",
                f"{tight.resident:.2f}", f"{free.cpu:.2f} s", f"x {times:.2f}",
                tight.status + (", backtracking" if tight.turned else ""),
            ])  # fmt: skip
    table.notes.append(
        "MB and used: the most the search held by its own account. Resident: how much "
        "the process grew above one that holds the data and stops at once."
    )
    show(table, wide_console())
    raise typer.Exit(int(missed))


if __name__ == "__main__":
    typer.run(main)
