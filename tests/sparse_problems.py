"""Random problems on which the bounds of the sparse engine can prune."""

from __future__ import annotations

from typing import Any

import native
import numpy as np
from oracle import (
    MULTIWAY,
    ONE_VS_REST,
    ORDERED,
    Table,
    engine_arguments,
    optimal_cost,
    random_limits,
    random_table,
    tree_facts,
)

from treeproof import _core

SWITCHES = list(_core.switches())
LIMITS = ("max_depth", "max_splits", "min_samples_leaf", "penalize")


def noisy_table(
    rng: np.random.Generator, *, n_classes: int | None = None, multiway: bool = False
) -> Table:
    """Twenty to 120 rows, a rule on a few columns and label noise."""
    n = int(rng.integers(20, 120))
    q = int(rng.integers(3, 6)) if multiway else int(rng.integers(4, 8))
    k = int(rng.choice([2, 2, 3, 4])) if n_classes is None else n_classes
    n_values = rng.integers(2, 6, size=q) if multiway else np.full(q, 2)
    codes = np.column_stack([rng.integers(0, v, size=n) for v in n_values])
    rule = (codes[:, 0] + codes[:, 1] * codes[:, -1] + (codes[:, 2 % q] > 0)) % k
    labels = np.where(rng.random(n) < rng.uniform(0.3, 1), rule, rng.integers(0, k, n))
    weighted = rng.random() < 0.2
    return Table(
        kinds=rng.choice([ORDERED, MULTIWAY, ONE_VS_REST], size=q)
        if multiway
        else np.zeros(q, dtype=int),
        n_values=n_values,
        codes=codes,
        labels=labels,
        n_classes=k,
        weights=rng.integers(1, 6, size=n) if weighted else np.ones(n, dtype=int),
    )


def any_table(rng: np.random.Generator) -> Table:
    """Return a problem of one of several families."""
    family = rng.integers(5)
    if family == 0:
        table = random_table(rng)
    elif family == 1:
        table = random_table(rng, max_rows=60, max_features=6, max_values=2, kinds=(0,))
    elif family == 2:
        table = random_table(rng, max_rows=40, max_features=5, max_values=3)
    else:
        table = noisy_table(rng, multiway=bool(rng.random() < 0.25))
    if rng.random() < 0.1:  # totals too large for 16-bit counts
        table.weights = table.weights * 70_000
    return table


def any_limits(rng: np.random.Generator) -> dict[str, Any]:
    """Return random limits, with penalties at which splits pay."""
    limits = random_limits(rng)
    if rng.random() < 0.5:
        limits["split_penalty"] = float(rng.uniform(0, 0.04))
    return limits


def solve(table: Table, limits: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Run the engine without a time limit."""
    return native.solve(solver="sparse", **limits, **options, **engine_arguments(table))


def check(table: Table, limits: dict[str, Any], **options: Any) -> dict[str, int]:
    """Solve and compare with brute force: the value, the bound, and the tree."""
    limits = {"penalize": "splits"} | limits
    wanted = optimal_cost(
        table, limits["split_penalty"], **{name: limits[name] for name in LIMITS}
    )
    answer = solve(table, limits, **options)
    facts = tree_facts(
        table, answer["tree"], limits["split_penalty"], limits["penalize"]
    )
    seen = (answer["status"], answer["lower"], answer["upper"], facts.cost)
    assert seen == ("optimal", wanted, wanted, wanted), (limits, options)
    assert limits["max_depth"] < 0 or facts.depth <= limits["max_depth"]
    assert limits["max_splits"] < 0 or facts.splits <= limits["max_splits"]
    assert facts.splits == 0 or facts.smallest_leaf >= limits["min_samples_leaf"]
    return answer["statistics"]
