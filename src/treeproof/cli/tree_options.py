"""Options that several commands share: limits of the trees, and roles of columns."""

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

MaxDepth = Annotated[int | None, typer.Option(help="Maximum depth of the tree.")]
MinSamplesLeaf = Annotated[
    int, typer.Option(help="Minimum number of training rows in a leaf.")
]
Penalize = Annotated[
    str,
    typer.Option(
        help="What each penalty is paid for: every leaf but one (leaves), or every "
        "split (splits).",
        autocompletion=completion.charges,
    ),
]
CategoricalSplit = Annotated[
    str,
    typer.Option(
        help="How categorical columns are split: auto, either, multiway, one-vs-rest "
        "or subset.",
        autocompletion=completion.split_kinds,
    ),
]
Categorical = Annotated[
    str | None,
    typer.Option(help="Numeric columns A,B that hold codes of categories."),
]
Drop = Annotated[str | None, typer.Option(help="Columns A,B that are not used.")]
Keep = Annotated[
    str | None,
    typer.Option(help="Columns A,B to use although they seem to identify the rows."),
]
