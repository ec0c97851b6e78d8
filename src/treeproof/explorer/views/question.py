"""What is asked: target, columns, penalty, limits; and the button that starts it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from treeproof.explorer.question import Question
from treeproof.explorer.views.aim import AimView
from treeproof.explorer.views.desk import Desk
from treeproof.words import counted

__all__ = ["QuestionView"]

_ANY = "(the search decides)"
_CATEGORIES = {
    "auto": "automatic: chosen by the kind of penalty",
    "either": "either: one child for each category, or one against the rest",
    "multiway": "one child for each category",
    "one-vs-rest": "one category against the rest",
    "subset": "any two groups of categories",
}
_PENALIZE = {
    "leaves": "every further leaf",
    "splits": "every split, whatever the number of its children",
}
_MISSING = {
    "best-side": "go to the better side",
    "branch": "have a branch of their own",
}


class QuestionView:
    """The card with the settings of a fit."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._table: object = None
        self._question: Question | None = None
        self._showing = False
        self._facts: list[dict[str, str]] = []
        with ui.element("section").classes("tp-card") as self._card:
            ui.label("2. Question").classes("tp-h").props(
                'role="heading" aria-level="2"'
            )
            self._build_target()
            self._aim = AimView(desk)
            self._build_columns()
            self._build_limits()
            self._build_top()
            self._build_more()
            self._build_buttons()
        desk.add(self)

    # ---------------------------------------------------------------- building

    def _build_target(self) -> None:
        self._target = (
            ui.select([], label="Predict", with_input=True,
                      on_change=lambda e: self._ask(target=e.value))
            .props('dense outlined data-part="target"')
            .classes("tp-wide")
        )  # fmt: skip
        self._kind = ui.toggle(
            {False: "its classes", True: "its number"},
            on_change=lambda e: self._ask(numeric=e.value),
        ).props('dense no-caps unelevated data-part="kind"')

    def _build_columns(self) -> None:
        heads = [
            {"name": "name", "label": "Split on", "field": "name", "align": "left"},
            {"name": "kind", "label": "holds", "field": "kind", "align": "left"},
        ]
        self._columns = (
            ui.table(
                columns=heads, rows=[], row_key="name", selection="multiple",
                on_select=lambda e: self._choose(),
            )
            .props('dense flat bordered virtual-scroll hide-bottom data-part="columns"')
            .props(":rows-per-page-options=[0]")
            .classes("tp-columns")
        )  # fmt: skip
        self._left_out = ui.label("").classes("tp-hint").props('data-part="left-out"')

    def _build_limits(self) -> None:
        with ui.element("div").classes("tp-three"):
            self._penalty = ui.number(
                "Penalty", min=0, step=0.001, format="%.4g",
                on_change=lambda e: self._ask(penalty=e.value),
            ).props('dense outlined data-part="penalty"')  # fmt: skip
            self._depth = ui.number(
                "Depth", min=0, step=1, format="%.0f", placeholder="any",
                on_change=lambda e: self._ask(
                    max_depth=None if e.value is None else int(e.value)),
            ).props('dense outlined data-part="depth" stack-label')  # fmt: skip
            self._time = ui.number(
                "Seconds", min=0.1, step=1, format="%.4g",
                on_change=lambda e: self._ask(time_limit=e.value),
            ).props('dense outlined data-part="time"')  # fmt: skip
        ui.label(
            "The penalty is the cost of each additional leaf: a leaf must correct"
            " more than this share of the rows. A smaller penalty gives larger "
            "trees. The depth limits the tree, and the seconds limit the search."
        ).classes("tp-hint")

    def _build_top(self) -> None:
        with ui.element("div").classes("tp-line") as self._top_line:
            self._top = ui.label("").classes("tp-hint").props('data-part="top"')
            ui.button("Clear", on_click=lambda: self._ask(prefix=None)).props(
                'no-caps dense outline data-part="clear-top" '
                'aria-label="Let the search choose the top of the tree again"'
            )

    def _go_back(self) -> None:
        self._desk.node = None
        self._desk.session.undo()

    def _build_more(self) -> None:
        with (
            ui.expansion("More options")
            .props('dense data-part="more-options"')
            .classes("tp-wide")
        ):
            self._first = (
                ui.select([_ANY], value=_ANY, label="First split on",
                          on_change=lambda e: self._ask(
                              first=None if e.value == _ANY else e.value))
                .props('dense outlined data-part="first"')
                .classes("tp-wide")
            )  # fmt: skip
            self._categories = (
                ui.select(_CATEGORIES, label="A split on categories has",
                          on_change=lambda e: self._ask(categories=e.value))
                .props('dense outlined data-part="categories"')
                .classes("tp-wide")
            )  # fmt: skip
            self._penalize = (
                ui.select(_PENALIZE, label="The penalty is for",
                          on_change=lambda e: self._ask(penalize=e.value))
                .props('dense outlined data-part="penalize"')
                .classes("tp-wide")
            )  # fmt: skip
            self._missing = (
                ui.select(_MISSING, label="Missing values",
                          on_change=lambda e: self._ask(missing=e.value))
                .props('dense outlined data-part="missing"')
                .classes("tp-wide")
            )  # fmt: skip

    def _build_buttons(self) -> None:
        with ui.element("div").classes("tp-line tp-buttons"):
            self._fit = (
                ui.button("Find the best tree", on_click=self._start)
                .props('no-caps unelevated data-part="fit"')
                .classes("tp-grow")
            )
            self._undo = ui.button(
                "Undo", on_click=lambda: self._desk.attempt(self._go_back)
            ).props(
                'no-caps outline data-part="undo" '
                'title="Go back to the tree before the last search"'
            )
            self._stop = ui.button(
                "Stop", on_click=lambda: self._desk.session.stop("fit")
            ).props('no-caps outline color=negative data-part="stop"')

    # ----------------------------------------------------------------- showing

    def refresh(self) -> None:
        """Show the question of the session."""
        session = self._desk.session
        running = session.running("fit")
        self._fit.set_enabled(session.table is not None and not running)
        self._stop.set_enabled(running)
        self._undo.set_enabled(session.can_undo and not running)
        if session.question is self._question and session.table is self._table:
            return
        self._showing = True
        try:
            if session.table is not self._table:
                self._show_table()
            if session.question is not None:
                self._show_question(session.question)
        finally:
            self._showing = False
        self._question = session.question

    def _show_table(self) -> None:
        table = self._desk.session.table
        self._table = table
        if table is None:
            return
        self._target.set_options(list(table.columns))
        self._facts = [
            {"name": f.name, "kind": f"{f.distinct:,} {f.kind}"
             + (f", {f.missing:,} missing" if f.missing else "")}
            for f in table.facts()
        ]  # fmt: skip

    def _show_question(self, question: Question) -> None:
        self._target.value = question.target
        self._kind.value = question.numeric
        self._aim.show(question)
        self._penalty.value = question.penalty
        self._depth.value = question.max_depth
        self._time.value = question.time_limit
        self._categories.value = question.categories
        self._penalize.value = question.penalize
        self._missing.value = question.missing
        self._first.set_options([_ANY, *question.columns])
        self._first.value = question.first or _ANY
        self._top.text = f"The tree begins with {question.top}." if question.top else ""
        self._top_line.set_visibility(bool(question.top))
        self._columns.rows = [r for r in self._facts if r["name"] != question.target]
        chosen = set(question.columns)
        self._columns.selected = [r for r in self._columns.rows if r["name"] in chosen]
        self._columns.update()
        left_out = self._desk.session.left_out
        told = "; ".join(f"{found.name}, which {found.finding}" for found in left_out)
        usable = any(found.is_usable for found in left_out)
        advice = "; select a column if you want to use it." if usable else "."
        lines = [f"Left out: {told}{advice}"] if told else []
        self._left_out.text = " ".join([*lines, *self._rows_left_out(question)])

    def _rows_left_out(self, question: Question) -> list[str]:
        """Say how many rows have no value of the target."""
        table = self._desk.session.table
        assert table is not None
        gone = table.n_rows - table.labelled(question.target).n_rows
        if not gone:
            return []
        rows = counted(gone, "row")
        verb = "is" if gone == 1 else "are"
        return [f"{rows} without a value of {question.target!r} {verb} left out."]

    # ------------------------------------------------------------------ asking

    def _ask(self, **changes: Any) -> None:
        if self._showing or self._desk.session.table is None:
            return
        if any(
            v is None for k, v in changes.items() if k not in ("max_depth", "first")
        ):
            return  # a field that is being cleared
        self._desk.attempt(lambda: self._desk.session.ask(**changes))

    def _choose(self) -> None:
        question = self._desk.session.question
        if question is None:
            return
        names = {row["name"] for row in self._columns.selected}
        chosen = [r["name"] for r in self._columns.rows if r["name"] in names]
        first = question.first if question.first in chosen else None
        self._ask(columns=tuple(chosen), first=first)

    def _start(self) -> None:
        self._desk.node = None
        if self._desk.attempt(self._desk.session.start_fit):
            ui.run_javascript("treeproofTree.follow()")
