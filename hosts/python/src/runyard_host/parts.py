"""The interfaces of a host's parts: the project, its graphs and runs, and the rest.

``server.py`` passes to these what arrives on the connection; PROTOCOL.md describes the parameters
and results of each.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from .port import Checkpoints, Headers, Json, JsonObject, Request, Response

ModuleSpec: TypeAlias = JsonObject
"""``{path | module, export}`` of ``langgraph.json``; ``path`` is absolute."""


class GraphRun(Protocol):
    """One run of a graph."""

    @property
    def transforms(self) -> bool:
        """Whether the graph's own stream transformers take part; known when the run has begun."""

    @property
    def drains(self) -> bool:
        """Whether the graph can be asked to stop before a step."""

    @property
    def end(self) -> JsonObject:
        """``GraphEnd``, once the emissions are over."""

    def emissions(self) -> AsyncIterator[list[JsonObject]]:
        """Batches of ``Emission``, the next when the last was sent. Never raises."""

    def stop(self) -> None:
        """The run's signal: it emits nothing more, and is over once its nodes have ended."""

    def drain(self) -> None:
        """Asks the graph to stop before its next step."""

    async def on_events(self, events: list[JsonObject], of: int | None) -> list[Json]:
        """``Transformed``: the events to emit in place of these."""

    async def finish(self) -> list[JsonObject]:
        """The last ``MadeEvent`` objects."""

    async def fail(self, error: JsonObject) -> list[JsonObject]:
        """The same for a run that failed or was stopped."""


class OpenedGraph(Protocol):
    """A graph, made ready for one use. All of this may be called at the same time."""

    async def names(self) -> JsonObject:
        """``GraphNames``."""

    async def schemas(self) -> JsonObject:
        """``GraphSchemaSet``."""

    async def draw(self, xray: bool | int) -> JsonObject:
        """``Drawing``."""

    async def get_state(
        self,
        place: JsonObject,
        options: JsonObject | None,
        checkpoints: Checkpoints | None = None,
    ) -> JsonObject:
        """``ThreadState``, of these checkpoints or else of those that it was opened with."""

    def list_states(self, place: JsonObject, query: JsonObject) -> AsyncIterator[JsonObject]:
        """``ThreadState`` objects, the newest first."""

    async def update_state(self, place: JsonObject, supersteps: list[JsonObject]) -> JsonObject:
        """``StatePlace`` of the last checkpoint that was written."""

    async def run(
        self,
        request: JsonObject,
        checkpoints: Checkpoints,
        on_spans: Callable[[list[JsonObject]], None],
    ) -> GraphRun:
        """
        Begins a run of ``GraphRunRequest``, which writes through these checkpoints, and reports
        ``TimelineSpan`` objects.
        """

    async def close(self) -> None:
        """Ends its use: leaves the context in which a factory made it."""


class Project(Protocol):
    """The graphs of a project."""

    @property
    def langgraph_version(self) -> str:
        """The version of the project's LangGraph."""

    @property
    def graphs(self) -> list[JsonObject]:
        """A ``GraphInfo`` each, in the order of ``langgraph.json``; ``contextKeys`` is a list."""

    async def open(
        self, graph_id: str, config: JsonObject, checkpoints: Checkpoints | None
    ) -> OpenedGraph:
        """Opens a graph with ``GraphConfig``; without ``checkpoints`` on the host's own."""


class ProjectAuth(Protocol):
    """The project's own ``auth``."""

    @property
    def is_studio_auth_disabled(self) -> bool:
        """Whether users of Studio are authenticated like all others."""

    @property
    def wants_body(self) -> bool:
        """Whether ``authenticate`` reads the body."""

    async def authenticate(self, request: Request, body: bytes | None) -> JsonObject:
        """``AuthUser``."""

    async def authorize(self, question: JsonObject) -> JsonObject:
        """``AuthDecision``."""


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


class ProjectRoutes(Protocol):
    """The project's own routes and middleware."""

    @property
    def routes(self) -> list[JsonObject]:
        """``{method, path}`` each."""

    async def handle(self, asked: RouteRequest) -> Response:
        """
        Responds to the request. The task is cancelled when the client leaves, before the response
        or while its body is read.
        """


Embed: TypeAlias = Callable[[list[str]], Awaitable[list[list[float]]]]


@dataclass(frozen=True)
class Parts:
    """
    All parts of a project. Only process 0 has ``auth`` and ``embed``, and handles requests for
    routes.
    """

    project: Project
    auth: ProjectAuth | None = None
    routes: ProjectRoutes | None = None
    embed: Embed | None = None
    ends: Sequence[Callable[[], Awaitable[None]]] = ()
    """What is to be ended with the host, in this order."""


Start: TypeAlias = Mapping[str, Json]
"""The params of ``start``."""
