"""``treeproof check``: check a proof against the data that it is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich import progress
from rich.console import Console

from treeproof.border.raw import read_raw_table
from treeproof.border.row_names import row_names_of
from treeproof.cli import completion
from treeproof.cli.tables import pop_column, read_table, without_unlabelled
from treeproof.cli.training import marks
from treeproof.cli.tree_options import Database, JsonOutput, MissingMarks
from treeproof.proof import AllTreesVerdict, Verdict, check_all_trees

__all__ = ["check", "register"]

REJECTED = 1


def check(
    proof: Annotated[
        str,
        typer.Argument(
            help="A file written by fit --proof, or by write_proof() of near-optimal "
            "trees."
        ),
    ],
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
    database: Database = None,
    python: Annotated[
        bool,
        typer.Option(
            "--python",
            help="Use the checker in Python, which is written to be read, and slower.",
        ),
    ] = False,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Check a second time with exact fractions, which takes long.",
        ),
    ] = False,
    as_json: JsonOutput = False,
) -> None:
    """Check a proof of optimality step by step against the data.

    The exit status is 0 if every step is valid and 1 if the proof is rejected;
    the first step that is not valid is named.

    treeproof fit car.csv --target class --proof car.proof.gz
    treeproof check car.proof.gz car.csv

    treeproof check doses.proof.gz patients.csv --costs rewards.csv

    The checker is the one in C++, which shares no code with the search. --python
    runs the checker in Python, which is written to be read, and --exact a third
    one. Files about all near-optimal trees have one checker, in Python.
    """
    from treeproof.proof.all_trees import all_trees_header
    from treeproof.proof.checker import read_header

    if not Path(proof).is_file():
        raise FileNotFoundError(f"There is no file {proof!r}.")
    about_all = all_trees_header(proof)
    header = read_header(proof) if about_all is None else about_all
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
    for name in _left_out(unknown):
        del table[name]
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
    rows = (table, labels, weights)
    verdict: Verdict | AllTreesVerdict
    if about_all is not None:
        verdict = check_all_trees(proof, *rows, costs=paid)
    checkers = ["python"] * python + ["exact"] * exact or ["c++"]
    for checker in checkers if about_all is None else ():
        verdict = _check(proof, rows, paid, header, checker)
        if not verdict.accepted:
            break
    if as_json:
        typer.echo(json.dumps(vars(verdict)))
    else:
        console = Console(highlight=False, soft_wrap=True)
        style = "bold green" if verdict.accepted else "bold red"
        console.print(str(verdict), style=style)
    if not verdict.accepted:
        raise typer.Exit(REJECTED)


def _left_out(columns: dict[str, Any]) -> set[str]:
    """Return the columns that cannot be part of a proof, or that `fit` leaves out."""
    if not columns:
        return set()
    raw = read_raw_table(columns, missing_advice=None, allow_dates=True)
    dates = {str(raw.name(j)) for j in raw.dates}
    return dates | {about.name for about in row_names_of(columns)}


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


def _check(
    proof: str, rows: tuple[Any, Any, Any], costs: Any, header: Any, checker: str
) -> Verdict:
    """Check with a bar of steps; the root step is the last one, or nearly."""
    from treeproof.proof import check as check_proof

    console = Console(stderr=True)
    bar = progress.Progress(
        *progress.Progress.get_default_columns(),
        progress.MofNCompleteColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    words = "checking in fractions" if checker == "exact" else "checking"
    root = header.raw.get("root")
    known = isinstance(root, int) and 0 <= root < 1 << 31
    with bar:
        task = bar.add_task(words, total=root + 1 if known else None)
        return check_proof(
            proof,
            *rows,
            costs=costs,
            checker=checker,
            progress=lambda steps: bar.update(task, completed=steps),
        )


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(check)
