"""Pictures of trees, ancestry graphs and partitions of the plane.

Needs matplotlib (``pip install treeproof[plot]``). Every function takes an axes object
to draw on, or makes one, and returns it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treeproof.extras import new_axes
from treeproof.proper.tree import Leaf, Node, Tree, leaves

Polygon = list[tuple[float, float]]

INK, POSITIVE, NEGATIVE, MUTED = "#1b1f24", "#1565c0", "#c62828", "#8a939c"
INKS = ["#1565c0", "#c62828", "#2e7d32", "#a66f00", "#5e35b1", "#00838f", "#ad1457"]
FILLS = ["#cfe3f7", "#fbdcd6", "#d9efd6", "#f6ebc6", "#e4dcf3", "#d3eeee", "#f3d9e8"]


def draw_tree(
    tree: Tree,
    ax: Any = None,
    *,
    rule_text: Callable[[Any], str] = str,
    leaf_text: Callable[[Any], str] | None = None,
    origin: tuple[float, float] = (0.0, 0.0),
    spacing: float = 1.0,
    color: str = INK,
    fontsize: float = 9,
) -> Any:
    """Draw a tree with its root on top and the positive side on the left.

    Parameters
    ----------
    tree : Leaf or Node
    ax : matplotlib axes, optional
    rule_text, leaf_text : callable
        What to write in nodes and leaves; leaves are small squares without `leaf_text`.
    origin : pair of float
        Where the left-most leaf's column and the root's row start.
    spacing : float
        Distance between neighbouring leaves.
    color : str
    fontsize : float
    """
    ax = ax if ax is not None else new_axes("A picture", 4.8, 6.4)
    ax.set_axis_off()
    next_leaf = iter(range(len(leaves(tree))))

    def place(t: Tree, level: int) -> float:
        y = origin[1] - level
        if isinstance(t, Leaf):
            x = origin[0] + spacing * next(next_leaf)
            if leaf_text is None:
                ax.plot([x], [y], "s", ms=3.5, color=MUTED, zorder=3)
            else:
                ax.text(
                    x,
                    y,
                    leaf_text(t.data),
                    ha="center",
                    va="center",
                    fontsize=fontsize,
                    bbox={"boxstyle": "square,pad=0.15", "fc": "white", "ec": "none"},
                    zorder=3,
                )
            return x
        left, right = place(t.left, level + 1), place(t.right, level + 1)
        x = (left + right) / 2
        for child in (left, right):
            ax.plot([x, child], [y, y - 1], "-", lw=1, color=color, zorder=1)
        text = rule_text(t.rule)
        if text:
            box = {"boxstyle": "round,pad=0.25", "fc": "white", "ec": color, "lw": 1}
            ax.text(
                x,
                y,
                text,
                ha="center",
                va="center",
                fontsize=fontsize,
                bbox=box,
                color=color,
                zorder=4,
            )
        else:
            ax.plot([x], [y], "o", ms=5, color=color, zorder=3)
        return x

    place(tree, 0)
    ax.margins(0.08)
    return ax


def draw_ancestry_graph(
    ancestry: ArrayLike, names: Sequence[str] | None = None, ax: Any = None
) -> Any:
    """Draw which rule may stand below which: blue for the positive side, red else.

    An arrow from i to j means that j can be generated on a side of i. A dotted line
    joins rules of which neither can be the other's ancestor.
    """
    ax = ax if ax is not None else new_axes("A picture", 4.8, 6.4)
    ax.set_axis_off()
    ax.set_aspect("equal")
    matrix: Any = np.asarray(ancestry)
    n = len(matrix)
    turn = np.pi / 2 + np.pi / n - 2 * np.pi * np.arange(n) / n
    at = np.c_[np.cos(turn), np.sin(turn)]
    for i in range(n):
        for j in range(n):
            if matrix[i, j]:
                ax.annotate(
                    "",
                    xy=at[j],
                    xytext=at[i],
                    arrowprops={
                        "arrowstyle": "-|>",
                        "color": POSITIVE if matrix[i, j] > 0 else NEGATIVE,
                        "shrinkA": 14,
                        "shrinkB": 14,
                        "connectionstyle": "arc3,rad=0.12",
                    },
                )
            elif i < j and not matrix[j, i]:
                ax.plot(*zip(at[i], at[j], strict=True), ":", color=MUTED, zorder=0)
    for i in range(n):
        name = names[i] if names is not None else f"$r_{i}$"
        circle = {"boxstyle": "circle,pad=0.3", "fc": "white", "ec": INK}
        ax.text(*at[i], name, ha="center", va="center", bbox=circle, zorder=3)
    ax.set_xlim(-1.4, 1.4)
    ax.set_ylim(-1.4, 1.4)
    return ax


def draw_plane_partition(
    tree: Tree,
    box: tuple[float, float, float, float],
    line_of: Callable[[Any], tuple[float, float, float]],
    ax: Any = None,
    *,
    fill: bool = True,
    text: Callable[[Any], str] | None = None,
    colors: Callable[[int, Any], str] | None = None,
) -> Any:
    """Draw the cells a tree of straight cuts makes in a rectangle.

    Parameters
    ----------
    tree : Leaf or Node
    box : (left, bottom, right, top)
    line_of : callable
        (a, b, c) of a rule, whose positive side is a*x + b*y > c.
    ax : matplotlib axes, optional
    fill : bool
        Whether to colour the cells.
    text : callable, optional
        What to write beside each cut, from its rule.
    colors : callable, optional
        Colour of a leaf from its number and data.
    """
    ax = ax if ax is not None else new_axes("A picture", 4.8, 6.4)
    numbers = iter(range(len(leaves(tree))))
    left, bottom, right, top = box
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    for cell, place, crossing in _cells(tree, corners, line_of):
        if isinstance(place, Leaf):
            number = next(numbers)
            if fill and cell:
                color = FILLS[number % len(FILLS)]
                if colors is not None:
                    color = colors(number, place.data)
                ax.fill(*zip(*cell, strict=True), color=color, lw=0, zorder=0)
        elif crossing:
            (ax1, ay1), (ax2, ay2) = crossing
            ax.plot([ax1, ax2], [ay1, ay2], "-", color=INK, lw=1.4, zorder=2)
            if text is not None:
                ax.text(
                    0.8 * ax1 + 0.2 * ax2,
                    0.8 * ay1 + 0.2 * ay2,
                    text(place.rule),
                    fontsize=8,
                    ha="center",
                    va="center",
                    bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"},
                    zorder=4,
                )
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    return ax


def draw_kd_tree(tree: Tree, points: ArrayLike, ax: Any = None) -> Any:
    """Draw the points of a K-D tree in the plane with its cuts."""
    at = np.asarray(points, dtype=float)
    if at.shape[1] != 2:
        raise ValueError(
            f"only points in the plane can be drawn, these have {at.shape[1]} "
            "coordinates"
        )
    level = _levels(tree)

    def line_of(row: int) -> tuple[float, float, float]:
        axis = level[row] % 2
        # The positive, left side of a node holds the smaller coordinates.
        return (-1.0, 0.0, -at[row, 0]) if axis == 0 else (0.0, -1.0, -at[row, 1])

    ax = draw_plane_partition(tree, _box(at), line_of, ax)
    ax.plot(at[:, 0], at[:, 1], "o", color=INK, ms=5, zorder=5)
    for row, (x, y) in enumerate(at):
        ax.annotate(
            f"{row}", (x, y), xytext=(5, 4), textcoords="offset points", fontsize=9
        )
    return ax


def draw_space_partition(tree: Tree, segments: Sequence[Any], ax: Any = None) -> Any:
    """Draw segments and the cuts of a binary space partition."""
    ends = np.array(
        [[float(x) for x in corner] for s in segments for corner in (s.start, s.end)]
    )

    def line_of(s: Any) -> tuple[float, float, float]:
        (px, py), (qx, qy) = [[float(x) for x in corner] for corner in (s.start, s.end)]
        a, b = -(qy - py), qx - px
        return a, b, a * px + b * py

    ax = draw_plane_partition(tree, _box(ends), line_of, ax)
    for line in ax.lines:
        line.set(lw=0.9, ls="--", color=MUTED)
    for s in segments:
        (px, py), (qx, qy) = [[float(x) for x in corner] for corner in (s.start, s.end)]
        ax.plot([px, qx], [py, qy], "-", color=INK, lw=2.6, zorder=4)
        normal = np.array([py - qy, qx - px]) / np.hypot(qx - px, qy - py)
        ax.annotate(
            f"$s_{{{s.origin}}}$",
            ((px + qx) / 2, (py + qy) / 2),
            xytext=9 * normal,
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=9,
        )
    ax.set_aspect("equal")
    return ax


def _cells(
    tree: Tree, cell: Polygon, line_of: Callable[[Any], tuple[float, float, float]]
) -> Iterator[tuple[Polygon, Tree, Any]]:
    if isinstance(tree, Leaf):
        yield cell, tree, None
        return
    a, b, c = line_of(tree.rule)
    positive = _clip(cell, a, b, c)
    negative = _clip(cell, -a, -b, -c)
    on = [p for p in positive if abs(a * p[0] + b * p[1] - c) < 1e-9 * (abs(c) + 1)]
    crossing = (min(on), max(on)) if len(on) > 1 else None
    yield cell, tree, crossing
    yield from _cells(tree.left, positive, line_of)
    yield from _cells(tree.right, negative, line_of)


def _clip(cell: Polygon, a: float, b: float, c: float) -> Polygon:
    """Return the part of a convex polygon in which a*x + b*y >= c."""
    kept: Polygon = []
    for p, q in zip(cell, cell[1:] + cell[:1], strict=True):
        at_p, at_q = a * p[0] + b * p[1] - c, a * q[0] + b * q[1] - c
        if at_p >= 0:
            kept.append(p)
        if at_p * at_q < 0:
            t = at_p / (at_p - at_q)
            kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return kept


def _levels(tree: Tree) -> dict[Any, int]:
    found, level, places = {}, 0, [tree]
    while places:
        nodes = [t for t in places if isinstance(t, Node)]
        found.update({t.rule: level for t in nodes})
        places = [child for t in nodes for child in (t.left, t.right)]
        level += 1
    return found


def _box(points: Any) -> tuple[float, float, float, float]:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.12 * max(*(high - low), 1e-9)
    return low[0] - margin, low[1] - margin, high[0] + margin, high[1] + margin
