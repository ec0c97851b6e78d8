"""The Pareto front of a path: loss against number of splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import is_classifier

from treeproof.extras import new_axes
from treeproof.palette import INK, MUTED, class_colour, mixed
from treeproof.words import counted

if TYPE_CHECKING:
    from treeproof.path.result import PathPoint, PenaltyPath

__all__ = ["plot_choice", "plot_path"]


def plot_path(
    path: PenaltyPath, ax: Any = None, *, chosen: PathPoint | None = None
) -> Any:
    """Draw the loss of every tree of the path against its number of splits.

    No tree lies below the line through the points that are proved. The slope of the
    line between two trees is the penalty at which both are optimal.

    Parameters
    ----------
    path : PenaltyPath
        What `penalty_path` returned.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    chosen : PathPoint or None, default=None
        The tree to mark.

    Returns
    -------
    matplotlib axes
    """
    if ax is None:
        ax = new_axes("plot_path()", 3.8)
    blue, orange = class_colour(0), class_colour(5)
    splits = [p.n_splits for p in path]
    loss = [100 * p.loss for p in path]
    floor = min(0.0, min(loss))
    ax.fill_between(splits, floor, loss, color=mixed(blue, 0.08), linewidth=0)
    ax.plot(splits, loss, color=blue, linewidth=1.2, zorder=2)
    for point in path:
        ax.plot(
            point.n_splits,
            100 * point.loss,
            marker="o",
            markersize=6,
            color=blue,
            markerfacecolor=blue if point.optimal else "white",
            zorder=3,
        )
    if chosen is not None:
        x, value = chosen.n_splits, 100 * chosen.loss
        ax.plot(x, value, "o", markersize=13, markerfacecolor="none", color=orange,
                markeredgewidth=2, zorder=4)  # fmt: skip
        right = 2 * x > splits[0] + splits[-1]
        ax.annotate(
            f"chosen: {counted(chosen.n_splits, 'split')}, {value:.2f} %",
            (x, value),
            xytext=(-4 if right else 12, -20 if right else 12),
            textcoords="offset points",
            color=INK,
            fontsize=9,
            ha="right" if right else "left",
        )
    if len(path) > 1:
        middle = 0.22 * splits[-1] + 0.78 * splits[0]
        low = floor + 0.18 * (max(loss) - floor)
        ax.text(
            middle, low, "no tree on this side", color=MUTED, fontsize=9, ha="center"
        )
    ax.set_xlabel("splits")
    ax.set_ylabel("training loss, %")
    ax.set_ylim(bottom=floor)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.spines[["top", "right"]].set_visible(False)
    state = "proved optimal" if path.optimal else f"not all proved ({path.status})"
    ax.set_title(
        f"{counted(len(path), 'tree')} for penalties from {path.low:g} to "
        f"{path.high:g}, {state}",
        fontsize=10,
        loc="left",
    )
    return ax


def plot_choice(model: Any, ax: Any = None) -> Any:
    """Draw loss on the training rows and on held-out folds against splits.

    Parameters
    ----------
    model : OptimalTreeClassifierCV or OptimalTreeRegressorCV
        A fitted one.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes
    """
    ax = plot_path(model.path_, ax, chosen=model.chosen_)
    results = model.cv_results_
    folds = sum(name.startswith("split") for name in results)
    held_out = 100 * (1 - results["mean_test_score"])
    error = 100 * results["std_test_score"] / max(folds - 1, 1) ** 0.5
    green = class_colour(2)
    if model.scoring is None:
        ax.errorbar(
            results["n_splits"], held_out, yerr=error, color=green, marker="s",
            markersize=4, linewidth=1, capsize=2, zorder=2,
        )  # fmt: skip
        place = int(model.best_index_ == 0)
        ax.annotate(
            "on held-out rows: 1 - " + ("accuracy" if is_classifier(model) else "R²"),
            (results["n_splits"][place], held_out[place]),
            xytext=(8, 8),
            textcoords="offset points",
            color=green,
            fontsize=9,
        )
        ax.set_ylim(top=1.08 * max(ax.get_ylim()[1], float((held_out + error).max())))
        ax.set_ylabel("loss, %")
        return ax
    beside = ax.twinx()
    beside.errorbar(
        results["n_splits"], results["mean_test_score"], yerr=error / 100,
        color=green, marker="s", markersize=4, linewidth=1, capsize=2,
    )  # fmt: skip
    name = model.scoring if isinstance(model.scoring, str) else "score"
    beside.set_ylabel(f"{name} on held-out rows", color=green)
    beside.spines["top"].set_visible(False)
    return ax
