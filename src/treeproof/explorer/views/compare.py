"""The optimal tree and CART side by side."""

from __future__ import annotations

from nicegui import ui

from treeproof.explorer.comparison import Comparison, Contender
from treeproof.explorer.views.desk import Desk
from treeproof.picture.svg import readable

__all__ = ["CompareView", "figures"]


def figures(both: Comparison) -> list[tuple[str, str, str]]:
    """Return the rows of the table: what, ours, theirs."""

    def row(name: str, one: Contender, other: Contender) -> tuple[str, str, str]:
        values = {
            "splits": lambda c: str(c.splits),
            "leaves": lambda c: str(c.leaves),
            "depth": lambda c: str(c.depth),
            "cost (loss + penalties)": lambda c: f"{c.cost:.5g}",
            f"{both.score_name} on all rows": lambda c: f"{c.score:.4f}",
            f"{both.score_name} on {both.n_test} rows held out": lambda c: (
                f"{c.held_out:.4f}"
            ),
            "proved optimal": lambda c: "yes" if c.proved else "no",
        }
        return name, values[name](one), values[name](other)

    names = [
        "splits", "leaves", "depth", "cost (loss + penalties)",
        f"{both.score_name} on all rows",
        f"{both.score_name} on {both.n_test} rows held out", "proved optimal",
    ]  # fmt: skip
    return [row(name, both.optimal, both.greedy) for name in names]


class CompareView:
    """The tab that compares."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seen: object = None
        self._box = ui.element("div").classes("tp-compare").props('data-part="compare"')
        desk.add(self)

    def refresh(self) -> None:
        """Show the comparison of the session."""
        session = self._desk.session
        job = session.jobs.get("compare")
        key = (id(job), job and job.state, session.fitted is None)
        if key == self._seen:
            return
        self._seen = key
        self._box.clear()
        with self._box:
            if session.comparison is not None:
                self._show(session.comparison)
            elif session.running("compare"):
                with ui.element("div").classes("tp-line"):
                    ui.spinner(size="sm")
                    ui.label("Fitting both on 70% of the rows …")
            else:
                self._offer()

    def _offer(self) -> None:
        ui.label(
            "CART grows a tree greedily: it chooses the best first split, then "
            "the best split below it, and so on. Its pruning with the lowest cost"
            " is compared with the optimal tree, on all rows and on 30% of the "
            "rows that were held out."
        ).classes("tp-text")
        button = ui.button(
            "Compare",
            on_click=lambda: self._desk.attempt(self._desk.session.start_comparison),
        ).props('no-caps unelevated data-part="start-compare"')
        button.set_enabled(self._desk.session.fitted is not None)

    def _show(self, both: Comparison) -> None:
        with ui.element("table").classes("tp-table").props('data-part="versus"'):
            with ui.element("tr"):
                for head in ("", both.optimal.name, both.greedy.name):
                    with ui.element("th"):
                        ui.label(head)
            for cells in figures(both):
                with ui.element("tr"):
                    for cell in cells:
                        with ui.element("td"):
                            ui.label(cell)
        if both.other_trees:
            ui.label(
                "CART's tree costs less, because it separates one category from "
                "the rest, which the settings did not allow. Choose this kind of "
                "split under “More options” and search again."
            ).classes("tp-text")
        with ui.element("div").classes("tp-pair"):
            for one in (both.optimal, both.greedy):
                with ui.element("figure"):
                    with ui.element("figcaption"):
                        ui.label(one.name)
                    ui.html(
                        readable(one.tree.to_svg(), f"Picture of {one.name}"),
                        sanitize=False,
                    ).classes("tp-picture").props('tabindex="0"')
        ui.run_javascript("treeproofTree.centre()")
