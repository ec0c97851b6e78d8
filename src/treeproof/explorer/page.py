"""The page: the arrangement of its views, and how often they are refreshed."""

from __future__ import annotations

from pathlib import Path

from nicegui import ui

from treeproof.explorer.session import Session
from treeproof.explorer.tables import Table
from treeproof.explorer.views.alternatives import AlternativesView
from treeproof.explorer.views.compare import CompareView
from treeproof.explorer.views.data import DataView
from treeproof.explorer.views.desk import Desk
from treeproof.explorer.views.files import FilesView
from treeproof.explorer.views.node import NodeView
from treeproof.explorer.views.question import QuestionView
from treeproof.explorer.views.search import SearchView
from treeproof.explorer.views.sizes import SizesView
from treeproof.explorer.views.tree import TreeView

__all__ = ["show_page"]

_STATIC = Path(__file__).parent / "static"
_PERIOD = 0.2  # seconds between two refreshes


def show_page(table: Table | None, target: str | None) -> None:
    """Build the page of one browser tab, with a session of its own."""
    session = Session()
    desk = Desk(session)
    ui.add_css(_STATIC / "explorer.css")
    ui.add_head_html(f"<script>{(_STATIC / 'tree.js').read_text()}</script>")
    ui.colors(primary="#0072b2", secondary="#5f6b76", accent="#e69f00")
    with ui.element("div").classes("tp-page"):
        _header()
        with ui.element("aside").classes("tp-side").props('aria-label="Question"'):
            DataView(desk)
            QuestionView(desk)
        with ui.element("main").classes("tp-main"):
            SearchView(desk)
            with ui.element("section").classes("tp-card tp-tabs"):
                _tabs(desk)
    if table is not None:
        session.use(table, target)
    desk.refresh()
    ui.timer(_PERIOD, desk.refresh)
    ui.context.client.on_delete(session.close)


def _header() -> None:
    with ui.element("header").classes("tp-header"):
        ui.html(_LOGO, sanitize=False)
        ui.label("treeproof explorer").classes("tp-title").props(
            'role="heading" aria-level="1"'
        )
        ui.label("decision trees that are proved optimal").classes("tp-subtitle")


def _tabs(desk: Desk) -> None:
    with ui.tabs().props("dense no-caps align=left").classes("tp-tab-row") as tabs:
        tree = ui.tab("tree", label="Tree").props('data-part="tab-tree"')
        compare = ui.tab("compare", label="Compare")
        compare.props('data-part="tab-compare"')
        near = ui.tab("near", label="Alternatives").props('data-part="tab-near"')
        files = ui.tab("files", label="Files").props('data-part="tab-files"')
    with ui.tab_panels(tabs, value=tree, animated=False).classes("tp-panels"):
        with ui.tab_panel(tree).classes("tp-panel"):
            SizesView(desk)
            with ui.element("div").classes("tp-tree-row"):
                TreeView(desk)
                NodeView(desk)
        with ui.tab_panel(compare).classes("tp-panel"):
            CompareView(desk)
        with ui.tab_panel(near).classes("tp-panel"):
            AlternativesView(desk, tabs)
        with ui.tab_panel(files).classes("tp-panel"):
            FilesView(desk)


_LOGO = (
    '<svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">'
    '<path d="M16 8L8 22M16 8L24 22" stroke="#5f6b76" stroke-width="2"/>'
    '<circle cx="16" cy="8" r="5" fill="#0072b2"/>'
    '<circle cx="8" cy="23" r="5" fill="#e69f00"/>'
    '<circle cx="24" cy="23" r="5" fill="#009e73"/></svg>'
)
