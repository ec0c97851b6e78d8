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
    ax.set_xlabel("seconds")
    ax.set_ylabel("cost")
    ax.set_title(
        f"proved optimal after {seconds[-1]:.3g} s: cost {upper[-1]:.6g}"
        if closed
        else f"stopped after {seconds[-1]:.3g} s with a gap of {gap:.3g}",
        fontsize=10,
        loc="left",
    )
    ax.set_xlim(left=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    return ax
