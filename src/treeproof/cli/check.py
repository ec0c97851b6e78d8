"""``treeproof check``: check a proof against the data that it is about."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich import progress
from rich.console import Console

from treeproof.border.row_names import row_names_of
from treeproof.cli import completion
from treeproof.cli.tables import pop_column, read_table, without_unlabelled
from treeproof.cli.training import marks
from treeproof.cli.tree_options import MissingMarks
from treeproof.proof import Verdict

__all__ = ["check", "register"]

REJECTED = 1


def check(
    proof: Annotated[str, typer.Argument(help="A file written by fit --proof.")],
    data: Annotated[
        str, typer.Argument(help="The training data: a file or an SQL query.")
    ],
    target: Annotated[
        str | None,
        typer.Option(
            help="The column that was predicted; by default the one column that the "
            "proof does not name.",
            autocompletion=completion.columns,
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            help="The column with the weights of the rows, if the fit used one.",
            autocompletion=completion.columns,
        ),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help="Costs or rewards of each row, if the proof is about them: a file "
            "with a column for each action, or columns A,B of the data.",
        ),
    ] = None,
    drop: Annotated[
        str | None, typer.Option(help="Columns A,B that were left out of the fit.")
    ] = None,
    na: MissingMarks = None,
    database: Annotated[
        str | None,
        typer.Option(help="DuckDB database file on which the SQL query runs."),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Check a second time with exact fractions, which takes long.",
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print the result as one JSON object and nothing else."
        ),
    ] = False,
) -> None:
    """Check a proof of optimality step by step against the data.

    The exit status is 0 if every step is valid and 1 if the proof is rejected; the
    first step that is not valid is named.

    treeproof fit car.csv --target class --proof car.proof.gz
    treeproof check car.proof.gz car.csv

    treeproof check doses.proof.gz patients.csv --costs rewards.csv

    This is the checker in Python, which is written to be read. For proofs with many
    thousands of steps, the checker in C++ is faster: make tools, docs/proof-format.md.
    """
    from treeproof.proof import check as check_proof
    from treeproof.proof.checker import read_header

    if not Path(proof).is_file():
        raise FileNotFoundError(f"There is no file {proof!r}.")
    header = read_header(proof)
    names = [str(f.get("name")) for f in header.features]
    text = [
        str(f.get("name"))
        for f in header.features
        if f["split"] != "threshold"
        and any(isinstance(v, str) for v in f.get("values") or [])
    ]
    table = read_table(data, text=text, database=database, na=marks(na))
    weights = None if weight is None else pop_column(table, weight, "weight")
    for name in drop.split(",") if drop else []:
        pop_column(table, name.strip(), "column to drop")
    paid = _read_costs(costs, table, header, data)
    unknown = {name: table[name] for name in table if name not in {*names, target}}
    for about in row_names_of(unknown) if unknown else []:
        del table[about.name]  # `fit` leaves this column out as well
    labelled = "classes" in header.raw or not header.costly
    if target is None and labelled:
        others = [name for name in table if name not in names]
        if len(others) != 1:
            raise ValueError(
                f"{data!r} has {len(others)} columns that the proof does not name; say "
                "with --target which of them was predicted, and with --drop which were "
                "left out of the fit."
            )
        target = others[0]
    if target in table and paid is None:  # `fit` leaves out rows without a label
        weighed = table if weights is None else {**table, "\0weights": weights}
        table = without_unlabelled(weighed, str(target))
        weights = table.pop("\0weights", None)
    labels = None if target is None else pop_column(table, target, "target")
    strange = [name for name in table if name not in names]
    if strange:
        raise ValueError(
            f"The proof does not name the column {strange[0]!r}. If it was left out of "
            f"the fit, leave it out here too: --drop {','.join(strange)}"
        )
    console = Console(stderr=True)
    with progress.open(
        proof,
        "rb",
        description="checking",
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as steps:
        verdict = check_proof(steps, table, labels, weights, costs=paid)
        if exact and verdict.accepted:
            steps.seek(0)
            verdict = _exactly(steps, table, labels, weights, paid, verdict)
    if as_json:
        typer.echo(json.dumps(vars(verdict)))
    else:
        console = Console(highlight=False, soft_wrap=True)
        style = "bold green" if verdict.accepted else "bold red"
        console.print(str(verdict), style=style)
    if not verdict.accepted:
        raise typer.Exit(REJECTED)


def _read_costs(
    costs: str | None, table: dict[str, Any], header: Any, data: str
) -> NDArray[np.float64] | None:
    """Read the costs of each row, from a file or from columns of the data."""
    needed = header.costly and header.raw.get("cost_matrix") is None
    if costs is None and needed:
        raise ValueError(
            "The proof is about costs or rewards of each row; say with --costs where "
            "they are: a file with a column for each action, or columns of the data."
        )
    if costs is None:
        return None
    if not needed:
        raise ValueError("The proof is not about costs of each row; leave out --costs.")
    if Path(costs).is_file():
        own = read_table(costs)
    else:
        names = [name.strip() for name in costs.split(",")]
        own = {name: pop_column(table, name, "column of costs") for name in names}
    try:
        return np.column_stack([np.asarray(own[c], dtype=np.float64) for c in own])
    except (TypeError, ValueError):
        raise ValueError(
            f"The costs in {costs!r} are not numbers, or not one for each row of "
            f"{data!r}."
        ) from None


def _exactly(
    steps: Any, table: Any, labels: Any, weights: Any, costs: Any, verdict: Verdict
) -> Verdict:
    """Check an accepted proof a second time, with exact fractions."""
    from treeproof.proof.checker import read_lines
    from treeproof.proof.exact import Refuted, check_exactly

    def plain(values: Any) -> list[Any]:
        cells = np.asarray(values).tolist()
        return [None if cell != cell else cell for cell in cells]

    columns = {name: plain(table[name]) for name in table}
    heavy = None if weights is None else plain(weights)
    try:
        told = None if labels is None else plain(labels)
        paid = None if costs is None else costs.tolist()
        check_exactly(read_lines(steps), columns, told, heavy, paid)
    except Refuted as error:
        return replace(verdict, accepted=False, reason=f"checked exactly, {error}.")
    return verdict


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(check)
