"""The agent server, as the host's parts call it: ``port.py`` on the connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from .peer import OutgoingCall, Peer
from .place import current_place
from .port import Cache, Checkpoints, Items, Json, JsonObject, Request, Response

_Call = Callable[[str, JsonObject], Awaitable[Json]]


class WireCheckpoints(Checkpoints):
    """Checkpoints of one ``open`` or ``graph.run``, by its number; without one the host's own."""

    def __init__(self, peer: Peer, of: int | None = None) -> None:
        self._peer = peer
        self._call: _Call = peer.call
        self._of: JsonObject = {} if of is None else {"of": of}

    async def put(
        self, checkpoint: JsonObject, versions: dict[str, str], values: list[JsonObject]
    ) -> None:
        """Stores a checkpoint and the channels that are new."""
        params = {"checkpoint": checkpoint, "versions": versions, "values": values}
        await self._call("checkpoints.put", self._of | params)

    async def put_writes(self, key: JsonObject, writes: list[JsonObject]) -> None:
        """Stores writes of tasks."""
        await self._call("checkpoints.put_writes", self._of | {"key": key, "writes": writes})

    async def get(self, at: JsonObject) -> JsonObject | None:
        """Returns a ``CheckpointRecord``."""
        call = await self._peer.finished(self._peer.begin("checkpoints.get", self._of | {"at": at}))
        record: JsonObject | None = call.answer.result()
        return None if record is None else _fill(record, call.data)

    async def list(self, query: JsonObject) -> Any:
        """Returns ``CheckpointRecord`` objects, the newest first."""
        call = await self._peer.finished(
            self._peer.begin("checkpoints.list", self._of | {"query": query})
        )
        return [_fill(record, call.data) for record in call.answer.result()]

    async def delete_thread(self, thread_id: str) -> None:
        """Removes all checkpoints of a thread."""
        await self._call("checkpoints.delete_thread", self._of | {"thread_id": thread_id})


def _fill(record: JsonObject, data: list[bytes]) -> JsonObject:
    """Puts the bytes in place of their places."""
    for typed in (record["checkpoint"], *record["values"], *record["writes"]):
        typed["bytes"] = data[typed["bytes"]]
    return record


class WireItems(Items):
    """The items of the store."""

    def __init__(self, peer: Peer) -> None:
        self._call: _Call = peer.call

    async def get(
        self, item_id: JsonObject, refresh: JsonObject | None = None
    ) -> JsonObject | None:
        """Returns an ``Item``."""
        item: JsonObject | None = await self._call("items.get", _with({"id": item_id}, refresh))
        return item

    async def write(self, puts: list[JsonObject]) -> None:
        """Writes all or none."""
        await self._call("items.write", {"puts": puts})

    async def search_all(
        self, searches: list[JsonObject], refresh: JsonObject | None = None
    ) -> list[list[JsonObject]]:
        """Returns one list for each search."""
        found: list[list[JsonObject]] = await self._call(
            "items.search_all", _with({"searches": searches}, refresh)
        )
        return found

    async def namespaces(self, query: JsonObject, page: JsonObject) -> list[list[str]]:
        """Returns the namespaces that match."""
        found: list[list[str]] = await self._call(
            "items.namespaces", {"query": query, "page": page}
        )
        return found


class WireCache(Cache):
    """The server's cache, whose values expire."""

    def __init__(self, peer: Peer) -> None:
        self._call: _Call = peer.call

    async def get(self, key: str) -> str | None:
        """Returns the text."""
        text: str | None = await self._call("cache.get", {"key": key})
        return text

    async def set(self, key: str, value: str, ttl_ms: int) -> None:
        """Replaces the value."""
        await self._call("cache.set", {"key": key, "value": value, "ttl_ms": ttl_ms})


class WireCalls:
    """``Calls`` of ``port.py``."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self.checkpoints = WireCheckpoints(peer)
        self.items = WireItems(peer)
        self.cache = WireCache(peer)

    def on_node(self, run_id: str | None, thread_id: str | None, node: str | None) -> None:
        """Reports a function of a node; from any thread."""
        place = {"run_id": run_id, "thread_id": thread_id, "node": node}
        told = {name: value for name, value in place.items() if value is not None}
        self._peer.note("on_node", {"place": told})

    async def fetch(
        self,
        request: Request,
        body: AsyncIterator[bytes] | None = None,
        *,
        as_project: bool = False,
    ) -> Response:
        """Sends a request to the agent server itself."""
        params = {"request": to_wire_request(request), "as_project": as_project}
        if (run_id := current_place().run_id) is not None:
            params["run_id"] = run_id
        call = self._peer.begin("fetch", params, body or no_chunks())
        response, _ = await read_response(call)
        return response


async def read_response(call: OutgoingCall) -> tuple[Response, JsonObject]:
    """The response, once its head arrives, and the whole head."""
    try:
        head: JsonObject = await anext(call.items)
    except StopAsyncIteration:
        await call.answer
        raise RuntimeError("The agent server answered without a status.") from None
    except asyncio.CancelledError:
        call.abort()
        raise
    headers = [(name, value) for name, value in head["headers"]]
    return Response(int(head["status"]), headers, _chunks(call)), head


def to_wire_request(request: Request) -> JsonObject:
    """A request without its body."""
    headers = [[name, value] for name, value in request.headers]
    return {"method": request.method, "url": request.url, "headers": headers}


def from_wire_request(request: JsonObject) -> Request:
    """The same the other way."""
    headers = [(name, value) for name, value in request["headers"]]
    return Request(request["method"], request["url"], headers)


async def no_chunks() -> AsyncIterator[bytes]:
    """An empty body."""
    nothing: list[bytes] = []
    for chunk in nothing:
        yield chunk


async def _chunks(call: OutgoingCall) -> AsyncIterator[bytes]:
    """A reader that stops early aborts the call."""
    try:
        async for chunk in call.items:
            yield chunk
    finally:
        call.abort()
        await call.items.aclose()


def _with(params: JsonObject, refresh: JsonObject | None) -> JsonObject:
    return params if refresh is None else params | {"refresh": refresh}
