"""Restrictions of trees on the command line: directions, lists, paths, paid columns."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treeproof.cli import completion
from treeproof.cli.training import listed

from .json_file import read_json

__all__ = [
    "Allowed",
    "Interactions",
    "ListOrTree",
    "Monotonic",
    "Prefix",
    "TestCosts",
    "given_columns",
    "restriction_parameters",
]

PANEL = "What the tree must keep"

Monotonic = Annotated[
    str | None,
    typer.Option(
        help="Columns along which predictions must not fall (A) or not rise (-B) "
        "between two classes: A,-B.",
        rich_help_panel=PANEL,
    ),
]
ListOrTree = Annotated[
    str,
    typer.Option(
        help="tree, or list: a list of rules, in which one child of every split is a "
        "leaf.",
        rich_help_panel=PANEL,
    ),
]
Interactions = Annotated[
    str | None,
    typer.Option(
        help="Groups of columns A,B;C,D: all tests of a path are in one group. Or "
        "pairwise, or no_interactions.",
        rich_help_panel=PANEL,
    ),
]
TestCosts = Annotated[
    str | None,
    typer.Option(
        help="JSON file with what it costs to know a column: "
        '{"column": cost}, or {"column": \\[cost, "group", cost after others of it]}.',
        rich_help_panel=PANEL,
    ),
]
Prefix = Annotated[
    str | None,
    typer.Option(
        help="JSON file with the top of the tree, the rest of which is optimal: "
        '{"feature": "age", "threshold": 30, "yes": "leaf", "no": null}.',
        rich_help_panel=PANEL,
    ),
]
Allowed = Annotated[
    str | None,
    typer.Option(
        "--allowed-features",
        help="Columns A,B that splits may test; the others are read and not used.",
        rich_help_panel=PANEL,
        autocompletion=completion.columns,
    ),
]


def restriction_parameters(
    regression: bool,
    monotonic: str | None,
    shape: str,
    interactions: str | None,
    test_costs: str | None,
    prefix: str | None,
    allowed: str | None,
) -> dict[str, Any]:
    """Return the parameters of the estimator for these options."""
    for option, value in (("--monotonic", monotonic), ("--test-costs", test_costs)):
        if regression and value is not None:
            raise ValueError(
                f"{option} is for classes; it cannot be combined with numbers."
            )
    parameters: dict[str, Any] = {"shape": shape}
    if interactions is not None:
        named = ("pairwise", "no_interactions")
        parameters["interaction_cst"] = (
            interactions
            if interactions in named
            else [group.split(",") for group in interactions.split(";")]
        )
    if monotonic is not None:
        parameters["monotonic_cst"] = {
            name.removeprefix("-"): -1 if name.startswith("-") else 1
            for name in monotonic.split(",")
        }
    if test_costs is not None:
        parameters["test_costs"] = _read(test_costs, '{"age": 0, "scan": 25.5}')
    if prefix is not None:
        parameters["prefix"] = _read(prefix, '{"feature": "age", "threshold": 30}')
    if allowed is not None:
        parameters["allowed_features"] = listed(allowed)
    return parameters


def given_columns(
    first_split: str | None, prefix: str | None, allowed: str | None
) -> list[str]:
    """Return the columns that are named, so that none of them is left out as a name."""
    named = [*([] if first_split is None else [first_split]), *listed(allowed)]
    pending: list[Any] = [] if prefix is None else [read_json(prefix)]
    while pending:
        place = pending.pop()
        if isinstance(place, dict):
            named += [place["feature"]] if isinstance(place.get("feature"), str) else []
            pending += list(place.values())
    return named


def _read(path: str, example: str) -> dict[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise ValueError(f"{path!r} must hold one object, such as {example}.")
    return content
