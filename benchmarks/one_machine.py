"""Threads and memory of the search over literals, on the sets of Table 4.2.

`python -m benchmarks.one_machine threads` solves each set with one and with more
threads: CPU time in all, the share of the leading thread, and the speed-up that follows
where every thread has a processor of its own. `python -m benchmarks.one_machine memory`
solves sets with a quarter of the memory that the search takes if it may.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

app = typer.Typer(help=__doc__)


def _solve(name: str, **options: Any) -> tuple[dict[str, Any], float, float]:
    """Return the answer, the CPU time of all threads and that of this one."""
    import table42
    from oracle import engine_arguments

    from treeproof import _core

    arguments = engine_arguments(table42.load(name))
    cpu, lead = time.process_time(), time.thread_time()
    answer = _core.solve(
        solver="sparse", split_penalty=table42.penalty(name), **options, **arguments
    )
    return answer, time.process_time() - cpu, time.thread_time() - lead


@app.command()
def threads(
    names: Annotated[str, typer.Option()] = "lymph,lymph-f,balance,balance-f",
    most: Annotated[int, typer.Option(help="Threads at most.")] = 2,
) -> None:
    """One thread against several."""
    for name in names.split(","):
        alone, base, _ = _solve(name)
        for n in range(2, most + 1):
            answer, cpu, lead = _solve(name, n_jobs=n)
            assert answer["upper"] == alone["upper"]
            busiest = max(lead, (cpu - lead) / (n - 1))
            print(
                f"{name:10} {n} threads: CPU {base:.2f} -> {cpu:.2f} s "
                f"(x {cpu / base:.2f}), lead {lead / cpu:.0%}, "
                f"speed-up with a processor each {base / busiest:.2f}"
            )


@app.command()
def memory(
    names: Annotated[str, typer.Option()] = "tictactoe,careval,nursery,balance,lymph",
) -> None:
    """A quarter of the memory."""
    for name in names.split(","):
        free, base, _ = _solve(name)
        used = free["statistics"]
        quarter = used["memory_bytes"] // 4
        tight, cpu, _ = _solve(name, memory_limit=quarter)
        print(
            f"{name:10} {used['memory_bytes'] / 1e6:.2f} MB, "
            f"{used['memo_bytes'] / used['memo_entries']:.0f} bytes a memo entry; "
            f"limit {quarter / 1e6:.2f}: "
            f"{tight['statistics']['memory_bytes'] / 1e6:.2f} MB, {tight['status']}, "
            f"CPU x {cpu / base:.2f}"
        )


if __name__ == "__main__":
    app()
