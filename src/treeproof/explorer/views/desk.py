"""What the views of one page share: the session, the chosen node, and messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from nicegui import ui

from treeproof.explorer.job import sentence
from treeproof.explorer.session import Session

__all__ = ["Desk", "View"]


class View(Protocol):
    """A part of the page."""

    def refresh(self) -> None:
        """Show what has changed."""


class Desk:
    """The session of a page and the views that look at it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.node: int | None = None
        self._views: list[View] = []
        self._told: set[int] = set()

    def add(self, view: View) -> None:
        """Have a view refreshed from now on."""
        self._views.append(view)

    def refresh(self) -> None:
        """Refresh every view, and show what has failed since the last time."""
        for job in self.session.jobs.values():
            if job.state == "failed" and id(job) not in self._told:
                self._told.add(id(job))
                self.complain(job.error)
        for view in self._views:
            view.refresh()

    def attempt(self, action: Callable[[], Any]) -> bool:
        """Run an action; if it fails, show why. Return whether it succeeded."""
        try:
            action()
        except Exception as error:
            self.complain(sentence(error))
            return False
        finally:
            self.refresh()
        return True

    def complain(self, text: str) -> None:
        """Show one sentence that stays until it is closed."""
        ui.notify(
            text,
            type="negative",
            position="top",
            timeout=0,
            close_button="Close",
            multi_line=True,
            classes="tp-complaint",
        )
