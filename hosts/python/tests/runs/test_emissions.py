"""What a run tells, beside what LangGraph itself streams."""

from __future__ import annotations

import re
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from runyard_host.run.emissions import Emissions, graph_modes
from runyard_host.wire_json import to_wire

from . import graphs
from .world import Told, World

QUESTION = {"messages": [HumanMessage("one two", id="h")]}


def plain(value: Any) -> Any:
    """Without the ids that are made anew for each run."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in VOLATILE}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, str):
        return re.sub(r"(lc_run--)?[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{32}\b", "<id>", value)
    return value


VOLATILE = {"timestamp", "run_id", "ls_integration"}


@pytest.mark.parametrize("subgraphs", [False, True])
@pytest.mark.parametrize("mode", ["values", "updates", "custom", "messages"])
@pytest.mark.parametrize("name", ["steps", "asking", "talking", "nested", "wide"])
async def test_a_run_tells_what_langgraph_streams(name: str, mode: str, subgraphs: bool) -> None:
    graph = getattr(graphs, name)
    given: Any = QUESTION if name in ("talking", "nested") else {"steps": ["given"]}
    streamed = graph.copy(update={"checkpointer": InMemorySaver()}).astream(
        given,
        {"configurable": {"thread_id": "t"}},
        stream_mode=[mode],
        subgraphs=subgraphs,
    )
    # As they are when they come: a message without an id gets one later.
    expected = [to_wire(one if subgraphs else ((), *one)) async for one in streamed]
    asked = "messages-tuple" if mode == "messages" else mode
    told = await World(graph).play(input=given, modes=[asked], subgraphs=subgraphs)
    assert told.end == {"kind": "completed"}
    seen = [(one["namespace"], as_streamed(one["payload"])) for one in told.emissions]
    wanted = [(namespace, payload) for namespace, _, payload in expected]
    if mode == "messages":
        wanted = [(namespace, [message, {}]) for namespace, (message, _) in wanted]
    assert sorted_if_wide(name, plain(seen)) == sorted_if_wide(name, plain(wanted))


def as_streamed(payload: Any) -> Any:
    return (
        [payload["message"], {}] if isinstance(payload, dict) and "isPiece" in payload else payload
    )


def sorted_if_wide(name: str, seen: list[Any]) -> list[Any]:
    return sorted(seen, key=repr) if name in ("wide", "asking", "nested") else seen


@pytest.mark.parametrize(
    "mode", ["values", "updates", "custom", "debug", "tasks", "checkpoints", "tools", "events"]
)
async def test_a_mode_is_all_that_is_told(mode: str) -> None:
    told = await World(graphs.steps).play(modes=[mode])
    assert {one["mode"] for one in told.emissions} == {mode}


def test_langgraph_is_asked_for_nothing_more() -> None:
    assert graph_modes(["values"]) == ["values"]
    assert graph_modes(["events", "model_ends", "transformers"]) == []
    assert graph_modes(["lifecycle", "tasks"]) == ["tasks"]
    assert graph_modes(["messages", "messages-tuple"]) == ["messages", "values"]


async def test_tasks_and_checkpoints_say_where_they_are_as_the_api_does() -> None:
    told = await World(graphs.nested).play(
        input=QUESTION, modes=["tasks", "checkpoints", "debug"], subgraphs=True
    )
    begun = [one for one in told.of("tasks") if one["name"] == "two"]
    assert [("result" in one, one.get("error", 0)) for one in begun] == [(False, 0), (True, None)]
    ids = [one["checkpoint"]["checkpoint_id"] for one in told.of("checkpoints")]
    assert all(ids)
    within = next(one for one in told.of("checkpoints") if "two" in one["next"])
    task = next(one for one in within["tasks"] if one["name"] == "two")
    assert task["checkpoint"]["thread_id"] == "t"
    assert task["checkpoint"]["checkpoint_ns"].startswith("two:")
    keys = [key for one in told.of("checkpoints") for key in one["config"]["configurable"]]
    assert not [key for key in keys if key.startswith("__")]
    kinds = {one["type"] for one in told.of("debug")}
    assert kinds == {"checkpoint", "task", "task_result"}


async def test_a_failed_task_says_why() -> None:
    def fail(_: Any) -> Any:
        raise ValueError("not so")

    graph = graphs.building().add_node(fail).add_edge("__start__", "fail").compile()
    world = World(graph)
    told = await world.play(modes=["tasks", "debug"])
    assert told.of("tasks")[-1]["error"] == "ValueError: not so"
    assert told.of("debug")[-1]["payload"]["error"] == "ValueError: not so"
    state = await (await world.open()).get_state({"thread_id": "t"}, None)
    assert state["tasks"][0]["error"] == "ValueError: not so"
    failure = told.end["failure"]
    assert (failure["kind"], failure["error"], failure["message"]) == (
        "graph",
        "ValueError",
        "not so",
    )
    assert "in fail" in failure["thrown"]["stack"]
    assert "langgraph" not in failure["thrown"]["stack"]


async def test_places_come_before_the_values_that_are_kept_there() -> None:
    told = await World(graphs.steps).play(modes=["values", "places"], subgraphs=True)
    assert [one["mode"] for one in told.emissions] == ["places", "values", "places", "values"]
    first, second = told.of("places")
    assert (first["step"], first["source"]) == (1, "loop")
    assert (second["step"], second["parent_id"]) == (2, first["id"])


def test_values_whose_place_never_comes_are_told_all_the_same() -> None:
    read = Emissions(["values", "places", "updates"], subgraphs=True)
    assert read.read(("a:1",), "values", {"x": 1}) == []
    told = read.read((), "updates", {"a": {"x": 1}})
    assert [one["mode"] for one, _ in told] == ["values", "updates"]
    assert read.read((), "values", {"x": 1}) == []
    assert [one["payload"] for one, _ in read.rest()] == [{"x": 1}]


async def test_messages_are_put_together() -> None:
    modes = ["messages", "messages-tuple", "model_ends"]
    told = await World(graphs.talking).play(input=QUESTION, modes=modes)
    pieces = [one for one in told.of("messages-tuple") if one["isPiece"]]
    assert {one["message"]["type"] for one in pieces} == {"AIMessageChunk"}
    assert "".join(one["message"]["content"] for one in pieces) == "echo: one two"
    assert pieces[0]["metadata"]["langgraph_node"] == "talk"
    changes = told.of("messages")
    begun = next(one for one in changes if one["kind"] == "begun")
    assert begun["message"]["type"] == "ai"
    assert begun["metadata"]["langgraph_node"] == "talk"
    text = begun["message"]["content"]
    for one in changes:
        if one["kind"] == "grown" and one["growth"]:
            text += one["growth"]["in"]["content"]["+"]
    assert text == "echo: one two"
    complete = [one for one in changes if one["kind"] == "complete"]
    assert [[message["content"] for message in one["messages"]] for one in complete] == [
        ["one two"],
        ["echo: one two"],
    ]
    assert told.of("model_ends") == [{"id": begun["message"]["id"], "pieces": len(pieces)}]


async def test_without_subgraphs_their_lifecycle_alone_is_told() -> None:
    told = await World(graphs.nested).play(
        input=QUESTION, modes=["lifecycle", "messages-tuple", "updates"]
    )
    below = [one for one in told.emissions if one["namespace"]]
    assert {one["mode"] for one in below} == {"tasks"}
    assert below


async def test_events_are_those_of_the_callbacks_and_of_the_modes_beside_them() -> None:
    told = await World(graphs.steps).play(modes=["events", "updates"])
    assert told.of("updates") == [
        {"first": {"steps": ["first"]}},
        {"second": {"steps": ["second"]}},
    ]
    names = [(one["event"], one["name"]) for one in told.of("events")]
    assert ("on_chain_start", "first") in names
    assert ("on_tool_end", "look") in names
    assert names[-1] == ("on_chain_end", "LangGraph")


async def test_tools_are_told_of_in_the_words_of_the_mode() -> None:
    told: Told = await World(graphs.steps).play(modes=["tools"])
    begun, ended = told.of("tools")
    assert begun == {
        "event": "on_tool_start",
        "toolCallId": "look-1",
        "name": "look",
        "input": {"at": "it"},
    }
    assert (ended["event"], ended["name"], ended["output"]["content"]) == (
        "on_tool_end",
        "look",
        "it is fine",
    )


async def test_runs_of_the_protocol_tell_of_models_and_tools_at_their_nodes() -> None:
    modes = ["messages-tuple", "tools", "values", "places"]
    talked = await World(graphs.nested).play(input=QUESTION, modes=modes, subgraphs=True)
    pieces = [one for one in talked.emissions if one["mode"] == "messages-tuple"]
    written = [one["namespace"] for one in pieces if one["payload"]["isPiece"]]
    assert [[part.split(":")[0] for part in at] for at in written] == [["two", "talk"]] * len(
        written
    )
    assert written
    looked = await World(graphs.steps).play(modes=modes, subgraphs=True)
    tools = [one["namespace"] for one in looked.emissions if one["mode"] == "tools"]
    assert [[part.split(":")[0] for part in at] for at in tools] == [["second"]] * 2


async def test_runs_of_the_protocol_tell_what_models_write_and_nothing_else() -> None:
    call = {"id": "c", "name": "look", "args": {"at": "it"}, "type": "tool_call"}

    def made(_state: MessagesState) -> Any:
        return {"messages": [AIMessage("", id="made", tool_calls=[call])]}

    async def whole(state: MessagesState, config: RunnableConfig) -> Any:
        model = FakeListChatModel(responses=["all of it"], disable_streaming=True)
        return {"messages": [await model.ainvoke(state["messages"], config)]}

    graph: Any = StateGraph(MessagesState)
    graph.add_node("made", made).add_node("whole", whole).add_node("talk", graphs.talk)
    graph.add_edge(START, "made").add_edge("made", "whole").add_edge("whole", "talk")

    async def said(*of_protocol: str) -> list[Any]:
        modes = ["messages-tuple", *of_protocol]
        told = await World(graph.compile()).play(input=QUESTION, modes=modes, subgraphs=True)
        return [one["message"]["content"] for one in told.of("messages-tuple")]

    pieces = ["echo:", " ", "all", " ", "of", " ", "it"]
    assert await said() == ["", "all of it", *pieces]
    assert await said("model_ends") == ["all of it", *pieces]
