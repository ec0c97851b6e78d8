"""Draws a scene on matplotlib axes of a size at which texts have their font size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treeproof.extras import need
from treeproof.palette import MUTED
from treeproof.picture.scene import Scene

if TYPE_CHECKING:
    from treeproof.solving.observers import History

__all__ = ["new_figure", "plot_scene", "save_bounds", "save_scene"]

_POINTS = 72.0
_FONT = "DejaVu Sans"


def new_figure(scene: Scene) -> Any:
    """Return axes that fill a new pyplot figure of the scene's size."""
    pyplot = need("matplotlib.pyplot", "plot", "plot()")
    figure = pyplot.figure(figsize=(scene.width / _POINTS, scene.height / _POINTS))
    return figure.add_axes((0, 0, 1, 1))


def save_scene(scene: Scene, path: str) -> None:
    """Write a scene to a file in the format of its ending; no window is opened."""
    figure = _file_figure(scene.width / _POINTS, scene.height / _POINTS)
    plot_scene(scene, figure.add_axes((0, 0, 1, 1)))
    _save(figure, path)


def save_bounds(history: History, path: str) -> None:
    """Write the plot of a fit's bounds over time to a file."""
    figure = _file_figure(6, 3.6)
    figure.set_layout_engine("constrained")
    history.plot(figure.add_subplot())
    _save(figure, path)


def _file_figure(width: float, height: float) -> Any:
    figures = need("matplotlib.figure", "plot", "A picture")
    return figures.Figure(figsize=(width, height))


def _save(figure: Any, path: str) -> None:
    known = figure.canvas.get_supported_filetypes()
    ending = path.rsplit(".", 1)[-1].lower() if "." in path else ""
    if ending not in known:
        raise ValueError(
            f"{path!r} does not end in a format for pictures; use one of "
            f"{', '.join(sorted(known))}."
        )
    # A picture of a huge tree may have more pixels than matplotlib can draw.
    longest = max(figure.get_size_inches())
    figure.savefig(path, dpi=min(150, 30_000 / longest))


def plot_scene(scene: Scene, ax: Any) -> Any:
    """Draw a scene, as large as the axes allow; return the axes."""
    patches = need("matplotlib.patches", "plot", "plot()")
    box = ax.get_window_extent()
    dpi = ax.figure.dpi
    scale = min(
        box.width / dpi * _POINTS / scene.width,
        box.height / dpi * _POINTS / scene.height,
    )
    ax.set_xlim(0, scene.width)
    ax.set_ylim(scene.height, 0)
    ax.set_aspect("equal")
    ax.axis("off")
    for line in scene.lines:
        xs, ys = zip(*line.points, strict=True)
        ax.plot(xs, ys, color=MUTED, linewidth=line.width * scale, zorder=1,
                solid_joinstyle="round")  # fmt: skip
    for k, shape in enumerate(scene.boxes):
        style = {
            "facecolor": shape.fill,
            "edgecolor": shape.edge or "none",
            "linewidth": 0.8 * scale if shape.edge else 0,
            "zorder": 2 + k / len(scene.boxes),
        }
        if shape.radius:
            patch = patches.FancyBboxPatch(
                (shape.x, shape.y), shape.width, shape.height,
                boxstyle=patches.BoxStyle.Round(pad=0, rounding_size=shape.radius),
                mutation_aspect=1, **style,
            )  # fmt: skip
        else:
            patch = patches.Rectangle(
                (shape.x, shape.y), shape.width, shape.height, **style
            )
        ax.add_patch(patch)
    for words in scene.words:
        ax.text(
            words.x, words.y, words.text.replace("$", r"\$"),
            fontsize=words.size * scale, color=words.colour, family=_FONT,
            ha={"middle": "center", "start": "left"}[words.anchor],
            va="center_baseline", fontweight="bold" if words.bold else "normal",
            zorder=4,
        )  # fmt: skip
    return ax
