"""Options that several commands share: what trees may look like, and which columns."""

from __future__ import annotations

from typing import Annotated

import typer

from treeproof.cli import completion

__all__ = [
    "Categorical",
    "CategoricalSplit",
    "Drop",
    "Keep",
    "MaxDepth",
    "MinSamplesLeaf",
    "Penalize",
]

MaxDepth = Annotated[int | None, typer.Option(help="Most tests on a path.")]
MinSamplesLeaf = Annotated[int, typer.Option(help="Fewest rows in a leaf.")]
Penalize = Annotated[
    str,
    typer.Option(
        help="What the penalty is for: leaves (all but one) or splits.",
        autocompletion=completion.charges,
    ),
]
CategoricalSplit = Annotated[
    str,
    typer.Option(
        help="How categories are split: auto, either, multiway, one-vs-rest or subset.",
        autocompletion=completion.split_kinds,
    ),
]
Categorical = Annotated[
    str | None,
    typer.Option(help="Columns A,B of numbers that are categories, not amounts."),
]
Drop = Annotated[str | None, typer.Option(help="Columns A,B to leave out.")]
Keep = Annotated[
    str | None, typer.Option(help="Columns A,B to keep though they name the rows.")
]
