"""What the command line prints about a fitted model."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
from rich.console import Console

from treeproof.cli.option_names import in_options
from treeproof.cli.training import Training, training_score, weighted_score
from treeproof.columns import Column
from treeproof.kinds import LEAF
from treeproof.notices import warn_user

__all__ = ["report", "scores", "show", "text_columns"]

_KEYS = {  # names of measures in JSON
    "balanced accuracy": "balanced_accuracy",
    "mean cost": "mean_cost",
    "F1": "f1",
    "Jaccard index": "jaccard",
}


def _key(measure: str) -> str:
    """Return the name of a measure in JSON."""
    return "d2" if measure.startswith("D²") else _KEYS.get(measure, "fbeta")


def text_columns(columns: Iterable[Column]) -> list[str]:
    """Return the names of a model's columns whose categories are text."""
    return [
        column.name
        for column in columns
        if column.categories is not None and column.categories.dtype == object
    ]


def report(model: Any, seconds: float) -> dict[str, Any]:
    """Return the content of ``--json`` for a fitted model."""
    from treeproof.solving.certificates import any_depth, depth_to_json
    from treeproof.solving.proof_words import proof_in_words

    proof = {}
    if "proof_max_depth" in model.stats_:
        depth = any_depth(model.stats_["proof_max_depth"])
        proof["proof_max_depth"] = depth_to_json(depth)
        proof["proof"] = proof_in_words(model)
    return {
        "status": model.status_,
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "gap": model.gap_,
        "optimal": model.optimal_,
        "proved_depth": depth_to_json(model.proved_depth_),
        "certificates": [
            known.to_dict()
            | {"proved": any_depth(known.max_depth) <= model.proved_depth_}
            for known in model.certificates_
        ],
        "certificate": model.certificate(),
        **proof,
        "splits": model.n_splits_,
        "depth": model.get_depth(),
        "leaves": model.get_n_leaves(),
        "seconds": seconds,
        "solver": model.stats_["solver"],
        "rows": model.stats_["n_rows"],
        "features": model.n_features_in_,
        "tree": model.tree_.to_dict(),
    }


def scores(
    model: Any, regression: bool, training: Training, held_out: Training | None
) -> dict[str, Any]:
    """Return how well the model predicts, and how often it abstains."""
    score = training_score(model, training)
    found: dict[str, Any] = {"r2" if regression else "accuracy": score}
    if held_out is not None:
        found["held_out"] = weighted_score(model, held_out)
        found["held_out_rows"] = len(held_out.labels())
        if held_out.weights is not None:
            kept, apart = training.weights.sum(), held_out.weights.sum()
            found["held_out_weight"] = float(apart / (kept + apart))
    if getattr(model, "abstain_cost", None) is not None:
        found["abstains"] = abstaining_share(model)
    measured = _measured(model, training, held_out)
    if "d2" in measured:  # R² says little of leaves that do not predict means
        found.pop("r2")
        if held_out is not None:
            found["held_out"] = measured.pop("held_out_d2")
    return found | measured


def _measured(
    model: Any, training: Training, held_out: Training | None
) -> dict[str, Any]:
    """Return the score by the measure of the fit if it is not accuracy or R2.

    It is left out for large files, whose rows are not in memory.
    """
    from treeproof.report.measures import measure_of

    if isinstance(training.y, str):
        return {}
    measure = measure_of(model, training.labels())
    if measure.name in ("accuracy", "R²"):
        return {}
    name = _key(measure.name)
    found: dict[str, Any] = {"measure": measure.name}
    for key, rows in ((name, training), (f"held_out_{name}", held_out)):
        if rows is not None:
            with suppress(KeyError):  # a class that has no row to fit has no cost
                told = np.asarray(model.predict(rows.X))
                found[key] = measure.of(told, rows.labels(), rows.weights)
    return found


def abstaining_share(model: Any) -> float:
    """Return the share of the training weight for which the tree abstains."""
    tree = model.tree_
    leaves = (tree.kind == LEAF) & (tree.action == len(model.classes_))
    weight = tree.weighted_n_node_samples
    return float(weight[leaves].sum() / weight[0])


def show(model: Any, result: dict[str, Any]) -> None:
    """Print the tree, its certificate and its scores."""
    from treeproof.solving.statuses import STOPPED
    from treeproof.solving.summary import (
        note_few_rows,
        note_held_out,
        note_identifier,
        note_single_column,
        note_single_leaf,
    )
    from treeproof.tree.drawing import draw
    from treeproof.words import counted, number

    console = Console(highlight=False)
    drawn = model.tree_.collapse()
    console.print(draw(drawn), soft_wrap=True)
    console.print()
    style = "bold green" if model.optimal_ else "bold yellow"
    console.print(model.certificate(), style=style, soft_wrap=True)
    if model.status_ in STOPPED:
        console.print(
            f"The search was stopped ({STOPPED[model.status_][0]}): this tree costs "
            f"{number(model.objective_)}, and a better one is not ruled out.",
            soft_wrap=True,
        )
    alone = note_single_leaf(model)
    if alone is not None:
        console.print(in_options(alone), soft_wrap=True)
    few = note_few_rows(model)
    worse = None
    if "held_out" in result and ("r2" in result or "accuracy" in result):
        trained = result["r2"] if "r2" in result else result["accuracy"]
        held_out, rows = result["held_out"], result["held_out_rows"]
        worse = note_held_out(model, trained, held_out, rows)
    # Both give the same advice; what happened says more than what may happen.
    for note in (worse or few, note_single_column(model), note_identifier(model)):
        if note is not None:
            warn_user(note)
    score = next(name for name in ("accuracy", "r2", "d2") if name in result)
    called = {"r2": "R²", "d2": result.get("measure")}.get(score, score)
    console.print(
        f"{counted(drawn.n_splits, 'split')}, "
        f"{counted(drawn.n_leaves, 'leaf', 'leaves')}, depth "
        f"{result['depth']}; {called} {result[score]:.4f}; "
        + (f"{_held_out(result)}; " if "held_out" in result else "")
        + ("" if score == "d2" else _by_measure(result))
        + (f"abstains on {result['abstains']:.0%}; " if "abstains" in result else "")
        + f"{result['seconds']:.2f} s with solver {result['solver']}",
        soft_wrap=True,
    )


def _by_measure(result: dict[str, Any]) -> str:
    """Return the score by the measure of the fit in words."""
    name = _key(result.get("measure", ""))
    if name not in result:
        return ""
    words = f"{result['measure']} {result[name]:.4f}"
    if f"held_out_{name}" in result:
        words += f", held out {result[f'held_out_{name}']:.4f}"
    return words + "; "


def _held_out(result: dict[str, Any]) -> str:
    """Return the score on held-out rows in words."""
    from treeproof.words import counted, percent

    rows = counted(result["held_out_rows"], "row")
    words = f"{result['held_out']:.4f} on {rows} held out"
    if "held_out_weight" in result:
        words += f" with {percent(result['held_out_weight'])} of the weight"
    return words
