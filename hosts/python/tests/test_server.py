"""The host on a connection: calls that the server does not wait for any more."""

import asyncio
import socket

import pytest

from runyard_host.errors import ServerError
from runyard_host.parts import Parts, Start
from runyard_host.port import Calls, Json
from runyard_host.server import Server

from .runs import graphs
from .runs.world import World
from .test_peer import ServerEnd, refuse


class Embeddings:
    """Tells what it is asked for, and answers when it may."""

    def __init__(self) -> None:
        self.asked: list[Json] = []
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.is_cancelled = False

    async def embed(self, texts: list[str]) -> list[list[float]]:
        self.asked.extend(texts)
        self.begun.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        return [[1.0] for _ in texts]


async def connect(embeddings: Embeddings) -> tuple[ServerEnd, World]:
    world = World(graphs.steps)

    async def load(_start: Start, _calls: Calls) -> Parts:
        return Parts(project=world.project, embed=embeddings.embed)

    host, server = Server(load), ServerEnd(refuse)
    loop = asyncio.get_running_loop()
    for_host, for_server = socket.socketpair()
    await loop.create_connection(lambda: host.peer, sock=for_host)
    await loop.create_connection(lambda: server, sock=for_server)
    await server.call("start", {"protocol": 1})
    return server, world


async def test_what_is_given_up_before_it_begins_is_not_begun() -> None:
    embeddings = Embeddings()
    server, world = await connect(embeddings)
    opened = await server.call("open", {"graph_id": "graph", "config": {"configurable": {}}})
    assert isinstance(opened, dict)
    place = {"thread_id": "t"}
    update = {"values": {"steps": ["by hand"]}, "as_node": None}
    params = {"graph": opened["graph"], "place": place, "supersteps": [[update]]}
    calls = [
        server.begin("embed", {"texts": ["a"]}),
        server.begin("graph.update_state", params),
        server.begin("open", {"graph_id": "graph", "config": {"configurable": {}}}),
    ]
    for call in calls:
        call.abort()
    for call in calls:
        with pytest.raises(Exception, match="given up before it began"):
            await call.answer
    assert embeddings.asked == []
    state = await (await world.open()).get_state(place, None)
    assert state["values"] == {}
    again = await server.call("open", {"graph_id": "graph", "config": {"configurable": {}}})
    assert again == {"graph": opened["graph"] + 1}


async def test_what_is_given_up_under_way_ends_where_it_is() -> None:
    embeddings = Embeddings()
    server, _ = await connect(embeddings)
    call = server.begin("embed", {"texts": ["a"]})
    await embeddings.begun.wait()
    call.abort()
    with pytest.raises(ServerError):
        await call.answer
    assert embeddings.is_cancelled


async def test_a_run_that_is_given_up_before_it_begins_calls_no_node() -> None:
    server, world = await connect(Embeddings())
    request = {"run_id": "r", "input": {}, "context": {}, "modes": ["values"], "subgraphs": False}
    params = {
        "graph_id": "graph",
        "config": {"configurable": {"thread_id": "t"}},
        "run": 1,
        "request": request,
        "checkpoints": 1,
    }
    call = server.begin("graph.run", params)
    call.abort()
    assert await call.answer == {"kind": "stopped"}
    assert world.calls.nodes == []
