"""The trees drawn in the thesis, collapsed ones included: Figures 4.9 to 4.18."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treeproof.export.json import from_json
from treeproof.reproduce.data import DataSet
from treeproof.reproduce.figures import thesis
from treeproof.reproduce.fitting import figures_of, fit, optimal_classifier
from treeproof.reproduce.plots import tree_figure
from treeproof.reproduce.sparse_trees import thesis_data
from treeproof.reproduce.target import Column, Record, Request, Row, Target

__all__ = ["TARGETS"]

_FOUR = "four categories"
_COLLAPSED = "collapsed"

# Number, set, whether collapsed, what the thesis says.
_FIGURES: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("4.9", _FOUR, "", {"splits": "1"}),
    ("4.10", f"{_FOUR} one-hot", "", {"splits": "2"}),
    ("4.12", "mushroom-o", "", {"splits": "1"}),
    ("4.13", "mushroom-o", _COLLAPSED, {"splits": "1", "leaves": "2"}),
    ("4.14", "mushroom", "", {"splits": "3"}),
    ("4.15", "monk1-l", "", {"splits": "7"}),
    ("4.16", "monk1-f", "", {"splits": "17"}),
    ("4.17", "monk1-o", "", {"splits": "10"}),
    ("4.18", "monk1-o", _COLLAPSED, {"splits": "7"}),
)


def _data(name: str, request: Request) -> tuple[DataSet, float]:
    if not name.startswith(_FOUR):
        return thesis_data(name, request)
    x = np.repeat([1, 2, 3, 4], 5)
    y = ((x == 1) | (x == 3)).astype(int)
    if name == _FOUR:
        return DataSet(x[:, None], y, categorical=True), 0.01
    return DataSet((x[:, None] == [1, 2, 3, 4]).astype(int), y), 0.01


def _measure(name: str, case: str, request: Request) -> Record:
    data, penalty = _data(name, request)
    model = optimal_classifier(penalty, data)
    seconds = fit(model, data, request.time_limit)
    record = figures_of(model, data, seconds)
    tree = model.tree_.collapse() if case == _COLLAPSED else model.tree_
    return record | {
        "splits": int(tree.n_splits),
        "leaves": int(tree.n_leaves),
        "tree": tree.to_json(),
    }


def _draw(target: Target, rows: Sequence[Row]) -> Any:
    return tree_figure(from_json(rows[0].ours["tree"]))


def _text(rows: Sequence[Row]) -> str:
    """Return the trees as text; equal siblings are shown separately."""
    return "\n".join(from_json(row.ours["tree"]).export_text() for row in rows)


def _target(number: str, name: str, case: str, printed: dict[str, str]) -> Target:
    what = f"Optimal sparse tree of {name}" + (f", {case}" if case else "")
    return Target(
        name=f"thesis-figure-{number}",
        title=what,
        source=f"{thesis.SOURCE}, Figure {number}",
        columns=(
            Column("splits", better=0),
            Column("leaves", better=0),
            Column("objective", digits=4),
            Column("accuracy", digits=4),
            Column("proved"),
        ),
        sets=(name,),
        cases=(case,),
        published={(name, case): printed},
        heads=("data set", "tree"),
        measure=_measure,
        store="thesis-trees",
        plot=_draw,
        text=_text,
    )


TARGETS = tuple(_target(*figure) for figure in _FIGURES)
