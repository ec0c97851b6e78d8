"""The command line: ``treeproof fit``, ``treeproof predict`` and so on.

Each subcommand is one file of this package with a function ``register(app)``. To add
one, write the file and add its name to `COMMANDS`, with the first line of its help. The
file is imported when its command is called, so that ``treeproof --help`` is fast. The
exit status is 0 for success, 2 for bad input (with one sentence on standard error) and
130 after an interruption.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from treeproof.cli.errors import one_sentence

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = {
    "fit": "Learn an optimal tree from a table and print it with its certificate.",
    "predict": "Predict with a saved model; columns that the model does not use are "
    "ignored.",
    "path": "Find all trees that are optimal for some penalty, and choose one of them.",
    "alternatives": "Count all trees whose cost is nearly optimal, and print some of "
    "them.",
    "check": "Check a proof of optimality step by step against the data.",
    "export": "Write a saved model in other formats; all make the same predictions.",
    "report": "Write a report on a table as one HTML file.",
    "explore": "Explore a table in the browser: fit trees, inspect nodes, compare, "
    "download.",
    "prune": "Prune a saved tree on its training data; no validation data is needed.",
    "stream": "Predict each row, then learn it; accuracy, splits and speed are shown "
    "live.",
    "bench": "Run treeproof and the other exact solvers that are installed, side by "
    "side.",
    "reproduce": "Recompute a table or figure of one of the papers beside the "
    "published one.",
}


class _Commands(TyperGroup):
    """The subcommands, each imported when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._listing = False
        for name, summary in COMMANDS.items():
            self.add_command(TyperCommand(name, help=summary))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        listed = super().get_command(ctx, cmd_name)
        if listed is None or self._listing:
            return listed
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        import_module(f"treeproof.cli.{cmd_name}").register(alone)
        return typer.main.get_command(alone)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


app = typer.Typer(
    name="treeproof",
    cls=_Commands,
    help="""Optimal decision trees with a proof that no better tree exists.

    A first tree:    treeproof fit iris.csv --target species
    Keep it:         treeproof fit iris.csv --target species --save iris.json
    Use it:          treeproof predict iris.json new_flowers.csv
    Its size:        treeproof path iris.csv --target species --cv 5
    Others as good:  treeproof alternatives iris.csv --target species
    Prove it:        treeproof fit iris.csv --target species --proof iris.proof.gz
    Check the proof: treeproof check iris.proof.gz iris.csv
    Look around:     treeproof explore iris.csv --target species
    Mail it:         treeproof report iris.csv --target species -o iris.html
    Put it to work:  treeproof export iris.json --sql iris.sql --plot tree.pdf

    treeproof COMMAND --help explains a command; treeproof --install-completion
    teaches your shell its options and the columns of your files.
    """,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from treeproof import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show version."
    ),
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    with one_sentence():
        app()
