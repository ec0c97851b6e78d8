"""The tab with the trees that are nearly as good: how many, which columns, a list."""

from __future__ import annotations

from nicegui import events, ui

from treeproof.explorer.alternatives import Alternatives
from treeproof.explorer.views.desk import Desk
from treeproof.picture.content import percent

__all__ = ["AlternativesView", "in_words"]

_HEADS = {
    "rank": "Tree", "cost": "Cost", "accuracy": "Accuracy", "splits": "Splits",
    "columns": "Columns it tests",
}  # fmt: skip


def in_words(count: int, within: float) -> str:
    """Say how many trees there are.

    Examples
    --------
    >>> in_words(1, 0.01)
    'One tree costs at most 0.01 more than the best: the best itself.'
    >>> in_words(12345, 0.01)
    '12,345 trees cost at most 0.01 more than the best.'
    """
    if count == 1:
        return f"One tree costs at most {within:g} more than the best: the best itself."
    number = f"{count:,}" if count < 10**12 else f"{count:.2e}"
    return f"{number} trees cost at most {within:g} more than the best."


class AlternativesView:
    """The tab that lists alternatives; a click on one shows it in the tree's tab."""

    def __init__(self, desk: Desk, tabs: ui.tabs) -> None:
        self._desk, self._tabs = desk, tabs
        self._seen: object = None
        with ui.element("div").classes("tp-line"):
            self._margin = ui.number(
                "Margin", value=0.01, min=0, max=1, step=0.005, format="%.4g"
            ).props('dense outlined data-part="margin"')
            self._find = ui.button("Find alternatives", on_click=self._start).props(
                'no-caps unelevated data-part="find-alternatives"'
            )
            self._stop = ui.button(
                "Stop", on_click=lambda: desk.session.stop("alternatives")
            ).props('no-caps outline color=negative data-part="stop-alternatives"')
        self._text = ui.label("").classes("tp-text").props('data-part="how-many"')
        self._use = ui.label("").classes("tp-hint").props('data-part="use"')
        heads = [
            {"name": n, "label": label, "field": n, "align": "left"}
            for n, label in _HEADS.items()
        ]
        self._list = (
            ui.table(columns=heads, rows=[], row_key="rank", pagination=10)
            .props('dense flat bordered data-part="alternatives"')
            .classes("tp-list")
            .on("rowClick", self._choose)
        )
        desk.add(self)

    def refresh(self) -> None:
        """Show what the session has found."""
        session = self._desk.session
        job = session.jobs.get("alternatives")
        running = session.running("alternatives")
        key = (id(job), job and job.state, session.fitted is None)
        if key == self._seen:
            return
        self._seen = key
        self._find.set_enabled(session.fitted is not None and not running)
        self._stop.set_visibility(running)
        found = session.alternatives
        self._list.set_visibility(found is not None)
        if found is not None:
            self._show(found)
            return
        self._use.text = ""
        self._text.text = (
            "Counting all trees within the margin …"
            if running
            else "Often many different trees are nearly equally good. Count all trees "
            "whose cost is within a margin of the optimum, and choose the one "
            "that suits you."
        )

    def _show(self, found: Alternatives) -> None:
        more = f" The cheapest {len(found.listed)} are listed; choose one to see it."
        self._text.text = in_words(found.count, found.within) + (
            more if found.count > 1 else ""
        )
        most = sorted(found.use.items(), key=lambda item: -item[1])[:8]
        self._use.text = "Tested by: " + ", ".join(
            f"{name} {percent(share)}" for name, share in most if share > 0
        )
        self._list.rows = [
            {
                "rank": k + 1,
                "cost": f"{one.cost:.5g}",
                "accuracy": f"{1 - one.loss:.4f}",
                "splits": one.splits,
                "columns": ", ".join(one.columns) or "none",
            }
            for k, one in enumerate(found.listed)
        ]
        self._list.update()

    def _start(self) -> None:
        margin = self._margin.value
        if margin is None:
            self._desk.complain("Enter a margin, such as 0.01.")
            return
        self._desk.attempt(lambda: self._desk.session.start_alternatives(margin))

    def _choose(self, event: events.GenericEventArguments) -> None:
        place = int(event.args[1]["rank"]) - 1
        self._desk.node = None
        if self._desk.attempt(lambda: self._desk.session.show_alternative(place)):
            self._tabs.set_value("tree")
