"""Noisy data, where proofs are out of reach: who has the better tree, and how soon.

A tree of eight splits over 60 binary features is planted in 1,000 rows and 20% of the
labels are flipped. `python -m benchmarks.noisy` asks ours and STreeD for their best
tree after 5 and after 20 seconds, gives CART its best case (the best tree of its whole
pruning path by our objective), and follows our lower bound over time.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from treeproof.bench.solvers import SOLVERS

from . import isolated
from .problems import penalty_of
from .report import show, to_markdown, wide_console
from .tables import SAME_VALUE, Table

RESULTS = Path(__file__).parent / "results"
# STreeD's clock counts whole seconds and may stop almost one early: it gets one more.
STREED_BONUS = 1.0
HEADSTART = {"streed": STREED_BONUS}
OURS = "treeproof-traced"
SOLVED_BY = (OURS, "streed", "cart")


def best_trees(seeds: list[int], seconds: list[float], core: int | None) -> list[dict]:
    """Return one row per seed, time and solver."""
    rows = []
    for seed in seeds:
        problem = f"planted-{seed}"
        for limit in seconds:
            for solver in SOLVED_BY:
                if not isolated.available(solver):
                    continue
                caps = isolated.Caps(limit + HEADSTART.get(solver, 0.0), core=core)
                if solver == "cart":  # its time does not depend on a limit
                    caps = isolated.Caps(120.0, core=core)
                run = isolated.run(solver, problem, penalty_of(problem), None, caps)
                rows.append({"seed": seed, "limit": limit, "solver": solver, **run})
    return rows


def moments(last: float) -> list[float]:
    """Return the times at which the lower bound is read."""
    return [t for t in (0.1, 0.5, 1, 2, 5, 10, 20, 50) if t < last] + [last]


def bound_at(events: list[list[float]], moment: float) -> float | None:
    """Return the last lower bound told before a moment."""
    before = [lower for seconds, lower, _ in events if seconds <= moment]
    return before[-1] if before else None


def objective_table(rows: list[dict[str, Any]]) -> Table:
    """Objectives side by side; a star marks the best of a line."""
    solvers = [s for s in SOLVED_BY if any(r["solver"] == s for r in rows)]
    table = Table(
        "Objective (error + penalty x splits) on planted trees with 20% noise",
        [
            "seed, seconds",
            *(SOLVERS[s].title for s in solvers),
            "ours: lower bound",
            "gap",
        ],
    )
    behind = []
    for key in sorted({(r["seed"], r["limit"]) for r in rows}):
        line = {r["solver"]: r for r in rows if (r["seed"], r["limit"]) == key}
        values = {s: line[s].get("objective") for s in solvers if s in line}
        known = [v for v in values.values() if v is not None]
        best = min(known, default=0.0)
        cells = []
        for s in solvers:
            value = values.get(s)
            if value is None:
                cells.append(line[s]["status"] if s in line else "")
            else:
                cells.append(f"{value:.4f}" + ("*" if value <= best + 1e-9 else ""))
        ours = line.get(OURS, {})
        value, lower = ours.get("objective"), ours.get("lower_bound")
        gap = "" if value is None else f"{value - lower:.4f}"
        name = f"{key[0]}, {key[1]:g} s"
        table.rows.append([name, *cells, "" if lower is None else f"{lower:.4f}", gap])
        if value is None or value > best + SAME_VALUE:
            behind.append(name)
    table.notes.append(
        f"Ours is behind on {', '.join(behind)}."
        if behind
        else f"Ours is never behind in {len(table.rows)} comparisons."
    )
    return table


def bound_table(rows: list[dict[str, Any]]) -> Table | None:
    """Our lower bound over time, from the events of the longest run of each seed."""
    longest = max(r["limit"] for r in rows)
    runs = [r for r in rows if r["solver"] == OURS and r["limit"] == longest]
    if not runs:
        return None
    times = moments(longest)
    table = Table(
        "Lower bound of ours over time", ["seed", *(f"{t:g} s" for t in times)]
    )
    for run in runs:
        events = json.loads(run.get("detail") or "{}").get("events", [])
        bounds = [bound_at(events, t) for t in times[:-1]] + [run.get("lower_bound")]
        table.rows.append(
            [str(run["seed"]), *("" if b is None else f"{b:.4f}" for b in bounds)]
        )
        told = [b for b in bounds if b is not None]
        if told != sorted(told):
            table.notes.append(f"The bound of seed {run['seed']} falls!")
    return table


def write_rows(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the rows without the events."""
    columns = list(dict.fromkeys(k for r in rows for k in r if k != "detail"))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def main(
    seeds: Annotated[int, typer.Option(help="how many seeds")] = 5,
    seconds: Annotated[str, typer.Option(help="limits, commas between")] = "5,20",
    core: Annotated[int | None, typer.Option(help="pin every fit to a core")] = None,
    output: Annotated[Path, typer.Option(help="folder of the results")] = RESULTS,
) -> None:
    """Compare trees found under a time limit on noisy data."""
    console = wide_console()
    limits = [float(s) for s in seconds.split(",")]
    rows = best_trees(list(range(seeds)), limits, core)
    tables = [t for t in (objective_table(rows), bound_table(rows)) if t]
    output.mkdir(parents=True, exist_ok=True)
    write_rows(rows, output / "noisy.csv")
    (output / "noisy.md").write_text("\n".join(to_markdown(t) for t in tables))
    for table in tables:
        show(table, console)


if __name__ == "__main__":
    typer.run(main)
