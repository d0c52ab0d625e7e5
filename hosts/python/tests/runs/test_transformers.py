"""The stream transformers that a graph was compiled with."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState
from langgraph.stream import StreamChannel, StreamTransformer
from langgraph.types import StreamWriter

from runyard_host.port import JsonObject
from runyard_host.run.run import GraphRun

from . import graphs
from .world import World


class Counting(StreamTransformer):
    """Tells of each value, and at last how many there were."""

    required_stream_modes = ("values",)

    def init(self) -> dict[str, Any]:
        self.said: StreamChannel[Any] = StreamChannel("said")
        self.total: StreamChannel[int] = StreamChannel("total")
        self.local: StreamChannel[str] = StreamChannel()
        self.count = 0
        self.failed = ""
        return {"said": self.said, "total": self.total, "local": self.local}

    def process(self, event: Any) -> bool:
        if event["method"] == "values":
            messages = event["params"]["data"]["messages"]
            if isinstance(messages[-1], AIMessage):
                self.count += 1
                self.said.push({"text": messages[-1].content})
        return bool(event["method"] != "tasks")

    def finalize(self) -> None:
        self.total.push(self.count)

    def fail(self, err: BaseException) -> None:
        self.total.push(-1)
        self.said.push(f"{type(err).__name__}: {err}")


class Redacting(StreamTransformer):
    """Takes numbers out of what is written."""

    before_builtins = True

    def init(self) -> dict[str, Any]:
        return {}

    async def aprocess(self, event: Any) -> bool:
        if event["method"] == "custom":
            event["params"]["data"]["text"] = "***"
        if event["method"] == "messages":
            data, about = event["params"]["data"]
            assert about["langgraph_node"] == "answer"
            if "delta" in data:
                data["delta"]["text"] = "***"
        return True


class Native(StreamTransformer):
    _native = True

    def init(self) -> dict[str, Any]:
        return {"native": StreamChannel("native")}

    def process(self, event: Any) -> bool:
        raise AssertionError


def answer(_: Any, writer: Any) -> Any:
    writer({"name": "card", "text": "1234"})
    return {"messages": [AIMessage("fine", id="a")]}


answer.__annotations__ = {"writer": StreamWriter}


def world(*transformers: Any) -> World:
    builder = graphs.building(MessagesState).add_node("answer", answer).add_edge(START, "answer")
    return World(builder.compile(transformers=list(transformers)))


MODES = ["values", "custom", "tasks", "places", "transformers"]


async def transformed(run: GraphRun) -> tuple[list[Any], list[JsonObject]]:
    """What the run tells in the end, as the server asks for it."""
    told: list[Any] = []
    emissions = [one async for batch in run.emissions() for one in batch]
    for of, one in enumerate(emissions):
        if one["mode"] == "places":
            continue
        event = {
            "method": one["mode"],
            "namespace": one["namespace"],
            "timestamp": 1,
            "data": one["payload"],
            "isKept": False,
        }
        told += [(one["mode"], each) for each in await run.on_events([event], of)]
    return told, emissions


async def test_they_see_what_the_graph_emits_and_add_to_it() -> None:
    run = await world(Counting, Native).begin(
        input={"messages": [{"type": "human", "content": "hi"}]}, modes=MODES
    )
    assert run.transforms
    told, emissions = await transformed(run)
    assert [one for mode, one in told if mode == "tasks"] == []
    assert [one for mode, one in told if mode == "values"] == [
        0,
        {"method": "custom:said", "namespace": [], "data": {"text": "fine"}},
        0,
    ]
    assert len([one for one in emissions if one["mode"] == "tasks"]) == 2
    assert await run.finish() == [{"method": "custom:total", "namespace": [], "data": 1}]
    assert await run.finish() == []
    assert await run.fail({"name": "Error", "message": "late"}) == []


async def test_what_the_server_goes_by_is_told_all_the_same() -> None:
    run = await world(Counting).begin(input={"messages": ["hi"]}, modes=MODES)
    _ = [one async for one in run.emissions()]
    event = {"method": "tasks", "namespace": [], "timestamp": 1, "data": {}, "isKept": True}
    assert await run.on_events([event], None) == [0]


async def test_they_may_change_what_is_told() -> None:
    run = await world(Redacting).begin(input={"messages": ["hi"]}, modes=MODES)
    told, _ = await transformed(run)
    assert [one for mode, one in told if mode == "custom"] == [
        {"method": "custom", "namespace": [], "data": {"name": "card", "text": "***"}}
    ]
    delta = {"event": "content-block-delta", "delta": {"type": "text-delta", "text": "12"}}
    event = {
        "method": "messages",
        "namespace": [],
        "timestamp": 1,
        "node": "answer",
        "data": delta,
        "isKept": False,
    }
    [made] = await run.on_events([event], None)
    assert made["data"]["delta"]["text"] == "***"
    assert made["node"] == "answer"
    start = {**event, "data": {"event": "message-start"}}
    assert await run.on_events([start, start], None) == [0, 1]


async def test_they_hear_of_a_failure() -> None:
    run = await world(Counting).begin(input={"messages": ["hi"]}, modes=MODES)
    _ = [one async for one in run.emissions()]
    made = await run.fail({"name": "ValueError", "message": "not so"})
    assert [one["data"] for one in made] == [-1, "ValueError: not so"]


async def test_a_graph_without_any_of_its_own_is_not_transformed() -> None:
    assert not (await world(Native).begin(modes=MODES)).transforms
    assert not (await World(graphs.steps).begin(modes=MODES)).transforms
    assert not (await world(Counting).begin(modes=["values"])).transforms
