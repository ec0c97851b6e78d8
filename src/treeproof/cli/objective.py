"""What a fit on the command line minimises: costs, a metric, a loss of the leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer

from treeproof.columns import plain

from .json_file import read_json

__all__ = [
    "LOSSES_OF_CLASSES", "LOSSES_OF_NUMBERS", "AbstainCost", "Beta", "CostMatrix",
    "Criterion", "Metric", "PosLabel", "Quantile", "leaf_parameters",
    "objective_parameters", "read_costs",
]  # fmt: skip

PANEL = "What errors cost"

CostMatrix = Annotated[
    str | None,
    typer.Option(
        help="JSON file with the cost of each prediction for each true class: "
        '{"true": {"predicted": cost}}.',
        rich_help_panel=PANEL,
    ),
]
AbstainCost = Annotated[
    float | None,
    typer.Option(
        help="Cost of making no prediction; a leaf abstains if predicting would cost "
        "more.",
        rich_help_panel=PANEL,
    ),
]
Metric = Annotated[
    str,
    typer.Option(
        help="The metric to maximise: accuracy, balanced_accuracy, f1, fbeta or "
        "jaccard.",
        rich_help_panel=PANEL,
    ),
]
PosLabel = Annotated[
    str | None,
    typer.Option(
        help="The positive class of f1, fbeta and jaccard.", rich_help_panel=PANEL
    ),
]
Beta = Annotated[
    float,
    typer.Option(
        help="For fbeta: how many times as important recall is as precision.",
        rich_help_panel=PANEL,
    ),
]
Criterion = Annotated[
    str | None,
    typer.Option(
        help="The loss of a leaf. For classes: misclassification, or log_loss or gini, "
        "which choose the tree by its probabilities. For numbers: squared_error, "
        "absolute_error, quantile or poisson.",
        rich_help_panel=PANEL,
    ),
]
Quantile = Annotated[
    float | None,
    typer.Option(
        help="With --criterion quantile: the quantile that a leaf predicts, between 0 "
        "and 1.",
        rich_help_panel=PANEL,
    ),
]
LOSSES_OF_CLASSES: tuple[str, ...] = ("misclassification", "log_loss", "gini")
LOSSES_OF_NUMBERS: tuple[str, ...] = (
    "squared_error",
    "absolute_error",
    "quantile",
    "poisson",
)


def leaf_parameters(
    regression: bool, criterion: str | None, quantile: float | None
) -> dict[str, Any]:
    """Return the parameters of the estimator for the loss of a leaf.

    Examples
    --------
    >>> leaf_parameters(True, "quantile", 0.9)
    {'criterion': 'quantile', 'quantile': 0.9}
    """
    if quantile is not None and criterion != "quantile":
        raise ValueError("--quantile needs --criterion quantile.")
    if criterion is None:
        return {}
    known, others = LOSSES_OF_CLASSES, LOSSES_OF_NUMBERS
    predicted, other = "classes", "numbers"
    if regression:
        known, others, predicted, other = others, known, other, predicted
    if criterion in others:
        raise ValueError(
            f"--criterion {criterion} is for {other}, and this tree predicts "
            f"{predicted}; use {', '.join(known[:-1])} or {known[-1]}."
        )
    if criterion not in known:
        raise ValueError(
            f"--criterion {criterion} is not known; use {', '.join(known[:-1])} or "
            f"{known[-1]}."
        )
    given: dict[str, Any] = {"criterion": criterion}
    return given if quantile is None else given | {"quantile": quantile}


def objective_parameters(
    labels: Callable[[], Iterable[Any]] | None,
    cost_matrix: str | None,
    abstain_cost: float | None,
    metric: str,
    pos_label: str | None,
    beta: float,
) -> dict[str, Any]:
    """Return the parameters of the estimator for these options.

    Parameters
    ----------
    labels : callable or None
        Returns the classes of the rows, which decide how names in a file are read: "1"
        may be the number 1. None for a regression, which has none of these options.
    cost_matrix : str or None
        A JSON file with the costs of predictions.
    abstain_cost, metric, pos_label, beta
        As for `OptimalTreeClassifier`.
    """
    if cost_matrix is None and abstain_cost is None and metric == "accuracy":
        return {}
    if labels is None:
        raise ValueError(
            "--cost-matrix, --abstain-cost and --metric are for classes; they cannot "
            "be combined with --regression."
        )
    parameters: dict[str, Any] = {
        "abstain_cost": abstain_cost, "metric": metric, "beta": beta,
    }  # fmt: skip
    known = {str(plain(label)): plain(label) for label in set(labels())}
    if pos_label is not None:
        parameters["pos_label"] = known.get(pos_label, pos_label)
    if cost_matrix is not None:
        parameters["cost_matrix"] = read_costs(cost_matrix, known)
    return parameters


def read_costs(path: str, known: Mapping[str, Any]) -> dict[Any, dict[Any, Any]]:
    """Read a JSON file ``{"true": {"predicted": cost}}``."""
    content = read_json(path)
    rows: Iterable[Any] = content.values() if isinstance(content, dict) else [None]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError(
            f"{path!r} must hold an object of objects, for each true class what other "
            'predictions cost, such as {"ill": {"healthy": 20}, "healthy": {"ill": 1}}.'
        )
    return {
        known.get(true, true): {known.get(p, p): cost for p, cost in row.items()}
        for true, row in content.items()
    }
