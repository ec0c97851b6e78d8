"""Pictures that several targets share."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from treeproof.extras import need
from treeproof.palette import INK, MUTED, class_colour
from treeproof.reproduce.report import as_number
from treeproof.reproduce.target import Row, Target

__all__ = ["new_axes", "ours_and_theirs", "panels", "tree_figure"]


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


def ours_and_theirs(
    target: Target, rows: Sequence[Row], *, key: str, log: bool = False
) -> Any:
    """Draw one figure of all rows: a dot for ours, a ring for the paper's.

    Seconds of a search that met its limit are a cross: it would have taken more.

    Parameters
    ----------
    target : Target
        What the rows are of.
    rows : sequence of Row
        The rows.
    key : str
        The column.
    log : bool, default=False
        Whether the axis is logarithmic.

    Returns
    -------
    matplotlib Figure
    """
    column = next(c for c in target.columns if c.key == key)
    sets = list(dict.fromkeys(row.set for row in rows))
    figure, ax = new_axes(7, 1.6 + 0.24 * len(sets))
    for k, case in enumerate(dict.fromkeys(row.case for row in rows)):
        colour = class_colour(k)
        mine = [r for r in rows if r.case == case and _drawable(r.ours.get(key))]
        stopped = [
            r for r in mine if key == "seconds" and r.ours.get("proved") is False
        ]
        mine = [r for r in mine if r not in stopped]
        theirs = [(r, as_number(r.paper.get(key, ""))) for r in rows if r.case == case]
        printed = [(r, number) for r, number in theirs if number is not None]
        label = case or "ours"
        if mine:
            ax.plot([r.ours[key] for r in mine], [sets.index(r.set) for r in mine],
                    "o", color=colour, markersize=6, label=label)  # fmt: skip
        if stopped:
            ax.plot([r.ours[key] for r in stopped],
                    [sets.index(r.set) for r in stopped], "x",
                    color=colour, markersize=6, label=f"{label}, stopped")  # fmt: skip
        if printed:
            ax.plot([number for _, number in printed],
                    [sets.index(r.set) for r, _ in printed],
                    "o", markerfacecolor="none", color=colour, markersize=7,
                    label=f"{label} (paper)" if case else "paper")  # fmt: skip
    ax.set_yticks(range(len(sets)), sets)
    ax.invert_yaxis()
    ax.grid(axis="y", color=MUTED, alpha=0.2)
    if log:
        ax.set_xscale("log")
    ax.set_xlabel(column.head)
    ax.set_title(target.title, loc="left", fontsize=10, color=INK)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


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
