"""A survival tree with a Kaplan-Meier curve below every leaf, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treeproof.extras import need
from treeproof.palette import class_colour

if TYPE_CHECKING:
    from treeproof.survival.tree import OptimalSurvivalTree

__all__ = ["plot_curves"]


def plot_curves(model: OptimalSurvivalTree, figure: Any = None) -> Any:
    """Draw the tree of a fitted model and the curves of its leaves."""
    plt = need("matplotlib.pyplot", "plot", "plot_curves()")
    leaves = list(model.curves_)
    n = len(leaves)
    if figure is None:
        figure = plt.figure(figsize=(max(6.0, 2.1 * n), 7.0), layout="constrained")
    grid = figure.add_gridspec(2, n, height_ratios=[3, 2])
    model.plot(ax=figure.add_subplot(grid[0, :]), orientation="down")
    hazard = model.cumulative_baseline_hazard_
    first = None
    for k, node in enumerate(leaves):
        ax = figure.add_subplot(grid[1, k], sharey=first)
        curve, risk = model.curves_[node], float(model.tree_.value[node, 0])
        end = float(model.unique_times_[-1])
        everyone = np.exp(-hazard.y)
        _steps(ax, hazard.x, everyone, end, color="#bbbbbb")
        _steps(ax, hazard.x, everyone**risk, end, color=class_colour(0), linestyle="--")
        _steps(ax, curve.x, curve.y, end, color=class_colour(0))
        ax.set_ylim(0.0, 1.02)
        ax.set_xlabel("time")
        rows = int(model.tree_.n_node_samples[node])
        ax.set_title(f"risk {risk:.3g}, {rows:,} rows", fontsize=9)
        if first is None:
            first = ax
            ax.set_ylabel("survival")
        else:
            ax.tick_params(labelleft=False)
    return figure


def _steps(ax: Any, x: Any, y: Any, end: float, **style: Any) -> None:
    """Draw a curve that starts at 1 and stays at its last value to the end."""
    last = y[-1] if len(y) else 1.0
    ax.step(
        np.concatenate([[0.0], x, [end]]),
        np.concatenate([[1.0], y, [last]]),
        where="post",
        **style,
    )
