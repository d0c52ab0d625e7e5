"""The parts of a project, to which ``server.py`` passes the calls of the agent server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .port import Headers, Json, JsonObject, Request, Response

if TYPE_CHECKING:
    from .auth import LoadedAuth
    from .project.project import Project
    from .routes import LoadedRoutes

ModuleSpec: TypeAlias = JsonObject
"""``{path | module, export}`` of ``langgraph.json``; ``path`` is absolute."""


@dataclass(frozen=True)
class PassedOn:
    """The result of a request that was passed on; ``error``: the error of a route of the server."""

    response: Response
    error: JsonObject | None


Next: TypeAlias = Callable[[Request, AsyncIterator[bytes], Headers], Awaitable[PassedOn]]
"""Passes a request on to the API, with the headers that every answer has by now."""


@dataclass(frozen=True)
class RouteRequest:
    """A request for the project's own routes (``ProjectRequest``)."""

    request: Request
    body: AsyncIterator[bytes]
    path: str
    user: JsonObject | None
    remote: JsonObject | None
    headers: Headers
    next: Next


Embed: TypeAlias = Callable[[list[str]], Awaitable[list[list[float]]]]


@dataclass(frozen=True)
class Parts:
    """
    All parts of a project. Only process 0 has ``auth`` and ``embed``, and handles requests for
    routes.
    """

    project: Project
    auth: LoadedAuth | None = None
    routes: LoadedRoutes | None = None
    embed: Embed | None = None
    ends: Sequence[Callable[[], Awaitable[None]]] = ()
    """What is to be ended with the host, in this order."""


Start: TypeAlias = Mapping[str, Json]
"""The params of ``start``."""
