"""`python -m benchmarks`: run the suites, then write the tables and the plot."""

from __future__ import annotations

import datetime
import enum
import platform
import statistics
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from treeproof.bench.solvers import SOLVERS

from . import isolated
from .problems import GENERATED, DataMissingError, data_folder
from .report import wide_console, write_report
from .store import Row, Store
from .suites import SUITES, Task, tasks

RESULTS = Path(__file__).parent / "results"
REPEAT_BELOW_SECONDS = 1.0
REPEATS = 3


class Clock(enum.Enum):
    """Which seconds the tables show; the CSV file has both."""

    cpu = "cpu"
    wall = "wall"


def processor() -> str:
    """Return the name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def measure(task: Task, caps: isolated.Caps) -> Row:
    """Run one task; a short one three times, of which the median is kept."""

    def once() -> Row:
        return isolated.run(
            task.solver, task.problem, task.penalty, task.max_depth, caps
        )

    runs = [once()]
    while runs[0]["status"] == "optimal" and len(runs) < REPEATS:
        if runs[0]["cpu"] > REPEAT_BELOW_SECONDS:
            break
        runs.append(once())
    finished = [r for r in runs if r["status"] == runs[0]["status"]]
    middle = statistics.median_low([r.get("cpu") or 0.0 for r in finished])
    row = next(r for r in finished if (r.get("cpu") or 0.0) == middle)
    return {
        **row,
        "limit": caps.seconds,
        "repeats": len(runs),
        "core": caps.core,
        "patience": caps.patience,
        "memory_cap_mb": caps.memory_mb,
        "machine": processor(),
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def describe(row: Row) -> str:
    """Return the outcome of a run in a few words."""
    if row["status"] == "error":
        return f"[red]error[/red] {row['detail']}"
    if row["status"] == "absent":
        return f"left out: {row['detail']} on this machine"
    time = f"{row['cpu']:.3f} s" if row.get("cpu") is not None else "cut"
    memory = f"{row.get('peak_mb') or 0:.0f} MB"
    value = row.get("objective")
    found = f"objective {value:.5f}" if value is not None else "no tree"
    return f"{row['status']:8} {time:>10} {memory:>9}  {found}"


def _names(text: str | None) -> list[str] | None:
    return text.replace(",", " ").split() if text else None


def _check(chosen: list[str] | None, known: object, what: str) -> None:
    unknown = [name for name in chosen or [] if name not in known]
    if unknown:
        raise typer.BadParameter(f"unknown {what}: {', '.join(unknown)}")


def main(
    suites: Annotated[str | None, typer.Option(help="of: " + ", ".join(SUITES))] = None,
    sets: Annotated[str | None, typer.Option(help="names, commas between")] = None,
    solvers: Annotated[str | None, typer.Option(help=", ".join(SOLVERS))] = None,
    limit: Annotated[float, typer.Option(help="CPU seconds per fit")] = 60.0,
    resume: Annotated[bool, typer.Option(help="keep peers' stored rows")] = False,
    memory: Annotated[float, typer.Option(help="GB of resident memory per fit")] = 8.0,
    core: Annotated[int | None, typer.Option(help="pin every fit to a core")] = None,
    patience: Annotated[
        float, typer.Option(help="wall seconds allowed per CPU second (busy machine)")
    ] = 1.0,
    clock: Annotated[Clock, typer.Option(help="time shown in the tables")] = Clock.cpu,
    report: Annotated[bool, typer.Option(help="only rewrite tables and plot")] = False,
    output: Annotated[Path, typer.Option(help="folder of the results")] = RESULTS,
) -> None:
    """Measure treeproof and its peers and write CSV, Markdown and a plot."""
    console = wide_console()
    suite_names = _names(suites) or list(SUITES)
    _check(suite_names, SUITES, "suite")
    _check(_names(solvers), SOLVERS, "solver")
    store = Store(output / "runs.csv")
    if not report:
        todo = list(tasks(suite_names, _names(sets), _names(solvers)))
        if any(t.problem.split("-")[0] not in GENERATED for t in todo):
            try:
                data_folder()
            except DataMissingError as missing:
                console.print(str(missing), style="red")
                raise typer.Exit(2) from None
        caps = isolated.Caps(limit, memory * 1000, core, patience)
        run_all(todo, caps, store, resume, console)
    write_report(store, output, console, clock.value)


def run_all(
    todo: list[Task], caps: isolated.Caps, store: Store, resume: bool, console: Console
) -> None:
    """Measure what is not settled yet, one process at a time."""
    missing = {t.solver for t in todo if not isolated.available(t.solver)}
    if missing:
        console.print(
            f"Not installed, left out: {', '.join(sorted(missing))} "
            "(`make peers` installs the peers).",
            style="yellow",
        )
    todo = [t for t in todo if t.solver not in missing]
    for number, task in enumerate(todo, start=1):
        depth = "" if task.max_depth is None else f" depth {task.max_depth}"
        label = f"[{number}/{len(todo)}] {task.suite} {task.problem}{depth}"
        title = SOLVERS[task.solver].title
        keep = resume and SOLVERS[task.solver].peer
        if keep and store.settled(task, caps.seconds):
            continue
        row = measure(task, caps)
        store.put(task, row)
        console.print(
            f"{label:44} {title:18} {describe(row)}", highlight=False, soft_wrap=True
        )


if __name__ == "__main__":
    typer.run(main)
