from __future__ import annotations

import asyncio
import itertools
import operator
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Durability, Send, interrupt

from runyard_host.checkpoints.checkpointer import HostCheckpointer, checkpointer_of
from runyard_host.checkpoints.serde import HostSerializer

from .noted import NotedCheckpoints


class State(TypedDict, total=False):
    items: Annotated[list[str], operator.add]
    note: str


def build(saver: BaseCheckpointSaver[str]) -> CompiledStateGraph[Any]:
    builder = StateGraph(State)
    builder.add_node("one", lambda _: {"items": ["one"], "note": "kept"})
    builder.add_node("ask", lambda _: {"items": [interrupt("what?")]})
    builder.add_edge(START, "one")
    builder.add_edge("one", "ask")
    return builder.compile(checkpointer=saver)


def thread(thread_id: str = "t", **more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, **more}}


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_a_graph_goes_on_from_an_interrupt_in_another_process(
    checkpoints: NotedCheckpoints, durability: Durability
) -> None:
    graph = build(HostCheckpointer(checkpoints, "run-1"))
    await graph.ainvoke({"items": ["in"]}, thread(), durability=durability)
    again = build(HostCheckpointer(checkpoints, "run-2"))
    ended = await again.ainvoke(Command(resume="answer"), thread(), durability=durability)
    assert ended == {"items": ["in", "one", "answer"], "note": "kept"}
    assert {one["run_id"] for one in checkpoints.stored} == {"run-1", "run-2"}


async def test_only_channels_that_changed_are_sent(checkpoints: NotedCheckpoints) -> None:
    graph = build(HostCheckpointer(checkpoints))
    await graph.ainvoke({"items": ["in"]}, thread())
    await graph.aupdate_state(thread(), {"items": ["more"]}, as_node="one")
    sent = Counter(value["channel"] for value in checkpoints.values)
    assert (sent["note"], sent["items"]) == (1, 3)


async def test_metadata_is_that_of_the_step_and_of_the_run_and_nothing_of_the_request(
    checkpoints: NotedCheckpoints,
) -> None:
    saver = HostCheckpointer(checkpoints, "r")
    config = thread(graph_id="g", langgraph_request_id="q", __own="no")
    config["metadata"] = {"run_id": "r", "tag": "x", "langgraph_auth_user_id": "ann"}
    stored = await saver.aput(config, empty_checkpoint(), {"source": "input", "step": -1}, {})
    found = await saver.aget_tuple(stored)
    assert found is not None
    assert found.metadata == {
        "source": "input",
        "step": -1,
        "graph_id": "g",
        "run_id": "r",
        "tag": "x",
    }


async def test_special_writes_replace_each_other_and_ordinary_ones_stay(
    checkpoints: NotedCheckpoints,
) -> None:
    saver = HostCheckpointer(checkpoints)
    stored = await saver.aput(thread(), empty_checkpoint(), {}, {})
    failure = ValueError("broken")
    await saver.aput_writes(stored, [("a", 1), ("__error__", failure)], "task")
    await saver.aput_writes(stored, [("a", 2), ("__resume__", ["yes"])], "task")
    await saver.aput_writes(stored, [("__resume__", ["no"])], "task")
    found = await saver.aget_tuple(stored)
    assert found is not None
    assert sorted(found.pending_writes or [], key=lambda write: write[1]) == [
        ("task", "__error__", repr(failure)),
        ("task", "__resume__", ["no"]),
        ("task", "a", 1),
    ]
    assert saver.failures == {"task": failure}


async def test_a_write_that_is_refused_ends_the_run(checkpoints: NotedCheckpoints) -> None:
    graph = build(HostCheckpointer(checkpoints))
    checkpoints.refusal = PermissionError("the lease is another's")
    with pytest.raises(PermissionError):
        await graph.ainvoke({"items": ["in"]}, thread())
    assert checkpoints.stored == []


async def test_a_history_is_listed_as_langgraphs_own_saver_lists_it(
    checkpoints: NotedCheckpoints,
) -> None:
    memory = InMemorySaver()
    saver = HostCheckpointer(checkpoints)
    for one in (memory, saver):
        await build(one).ainvoke({"items": ["in"]}, thread())

    async def steps(saver: BaseCheckpointSaver[str], **how: Any) -> list[Any]:
        return [one.metadata.get("step") async for one in saver.alist(thread(), **how)]

    for how in ({}, {"limit": 2}, {"limit": 0}, {"filter": {"source": "loop"}}):
        assert await steps(saver, **how) == await steps(memory, **how)
    second = [one async for one in saver.alist(thread(checkpoint_ns=""))][1]
    assert await steps(saver, before=second.config) == [-1]


async def test_sync_nodes_use_it_from_their_threads(checkpoints: NotedCheckpoints) -> None:
    saver = HostCheckpointer(checkpoints)
    graph = build(saver)
    await asyncio.to_thread(graph.invoke, {"items": ["in"]}, thread())
    listed = await asyncio.to_thread(lambda: list(saver.list(thread())))
    state = await asyncio.to_thread(graph.get_state, thread())
    assert state.values == {"items": ["in", "one"], "note": "kept"}
    assert len(listed) == 3
    await asyncio.to_thread(saver.delete_thread, "t")
    assert await saver.aget_tuple(thread()) is None


async def test_on_the_loop_a_blocking_call_is_refused_with_what_to_write(
    checkpoints: NotedCheckpoints,
) -> None:
    saver = HostCheckpointer(checkpoints)
    with pytest.raises(asyncio.InvalidStateError, match=r"await checkpointer\.aget_tuple"):
        saver.get_tuple(thread())


async def test_sends_of_old_formats_come_from_the_checkpoint_before(
    checkpoints: NotedCheckpoints,
) -> None:
    saver = HostCheckpointer(checkpoints)
    first = await saver.aput(thread(), {**empty_checkpoint(), "v": 1}, {}, {})
    await saver.aput_writes(first, [("__pregel_tasks", Send("node", 1))], "task")
    versions: dict[str, str | int | float] = {"a": "0002.5"}
    old = {**empty_checkpoint(), "v": 1, "channel_versions": versions}
    second = await saver.aput(first, old, {}, {})  # type: ignore[arg-type]
    found = await saver.aget_tuple(second)
    assert found is not None
    assert found.checkpoint["channel_values"] == {"__pregel_tasks": [Send("node", 1)]}
    assert found.checkpoint["channel_versions"] == {"a": "0002.5", "__pregel_tasks": "0002.5"}


async def test_versions_count_up_and_never_meet(checkpoints: NotedCheckpoints) -> None:
    saver = HostCheckpointer(checkpoints)
    first = saver.get_next_version(None, None)
    assert first.startswith("0000000000000001.")
    second = saver.get_next_version(first, None)
    assert second > first
    assert saver.get_next_version(first, None) != second


async def test_what_msgpack_cannot_write_is_pickled(checkpoints: NotedCheckpoints) -> None:
    saver = HostCheckpointer(checkpoints)
    kind, data = saver.serde.dumps_typed({"value": 1 + 2j})
    assert (kind, saver.serde.loads_typed((kind, data))) == ("pickle", {"value": 1 + 2j})


def joined(state: list[str], writes: Sequence[list[str]]) -> list[str]:
    return [*state, *itertools.chain(*writes)]


class Often(TypedDict, total=False):
    items: Annotated[list[str], DeltaChannel(joined, list, snapshot_frequency=3)]
    turn: int


class Seldom(TypedDict, total=False):
    items: Annotated[list[str], DeltaChannel(joined, list, snapshot_frequency=100)]
    turn: int


def build_with_deltas(saver: BaseCheckpointSaver[str], state: type) -> CompiledStateGraph[Any]:
    builder: StateGraph[Any] = StateGraph(state)
    # Tasks of one step whose ids sort in another order than their paths.
    for name in ("a", "b", "c", "d"):
        builder.add_node(name, lambda state, name=name: {"items": [f"{name}{state['turn']}"]})
        builder.add_edge(START, name)
        builder.add_edge(name, END)
    return builder.compile(checkpointer=saver)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
@pytest.mark.parametrize("state", [Often, Seldom])
async def test_delta_channels_are_put_together_from_their_writes(
    checkpoints: NotedCheckpoints, durability: Durability, state: type
) -> None:
    expected: list[str] = []
    for turn in range(30):
        graph = build_with_deltas(HostCheckpointer(checkpoints), state)
        entered = {"items": [f"in{turn}"], "turn": turn}
        await graph.ainvoke(entered, thread(), durability=durability)
        expected += [f"in{turn}", *[f"{name}{turn}" for name in "abcd"]]
    checkpoints.asked.clear()
    graph = build_with_deltas(HostCheckpointer(checkpoints), state)
    assert (await graph.aget_state(thread())).values["items"] == expected
    assert len(checkpoints.asked) <= 12
    read = await asyncio.to_thread(graph.get_state, thread())
    assert read.values["items"] == expected


async def test_a_copy_with_an_allow_list_is_the_same_checkpointer(
    checkpoints: NotedCheckpoints,
) -> None:
    saver = HostCheckpointer(checkpoints, "run")
    copied = saver.with_allowlist({("my.module", "Thing")})
    await copied.aput(thread(), empty_checkpoint(), {}, {})
    assert await saver.aget_tuple(thread()) is not None


class Reversing(JsonPlusSerializer):
    """What a project may have chosen."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, data = super().dumps_typed(obj)
        return f"reversed-{kind}", data[::-1]

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        return super().loads_typed((data[0].removeprefix("reversed-"), data[1][::-1]))


async def test_a_project_that_chose_a_serializer_has_it(checkpoints: NotedCheckpoints) -> None:
    graph = build(InMemorySaver(serde=Reversing()))
    graph.checkpointer = checkpointer_of(graph, checkpoints, "run")
    await graph.ainvoke({"items": ["in"]}, thread())
    assert {value["type"] for value in checkpoints.values} == {
        "reversed-msgpack",
        "reversed-null",
    }
    assert (await graph.aget_state(thread())).values["items"] == ["in", "one"]


async def test_a_project_that_chose_none_has_the_hosts(checkpoints: NotedCheckpoints) -> None:
    for own in (None, InMemorySaver()):
        graph = build(own)  # type: ignore[arg-type]
        made = checkpointer_of(graph, checkpoints, None)
        assert isinstance(made.serde, HostSerializer)


async def test_strict_revival_allows_the_types_of_the_graph(checkpoints: NotedCheckpoints) -> None:
    graph = build(InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=[("mine", "A")])))
    graph._serde_allowlist = {("my.module", "Thing")}
    made = checkpointer_of(graph, checkpoints, "run")
    assert isinstance(made.serde, JsonPlusSerializer)
    assert made.serde._allowed_msgpack_modules == {("mine", "A"), ("my.module", "Thing")}
