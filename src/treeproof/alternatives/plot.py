"""Plots of near-optimal trees: use of columns, costs, disagreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treeproof.extras import new_axes
from treeproof.palette import INK, class_colour, mixed

if TYPE_CHECKING:
    from treeproof.alternatives.result import NearOptimalSet

__all__ = [
    "plot_disagreement",
    "plot_feature_use",
    "plot_objectives",
    "plot_reliance",
]

_MOST_BARS = 25


def plot_feature_use(trees: NearOptimalSet, ax: Any = None) -> Any:
    """Draw the share of trees that test each column, the most used one on top.

    Parameters
    ----------
    trees : NearOptimalSet
        What ``clf.near_optimal()`` returned.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes
    """
    use = sorted(trees.feature_use().items(), key=lambda item: -item[1])
    use = [(name, n) for name, n in use if n > 0][:_MOST_BARS]
    if ax is None:
        ax = new_axes("plot_feature_use()", 1.1 + 0.27 * max(len(use), 1))
    blue, orange = class_colour(0), class_colour(5)
    for place, (_, n) in enumerate(reversed(use)):
        share = 100 * (n / trees.count)
        always = n == trees.count
        ax.barh(place, share, color=orange if always else mixed(blue, 0.75), height=0.7)
        text = "all" if always else f"{share:.0f} %" if share >= 1 else "< 1 %"
        ax.text(share + 1, place, text, va="center", fontsize=8.5, color=INK)
    ax.set_yticks(range(len(use)), [name for name, _ in reversed(use)])
    ax.set_xlim(0, 110)
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.set_xlabel("share of the trees that test the column, %")
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    count = f"{trees.count:,}" if trees.count < 10**9 else f"{trees.count:.2e}"
    ax.set_title(f"{count} trees within {trees.within:g}", fontsize=10, loc="left")
    return ax


def plot_objectives(trees: NearOptimalSet, ax: Any = None) -> Any:
    """Draw the number of trees at each cost, on a logarithmic scale.

    Parameters
    ----------
    trees : NearOptimalSet
        What ``clf.near_optimal()`` returned.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes
    """
    ax = ax if ax is not None else new_axes("plot_objectives()", 3.5)
    costs, numbers = zip(*trees.objectives(), strict=True)
    # Counts may have more digits than a plot can hold.
    ax.vlines(costs, 0.7, [float(n) for n in numbers], color=class_colour(0), lw=2)
    ax.set_yscale("log")
    ax.set_ylim(bottom=0.7)
    ax.set_xlabel("cost")
    ax.set_ylabel("trees")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_disagreement(trees: NearOptimalSet, X: Any, most: int, ax: Any = None) -> Any:
    """Draw a histogram of the share of trees that contradict the majority, over rows.

    Parameters
    ----------
    trees : NearOptimalSet
        What ``clf.near_optimal()`` returned.
    X : table
        Rows to predict.
    most : int
        The number of the best trees that vote.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes
    """
    ax = ax if ax is not None else new_axes("plot_disagreement()", 3.5)
    disputed = 100 * (1 - trees.votes(X, most).max(axis=1))
    ax.hist(disputed, bins=20, range=(0, 100), color=mixed(class_colour(0), 0.75))
    ax.set_yscale("log")
    ax.set_xlabel("trees that contradict the majority, %")
    ax.set_ylabel("rows")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_reliance(trees: NearOptimalSet, columns: Any = None, ax: Any = None) -> Any:
    """Draw the least and greatest loss of trees when each column is shuffled.

    Parameters
    ----------
    trees : NearOptimalSet
        What ``clf.near_optimal()`` returned.
    columns : column or list of columns, default=None
        Names or numbers; all by default.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes
    """
    found = sorted(trees.reliance(columns).items(), key=lambda item: -item[1].most)
    found = found[:_MOST_BARS]
    if ax is None:
        ax = new_axes("plot_reliance()", 1.1 + 0.27 * max(len(found), 1))
    for place, (_, own) in enumerate(reversed(found)):
        wide = dict(color=class_colour(0), lw=5, solid_capstyle="round")
        ax.plot([own.least, own.most], [place, place], **wide)
    ax.set_yticks(range(len(found)), [name for name, _ in reversed(found)])
    ax.set_xlabel("loss when the column is shuffled, least to greatest of all trees")
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    return ax
