"""The statement that a proof proves, in words. Part of the checker."""

from __future__ import annotations

import json
from collections import Counter

from treeproof.proof.header import MISSING, SPLITS, TOLERANCE, Header
from treeproof.proof.paths import path_words
from treeproof.proof.problem import Problem
from treeproof.proof.ratio import NAMES


def statement(header: Header, problem: Problem) -> str:
    """Return what was checked: data, weights, columns, limits, arithmetic.

    The checker in C++ prints the same words.
    """
    weights, penalty = problem.weights, header.split_penalty
    if problem.limits is not None:  # in the form of the header
        weights = problem.limits.errors[problem.limits.kept]
        penalty = header.raw["constraints"]["split_penalty"]
    least, most = weights.min(), weights.max()
    parts = [header.raw["loss"]]
    if header.raw["loss"] == "quantile":
        parts[0] += f" {', '.join(f'{q:.12g}' for q in header.levels)}"
    if header.line_columns:
        named = ", ".join(header.features[k]["name"] for k in header.line_columns)
        parts[0] += f" in {named} with ridge {header.ridge:.12g}"
    if header.smoothing > 0:
        parts.append(f"smoothing {header.smoothing:.12g}")
    if problem.ratio is not None:
        parts.insert(0, problem.ratio.words(header.raw))
    if problem.gains is not None:
        parts = problem.gains.words(header.raw)
    if problem.limits is not None:
        parts = problem.limits.words()
    parts.append(f"{len(weights)} rows")
    if problem.left_out:
        parts.append(f"{problem.left_out} more of weight 0 left out")
    parts.append(
        "weights all 1"
        if least == most == 1
        else f"weights from {least:.12g} to {most:.12g}"
    )
    if any(
        w != 1
        for w in header.raw.get("class_weight", [])
        if header.exact or header.of_shares
    ):
        pairs = zip(header.raw["classes"], header.raw["class_weight"], strict=True)
        each = ", ".join(f"{json.dumps(c)}: {w:.12g}" for c, w in pairs)
        parts.append(f"class weights {{{each}}}")
    parts += [
        f"{len(header.features)} columns ({_kinds(header)})",
        f"{problem.n_tests} tests",
        f"split_penalty {penalty:.12g} for {header.penalize}",
        f"max_depth {_limit(header.max_depth)}",
        f"max_splits {_limit(header.max_splits)}",
        f"min_samples_leaf {header.min_leaf}",
        *_promises(header),
        "exact" if header.exact else f"within {TOLERANCE:g} in each comparison",
    ]
    return ", ".join(parts)


def _promises(header: Header) -> list[str]:
    """Return further restrictions of trees, in words."""
    named = zip(header.features, header.directions, strict=True)
    along = [f"{'+' if d > 0 else '-'}{f['name']}" for f, d in named if d]
    lists = ["rule lists"] if header.is_list else []
    monotone = [f"monotone in {', '.join(along)}"] if along else []
    return [*lists, *monotone, *path_words(header.raw.get("paths"))]


def measure(problem: Problem) -> str:
    """Return by what trees were compared."""
    if problem.ratio is not None:
        return NAMES[problem.ratio.name]
    if problem.gains is not None and problem.limits is None:
        return f"mean {problem.gains.measure}"
    return "objective"


def _kinds(header: Header) -> str:
    count = Counter((f["split"], f.get("missing")) for f in header.features)
    kinds = [
        f"{count[split, missing]} {split}" + (f" with {missing}" if missing else "")
        for split in SPLITS
        for missing in MISSING
        if count[split, missing]
    ]
    return ", ".join(kinds) or "none"


def _limit(limit: int | None) -> str:
    return "none" if limit is None else str(limit)
