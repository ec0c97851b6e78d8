"""``treeproof fit``: learn an optimal tree from a table."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning

from treeproof.cli import completion
from treeproof.cli.errors import INTERRUPTED
from treeproof.cli.objective import objective_parameters
from treeproof.cli.outputs import Outputs, check_folder
from treeproof.cli.tables import open_large
from treeproof.cli.training import count_training, listed, read_training
from treeproof.kinds import LEAF

__all__ = ["fit", "make_estimator", "register", "report"]

TREE, DATA, SEARCH, FILES = "The tree", "The data", "The search", "Files to write"


def fit(
    data: Annotated[
        str, typer.Argument(help="CSV, Parquet or Arrow file, or an SQL query.")
    ],
    target: Annotated[
        str,
        typer.Option(help="The column to predict.", autocompletion=completion.columns),
    ],
    regression: Annotated[
        bool, typer.Option("--regression", help="Predict a number, not a class.")
    ] = False,
    split_penalty: Annotated[
        float,
        typer.Option(
            help="What a further leaf costs, as a fraction of all rows: it must "
            "correct more than that. Less gives larger trees.",
            rich_help_panel=TREE,
        ),
    ] = 0.01,
    penalize: Annotated[
        str,
        typer.Option(
            help="leaves: a split into c children costs c - 1 penalties; splits: every "
            "split costs one.",
            rich_help_panel=TREE,
            autocompletion=completion.charges,
        ),
    ] = "leaves",
    max_depth: Annotated[
        int | None, typer.Option(help="Most tests on a path.", rich_help_panel=TREE)
    ] = None,
    max_splits: Annotated[
        int | None, typer.Option(help="Most splits.", rich_help_panel=TREE)
    ] = None,
    min_samples_leaf: Annotated[
        int, typer.Option(help="Fewest rows in a leaf.", rich_help_panel=TREE)
    ] = 1,
    categorical_split: Annotated[
        str,
        typer.Option(
            help="multiway: a child for each category; one-vs-rest: one category "
            "against the others; either: both kinds; subset: some against the others; "
            "auto: what suits the penalty.",
            rich_help_panel=TREE,
            autocompletion=completion.split_kinds,
        ),
    ] = "auto",
    missing: Annotated[
        str,
        typer.Option(
            help="best-side: missing values go with the better side of a split; "
            "branch: they have a branch of their own; error: they are refused.",
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
            help="'balanced' gives all classes equal weight.", rich_help_panel=TREE
        ),
    ] = None,
    cost_matrix: Annotated[
        str | None,
        typer.Option(
            help='JSON file with the cost of each prediction: {"true": '
            '{"predicted": cost}}.',
            rich_help_panel=TREE,
        ),
    ] = None,
    abstain_cost: Annotated[
        float | None,
        typer.Option(
            help="What it costs to predict nothing; leaves that would cost more "
            "abstain.",
            rich_help_panel=TREE,
        ),
    ] = None,
    metric: Annotated[
        str,
        typer.Option(
            help="To be maximised: accuracy, balanced_accuracy, f1, fbeta or jaccard.",
            rich_help_panel=TREE,
        ),
    ] = "accuracy",
    pos_label: Annotated[
        str | None,
        typer.Option(
            help="The positive class of f1, fbeta and jaccard.", rich_help_panel=TREE
        ),
    ] = None,
    beta: Annotated[
        float,
        typer.Option(
            help="How many times as much recall counts as precision, for fbeta.",
            rich_help_panel=TREE,
        ),
    ] = 1.0,
    categorical: Annotated[
        str | None,
        typer.Option(
            help="Columns A,B of numbers that are categories, not amounts.",
            rich_help_panel=DATA,
            autocompletion=completion.columns,
        ),
    ] = None,
    quantiles: Annotated[
        int | None,
        typer.Option(
            help="Cut columns of numbers with more values than this into so many bins.",
            rich_help_panel=DATA,
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            help="A column with the weights of the rows.",
            rich_help_panel=DATA,
            autocompletion=completion.columns,
        ),
    ] = None,
    drop: Annotated[
        str | None,
        typer.Option(
            help="Columns A,B to leave out.",
            rich_help_panel=DATA,
            autocompletion=completion.columns,
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            help="Columns A,B to keep though they name the rows.",
            rich_help_panel=DATA,
            autocompletion=completion.columns,
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(help="DuckDB database for an SQL query.", rich_help_panel=DATA),
    ] = None,
    solver: Annotated[
        str,
        typer.Option(
            help="auto, sparse, threshold, branches or dt-miner.",
            rich_help_panel=SEARCH,
            autocompletion=completion.solvers,
        ),
    ] = "auto",
    time_limit: Annotated[
        float,
        typer.Option(
            help="Seconds; 0 for no limit. The best tree found by then is kept, with "
            "a bound on how much better any tree could be.",
            rich_help_panel=SEARCH,
        ),
    ] = 60.0,
    memory_limit: Annotated[
        str | None, typer.Option(help="Such as 500MB or 2GB.", rich_help_panel=SEARCH)
    ] = None,
    n_jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "--n-jobs",
            help="Threads; -1 for all processors.",
            rich_help_panel=SEARCH,
        ),
    ] = 1,
    save: Annotated[
        str | None,
        typer.Option(
            help="The fitted model (JSON), for treeproof predict and export.",
            rich_help_panel=FILES,
        ),
    ] = None,
    proof: Annotated[
        str | None,
        typer.Option(
            help="A proof that no tree is better, for treeproof check.",
            rich_help_panel=FILES,
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            help="What is proved so far, written now and then: a fit that was killed "
            "or stopped goes on from it.",
            rich_help_panel=FILES,
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            help="Picture of the tree: .png, .pdf, .svg, ...", rich_help_panel=FILES
        ),
    ] = None,
    plot_bounds: Annotated[
        str | None,
        typer.Option(
            help="Picture of the bounds closing over time.", rich_help_panel=FILES
        ),
    ] = None,
    sql: Annotated[
        str | None,
        typer.Option(
            help="A SELECT that adds the prediction to a table.", rich_help_panel=FILES
        ),
    ] = None,
    sql_dialect: Annotated[
        str,
        typer.Option(
            help="duckdb, sqlite, postgres, mysql, bigquery, ...",
            rich_help_panel=FILES,
            autocompletion=completion.dialects,
        ),
    ] = "duckdb",
    sql_table: Annotated[
        str | None,
        typer.Option(
            help="The table in that SELECT; by default the name of the data file.",
            rich_help_panel=FILES,
        ),
    ] = None,
    onnx: Annotated[
        str | None, typer.Option(help="An ONNX model.", rich_help_panel=FILES)
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            help="A Python function that needs no library.", rich_help_panel=FILES
        ),
    ] = None,
    dot: Annotated[
        str | None, typer.Option(help="A Graphviz drawing.", rich_help_panel=FILES)
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show no progress line.")
    ] = False,
) -> None:
    """Learn an optimal tree from a table and show it with its certificate.

    Text columns are categories as they are, and missing values are missing
    values; nothing has to be encoded or filled in. If a
    limit or Ctrl-C ends the search, the best tree found so far is shown with a
    true bound on how much better any tree could be. Files of 64 MB and more are
    not read but counted: only their distinct rows have to fit into memory.

    treeproof fit iris.csv --target species
    treeproof fit iris.csv.gz --target species --plot tree.png --sql iris.sql
    treeproof fit houses.parquet --target price --regression --max-depth 3
    treeproof fit "select * from 'shop/*.parquet'" --target bought
    treeproof fit "years/*.parquet" --target bought --memory-limit 2GB
    """
    from treeproof.persistence import save as save_model

    outputs = Outputs(plot, plot_bounds, sql, onnx, python, dot, sql_dialect, sql_table)
    outputs.check()
    check_folder(save)
    if regression and checkpoint is not None:
        raise ValueError("--checkpoint does not go with --regression.")
    roles = {"--weight": listed(weight), "--drop": listed(drop),
             "--categorical": listed(categorical)}  # fmt: skip
    kept = [*listed(keep), *([] if first_split is None else [first_split])]
    source = None if proof is not None else open_large(data, memory_limit)
    if source is None:
        training = read_training(data, database, target, roles, kept)
    else:
        training = count_training(source, target, roles, kept)
    objective: dict[str, Any] = {}
    if cost_matrix is not None or abstain_cost is not None or metric != "accuracy":
        if regression:
            raise ValueError(
                "--cost-matrix, --abstain-cost and --metric are for classes; they do "
                "not go with --regression."
            )
        labels = set(training.labels())
        objective = objective_parameters(
            labels, cost_matrix, abstain_cost, metric, pos_label, beta
        )
    model = make_estimator(
        regression,
        class_weight,
        **objective,
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
        memory_limit=memory_limit,
        n_jobs=n_jobs,
        quantiles=quantiles,
        verbose=not quiet,
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        # The report says it more fully.
        warnings.simplefilter("ignore", ConvergenceWarning)
        files = {"proof": proof, "checkpoint": checkpoint}
        asked = {name: path for name, path in files.items() if path is not None}
        model.fit(training.X, training.y, training.weights, **asked)
    seconds = time.perf_counter() - start
    if save is not None:
        save_model(model, save, target=target)
    outputs.write(model, table=_table_name(data))
    result = report(model, seconds)
    score = float(model.score(training.X, training.labels()))
    result["r2" if regression else "accuracy"] = score
    if abstain_cost is not None:
        result["abstains"] = abstaining_share(model)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        _show(model, result)
    if model.status_ == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _table_name(data: str) -> str:
    """Return what the data file would be called as a table."""
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
            "--class-weight is for classes; it does not go with --regression."
        )
    return treeproof.OptimalTreeRegressor(**parameters)


def report(model: Any, seconds: float) -> dict[str, Any]:
    """Return what ``--json`` says about a fitted model."""
    from treeproof.solving.certificates import depth_to_json

    return {
        "status": model.status_,
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "gap": model.gap_,
        "optimal": model.optimal_,
        "proved_depth": depth_to_json(model.proved_depth_),
        "certificates": [known.to_dict() for known in model.certificates_],
        "certificate": model.certificate(),
        "splits": model.n_splits_,
        "depth": model.get_depth(),
        "leaves": model.get_n_leaves(),
        "seconds": seconds,
        "solver": model.stats_["solver"],
        "rows": model.stats_["n_rows"],
        "features": model.n_features_in_,
        "tree": model.tree_.to_dict(),
    }


def abstaining_share(model: Any) -> float:
    """Return the share of the training weight for which a tree predicts nothing."""
    tree = model.tree_
    leaves = (tree.kind == LEAF) & (tree.action == len(model.classes_))
    weight = tree.weighted_n_node_samples
    return float(weight[leaves].sum() / weight[0])


def _show(model: Any, result: dict[str, Any]) -> None:
    from treeproof.tree.drawing import draw

    console = Console(highlight=False)
    console.print(draw(model.tree_.collapse()), soft_wrap=True)
    console.print()
    style = "bold green" if model.optimal_ else "bold yellow"
    console.print(model.certificate(), style=style, soft_wrap=True)
    score = "accuracy" if "accuracy" in result else "r2"
    console.print(
        f"{result['splits']} {'split' if result['splits'] == 1 else 'splits'}, "
        f"{result['leaves']} {'leaf' if result['leaves'] == 1 else 'leaves'}, depth "
        f"{result['depth']}; {score} {result[score]:.4f}; "
        + (f"abstains on {result['abstains']:.0%}; " if "abstains" in result else "")
        + f"{result['seconds']:.2f} s with solver {result['solver']}",
        soft_wrap=True,
    )


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(fit)
