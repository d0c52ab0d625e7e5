"""Puts the API behind a project's app, so that the app's middleware wraps it too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..asgi import EXCHANGE, App, Message, Receive, Scope, Send
from ..port import JsonObject
from .listing import is_web_socket, list_routes
from .pass_on import CommonHeaders, pass_on

_EVERYTHING: JsonObject = {"method": "ALL", "path": "/*"}
FAILED = "One of the project's own routes failed; the log says more."
"""What such a route answers with."""

_MOST_WRAPPERS = 16
_MOST_KEPT = 1_000_000
_SERVERS_OWN = ("/docs", "/openapi.json")


@dataclass(frozen=True)
class Mounted:
    """``app`` handles, or passes to the API, each request that fits one of ``routes``."""

    app: App
    routes: list[JsonObject]
    web_sockets: list[str] = field(default_factory=list)
    """The paths of routes that no request reaches."""


def mount(exported: Any) -> Mounted:
    """Wrappers of the app, which have it as ``app``, count as middleware."""
    inner = _find_starlette(exported)
    if inner is None:
        return Mounted(_Asked(exported), [_EVERYTHING])
    is_wrapped = inner is not exported or bool(inner.user_middleware)
    _leave_out_own_docs(inner)
    listed = list(list_routes(inner.router.routes))
    sockets = [str(route.path) for route in inner.router.routes if is_web_socket(route)]
    _put_api_behind(inner)
    return Mounted(exported, [_EVERYTHING, *listed] if is_wrapped else listed, sockets)


def _find_starlette(exported: Any) -> Any | None:
    try:
        from starlette.applications import Starlette
    except ImportError:
        return None
    app = exported
    for _ in range(_MOST_WRAPPERS):
        if app is None or isinstance(app, Starlette):
            return app
        app = getattr(app, "app", None)
    return None


def _put_api_behind(app: Any) -> None:
    from starlette.middleware import Middleware

    from .else_the_api import ElseTheApi

    routes = app.router.routes
    routes.append(ElseTheApi(routes))
    app.router.default = pass_on
    app.user_middleware.append(Middleware(CommonHeaders))
    handlers = app.exception_handlers
    if not any(key in handlers for key in (500, Exception)):
        handlers[Exception] = _answer_failure
    # The stack is built at the first request, which the project itself may have made already.
    app.middleware_stack = None


def _leave_out_own_docs(app: Any) -> None:
    """Removes FastAPI's own pages at the paths where the server has those of the API."""
    routes = app.router.routes
    for route in [one for one in routes if getattr(one, "path", None) in _SERVERS_OWN]:
        module = getattr(getattr(route, "endpoint", None), "__module__", "")
        if module.split(".")[0] == "fastapi":
            routes.remove(route)


async def _answer_failure(request: Any, error: Exception) -> Any:
    from starlette.responses import JSONResponse

    exchange = request.scope.get(EXCHANGE)
    if exchange is not None and not exchange.is_begun:
        exchange.failure = error
    return JSONResponse({"detail": FAILED}, 500)


class _Asked:
    """
    An app that is no Starlette gets each request first. If it responds with 404, the request goes
    on to the API, with the read part of its body. Once it read more than is kept, its 404 is final.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        read = _Kept(receive)
        is_known = True

        async def send_unless_unknown(message: Message) -> None:
            nonlocal is_known
            if message["type"] == "http.response.start":
                is_known = message["status"] != 404 or not read.is_whole
            if is_known:
                await send(message)

        await self._app(scope, read.receive, send_unless_unknown)
        if not is_known and not scope[EXCHANGE].gone.is_set():
            await pass_on(scope, read.receive_again, send)


class _Kept:
    """Keeps the received part of a body for the next reader."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._messages: list[Message] = []
        self._bytes = 0
        self.is_whole = True

    async def receive(self) -> Message:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        if self._bytes > _MOST_KEPT:
            self.is_whole = False
            self._messages.clear()
        else:
            self._messages.append(message)
        return message

    async def receive_again(self) -> Message:
        return self._messages.pop(0) if self._messages else await self._receive()
