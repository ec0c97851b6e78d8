"""Every combination of the switches of the threshold engine, and of a few limits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def switch_combinations(*further: str) -> Iterator[dict[str, Any]]:
    """Yield the switches; `further` ones are on or off too."""
    names = (*further, "inheritance", "portable_kernels", "coarse_cuts", "most_bins")
    flags = (False, True)
    values = [flags] * len(further) + [flags, flags, (1, 24), (2, 128)]
    for chosen in itertools.product(*values):
        yield dict(zip(names, chosen, strict=True))


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
