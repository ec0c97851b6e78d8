"""``treeproof bench``: treeproof and other solvers on the same tables."""

from __future__ import annotations

import csv
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from treeproof.cli import completion
from treeproof.cli.outputs import check_folder

if TYPE_CHECKING:
    from treeproof.bench.contest import Contest, Result
    from treeproof.bench.problem import Problem
    from treeproof.bench.suites import Making, Suite

__all__ = ["bench", "register"]

_WORDS = {
    "open": "no proof", "time": "time limit", "memory": "memory limit",
    "error": "failed", "absent": "not here",
}  # fmt: skip


def bench(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, or bundled data sets such as monks; by default the data sets "
            "of the suite.",
            show_default=False,
        ),
    ] = None,
    suite: Annotated[
        str,
        typer.Option(
            help="The kind of problems: classification, numbers, regression or streams."
        ),
    ] = "classification",
    target: Annotated[
        str | None,
        typer.Option(
            help="The column to predict in the files; by default a column with a usual"
            " name, or the last.",
            autocompletion=completion.columns,
        ),
    ] = None,
    solvers: Annotated[
        str | None,
        typer.Option(help="Only these solvers A,B; by default all that are installed."),
    ] = None,
    split_penalty: Annotated[
        float | None,
        typer.Option(
            help="Cost of a split; 0 together with --max-depth adds DL8.5. The default"
            " depends on the suite."
        ),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(help="Maximum depth. The default depends on the suite."),
    ] = None,
    limit: Annotated[
        float, typer.Option(help="Limit of CPU seconds for each fit.")
    ] = 30.0,
    memory: Annotated[
        float, typer.Option(help="Memory limit of each fit, in GB.")
    ] = 4.0,
    patience: Annotated[
        float,
        typer.Option(
            help="Wall-clock seconds allowed for each CPU second, on a busy machine."
        ),
    ] = 1.0,
    cuts: Annotated[
        int,
        typer.Option(help="Maximum number of 0/1 tests made from a numeric column."),
    ] = 8,
    rows: Annotated[
        int, typer.Option(help="Maximum number of rows of a stream.")
    ] = 50_000,
    peers: Annotated[
        str | None,
        typer.Option(
            help="A Python interpreter in whose environment the other solvers are "
            "installed."
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--csv", help="Write all figures to a CSV file.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(help="Write a picture of the performance profile.")
    ] = None,
) -> None:
    """Run treeproof and the other exact solvers that are installed, side by side.

    Every fit runs in a process of its own, with limits on time and memory. Most
    solvers accept only 0/1 columns, so tables are converted to such columns
    first, in the same way for all solvers. Costs are recomputed from every
    returned tree, and contradictory claims are reported. The extra "peers"
    installs the other solvers; --peers names another Python interpreter that has
    them.

    treeproof bench
    treeproof bench customers.csv --target left --limit 60
    treeproof bench iris wine --split-penalty 0 --max-depth 3 --plot profile.png
    treeproof bench --suite regression --max-depth 3
    """
    from treeproof.bench.contest import run_contest
    from treeproof.bench.isolated import Caps
    from treeproof.bench.profile import plot_profile
    from treeproof.bench.suites import SUITES, Making

    if suite not in SUITES:
        raise ValueError(f"There is no suite {suite!r}; there are {', '.join(SUITES)}.")
    asked = SUITES[suite]
    penalty = asked.penalty if split_penalty is None else split_penalty
    depth = asked.max_depth if max_depth is None else max_depth
    _check(penalty, depth, limit, memory, cuts, rows)
    if patience < 1:
        raise ValueError(f"--patience is at least 1, not {patience:g}.")
    check_folder(output)
    check_folder(plot)
    python = None if peers is None else Path(peers)
    chosen, missing = _solvers(solvers, asked, python)
    making = Making(penalty, cuts, rows, target)
    progress = Console(stderr=True, highlight=False)
    if missing:
        progress.print(f"Not installed, left out: {', '.join(missing)}.", style="dim")
    problems, without = _problems(asked, data, making)
    if without:
        progress.print(f"Left out: {', '.join(without)}.", style="dim")
    caps = Caps(limit, memory * 1000, None, patience)
    contest = run_contest(
        problems, chosen, max_depth=depth, caps=caps, peers=python, close=asked.close,
        say=lambda result: progress.print(
            _line(result, asked.close is None), soft_wrap=True
        ),
    )  # fmt: skip
    _show(contest, asked.title)
    if output is not None:
        with open(output, "w", newline="") as file:
            figures = [asdict(result) for result in contest.results]
            writer = csv.DictWriter(file, figures[0].keys() if figures else [])
            writer.writeheader()
            writer.writerows(figures)
    if plot is not None:
        plot_profile(contest, plot)


def _check(
    penalty: float, depth: int | None, limit: float, memory: float, cuts: int, rows: int
) -> None:
    if not 0 <= penalty <= 1:
        raise ValueError(f"--split-penalty is between 0 and 1, not {penalty:g}.")
    if depth is not None and depth < 1:
        raise ValueError(f"--max-depth is at least 1, not {depth}.")
    for name, value in (("--limit", limit), ("--memory", memory), ("--cuts", cuts),
                        ("--rows", rows)):  # fmt: skip
        if not value > 0:
            raise ValueError(f"{name} is above 0, not {value:g}.")


def _solvers(
    text: str | None, suite: Suite, peers: Path | None
) -> tuple[list[str], list[str]]:
    """Return the solvers to run and the titles of those that are not installed."""
    from treeproof.bench.contest import installed
    from treeproof.bench.solvers import SOLVERS

    names = [part.strip() for part in text.split(",")] if text else list(suite.solvers)
    for name in names:
        if name not in SOLVERS:
            raise ValueError(
                f"There is no solver {name!r}; the solvers are {', '.join(SOLVERS)}."
            )
    here = [name for name in names if installed(name, peers)]
    return here, [SOLVERS[name].title for name in names if name not in here]


def _problems(
    suite: Suite, data: list[str] | None, making: Making
) -> tuple[list[Problem], list[str]]:
    """Return the problems, and the data sets that are not available here."""
    problems: list[Problem] = []
    without: list[str] = []
    for name in data or suite.data:
        try:
            problems += suite.make(name, making)
        except ImportError as error:
            if data:
                raise
            without.append(f"{name} ({error})")
    return problems, without


def _line(result: Result, proofs: bool) -> str:
    from treeproof.bench.solvers import SOLVERS

    return f"{result.problem}: {SOLVERS[result.solver].title} {_cell(result, proofs)}"


def _cell(result: Result, proofs: bool) -> str:
    """Return the seconds and the result: a proof, or a cost."""
    if result.seconds is None:
        return _WORDS.get(result.status, result.status)
    if not proofs and result.objective is not None:
        return f"{result.seconds:.3f} s, {result.objective:.4f}"
    proof = "" if result.proved else f" ({_WORDS.get(result.status, result.status)})"
    return f"{result.seconds:.3f} s{proof}"


def _show(contest: Contest, title: str) -> None:
    from treeproof.bench.solvers import SOLVERS

    proofs = contest.close is None
    solvers = list(dict.fromkeys(r.solver for r in contest.results))
    what = (
        "to a proof; lowest cost found"
        if proofs
        else "and error rate; lowest error rate"
    )
    table = Table(
        title=f"{title}\nCPU seconds {what}", title_justify="left", box=SIMPLE_HEAD
    )
    table.add_column("problem")
    for solver in solvers:
        table.add_column(SOLVERS[solver].title, justify="right", no_wrap=True)
    table.add_column("cost" if proofs else "errors", justify="right")
    for name in contest.problems:
        results = {r.solver: r for r in contest.of(name)}
        best = contest.least(name)
        cells = []
        for solver in solvers:
            result = results.get(solver)
            worse = (
                "*" if result is not None and result.objective is not None
                and best is not None and result.objective > best + 1e-9 else ""
            )  # fmt: skip
            cells.append("" if result is None else _cell(result, proofs) + worse)
        table.add_row(name, *cells, "" if best is None else f"{best:.5f}")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=30 + 24 * (len(solvers) + 1))
    console.print(table)
    if any("*" in str(cell) for column in table.columns for cell in column.cells):
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
