"""What only a server shows: leases, whole histories, and what they take of its disk."""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, MessagesState, StateGraph, add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Durability, Send, interrupt

from runyard_host.callbacks import WireCheckpoints
from runyard_host.checkpoints.checkpointer import HostCheckpointer
from runyard_host.errors import AppError
from runyard_host.peer import Peer

DURABILITIES: list[Durability] = ["sync", "async", "exit"]


class Steps(TypedDict, total=False):
    steps: Annotated[list[str], operator.add]


def thread(thread_id: str = "t", **more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, **more}}


async def told(server: Peer, operation: str, *ids: str) -> Any:
    return await server.call("test", {"operation": operation, "ids": list(ids)})


def nested(saver: BaseCheckpointSaver[str]) -> CompiledStateGraph[Any]:
    """A step, a subgraph that asks, and two tasks of which one fails at first."""
    inner: StateGraph[Any] = StateGraph(Steps)
    inner.add_node("inside", lambda _: {"steps": ["inside"]})
    inner.add_node("ask", lambda _: {"steps": [interrupt("what?")]})
    inner.add_edge(START, "inside")
    inner.add_edge("inside", "ask")
    outer: StateGraph[Any] = StateGraph(Steps)
    outer.add_node("before", lambda _: {"steps": ["before"]})
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "before")
    outer.add_edge("before", "inner")
    return outer.compile(checkpointer=saver)


@pytest.mark.parametrize("durability", DURABILITIES)
async def test_a_subgraph_goes_on_from_its_interrupt(server: Peer, durability: Durability) -> None:
    checkpoints = WireCheckpoints(server)
    await nested(HostCheckpointer(checkpoints, "r1")).ainvoke({}, thread(), durability=durability)
    graph = nested(HostCheckpointer(checkpoints, "r2"))
    state = await graph.aget_state(thread(), subgraphs=True)
    assert state.tasks[0].state.values == {"steps": ["before", "inside"]}  # type: ignore[union-attr]
    ended = await graph.ainvoke(Command(resume="so"), thread(), durability=durability)
    assert ended == {"steps": ["before", "before", "inside", "so"]}


@pytest.mark.parametrize("durability", ["sync", "async"])
async def test_a_task_that_is_done_is_not_done_again(server: Peer, durability: Durability) -> None:
    done: list[str] = []
    broken = True

    async def work(step: Any) -> dict[str, Any]:
        if step == "bad" and broken:
            await asyncio.sleep(0.05)
            raise ValueError("broken")
        done.append(step)
        return {"steps": [step]}

    builder: Any = StateGraph(Steps)
    builder.add_node("work", work)
    builder.add_conditional_edges(START, lambda _: [Send("work", one) for one in ("good", "bad")])
    saver = HostCheckpointer(WireCheckpoints(server), "r")
    graph = builder.compile(checkpointer=saver)
    with pytest.raises(ValueError, match="broken"):
        await graph.ainvoke({}, thread(), durability=durability)
    assert [str(one) for one in saver.failures.values()] == ["broken"]
    broken = False
    assert await graph.ainvoke(None, thread()) == {"steps": ["good", "bad"]}
    assert done == ["good", "bad"]


@pytest.mark.parametrize("durability", DURABILITIES)
async def test_a_run_whose_lease_is_lost_writes_no_more(
    server: Peer, durability: Durability
) -> None:
    run_id, thread_id = await told(server, "take_lease")
    config = thread(thread_id)

    async def lose(_: Any) -> dict[str, Any]:
        await told(server, "lose_lease")
        return {"steps": ["lose"]}

    builder: Any = StateGraph(Steps)
    builder.add_node("lose", lose)
    builder.add_node("after", lambda _: {"steps": ["after"]})
    builder.add_edge(START, "lose")
    builder.add_edge("lose", "after")
    graph = builder.compile(checkpointer=HostCheckpointer(WireCheckpoints(server, 1), run_id))
    with pytest.raises(AppError) as refused:
        await graph.ainvoke({"steps": ["in"]}, config, durability=durability)
    assert refused.value.code == "conflict"
    outside = HostCheckpointer(WireCheckpoints(server))
    kept = [one.checkpoint["channel_values"] async for one in outside.alist(config)]
    assert all("lose" not in values.get("steps", []) for values in kept)
    assert (len(kept) > 0) == (durability == "sync") or durability == "async"


async def test_a_history_of_large_states_is_read_bit_by_bit(server: Peer) -> None:
    graph = nested(HostCheckpointer(WireCheckpoints(server)))
    await graph.ainvoke({"steps": ["x" * 5 * 1024**2]}, thread())
    assert len([state async for state in graph.aget_state_history(thread())]) == 3
    assert len([state async for state in graph.aget_state_history(thread(), limit=2)]) == 2


def talking(saver: BaseCheckpointSaver[str], state: type) -> CompiledStateGraph[Any]:
    async def answer(state: Any) -> dict[str, Any]:
        return {"messages": [AIMessage(f"You say: {state['messages'][-1].text}")]}

    builder: StateGraph[Any] = StateGraph(state)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=saver)


def _join(messages: Any, writes: Any) -> Any:
    for write in writes:
        messages = add_messages(messages, write)
    return messages


class Deltas(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(_join, list, snapshot_frequency=4)]


@pytest.mark.parametrize("state", [MessagesState, Deltas])
async def test_a_late_turn_of_a_conversation_takes_no_more_room(server: Peer, state: type) -> None:
    graph = talking(HostCheckpointer(WireCheckpoints(server)), state)

    def say(turn: int) -> HumanMessage:
        return HumanMessage(f"{turn}: {'What do you say? ' * 12}")

    async def bytes_of_turns(first: int) -> int:
        before = await told(server, "measure", "t")
        for turn in range(first, first + 4):
            await graph.ainvoke({"messages": [say(turn)]}, thread())
        return int(await told(server, "measure", "t")) - int(before)

    for turn in range(18):
        await graph.ainvoke({"messages": [say(turn)]}, thread())
    early = await bytes_of_turns(18)
    said = [one for turn in range(170) for one in (say(turn), AIMessage("I see. " * 30))]
    await graph.aupdate_state(thread(), {"messages": said}, as_node="answer")
    # These store all that was said as a value of its own for the first time.
    await bytes_of_turns(192)
    late = await bytes_of_turns(196)
    assert len((await graph.aget_state(thread())).values["messages"]) == 2 * (22 + 170 + 8)
    assert late < 1.5 * early


@pytest.mark.parametrize("durability", DURABILITIES)
async def test_deltas_survive_when_only_the_latest_is_kept_copied_and_rolled_back(
    server: Peer, durability: Durability
) -> None:
    checkpoints = WireCheckpoints(server)
    for turn in range(7):
        graph = talking(HostCheckpointer(checkpoints, f"r{turn}"), Deltas)
        entered = {"messages": [HumanMessage(str(turn))]}
        await graph.ainvoke(entered, thread(), durability=durability)
    graph = talking(HostCheckpointer(checkpoints), Deltas)

    async def texts(thread_id: str) -> list[str]:
        state = await graph.aget_state(thread(thread_id))
        return [message.text for message in state.values["messages"]]

    expected = [text for turn in range(7) for text in (str(turn), f"You say: {turn}")]
    await told(server, "copy_thread", "t", "copy")
    await told(server, "delete_run", "copy", "r6")
    await told(server, "keep_latest", "t")
    assert await texts("t") == expected
    assert await texts("copy") == expected[:-2]
    left = [one async for one in HostCheckpointer(checkpoints).alist(thread())]
    assert 1 <= len(left) <= 10
    await graph.ainvoke({"messages": [HumanMessage("on")]}, thread())
    assert await texts("t") == [*expected, "on", "You say: on"]
