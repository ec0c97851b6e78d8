"""``treeproof fit``: learn an optimal tree from a table."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from sklearn.exceptions import ConvergenceWarning

from treeproof.cli import completion
from treeproof.cli.errors import INTERRUPTED
from treeproof.cli.fitted import report, scores, show
from treeproof.cli.objective import (
    AbstainCost,
    Beta,
    CostMatrix,
    Criterion,
    Metric,
    PosLabel,
    Quantile,
    leaf_parameters,
    objective_parameters,
)
from treeproof.cli.outputs import Outputs, check_folder, say_proved, say_written
from treeproof.cli.restrictions import (
    Allowed,
    Interactions,
    ListOrTree,
    Monotonic,
    Prefix,
    TestCosts,
    given_columns,
    restriction_parameters,
)
from treeproof.cli.training import (
    Training,
    column_roles,
    hold_out,
    listed,
    marks,
    note_alike,
    note_whole_lines,
    predicts_numbers,
    read_or_count,
)
from treeproof.cli.tree_options import Goal, JsonOutput, MissingMarks, TableFile, Target

__all__ = ["fit", "make_estimator", "register", "report"]

TREE, DATA, SEARCH, FILES = "The tree", "The data", "The search", "Files to write"


def fit(
    data: TableFile,
    target: Target,
    goal: Goal = None,
    split_penalty: Annotated[
        float,
        typer.Option(
            help="Cost of each additional leaf, as a fraction of the training rows: a "
            "leaf must correct more than this share. A smaller penalty gives "
            "larger trees.",
            rich_help_panel=TREE,
        ),
    ] = 0.01,
    penalize: Annotated[
        str,
        typer.Option(
            help="leaves: a split with c children costs c - 1 penalties; splits: every"
            " split costs one penalty.",
            rich_help_panel=TREE,
            autocompletion=completion.charges,
        ),
    ] = "leaves",
    max_depth: Annotated[
        int | None,
        typer.Option(help="Maximum depth of the tree.", rich_help_panel=TREE),
    ] = None,
    max_splits: Annotated[
        int | None, typer.Option(help="Maximum number of splits.", rich_help_panel=TREE)
    ] = None,
    min_samples_leaf: Annotated[
        int,
        typer.Option(
            help="Minimum number of training rows in a leaf.", rich_help_panel=TREE
        ),
    ] = 1,
    categorical_split: Annotated[
        str,
        typer.Option(
            help="multiway: one child for each category; one-vs-rest: one category "
            "against the others; either: both kinds are tried; subset: any group "
            "of categories against the others; auto: either, or multiway with "
            "--penalize splits.",
            rich_help_panel=TREE,
            autocompletion=completion.split_kinds,
        ),
    ] = "auto",
    missing: Annotated[
        str,
        typer.Option(
            help="best-side: missing values go to the better side of a split; branch: "
            "they have a branch of their own; error: they are refused.",
            rich_help_panel=TREE,
            autocompletion=completion.missing_modes,
        ),
    ] = "best-side",
    first_split: Annotated[
        str | None,
        typer.Option(
            help="The column that the first split must test.",
            rich_help_panel=TREE,
            autocompletion=completion.columns,
        ),
    ] = None,
    class_weight: Annotated[
        str | None,
        typer.Option(
            help="'balanced' gives all classes the same total weight.",
            rich_help_panel=TREE,
        ),
    ] = None,
    cost_matrix: CostMatrix = None,
    abstain_cost: AbstainCost = None,
    criterion: Criterion = None,
    quantile: Quantile = None,
    metric: Metric = "accuracy",
    pos_label: PosLabel = None,
    beta: Beta = 1.0,
    monotonic: Monotonic = None,
    shape: ListOrTree = "tree",
    interactions: Interactions = None,
    test_costs: TestCosts = None,
    prefix: Prefix = None,
    allowed_features: Allowed = None,
    categorical: Annotated[
        str | None,
        typer.Option(
            help="Numeric columns A,B that hold codes of categories.",
            rich_help_panel=DATA,
            autocompletion=completion.columns,
        ),
    ] = None,
    quantiles: Annotated[
        int | None,
        typer.Option(
            help="Divide each numeric column with more distinct values than this into "
            "this many bins.",
            rich_help_panel=DATA,
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            help="The column with the weights of the rows.",
            rich_help_panel=DATA,
            autocompletion=completion.columns,
        ),
    ] = None,
    drop: Annotated[
        str | None,
        typer.Option(
            help="Columns A,B that are not used.",
            rich_help_panel=DATA,
            autocompletion=completion.columns,
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            help="Columns A,B to use although they seem to identify the rows.",
            rich_help_panel=DATA,
            autocompletion=completion.columns,
        ),
    ] = None,
    na: MissingMarks = None,
    test_size: Annotated[
        float,
        typer.Option(
            help="Hold out this share of the rows, and score the tree on them. With "
            "--weight, it is a share of the weight, and rows are held out whole.",
            rich_help_panel=DATA,
        ),
    ] = 0.0,
    database: Annotated[
        str | None,
        typer.Option(
            help="DuckDB database file on which the SQL query runs.",
            rich_help_panel=DATA,
        ),
    ] = None,
    solver: Annotated[
        str,
        typer.Option(
            help="The search algorithm: auto, sparse, threshold, branches or dt-miner.",
            rich_help_panel=SEARCH,
            autocompletion=completion.solvers,
        ),
    ] = "auto",
    time_limit: Annotated[
        float,
        typer.Option(
            help="Time limit in seconds; 0 for no limit. A stopped fit returns its "
            "best tree and a lower bound.",
            rich_help_panel=SEARCH,
        ),
    ] = 60.0,
    tolerance: Annotated[
        str,
        typer.Option(
            help="End the search once the gap is at most this: a number, or a share "
            "of the cost such as 5%.",
            rich_help_panel=SEARCH,
        ),
    ] = "0",
    memory_limit: Annotated[
        str | None,
        typer.Option(
            help="Memory limit, such as 500MB or 2GB.", rich_help_panel=SEARCH
        ),
    ] = None,
    n_jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "--n-jobs",
            help="Number of threads; -1 uses all processors.",
            rich_help_panel=SEARCH,
        ),
    ] = 1,
    save: Annotated[
        str | None,
        typer.Option(
            help="Save the fitted model to this JSON file, for treeproof predict and "
            "export.",
            rich_help_panel=FILES,
        ),
    ] = None,
    proof: Annotated[
        str | None,
        typer.Option(
            help="Write a proof of optimality to this file, for treeproof check.",
            rich_help_panel=FILES,
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            help="Save the progress of the fit to this file from time to time; the "
            "same command continues from it after a crash.",
            rich_help_panel=FILES,
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            help="Write a picture of the tree: .png, .pdf, .svg, ...",
            rich_help_panel=FILES,
        ),
    ] = None,
    plot_bounds: Annotated[
        str | None,
        typer.Option(
            help="Write a picture of the bounds over time.", rich_help_panel=FILES
        ),
    ] = None,
    sql: Annotated[
        str | None,
        typer.Option(
            help="Write a SELECT statement that adds the prediction to a table.",
            rich_help_panel=FILES,
        ),
    ] = None,
    sql_dialect: Annotated[
        str,
        typer.Option(
            help="Dialect of the SQL: duckdb, sqlite, postgres, mysql, bigquery, ...",
            rich_help_panel=FILES,
            autocompletion=completion.dialects,
        ),
    ] = "duckdb",
    sql_table: Annotated[
        str | None,
        typer.Option(
            help="The table named in the SELECT statement; by default the name of the "
            "data file.",
            rich_help_panel=FILES,
        ),
    ] = None,
    onnx: Annotated[
        str | None, typer.Option(help="An ONNX model.", rich_help_panel=FILES)
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            help="Write a Python function that needs no library.", rich_help_panel=FILES
        ),
    ] = None,
    dot: Annotated[
        str | None, typer.Option(help="A Graphviz drawing.", rich_help_panel=FILES)
    ] = None,
    as_json: JsonOutput = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Do not show the progress line.")
    ] = False,
) -> None:
    """Learn an optimal tree from a table and print it with its certificate.

    Text columns are used as categories and empty cells as missing values; nothing
    has to be encoded or imputed. If a limit or Ctrl-C ends the search, the best
    tree found so far is printed with a lower bound on the cost of any tree. Files
    of 64 MB and more are not read into memory; only their distinct rows have to
    fit.

    treeproof fit iris.csv --target species
    treeproof fit iris.csv.gz --target species --plot tree.png --sql iris.sql
    treeproof fit houses.parquet --target price --regression --max-depth 3
    treeproof fit "select * from 'shop/*.parquet'" --target bought
    treeproof fit "years/*.parquet" --target bought --memory-limit 2GB
    """
    from treeproof.solving.observers import showing_progress

    outputs = Outputs(plot, plot_bounds, sql, onnx, python, dot, sql_dialect, sql_table)
    outputs.check()
    check_folder(save)
    roles = column_roles(drop, categorical, weight)
    kept = [*listed(keep), *given_columns(first_split, prefix, allowed_features)]
    missing_marks = marks(na)
    training = read_or_count(
        data, database, target, roles, kept, missing_marks, memory_limit,
        in_memory=proof is not None,
    )  # fmt: skip
    regression = predicts_numbers(training, target, goal, criterion)
    note_alike(training, target, regression)
    _check_files(regression, proof, checkpoint, test_size)
    held_out = None
    if test_size:
        training, held_out = hold_out(training, test_size, regression)
        note_whole_lines(held_out, data, weight)
    objective = objective_parameters(
        None if regression else training.labels,
        cost_matrix, abstain_cost, metric, pos_label, beta,
    )  # fmt: skip
    restricted = restriction_parameters(
        regression, monotonic, shape, interactions, test_costs, prefix,
        allowed_features,
    )  # fmt: skip
    model = make_estimator(
        regression,
        class_weight,
        **objective,
        **leaf_parameters(regression, criterion, quantile),
        **restricted,
        split_penalty=split_penalty,
        penalize=penalize,
        max_depth=max_depth,
        max_splits=max_splits,
        min_samples_leaf=min_samples_leaf,
        categorical_features=training.categorical,
        categorical_split=categorical_split,
        missing=missing,
        first_split=first_split,
        solver=solver,
        time_limit=time_limit or None,
        tolerance=tolerance,
        memory_limit=memory_limit,
        n_jobs=n_jobs,
        quantiles=quantiles,
    )
    with showing_progress(not quiet):
        seconds = _fit(model, training, proof=proof, checkpoint=checkpoint)
    _say_files(model, save, proof, target)
    say_written(*outputs.write(model, table=_table_name(data)))
    result = report(model, seconds) | scores(model, regression, training, held_out)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        show(model, result)
    if model.status_ == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _fit(model: Any, training: Training, **files: str | None) -> float:
    """Fit the model; return the seconds it took."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        # The report says the same in more detail, so the warning is suppressed.
        warnings.simplefilter("ignore", ConvergenceWarning)
        asked = {name: path for name, path in files.items() if path is not None}
        model.fit(training.X, training.y, training.weights, **asked)
    return time.perf_counter() - start


def _say_files(model: Any, save: str | None, proof: str | None, target: str) -> None:
    """Save the model, and name this file and that of the proof."""
    from treeproof.persistence import save as save_model

    if save is not None:
        save_model(model, save, target=target)
        say_written(save)
    if proof is not None:
        say_proved(proof, model)


def _check_files(
    regression: bool, proof: Any, checkpoint: Any, test_size: float | None
) -> None:
    """Refuse options that do not go together."""
    if test_size and proof is not None:
        raise ValueError(
            "--test-size cannot be combined with --proof: the proof would be about "
            "some rows of the file only."
        )
    if regression and checkpoint is not None:
        raise ValueError("--checkpoint cannot be combined with --regression.")


def _table_name(data: str) -> str:
    """Return the name of the table for SQL, from the name of the data file."""
    path = Path(data)
    if not path.is_file():
        return "data"
    name = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    return name.replace(".", "_") or "data"


def make_estimator(
    regression: bool, class_weight: str | None, **parameters: Any
) -> Any:
    """Return an estimator with these parameters."""
    import treeproof

    if not regression:
        return treeproof.OptimalTreeClassifier(class_weight=class_weight, **parameters)
    if class_weight is not None:
        raise ValueError(
            "--class-weight is for classes; it cannot be combined with --regression."
        )
    return treeproof.OptimalTreeRegressor(**parameters)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(fit)
