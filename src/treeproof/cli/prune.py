"""``treeproof prune``: make a saved tree smaller, by its risk bound or by CART."""

from __future__ import annotations

import json
import warnings
from typing import Annotated, Any

import typer
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning

from treeproof.cli.fitted import text_columns
from treeproof.cli.outputs import say_written
from treeproof.cli.tables import pop_column, read_table
from treeproof.cli.training import marks
from treeproof.cli.tree_options import Database, JsonOutput, MissingMarks

__all__ = ["prune", "register"]


def prune(
    model: Annotated[str, typer.Argument(help="A file written by fit --save.")],
    data: Annotated[
        str,
        typer.Argument(
            help="The training data: CSV, Parquet or Arrow file, or an SQL query."
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            help="The column with the labels; by default the one of the model."
        ),
    ] = None,
    by: Annotated[
        str, typer.Option(help="How to choose the size: bound, cart or m-cart.")
    ] = "bound",
    delta: Annotated[
        float, typer.Option(help="The probability with which the bound may fail.")
    ] = 0.05,
    r: Annotated[
        float,
        typer.Option(
            help="Parameter r of the prior on errors; less keeps more leaves."
        ),
    ] = 2**-13.7,
    binary: Annotated[
        str | None,
        typer.Option(help="Numeric columns A,B that can hold two values only, or all."),
    ] = None,
    na: MissingMarks = None,
    database: Database = None,
    save: Annotated[
        str | None, typer.Option(help="Write the pruned model to this file.")
    ] = None,
    as_json: JsonOutput = False,
) -> None:
    """Prune a saved tree on its training data; no validation data is needed."""
    from treeproof.border.labels import one_column, read_vector
    from treeproof.persistence import load_with_target
    from treeproof.persistence import save as save_model
    from treeproof.tree import Tree

    fitted, known_target = load_with_target(model)
    if isinstance(fitted, Tree):
        raise ValueError(
            f"{model!r} holds a tree without its estimator; prune the model that "
            "treeproof fit --save wrote."
        )
    label = target or known_target
    if label is None:
        raise ValueError("The model does not say what it predicts; give --target.")
    columns = fitted.tree_.columns
    table = read_table(
        data, text=text_columns(columns), database=database, na=marks(na)
    )
    y = one_column(read_vector(pop_column(table, label, "target"), "y"))
    given = fitted.tree_.given_columns
    missing = [column.name for column in given if column.name not in table]
    if missing:
        raise ValueError(
            f"The table lacks the column {missing[0]!r} that the model was fitted on."
        )
    rows = {column.name: table[column.name] for column in given}
    fitted.set_params(verbose=False)
    with warnings.catch_warnings():
        # The trees of the folds may be used without being proved optimal.
        warnings.simplefilter("ignore", ConvergenceWarning)
        path = _pruner(by, fitted, delta, r, binary).prune(fitted, rows, y)
    pruned = path.tree
    if save is not None:
        save_model(pruned, save, target=label)
        say_written(save)
    result = _report(path, pruned, by, len(y))
    if as_json:
        typer.echo(json.dumps(result))
    else:
        _show(path, pruned, result)


def _pruner(by: str, fitted: Any, delta: float, r: float, binary: str | None) -> Any:
    from treeproof.generalization import (
        BoundPruner,
        CostComplexityPruner,
        ModifiedCostComplexityPruner,
    )

    if by == "bound":
        return BoundPruner(delta, r, n_features=_space(fitted, binary))
    if by == "cart":
        return CostComplexityPruner()
    if by == "m-cart":
        return ModifiedCostComplexityPruner()
    raise ValueError(f"--by is bound, cart or m-cart, not {by!r}.")


def _space(fitted: Any, binary: str | None) -> Any:
    """Return the features of the model; the named numeric columns become binary."""
    from treeproof.generalization import FeatureSpace

    space = FeatureSpace.of(fitted)
    if binary is None:
        return space
    numeric = [c.name for c in fitted.tree_.columns if c.categories is None]
    named = numeric if binary == "all" else [n.strip() for n in binary.split(",")]
    for name in named:
        if name not in numeric:
            raise ValueError(
                f"--binary names {name!r}, which is not a column of numbers in this "
                "model."
            )
    return FeatureSpace(
        real=space.real - len(named),
        binary=space.binary + len(named),
        one_vs_rest=space.one_vs_rest,
        multiway=space.multiway,
    )


def _report(path: Any, pruned: Any, by: str, n_rows: int) -> dict[str, Any]:
    score = "bound" if by == "bound" else "cv_error"
    result = {
        "by": by,
        "rows": n_rows,
        "steps": [
            {"leaves": step.n_leaves, "errors": step.errors, score: step.score}
            for step in path
        ],
        "chosen": path.best,
        "leaves": pruned.get_n_leaves(),
        "splits": pruned.n_splits_,
        "depth": pruned.get_depth(),
        "errors": path.chosen.errors,
        "accuracy": 1 - path.chosen.errors / n_rows,
        score: path.chosen.score,
    }
    if by == "bound":
        result["informative"] = path.chosen.score < 1
    return result | {"tree": pruned.tree_.to_dict()}


def _show(path: Any, pruned: Any, result: dict[str, Any]) -> None:
    from treeproof.tree.drawing import draw

    console = Console(highlight=False)
    console.print(str(path))
    console.print()
    console.print(draw(pruned.tree_.collapse()), soft_wrap=True)
    console.print()
    console.print(
        f"{path[0].n_leaves} leaves pruned to {path.chosen.n_leaves}; training "
        f"accuracy {result['accuracy']:.4f}",
        style="bold",
        soft_wrap=True,
    )
    if "informative" in result and not result["informative"]:
        console.print(
            "The bound is above 1: it can be used to compare these trees, but it "
            "says nothing about their error on new data.",
            soft_wrap=True,
        )


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(prune)
