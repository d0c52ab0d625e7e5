"""The API, behind the project's routes and within its middleware."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from ..asgi import EXCHANGE, App, Message, Receive, Scope, Send, decode_headers, encode_headers
from ..port import Headers, Request, Response
from ..streams import close
from .exchange import Exchange, with_common


async def pass_on(scope: Scope, receive: Receive, send: Send) -> None:
    """
    An ASGI app: passes the request to the server as middleware has left it. An error of a route of
    the server is in ``request.state.api_error``, ``{"name", "message"}``.
    """
    exchange: Exchange = scope[EXCHANGE]
    asked = exchange.asked
    answering = asyncio.ensure_future(
        asked.next(_request_of(scope, asked.request), _body(receive), asked.headers)
    )
    if not await _unless_gone(exchange, answering):
        return
    passed = answering.result()
    if passed.error is not None:
        scope.setdefault("state", {})["api_error"] = passed.error
    exchange.has_common_headers = True
    sending = asyncio.create_task(_send_response(passed.response, send))
    if await _unless_gone(exchange, sending):
        sending.result()


class CommonHeaders:
    """The innermost middleware: adds the common headers to responses of the project's routes."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        exchange: Exchange | None = scope.get(EXCHANGE)
        if exchange is None:
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start" and not exchange.has_common_headers:
                exchange.has_common_headers = True
                headers = decode_headers(message.get("headers", []))
                message = {
                    **message,
                    "headers": encode_headers(with_common(headers, exchange.asked.headers)),
                }
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _unless_gone(exchange: Exchange, task: asyncio.Future[Any]) -> bool:
    """Waits for the task, and ends it if the client leaves; returns whether it is done."""
    left = asyncio.create_task(exchange.gone.wait())
    try:
        await asyncio.wait({task, left}, return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        left.cancel()
        if not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError("The client has left.")
        if chunk := message.get("body", b""):
            yield bytes(chunk)
        if not message.get("more_body", False):
            return


async def _send_response(response: Response, send: Send) -> None:
    headers = encode_headers(response.headers)
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    try:
        async for chunk in response.body:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        await close(response.body)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _request_of(scope: Scope, asked: Request) -> Request:
    """The request as the scope says; the path as it was sent, unless middleware has changed it."""
    url = urlsplit(asked.url)
    path = url.path if unquote(url.path) == scope["path"] else quote(scope["path"])
    query = bytes(scope.get("query_string", b"")).decode("latin-1")
    changed = urlunsplit((url.scheme, url.netloc, path, query, ""))
    return Request(scope["method"], changed, _headers_of(scope, asked))


def _headers_of(scope: Scope, asked: Request) -> Headers:
    """Middleware may have removed the length of a body: the headers still announce the body."""
    headers = decode_headers(scope["headers"])
    if _has_body(asked.headers) and not _has_body(headers):
        length = any(name.lower() == "content-length" for name, _ in headers)
        return headers if length else [*headers, ("transfer-encoding", "chunked")]
    return headers


def _has_body(headers: Headers) -> bool:
    values = {name.lower(): value for name, value in headers}
    return values.get("content-length", "0") != "0" or "transfer-encoding" in values
