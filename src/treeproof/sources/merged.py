"""The distinct rows of a source as a small table with counts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.names import known_columns
from treeproof.border.raw import read_raw_table
from treeproof.sources.source import (
    LOW,
    ROWS,
    WEIGHT,
    Cuts,
    Question,
    Source,
    most_rows,
)

__all__ = ["Bins", "MergedRows", "check_columns", "merged_rows"]


@dataclass
class Bins:
    """The bins of one coarsened column: least and greatest value of each."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass
class MergedRows:
    """Distinct rows, sorted by their content, with how often each occurred.

    Attributes
    ----------
    table : dict
        The features, column by column.
    targets : list
        The columns to predict.
    weights : ndarray of float64
        Total weight of each distinct row.
    samples : ndarray of int64
        How many rows it stands for.
    bins : dict
        For each coarsened column, its bins.
    seconds : float
        How long it took to read and count.
    """

    table: dict[str, Any]
    targets: list[Any]
    weights: NDArray[np.float64]
    samples: NDArray[np.int64]
    bins: dict[str, Bins]
    seconds: float


def merged_rows(
    source: Source,
    targets: Sequence[str],
    weight: str | None,
    *,
    categorical_features: Any = "from_dtype",
    quantiles: int | None = None,
    memory: int = 0,
) -> MergedRows:
    """Ask a source for its distinct rows."""
    start = time.perf_counter()
    check_columns(source, targets, weight)
    features = [n for n in source.names if n not in targets and n != weight]
    if not features:
        raise ValueError(
            f"{source.label} has no column besides {', '.join(map(repr, targets))}; "
            "there is nothing to split on."
        )
    # Dates and such are refused here; missing values, if at all, with all rows at hand.
    read_raw_table(source.head(features), missing_advice=None)
    if weight is not None:
        source.check_weights(weight)
    cuts: Cuts = {}
    if quantiles is not None:
        numbers = _ordered(source, features, categorical_features)
        cuts = source.cuts(numbers, weight, quantiles)
    columns = [*features, *targets]
    counted = source.count(
        Question(columns, weight, cuts, most_rows(memory, len(columns)))
    )
    table = counted.table.sort_by([(name, "ascending") for name in columns])
    if table.num_rows == 0:
        raise ValueError(f"{source.label} has no rows of positive weight.")
    samples = table.column(ROWS).to_numpy().astype(np.int64)
    for name in targets:
        _check_target(table.column(name), samples, name, source.label)
    plain: dict[str, Any] = {name: table.column(name) for name in features}
    bins = {}
    for name, high in cuts.items():
        number = table.column(name).to_numpy().astype(np.float64)
        low = np.full(len(high), np.inf)
        known = ~np.isnan(number)
        place = number[known].astype(np.intp)
        np.minimum.at(low, place, table.column(LOW + name).to_numpy()[known])
        bins[name] = Bins(low, high)
        values = np.full(len(number), np.nan)
        values[known] = high[place]
        plain[name] = values
    total = samples if weight is None else table.column(WEIGHT).to_numpy()
    return MergedRows(
        plain,
        [table.column(name) for name in targets],
        np.asarray(total, dtype=np.float64),
        samples,
        bins,
        time.perf_counter() - start,
    )


def check_columns(source: Source, targets: Sequence[str], weight: str | None) -> None:
    """Refuse a target or weight that is no column, or that has two roles."""
    for what, names in (("target", targets), ("weight", [weight] if weight else [])):
        for name in names:
            if name not in source.names:
                raise ValueError(
                    f"The {what} {name!r} is not a column of {source.label}; "
                    + known_columns(name, source.names)
                )
    if weight in targets:
        raise ValueError(f"The column {weight!r} cannot be both target and weight.")


def _ordered(
    source: Source, features: Sequence[str], categorical_features: Any
) -> list[str]:
    """Return the columns that are split by thresholds."""
    numeric = source.numeric()
    chosen: set[Any] = set()
    if categorical_features is not None and not isinstance(categorical_features, str):
        given = np.asarray(categorical_features)
        chosen = set((np.flatnonzero(given) if given.dtype == bool else given).tolist())
    return [
        name
        for j, name in enumerate(features)
        if name in numeric and name not in chosen and j not in chosen
    ]


def _check_target(
    column: Any, samples: NDArray[np.int64], name: str, label: str
) -> None:
    missing = int(samples[column.is_null(nan_is_null=True).to_numpy()].sum())
    if missing:
        raise ValueError(
            f"The target {name!r} is missing in {missing:,} rows of {label}. Drop "
            "the rows without a target."
        )
