"""A model card: what a fitted tree is, what was proved about it, and how to use it.

Markdown after the model cards of Mitchell and others (2019). What the fit knows is
written down; intended use and limits are the author's to say and have a place each.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treeproof.words import counted, number

__all__ = ["model_card"]


def model_card(
    model: Any,
    *,
    title: str,
    target: str | None,
    description: str,
    intended_use: str,
    limitations: str,
    scores: Mapping[str, float] | None,
    proof: str | os.PathLike[str] | None,
) -> str:
    """Return the card; see `to_model_card` of the estimators."""
    from treeproof import __version__

    tree = model.tree_.collapse()
    rows = counted(int(model.stats_["n_rows"]), "row")
    columns = ", ".join(f"`{c.name}`" for c in model.tree_.columns)
    used = sorted({model.tree_.columns[f].name for f in model.tree_.feature if f >= 0})
    lines = [
        f"# {title}",
        "",
        description or f"A decision tree fitted by treeproof {__version__}.",
        "",
        "## Model",
        "",
        f"- estimator: `{type(model).__name__}`",
        f"- predicts: {_predicted(model, target)}",
        f"- fitted to: {rows}, the columns {columns}",
        f"- columns in use: {', '.join(f'`{name}`' for name in used) or 'none'}",
        f"- size: {counted(tree.n_splits, 'split')}, "
        f"{counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}",
        f"- parameters: {_changed(model)}",
        "",
        "```",
        tree.export_text(details=True),
        "```",
        "",
        "## Certificate",
        "",
        model.certificate(),
        "",
        f"- cost: {number(model.objective_)}",
        f"- lower bound: {number(model.lower_bound_)}",
        f"- proved optimal: {'yes' if model.optimal_ else 'no'}",
    ]
    if proof is not None:
        lines += _about_proof(Path(proof))
    if scores:
        lines += ["", "## Scores", ""]
        lines += [f"- {name}: {number(value, 4)}" for name, value in scores.items()]
    lines += [
        "",
        "## Intended use",
        "",
        intended_use or "Not stated.",
        "",
        "## Limits",
        "",
        limitations
        or "The certificate is about the training rows; it promises nothing about "
        "other rows. Score the tree on held-out rows before it is used.",
    ]
    return "\n".join(lines) + "\n"


def _about_proof(path: Path) -> list[str]:
    """Name the proof file and the data that it is about by their fingerprints."""
    from treeproof.proof.checker import read_header

    data = read_header(path).raw["fingerprint"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return [
        f"- proof file: `{path.name}`, sha256:{digest}",
        f"- data that the proof is about: {data}",
        f"- to check it: `treeproof check {path.name} TABLE`",
    ]


def _predicted(model: Any, target: str | None) -> str:
    """Say what the tree predicts: the target by its name, or its first classes."""
    if target:
        return f"`{target}`"
    classes = [f"`{label}`" for label in getattr(model, "classes_", [])]
    if not classes:
        return "a number"
    more = f" and {len(classes) - 5} more" if len(classes) > 5 else ""
    return f"one of the classes {', '.join(classes[:5])}{more}"


def _changed(model: Any) -> str:
    """Name the parameters that differ from their defaults."""
    default = type(model)().get_params()
    changed = [
        f"`{name}={value!r}`"
        for name, value in model.get_params().items()
        if repr(value) != repr(default[name])
    ]
    return ", ".join(changed) or "all by default"
