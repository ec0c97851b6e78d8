"""The switches of the threshold engine: drawn at random, and in every combination."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np


def switch_combinations(*further: str) -> Iterator[dict[str, Any]]:
    """Yield the switches; `further` ones are on or off too."""
    names = (*further, "inheritance", "portable_kernels", "coarse_cuts", "most_bins")
    flags = (False, True)
    values = [flags] * len(further) + [flags, flags, (1, 24), (2, 128)]
    for chosen in itertools.product(*values):
        switches = dict(zip(names, chosen, strict=True))
        # With few bins, every set divides them into parts, as large sets do.
        if switches["most_bins"] == 2:
            switches["fine_bins_from"] = 0
        yield switches


def random_switches(rng: np.random.Generator, *names: str) -> dict[str, Any]:
    """Set some of these switches, and few cuts and bins.

    With few of them, small tables reach the code for large ones.
    """
    switches: dict[str, Any] = {}
    for name in names:
        if rng.random() < 0.3:
            switches[name] = bool(rng.random() < 0.5)
    for name in ("coarse_cuts", "most_bins"):
        if rng.random() < 0.7:
            switches[name] = int(rng.choice([1, 2, 3, 5]))
    if rng.random() < 0.5:
        switches["fine_bins_from"] = 0
    return switches


def check_every_combination(
    tables: Iterable[Any],
    penalties: tuple[float, ...],
    check: Callable[[Any, dict[str, Any], dict[str, Any]], None],
    *further: str,
) -> None:
    """Check each table, with trees of depth three, under all switches and limits."""
    for switches in switch_combinations(*further):
        some = tables, (1, 2), penalties, ("leaves", "splits")
        for table, min_leaf, penalty, rule in itertools.product(*some):
            limits = {
                "split_penalty": penalty,
                "max_depth": 3,
                "max_splits": -1,
                "min_samples_leaf": min_leaf,
                "penalize": rule,
            }
            check(table, limits, switches)
