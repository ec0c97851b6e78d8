"""`python -m benchmarks.branches_iterations`: BRANCHES beside Table 4.3 of the thesis.

One row per data set: iterations here and in the thesis, their ratio, iterations per
second here (CPU time of the search) and how many times faster than the published Python
program that is, seconds, and whether optimality was proved. Where the thesis ran out of
its 300 seconds its iterations say how far it came, not how many a proof takes.
"""

from __future__ import annotations

import time
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from treeproof import _core
from treeproof.reproduce.figures.thesis import TABLE_4_3

from .problems import ONE_HOT, ORDINAL, Problem, load

LIMIT_OF_THESIS = 300
FILES = {"tic-tac-toe": "tictactoe", "car-eval": "careval", "kr-vs-kp": "krvskp"}


def published() -> dict[str, tuple[int, float]]:
    """Return the iterations and seconds of BRANCHES in Table 4.3, by our names."""
    found = {}
    for (name, program), cells in TABLE_4_3.items():
        if program == "BRANCHES":
            for theirs, ours in FILES.items():
                name = name.replace(theirs, ours)
            late = cells["seconds"] == "TO"
            seconds = LIMIT_OF_THESIS if late else float(cells["seconds"])
            found[name] = int(cells["iterations"]), seconds
    return found


def encode(problem: Problem) -> _core.EncodedTable:
    """Return the problem as the native core wants it."""
    columns = [np.unique(x, return_inverse=True)[1] for x in problem.X.T]
    labels = np.unique(problem.y, return_inverse=True)[1]
    multiway, one_vs_rest = 1, 2
    kind = multiway if problem.categorical else one_vs_rest
    return _core.EncodedTable.with_labels(
        kinds=np.full(len(columns), kind, dtype=np.int32),
        n_values=np.array([c.max() + 1 for c in columns], dtype=np.int32),
        codes=np.concatenate(columns).astype(np.int32),
        weights=np.ones(len(labels)),
        labels=labels.astype(np.int32),
        n_classes=int(labels.max()) + 1,
    )


def main(
    sets: Annotated[str, typer.Option(help="Names, separated by commas.")] = "",
    limit: Annotated[float, typer.Option(help="Seconds for each set.")] = 60.0,
    memory: Annotated[float, typer.Option(help="GB for each set.")] = 6.0,
) -> None:
    """Print the table."""
    names = sets.split(",") if sets else [*ONE_HOT, *ORDINAL]
    table = Table("set", "iterations", "thesis", "ratio", "per second", "times thesis")
    table.add_column("seconds")
    table.add_column("proved")
    for name in names:
        problem = load(name)
        encoded = encode(problem)
        options = _core.SearchOptions(
            split_penalty=problem.penalty,
            time_limit=limit,
            memory_limit=int(memory * 2**30),
        )
        runs = []
        for _ in range(3):  # small sets: the fastest of three
            start = time.process_time()
            result = _core.solve(encoded, options, solver="branches")
            runs.append(time.process_time() - start)
            if runs[0] > 1:
                break
        seconds = min(runs)
        iterations = result["statistics"]["iterations"]
        thesis, published_seconds = published()[name]
        timed_out = published_seconds == LIMIT_OF_THESIS
        rate = iterations / seconds
        table.add_row(
            name,
            f"{iterations:,}",
            f"{'> ' if timed_out else ''}{thesis:,}",
            "" if timed_out else f"{iterations / thesis:.2f}",
            f"{rate:,.0f}",
            f"{rate / (thesis / published_seconds):.0f}",
            f"{seconds:.4f}" if seconds < 1 else f"{seconds:.1f}",
            "yes" if result["status"] == "optimal" else result["status"],
        )
    Console(width=110).print(table)


if __name__ == "__main__":
    typer.run(main)
