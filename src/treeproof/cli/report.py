"""``treeproof report``: one HTML file about the best tree of a table."""

from __future__ import annotations

import shlex
import warnings
from pathlib import Path
from typing import Annotated

import typer

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
from treeproof.cli.option_names import in_options
from treeproof.cli.outputs import check_folder, say_written
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
    column_roles,
    listed,
    marks,
    note_alike,
    note_whole_lines,
    predicts_numbers,
    read_training,
)
from treeproof.cli.tree_options import (
    Categorical,
    CategoricalSplit,
    ClassWeight,
    Database,
    Drop,
    FirstSplit,
    Goal,
    Jobs,
    Keep,
    MaxDepth,
    MaxSplits,
    MemoryLimit,
    MinSamplesLeaf,
    Missing,
    MissingMarks,
    Penalize,
    Quantiles,
    TableFile,
    Target,
    Weight,
)

__all__ = ["register", "report"]


def report(
    context: typer.Context,
    data: TableFile,
    target: Target,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The HTML file to write.")
    ] = "report.html",
    goal: Goal = None,
    split_penalty: Annotated[
        float,
        typer.Option(help="What a further leaf costs, as a fraction of all rows."),
    ] = 0.01,
    penalize: Penalize = "leaves",
    max_depth: MaxDepth = None,
    max_splits: MaxSplits = None,
    min_samples_leaf: MinSamplesLeaf = 1,
    categorical_split: CategoricalSplit = "auto",
    missing: Missing = "best-side",
    first_split: FirstSplit = None,
    class_weight: ClassWeight = None,
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
    categorical: Categorical = None,
    quantiles: Quantiles = None,
    weight: Weight = None,
    drop: Drop = None,
    keep: Keep = None,
    na: MissingMarks = None,
    database: Database = None,
    test_size: Annotated[
        float, typer.Option(help="The share of the rows to hold out; 0 for none.")
    ] = 0.3,
    time_limit: Annotated[
        float,
        typer.Option(
            help="Seconds for each of the two fits; the whole report may take five "
            "times as long."
        ),
    ] = 20.0,
    memory_limit: MemoryLimit = None,
    n_jobs: Jobs = 1,
) -> None:
    """Write a report on a table as one HTML file.

    The file needs no server and no network; it can be mailed or printed. It has
    the certificate in words, the tree, its score on held-out rows beside CART and
    boosted trees, what it gets wrong, which columns matter, how many other trees
    are as good, and the tree as SQL.

    treeproof report iris.csv --target species -o iris.html
    treeproof report houses.csv --target price --max-depth 3
    treeproof report survey.csv --target answer --weight people
    """
    from treeproof.border.labels import read_weights
    from treeproof.cli.fit import make_estimator
    from treeproof.report import investigate, to_html

    check_folder(output)
    roles = column_roles(drop, categorical, weight)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        kept = [*listed(keep), *given_columns(first_split, prefix, allowed_features)]
        training = read_training(data, database, target, roles, kept, marks(na))
        regression = predicts_numbers(training, target, goal, criterion)
        note_alike(training, target, regression)
        if test_size:
            note_whole_lines(training, data, weight)
    weights = training.weights
    if weights is not None:
        weights = read_weights(weights, len(training.labels()))
    model = make_estimator(
        regression,
        class_weight,
        **objective_parameters(
            None if regression else training.labels,
            cost_matrix, abstain_cost, metric, pos_label, beta,
        ),
        **leaf_parameters(regression, criterion, quantile),
        **restriction_parameters(
            regression, monotonic, shape, interactions, test_costs, prefix,
            allowed_features,
        ),
        split_penalty=split_penalty,
        penalize=penalize,
        max_depth=max_depth,
        max_splits=max_splits,
        min_samples_leaf=min_samples_leaf,
        categorical_features=training.categorical,
        categorical_split=categorical_split,
        missing=missing,
        first_split=first_split,
        time_limit=time_limit or None,
        memory_limit=memory_limit,
        n_jobs=n_jobs,
        quantiles=quantiles,
    )  # fmt: skip
    path = Path(data)
    found = investigate(
        model,
        training.X,
        training.labels(),
        weights,
        title=path.name if path.is_file() else "query",
        target=target,
        test_size=test_size,
    )
    notes = [*(str(note.message) for note in said), *found.notes]
    found.notes = [in_options(note) for note in notes]
    found.alternatives = in_options(found.alternatives)
    found.command = _command(context, data, target, output)
    Path(output).write_text(to_html(found), encoding="utf-8")
    typer.echo(model.certificate())
    say_written(output)


def _command(context: typer.Context, data: str, target: str, output: str) -> str:
    """Return the command with all options that were given, for the foot of the page."""
    words = ["treeproof", "report", data, "--target", target, "-o", output]
    for option in context.command.params:
        name = option.name or ""
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE":
            continue
        if name in ("data", "target", "output"):
            continue
        value = context.params[name]
        if isinstance(value, bool):
            words.append((option.opts if value else option.secondary_opts)[0])
        else:
            words += [option.opts[0], str(value)]
    return " ".join(map(shlex.quote, words))


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(report)
