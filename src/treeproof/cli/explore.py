"""``treeproof explore``: the explorer, a page in the browser."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer
from sklearn.exceptions import ConvergenceWarning

from treeproof.cli import completion

__all__ = ["explore", "register"]


def explore(
    data: Annotated[
        str | None,
        typer.Argument(
            help="CSV, Parquet or Arrow file, an SQL query, or a bundled data set such"
            " as iris. By default you choose on the page."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="The column to predict.", autocompletion=completion.columns),
    ] = None,
    port: Annotated[
        int, typer.Option(help="The port on which to listen; 0 for any free port.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option(help="Open the page in your browser.")
    ] = True,
    idle: Annotated[
        float | None,
        typer.Option(help="End after this many seconds without an open page."),
    ] = None,
) -> None:
    """Explore a table in the browser: fit trees, inspect nodes, compare, download.

    The page is available on this machine only, and only at the address that is
    printed, which contains a random token. Ctrl-C ends the server.

    treeproof explore
    treeproof explore iris
    treeproof explore mushroom.csv.gz --target class
    """
    from treeproof.datasets.bundled import BUNDLED
    from treeproof.explorer.question import first_question
    from treeproof.explorer.server import serve
    from treeproof.explorer.tables import bundled_table, read_path

    table = None
    if data is not None:
        table = bundled_table(data) if data in BUNDLED else read_path(data)
        first_question(table, target)
    elif target is not None:
        raise ValueError("--target names a column of DATA; give DATA too.")
    # The page reports the same in more detail, so the warning is suppressed.
    warnings.simplefilter("ignore", ConvergenceWarning)
    serve(
        table,
        target,
        port=port,
        browser=browser,
        idle=idle,
        announce=lambda address: typer.echo(
            f"The explorer is at {address}\nCtrl-C ends it."
        ),
    )


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(explore)
