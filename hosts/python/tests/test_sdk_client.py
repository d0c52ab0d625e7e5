"""The SDK's clients inside of a project."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import langgraph_sdk
import pytest
from langgraph_sdk import get_client

from runyard_host import sdk_client
from runyard_host.errors import AppError
from runyard_host.port import Cache, Checkpoints, Items, Request, Response


class Server:
    """Answers in place of an agent server."""

    def __init__(self) -> None:
        self.asked: list[tuple[Request, Any]] = []
        self.as_project = False
        self.closed = asyncio.Event()
        self.threads: set[int] = set()

    @property
    def checkpoints(self) -> Checkpoints:
        raise AssertionError

    @property
    def items(self) -> Items:
        raise AssertionError

    @property
    def cache(self) -> Cache:
        raise AssertionError

    def on_node(self, run_id: str | None, thread_id: str | None, node: str | None) -> None:
        raise AssertionError

    async def fetch(
        self,
        request: Request,
        body: AsyncIterator[bytes] | None = None,
        *,
        as_project: bool = False,
    ) -> Response:
        self.as_project = as_project
        self.threads.add(threading.get_ident())
        sent = b"".join([chunk async for chunk in body]) if body else b""
        self.asked.append((request, json.loads(sent) if sent else None))
        if request.url.endswith("/runs/stream"):
            return Response(200, [("content-type", "text/event-stream")], self._events())
        answer = json.dumps({"thread_id": "t1"}).encode()
        return Response(200, [("content-type", "application/json")], _chunks(answer))

    async def _events(self) -> AsyncIterator[bytes]:
        try:
            for number in range(2):
                yield f'event: values\ndata: {{"n": {number}}}\n\n'.encode()
                await asyncio.sleep(0)
        finally:
            self.closed.set()


async def _chunks(body: bytes) -> AsyncIterator[bytes]:
    yield body


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    sdk_client.install()
    sdk_client.install()
    yield
    sdk_client._connected = None


async def test_reaches_the_server_without_a_connection() -> None:
    client = get_client()
    server = Server()
    sdk_client.connect(server)
    thread = await client.threads.create(metadata={"a": 1})
    assert thread["thread_id"] == "t1"
    [(request, body)] = server.asked
    assert (request.method, request.url) == ("POST", "http://api/threads")
    assert body["metadata"] == {"a": 1}
    await client.threads.get("t1")
    assert server.asked[1][1] is None
    assert server.as_project


async def test_hands_on_headers() -> None:
    server = Server()
    sdk_client.connect(server)
    client = get_client(headers={"authorization": "Bearer me"})
    await client.threads.get("t1")
    assert ("authorization", "Bearer me") in server.asked[0][0].headers
    assert not server.as_project


async def test_streams() -> None:
    server = Server()
    sdk_client.connect(server)
    parts = [part.data async for part in get_client().runs.stream(None, "agent", input={})]
    assert parts == [{"n": 0}, {"n": 1}]
    assert server.closed.is_set()


async def test_lets_the_server_know_that_a_stream_is_left() -> None:
    server = Server()
    sdk_client.connect(server)
    stream = get_client().runs.stream(None, "agent", input={})
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(server.closed.wait(), 5)


async def test_says_that_there_is_no_server_yet() -> None:
    with pytest.raises(httpx.ConnectError, match="does not answer yet"):
        await get_client().threads.get("t1")


async def test_works_on_another_event_loop() -> None:
    server = Server()
    sdk_client.connect(server)

    async def work() -> list[Any]:
        client = get_client()
        await client.threads.create(metadata={"a": 1})
        return [part.data async for part in client.runs.stream(None, "agent", input={})]

    parts = await asyncio.to_thread(lambda: asyncio.run(work()))
    assert parts == [{"n": 0}, {"n": 1}]
    assert server.asked[0][1]["metadata"] == {"a": 1}
    assert server.threads == {threading.get_ident()}


async def test_works_synchronously_in_a_thread() -> None:
    server = Server()
    sdk_client.connect(server)

    def work() -> list[Any]:
        with langgraph_sdk.get_sync_client(headers={"x-a": "b"}) as client:
            client.threads.create(metadata={"a": 1})
            return [part.data for part in client.runs.stream(None, "agent", input={})]

    assert await asyncio.to_thread(work) == [{"n": 0}, {"n": 1}]
    assert ("x-a", "b") in server.asked[0][0].headers


async def test_does_not_wait_for_itself() -> None:
    sdk_client.connect(Server())
    with pytest.raises(AppError, match=r"use get_client\(\) in asynchronous code"):
        langgraph_sdk.get_sync_client().threads.get("t1")


async def test_leaves_clients_with_an_address_alone() -> None:
    sdk_client.connect(Server())
    sync = langgraph_sdk.get_sync_client(url="http://127.0.0.1:1").http.client
    assert isinstance(sync._transport, httpx.HTTPTransport)
    client = get_client(url="http://127.0.0.1:1").http.client
    assert isinstance(client._transport, httpx.AsyncHTTPTransport)
