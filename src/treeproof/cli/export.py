"""``treeproof export``: a saved model as picture, SQL, ONNX, Python or DOT."""

from __future__ import annotations

from typing import Annotated

import typer

from treeproof.cli import completion
from treeproof.cli.outputs import Outputs, say_written

__all__ = ["export", "register"]


def export(
    model: Annotated[str, typer.Argument(help="A file written by fit --save.")],
    plot: Annotated[
        str | None,
        typer.Option(help="Write a picture of the tree: .png, .pdf, .svg, ..."),
    ] = None,
    sql: Annotated[
        str | None,
        typer.Option(
            help="Write a SELECT statement that adds the prediction to a table."
        ),
    ] = None,
    sql_dialect: Annotated[
        str,
        typer.Option(
            help="Dialect of the SQL: duckdb, sqlite, postgres, bigquery, ...",
            autocompletion=completion.dialects,
        ),
    ] = "duckdb",
    sql_table: Annotated[
        str, typer.Option(help="The table named in the SELECT statement.")
    ] = "data",
    onnx: Annotated[str | None, typer.Option(help="An ONNX model.")] = None,
    python: Annotated[
        str | None, typer.Option(help="Write a Python function that needs no library.")
    ] = None,
    dot: Annotated[str | None, typer.Option(help="A Graphviz drawing.")] = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="Print the tree as if-then rules.")
    ] = False,
) -> None:
    """Write a saved model in other formats; all make the same predictions.

    treeproof export iris.json --plot tree.pdf
    treeproof export iris.json --sql iris.sql --sql-dialect postgres
    treeproof export iris.json --rules
    """
    from treeproof.persistence import load

    outputs = Outputs(
        plot=plot, sql=sql, onnx=onnx, python=python, dot=dot,
        sql_dialect=sql_dialect, sql_table=sql_table,
    )  # fmt: skip
    outputs.check()
    fitted = load(model)
    written = outputs.write(fitted, table=sql_table)
    if rules:
        for rule in fitted.to_rules():
            typer.echo(str(rule))
    elif not written:
        raise ValueError(
            "Nothing to write: give at least one of --plot, --sql, --onnx, --python, "
            "--dot and --rules."
        )
    say_written(*written)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(export)
