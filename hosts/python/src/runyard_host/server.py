"""Handles the agent server's calls: each method of PROTOCOL.md, passed on to its part."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, TypeAlias

from .callbacks import (
    WireCalls,
    WireCheckpoints,
    from_wire_request,
    no_chunks,
    read_response,
    to_wire_request,
)
from .errors import AppError
from .parts import Parts, PassedOn, RouteRequest, Start
from .peer import Call, Peer
from .port import Calls, Checkpoints, Headers, Json, JsonObject, Request
from .streams import close
from .tracing import below

if TYPE_CHECKING:
    from .auth import LoadedAuth
    from .graphs.opened import OpenedGraph
    from .routes import LoadedRoutes
    from .run.run import GraphRun

PROTOCOL_VERSION = 1

Load: TypeAlias = Callable[[Start, Calls], Awaitable[Parts]]
"""Loads the project; raises ``AppError`` with a message for people when that cannot be done."""
_Method: TypeAlias = Callable[[Call], Awaitable[Json]]


_GIVEN_UP = frozenset(
    {
        "open",
        "graph.names",
        "graph.schemas",
        "graph.draw",
        "graph.get_state",
        "graph.list_states",
        "graph.update_state",
        "auth.authenticate",
        "auth.authorize",
        "embed",
    }
)
"""What the server may stop to wait for, while a graph blocks the event loop."""


class Server:
    """The host on one connection. ``peer`` is the connection's protocol object."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self.peer = Peer(self._on_call, self._on_note)
        self._parts: Parts | None = None
        self._graphs: dict[int, OpenedGraph] = {}
        self._runs: dict[int, GraphRun] = {}
        self._last_graph = 0
        self._begun: set[asyncio.Future[None]] = set()
        self._methods: dict[str, _Method] = {
            "start": self._start,
            "open": self._open,
            "graph.names": self._on_graph(lambda graph, _: graph.names()),
            "graph.schemas": self._on_graph(lambda graph, _: graph.schemas()),
            "graph.draw": self._on_graph(lambda graph, params: graph.draw(params["xray"])),
            "graph.get_state": self._get_state,
            "graph.list_states": self._list_states,
            "graph.update_state": self._on_graph(
                lambda graph, params: graph.update_state(params["place"], params["supersteps"])
            ),
            "graph.run": self._run,
            "run.on_events": self._on_events,
            "run.finish": lambda call: self._found_run(call).finish(),
            "run.fail": lambda call: self._found_run(call).fail(call.params["error"]),
            "auth.authenticate": self._authenticate,
            "auth.authorize": lambda call: self._auth.authorize(call.params),
            "routes.handle": self._handle_route,
            "embed": self._embed,
            "stop": self._stop,
        }

    async def _on_call(self, call: Call) -> Json:
        method = self._methods.get(call.method)
        if method is None:
            raise AppError("internal", f"The Python host has no method {call.method}.")
        if call.method in _GIVEN_UP:
            _end_when_given_up(call)
        return await method(call)

    def _on_note(self, method: str, params: JsonObject) -> None:
        if method == "close":
            graph = self._graphs.pop(params["graph"], None)
            if graph is not None:
                self._begin(graph.close())
        elif method == "forget":
            self._runs.pop(params["run"], None)
        elif method == "drain" and (run := self._runs.get(params["run"])):
            run.drain()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        """Runs the work in the background."""
        task = asyncio.ensure_future(work)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)

    # The project

    async def _start(self, call: Call) -> Json:
        version = call.params["protocol"]
        if version != PROTOCOL_VERSION:
            message = f"The Python host speaks protocol {PROTOCOL_VERSION}, the server {version}."
            raise AppError("bad_request", message)
        parts = await self._load(call.params, WireCalls(self.peer))
        # All of this stays: the garbage collector need not look through it again and again.
        gc.collect()
        gc.freeze()
        self._parts = parts
        told: JsonObject = {
            "runtime": {
                "language": "python",
                "langgraphVersion": parts.project.langgraph_version,
            },
            "graphs": parts.project.graphs,
            "embeds": parts.embed is not None,
        }
        if parts.auth is not None:
            told["auth"] = {
                "is_studio_auth_disabled": parts.auth.is_studio_auth_disabled,
                "wants_body": parts.auth.wants_body,
            }
        if parts.routes is not None:
            told["routes"] = parts.routes.routes
        return told

    async def _stop(self, _call: Call) -> Json:
        for end in self._parts.ends if self._parts is not None else ():
            await end()
        return None

    @property
    def _loaded(self) -> Parts:
        if self._parts is None:
            raise AppError("unavailable", "The project is not loaded yet.")
        return self._parts

    # Graphs

    async def _open(self, call: Call) -> Json:
        params = call.params
        checkpoints = self._given_checkpoints(call)
        opened = await self._loaded.project.open(params["graph_id"], params["config"], checkpoints)
        self._last_graph += 1
        self._graphs[self._last_graph] = opened
        return {"graph": self._last_graph}

    async def _graph(self, call: Call) -> OpenedGraph:
        """A graph that ``open`` returned, or one that needs no opening."""
        params = call.params
        if "graph" in params:
            return self._graphs[params["graph"]]
        return await self._loaded.project.open(params["graph_id"], params["config"], None)

    def _on_graph(self, ask: Callable[[OpenedGraph, JsonObject], Awaitable[Json]]) -> _Method:
        async def method(call: Call) -> Json:
            return await ask(await self._graph(call), call.params)

        return method

    def _given_checkpoints(self, call: Call) -> Checkpoints | None:
        of = call.params.get("checkpoints")
        return None if of is None else WireCheckpoints(self.peer, of)

    async def _get_state(self, call: Call) -> Json:
        place, options = call.params["place"], call.params.get("options")
        graph = await self._graph(call)
        return await graph.get_state(place, options, self._given_checkpoints(call))

    async def _list_states(self, call: Call) -> Json:
        params = call.params
        states = (await self._graph(call)).list_states(params["place"], params["query"])
        await _send_all(call, states)
        return None

    # Runs

    async def _run(self, call: Call) -> Json:
        with below(call.params.get("traceparent")):
            return await self._follow_run(call)

    async def _follow_run(self, call: Call) -> Json:
        params = call.params
        number: int = params["run"]
        checkpoints = WireCheckpoints(self.peer, params["checkpoints"])

        def on_spans(spans: list[JsonObject]) -> None:
            self.peer.note("spans", {"of": number, "spans": spans})

        graph = await self._graph(call)
        run = await graph.run(params["request"], checkpoints, on_spans)
        self._runs[number] = run
        call.on_abort(run.stop)
        try:
            await call.send({"transforms": run.transforms, "drains": run.drains})
            async for batch in run.emissions():
                await call.send(batch)
            return run.end
        finally:
            if not run.transforms:
                self._runs.pop(number, None)

    def _found_run(self, call: Call) -> GraphRun:
        return self._runs[call.params["run"]]

    async def _on_events(self, call: Call) -> Json:
        return await self._found_run(call).on_events(call.params["events"], call.params.get("of"))

    # What a project has beside its graphs

    async def _embed(self, call: Call) -> Json:
        embed = self._loaded.embed
        if embed is None:
            raise AppError("internal", "The project has no embeddings.")
        return await embed(call.params["texts"])

    @property
    def _auth(self) -> LoadedAuth:
        if self._loaded.auth is None:
            raise AppError("internal", "The project has no auth.")
        return self._loaded.auth

    async def _authenticate(self, call: Call) -> Json:
        body = call.data[0] if call.data else None
        return await self._auth.authenticate(from_wire_request(call.params["request"]), body)

    async def _handle_route(self, call: Call) -> Json:
        routes = self._loaded.routes
        if routes is None:
            raise AppError("internal", "The project has no routes.")
        task = asyncio.current_task()
        if task is not None:
            call.on_abort(task.cancel)
        await _answer_route(call, routes, self._next(call))
        return None

    def _next(self, asked: Call) -> Callable[..., Awaitable[PassedOn]]:
        async def pass_on(
            request: Request, body: AsyncIterator[bytes] | None, headers: Headers
        ) -> PassedOn:
            params = {
                "of": asked.id,
                "request": to_wire_request(request),
                "headers": [[name, value] for name, value in headers],
            }
            call = self.peer.begin("routes.next", params, body or no_chunks())
            response, head = await read_response(call)
            return PassedOn(response, head.get("error"))

        return pass_on


def _end_when_given_up(call: Call) -> None:
    if call.is_aborted:
        raise AppError("unavailable", "The call was given up before it began.")
    task = asyncio.current_task()
    # If the graph is opened all the same, the server closes it.
    if task is not None and call.method != "open":
        call.on_abort(task.cancel)


async def _answer_route(
    call: Call, routes: LoadedRoutes, pass_on: Callable[..., Awaitable[PassedOn]]
) -> None:
    params = call.params
    asked = RouteRequest(
        request=from_wire_request(params["request"]),
        body=call.upload,
        path=params["path"],
        user=params.get("user"),
        remote=params.get("remote"),
        headers=[(name, value) for name, value in params["headers"]],
        next=pass_on,
    )
    response = await routes.handle(asked)
    headers = [[name, value] for name, value in response.headers]
    head: JsonObject = {"status": response.status, "headers": headers}
    if response.failure is not None:
        head["failure"] = response.failure
    await call.send(head)
    await _send_all(call, response.body)


async def _send_all(call: Call, items: AsyncIterator[Json]) -> None:
    """Sends until no more is wanted; ends the source of the items in any case."""
    try:
        async for item in items:
            if not await call.send(item):
                return
    finally:
        with contextlib.suppress(Exception):
            await close(items)
