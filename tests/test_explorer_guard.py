"""Who may open the explorer's page, and what the page may load."""

import asyncio

import pytest

from treeproof.explorer.token import Guard


def request_of(guard, headers, query=b"", kind="http"):
    """Send one request through the guard; return what came back."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "headers": headers, "query_string": query}
    asyncio.run(guard(scope, None, send))
    return sent


async def inner(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})


HOST = (b"host", b"127.0.0.1:99")


@pytest.mark.parametrize(
    ("headers", "query", "status"),
    [
        ([HOST], b"token=secret", 200),
        ([HOST, (b"cookie", b"treeproof_99=secret; other=1")], b"", 200),
        ([HOST], b"", 403),
        ([HOST], b"token=wrong", 403),
        ([HOST, (b"cookie", b"treeproof_99=wrong")], b"", 403),
        ([HOST, (b"cookie", b"treeproof_98=secret")], b"", 403),
        ([(b"host", b"evil.example:99")], b"token=secret", 403),
        ([HOST, (b"origin", b"http://evil.example")], b"token=secret", 403),
        ([HOST, (b"origin", b"http://127.0.0.1:99")], b"token=secret", 200),
    ],
)
def test_only_the_printed_address_opens(headers, query, status):
    sent = request_of(Guard(inner, "secret", 99), headers, query)
    assert sent[0]["status"] == status
    cookies = [v for k, v in sent[0]["headers"] if k == b"set-cookie"]
    assert bool(cookies) == (status == 200 and b"token" in query)


@pytest.mark.parametrize("query", [b"token=secret", b"token=wrong"])
def test_the_browser_loads_nothing_from_elsewhere_and_shows_no_frame(query):
    sent = request_of(Guard(inner, "secret", 99), [HOST], query)
    headers = dict(sent[0]["headers"])
    policy = headers[b"content-security-policy"].decode()
    for rule in ("default-src 'self'", "object-src 'none'", "frame-ancestors 'none'"):
        assert rule in policy
    hosts = [word for word in policy.split() if "://" in word]
    assert hosts == ["ws://127.0.0.1:99", "ws://localhost:99"]
    assert headers[b"x-frame-options"] == b"DENY"
    assert headers[b"x-content-type-options"] == b"nosniff"


def test_web_sockets_are_guarded_too():
    sent = request_of(Guard(inner, "secret", 99), [HOST], kind="websocket")
    assert sent == [{"type": "websocket.close", "code": 1008}]
