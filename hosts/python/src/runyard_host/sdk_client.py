"""
``get_client()`` without an address, inside a project: calls the server that it runs in, without a
connection and without a key. A module may make a client while it is imported, so this is installed
before the project is imported, and connected later.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import httpx
import langgraph_sdk

from .errors import AppError
from .port import Calls, Request, Response
from .streams import close

T = TypeVar("T")

_URL = "http://api"
# Otherwise the SDK imports the official server, if that is installed.
_DEFER = "__LANGGRAPH_DEFER_LOOPBACK_TRANSPORT"


@dataclass(frozen=True)
class _Server:
    calls: Calls
    loop: asyncio.AbstractEventLoop


_connected: _Server | None = None


def install() -> None:
    """From now on clients that are made without an address call the server in process."""
    os.environ[_DEFER] = "true"
    names = langgraph_sdk.get_client.__globals__
    names["get_asgi_transport"] = lambda: LoopbackTransport
    # The SDK keeps transports without an app, for the official server to complete.
    names["_registered_transports"] = _Nothing()
    _replace("get_sync_client", _sync_client_by)


def connect(calls: Calls) -> None:
    """Sends the requests of such clients to the server; call it on the event loop of ``calls``."""
    global _connected  # noqa: PLW0603 - there is one server in a process
    _connected = _Server(calls, asyncio.get_running_loop())


async def on_server(ask: Callable[[Calls], Coroutine[Any, Any, T]]) -> T:
    """Returns the server's result, on any event loop."""
    if _connected is None:
        raise RuntimeError("The agent server does not answer yet.")
    work = ask(_connected.calls)
    if _connected.loop is asyncio.get_running_loop():
        return await work
    return await _over(_connected, work)


class LoopbackTransport(httpx.AsyncBaseTransport):
    """The transport of asynchronous clients, on any event loop."""

    def __init__(self, app: Any = None, **_options: Any) -> None:
        """Ignores ``app`` and all other options of the SDK."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends the request to the server."""
        server = _server()
        if server.loop is asyncio.get_running_loop():
            answer = await _fetch(server, request, _body(request))
            return _to_response(answer, _Stream(answer.body))
        await request.aread()
        answer = await _over(server, _fetch(server, request, _once(request)))
        return _to_response(answer, _Stream(_bridged(server, answer.body)))


class SyncLoopbackTransport(httpx.BaseTransport):
    """The transport of synchronous clients, in any thread but that of the event loop."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends the request to the server."""
        server = _server()
        _refuse_on_loop(server)
        request.read()
        answer = _wait(server, _fetch(server, request, _once(request)))
        return _to_response(answer, _SyncStream(server, answer.body))


class _Stream(httpx.AsyncByteStream):
    def __init__(self, body: AsyncIterator[bytes]) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            yield chunk

    async def aclose(self) -> None:
        await close(self._body)


class _SyncStream(httpx.SyncByteStream):
    def __init__(self, server: _Server, body: AsyncIterator[bytes]) -> None:
        self._server = server
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        while (chunk := _wait(self._server, _next(self._body))) is not None:
            yield chunk

    def close(self) -> None:
        _wait(self._server, close(self._body))


class _Nothing(list[Any]):
    """Keeps nothing."""

    def append(self, _: Any) -> None:
        return None


def _server() -> _Server:
    if _connected is None:
        raise httpx.ConnectError("The agent server does not answer yet.")
    return _connected


async def _fetch(
    server: _Server, request: httpx.Request, body: AsyncIterator[bytes] | None
) -> Response:
    """
    As on the official server, requests of the project itself skip its own auth. A request that
    carries a user's credentials is authenticated, and has the rights of that user.
    """
    as_project = "authorization" not in request.headers
    asked = Request(request.method, str(request.url), list(request.headers.multi_items()))
    return await server.calls.fetch(asked, body, as_project=as_project)


def _to_response(answer: Response, stream: Any) -> httpx.Response:
    return httpx.Response(answer.status, headers=answer.headers, stream=stream)


def _body(request: httpx.Request) -> AsyncIterator[bytes] | None:
    """The body to send; ``None`` if it is empty."""
    if request.headers.get("content-length") == "0" or not _has_body(request):
        return None
    stream = request.stream
    return aiter(stream) if isinstance(stream, httpx.AsyncByteStream) else None


def _has_body(request: httpx.Request) -> bool:
    return "content-length" in request.headers or "transfer-encoding" in request.headers


def _once(request: httpx.Request) -> AsyncIterator[bytes] | None:
    content = request.content

    async def chunks() -> AsyncIterator[bytes]:
        yield content

    return chunks() if content else None


async def _bridged(server: _Server, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """A body that is read on another event loop than the server's."""
    try:
        while (chunk := await _over(server, _next(body))) is not None:
            yield chunk
    finally:
        await _over(server, close(body))


async def _next(body: AsyncIterator[bytes]) -> bytes | None:
    return await anext(body, None)


async def _over(server: _Server, work: Coroutine[Any, Any, T]) -> T:
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, server.loop))


def _wait(server: _Server, work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, server.loop).result()


def _refuse_on_loop(server: _Server) -> None:
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        return
    if running is server.loop:
        raise AppError(
            "bad_request",
            "get_sync_client() without a URL waits for the server, and would keep it waiting here: "
            "use get_client() in asynchronous code.",
        )


def _sync_client_by(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def get_sync_client(*, url: str | None = None, **more: Any) -> Any:
        if url is not None:
            return original(url=url, **more)
        made = original(url=_URL, **more)
        with made.http.client as given:
            client = httpx.Client(
                base_url=_URL,
                headers=given.headers,
                timeout=given.timeout,
                transport=SyncLoopbackTransport(),
            )
        return type(made)(client)

    return get_sync_client


def _replace(name: str, make: Callable[[Any], Any]) -> None:
    """Replaces it in every module of the SDK."""
    original = getattr(langgraph_sdk, name)
    if getattr(original, "__wrapped__", None) is not None:
        return
    made = make(original)
    for module in [one for key, one in sys.modules.items() if key.startswith("langgraph_sdk")]:
        if getattr(module, name, None) is original:
            setattr(module, name, made)
