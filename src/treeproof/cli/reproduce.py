"""``treeproof reproduce``: tables of the papers, computed again.

To add a table, write a function that takes the `Request` and returns a
`ReproducedTable`, and one line in `TABLES`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

__all__ = ["TABLES", "ReproducedTable", "Request", "register", "reproduce"]

TABLES = {
    "partitioning-1": (
        "treeproof.cli.reproduce_partitioning:table_1",
        "Pruning by bound against CART and M-CART (Leboeuf et al. 2020, Table 1)",
    ),
    "proper-10": (
        "treeproof.cli.reproduce_proper:figure_10",
        "How many trees each search space holds (He and Little, Figure 10)",
    ),
    "thesis-5.2": (
        "treeproof.cli.reproduce_stream:table_5_2",
        "UCDT and EGDT on streams, beside River's trees (Chaouki 2024, Table 5.2)",
    ),
    "thesis-6.1": (
        "treeproof.cli.reproduce_stream:table_6_1",
        "TSDT on streams, beside River's trees (Chaouki 2024, Table 6.1)",
    ),
    "thesis-7.2": (
        "treeproof.cli.reproduce_stream:table_7_2",
        "Online-BRANCHES on streams, beside River's trees (Chaouki 2024, Table 7.2)",
    ),
    "thesis-7.3": (
        "treeproof.cli.reproduce_stream:table_7_3",
        "Online-BRANCHES beside UCDT, EGDT and TSDT (Chaouki 2024, Table 7.3)",
    ),
}
"""Name of each table: the function that computes it, and a line about it."""


@dataclass(frozen=True)
class Request:
    """What the user asked for.

    Attributes
    ----------
    datasets : list of str
        Only these sets; empty for the default ones.
    repeats : int or None
        Repetitions, where the table has any; None for the paper's number.
    seed : int
        Where random choices start.
    say : callable
        Takes a line about the progress.
    """

    datasets: list[str] = field(default_factory=list)
    repeats: int | None = None
    seed: int = 0
    say: Callable[[str], None] = lambda line: None


@dataclass(frozen=True)
class ReproducedTable:
    """A table with our numbers beside the published ones.

    Attributes
    ----------
    title : str
        What the table shows.
    columns : sequence of str
        Column heads.
    rows : sequence of sequence of str
        Cells, ready to print.
    notes : sequence of str
        Sentences below the table.
    data : object
        The same as plain numbers, for ``--json``.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    data: Any = None

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return "\n\n".join([f"**{self.title}**", text, *self.notes])


def reproduce(
    name: Annotated[
        str | None, typer.Argument(help="Which table; none lists them all.")
    ] = None,
    datasets: Annotated[
        str | None, typer.Option(help="Only these data sets, A,B; or all.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(help="Repetitions; the paper's number by default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Where random choices start.")] = 0,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table as Markdown.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Compute a table of one of the papers again, with our numbers beside theirs."""
    console = Console(highlight=False)
    if name is None:
        for table, (_, about) in TABLES.items():
            console.print(f"[bold]{table}[/bold]  {about}", soft_wrap=True)
        return
    if name not in TABLES:
        raise ValueError(
            f"There is no table {name!r}; the tables are {', '.join(TABLES)}."
        )
    if repeats is not None and repeats < 1:
        raise ValueError(f"--repeats is at least 1, not {repeats}.")
    progress = Console(stderr=True, highlight=False)
    request = Request(
        [part.strip() for part in (datasets or "").split(",") if part.strip()],
        repeats,
        seed,
        lambda line: progress.print(line, style="dim", soft_wrap=True),
    )
    module, function = TABLES[name][0].split(":")
    made: ReproducedTable = getattr(import_module(module), function)(request)
    if as_json:
        typer.echo(json.dumps({"table": name, "title": made.title, "rows": made.data}))
    elif markdown:
        typer.echo(made.to_markdown())
    else:
        _show(console, made)


def _show(console: Console, made: ReproducedTable) -> None:
    table = Table(title=made.title, title_justify="left")
    for i, column in enumerate(made.columns):
        table.add_column(column, justify="left" if i == 0 else "right", no_wrap=True)
    for row in made.rows:
        table.add_row(*row)
    # A table wider than the terminal is better scrolled than cut.
    width = sum(
        max(len(cell) for cell in cells) + 3
        for cells in zip(made.columns, *made.rows, strict=True)
    )
    console = Console(highlight=False, width=max(console.width, width + 4))
    console.print(table)
    for note in made.notes:
        console.print(note, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(reproduce)
