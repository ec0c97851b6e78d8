"""Training data of an estimator, from a table in memory or from a source.

`fit(X, y)` takes a table and labels, or a table and the *name* of one of its columns.
With a name, X may also be something that is not in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from treeproof.border import (
    ClassificationData,
    RegressionData,
    RewardData,
    TrainingTable,
    read_classification_data,
    read_regression_data,
    read_reward_data,
)
from treeproof.border.names import known_columns
from treeproof.kinds import ORDERED
from treeproof.limits import Deadline
from treeproof.parameters import wanted
from treeproof.sources.bins import BinnedTable, quantile_cuts
from treeproof.sources.merged import Bins, MergedRows, merged_rows
from treeproof.sources.opening import open_source
from treeproof.sources.source import Source

__all__ = ["classification_data", "regression_data", "reward_data", "source_for"]


def classification_data(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    memory: int,
    costs: Any = None,
    deadline: Deadline | None = None,
) -> tuple[ClassificationData, dict[str, Any]]:
    """Read what `fit` of a classifier is given; return data and statistics."""
    balanced = getattr(model, "metric", None) == "balanced_accuracy"
    read = partial(
        read_classification_data,
        model,
        wanted=wanted(model),
        class_weight="balanced" if balanced else model.class_weight,
        costs=costs,
        deadline=_cutting(deadline),
    )
    return _read(model, X, y, sample_weight, memory, deadline, read)


def regression_data(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    memory: int,
    deadline: Deadline | None = None,
) -> tuple[RegressionData, dict[str, Any]]:
    """Read what `fit` of a regressor is given; return data and statistics."""
    read = partial(
        read_regression_data,
        model,
        wanted=wanted(model),
        deadline=_cutting(deadline),
    )
    return _read(model, X, y, sample_weight, memory, deadline, read)


def reward_data(
    model: Any,
    X: Any,
    rewards: Any,
    sample_weight: Any,
    memory: int,
    deadline: Deadline,
) -> tuple[RewardData, dict[str, Any]]:
    """Read what `fit` of a policy tree is given; return data and statistics."""
    named = isinstance(rewards, list | tuple) and all(
        isinstance(name, str) for name in rewards
    )

    def read(X: Any, y: Any, weight: Any, samples: Any) -> RewardData:
        return read_reward_data(
            model,
            X,
            y,
            weight,
            wanted=wanted(model),
            samples=samples,
            names=list(rewards) if named and samples is not None else None,
            deadline=_cutting(deadline),
        )

    return _read(model, X, rewards, sample_weight, memory, deadline, read)


def _cutting(deadline: Deadline | None) -> Deadline | None:
    """Return the deadline if columns may be left unread once it has passed."""
    return deadline if deadline is not None and deadline.cuts else None


def _read(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    memory: int,
    deadline: Deadline | None,
    read: Callable[..., Any],
) -> tuple[Any, dict[str, Any]]:
    source = source_for(X, y, memory)
    if source is None:
        X, y, sample_weight = split_table(X, y, sample_weight)
        data = read(X, y, sample_weight, samples=None)
        coarse = model.quantiles is not None and not data.table.unread
        bins = _bins(data, model.quantiles) if coarse else None
        return _coarsened(data, bins, {})
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise TypeError(
            f"sample_weight must be the name of a column of {source.label}, not a "
            f"{type(sample_weight).__name__}."
        )
    targets = [y] if isinstance(y, str) else list(y)
    merged = merged_rows(
        source,
        targets,
        sample_weight,
        categorical_features=model.categorical_features,
        quantiles=model.quantiles,
        memory=memory,
    )
    statistics = {"read_seconds": merged.seconds, "distinct_rows": len(merged.samples)}
    if deadline is not None:
        deadline.restart()
    repeated = _spread(merged, model.min_samples_leaf)
    data = read(
        {name: _take(column, repeated.rows) for name, column in merged.table.items()},
        _targets(merged, repeated.rows),
        repeated.weights,
        samples=repeated.samples,
    )
    return _coarsened(data, merged.bins, statistics)


def source_for(X: Any, y: Any, memory: int = 0) -> Source | None:
    """Return X as a source if y names columns of it, None for an ordinary table."""
    named = isinstance(y, str) or (
        isinstance(y, list | tuple) and bool(y) and all(isinstance(n, str) for n in y)
    )
    source = open_source(X, memory=memory, tables=isinstance(y, str))
    if source is not None and not named:
        raise TypeError(
            f"{source.label} is not in memory, so y must be the name of its target "
            f"column, as in fit(X, y='label'); got {type(y).__name__}."
        )
    return source


def split_table(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Take the columns that y and sample_weight name out of a table in memory."""
    if not isinstance(y, str) and not isinstance(sample_weight, str):
        return X, y, sample_weight
    named = [n for n in (y, sample_weight) if isinstance(n, str)]
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        columns = list(frame.columns)
    elif isinstance(X, dict):
        columns = list(X)
    else:
        raise ValueError(
            f"{named[0]!r} names a column, but X is a {type(X).__name__} without "
            "column names; pass the labels or weights themselves."
        )
    for name in named:
        if name not in columns:
            raise ValueError(
                f"X has no column {name!r}; {known_columns(name, columns)}"
            )

    def pick(given: Any) -> Any:
        if not isinstance(given, str):
            return given
        return X[given] if isinstance(X, dict) else frame[given].to_native()

    rest = (
        {name: values for name, values in X.items() if name not in named}
        if isinstance(X, dict)
        else frame.drop(named).to_native()
    )
    return rest, pick(y), pick(sample_weight)


class _Repeated:
    """Each distinct row once, or as often as a limit on leaves has to see it."""

    def __init__(
        self,
        rows: NDArray[np.intp] | None,
        weights: NDArray[np.float64],
        samples: NDArray[np.int64],
    ) -> None:
        self.rows = rows
        self.weights = weights
        self.samples = samples


def _spread(merged: MergedRows, min_samples_leaf: int) -> _Repeated:
    """Repeat each distinct row min(its count, min_samples_leaf) times.

    The engines count rows to see whether a leaf has enough. A leaf with a distinct row
    of at least `min_samples_leaf` rows always has enough, so that repeating it more
    often would change no answer. The first copy gets the weight that whole copies leave
    over, so that whole weights stay whole.
    """
    if min_samples_leaf == 1:
        return _Repeated(None, merged.weights, merged.samples)
    copies = np.minimum(merged.samples, min_samples_leaf)
    rows = np.repeat(np.arange(len(copies)), copies)
    first = np.append(True, rows[1:] != rows[:-1])
    rest = (copies - 1)[rows]
    whole = (merged.weights == np.floor(merged.weights)) & (merged.weights >= copies)
    share = (merged.weights / copies)[rows]
    weights = np.where(whole[rows], 1.0, share)
    weights[first] = np.where(whole, merged.weights - (copies - 1), share[first])
    samples = np.where(first, merged.samples[rows] - rest, 1)
    return _Repeated(rows, weights, samples)


def _take(column: Any, rows: NDArray[np.intp] | None) -> Any:
    return column if rows is None else column.take(rows)


def _targets(merged: MergedRows, rows: NDArray[np.intp] | None) -> Any:
    columns = [_take(column, rows) for column in merged.targets]
    if len(columns) == 1:
        return columns[0]
    return np.column_stack([column.to_numpy() for column in columns])


def _bins(data: Any, quantiles: int) -> dict[str, Bins]:
    """Coarsen the numeric columns of a table in memory; change its codes."""
    table: TrainingTable = data.table
    bins = {}
    for j in np.flatnonzero(table.kinds == ORDERED).tolist():
        values = np.asarray(table.distinct[j], dtype=np.float64)
        counts = np.bincount(table.codes[j], minlength=len(values))[: len(values)]
        high = quantile_cuts(values, counts, quantiles)
        if high is None:
            continue
        bin_of = np.searchsorted(high, values)
        low = values[np.flatnonzero(np.append(True, bin_of[1:] != bin_of[:-1]))]
        # One entry more for missing values: they come after the last bin, too.
        table.codes[j] = np.append(bin_of, len(high))[table.codes[j]]
        table.distinct[j] = high
        table.n_values[j] = len(high)
        bins[table.columns[j].name] = Bins(low, high)
    return bins


def _coarsened(
    data: Any, bins: dict[str, Bins] | None, statistics: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Give the table the limits of its bins, and the statistics their names."""
    if not bins:
        return data, statistics
    low = {}
    for j, column in enumerate(data.table.columns):
        if column.name in bins:
            found = bins[column.name]
            # Bins of rows that were left out (weight zero) are not in the table.
            low[j] = found.low[np.searchsorted(found.high, data.table.distinct[j])]
    table = BinnedTable.of(data.table, low)
    return replace(data, table=table), statistics | {"coarsened": list(bins)}
