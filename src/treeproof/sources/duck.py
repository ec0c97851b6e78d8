"""Files, DuckDB relations and Arrow data, counted by DuckDB.

One GROUP BY over all columns does it. DuckDB streams the table, spills what does not
fit to a temporary folder, and keeps to its memory limit: half of the fit's own, if that
is given. A relation stays with the connection that made it, and with its settings.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np

from treeproof.border.row_names import CountedColumn
from treeproof.extras import need
from treeproof.sources.bins import bin_number_sql
from treeproof.sources.source import (
    LOW,
    ROWS,
    WEIGHT,
    Counted,
    Cuts,
    Question,
    too_many_rows,
)

__all__ = ["DuckSource", "connect"]

_NUMBERS = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
    "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE",
}  # fmt: skip
_BATCH = 1 << 17
_LEAST_MEMORY = 256 << 20


def connect(memory: int) -> Any:
    """Open a DuckDB of our own that may use half of the memory and the disk.

    Parameters
    ----------
    memory : int
        Bytes the whole process may use; 0 for no limit.
    """
    duckdb = need("duckdb", "data", "reading files without loading them")
    need("pyarrow", "data", "reading files without loading them")
    config = {
        # Made by DuckDB when it needs it, and removed when the connection closes.
        "temp_directory": str(
            Path(tempfile.gettempdir()) / f"treeproof-{token_hex(8)}"
        ),
    }
    if memory:
        config["memory_limit"] = f"{max(memory // 2, _LEAST_MEMORY) // 1024}KiB"
    return duckdb.connect(":memory:", config=config)


def quoted(name: str) -> str:
    """Return a column name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


class DuckSource:
    """A relation of DuckDB.

    Parameters
    ----------
    relation : DuckDBPyRelation
        The table.
    label : str
        What messages call it.
    explain : callable or None
        Turns an error of DuckDB into a better one, if it can.
    check : callable or None
        Looks at the distinct rows before anybody uses them.
    """

    def __init__(
        self,
        relation: Any,
        label: str,
        *,
        explain: Callable[[Exception], None] | None = None,
        check: Callable[[Any], None] | None = None,
    ) -> None:
        self.relation = relation
        self.label = label
        self._explain = explain
        self._check = check
        self._types = {
            name: str(kind)
            for name, kind in zip(relation.columns, relation.types, strict=True)
        }

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.relation.columns)

    def without(self, names: Sequence[str]) -> DuckSource:
        """Return the source without some columns."""
        kept = [quoted(name) for name in self.names if name not in names]
        return DuckSource(
            self.relation.project(", ".join(kept)),
            self.label,
            explain=self._explain,
            check=self._check,
        )

    def numeric(self) -> set[str]:
        """Return the columns whose type is a number."""
        return {
            name
            for name, kind in self._types.items()
            if kind in _NUMBERS or kind.startswith("DECIMAL")
        }

    def facts(self, columns: Sequence[str]) -> tuple[int, list[CountedColumn]]:
        """Return the number of rows, and what can be told of columns by one look.

        The numbers of distinct values are estimates.
        """
        wanted = ", ".join(
            ["count(*)", *(f"approx_count_distinct({quoted(n)})" for n in columns)]
        )
        n_rows, *counts = self.relation.aggregate(wanted).fetchall()[0]
        numbers = self.numeric()
        return int(n_rows), [
            CountedColumn(
                name,
                name in numbers,
                self._types[name].startswith(("DATE", "TIME", "INTERVAL")),
                int(count),
            )
            for name, count in zip(columns, counts, strict=True)
        ]

    def head(self, columns: Sequence[str]) -> Any:
        """Return the first row of some columns as an Arrow table."""
        listed = ", ".join(map(quoted, columns))
        return self._fetch(self.relation.project(listed).limit(1))

    def check_weights(self, weight: str) -> None:
        """Refuse weights that are missing, negative or not finite."""
        if weight not in self.numeric():
            raise ValueError(
                f"The weight column {weight!r} of {self.label} holds no numbers "
                f"({self._types[weight]})."
            )
        w = f"{quoted(weight)}::DOUBLE"
        table = self._fetch(
            self.relation.aggregate(
                f"count(*) FILTER (WHERE {w} IS NULL OR isnan({w})) AS a, "
                f"count(*) FILTER (WHERE isinf({w})) AS b, "
                f"count(*) FILTER (WHERE {w} < 0) AS c"
            )
        )
        refuse_weights(self.label, weight, *table.to_pylist()[0].values())

    def cuts(self, columns: Sequence[str], weight: str | None, bins: int) -> Cuts:
        """Return quantile bins for those of the columns that have more values."""
        cuts = {}
        for name in columns:
            x = f"{quoted(name)}::DOUBLE"
            uppers = self._fetch(
                self._weighted(weight)
                .filter(f"{x} IS NOT NULL AND NOT isnan({x})")
                .aggregate(f"{x} + 0.0 AS v, count(*) AS c", f"{x} + 0.0")
                .project(
                    "v, sum(c) OVER (ORDER BY v) AS reached, sum(c) OVER () AS n, "
                    "count(*) OVER () AS kinds"
                )
                .filter(f"kinds > {bins}")
                .aggregate("max(v) AS upper", f"(reached * {bins} + n - 1) // n")
                .order("upper")
            )
            if uppers.num_rows:
                cuts[name] = uppers.column("upper").to_numpy().astype(np.float64)
        return cuts

    def count(self, question: Question) -> Counted:
        """Return the distinct rows, or ValueError if there are too many."""
        keys, extras = [], [f"count(*)::BIGINT AS {quoted(ROWS)}"]
        for name in question.columns:
            column = quoted(name)
            if name in question.cuts:
                x = f"({column}::DOUBLE)"
                number = bin_number_sql(x, question.cuts[name])
                keys.append(
                    f"CASE WHEN {x} IS NULL OR isnan({x}) THEN NULL ELSE {number} END"
                    f"::INTEGER AS {column}"
                )
                extras.append(f"min({x}) AS {quoted(LOW + name)}")
            elif self._types[name].startswith("DECIMAL"):
                keys.append(f"{column}::DOUBLE AS {column}")
            elif self._types[name] in ("FLOAT", "DOUBLE"):
                keys.append(f"{column} + 0.0 AS {column}")  # -0.0 is 0.0
            else:
                keys.append(column)
        if question.weight is not None:
            w = f"{quoted(question.weight)}::DOUBLE"
            extras.append(f"sum({w}) AS {quoted(WEIGHT)}")
        grouped = self._weighted(question.weight).aggregate(
            ", ".join([*keys, *extras]),
            ", ".join(key.rsplit(" AS ", 1)[0] for key in keys),
        )
        return self._collect(grouped, question)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow tables, in their order."""
        import pyarrow as pa

        listed = self.relation.project(", ".join(map(quoted, columns)))
        for batch in listed.to_arrow_reader(_BATCH):
            yield pa.Table.from_batches([batch])

    def _weighted(self, weight: str | None) -> Any:
        if weight is None:
            return self.relation
        return self.relation.filter(f"{quoted(weight)} > 0")

    def _collect(self, grouped: Any, question: Question) -> Counted:
        """Read the distinct rows; only count them once there are too many."""
        import pyarrow as pa
        import pyarrow.compute as pc

        batches, distinct, n_rows = [], 0, 0
        try:
            reader = grouped.to_arrow_reader(_BATCH)
            for batch in reader:
                distinct += batch.num_rows
                n_rows += pc.sum(batch.column(ROWS)).as_py() or 0
                if distinct <= question.most:
                    batches.append(batch)
                else:
                    batches.clear()
        except Exception as error:
            self._raise(error)
        if distinct > question.most:
            raise too_many_rows(
                self.label,
                f"{n_rows:,}",
                f"{distinct:,}",
                question.most,
                self._widths(question),
            )
        table = pa.Table.from_batches(batches, reader.schema)
        if self._check is not None:
            self._check(table.select(list(question.columns)))
        return Counted(table, n_rows)

    def _widths(self, question: Question) -> dict[str, int]:
        """Return about how many distinct values each column has."""
        columns = [name for name in question.columns if name not in question.cuts]
        listed = ", ".join(f"approx_count_distinct({quoted(c)})" for c in columns)
        table = self._fetch(self.relation.aggregate(listed))
        return dict(zip(columns, (c[0].as_py() for c in table.columns), strict=True))

    def _fetch(self, relation: Any) -> Any:
        try:
            return relation.to_arrow_table()
        except Exception as error:
            self._raise(error)

    def _raise(self, error: Exception) -> Any:
        import duckdb

        if not isinstance(error, duckdb.Error):
            raise error
        if self._explain is not None:
            self._explain(error)
        message = str(error).split("\n")[0]
        raise ValueError(f"{self.label} cannot be read: {message}") from None


def refuse_weights(
    label: str, weight: str, missing: int, infinite: int, negative: int
) -> None:
    """Raise ValueError if a column of weights has any that cannot be weights."""
    for n, what in (
        (missing, "missing"),
        (infinite, "infinite"),
        (negative, "negative"),
    ):
        if n:
            raise ValueError(
                f"The weight column {weight!r} of {label} has {n:,} {what} values. "
                "Weights must be finite numbers >= 0."
            )
