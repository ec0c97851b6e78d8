"""Files to take away: model, proof, pictures, SQL, Python, rules."""

from __future__ import annotations

from nicegui import ui

from treeproof.explorer.downloads import DOWNLOADS
from treeproof.explorer.views.desk import Desk

__all__ = ["FilesView"]


class FilesView:
    """The tab with the downloads of the tree that is shown."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sent: object = None
        self._buttons: list[ui.button] = []
        with ui.element("div").classes("tp-files"):
            for kind, download in DOWNLOADS.items():
                button = ui.button(on_click=lambda kind=kind: self._make(kind))
                button.props(f'no-caps outline align=left data-part="get-{kind}"')
                with button, ui.element("span").classes("tp-file"):
                    ui.label(f"{download.title} ({download.ending})")
                    ui.label(download.about).classes("tp-hint")
                self._buttons.append(button)
        self._text = ui.label("").classes("tp-hint").props('data-part="file-note"')
        desk.add(self)

    def refresh(self) -> None:
        """Hand over a file that is finished."""
        session = self._desk.session
        busy = session.running("download")
        ready = session.fitted is not None and not busy
        for button in self._buttons:
            button.set_enabled(ready)
        job = session.jobs.get("download")
        if session.fitted is None:
            self._text.text = "Fit a tree first."
        elif busy:
            self._text.text = "Making the file …"
        elif job is None or job.state == "failed":
            self._text.text = ""
        elif job is not self._sent:
            self._sent = job
            name, content = job.result
            ui.download(content, name)
            self._text.text = f"Sent {name} ({len(content):,} bytes)."

    def _make(self, kind: str) -> None:
        self._desk.attempt(lambda: self._desk.session.start_download(kind))
