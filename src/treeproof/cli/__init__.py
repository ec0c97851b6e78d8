"""The command line: ``treeproof fit``, ``treeproof predict`` and so on.

Each subcommand is one file of this package with a function ``register(app)``. To add
one, write the file and add its name to `COMMANDS`. The exit status is 0 for success, 2
for bad input (with one sentence on standard error) and 130 after an interruption.
"""

from __future__ import annotations

from importlib import import_module

import typer

from treeproof.cli.errors import one_sentence

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = (
    "fit", "predict", "path", "alternatives", "check", "export", "explore", "prune",
    "stream", "bench", "reproduce",
)  # fmt: skip

app = typer.Typer(
    name="treeproof",
    help="""Optimal decision trees with a proof that no better tree exists.

    A first tree:    treeproof fit iris.csv --target species
    Keep it:         treeproof fit iris.csv --target species --save iris.json
    Use it:          treeproof predict iris.json new_flowers.csv
    Its size:        treeproof path iris.csv --target species --cv 5
    Others as good:  treeproof alternatives iris.csv --target species
    Prove it:        treeproof fit iris.csv --target species --proof iris.proof.gz
    Check the proof: treeproof check iris.proof.gz iris.csv
    Look around:     treeproof explore iris.csv --target species
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


for _name in COMMANDS:
    import_module(f"treeproof.cli.{_name}").register(app)


def main() -> None:
    """Run the command line."""
    with one_sentence():
        app()
