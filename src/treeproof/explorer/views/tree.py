"""The picture of the tree: zoom, pan, and a click for each node."""

from __future__ import annotations

from nicegui import events, ui

from treeproof.explorer.views.desk import Desk

__all__ = ["TreeView"]


class TreeView:
    """The canvas; `static/tree.js` moves it and tells which node was chosen."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seen: object = None
        self._drawn: object = None
        with ui.element("div").classes("tp-canvas-box"):
            self._empty = ui.label("").classes("tp-empty").props('data-part="empty"')
            self._canvas = (
                ui.html("", sanitize=False)
                .classes("tp-canvas")
                .props('data-part="tree" tabindex="0" role="group" '
                       'aria-label="Tree; plus and minus zoom, arrows move"')
            )  # fmt: skip
            with ui.element("div").classes("tp-zoom"):
                for sign, name, call in (
                    ("+", "Zoom in", "zoom(1.25)"),
                    ("−", "Zoom out", "zoom(0.8)"),  # noqa: RUF001
                    ("⤢", "Fit the whole tree", "fitWhole()"),
                ):
                    ui.button(sign).props(
                        f'dense outline aria-label="{name}" title="{name}"'
                    ).on("click", js_handler=f"() => treeproofTree.{call}")
        ui.on("tp_node", self._choose)
        desk.add(self)

    def refresh(self) -> None:
        """Draw the tree that the session shows."""
        session = self._desk.session
        fitted = session.fitted
        job = session.jobs.get("fit")
        best = job.tree if job is not None and job.running else None
        key = (id(fitted), session.table is None, session.running("fit"), id(best))
        if key == self._seen:
            return
        self._seen, self._drawn = key, best  # keeps the tree, so that its id stays
        preview = session.preview
        if preview is not None:
            self._empty.set_visibility(False)
            self._canvas.content = preview.to_svg(caption=False)
            ui.run_javascript("treeproofTree.fresh()")
            return
        if fitted is None:
            self._canvas.content = ""
            self._empty.text = (
                "Load a table to begin." if session.table is None
                else "Searching for a first tree …" if session.running("fit")
                else "Press “Find the best tree”."
            )  # fmt: skip
            self._empty.set_visibility(True)
            return
        self._empty.set_visibility(False)
        self._canvas.content = fitted.model.to_svg(caption=False)
        ui.run_javascript("treeproofTree.fresh()")

    def _choose(self, event: events.GenericEventArguments) -> None:
        fitted = self._desk.session.fitted
        node = event.args.get("node")
        if fitted is None or not isinstance(node, int):
            return
        if self._desk.session.preview is not None:
            return  # what is drawn is not what was fitted yet
        if 0 <= node < fitted.tree.node_count:
            self._desk.node = node
            self._desk.refresh()
