"""Dask data frames, counted where they are.

Each partition counts its own distinct rows; the counts (`coded`) are joined eight by
eight up a tree, so that no worker holds more than eight small tables at a time for it
and the partitions never travel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from treeproof.extras import need
from treeproof.sources.coded import CodedRows, add_up, count_rows
from treeproof.sources.duck import refuse_weights
from treeproof.sources.source import Counted, Cuts, Question, too_many_rows

__all__ = ["DaskSource"]

_FAN_IN = 8


class DaskSource:
    """A Dask data frame; its work runs wherever Dask is set up to run it."""

    label = "The Dask data frame"

    def __init__(self, frame: Any) -> None:
        need("pyarrow", "dask", "counting the rows of a Dask data frame")
        self.frame = frame

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [str(name) for name in self.frame.columns]

    def numeric(self) -> set[str]:
        """Return the columns whose type is a number."""
        from pandas.api.types import is_bool_dtype, is_numeric_dtype

        return {
            name
            for name, kind in zip(self.names, self.frame.dtypes, strict=True)
            if is_numeric_dtype(kind) and not is_bool_dtype(kind)
        }

    def head(self, columns: Sequence[str]) -> Any:
        """Return the first row of some columns as an Arrow table."""
        # One partition after another: the frame's own head would read them all.
        for part in self.frame[list(columns)].to_delayed():
            first = part.head(1).compute()
            if len(first):
                break
        return _arrow(first)

    def check_weights(self, weight: str) -> None:
        """Refuse weights that are missing, negative or not finite."""
        import dask

        if weight not in self.numeric():
            raise ValueError(
                f"The weight column {weight!r} of {self.label} holds no numbers."
            )
        w = self.frame[weight].astype("float64")
        bad = dask.compute(
            w.isna().sum(), w.isin([np.inf, -np.inf]).sum(), (w < 0).sum()
        )
        refuse_weights(self.label, weight, *map(int, bad))

    def cuts(self, columns: Sequence[str], weight: str | None, bins: int) -> Cuts:
        """Return quantile bins for those of the columns that have more values.

        Dask's quantiles are approximate; the bins are as good as any.
        """
        import dask

        frame = self._weighted(weight)
        kinds = dask.compute({c: frame[c].nunique_approx() for c in columns})[0]
        cuts = {}
        for name in columns:
            x = frame[name].astype("float64").dropna()
            if kinds[name] <= 2 * bins:  # an estimate: look closer
                values = np.sort(x.drop_duplicates().compute().to_numpy())
                if len(values) <= bins:
                    continue
            steps = np.arange(1, bins + 1) / bins
            upper, most = dask.compute(x.quantile(steps.tolist()), x.max())
            found = np.unique(np.append(upper.to_numpy(), float(most)))
            cuts[name] = found[found <= float(most)]
        return cuts

    def count(self, question: Question) -> Counted:
        """Return the distinct rows, or ValueError if there are too many."""
        import dask

        weighted = [question.weight] if question.weight else []
        frame = self._weighted(question.weight)
        frame = frame[list(dict.fromkeys([*question.columns, *weighted]))]
        keys = list(question.columns)
        cuts = dict(question.cuts)
        # One task reads and counts: a partition is gone before the next is read.
        counted = frame.map_partitions(
            _count_part, keys, question.weight, cuts, meta=("rows", object)
        )
        level = counted.to_delayed()
        join = dask.delayed(_join)
        while len(level) > 1:
            level = [
                join(level[k : k + _FAN_IN], question.most)
                for k in range(0, len(level), _FAN_IN)
            ]
        rows = dask.compute(level[0])[0].iloc[0]
        if len(rows) > question.most:
            distinct = f"at least {len(rows):,}"
            n = f"{len(self.frame):,}"
            raise too_many_rows(self.label, n, distinct, question.most, {})
        return Counted(rows.to_arrow(), rows.n_rows)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow tables, in their order."""
        for part in self.frame[list(columns)].to_delayed():
            yield _arrow(part.compute())

    def _weighted(self, weight: str | None) -> Any:
        return self.frame if weight is None else self.frame[self.frame[weight] > 0]


def _arrow(part: Any) -> Any:
    """Turn a pandas partition into an Arrow table; categories become their values."""
    import pyarrow as pa

    table = pa.Table.from_pandas(part, preserve_index=False)
    for j, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            plain = table.column(j).cast(field.type.value_type)
            table = table.set_column(j, field.name, plain)
        elif pa.types.is_null(field.type):
            table = table.set_column(j, field.name, table.column(j).cast(pa.string()))
    return table


def _count_part(part: Any, keys: list[str], weight: str | None, cuts: Cuts) -> Any:
    """Count a partition; what is counted goes into a series of one, as Dask wants."""
    return _series(count_rows(_arrow(part), keys, weight, cuts))


def _join(parts: list[Any], most: int) -> Any:
    return _series(add_up([part.iloc[0] for part in parts], most))


def _series(rows: CodedRows) -> Any:
    import pandas as pd

    return pd.Series([rows], name="rows", dtype=object)
