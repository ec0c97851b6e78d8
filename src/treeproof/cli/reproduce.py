"""``treeproof reproduce``: recompute tables and figures of the papers."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from treeproof.cli.errors import INTERRUPTED

if TYPE_CHECKING:
    from treeproof.reproduce import Outcome, Request, Target
from treeproof.cli.tree_options import JsonOutput

__all__ = ["register", "reproduce"]


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A table or figure, or all; by default all names are listed."
        ),
    ] = None,
    sets: Annotated[
        str | None, typer.Option(help="Only these data sets A,B, or all.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Limit of CPU seconds for each search.")
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(help="Number of repetitions; by default that of the paper."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random choices.")] = 0,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the data sets of the papers; by default $TREEPROOF_DATA."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for the rows, the CSV file and the picture.")
    ] = Path("reproduced"),
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure everything anew.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table as Markdown.")
    ] = False,
    as_json: JsonOutput = False,
) -> None:
    """Recompute a table or figure of one of the papers beside the published one.

    Finished rows are saved in the output folder at once; after an interruption
    the same command continues.
    """
    from treeproof.reproduce import TARGETS

    console = Console(highlight=False)
    if name is None:
        _list(console)
        return
    if name != "all" and name not in TARGETS:
        raise ValueError(
            f"There is no target {name!r}; there are {', '.join(TARGETS)}, and all."
        )
    if name == "all" and sets:
        raise ValueError("--sets goes with one target; all of them have other sets.")
    progress = Console(stderr=True, highlight=False)
    show = _json if as_json else _markdown if markdown else partial(_show, console)
    for target in TARGETS.values() if name == "all" else [TARGETS[name]]:
        request = _request(
            target, sets, time_limit, repeats, seed, data,
            lambda line: progress.print(line, style="dim", soft_wrap=True),
        )  # fmt: skip
        try:
            outcome = _run(target, request, out, fresh)
        except ValueError as error:  # no data set of this target is available
            if name != "all":
                raise
            request.say(f"{target.name}: {error}")
            continue
        show(outcome)
        if outcome.interrupted:
            progress.print("Interrupted; run the same command to continue from here.")
            raise typer.Exit(INTERRUPTED)


def _request(
    target: Target,
    sets: str | None,
    time_limit: float | None,
    repeats: int | None,
    seed: int,
    data: Path | None,
    say: Callable[[str], None],
) -> Request:
    from treeproof.reproduce import Request
    from treeproof.reproduce.data import data_folder

    limit = target.time_limit if time_limit is None else time_limit
    count = target.repeats if repeats is None else repeats
    return Request(
        [part.strip() for part in (sets or "").split(",") if part.strip()],
        _positive("--time-limit", limit),
        int(_positive("--repeats", count)),
        seed,
        data_folder(data),
        say,
    )


def _run(target: Target, request: Request, out: Path, fresh: bool) -> Outcome:
    from treeproof import __version__
    from treeproof.reproduce import Store, run

    rows = out / target.rows_file
    if fresh:
        rows.unlink(missing_ok=True)
    outcome = run(target, request, Store(rows, __version__))
    _save(outcome, out, request)
    return outcome


def _json(outcome: Outcome) -> None:
    from treeproof.reproduce import as_json

    typer.echo(json.dumps(as_json(outcome)))


def _markdown(outcome: Outcome) -> None:
    from treeproof.reproduce import markdown

    typer.echo(markdown(outcome))


def _positive(option: str, value: float) -> float:
    if not value > 0:
        raise ValueError(f"{option} must be more than 0, not {value:g}.")
    return value


def _list(console: Console) -> None:
    from treeproof.reproduce import TARGETS

    width = max(map(len, TARGETS)) + 2
    for name, target in TARGETS.items():
        line = f"[bold]{name:{width}}[/bold]{target.title}"
        console.print(line, soft_wrap=True)


def _save(outcome: Outcome, out: Path, request: Request) -> None:
    from treeproof.reproduce import markdown, write_csv

    target: Target = outcome.target
    path = out / f"{target.name}.csv"
    write_csv(outcome, path)
    path.with_suffix(".md").write_text(markdown(outcome) + "\n\n" + _signature(request))
    saved = [str(path), str(path.with_suffix(".md"))]
    if target.plot is not None and outcome.rows:
        try:
            figure = target.plot(target, outcome.rows)
        except ImportError as error:
            request.say(str(error))
        else:
            figure.savefig(path.with_suffix(".png"), dpi=150)
            saved.append(str(path.with_suffix(".png")))
    request.say("saved " + ", ".join(saved))


def _signature(request: Request) -> str:
    """Return a line with the date, the machine and the limit of the measurement."""
    machine = f"{platform.machine()}, {os.cpu_count()} processors"
    today = datetime.date.today().isoformat()
    limit = f"{request.time_limit:g} processor seconds for each search"
    return f"*Measured on {today} ({machine}; {limit}).*\n"


def _show(console: Console, outcome: Outcome) -> None:
    from treeproof.reproduce import report

    heads, rows = report.heads(outcome), report.lines(outcome)
    table = Table()
    for i, column in enumerate(heads):
        table.add_column(column, justify="left" if i == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    # A table that is wider than the terminal is easier to read when it is not cut off.
    width = sum(
        max(len(cell) for cell in cells) + 3 for cells in zip(heads, *rows, strict=True)
    )
    console = Console(highlight=False, width=max(console.width, width + 4))
    console.print(outcome.target.title, style="bold")
    console.print(table)
    if outcome.target.text is not None:
        console.print(outcome.target.text(outcome.rows), soft_wrap=True, markup=False)
    for note in report.notes(outcome):
        console.print(note, soft_wrap=True, markup=False)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(reproduce)
