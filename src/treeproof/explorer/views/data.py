"""Choosing a table: a bundled set, a file of this machine, or an upload."""

from __future__ import annotations

from nicegui import events, run, ui

from treeproof.datasets.bundled import BUNDLED
from treeproof.explorer.job import sentence
from treeproof.explorer.tables import Table, bundled_table, read_path, read_upload
from treeproof.explorer.views.desk import Desk
from treeproof.explorer.views.preview import show_data
from treeproof.words import counted

__all__ = ["DataView"]


class DataView:
    """The card that loads tables."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seen: object = None
        with ui.element("section").classes("tp-card"):
            ui.label("1. Data").classes("tp-h").props('role="heading" aria-level="2"')
            options = {name: about for name, (about, _, _) in BUNDLED.items()}
            self._bundled = (
                ui.select(options, label="A bundled set", on_change=self._use_bundled)
                .props('dense outlined data-part="bundled"')
                .classes("tp-wide")
            )
            with ui.element("div").classes("tp-line"):
                self._path = (
                    ui.input("File on this machine", placeholder="table.csv")
                    .props('dense outlined data-part="path"')
                    .classes("tp-grow")
                    .on("keydown.enter", self._use_path)
                )
                ui.button("Load", on_click=self._use_path).props(
                    'no-caps outline data-part="load"'
                )
            self._upload = (
                ui.upload(
                    label="or drop a file: CSV, gz, Parquet, Arrow",
                    auto_upload=True,
                    max_files=1,
                    on_upload=self._use_upload,
                )
                .props('flat bordered data-part="upload"')
                .classes("tp-upload")
            )
            self._about = ui.label("").classes("tp-about").props('data-part="about"')
            self._look = ui.button(
                "Look at the data", on_click=lambda: show_data(desk)
            ).props('no-caps dense outline data-part="look"')
        desk.add(self)

    def refresh(self) -> None:
        """Say which table is loaded."""
        table = self._desk.session.table
        if table is self._seen and self._about.text:
            return
        self._seen = table
        if table is None:
            self._about.text = (
                "Nothing is loaded yet. Choose a bundled data set, or a file of your "
                "own."
            )
            self._look.set_enabled(False)
            return
        self._look.set_enabled(True)
        columns = len(table.columns)
        self._about.text = (
            f"{table.name}: {counted(table.n_rows, 'row')}, {columns} columns"
        )
        if table.name in BUNDLED:
            self._bundled.value = table.name

    def _use_bundled(self, event: events.ValueChangeEventArguments) -> None:
        table = self._desk.session.table
        if event.value and (table is None or table.name != event.value):
            self._use(bundled_table(event.value))

    async def _use_path(self) -> None:
        path = (self._path.value or "").strip()
        if not path:
            self._desk.complain("Enter the name of a file, such as table.csv.")
            return
        try:
            table = await run.io_bound(read_path, path)
        except Exception as error:
            self._desk.complain(sentence(error))
            return
        self._use(table)

    async def _use_upload(self, event: events.UploadEventArguments) -> None:
        content = await event.file.read()
        self._upload.reset()
        try:
            table = await run.io_bound(read_upload, event.file.name, content)
        except Exception as error:
            self._desk.complain(sentence(error))
            return
        self._use(table)

    def _use(self, table: Table | None) -> None:
        if table is None:  # the server is going down
            return
        if table.name not in BUNDLED:
            self._bundled.value = None
        self._desk.node = None
        self._desk.attempt(lambda: self._desk.session.use(table))
