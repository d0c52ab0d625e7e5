"""The types of ASGI, without a package that has them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

Scope: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

EXCHANGE = "runyard.exchange"
"""Under which a scope has its ``Exchange``; middleware hands it on with the scope."""


def encode_headers(headers: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """Headers in the form of a scope."""
    return [
        (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in headers
    ]


def decode_headers(headers: Any) -> list[tuple[str, str]]:
    """Headers of a scope or a response, in the form of the port."""
    return [
        (bytes(name).decode("latin-1"), bytes(value).decode("latin-1")) for name, value in headers
    ]
