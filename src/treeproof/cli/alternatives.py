"""``treeproof alternatives``: all trees whose cost is nearly optimal."""

from __future__ import annotations

import json
import warnings
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning

from treeproof.cli.errors import INTERRUPTED
from treeproof.cli.fit import make_estimator
from treeproof.cli.outputs import Outputs, say_written
from treeproof.cli.training import column_roles, listed, marks, read_training
from treeproof.cli.tree_options import (
    Categorical,
    CategoricalSplit,
    ClassWeight,
    Drop,
    JsonOutput,
    Keep,
    MaxDepth,
    MinSamplesLeaf,
    MissingMarks,
    Penalize,
    TableFile,
    Target,
    Weight,
)

__all__ = ["alternatives", "register"]


def alternatives(
    data: TableFile,
    target: Target,
    within: Annotated[
        float, typer.Option(help="How much more than the optimum a tree may cost.")
    ] = 0.01,
    using: Annotated[
        str | None,
        typer.Option(help="Only trees that test all of the columns A,B."),
    ] = None,
    without: Annotated[
        str | None, typer.Option(help="Only trees that test none of the columns A,B.")
    ] = None,
    show: Annotated[int, typer.Option(help="How many of the best trees to print.")] = 3,
    sample: Annotated[
        int, typer.Option(help="Print this many random trees instead of the best ones.")
    ] = 0,
    random_state: Annotated[int, typer.Option(help="Seed of the random choice.")] = 0,
    split_penalty: Annotated[
        float,
        typer.Option(
            help="Cost of each additional leaf, as a fraction of the training rows."
        ),
    ] = 0.01,
    penalize: Penalize = "leaves",
    max_depth: MaxDepth = None,
    min_samples_leaf: MinSamplesLeaf = 1,
    categorical_split: CategoricalSplit = "auto",
    class_weight: ClassWeight = None,
    categorical: Categorical = None,
    weight: Weight = None,
    drop: Drop = None,
    keep: Keep = None,
    na: MissingMarks = None,
    time_limit: Annotated[
        float, typer.Option(help="Time limit in seconds; 0 for no limit.")
    ] = 60.0,
    distinct: Annotated[
        Literal["trees", "predictions", "functions"],
        typer.Option(
            help="Count trees with the same predictions on these rows, or on all rows "
            "that there could be, once."
        ),
    ] = "trees",
    limit: Annotated[
        int | None,
        typer.Option(help="Find only this many of the best trees, without counting."),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(help="Write a picture of how many trees use each column."),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(help="Write a page in which you can walk through the trees."),
    ] = None,
    as_json: JsonOutput = False,
) -> None:
    """Count all trees whose cost is nearly optimal, and print some of them.

    Also reports how many of these trees test each column: a column that all of
    them test cannot be replaced.

    treeproof alternatives car.csv --target class --within 0.01
    treeproof alternatives car.csv --target class --without doors,persons
    treeproof alternatives car.csv --target class --limit 1000 --html trees.html
    """
    from treeproof.alternatives.engine import LimitReachedError

    Outputs(plot=plot).check()
    roles = column_roles(drop, categorical, weight)
    training = read_training(data, None, target, roles, listed(keep), marks(na))
    if training.n_amounts():
        raise ValueError(
            f"Column {target!r} holds {training.n_amounts():,} different numbers; "
            "alternatives are counted for trees that predict classes, so group the "
            "numbers first."
        )
    model = make_estimator(
        False,
        class_weight,
        split_penalty=split_penalty,
        penalize=penalize,
        max_depth=max_depth,
        min_samples_leaf=min_samples_leaf,
        categorical_features=training.categorical,
        categorical_split=categorical_split,
        time_limit=time_limit or None,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(training.X, training.y, training.weights)
    try:
        trees = model.near_optimal(
            within,
            limit=limit,
            using=listed(using),
            without=listed(without),
            distinct=distinct,
        )
        use = trees.feature_use()
    except LimitReachedError as limit:
        typer.echo(f"treeproof: {limit}", err=True)
        raise typer.Exit(INTERRUPTED if limit.status == "interrupted" else 1) from None
    if plot is not None:
        trees.plot().figure.savefig(plot)
        say_written(plot)
    if html is not None:
        trees.to_html(html)
        say_written(html)
    some = trees.sample(sample, random_state) if sample > 0 else trees.best(show)
    if as_json:
        typer.echo(json.dumps(_report(model, trees, use, some)))
    else:
        _show(trees, use, some)


def _report(model: Any, trees: Any, use: dict[str, int], some: list[Any]) -> Any:
    """Return the content of ``--json``; counts may have more digits than a double."""
    return {
        "status": model.status_,
        "optimal": model.optimal_,
        "objective": model.objective_,
        "within": trees.within,
        "count": trees.count,
        "feature_use": use,
        "trees": [
            {
                "objective": t.objective,
                "loss": t.loss,
                "splits": t.n_splits,
                "tree": t.tree.to_dict(),
            }
            for t in some
        ],
    }


def _show(trees: Any, use: dict[str, int], some: list[Any]) -> None:
    from treeproof.tree.drawing import draw
    from treeproof.words import counted, number

    console = Console(highlight=False)
    console.print(_headline(trees), style="bold", soft_wrap=True)
    for name, n in sorted(use.items(), key=lambda item: -item[1]):
        share = _share(n, trees.count)
        console.print(f"  {share:>6} test {name}", soft_wrap=True)
    for found in some:
        console.print(
            f"\ncost {number(found.objective)}: loss {number(found.loss, 4)}, "
            + counted(found.n_splits, "split")
        )
        console.print(draw(found.tree.collapse()), soft_wrap=True)


def _headline(trees: Any) -> str:
    """Return how many trees there are, and of which depth if not all were counted."""
    total = f"{trees.count:,}"  # the first number of the line
    words = repr(trees)[1:-1].replace(str(trees.count), total, 1)
    if trees.max_depth is None or " of depth " in words:
        return words
    return words.replace(" within ", f" of depth {trees.max_depth} or less within ", 1)


def _share(n: int, total: int) -> str:
    """Return a share of the trees in words: all and none only if it is true."""
    if n in (0, total):
        return "all" if n else "none"
    text = f"{n / total:.1%}"
    return {"100.0%": ">99.9%", "0.0%": "<0.1%"}.get(text, text)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(alternatives)
