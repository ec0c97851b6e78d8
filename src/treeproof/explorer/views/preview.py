"""A dialog with the first rows of the table and bars for each of its columns."""

from __future__ import annotations

from nicegui import ui

from treeproof.explorer.preview import MOST_ROWS, column_histogram, first_rows
from treeproof.explorer.views.desk import Desk
from treeproof.explorer.views.node import chart_options

__all__ = ["show_data"]


def show_data(desk: Desk) -> None:
    """Open the dialog for the table of the session."""
    table, question = desk.session.table, desk.session.question
    if table is None:
        return
    target = None if question is None or question.numeric else question.target
    names = list(table.columns)
    heads = [
        {"name": n, "label": n, "field": n, "align": "left"} for n in ["row", *names]
    ]
    with (
        ui.dialog().props('aria-label="The data"') as dialog,
        ui.card().classes("tp-dialog"),
    ):
        more = f"; the first {MOST_ROWS}" if table.n_rows > MOST_ROWS else ""
        ui.label(f"{table.name}: {table.n_rows:,} rows{more}").classes(
            "tp-node-title"
        ).props('role="heading" aria-level="2"')
        ui.table(
            columns=heads, rows=first_rows(table), row_key="row", pagination=8
        ).props('dense flat bordered data-part="data-rows"').classes("tp-rows")

        def draw(column: str) -> None:
            chart.options.clear()
            chart.options.update(chart_options(column_histogram(table, column, target)))
            chart.props(f'aria-label="Values of {_plain(column)}, counted"')
            chart.update()

        ui.select(
            names, value=names[0], label="Values of", on_change=lambda e: draw(e.value)
        ).props('dense outlined data-part="data-column"').classes("tp-wide")
        chart = (
            ui.echart({})
            .classes("tp-histogram")
            .props('data-part="data-histogram" role="img"')
        )
        draw(names[0])
        ui.button("Close", on_click=dialog.close).props(
            'no-caps outline data-part="close-data"'
        )
    dialog.open()


def _plain(text: str) -> str:
    """Return text that may stand in an attribute."""
    return text.replace('"', "'").replace("\\", "/")
