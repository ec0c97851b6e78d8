"""Plots of the bounds of a fit over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treeproof.extras import new_axes
from treeproof.palette import INK, class_colour, mixed

if TYPE_CHECKING:
    from treeproof.solving.observers import History

__all__ = ["plot_bounds"]


def plot_bounds(history: History, ax: Any = None) -> Any:
    """Draw the cost of the best tree and the lower bound against time.

    Dotted lines mark when it was proved that no tree of a depth is better.

    Parameters
    ----------
    history : History
        What a fit told about itself: ``clf.history_``.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes
    """
    if ax is None:
        ax = new_axes("plot_bounds()")
    seconds = np.asarray(history.seconds)
    upper, lower = np.asarray(history.upper), np.asarray(history.lower)
    blue, orange = class_colour(0), class_colour(5)
    ax.fill_between(
        seconds, lower, upper, step="post", color=mixed(blue, 0.12), linewidth=0
    )
    ax.step(seconds, upper, where="post", color=orange, label="best tree found")
    ax.step(seconds, lower, where="post", color=blue, linestyle="--",
            label="lower bound")  # fmt: skip
    gap = float(upper[-1] - lower[-1])
    closed = gap == 0
    ax.plot(seconds[-1:], upper[-1:], marker="o" if closed else "", color=INK, zorder=5)
    proved = _mark_levels(ax, history)
    ax.set_xlabel("seconds")
    ax.set_ylabel("cost")
    ax.set_title(
        f"proved optimal after {seconds[-1]:.3g} s: cost {upper[-1]:.6g}"
        if closed
        else f"stopped after {seconds[-1]:.3g} s with a gap of {gap:.3g}{proved}",
        fontsize=10,
        loc="left",
    )
    ax.set_xlim(left=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3)
    return ax


_NEAR = 0.09  # share of the time axis within which marks have one label


def _mark_levels(ax: Any, history: History) -> str:
    """Mark when levels of depth were proved; return what they prove, for the title."""
    end, cost = history.seconds[-1], history.upper[-1]
    proved = [
        level
        for level in history.levels
        if level.max_depth is not None and level.settles(cost)
    ]
    if not proved or len(history.levels) < 2:
        return ""
    groups: list[list[Any]] = []
    for level in proved:
        ax.axvline(
            level.seconds, color=INK, linestyle=":", linewidth=0.8,
            label="" if groups else "depth proved",
        )  # fmt: skip
        if groups and level.seconds - groups[-1][0].seconds < _NEAR * end:
            groups[-1].append(level)
        else:
            groups.append([level])
    for group in groups:
        first, last = group[0].max_depth, group[-1].max_depth
        ax.annotate(
            f"depth {first}" if first == last else f"depth {first} to {last}",
            (group[-1].seconds, 1.0), xycoords=("data", "axes fraction"),
            xytext=(2, -2), textcoords="offset points", va="top", fontsize=8, color=INK,
        )  # fmt: skip
    return f";\nno tree of depth {proved[-1].max_depth} or less costs less"
