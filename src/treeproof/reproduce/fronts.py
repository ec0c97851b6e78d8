"""Accuracy against size: Figures 4.3 to 4.8 of the thesis.

Figures 4.3 to 4.6 cross-validate trees of many sizes: optimal sparse trees and CART for
six penalties, and optimal trees without a penalty for depths 1 to 10, which is what
DL8.5 finds. Figures 4.7 and 4.8 ask whether a minimum size of leaves could do what a
penalty does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from treeproof.palette import class_colour
from treeproof.reproduce.data import Absent, DataSet, load_categories
from treeproof.reproduce.figures import thesis
from treeproof.reproduce.fitting import figures_of, fit, optimal_classifier
from treeproof.reproduce.plots import panels
from treeproof.reproduce.sparse_trees import thesis_data
from treeproof.reproduce.target import Column, Record, Request, Row, Target

__all__ = ["TARGETS"]

PENALTIES = (0.1, 0.05, 0.025, 0.01, 0.005, 0.001)
DEPTHS = tuple(range(1, 11))
LEAF_SIZES = (1, 2, 5, 10, 20, 35, 50)
SETS = tuple(
    dict.fromkeys(
        name for name, _ in thesis.TABLE_4_3 if not name.endswith(("-o", "-l"))
    )
)

_OPTIMUM_SECONDS = 60.0  # for the sparse optimum, whose depth the other trees get
_SPARSE, _ORDINAL, _CART, _DEPTH = "sparse", "sparse, ordinal", "CART", "depth"


def _model(method: str, size: float, data: DataSet, request: Request) -> Any:
    if method == _CART:
        return DecisionTreeClassifier(ccp_alpha=size, random_state=request.seed)
    if method == _DEPTH:
        return optimal_classifier(0.0, data, max_depth=int(size))
    return optimal_classifier(size, data)


def _splits(model: Any) -> int:
    splits = getattr(model, "n_splits_", None)
    return int(model.get_n_leaves() - 1 if splits is None else splits)


def _cross_validate(name: str, case: str, request: Request) -> Record:
    """Return medians and quartiles over the folds."""
    method, size = case.rsplit(" ", 1)
    data = load_categories(name, request.data)
    if method == _ORDINAL:
        try:
            base = name.removesuffix("-f").removesuffix("-o")
            data = load_categories(f"{base}-o", request.data)
        except Absent as reason:  # the other methods can do without
            return {"left out": str(reason)}
    folds = KFold(request.repeats, shuffle=True, random_state=request.seed)
    figures: dict[str, list[float]] = {"train": [], "test": [], "splits": []}
    proved = True
    for seen, unseen in folds.split(data.X):
        part = replace(data, X=data.X[seen], y=data.y[seen])
        model = _model(method, float(size), data, request)
        fit(model, part, request.time_limit)
        figures["train"].append(float(model.score(part.X, part.y)))
        figures["test"].append(float(model.score(data.X[unseen], data.y[unseen])))
        figures["splits"].append(_splits(model))
        proved &= bool(getattr(model, "optimal_", True))
    record: Record = {"proved": proved}
    for key, values in figures.items():
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
        record |= {f"{key} low": float(low), key: float(middle)}
        record[f"{key} high"] = float(high)
    return record


def _draw_fronts(part: str, rows: Sequence[Row]) -> Any:
    """Draw a panel for each set, a line for each method."""
    sets = list(dict.fromkeys(row.set for row in rows))
    figure, axes = panels(len(sets), columns=4)
    methods = list(dict.fromkeys(row.case.rsplit(" ", 1)[0] for row in rows))
    for ax, name in zip(axes, sets, strict=True):
        for k, method in enumerate(methods):
            own = [
                dict(row.ours)
                for row in rows
                if row.set == name
                and row.case.rsplit(" ", 1)[0] == method
                and part in row.ours
            ]
            own.sort(key=lambda record: record["splits"])
            _draw_line(ax, own, part, class_colour(k), method)
        ax.set_title(name, loc="left", fontsize=9)
        ax.set_xscale("symlog", linthresh=1)
    figure.supxlabel(f"across: splits; upwards: {part} accuracy", fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize=9, ncols=4, loc="upper left")
    return figure


def _draw_line(
    ax: Any, records: Sequence[Record], part: str, colour: str, label: str
) -> None:
    if not records:
        return
    x, y = (np.array([r[key] for r in records]) for key in ("splits", part))
    errors = {
        f"{axis}err": np.abs(
            [[r[key] - r[f"{key} low"] for r in records],
             [r[f"{key} high"] - r[key] for r in records]]
        )
        for axis, key in (("x", "splits"), ("y", part))
    }  # fmt: skip
    ax.errorbar(x, y, **errors, fmt="o-", color=colour, label=label, markersize=4,
                linewidth=1, elinewidth=0.7)  # fmt: skip


def _front(number: str, part: str, depths: bool) -> Target:
    cases = [
        f"{method} {penalty:g}"
        for method in (_SPARSE, _ORDINAL, _CART)
        for penalty in PENALTIES
    ]
    if depths:
        cases += [f"{_DEPTH} {depth}" for depth in DEPTHS]
    beside = "CART and depth-limited optimal trees" if depths else "CART"
    return Target(
        name=f"thesis-figure-{number}",
        title=f"Pareto fronts of {part} accuracy and splits: sparse trees, {beside}",
        source=f"{thesis.SOURCE}, Figure {number}",
        columns=(
            Column(part, f"{part} accuracy", 3),
            Column(f"{part} low", "lower quartile", 3),
            Column(f"{part} high", "upper quartile", 3),
            Column("splits", digits=1),
            Column("proved"),
        ),
        sets=SETS,
        extra_sets=("tic-tac-toe-o", "balance-o"),
        cases=cases,
        heads=("data set", "method"),
        measure=_cross_validate,
        repeats=10,
        time_limit=10.0,
        store="thesis-fronts",
        notes=(
            "Medians over --repeats folds. The numbers are penalties of a split, "
            "ccp_alpha for CART, or depths (where the thesis runs DL8.5). The paper "
            "prints no numbers here.",
        ),
        plot=lambda target, rows: _draw_fronts(part, rows),
    )


@lru_cache(maxsize=1)
def _sparse_optimum(name: str, time_limit: float, folder: Path | None) -> Record:
    """Return the figures of the sparse optimum, which all leaf sizes start from."""
    data, penalty = thesis_data(name, Request(data=folder))
    model = optimal_classifier(penalty, data)
    return figures_of(model, data, fit(model, data, max(time_limit, _OPTIMUM_SECONDS)))


def _with_leaf_size(name: str, case: str, request: Request) -> Record:
    """Fit trees with a minimum leaf size: the sparse optimum, or the fewest errors."""
    data, penalty = thesis_data(name, request)
    record = _sparse_optimum(name, request.time_limit, request.data)
    if case != _SPARSE:
        model = optimal_classifier(
            0.0,
            data,
            max_depth=max(1, record["depth"]),
            min_samples_leaf=int(case.rsplit(" ", 1)[1]),
        )
        record = figures_of(model, data, fit(model, data, request.time_limit))
    return record | {"objective": record["accuracy"] - penalty * record["splits"]}


def _draw_leaf_sizes(keys: Sequence[str], rows: Sequence[Row]) -> Any:
    sets = list(dict.fromkeys(row.set for row in rows))
    figure, axes = panels(len(sets) * len(keys), columns=4, height=1.7)
    places = ((name, key) for name in sets for key in keys)
    for ax, (name, key) in zip(axes, places, strict=True):
        own = {r.case: r.ours[key] for r in rows if r.set == name and key in r.ours}
        heights = [own.get(f"leaves of {size}") for size in LEAF_SIZES]
        ax.plot(range(len(LEAF_SIZES)), heights, "o-", color=class_colour(1))
        ax.axhline(own[_SPARSE], color=class_colour(0), linestyle="--")
        ax.set_xticks(range(len(LEAF_SIZES)), LEAF_SIZES)
        ax.set_title(f"{name}: {key}", loc="left", fontsize=9)
    figure.supxlabel("least rows in a leaf", fontsize=9)
    return figure


def _leaf_sizes(number: str, keys: Sequence[str]) -> Target:
    columns = {
        "objective": Column("objective", digits=4),
        "accuracy": Column("accuracy", digits=4),
        "splits": Column("splits"),
    }
    return Target(
        name=f"thesis-figure-{number}",
        title=f"Minimum leaf size instead of a penalty: {' and '.join(keys)}",
        source=f"{thesis.SOURCE}, Figure {number}",
        columns=(
            *(columns[key] for key in keys),
            Column("depth"),
            Column("seconds", digits=3),
            Column("proved"),
        ),
        sets=SETS,
        extra_sets=("tic-tac-toe-o", "balance-o"),
        cases=(_SPARSE, *(f"leaves of {size}" for size in LEAF_SIZES)),
        heads=("data set", "tree"),
        measure=_with_leaf_size,
        time_limit=20.0,
        store="thesis-leaf-sizes",
        notes=(
            "Trees with leaves of a least size have the depth of the sparse optimum "
            "and the fewest errors, which is DL8.5's question; the dashed line is the "
            "sparse optimum.",
        ),
        plot=lambda target, rows: _draw_leaf_sizes(keys, rows),
    )


TARGETS = (
    _front("4.3", "train", False),
    _front("4.4", "test", False),
    _front("4.5", "train", True),
    _front("4.6", "test", True),
    _leaf_sizes("4.7", ("objective",)),
    _leaf_sizes("4.8", ("accuracy", "splits")),
)
