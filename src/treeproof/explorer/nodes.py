"""The details of one node: its rule, its rows, and the distribution of their values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treeproof.border.raw import read_raw_table
from treeproof.columns import plain
from treeproof.date_parts import DatePart
from treeproof.explorer.fitting import Fitted
from treeproof.export.rules import conditions_to
from treeproof.picture.content import shortened
from treeproof.tree import LEAF, THRESHOLD
from treeproof.tree.drawing import action_text, mean_text
from treeproof.words import counted, number, percent

__all__ = [
    "Groups",
    "Histogram",
    "NodeFacts",
    "count_values",
    "histogram",
    "node_facts",
    "table_column",
]

Groups = list[tuple[str, NDArray[np.bool_]]]

_BINS = 16
_MOST_BARS = 24


@dataclass(frozen=True)
class NodeFacts:
    """The text of the page about a node.

    Attributes
    ----------
    rule : tuple of str
        The conditions that hold for its rows; none for the root.
    tested : str or None
        The column it splits on; None for a leaf.
    prediction : str
        What a row that ended here would be predicted to be.
    n_rows : int
        How many rows it has.
    detail : str
        The number of rows, their share of all, and how certain the prediction is.
    """

    node: int
    rule: tuple[str, ...]
    tested: str | None
    prediction: str
    n_rows: int
    detail: str


@dataclass(frozen=True)
class Histogram:
    """A bar chart with one stack for each place and one series for each class.

    Attributes
    ----------
    column : str
        What is counted.
    places : list of str
        Where the bars stand: intervals or categories.
    series : dict of list of int
        Number of rows by class and place; the key is "rows" for a number to predict.
    cut, threshold : float or None
        Where a numeric node splits: as a position among the places, and the number.
    left_out : int
        Missing numbers, or rare categories, that have no bar.
    """

    column: str
    places: list[str]
    series: dict[str, list[int]]
    cut: float | None = None
    threshold: float | None = None
    left_out: int = 0


def node_facts(fitted: Fitted, node: int) -> NodeFacts:
    """Describe a node of the drawn tree.

    Examples
    --------
    >>> from treeproof.explorer.fitting import fit
    >>> from treeproof.explorer.question import first_question
    >>> from treeproof.explorer.tables import bundled_table
    >>> table = bundled_table("iris")
    >>> facts = node_facts(fit(table, first_question(table)), 0)
    >>> facts.rule, facts.prediction, facts.detail
    ((), 'setosa', '150 rows (100%), 33% setosa')
    """
    tree = fitted.tree
    if not 0 <= node < tree.node_count:
        raise ValueError(f"The tree has no node {node}.")
    n_rows, total = int(tree.n_node_samples[node]), int(tree.n_node_samples[0])
    detail = f"{counted(n_rows, 'row')} ({percent(n_rows / total)})"
    value = tree.prediction(node)
    if tree.actions is None:
        prediction = number(value)
        if tree.impurity is not None:
            detail += f", mean {prediction}"
    else:
        prediction = action_text(value)
        if tree.cost is None:
            share = tree.value[node][tree.action[node]] / tree.value[node].sum()
            detail += f", {percent(float(share))} {shortened(prediction)}"
        else:
            detail += f", {mean_text(tree, node)}"
    leaf = tree.kind[node] == LEAF
    return NodeFacts(
        node,
        tuple(map(str, conditions_to(tree, node))),
        None if leaf else tree.columns[tree.feature[node]].name,
        prediction,
        n_rows,
        detail,
    )


def histogram(fitted: Fitted, node: int, column: str) -> Histogram:
    """Count the rows of a node by a column and by class.

    Numbers are counted in intervals of equal width, categories each on its own; of very
    many categories the most frequent are shown.
    """
    rows = fitted.rows_of(node)
    values = _values_of(fitted, column)[rows]
    groups = _groups(fitted, rows)
    return count_values(column, values, groups, _threshold(fitted, node, column))


def table_column(fitted: Fitted, tested: str) -> str:
    """Return the column of the table that a node tests, which may be one of dates."""
    part = _date_part(fitted, tested)
    return tested if part is None else part.column


def _date_part(fitted: Fitted, tested: str) -> DatePart | None:
    dates = [c.date for c in fitted.tree.columns if c.date and c.name == tested]
    return dates[0] if dates else None


def _values_of(fitted: Fitted, column: str) -> NDArray[Any]:
    """Return a column of the table, or numbers such as the months of its dates."""
    columns, part = fitted.table.columns, _date_part(fitted, column)
    if part is None:
        return columns[column]
    dates = {part.column: columns[part.column]}
    return part.of(read_raw_table(dates, None, allow_dates=True).days[0])


def count_values(
    column: str, values: NDArray[Any], groups: Groups, threshold: float | None = None
) -> Histogram:
    """Count values by group: numbers in intervals, categories each on its own."""
    if values.dtype.kind in "iuf" and len(np.unique(values)) > 2:
        return _of_numbers(column, values, groups, threshold)
    return _of_categories(column, values, groups)


def _threshold(fitted: Fitted, node: int, column: str) -> float | None:
    """Return where a node cuts a column of numbers; None if it does not."""
    tree = fitted.tree
    if tree.kind[node] != THRESHOLD or tree.columns[tree.feature[node]].name != column:
        return None
    return float(tree.threshold[node])


def _of_numbers(
    column: str, values: NDArray[Any], groups: Groups, threshold: float | None
) -> Histogram:
    numbers = values.astype(np.float64)
    there = np.isfinite(numbers)
    low, high = float(numbers[there].min()), float(numbers[there].max())
    edges = np.linspace(low, high, _BINS + 1)
    series = {
        label: np.histogram(numbers[there & of], edges)[0].tolist()
        for label, of in groups
    }
    places = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges)]
    cut = None if threshold is None else (threshold - low) / (high - low) * _BINS
    return Histogram(column, places, series, cut, threshold, int((~there).sum()))


def _of_categories(column: str, values: NDArray[Any], groups: Groups) -> Histogram:
    words = np.array(
        ["missing" if _missing(v) else str(plain(v)) for v in values], dtype=object
    )
    names, counts = np.unique(words.astype(str), return_counts=True)
    keep = names
    if len(names) > _MOST_BARS:
        keep = np.sort(names[np.argsort(-counts, kind="stable")[:_MOST_BARS]])
    series = {
        label: [int(np.count_nonzero((words == name) & of)) for name in keep]
        for label, of in groups
    }
    return Histogram(column, keep.tolist(), series, left_out=len(names) - len(keep))


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _groups(fitted: Fitted, rows: NDArray[np.intp]) -> Groups:
    """Divide rows by class, in the order in which the classes are coloured."""
    classes = fitted.tree.classes
    if classes is None:
        return [("rows", np.ones(len(rows), dtype=bool))]
    labels = fitted.table.columns[fitted.question.target][rows]
    return [(str(plain(label)), labels == label) for label in classes]
