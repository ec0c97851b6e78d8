"""The slider along the penalty path: every tree that is optimal for some penalty."""

from __future__ import annotations

from nicegui import events, ui

from treeproof.explorer.path import PathPoint
from treeproof.explorer.views.desk import Desk

__all__ = ["SizesView", "describe"]


def describe(point: PathPoint, score_name: str) -> str:
    """Say what a tree of the path is good for.

    Examples
    --------
    >>> describe(PathPoint(0.01, 0.05, 3, 0.04, True, None), "accuracy")
    '3 splits, accuracy 0.9600, optimal for penalties from 0.01 to 0.05'
    """
    splits = "1 split" if point.splits == 1 else f"{point.splits} splits"
    value = point.loss if score_name == "mean cost" else 1 - point.loss
    score = f"{score_name} {value:.4f}"
    word = "optimal" if point.proved else "best found (not proved)"
    return f"{splits}, {score}, {word} for penalties from {point.low:.4g} to {point.high:.4g}"  # noqa: E501


class SizesView:
    """The strip above the tree."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seen: object = None
        self._moving = False
        with ui.element("div").classes("tp-sizes"):
            with ui.element("div").classes("tp-line"):
                self._find = ui.button(
                    "Show all sizes",
                    on_click=lambda: desk.attempt(desk.session.start_path),
                ).props('no-caps dense outline data-part="find-sizes"')
                self._stop = ui.button(
                    "Stop", on_click=lambda: desk.session.stop("path")
                ).props('no-caps dense outline color=negative data-part="stop-sizes"')
                self._slider = (
                    ui.slider(min=0, max=1, step=1, value=0, on_change=self._move)
                    .props('snap markers data-part="slider" aria-label="Size of tree"')
                    .classes("tp-slider")
                )
            self._text = ui.label("").classes("tp-hint").props('data-part="size"')
        desk.add(self)

    def refresh(self) -> None:
        """Show the path of the session."""
        session = self._desk.session
        job, path = session.jobs.get("path"), session.path
        running = session.running("path")
        key = (
            id(job), job and job.state, session.shown,
            session.fitted is None,
        )  # fmt: skip
        if key == self._seen:
            return
        self._seen = key
        self._find.set_visibility(not path and not running)
        self._find.set_enabled(session.fitted is not None)
        self._stop.set_visibility(running)
        self._slider.set_visibility(bool(path))
        if path:
            self._show(path)
        elif running and job is not None:
            self._text.text = "Looking for the trees of all penalties …"
        else:
            self._text.text = (
                "Every tree that is optimal for some penalty, small to large."
                if session.fitted is not None
                else ""
            )

    def _show(self, path: list[PathPoint]) -> None:
        session = self._desk.session
        assert session.question is not None
        place = session.shown
        if place is None:  # the fitted tree itself is shown
            place = _nearest(path, session.question.penalty)
        self._moving = True
        self._slider._props["max"] = len(path) - 1
        self._slider.value = place
        self._slider.update()
        self._moving = False
        text = describe(path[place], session.question.score_name)
        self._text.text = f"Tree {place + 1} of {len(path)}: {text}"

    def _move(self, event: events.ValueChangeEventArguments) -> None:
        path = self._desk.session.path
        if self._moving or not path:
            return
        place = int(event.value)
        self._desk.node = None
        self._desk.attempt(lambda: self._desk.session.show(place))


def _nearest(path: list[PathPoint], penalty: float) -> int:
    """Return the tree of the path that is optimal for a penalty."""
    inside = [k for k, point in enumerate(path) if point.low <= penalty < point.high]
    return inside[0] if inside else (0 if penalty >= path[0].high else len(path) - 1)
