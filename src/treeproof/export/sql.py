"""Trees as SQL: a nested ``CASE`` expression, written by sqlglot in any dialect.

Every test is a ``CASE`` whose first true ``WHEN`` is taken, so that a row is compared
once for each level of the tree. Three details make the answers those of ``predict``:

* Thresholds are written in scientific notation (``2.5e0``), which is a double
  everywhere; ``2.5`` would be a decimal number to DuckDB and PostgreSQL, and DuckDB
  would then compare single-precision columns in single precision.
* A category that a multiway split does not know falls through to ``ELSE``, which is the
  majority class of the split's node.
* NULL goes where ``predict`` sends missing values. If ``predict`` refuses them
  (``missing="error"``), a row with NULL in a column tested on its way gets NULL. NaN is
  a number to most databases; make it NULL first.

Text is compared as the database compares it: MySQL ignores case unless the column has
a binary collation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from treeproof.columns import Column, plain
from treeproof.export.branches import (
    Among,
    AtMost,
    Condition,
    Otherwise,
    branches,
)
from treeproof.export.payload import (
    labels,
    node_predictions,
    node_shares,
    output_names,
)
from treeproof.export.sql_dates import date_test
from treeproof.extras import need
from treeproof.tree import LEAF, Tree
from treeproof.tree.lines import Line

__all__ = ["dialect_names", "known_dialect", "to_sql"]


_NOT_SQL = ("", "dax", "prql")  # languages that sqlglot reads but does not write


def to_sql(
    tree: Tree,
    dialect: str = "duckdb",
    *,
    table: str | None = None,
    name: str = "prediction",
    proba: bool = False,
) -> str:
    """Return the tree as SQL.

    Parameters
    ----------
    tree : Tree
        The tree.
    dialect : str, default="duckdb"
        A dialect that sqlglot knows, such as "sqlite", "postgres", "mysql", "tsql",
        "bigquery" or "snowflake".
    table : str or None, default=None
        The table with the columns of the training table. With a table the result is a
        complete ``SELECT`` that adds the prediction to all its columns; without one it
        is the expression alone. A name with dots is split at them.
    name : str, default="prediction"
        The name of the predicted column.
    proba : bool, default=False
        Add a column ``probability_<class>`` for each class; needs a table.

    Examples
    --------
    >>> from treeproof import OptimalTreeClassifier
    >>> clf = OptimalTreeClassifier().fit([[1], [2], [7], [8]], [0, 0, 1, 1])
    >>> print(to_sql(clf.tree_))
    CASE WHEN "x0" IS NULL OR "x0" <= 4.5e0 THEN 0 ELSE 1 END
    >>> print(to_sql(clf.tree_, "mysql", table="shop.orders"))
    SELECT
      *,
      CASE WHEN `x0` IS NULL OR `x0` <= 4.5e0 THEN 0 ELSE 1 END AS `prediction` FROM `shop`.`orders`
    """  # noqa: E501
    dialect = known_dialect(dialect)
    writer = _Writer(tree, dialect)
    predictions = node_predictions(tree)
    names = output_names(tree, name)
    columns = (
        [predictions]
        if len(names) == 1
        else [[p[k] for p in predictions] for k in range(len(names))]
    )
    if proba:
        shares = node_shares(tree)
        columns += [shares[:, k].tolist() for k in range(shares.shape[1])]
        names += [f"probability_{label}" for label in labels(tree)]
    if table is None:
        if len(columns) > 1:
            raise ValueError(
                f"One SQL expression has one value, but {len(columns)} columns were "
                "asked for; name a table to get a SELECT with all of them."
            )
        return _text(writer.expression(columns[0]), dialect)
    return _text(writer.select(columns, names, table), dialect)


def dialect_names() -> list[str]:
    """Return the dialects of SQL that sqlglot writes."""
    need("sqlglot", "export", "to_sql()")
    from sqlglot.dialects.dialect import Dialect

    return sorted(name for name in Dialect.classes if name not in _NOT_SQL)


def known_dialect(dialect: str) -> str:
    """Return a dialect that sqlglot knows; ValueError for another one."""
    known = dialect_names()
    if dialect not in known:
        raise ValueError(
            f"{dialect!r} is not a dialect of SQL that sqlglot knows; it knows "
            f"{', '.join(known)}."
        )
    return dialect


def _text(expression: Any, dialect: str) -> str:
    try:
        text = str(expression.sql(dialect, pretty=True))
        # The name of the table is short: no line of its own.
        return " FROM ".join(text.rsplit("\nFROM ", 1))
    except RecursionError:
        raise ValueError(
            "The tree is too deep for one SQL expression; fit a tree with a smaller "
            "max_depth."
        ) from None


class _Writer:
    def __init__(self, tree: Tree, dialect: str) -> None:
        from sqlglot import exp

        self.exp = exp
        self.tree = tree
        self.dialect = dialect

    def expression(self, values: Sequence[Any]) -> Any:
        """Return the expression whose value is that of the node where a row ends."""
        exp, tree = self.exp, self.tree
        built: dict[int, Any] = {}
        # Children have higher numbers than their parents.
        for node in reversed(range(tree.node_count)):
            if tree.kind[node] == LEAF:
                built[node] = self._literal(values[node])
                continue
            about = tree.columns[tree.feature[node]]
            name = about.name if about.date is None else about.date.column
            column = exp.column(name, quoted=True)
            absent = exp.Is(this=column.copy(), expression=exp.null())
            case = exp.Case(ifs=[])
            ways = branches(tree, node)
            if not any(way.missing for way in ways):
                case.append("ifs", exp.If(this=absent.copy(), true=exp.null()))
            for way in ways:
                target = (
                    self._literal(values[node]) if way.stays else built.pop(way.target)
                )
                if isinstance(way.condition, Otherwise):
                    case.set("default", target)
                    continue
                test = self._test(way.condition, about, column)
                if way.missing:
                    test = absent.copy() if test is None else exp.or_(absent, test)
                if test is not None:
                    case.append("ifs", exp.If(this=test, true=target))
            if not case.args["ifs"]:
                case = case.args["default"]
            built[node] = case
        return built[0]

    def _test(self, condition: Condition, about: Column, column: Any) -> Any:
        """Return the condition on a value that is there; None if it never holds."""
        exp = self.exp
        if isinstance(condition, AtMost) and about.date is not None:
            return date_test(about.date, condition.threshold, column, self.dialect)
        if isinstance(condition, AtMost):
            limit = self._literal(float(condition.threshold))
            return exp.LTE(this=column.copy(), expression=limit)
        if not isinstance(condition, Among):
            return None
        options = [self._literal(plain(v)) for v in condition.values(about)]
        if len(options) == 1:
            return exp.EQ(this=column.copy(), expression=options[0])
        return exp.In(this=column.copy(), expressions=options)

    def select(
        self, columns: Sequence[Sequence[Any]], names: Sequence[str], table: str
    ) -> Any:
        """Return a SELECT that adds one column for each list of values."""
        exp = self.exp
        parts = table.split(".")
        if not all(parts) or len(parts) > 3:
            raise ValueError(
                f"{table!r} is not the name of a table; it may have a schema and a "
                "catalogue before it, with dots between."
            )
        source = exp.table_(*reversed(parts), quoted=True)
        return exp.select(
            exp.Star(),
            *(
                exp.alias_(self.expression(values), name, quoted=True)
                for values, name in zip(columns, names, strict=True)
            ),
        ).from_(source)

    def _line(self, line: Line) -> Any:
        exp = self.exp
        column = exp.column(line.column, quoted=True)
        product = exp.Mul(this=self._literal(line.slope), expression=column.copy())
        inside = exp.Add(this=self._literal(line.intercept), expression=product)
        absent = exp.Is(this=column, expression=exp.null())
        constant = self._literal(line.otherwise)
        return exp.Case(ifs=[exp.If(this=absent, true=constant)], default=inside)

    def _literal(self, value: Any) -> Any:
        exp = self.exp
        if value is None:  # a leaf that abstains
            return exp.null()
        if isinstance(value, Line):
            return self._line(value)
        if isinstance(value, bool):
            return exp.true() if value else exp.false()
        if isinstance(value, str):
            return exp.Literal.string(value)
        if isinstance(value, int):
            number = exp.Literal.number(str(abs(value)))
        else:
            text = repr(abs(value))
            number = exp.Literal.number(text if "e" in text else f"{text}e0")
        negative = math.copysign(1.0, value) < 0
        return exp.Neg(this=number) if negative else number
