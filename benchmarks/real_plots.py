"""Pictures of ordinary tables: levels over time, costs over time, held-out scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["plot_all"]

# Okabe and Ito's palette, from depth 1 to any depth; shapes tell them apart as well.
LEVELS = {
    "1": ("#999999", "."),
    "2": ("#56B4E9", "v"),
    "3": ("#0072B2", "o"),
    "4": ("#009E73", "s"),
    "5": ("#E69F00", "D"),
    "any": ("#D55E00", "*"),
}
OURS, CART, TAO, BOUND = "#D55E00", "#0072B2", "#009E73", "#999999"
_LEAST = 1e-3  # seconds; what is faster is drawn there


def plot_all(rows: list[dict[str, Any]], folder: Path) -> None:
    """Draw ``real_levels.png``, ``real_costs.png`` and ``real_scores.png``."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    for name, draw in (
        ("levels", _levels),
        ("costs", _costs),
        ("scores", _scores),
    ):
        figure = draw(rows, plt)
        figure.savefig(folder / f"real_{name}.png", dpi=110, bbox_inches="tight")
        plt.close(figure)


def _plain(axes: Any) -> None:
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _levels(rows: list[dict[str, Any]], plt: Any) -> Any:
    """When each depth was proved, one line for each table."""

    def reached(row: dict[str, Any]) -> tuple[float, float]:
        proved = [lv for lv in row["levels"] if lv["proved"]]
        rank = {depth: i for i, depth in enumerate(LEVELS)}
        deepest = max((rank.get(lv["depth"], 5) for lv in proved), default=-1)
        return -deepest, max((lv["seconds"] for lv in proved), default=0.0)

    ordered = sorted(rows, key=reached, reverse=True)
    figure, axes = plt.subplots(figsize=(8, 0.27 * len(rows) + 1.4))
    for i, row in enumerate(ordered):
        proved = {lv["depth"]: lv for lv in row["levels"] if lv["proved"]}
        times = [max(lv["seconds"], _LEAST) for lv in proved.values()]
        if times:
            axes.plot([min(times), max(times)], [i, i], color="0.85", lw=1, zorder=1)
        for depth, (colour, marker) in LEVELS.items():
            if depth in proved:
                size = 90 if marker == "*" else 34
                axes.scatter(
                    max(proved[depth]["seconds"], _LEAST), i, s=size, zorder=2,
                    color=colour, marker=marker,
                )  # fmt: skip
    for depth, (colour, marker) in LEVELS.items():
        label = "any depth" if depth == "any" else f"depth {depth}"
        axes.scatter([], [], color=colour, marker=marker, label=label)
    axes.set_xscale("log")
    # Nothing may have been proved: the axis then has no data to find its limits by.
    axes.set_xlim(_LEAST / 1.5, 1.5 * max([1.0, *(row["limit"] for row in ordered)]))
    axes.set_yticks(range(len(ordered)), [row["table"] for row in ordered])
    axes.set_ylim(-0.7, len(ordered) - 0.3)
    axes.set_xlabel("seconds until it was proved that no tree of that depth is better")
    axes.grid(axis="x", color="0.92")
    _plain(axes)
    axes.legend(
        loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=6, frameon=False,
        handletextpad=0.1, columnspacing=1.0,
    )  # fmt: skip
    return figure


def _costs(rows: list[dict[str, Any]], plt: Any) -> Any:
    """Objective and bound over time, one small picture for each table."""
    columns = min(5, len(rows))
    lines = -(-len(rows) // columns)
    height = 1.6 * lines + 0.6
    figure, grid = plt.subplots(
        lines, columns, figsize=(2.1 * columns, height), squeeze=False
    )
    for axes in grid.flat[len(rows) :]:
        axes.set_visible(False)
    for axes, row in zip(grid.flat, rows, strict=False):
        events = [event for event in row["events"] if event[2] < 2]
        seconds = [max(event[0], _LEAST) for event in events] + [row["seconds"]]
        lower = [max(event[1], 0.0) for event in events] + [row["bound"]]
        upper = [event[2] for event in events] + [row["cost"]]
        axes.step(seconds, upper, color=OURS, where="post", lw=1.6, zorder=3)
        axes.step(seconds, lower, color=BOUND, where="post", lw=1.2)
        axes.axhline(row["cart_cost"], color=CART, ls="--", lw=1)
        axes.axhline(row["tao_cost"], color=TAO, ls=":", lw=1.2)
        axes.set_xscale("log")
        axes.set_xlim(_LEAST, max(row["limit"], row["seconds"]) * 1.1)
        axes.set_ylim(0, 1.25 * max(row["cart_cost"], row["tao_cost"], row["cost"]))
        axes.set_title(row["table"], fontsize=8.5)
        axes.tick_params(labelsize=6.5)
        axes.spines[["top", "right"]].set_visible(False)
    handles = [
        plt.Line2D([], [], color=OURS, lw=1.6, label="ours: best tree found"),
        plt.Line2D([], [], color=BOUND, lw=1.2, label="ours: no tree costs less"),
        plt.Line2D([], [], color=CART, ls="--", lw=1, label="CART, pruned exactly"),
        plt.Line2D([], [], color=TAO, ls=":", lw=1.2, label="TAO, pruned exactly"),
    ]
    figure.tight_layout(rect=(0, 0.3 / height, 1, 1 - 0.35 / height), w_pad=0.6)
    figure.legend(handles=handles, loc="upper center", ncols=min(4, 2 * columns),
                  frameon=False, fontsize=8.5)  # fmt: skip
    figure.supxlabel("seconds", fontsize=9)
    return figure


def _scores(rows: list[dict[str, Any]], plt: Any) -> Any:
    """Held-out scores: ours and CART joined by a line, TAO beside them."""
    ordered = sorted(rows, key=lambda row: row["score"])
    figure, axes = plt.subplots(figsize=(8, 0.27 * len(rows) + 1.4))
    for i, row in enumerate(ordered):
        pair = sorted([row["score"], row["cart_score"]])
        axes.plot(pair, [i, i], color="0.85", lw=2, zorder=1)
    places = range(len(ordered))
    for key, colour, marker, label in (
        ("tao_score", TAO, "d", "TAO"),
        ("cart_score", CART, "s", "CART"),
        ("score", OURS, "o", "ours"),
    ):
        axes.scatter(
            [row[key] for row in ordered], places, color=colour, marker=marker, s=30,
            label=label, zorder=3 if key == "score" else 2,
        )  # fmt: skip
    axes.set_yticks(places, [row["table"] for row in ordered])
    axes.set_ylim(-0.7, len(ordered) - 0.3)
    axes.set_xlabel("score on the held-out rows (accuracy; R² for numbers)")
    axes.grid(axis="x", color="0.92")
    _plain(axes)
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=3, frameon=False)
    return figure
