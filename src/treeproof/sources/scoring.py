"""Predicting and scoring rows that are not in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.columns import Column
from treeproof.sources.merged import check_columns
from treeproof.sources.opening import open_source
from treeproof.sources.source import ROWS, WEIGHT, Question, Source

__all__ = ["batches_of", "distinct_cases", "r2_of_source", "source_to_predict"]


def source_to_predict(X: Any, columns: Sequence[Column]) -> Source | None:
    """Return X as a source that has the columns of a tree, or None for a table."""
    text = [
        c.name for c in columns
        if c.categories is not None and c.categories.dtype == object
    ]  # fmt: skip
    source = open_source(X, text=text)
    if source is None:
        return None
    names = source.names
    for column in columns:
        if column.date is None and column.name not in names:
            raise ValueError(
                f"{source.label} lacks the column {column.name!r} that the tree was "
                f"fitted on; its columns are {', '.join(map(repr, names))}."
            )
    return source


def batches_of(
    source: Source, columns: Sequence[Column], others: Sequence[str] = ()
) -> Iterator[tuple[dict[str, Any], list[NDArray[Any]]]]:
    """Yield the columns of a tree batch by batch, and other columns beside them."""
    names = [column.name for column in columns if column.date is None]
    for table in source.batches([*names, *others]):
        yield (
            {name: table.column(name) for name in names},
            [table.column(name).to_numpy() for name in others],
        )


def r2_of_source(
    source: Source,
    columns: Sequence[Column],
    targets: Sequence[str],
    weight: str | None,
    predict: Callable[[Any], NDArray[np.float64]],
) -> float:
    """Return the coefficient of determination, averaged over the targets."""
    check_columns(source, targets, weight)
    if weight is not None:
        source.check_weights(weight)
    others = [*targets, *([weight] if weight else [])]
    base: NDArray[np.float64] | None = None
    sums = np.zeros((4, len(targets)))  # of weights, deviations, their squares, errors
    for table, beside in batches_of(source, columns, others):
        y = np.column_stack(beside[: len(targets)]).astype(np.float64)
        w = beside[-1].astype(np.float64) if weight else np.ones(len(y))
        if base is None:
            base = y[0]
        off = y - base
        error = y - predict(table).reshape(y.shape)
        sums += [np.full(len(targets), w.sum()), w @ off, w @ off**2, w @ error**2]
    spread = sums[2] - sums[1] ** 2 / sums[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = 1.0 - sums[3] / spread
    r2 = np.where(spread > 0, r2, np.where(sums[3] > 0, 0.0, 1.0))
    return float(r2.mean())


def distinct_cases(
    source: Source, columns: Sequence[Column], used: Sequence[int], target: str,
    weight: str | None,
) -> tuple[dict[str, Any], Any, NDArray[np.float64]]:  # fmt: skip
    """Return the distinct combinations of used columns and target, and their weights.

    The columns a tree does not look at are filled with a value it knows.
    """
    check_columns(source, [target], weight)
    if weight is not None:
        source.check_weights(weight)
    dates = [c.date.column for j in used if (c := columns[j]).date is not None]
    plain = [columns[j].name for j in used if columns[j].date is None]
    wanted = [*dict.fromkeys([*plain, *dates]), target]
    counted = source.count(Question(wanted, weight, {}, 1 << 40)).table
    table: dict[str, Any] = {}
    for column in columns:
        if column.date is not None:
            continue
        if column.name in wanted:
            table[column.name] = counted.column(column.name)
        else:
            known = 0.0 if column.categories is None else column.categories[0]
            table[column.name] = np.full(counted.num_rows, known)
    total = counted.column(ROWS if weight is None else WEIGHT).to_numpy()
    return table, counted.column(target), total.astype(np.float64)
