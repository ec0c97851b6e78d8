"""``treeproof path``: all trees that are optimal for some penalty."""

from __future__ import annotations

import json
import warnings
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning

from treeproof.cli.errors import INTERRUPTED
from treeproof.cli.fit import make_estimator
from treeproof.cli.outputs import Outputs, check_folder, say_written
from treeproof.cli.training import (
    column_roles,
    listed,
    marks,
    predicts_numbers,
    read_training,
)
from treeproof.cli.tree_options import (
    Categorical,
    CategoricalSplit,
    ClassWeight,
    Drop,
    Goal,
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
from treeproof.notices import warn_user

__all__ = ["path", "register"]


def path(
    data: TableFile,
    target: Target,
    goal: Goal = None,
    low: Annotated[
        float,
        typer.Option(
            help="The smallest penalty of the path; a smaller one gives larger trees."
        ),
    ] = 0.005,
    high: Annotated[float, typer.Option(help="Largest penalty.")] = 1.0,
    cv: Annotated[
        int | None,
        typer.Option(help="Choose a tree by cross-validation with this many folds."),
    ] = None,
    one_standard_error: Annotated[
        bool,
        typer.Option(
            "--one-standard-error",
            help="With --cv: choose the smallest tree within one standard error of the"
            " best.",
        ),
    ] = False,
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
        float,
        typer.Option(
            help="Time limit in seconds, for all folds together; 0 for no limit."
        ),
    ] = 60.0,
    plot: Annotated[
        str | None,
        typer.Option(
            help="Write a picture of the loss against the number of splits: .png, ..."
        ),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option(
            help="With --cv: save the chosen model to this JSON file, for treeproof "
            "predict."
        ),
    ] = None,
    as_json: JsonOutput = False,
) -> None:
    """Find all trees that are optimal for some penalty, and choose one of them.

    Each line is a tree with the interval of penalties for which it is optimal.
    With --cv, the tree with the best score on held-out rows is marked.

    treeproof path car.csv --target class
    treeproof path car.csv --target class --cv 5 --plot front.png --save car.json
    """
    from treeproof import penalty_path
    from treeproof.persistence import save as save_model

    Outputs(plot=plot).check()
    check_folder(save)
    if save is not None and cv is None:
        raise ValueError(
            "--save writes the tree that cross-validation chooses; add --cv 5."
        )
    roles = column_roles(drop, categorical, weight)
    training = read_training(data, None, target, roles, listed(keep), marks(na))
    regression = predicts_numbers(training, target, goal)
    base = make_estimator(
        regression,
        class_weight,
        penalize=penalize,
        max_depth=max_depth,
        min_samples_leaf=min_samples_leaf,
        categorical_features=training.categorical,
        categorical_split=categorical_split,
        time_limit=time_limit or None,
    )
    chosen = None
    with warnings.catch_warnings():
        # the table reports which trees are proved
        warnings.simplefilter("ignore", ConvergenceWarning)
        if cv is None:
            found = penalty_path(
                training.X,
                training.y,
                training.weights,
                low=low,
                high=high,
                estimator=base,
            )
        else:
            chosen = _choose(base, regression, cv, low, high, one_standard_error)
            chosen.fit(training.X, training.labels(), training.weights)
            found = chosen.path_
    if save is not None and chosen is not None:
        save_model(chosen.estimator_, save, target=target)
    if plot is not None:
        axes = found.plot() if chosen is None else chosen.plot_path()
        axes.figure.savefig(plot)
    say_written(save, plot)
    if as_json:
        typer.echo(json.dumps(_report(found, chosen)))
    else:
        _show(found, chosen)
    if found.status == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _choose(
    base: Any, regression: bool, cv: int, low: float, high: float, one_error: bool
) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    from treeproof import OptimalTreeClassifierCV, OptimalTreeRegressorCV

    if cv < 2:
        raise ValueError(f"--cv {cv} is too few; use at least 2 folds.")
    kind = OptimalTreeRegressorCV if regression else OptimalTreeClassifierCV
    # Files are often sorted, so the folds are random, with a fixed seed.
    folds = (KFold if regression else StratifiedKFold)(cv, shuffle=True, random_state=0)
    chosen = kind(base, low=low, high=high, cv=folds, one_standard_error=one_error)
    if not regression and base.class_weight is not None:
        chosen.set_params(scoring="balanced_accuracy")
    return chosen


def _report(found: Any, chosen: Any) -> dict[str, Any]:
    """Return the content of ``--json``."""
    rows = found.table()
    result = {
        "status": found.status,
        "optimal": found.optimal,
        "searches": found.n_searches,
        "seconds": found.seconds,
        "path": rows,
    }
    if chosen is not None:
        for row, score in zip(rows, chosen.cv_results_["mean_test_score"], strict=True):
            row["held_out_score"] = float(score)
        result["chosen"] = chosen.best_index_
        result["split_penalty"] = chosen.split_penalty_
    return result


def _show(found: Any, chosen: Any) -> None:
    from treeproof.solving.summary import note_few_rows
    from treeproof.tree.drawing import draw
    from treeproof.words import counted

    console = Console(highlight=False)
    table = Table(box=None, header_style="bold")
    names = ["splits", "leaves", "depth", "loss", "penalty from", "to", "proved"]
    for name in [*names, *([] if chosen is None else ["held-out"])]:
        table.add_column(name, justify="right", no_wrap=True)
    for i, point in enumerate(found):
        cells = [
            str(point.n_splits),
            str(point.n_leaves),
            str(point.depth),
            f"{point.loss:.4f}",
            f"{point.interval[0]:.6f}",
            f"{point.interval[1]:.6f}",
            "yes" if point.optimal else f"gap {point.gap:.3g}",
        ]
        if chosen is not None:
            mark = "*" if i == chosen.best_index_ else " "
            cells.append(f"{chosen.cv_results_['mean_test_score'][i]:.4f} {mark}")
        table.add_row(*cells)
    console.print(table)
    console.print(
        f"\n{counted(len(found), 'tree')}, "
        f"{counted(found.n_searches, 'search', 'searches')}, {found.seconds:.2f} s"
    )
    if chosen is not None:
        console.print("* chosen by its score on held-out rows")
        if len(found) > 1 and chosen.best_index_ == len(found) - 1:
            console.print(
                "It is the largest of these trees; a smaller --low adds larger ones, "
                "which may be better still.",
                soft_wrap=True,
            )
        console.print()
        console.print(draw(chosen.tree_.collapse()), soft_wrap=True)
        style = "bold green" if chosen.optimal_ else "bold yellow"
        console.print(f"\n{chosen.certificate()}", style=style, soft_wrap=True)
        note = note_few_rows(
            chosen.estimator_,
            "A larger --min-samples-leaf gives a smaller tree; "
            "--one-standard-error takes the smallest that is not clearly worse.",
        )
        if note is not None:
            warn_user(note)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(path)
