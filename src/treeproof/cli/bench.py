"""``treeproof bench``: other solvers and ours on the same tables, side by side."""

from __future__ import annotations

import csv
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from treeproof.cli import completion
from treeproof.cli.outputs import check_folder

__all__ = ["bench", "register"]

_WORDS = {
    "open": "no proof", "time": "time limit", "memory": "memory limit",
    "error": "failed", "absent": "not here",
}  # fmt: skip


def bench(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Tables: files, or bundled sets such as monks; none for all bundled "
            "sets.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="The column to predict in the files; the likely one by default.",
            autocompletion=completion.columns,
        ),
    ] = None,
    solvers: Annotated[
        str | None, typer.Option(help="Only these, A,B; all that are installed.")
    ] = None,
    split_penalty: Annotated[
        float, typer.Option(help="What a split costs; 0 with --max-depth adds DL8.5.")
    ] = 0.01,
    max_depth: Annotated[int | None, typer.Option(help="Most tests on a path.")] = None,
    limit: Annotated[float, typer.Option(help="CPU seconds for a fit.")] = 30.0,
    memory: Annotated[float, typer.Option(help="GB for a fit.")] = 4.0,
    patience: Annotated[
        float,
        typer.Option(help="Wall seconds allowed for a CPU second, on a busy machine."),
    ] = 1.0,
    cuts: Annotated[
        int, typer.Option(help="Most 0/1 tests made of a column of numbers.")
    ] = 8,
    peers: Annotated[
        str | None,
        typer.Option(help="A Python in whose environment the other solvers are."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--csv", help="Write all figures to a CSV file.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(help="Picture of the performance profile.")
    ] = None,
) -> None:
    """Run treeproof and the other exact solvers that are installed, side by side.

    Every fit runs alone in a process of its own, with limits on time and memory.
    Most solvers take 0/1 tests only, so tables are turned into such tests first,
    the same for all. Objectives are counted anew from every tree, and claims
    that contradict each other are shown. The extra "peers" of treeproof installs
    the others, or name another Python that has them with --peers.

    treeproof bench
    treeproof bench customers.csv --target left --limit 60
    treeproof bench iris wine --split-penalty 0 --max-depth 3 --plot profile.png
    """
    from treeproof.bench.contest import run_contest
    from treeproof.bench.isolated import Caps
    from treeproof.bench.profile import plot_profile

    _check(split_penalty, max_depth, limit, memory, cuts)
    if patience < 1:
        raise ValueError(f"--patience is at least 1, not {patience:g}.")
    check_folder(output)
    check_folder(plot)
    python = None if peers is None else Path(peers)
    chosen, missing = _solvers(solvers, python)
    problems = [
        problem
        for name in data or _bundled()
        for problem in _problems(name, target if data else None, split_penalty, cuts)
    ]
    progress = Console(stderr=True, highlight=False)
    if missing:
        progress.print(f"Not installed, left out: {', '.join(missing)}.", style="dim")
    caps = Caps(limit, memory * 1000, None, patience)
    contest = run_contest(
        problems, chosen, max_depth=max_depth, caps=caps, peers=python,
        say=lambda result: progress.print(_line(result), soft_wrap=True),
    )  # fmt: skip
    _show(contest)
    if output is not None:
        with open(output, "w", newline="") as file:
            rows = [asdict(result) for result in contest.results]
            writer = csv.DictWriter(file, rows[0].keys() if rows else [])
            writer.writeheader()
            writer.writerows(rows)
    if plot is not None:
        plot_profile(contest, plot)


def _check(
    penalty: float, depth: int | None, limit: float, memory: float, cuts: int
) -> None:
    if not 0 <= penalty <= 1:
        raise ValueError(f"--split-penalty is between 0 and 1, not {penalty:g}.")
    if depth is not None and depth < 1:
        raise ValueError(f"--max-depth is at least 1, not {depth}.")
    for name, value in (("--limit", limit), ("--memory", memory), ("--cuts", cuts)):
        if not value > 0:
            raise ValueError(f"{name} is above 0, not {value:g}.")


def _solvers(text: str | None, peers: Path | None) -> tuple[list[str], list[str]]:
    """Return the solvers to run and the titles of those that are not installed."""
    from treeproof.bench.contest import CONTESTANTS, installed
    from treeproof.bench.solvers import SOLVERS

    names = [part.strip() for part in text.split(",")] if text else list(CONTESTANTS)
    for name in names:
        if name not in SOLVERS:
            raise ValueError(
                f"There is no solver {name!r}; the solvers are {', '.join(SOLVERS)}."
            )
    here = [name for name in names if installed(name, peers)]
    return here, [SOLVERS[name].title for name in names if name not in here]


def _bundled() -> list[str]:
    from treeproof.datasets.bundled import BUNDLED

    return [name for name in BUNDLED if name not in ("noisy", "diabetes")]


def _problems(name: str, target: str | None, penalty: float, cuts: int) -> list[Any]:
    """Return a table as 0/1 tests and, if all of it is numbers, as it is."""
    from treeproof.bench.tables import binary_problem, numeric_problem
    from treeproof.datasets.bundled import BUNDLED
    from treeproof.explorer.question import first_question
    from treeproof.explorer.tables import bundled_table, read_path

    table = bundled_table(name) if name in BUNDLED else read_path(name)
    question = first_question(table, None if name in BUNDLED else target)
    if question.numeric:
        raise ValueError(
            f"The target {question.target!r} of {name!r} holds amounts; the other "
            "solvers predict classes. Name another one with --target."
        )
    X, y = table.take(question.columns), table.columns[question.target]
    binary = binary_problem(table.stem, X, y, penalty=penalty, cuts=cuts)
    numbers = numeric_problem(table.stem, X, y, penalty=penalty)
    return [binary] if numbers is None else [binary, numbers]


def _line(result: Any) -> str:
    from treeproof.bench.solvers import SOLVERS

    return f"{result.problem}: {SOLVERS[result.solver].title} {_cell(result)}"


def _cell(result: Any) -> str:
    if result.seconds is None:
        return _WORDS.get(result.status, result.status)
    proof = "" if result.proved else f" ({_WORDS.get(result.status, result.status)})"
    return f"{result.seconds:.3f} s{proof}"


def _show(contest: Any) -> None:
    from treeproof.bench.solvers import SOLVERS

    solvers = list(dict.fromkeys(r.solver for r in contest.results))
    table = Table(
        title="CPU seconds to a proof; least objective found", title_justify="left",
        box=SIMPLE_HEAD,
    )  # fmt: skip
    table.add_column("problem")
    for solver in solvers:
        table.add_column(SOLVERS[solver].title, justify="right", no_wrap=True)
    table.add_column("objective", justify="right")
    for name in contest.problems:
        results = {r.solver: r for r in contest.of(name)}
        best = min((r.objective for r in results.values() if r.objective is not None),
                   default=None)  # fmt: skip
        cells = []
        for solver in solvers:
            result = results.get(solver)
            worse = (
                "*" if result is not None and result.objective is not None
                and best is not None and result.objective > best + 1e-9 else ""
            )  # fmt: skip
            cells.append("" if result is None else _cell(result) + worse)
        table.add_row(name, *cells, "" if best is None else f"{best:.5f}")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=30 + 24 * (len(solvers) + 1))
    console.print(table)
    console.print("* its tree is worse than the best one found", style="dim")
    starved = contest.starved()
    if starved:
        console.print(
            f"Stopped by the clock, short of CPU time: {', '.join(starved)}; the "
            "machine is busy, raise --patience.",
            style="yellow", soft_wrap=True,
        )  # fmt: skip
    for text in contest.contradictions():
        console.print(f"CONTRADICTION {text}.", style="bold red", soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(bench)
