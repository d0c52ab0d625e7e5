"""The states of threads, as a graph reads and changes them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langgraph.graph import START, MessagesState
from langgraph.types import interrupt

from . import graphs
from .world import World

EMPTY: dict[str, Any] = {
    "values": {},
    "next": [],
    "tasks": [],
    "checkpoint": None,
    "metadata": None,
    "created_at": None,
    "parent_checkpoint": None,
    "interrupts": [],
}
T = {"thread_id": "t"}


async def test_a_thread_without_a_run_is_empty() -> None:
    assert await (await World(graphs.steps).open()).get_state(T, None) == EMPTY


async def test_a_state_is_read_from_the_checkpoints_that_are_given() -> None:
    other = World(graphs.steps)
    await other.play()
    opened = await World(graphs.steps).open()
    given = await opened.get_state(T, None, other.calls.checkpoints)
    assert given == await (await other.open()).get_state(T, None)
    assert given != EMPTY
    assert await opened.get_state(T, None) == EMPTY


async def test_a_state_is_what_a_run_has_left() -> None:
    world = World(graphs.asking)
    await world.play()
    state = await (await world.open()).get_state(T, None)
    assert state["values"] == {"steps": ["before"]}
    assert sorted(state["next"]) == ["also", "ask"]
    task = next(one for one in state["tasks"] if one["name"] == "ask")
    assert task["path"] == ["__pregel_pull", "ask"]
    assert task["error"] is None
    assert task["interrupts"] == [
        {"value": {"question": "sure?"}, "id": task["interrupts"][0]["id"]}
    ]
    assert len(state["interrupts"]) == 2
    assert set(state["checkpoint"]) == {
        "thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map",
    }  # fmt: skip
    assert state["metadata"]["step"] == 1
    assert json.loads(json.dumps(state)) == state


async def test_states_are_listed_and_read_at_their_checkpoints() -> None:
    world = World(graphs.steps)
    await world.play()
    graph = await world.open()

    async def listed(query: Any) -> list[Any]:
        return [one async for one in graph.list_states(T, query)]

    last, before = await listed({"limit": 2})
    assert (last["next"], before["next"]) == ([], ["second"])
    at = before["checkpoint"]["checkpoint_id"]
    assert last["parent_checkpoint"]["checkpoint_id"] == at
    assert await graph.get_state({**T, "checkpoint_id": at}, None) == before
    assert [one["next"] for one in await listed({"limit": 1, "before": at})] == [["first"]]
    inputs = await listed({"limit": 10, "metadata": {"source": "input"}})
    assert [one["next"] for one in inputs] == [["__start__"]]


async def test_a_state_is_changed_as_if_nodes_had_answered() -> None:
    world = World(graphs.steps)
    graph = await world.open()
    place = await graph.update_state(
        T,
        [
            {"updates": [{"values": {"steps": ["a"]}, "as_node": "first"}]},
            {"updates": [{"command": {"update": {"answer": "b"}}, "as_node": "second"}]},
        ],
    )
    state = await graph.get_state(T, None)
    assert place == {
        "thread_id": "t",
        "checkpoint_ns": "",
        "checkpoint_id": state["checkpoint"]["checkpoint_id"],
    }
    assert (state["values"], state["next"]) == ({"steps": ["a"], "answer": "b"}, [])
    with pytest.raises(Exception, match="nobody"):
        await graph.update_state(T, [{"updates": [{"values": {}, "as_node": "nobody"}]}])


async def test_states_of_subgraphs_are_told_where_they_are_asked_for() -> None:
    inner: Any = (
        graphs.building(MessagesState)
        .add_node("inside", lambda _: {"messages": [interrupt("why?")]})
        .add_edge(START, "inside")
        .compile()
    )
    world = World(
        graphs.building(MessagesState).add_node("outer", inner).add_edge(START, "outer").compile()
    )
    await world.play(input={"messages": [{"type": "human", "content": "a", "id": "1"}]})
    graph = await world.open()
    [task] = (await graph.get_state(T, None))["tasks"]
    assert task["state"] is None
    assert task["checkpoint"]["checkpoint_ns"].startswith("outer:")
    [task] = (await graph.get_state(T, {"subgraphs": True}))["tasks"]
    assert task["checkpoint"] is None
    within = task["state"]
    assert within["next"] == ["inside"]
    assert within["values"]["messages"][0]["content"] == "a"
    namespace = within["checkpoint"]["checkpoint_ns"]
    place = {**T, "checkpoint_ns": namespace}
    assert (await graph.get_state(place, None))["next"] == ["inside"]
    update = {"values": {"messages": [{"type": "ai", "content": "b"}]}, "as_node": "inside"}
    written = await graph.update_state(place, [{"updates": [update]}])
    assert written["checkpoint_ns"] == namespace
    assert (await graph.get_state(place, None))["next"] == []


async def test_a_graph_is_opened_on_the_checkpoints_that_it_is_given() -> None:
    world = World(graphs.steps)
    staged = World(graphs.steps).calls.checkpoints
    graph = await world.project.open("graph", {"configurable": T}, staged)
    await graph.update_state(T, [{"updates": [{"values": {"steps": ["a"]}, "as_node": "first"}]}])
    assert staged.records
    assert not world.calls.checkpoints.records
