"""The web server of the explorer: one process, this machine only, one secret."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import time
import webbrowser
from collections.abc import Callable
from typing import Any

from treeproof.explorer.job import stop_all
from treeproof.explorer.tables import Table
from treeproof.explorer.token import Guard
from treeproof.extras import need

__all__ = ["serve"]

_HOST = "127.0.0.1"


def serve(
    table: Table | None = None,
    target: str | None = None,
    *,
    port: int = 0,
    browser: bool = True,
    idle: float | None = None,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve the explorer until Ctrl-C.

    Parameters
    ----------
    table : Table or None
        What every new tab begins with.
    target : str or None
        The column it is to predict; None for the likely one.
    port : int
        Where to listen; 0 for any free port.
    browser : bool
        Open the page in the user's browser.
    idle : float or None
        End by itself after this many seconds without an open page; None for never.
    announce : callable
        Told the address once it can be opened.
    """
    purpose = "treeproof explore"
    nicegui = need("nicegui", "explore", purpose)
    fastapi = need("fastapi", "explore", purpose)
    uvicorn = need("uvicorn", "explore", purpose)
    listener = _listen(port)
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    app = fastapi.FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @nicegui.ui.page("/", title="treeproof explorer")
    def page() -> None:
        from treeproof.explorer.page import show_page

        show_page(table, target)

    nicegui.ui.run_with(app, show_welcome_message=False, favicon=_FAVICON)
    config = uvicorn.Config(
        Guard(app, token, port), log_level="warning", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    if idle is not None:
        nicegui.app.on_startup(lambda: _end_when_idle(server, nicegui.Client, idle))
    address = f"http://{_HOST}:{port}/?token={token}"
    announce(address)
    if browser:
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(address)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
    finally:
        stop_all()  # searches that nobody waits for any more


_FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<path d="M16 8L8 22M16 8L24 22" stroke="#5f6b76" stroke-width="2"/>'
    '<circle cx="16" cy="8" r="5" fill="#0072b2"/>'
    '<circle cx="8" cy="23" r="5" fill="#e69f00"/>'
    '<circle cx="24" cy="23" r="5" fill="#009e73"/></svg>'
)


def _listen(port: int) -> socket.socket:
    """Take the port now: a browser that is early waits instead of failing."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise OSError(
            f"Port {port} cannot be used ({reason}); choose another one, or 0 for any "
            "free one."
        ) from None
    listener.listen(128)
    return listener


async def _end_when_idle(server: Any, clients: Any, idle: float) -> None:
    """End the server once no page has been open for a while."""
    seen = time.monotonic()
    while not server.should_exit:
        if any(c.has_socket_connection for c in clients.instances.values()):
            seen = time.monotonic()
        elif time.monotonic() - seen > idle:
            server.should_exit = True
        await asyncio.sleep(0.2)
