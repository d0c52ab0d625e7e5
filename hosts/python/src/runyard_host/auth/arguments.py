"""The arguments for a project's ``authenticate``: those that it has parameters for."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ..asgi import encode_headers, scope_of
from ..errors import AppError
from ..port import Request

if TYPE_CHECKING:
    from starlette.requests import Request as StarletteRequest

_KNOWN = (
    "request",
    "body",
    "path",
    "method",
    "path_params",
    "query_params",
    "headers",
    "authorization",
    "scopes",
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_IDS = {"threads": "thread_id", "runs": "run_id", "crons": "cron_id", "state": "checkpoint_id"}
_NAMES = {"assistants": "assistant_id", "a2a": "assistant_id"}


class Arguments:
    """Reads the parameters of ``authenticate`` once. Raises ``bad_request`` for unknown ones."""

    def __init__(self, authenticate: Callable[..., Any], what: str) -> None:
        parameters = inspect.signature(authenticate).parameters.values()
        takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)
        named = [one for one in parameters if one.kind in _BY_NAME]
        unknown = [
            one.name
            for one in named
            if one.name not in _KNOWN and one.default is inspect.Parameter.empty
        ]
        if unknown:
            raise AppError(
                "bad_request",
                f"{what}: authenticate takes {', '.join(unknown)}, which no request has; it may "
                f"take {', '.join(_KNOWN)}.",
            )
        depends = [one.name for one in named if _is_of_fastapi(one.default)]
        if depends:
            raise AppError(
                "bad_request",
                f"{what}: authenticate has {', '.join(depends)} filled in by FastAPI, which calls "
                "routes alone: call that function in authenticate.",
            )
        given = {one.name for one in named}
        self._names = [name for name in _KNOWN if takes_all or name in given]
        self.wants_body = "body" in given
        if "request" in given:
            _starlette(what)

    def of(self, request: Request, body: bytes | None) -> dict[str, Any]:
        """The arguments for this request."""
        return {name: _MAKE[name](request, body) for name in self._names if name in _MAKE}


_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _is_of_fastapi(default: Any) -> bool:
    """``Depends()`` and the like: without FastAPI the parameter would get this object itself."""
    return type(default).__module__.split(".")[0] == "fastapi"


def _starlette(what: str) -> None:
    try:
        import starlette.requests  # noqa: F401
    except ImportError as error:
        raise AppError(
            "bad_request",
            f"{what}: authenticate takes a request, which is one of starlette: add starlette to "
            "the project's dependencies.",
        ) from error


def _make_request(request: Request, body: bytes | None) -> StarletteRequest:
    from starlette.requests import Request as StarletteRequest

    async def receive() -> dict[str, Any]:
        if body is None:
            raise RuntimeError(
                "The body of a request is read by its route; an authenticate that needs it takes "
                "the parameter `body`."
            )
        return {"type": "http.request", "body": body, "more_body": False}

    scope = scope_of(request) | {"path_params": _path_params(request)}
    return StarletteRequest(scope, receive)


def _path_params(request: Request) -> dict[str, str]:
    """The ids in a path of the API."""
    parts = [unquote(part) for part in urlsplit(request.url).path.split("/")]
    found: dict[str, str] = {}
    for noun, value in pairwise(parts):
        if noun in _IDS and _UUID.fullmatch(value):
            found[_IDS[noun]] = value
        elif noun in _NAMES and value not in ("", "search", "count"):
            found[_NAMES[noun]] = value
    return found


def _json_of(body: bytes | None) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None


def _header(request: Request, wanted: str) -> str | None:
    values = [value for name, value in request.headers if name.lower() == wanted]
    return ", ".join(values) if values else None


_MAKE: dict[str, Callable[[Request, bytes | None], Any]] = {
    "request": _make_request,
    "body": lambda _, body: _json_of(body),
    "path": lambda request, _: unquote(urlsplit(request.url).path),
    "method": lambda request, _: request.method,
    "path_params": lambda request, _: _path_params(request),
    "query_params": lambda request, _: dict(
        parse_qsl(urlsplit(request.url).query, keep_blank_values=True)
    ),
    "headers": lambda request, _: dict(encode_headers(request.headers)),
    "authorization": lambda request, _: _header(request, "authorization"),
    "scopes": lambda _request, _body: [],
}
