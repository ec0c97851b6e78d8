"""How the search goes: the bounds closing over time, and what is proved."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import ui

from treeproof.explorer.job import Job
from treeproof.explorer.levels import LevelState
from treeproof.explorer.views.desk import Desk
from treeproof.explorer.views.legible import CHART_FONT
from treeproof.palette import INK, MUTED, class_colour
from treeproof.solving.summary import note_few_rows
from treeproof.words import counted

__all__ = ["SearchView", "bound_points"]

_MOST_POINTS = 300
_READY = (
    "The tree is proved optimal when the lower bound equals the cost of the best tree."
)
_SMALLER = (
    'A larger penalty gives a smaller tree, and "Show all sizes" shows smaller ones; '
    '"Compare" scores trees on rows that they have not seen.'
)
_WHY = {
    "interrupted": "stopped",
    "time_limit": "time limit reached",
    "memory_limit": "memory limit reached",
    "near-optimal": "an alternative",
}

Point = tuple[float, float, float]


def bound_points(
    events: list[tuple[float, float, float, int]], now: float | None = None
) -> list[Point]:
    """Return seconds, lower bound and cost of a search, not too many of them.

    Examples
    --------
    >>> bound_points([(0.0, 0.1, 0.5, 1), (1.0, 0.2, 0.4, 9)], now=2.0)
    [(0.0, 0.1, 0.5), (1.0, 0.2, 0.4), (2.0, 0.2, 0.4)]
    """
    step = max(1, -(-len(events) // _MOST_POINTS))
    points = [(s, low, high) for s, low, high, _ in events[::step]]
    if events and (len(events) - 1) % step:
        points.append(events[-1][:3])
    if now is not None and points and now > points[-1][0]:
        points.append((now, *points[-1][1:]))
    return points


class SearchView:
    """The card with figures and chart of the running, or last, search."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seen: object = None
        with ui.element("section").classes("tp-card tp-search"):
            with ui.element("div").classes("tp-figures"):
                self._badge = (
                    ui.label("")
                    .classes("tp-badge")
                    .props('data-part="badge" role="status"')
                )
                self._lines = (
                    ui.label("").classes("tp-figure").props('data-part="figures"')
                )
                self._ladder = (
                    ui.html("", sanitize=False)
                    .classes("tp-ladder")
                    .props('data-part="ladder" role="list" aria-label="What is proved"')
                )
                self._more = ui.label("").classes("tp-hint").props('data-part="more"')
            self._chart = (
                ui.echart(_options())
                .classes("tp-chart")
                .props(
                    'data-part="chart" role="img" '
                    'aria-label="Cost and lower bound over time"'
                )
            )
        desk.add(self)

    def refresh(self) -> None:
        """Show the state of the search."""
        job = self._desk.session.jobs.get("fit")
        fitted = self._desk.session.fitted
        running = job is not None and job.running
        clock = int(2 * job.seconds) if job is not None and job.running else 0
        levels = self._desk.session.levels
        key = (id(job), job and job.state, id(fitted), clock, len(levels))
        if key == self._seen:
            return
        self._seen = key
        self._ladder.content = "".join(map(_chip, levels))
        if job is None and fitted is not None:
            self._show_fitted(fitted)
        elif job is None:
            self._say("ready", "No search yet", "", _READY)
            self._draw([])
        elif running:
            self._show_running(job)
        elif fitted is not None and job.state == "done":
            self._show_fitted(fitted)
        else:
            self._say("open", "No tree", "", job.error)
            self._draw([])

    def _show_running(self, job: Job) -> None:
        points = bound_points(job.events, job.seconds)
        word = "Stopping" if job.stopped else "Searching"
        if not job.events:
            self._say("busy", word, f"{job.seconds:.1f} s", "")
        else:
            _, lower, upper, _ = job.events[-1]
            tree = job.tree
            size = (
                ""
                if tree is None
                else f"best tree so far: {tree.n_splits} splits, depth {tree.depth}"
            )
            self._say(
                "busy", word,
                f"{job.seconds:.1f} s, cost {upper:.4f}, none below {lower:.4f}, "
                f"gap {upper - lower:.4f}",
                size,
            )  # fmt: skip
        self._draw(points)

    def _show_fitted(self, fitted: Any) -> None:
        model, tree = fitted.model, fitted.model.tree_
        word = "Proved optimal" if model.optimal_ else "Not proved"
        if model.status_ == "near-optimal":
            word = "Alternative"
        if not model.optimal_ and model.proved_depth_ >= 1:
            word = f"Proved for depth {model.proved_depth_:.0f}"
        why = _WHY.get(model.status_, "")
        cost = model._wording().named(model.objective_)
        bounds = f"{cost[0].upper()}{cost[1:]}. {model.certificate()}"
        if not model.optimal_ and why:
            bounds += f" ({why})"
        note = note_few_rows(model, _SMALLER)
        if note is not None:
            bounds += f" Note: {note}"
        self._say(
            "proved" if model.optimal_ else "open", word, bounds,
            f"{fitted.score_name} {fitted.score:.4f}; "
            f"{counted(tree.n_splits, 'split')}, "
            f"{counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}; "
            f"penalty {model.split_penalty:.4g}; {model.stats_['seconds']:.3g} s",
        )  # fmt: skip
        history = model.history_
        events = zip(
            history.seconds, history.lower, history.upper, history.nodes, strict=True
        )
        self._draw(bound_points(list(events)))

    def _say(self, mood: str, word: str, figures: str, more: str) -> None:
        self._badge.text = word
        self._badge.classes(replace=f"tp-badge tp-{mood}")
        self._lines.text = figures
        self._more.text = more

    def _draw(self, points: list[Point]) -> None:
        upper, lower = self._chart.options["series"]
        upper["data"] = [[s, high] for s, _, high in points]
        lower["data"] = [[s, low] for s, low, _ in points]
        self._chart.options["title"]["show"] = not points
        self._chart.update()


def _chip(level: LevelState) -> str:
    mood = "tp-level-proved" if level.proved else "tp-level-open"
    title = escape(level.sentence)
    return (
        f'<span role="listitem" class="tp-level {mood}" title="{title}" '
        f'aria-label="{title}">{escape(level.words)}</span>'
    )


def _options() -> dict[str, Any]:
    def line(name: str, colour: str, dashes: str) -> dict[str, Any]:
        return {
            "name": name, "type": "line", "step": "end", "showSymbol": False,
            "data": [], "lineStyle": {"color": colour, "type": dashes, "width": 2},
            "itemStyle": {"color": colour},
        }  # fmt: skip

    axis = {"axisLabel": {"color": MUTED}, "nameTextStyle": {"color": MUTED},
            "splitLine": {"lineStyle": {"color": "#eceff2"}}}  # fmt: skip
    return {
        "animation": False,
        "textStyle": {"fontFamily": CHART_FONT, "color": INK},
        "grid": {"left": 56, "right": 16, "top": 26, "bottom": 24},
        "legend": {"top": 0, "right": 0, "itemHeight": 2, "icon": "rect"},
        "tooltip": {"trigger": "axis"},
        "title": {"show": True, "text": "the bounds of a search appear here",
                  "left": "center", "top": "middle",
                  "textStyle": {"color": MUTED, "fontSize": 12,
                                "fontWeight": "normal"}},
        "xAxis": {"type": "value", "min": 0, "name": "s", "nameGap": 4,
                  "splitNumber": 5, **axis},
        "yAxis": {"type": "value", "min": 0, "name": "cost", "nameGap": 8,
                  "splitNumber": 3, **axis},
        "series": [line("best tree found", class_colour(5), "solid"),
                   line("lower bound", class_colour(0), "dashed")],
    }  # fmt: skip
