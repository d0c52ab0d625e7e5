"""A project's app as ``ProjectRoutes``: Starlette, FastAPI, or any other of ASGI."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from ..asgi import EXCHANGE, App, Scope, scope_of
from ..auth.user import as_user
from ..errors import AppError, to_wire_error
from ..parts import RouteRequest
from ..port import JsonObject, Response
from ..project_call import is_async
from ..side import Tell, log_entry
from .exchange import Exchange
from .lifespan import Lifespan
from .mount import FAILED, mount

_STOP_S = 3.0


async def load_routes(
    spec: JsonObject, load: Callable[[JsonObject], object], tell: Tell
) -> LoadedRoutes:
    """
    Loads the app with ``load`` and begins its lifespan. ``spec``: ``{path | module, export}``.
    Raises ``bad_request``, with a message that names the file and what to do.
    """
    routes = LoadedRoutes(load(spec), spec, tell)
    await routes.start()
    return routes


class LoadedRoutes:
    """A project's own routes and middleware."""

    def __init__(self, exported: Any, spec: JsonObject, tell: Tell) -> None:
        what = f'http.app: "{spec.get("export")}" of {spec.get("path") or spec.get("module")}'
        if not _is_app(exported):
            raise AppError(
                "bad_request",
                f"{what} is no ASGI app; export a Starlette() or a FastAPI().",
            )
        mounted = mount(exported)
        self.routes: list[JsonObject] = mounted.routes
        self._app: App = mounted.app
        self._tell = tell
        self._lifespan = Lifespan(exported, what)
        self._tasks: set[asyncio.Task[None]] = set()
        for path in mounted.web_sockets:
            message = f"{what}: the route {path} is for WebSockets, which do not reach it."
            tell(log_entry("warn", message))

    async def start(self) -> None:
        """Begins the app's lifespan; a second call is harmless."""
        await self._lifespan.start()

    async def stop(self) -> None:
        """Waits for background tasks for some seconds, then ends the app's lifespan."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_STOP_S)
        for task in self._tasks:
            task.cancel()
        try:
            await self._lifespan.stop()
        except AppError as error:
            self._tell(log_entry("error", str(error)))

    async def handle(self, asked: RouteRequest) -> Response:
        """
        Responds to the request. The app goes on until it is done, even without a reader: when this
        is cancelled, or the body no longer read, the app receives ``http.disconnect``.
        """
        exchange = Exchange(asked)
        task = asyncio.create_task(self._run(exchange))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await exchange.response()
        except asyncio.CancelledError:
            exchange.leave()
            raise
        except _NotAnswered as failed:
            return _failure(asked, failed.error)

    async def _run(self, exchange: Exchange) -> None:
        try:
            await self._app(self._scope(exchange), exchange.receive, exchange.send)
        except Exception as error:
            self._fail(exchange, error)
        else:
            if not exchange.is_answered and not exchange.has_left:
                message = "The app has not answered the request to its end."
                self._fail(exchange, RuntimeError(message))

    def _fail(self, exchange: Exchange, error: Exception) -> None:
        """Adds the failure to a response that has not begun; otherwise logs it here."""
        is_told = exchange.failure is error or not exchange.is_begun
        if not is_told and not (exchange.has_left and _is_of_leaving(error)):
            self._log_failure(exchange.asked, error)
        exchange.fail(_NotAnswered(error))

    def _scope(self, exchange: Exchange) -> Scope:
        asked = exchange.asked
        scope = scope_of(asked.request)
        path, below = scope["path"], unquote(asked.path)
        is_below = path.endswith(below) and path != below
        scope |= {
            "asgi": exchange.version,
            "path": path if path.endswith(below) else below,
            "root_path": path[: -len(below)].rstrip("/") if is_below else "",
            "client": (asked.remote["address"], asked.remote["port"]) if asked.remote else None,
            "state": dict(self._lifespan.state),
            "extensions": {},
            EXCHANGE: exchange,
        }
        if asked.user is not None:
            scope["user"] = as_user(asked.user)
            with suppress(ImportError):
                from starlette.authentication import AuthCredentials

                scope["auth"] = AuthCredentials(asked.user["permissions"])
        return scope

    def _log_failure(self, asked: RouteRequest, error: Exception) -> None:
        fields = {"method": asked.request.method, "path": asked.path}
        message, error_ = "a route of the project failed", to_wire_error(error)
        self._tell(log_entry("error", message, fields=fields, error=error_))


def _is_of_leaving(error: Exception) -> bool:
    return isinstance(error, OSError) or type(error).__name__ == "ClientDisconnect"


class _NotAnswered(Exception):  # noqa: N818 - never shown
    """The app has ended before its response did."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _failure(asked: RouteRequest, error: Exception) -> Response:
    body = json.dumps({"detail": FAILED}).encode()

    async def chunks() -> Any:
        yield body

    headers = [("content-type", "application/json"), ("content-length", str(len(body)))]
    return Response(500, [*headers, *asked.headers], chunks(), to_wire_error(error))


def _is_app(exported: Any) -> bool:
    """Whether it may be called as ASGI says: with scope, receive and send."""
    if inspect.isclass(exported) or not callable(exported):
        return False
    try:
        inspect.signature(exported).bind(None, None, None)
    except (TypeError, ValueError):
        return False
    return is_async(exported)
