"""Access control of the explorer: the printed address contains a secret token.

The server listens on this machine only, but other users and pages of other sites can
reach a local port too. So every request, static files and web sockets included, must
carry the secret token: in the address at first, afterwards in a cookie that only this
site gets. Requests under another host name (a name that was pointed here to get around
the browser's rules) or from pages of another site are refused as well. What is sent
tells the browser to load nothing from elsewhere and to show the page in no frame.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

__all__ = ["Guard"]

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]

_REFUSED = (
    b"This page opens with the address that treeproof explore has printed; it ends in "
    b"?token=...\n"
)


# The toolkit of the page compiles templates in the browser and sets styles in place, so
# these two have to be allowed; nothing may come from, or go to, another host.
_POLICY = "; ".join([
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
])  # fmt: skip
_HEADERS = [
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]


class Guard:
    """An ASGI application around another one that lets only the right requests in.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        The secret.
    port : int
        Where the server listens.

    Examples
    --------
    >>> guard = Guard(None, "secret", 8000)
    >>> headers = [(b"host", b"127.0.0.1:8000")]
    >>> guard.allows({"headers": headers, "query_string": b"token=secret"})
    True
    >>> guard.allows({"headers": headers, "query_string": b"token=guess"})
    False
    """

    def __init__(self, app: App, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._cookie = f"treeproof_{port}"
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        sockets = " ".join(f"ws://{host}" for host in sorted(self._hosts))
        policy = f"{_POLICY}; connect-src 'self' {sockets}"
        self._headers = [*_HEADERS, (b"content-security-policy", policy.encode())]

    def allows(self, scope: Scope) -> bool:
        """Say whether a request may come in."""
        headers = {name.lower(): value.decode("latin-1")
                   for name, value in scope["headers"]}  # fmt: skip
        if headers.get(b"host") not in self._hosts:
            return False
        origin = headers.get(b"origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return False
        return self._in_address(scope) or self._known(headers.get(b"cookie", ""))

    def _in_address(self, scope: Scope) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        return self._same(given[0])

    def _known(self, header: str) -> bool:
        try:
            cookie = SimpleCookie(header).get(self._cookie)
        except CookieError:
            return False
        return cookie is not None and self._same(cookie.value)

    def _same(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._token.encode())

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif not self.allows(scope):
            await self._refuse(scope, _with_headers(send, self._headers))
        elif scope["type"] == "http" and self._in_address(scope):
            value = f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"
            more = [*self._headers, (b"set-cookie", value.encode())]
            await self._app(scope, receive, _with_headers(send, more))
        else:
            await self._app(scope, receive, _with_headers(send, self._headers))

    async def _refuse(self, scope: Scope, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        start = {"type": "http.response.start", "status": 403, "headers": headers}
        await send(start)
        await send({"type": "http.response.body", "body": _REFUSED})


def _with_headers(send: Any, more: list[tuple[bytes, bytes]]) -> Any:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return sending
