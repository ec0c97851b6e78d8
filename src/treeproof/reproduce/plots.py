"""Figures that several targets share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from treeproof.extras import need
from treeproof.palette import INK, MUTED, class_colour
from treeproof.reproduce.report import as_number
from treeproof.reproduce.target import Row, Target

__all__ = ["new_axes", "ours_and_theirs", "panels", "tree_figure"]

_SHAPES = "os^Dv"


def new_axes(
    width: float = 7.0, height: float = 4.0, rows: int = 1, columns: int = 1
) -> tuple[Any, Any]:
    """Return a new figure and its axes."""
    figure_module = need("matplotlib.figure", "plot", "the picture")
    figure = figure_module.Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns)
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def panels(
    count: int, columns: int, width: float = 3.0, height: float = 2.2
) -> tuple[Any, list[Any]]:
    """Return a new figure with a number of small axes, so many in a row.

    Margins are fixed: to compute them takes minutes where there are many panels.
    """
    columns = min(columns, count)
    rows = ceil(count / columns)
    module = need("matplotlib.figure", "plot", "the picture")
    wide, high = width * columns + 0.4, height * rows + 0.8
    figure = module.Figure(figsize=(wide, high))
    figure.subplots(rows, columns)
    figure.subplots_adjust(
        left=0.6 / wide, right=1 - 0.1 / wide, bottom=0.6 / high, top=1 - 0.6 / high,
        wspace=0.28, hspace=0.9 / height,
    )  # fmt: skip
    for ax in figure.axes:
        ax.tick_params(labelsize=7)
        ax.spines[["top", "right"]].set_visible(False)
    for ax in figure.axes[count:]:
        ax.set_visible(False)
    return figure, figure.axes[:count]


@dataclass
class _Series:
    """The entry of a legend: figures of ours or of the paper, for each set."""

    label: str
    ours: dict[str, float] = field(default_factory=dict)
    stopped: dict[str, float] = field(default_factory=dict)
    theirs: dict[str, float] = field(default_factory=dict)


def ours_and_theirs(
    target: Target,
    rows: Sequence[Row],
    *,
    keys: Sequence[str],
    label: str,
    log: bool = False,
) -> Any:
    """Draw the figures of all rows: filled marks are ours, hollow ones the paper's.

    Cases, and columns if there are several, lie a little below each other, so that
    equal figures do not hide each other. Seconds and iterations of a search that met
    its limit are a cross: it would have taken more.

    Parameters
    ----------
    target : Target
        What the rows are of.
    rows : sequence of Row
        The rows.
    keys : sequence of str
        The columns.
    label : str
        What stands below the axis.
    log : bool, default=False
        Whether the axis is logarithmic.

    Returns
    -------
    matplotlib Figure
    """
    sets = list(dict.fromkeys(row.set for row in rows))
    series = [
        s for s in _all_series(target, rows, keys) if s.ours or s.stopped or s.theirs
    ]
    entries = sum(map(bool, (x for s in series for x in (s.ours, s.stopped, s.theirs))))
    height = 1.2 + (0.2 + 0.03 * len(series)) * len(sets)
    figure, ax = new_axes(7.5, max(height, 0.9 + 0.18 * entries))
    for k, one in enumerate(series):
        shift = 0.75 * ((k + 0.5) / len(series) - 0.5)
        style = {"color": class_colour(k), "linestyle": "none"}
        shape = _SHAPES[k % len(_SHAPES)]
        for found, marker, filling, size, named in (
            (one.ours, shape, class_colour(k), 5, one.label),
            (one.stopped, "x", "none", 5, f"{one.label}, stopped"),
            (one.theirs, shape, "none", 6.5, f"{one.label} (paper)"),
        ):
            if found:
                ax.plot(list(found.values()), [sets.index(s) + shift for s in found],
                        marker=marker, markerfacecolor=filling, markersize=size,
                        label=named, **style)  # fmt: skip
    ax.set_yticks(range(len(sets)), sets)
    ax.set_ylim(len(sets) - 0.5, -0.5)
    ax.set_ylabel(target.heads[0])
    for place in range(1, len(sets)):
        ax.axhline(place - 0.5, color=MUTED, alpha=0.2, linewidth=0.8)
    ax.tick_params(axis="y", length=0)
    if log:
        ax.set_xscale("log")
    ax.set_xlabel(label)
    ax.set_title(target.title, loc="left", fontsize=10, color=INK)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def _all_series(
    target: Target, rows: Sequence[Row], keys: Sequence[str]
) -> list[_Series]:
    """Return a series for each case and column, in the order of the rows."""
    heads = {column.key: column.head for column in target.columns}
    found: dict[tuple[str, str], _Series] = {}
    for row in rows:
        for key in keys:
            words = [row.case, *([heads[key]] if len(keys) > 1 else [])]
            label = ", ".join(word for word in words if word)
            one = found.setdefault((row.case, key), _Series(label))
            effort = key in ("seconds", "iterations")
            met_limit = effort and row.ours.get("proved") is False
            if _drawable(row.ours.get(key)):
                (one.stopped if met_limit else one.ours)[row.set] = row.ours[key]
            printed = as_number(row.paper.get(key, ""))
            if printed is not None:
                one.theirs[row.set] = printed
    return list(found.values())


def _drawable(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def tree_figure(tree: Any) -> Any:
    """Return a figure with a picture of a tree."""
    from treeproof.picture.figure import plot_scene

    scene = tree.picture_scene()
    module = need("matplotlib.figure", "plot", "the picture")
    figure = module.Figure(figsize=(scene.width / 72, scene.height / 72))
    plot_scene(scene, figure.add_axes((0, 0, 1, 1)))
    return figure
