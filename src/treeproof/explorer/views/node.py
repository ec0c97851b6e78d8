"""One node: its rule, its rows, how a column is spread in it, and what to do next."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from treeproof.explorer.fitting import Fitted
from treeproof.explorer.nodes import (
    Histogram,
    NodeFacts,
    histogram,
    node_facts,
    table_column,
)
from treeproof.explorer.views.desk import Desk
from treeproof.explorer.views.legible import CHART_FONT
from treeproof.palette import INK, MUTED, class_colour

__all__ = ["NodeView", "chart_options"]

_MOST_ROWS = 200


class NodeView:
    """The column beside the tree."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seen: object = None
        self._box = ui.element("div").classes("tp-node").props('data-part="node"')
        desk.add(self)

    def refresh(self) -> None:
        """Show the chosen node."""
        fitted, node = self._desk.session.fitted, self._desk.node
        key = (id(fitted), node)
        if key == self._seen:
            return
        self._seen = key
        self._box.clear()
        with self._box:
            if fitted is None or node is None or node >= fitted.tree.node_count:
                ui.label(
                    "Select a node of the tree to see its rule, its rows and "
                    "their distribution."
                    if fitted is not None
                    else ""
                ).classes("tp-hint")
                return
            self._show(fitted, node_facts(fitted, node))

    def _show(self, fitted: Fitted, facts: NodeFacts) -> None:
        title = f"Split on {facts.tested}" if facts.tested else facts.prediction
        ui.label(title).classes("tp-node-title").props('data-part="node-title"')
        ui.label(facts.detail).classes("tp-hint").props('data-part="node-detail"')
        with ui.element("ul").classes("tp-rule").props('data-part="rule"'):
            for condition in facts.rule or ("all rows",):
                with ui.element("li"):
                    ui.label(condition)
        tested = facts.tested or fitted.question.target
        names = [fitted.question.target, *fitted.question.columns]
        if facts.tested is not None:
            if facts.tested not in names:  # such as the month of a date
                names.append(facts.tested)
            self._actions(fitted, facts.node, facts.tested)
        ui.select(
            names, value=tested, label="Rows by",
            on_change=lambda e: self._draw(fitted, facts.node, e.value),
        ).props('dense outlined data-part="by"').classes("tp-wide")  # fmt: skip
        self._chart = (
            ui.echart({})
            .classes("tp-histogram")
            .props('data-part="histogram" role="img" aria-label="Rows of the node"')
        )
        self._draw(fitted, facts.node, tested)
        ui.button("Show the rows", on_click=lambda: self._rows(fitted, facts)).props(
            'no-caps dense outline data-part="show-rows"'
        )

    def _actions(self, fitted: Fitted, node: int, column: str) -> None:
        session = self._desk.session

        def again(**changes: Any) -> None:
            def act() -> None:
                session.ask(**changes)
                session.start_fit()

            self._desk.node = None
            self._desk.attempt(act)

        def forbid() -> None:
            assert session.question is not None
            fresh = session.question.without(table_column(fitted, column))
            again(columns=fresh.columns, first=fresh.first, prefix=None)

        def keep(*, leaf: bool) -> None:
            again(first=None, prefix=fitted.top_with(node, leaf=leaf))

        with ui.element("div").classes("tp-line"):
            ui.button("Forbid this column", on_click=forbid).props(
                'no-caps dense outline data-part="forbid"'
            ).tooltip("Search again without it")
            ui.button(
                "Ask it first", on_click=lambda: again(first=column, prefix=None)
            ).props('no-caps dense outline data-part="force"').tooltip(
                "Search again with this column in the first split"
            )
            ui.button("Keep this split", on_click=lambda: keep(leaf=False)).props(
                'no-caps dense outline data-part="keep"'
            ).tooltip("Search again below this split and those above it")
            if node:
                ui.button("Make it a leaf", on_click=lambda: keep(leaf=True)).props(
                    'no-caps dense outline data-part="close-node"'
                ).tooltip("Search again with no split here")

    def _draw(self, fitted: Fitted, node: int, column: str) -> None:
        self._chart.options.clear()
        self._chart.options.update(chart_options(histogram(fitted, node, column)))
        self._chart.update()

    def _rows(self, fitted: Fitted, facts: NodeFacts) -> None:
        rows = fitted.rows_of(facts.node)
        shown = fitted.table.rows(rows[:_MOST_ROWS])
        target = fitted.question.target
        tests = fitted.tree.feature[fitted.tree.feature >= 0]
        first = [fitted.tree.columns[j].name for j in dict.fromkeys(tests.tolist())]
        order = list(dict.fromkeys(["row", target, *first, *fitted.table.columns]))
        heads = [{"name": n, "label": n, "field": n, "align": "left"} for n in order]
        with ui.dialog() as dialog, ui.card().classes("tp-dialog"):
            ui.label(
                f"{facts.n_rows:,} rows of the node"
                + (f"; the first {_MOST_ROWS}" if len(rows) > _MOST_ROWS else "")
            ).classes("tp-node-title")
            ui.table(columns=heads, rows=shown, row_key="row", pagination=20).props(
                'dense flat bordered data-part="rows"'
            ).classes("tp-rows")
            ui.button("Close", on_click=dialog.close).props(
                'no-caps outline data-part="close-rows"'
            )
        dialog.open()


def chart_options(counts: Histogram) -> dict[str, Any]:
    """Return the chart of a histogram: a stack of classes at each place."""
    series: list[dict[str, Any]] = [
        {
            "name": name, "type": "bar", "stack": "all", "data": values,
            "barCategoryGap": "12%", "itemStyle": {"color": class_colour(k)},
        }
        for k, (name, values) in enumerate(counts.series.items())
    ]  # fmt: skip
    subtitle = ""
    if counts.cut is not None and series:
        series[0]["markLine"] = {
            "silent": True, "symbol": "none",
            "lineStyle": {"color": INK, "type": "dashed"},
            "label": {"formatter": f"≤ {counts.threshold:.6g}", "color": INK},
            "data": [{"xAxis": round(counts.cut - 0.5)}],
        }  # fmt: skip
    if counts.left_out:
        subtitle = f"{counts.left_out} more not shown"
    return {
        "animation": False,
        "textStyle": {"fontFamily": CHART_FONT, "color": INK},
        "title": {"subtext": subtitle, "right": 0, "top": -8},
        "grid": {"left": 42, "right": 10, "top": 46, "bottom": 40},
        "legend": {"top": 0, "type": "scroll", "itemHeight": 9, "itemWidth": 9},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {"type": "category", "data": counts.places, "name": counts.column,
                  "nameLocation": "middle", "nameGap": 24,
                  "axisLabel": {"color": MUTED, "hideOverlap": True}},
        "yAxis": {"type": "value", "name": "rows", "minInterval": 1,
                  "nameTextStyle": {"color": MUTED}, "axisLabel": {"color": MUTED},
                  "splitLine": {"lineStyle": {"color": "#eceff2"}}},
        "series": series,
    }  # fmt: skip
