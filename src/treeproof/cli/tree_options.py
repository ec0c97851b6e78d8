"""Options that several commands share: tables, limits of trees, roles of columns."""

from __future__ import annotations

from typing import Annotated

import typer

from treeproof.cli import completion

__all__ = [
    "Categorical",
    "CategoricalSplit",
    "ClassWeight",
    "Database",
    "Drop",
    "FirstSplit",
    "Goal",
    "Jobs",
    "JsonOutput",
    "Keep",
    "MaxDepth",
    "MaxSplits",
    "MemoryLimit",
    "MinSamplesLeaf",
    "Missing",
    "MissingMarks",
    "Penalize",
    "Quantiles",
    "TableFile",
    "Target",
    "Weight",
]

TableFile = Annotated[
    str, typer.Argument(help="CSV, Parquet or Arrow file, or an SQL query.")
]
Target = Annotated[
    str,
    typer.Option(help="The column to predict.", autocompletion=completion.columns),
]
Database = Annotated[
    str | None,
    typer.Option(help="DuckDB database file on which the SQL query runs."),
]
JsonOutput = Annotated[
    bool,
    typer.Option(
        "--json", help="Print the result as one JSON object and nothing else."
    ),
]

MaxDepth = Annotated[int | None, typer.Option(help="Maximum depth of the tree.")]
MaxSplits = Annotated[int | None, typer.Option(help="Maximum number of splits.")]
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
Missing = Annotated[
    str,
    typer.Option(
        help="best-side: missing values go to the better side of a split; branch: they "
        "have a branch of their own; error: they are refused.",
        autocompletion=completion.missing_modes,
    ),
]
FirstSplit = Annotated[
    str | None,
    typer.Option(
        help="The column that the first split must test.",
        autocompletion=completion.columns,
    ),
]
Quantiles = Annotated[
    int | None,
    typer.Option(
        help="Divide each numeric column with more distinct values than this into this "
        "many bins."
    ),
]
MemoryLimit = Annotated[
    str | None, typer.Option(help="Memory limit, such as 500MB or 2GB.")
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "--n-jobs", help="Number of threads; -1 uses all processors."
    ),
]
Categorical = Annotated[
    str | None,
    typer.Option(help="Numeric columns A,B that hold codes of categories."),
]
Goal = Annotated[
    bool | None,
    typer.Option(
        "--regression/--classes",
        help="Predict a number or a class. By default a target with more than 20 "
        "different numbers is a number.",
        show_default=False,
    ),
]
MissingMarks = Annotated[
    str | None,
    typer.Option(
        "--na",
        help="Marks A,B that stand for missing values in a CSV file. By default NA, "
        "N/A, ?, NULL, - and the like in columns of numbers. The mark inf stands for "
        "infinite numbers, in files of any kind.",
        show_default=False,
    ),
]
ClassWeight = Annotated[
    str | None,
    typer.Option(help="'balanced' gives all classes the same total weight."),
]
Weight = Annotated[
    str | None,
    typer.Option(
        help="The column with the weights of the rows.",
        autocompletion=completion.columns,
    ),
]
Drop = Annotated[str | None, typer.Option(help="Columns A,B that are not used.")]
Keep = Annotated[
    str | None,
    typer.Option(help="Columns A,B to use although they seem to identify the rows."),
]
