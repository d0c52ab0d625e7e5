"""Authenticates requests and decides about operations, by the rules of LangGraph Server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from ..errors import AppError, ProjectRefusal
from ..port import JsonObject, Request
from ..project_call import call
from .arguments import Arguments
from .filter import read_filter
from .user import as_user, read_user
from .value import from_python, to_python


def load_auth(spec: JsonObject, load: Callable[[JsonObject], object]) -> LoadedAuth:
    """
    Loads it with ``load``. ``spec``: ``{path | module, export, disable_studio_auth}``. Raises
    ``bad_request``, with a message that names the file and what to do.
    """
    return LoadedAuth(load(spec), spec)


class LoadedAuth:
    """A project's ``auth`` in the form of ``ProjectAuth``."""

    def __init__(self, exported: Any, spec: JsonObject) -> None:
        what = f'auth: "{spec.get("export")}" of {spec.get("path") or spec.get("module")}'
        handler: Any = getattr(exported, "_authenticate_handler", _NONE)
        if handler is _NONE or not isinstance(getattr(exported, "_handlers", None), dict):
            raise AppError("bad_request", f"{what} is no Auth; export an Auth() of langgraph_sdk.")
        if handler is None:
            raise AppError(
                "bad_request",
                f"{what} recognises nobody; put @auth.authenticate before a function.",
            )
        self._authenticate = handler
        self._arguments = Arguments(handler, what)
        self._auth = exported
        self.is_studio_auth_disabled = bool(spec.get("disable_studio_auth"))

    @property
    def wants_body(self) -> bool:
        """Whether ``authenticate`` has a parameter ``body``."""
        return self._arguments.wants_body

    async def authenticate(self, request: Request, body: bytes | None) -> JsonObject:
        """
        The sender of the request. Raises ``unauthenticated``, or the project's own refusal; a
        failure of the project's code is ``internal``, and refuses the request.
        """
        try:
            arguments = self._arguments.of(request, body)
            return read_user(await call(self._authenticate, **arguments))
        except Exception as error:
            raise_refusal(error, "The project's authenticate", of_assert="unauthenticated")

    async def authorize(self, question: JsonObject) -> JsonObject:
        """
        Calls the one handler that fits the operation best; without one the operation is allowed.
        Raises ``forbidden``, or the project's own refusal.
        """
        resource, action = question["event"]["resource"], question["event"]["action"]
        given = question["value"]
        handler = self._find_handler(resource, action)
        if handler is None:
            return {"value": given}
        event = f"{resource}:{action}"
        context = self._auth.types.AuthContext(
            permissions=question["permissions"],
            user=as_user(question["user"]),
            resource=resource,
            action=action,
        )
        try:
            value = to_python(given, resource)
            wanted = read_filter(await call(handler, ctx=context, value=value), event)
            decision: JsonObject = {"value": from_python(value)}
        except Exception as error:
            raise_refusal(error, f"The project's auth for {event}", of_assert="forbidden")
        return decision if wanted is None else {**decision, "filter": wanted}

    def _find_handler(self, resource: str, action: str) -> Any | None:
        for key in ((resource, action), (resource, "*"), ("*", action)):
            handlers = self._auth._handlers.get(key)
            if handlers:
                return handlers[-1]
        everywhere = self._auth._global_handlers
        return everywhere[-1] if everywhere else None


_NONE = object()


def raise_refusal(error: Exception, where: str, *, of_assert: str) -> NoReturn:
    """
    Raises the error's refusal. ``HTTPException`` of the SDK, of Starlette and of FastAPI are
    recognized by their shape; a failed ``assert`` is a refusal with the code ``of_assert``. Any
    other error is a fault of the project's code, and refuses the request.
    """
    if isinstance(error, AppError | ProjectRefusal):
        raise error
    if isinstance(error, AssertionError):
        raise AppError(of_assert, str(error) or "The project's auth does not allow this.") from None
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 300 <= status <= 599:
        detail, headers = getattr(error, "detail", None), getattr(error, "headers", None)
        raise ProjectRefusal(status, _text(detail) or "Refused", _headers(headers)) from None
    raise AppError("internal", f"{where} failed; the log says more.") from error


def _text(detail: Any) -> str:
    if detail is None or isinstance(detail, str):
        return detail or ""
    return json.dumps(detail, default=str)


def _headers(headers: Any) -> list[tuple[str, str]]:
    if not isinstance(headers, Mapping):
        return []
    return [(str(name), str(value)) for name, value in headers.items()]
