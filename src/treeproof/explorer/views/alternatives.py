"""The tab with the trees that are nearly as good: how many, which columns, a list."""

from __future__ import annotations

from html import escape

from nicegui import events, ui

from treeproof.explorer.alternatives import Alternatives, ColumnUse
from treeproof.explorer.views.desk import Desk
from treeproof.words import percent

__all__ = ["AlternativesView", "in_words", "use_table"]

_HEADS = {
    "rank": "Tree", "cost": "Cost", "accuracy": "Accuracy", "splits": "Splits",
    "columns": "Columns it tests",
}  # fmt: skip
_MOST_COLUMNS = 12


def in_words(count: int, within: float, relative: bool = False) -> str:
    """Say how many trees there are.

    Examples
    --------
    >>> in_words(1, 0.01)
    'One tree costs at most 0.01 more than the best: the best itself.'
    >>> in_words(12345, 0.01)
    '12,345 trees cost at most 0.01 more than the best.'
    """
    margin = f"{100 * within:g} %" if relative else f"{within:g}"
    if count == 1:
        return f"One tree costs at most {margin} more than the best: the best itself."
    number = f"{count:,}" if count < 10**12 else f"{count:.2e}"
    return f"{number} trees cost at most {margin} more than the best."


def more_in_words(found: Alternatives) -> str:
    """Say in how many ways the trees predict, and of which rows they disagree."""
    parts = []
    if found.n_predictions is not None and found.count > 1:
        ways = (
            "one way" if found.n_predictions == 1 else f"{found.n_predictions:,} ways"
        )
        parts.append(f"Together they predict the training rows in {ways}.")
    if found.disputed is not None:
        some, every = found.disputed
        parts.append(
            "They agree on every row."
            if some == 0
            else f"For {some:,} of the {every:,} rows they predict different classes: "
            "candidates for a person's decision."
        )
    return " ".join(parts)


def use_table(use: dict[str, ColumnUse]) -> str:
    """Return a table of columns: how many trees test each, and what it matters.

    The bar is the range of the loss when the column is shuffled, over all trees.

    Examples
    --------
    >>> "age" in use_table({"age": ColumnUse(0.5, 0.1, 0.3)})
    True
    """
    ranked = sorted(use.items(), key=lambda item: (-item[1].share, item[0]))
    ranges = [own for _, own in ranked if own.most is not None]
    low = min((own.least or 0.0 for own in ranges), default=0.0)
    high = max((own.most or 0.0 for own in ranges), default=1.0)
    width = (high - low) or 1.0
    rows = []
    for name, own in ranked[:_MOST_COLUMNS]:
        bar = ""
        if own.least is not None and own.most is not None:
            left, right = (own.least - low) / width, (own.most - low) / width
            bar = (
                f"<td class=tp-loss>{own.least:.3f} to {own.most:.3f}"
                "<div class=tp-range "
                f"style='--left:{100 * left:.1f}%;--wide:{100 * (right - left):.1f}%'>"
                "</div></td>"
            )
        rows.append(
            f"<tr><td>{escape(name)}</td><td>{percent(own.share)}</td>{bar}</tr>"
        )
    lost = "<th>loss when it is shuffled</th>" if ranges else ""
    return (
        "<table class='tp-table tp-use'><thead><tr><th>Column</th><th>tested by</th>"
        f"{lost}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


class AlternativesView:
    """The tab that lists alternatives; a click on one shows it in the tree's tab."""

    def __init__(self, desk: Desk, tabs: ui.tabs) -> None:
        self._desk, self._tabs = desk, tabs
        self._seen: object = None
        with ui.element("div").classes("tp-line"):
            self._margin = ui.number(
                "Margin", value=0.01, min=0, max=1, step=0.005, format="%.4g"
            ).props('dense outlined data-part="margin"')
            self._without = (
                ui.select([], label="Without columns", multiple=True)
                .props('dense outlined use-chips data-part="without"')
                .classes("tp-without")
            )
            self._find = ui.button("Find alternatives", on_click=self._start).props(
                'no-caps unelevated data-part="find-alternatives"'
            )
            self._stop = ui.button(
                "Stop", on_click=lambda: desk.session.stop("alternatives")
            ).props('no-caps outline color=negative data-part="stop-alternatives"')
        self._text = ui.label("").classes("tp-text").props('data-part="how-many"')
        self._more = ui.label("").classes("tp-text").props('data-part="disputed"')
        self._use = ui.html("", sanitize=False).props('data-part="use"')
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
        if session.fitted is not None:
            question = session.fitted.question
            self._without.set_options(list(question.columns))
        self._stop.set_visibility(running)
        found = session.alternatives
        self._list.set_visibility(found is not None)
        if found is not None:
            self._show(found)
            return
        self._use.content = self._more.text = ""
        self._text.text = (
            "Counting all trees within the margin …"
            if running
            else "Often many different trees are nearly equally good. Count all trees "
            "whose cost is within a margin of the optimum, and choose the one "
            "that suits you."
        )

    def _show(self, found: Alternatives) -> None:
        more = f" The cheapest {len(found.listed)} are listed; choose one to see it."
        self._text.text = in_words(found.count, found.within, found.relative) + (
            more if found.count > 1 else ""
        )
        self._more.text = more_in_words(found)
        self._use.content = use_table(found.use)
        self._list.columns[2]["label"] = "Loss" if found.relative else "Accuracy"
        self._list.rows = [
            {
                "rank": k + 1,
                "cost": f"{one.cost:.5g}",
                "accuracy": f"{one.loss if found.relative else 1 - one.loss:.4f}",
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
        without = list(self._without.value or ())
        self._desk.attempt(
            lambda: self._desk.session.start_alternatives(margin, without)
        )

    def _choose(self, event: events.GenericEventArguments) -> None:
        place = int(event.args[1]["rank"]) - 1
        self._desk.node = None
        if self._desk.attempt(lambda: self._desk.session.show_alternative(place)):
            self._tabs.set_value("tree")
