"""The settings of a fit: target, columns and limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.amounts import count_amounts
from treeproof.border.names import known_columns
from treeproof.border.prefix_words import prefix_in_words
from treeproof.border.row_names import RowNames, row_names_of
from treeproof.explorer.aim import Aim
from treeproof.explorer.tables import Table

__all__ = ["Question", "first_question", "left_out", "looks_numeric"]

# if there are many thresholds, the first answer should not take minutes
_EASY_DEPTH = 3
_MANY_CUTS = 1000


@dataclass(frozen=True)
class Question:
    """A tree to look for.

    Attributes
    ----------
    target : str
        The column to predict.
    columns : tuple of str
        The columns it may split on; a column left out is forbidden.
    numeric : bool
        Whether a number is predicted instead of a class.
    penalty : float
        The cost of each additional leaf, as a fraction of the rows (of the variance,
        for a number).
    penalize : {"leaves", "splits"}
        Whether the penalty is for every leaf but one, or for every split.
    max_depth : int or None
        The maximum depth.
    time_limit : float
        The time limit in seconds.
    categories : {"auto", "either", "multiway", "one-vs-rest", "subset"}
        Whether a split on categories has a child for each, separates one, is either
        of these, or parts them in any way; "auto" is what suits `penalize`.
    missing : {"best-side", "branch"}
        Where missing values go at a split.
    first : str or None
        The column that the first split must test; None leaves it to the search.
    prefix : dict or None
        The top of the tree as a partial tree; None leaves it to the search.
    aim : Aim
        What counts, if classes are predicted: errors, costs, or a metric.
    """

    target: str
    columns: tuple[str, ...]
    numeric: bool = False
    penalty: float = 0.01
    penalize: str = "leaves"
    max_depth: int | None = None
    time_limit: float = 60.0
    categories: str = "auto"
    missing: str = "best-side"
    first: str | None = None
    prefix: Any = None
    aim: Aim = field(default_factory=Aim)

    def without(self, column: str) -> Question:
        """Return the same question with a column forbidden."""
        kept = tuple(name for name in self.columns if name != column)
        first = None if self.first == column else self.first
        return replace(self, columns=kept, first=first, prefix=None)

    @property
    def top(self) -> str:
        """The given top of the tree in words; empty if there is none."""
        return prefix_in_words(self.prefix, self.columns)

    @property
    def score_name(self) -> str:
        """What `score` is."""
        return "R²" if self.numeric else self.aim.score_name

    def score(self, model: Any, X: Any, y: NDArray[Any]) -> float:
        """Return how good a model's predictions are, by what the question aims for."""
        if self.numeric or self.aim.counts == "errors":
            return float(model.score(X, y))
        return self.aim.score(y, model.predict(X))

    def check(self, table: Table) -> None:
        """Raise an error with one sentence about settings that are not possible."""
        if self.target not in table.columns:
            raise ValueError(f"There is no column {self.target!r} to predict.")
        for name in self.columns:
            if name not in table.columns:
                raise ValueError(f"There is no column {name!r} to split on.")
        if self.target in self.columns:
            raise ValueError(
                f"The target {self.target!r} is among the columns to split on; take "
                "it out."
            )
        if not self.columns:
            raise ValueError("Choose at least one column to split on.")
        if self.penalty < 0:
            raise ValueError(f"The penalty is at least 0, not {self.penalty:g}.")
        if self.penalty > 1 and (self.numeric or self.aim.counts != "costs"):
            raise ValueError(
                f"The penalty is between 0 and 1, not {self.penalty:g}: it is a share "
                "of the rows."
            )
        if self.max_depth is not None and self.max_depth < 0:
            raise ValueError(f"The depth is at least 0, not {self.max_depth}.")
        if not 0 < self.time_limit < float("inf"):
            raise ValueError("The time limit is a number of seconds above 0.")
        if self.first is not None and self.first not in self.columns:
            raise ValueError(
                f"The first split must test {self.first!r}, which is not among the "
                "columns to split on."
            )
        if self.numeric and not looks_numeric(table, self.target, amounts=False):
            raise ValueError(
                f"Column {self.target!r} holds no numbers to predict; predict its "
                "classes instead."
            )
        if not self.numeric:
            self.aim.check(self.max_depth)


def looks_numeric(table: Table, name: str, *, amounts: bool = True) -> bool:
    """Return whether a column holds numbers; with `amounts`, more than a few of them.

    Examples
    --------
    >>> from treeproof.explorer.tables import bundled_table
    >>> looks_numeric(bundled_table("diabetes"), "progression")
    True
    >>> looks_numeric(bundled_table("monks"), "class")
    False
    """
    values = table.columns[name]
    if values.dtype.kind not in "iuf":
        return False
    return not amounts or count_amounts(values) > 0


def first_question(table: Table, target: str | None = None) -> Question:
    """Return the settings that the page shows at first.

    Examples
    --------
    >>> from treeproof.explorer.tables import bundled_table
    >>> first_question(bundled_table("iris")).columns[-1]
    'petal width (cm)'
    """
    target = table.target if target is None else target
    if target not in table.columns:
        raise ValueError(
            f"The target {target!r} is not a column; "
            + known_columns(target, table.columns)
        )
    usable = [f.name for f in table.facts() if f.name != target and f.kind != "other"]
    naming = {found.name for found in left_out(table, target)}
    columns = tuple(name for name in usable if name not in naming)
    if not columns:  # a tree that memorises the rows is better than none
        columns = tuple(usable)
    return Question(
        target,
        columns,
        numeric=looks_numeric(table, target),
        max_depth=_EASY_DEPTH if _thresholds(table, columns) > _MANY_CUTS else None,
    )


def left_out(table: Table, target: str) -> list[RowNames]:
    """Return the columns that identify the rows, which are not selected at first.

    A split on them is perfect on the training rows and useless for new ones; users can
    still select them.

    Examples
    --------
    >>> from treeproof.explorer.tables import bundled_table
    >>> left_out(bundled_table("iris"), "species")
    []
    """
    rest = {name: values for name, values in table.columns.items() if name != target}
    try:
        return row_names_of(rest)
    except (TypeError, ValueError):  # the fit will raise an error for this column
        return []


def _thresholds(table: Table, columns: tuple[str, ...]) -> int:
    """Return the number of thresholds of the numeric columns."""
    return sum(
        len(np.unique(table.columns[name])) - 1
        for name in columns
        if table.columns[name].dtype.kind in "iuf"
    )
