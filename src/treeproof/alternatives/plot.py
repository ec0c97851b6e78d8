"""In how many near-optimal trees each column is used, as a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treeproof.extras import need
from treeproof.palette import INK, class_colour, mixed

if TYPE_CHECKING:
    from treeproof.alternatives.result import NearOptimalSet

__all__ = ["plot_feature_use"]

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
        pyplot = need("matplotlib.pyplot", "plot", "plot_feature_use()")
        size = (6, 1.1 + 0.27 * max(len(use), 1))
        _, ax = pyplot.subplots(figsize=size, layout="constrained")
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
