"""What the tree should be best at: errors, costs of errors, or a metric."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from nicegui import ui

from treeproof.explorer.aim import AIMS, MOST_CLASSES, Aim, classes_of, first_costs
from treeproof.explorer.question import Question
from treeproof.explorer.views.desk import Desk

__all__ = ["AimView"]

_EASY_DEPTH = 3  # F1 needs a depth; the first answer should not take minutes


class AimView:
    """The part of the question that says what counts; hidden for numbers."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._aim: Aim | None = None
        self._showing = False
        with ui.element("div").classes("tp-aim") as self._box:
            self._counts = (
                ui.select(AIMS, value="errors", label="The tree should have",
                          on_change=lambda e: self._choose(e.value))
                .props('dense outlined data-part="aim"')
                .classes("tp-wide")
            )  # fmt: skip
            self._positive = (
                ui.select([], label="The class whose F1 counts",
                          on_change=lambda e: self._set(positive=e.value))
                .props('dense outlined data-part="positive"')
                .classes("tp-wide")
            )  # fmt: skip
            self._matrix = ui.element("div").classes("tp-costs")
            self._abstain = (
                ui.number("Passing a case to a person costs", min=0, format="%.6g",
                          placeholder="not possible",
                          on_change=lambda e: self._set(abstain_cost=e.value))
                .props('dense outlined stack-label clearable data-part="abstain"')
                .classes("tp-wide")
            )  # fmt: skip
            self._hint = ui.label("").classes("tp-hint").props('data-part="aim-hint"')

    def show(self, question: Question) -> None:
        """Show the aim of a question."""
        self._box.set_visibility(not question.numeric)
        aim, shown = question.aim, self._aim
        if aim is shown:
            return
        self._showing = True
        try:
            if shown is None or (aim.counts, aim.costs) != (shown.counts, shown.costs):
                self._show_parts(aim)
            self._counts.value = aim.counts
            self._positive.value = aim.positive
            self._abstain.value = aim.abstain_cost
        finally:
            self._showing = False
        self._aim = aim

    def _show_parts(self, aim: Aim) -> None:
        costs = aim.counts == "costs"
        self._positive.set_visibility(aim.counts == "f1")
        self._positive.set_options(list(aim.classes) if aim.counts == "f1" else [])
        self._abstain.set_visibility(costs)
        self._matrix.set_visibility(costs)
        self._matrix.clear()
        if costs and len(aim.classes) <= MOST_CLASSES:
            self._show_matrix(aim)
        self._hint.text = {
            "costs": "The penalty is in the unit of these costs. A leaf abstains where "
            "every prediction would cost more than passing its cases to a person.",
            "f1": "No penalty can be added to F1: the depth limits the tree, and the "
            "penalty is not used.",
        }.get(aim.counts, "")

    def _show_matrix(self, aim: Aim) -> None:
        n = len(aim.classes)
        self._matrix.style(f"--classes: {n}")
        with self._matrix:
            ui.label("true \\ predicted").classes("tp-hint")
            for predicted in aim.classes:
                _head(predicted)
            for i, true in enumerate(aim.classes):
                _head(true)
                for j, predicted in enumerate(aim.classes):
                    field = ui.number(
                        value=aim.costs[i][j], format="%.6g",
                        on_change=lambda e, i=i, j=j: self._set_cost(i, j, e.value),
                    )  # fmt: skip
                    field.props("dense outlined hide-bottom-space")
                    field.props["data-part"] = f"cost-{i}-{j}"
                    field.props["aria-label"] = (
                        f"Cost of predicting {predicted} for {true}"
                    )

    # ------------------------------------------------------------------ asking

    def _choose(self, counts: str) -> None:
        session = self._desk.session
        if self._showing or session.table is None or session.question is None:
            return

        def act() -> None:
            question, table = session.question, session.table
            assert question is not None and table is not None
            classes = () if counts == "errors" else classes_of(table, question.target)
            few = counts == "costs" and len(classes) <= MOST_CLASSES
            aim = Aim(
                counts,
                classes,
                first_costs(len(classes)) if few else (),
                positive=classes[-1] if counts == "f1" else None,
            )
            depth = question.max_depth
            if counts == "f1" and depth is None:
                depth = _EASY_DEPTH
            aim.check(depth)
            session.ask(aim=aim, max_depth=depth)

        if not self._desk.attempt(act):
            self._showing = True
            self._counts.value = session.question.aim.counts
            self._showing = False

    def _set_cost(self, true: int, predicted: int, cost: float | None) -> None:
        question = self._desk.session.question
        if question is None or not question.aim.costs:
            return
        rows = [list(row) for row in question.aim.costs]
        rows[true][predicted] = math.nan if cost is None else float(cost)
        self._set(costs=tuple(map(tuple, rows)))

    def _set(self, **changes: Any) -> None:
        session = self._desk.session
        if self._showing or session.question is None:
            return
        aim = replace(session.question.aim, **changes)
        self._aim = aim  # what the page already shows
        self._desk.attempt(lambda: session.ask(aim=aim))


def _head(label: Any) -> None:
    """Show the name of a class, whole when the mouse points at it."""
    head = ui.label(str(label)).classes("tp-cost-head")
    head.props["title"] = str(label)
