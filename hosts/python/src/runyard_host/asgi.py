"""ASGI without a package for it: its types, and requests of the port in its form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

from .port import Headers, Request

Scope: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

EXCHANGE = "runyard.exchange"
"""Under which a scope has its ``Exchange``; middleware hands it on with the scope."""


def encode_headers(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Headers in the form of a scope."""
    return [
        (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in headers
    ]


def decode_headers(headers: Any) -> Headers:
    """Headers of a scope or a response, in the form of the port."""
    return [
        (bytes(name).decode("latin-1"), bytes(value).decode("latin-1")) for name, value in headers
    ]


def scope_of(request: Request) -> Scope:
    """The scope of the request: at the root of its server, of an unknown client."""
    url = urlsplit(request.url)
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": url.scheme,
        "path": unquote(url.path),
        "raw_path": url.path.encode(),
        "root_path": "",
        "query_string": url.query.encode(),
        "headers": encode_headers(request.headers),
        "client": None,
        "server": (url.hostname or "localhost", url.port or _PORTS.get(url.scheme, 80)),
    }


_PORTS = {"http": 80, "https": 443}
