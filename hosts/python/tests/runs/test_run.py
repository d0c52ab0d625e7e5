"""How a run goes on, stops and ends."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from langgraph.func import entrypoint, task
from langgraph.graph import START
from langgraph.types import Command, StreamWriter
from langsmith.run_helpers import get_tracing_context

from runyard_host.errors import AppError, DatabaseAway
from runyard_host.place import current_place
from runyard_host.port import JsonObject

from ..checkpoints.memory import MemoryCheckpoints
from . import graphs
from .world import World, take_all


def one_node(node: Any) -> Any:
    return graphs.building().add_node("node", node).add_edge(START, "node").compile()


async def test_interrupts_are_answered_one_by_one_by_their_ids() -> None:
    world = World(graphs.asking)
    asked = await world.play(modes=["updates"])
    open_ = [one for update in asked.of("updates") for one in update.get("__interrupt__", [])]
    assert sorted(str(one["value"]) for one in open_) == ["also?", "{'question': 'sure?'}"]
    ids = {str(one["value"]): one["id"] for one in open_}
    await world.play(command={"resume": {ids["also?"]: "yes"}})
    state = await (await world.open()).get_state({"thread_id": "t"}, None)
    assert [one["value"] for one in state["interrupts"]] == [{"question": "sure?"}]
    last = await world.play(command={"resume": "of course"})
    assert last.of("values")[-1] == {"steps": ["before", "yes", "ask"], "answer": "of course"}


async def test_a_command_updates_and_goes_elsewhere() -> None:
    world = World(graphs.steps)
    await world.play()
    told = await world.play(command={"update": [["answer", "a"]], "goto": "second"})
    assert told.of("values")[-1] == {"steps": ["first", "second", "second"], "answer": "a"}
    sent = await world.play(command={"goto": [{"node": "first", "input": {}}]})
    assert sent.of("values")[-1]["steps"][3:] == ["first", "second"]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_breakpoints_stop_a_run_which_goes_on_without_input(durability: str) -> None:
    world = World(graphs.steps)
    stopped = await world.play(
        interrupt_before=["second"], durability=durability, modes=["values", "updates"]
    )
    assert stopped.end == {"kind": "completed"}
    assert stopped.of("updates")[-1] == {"__interrupt__": []}
    on = await world.play(input=None, durability=durability)
    assert on.of("values")[-1] == {"steps": ["first", "second"]}
    assert len(world.calls.checkpoints.records) == (2 if durability == "exit" else 4)


async def test_a_run_forks_from_an_older_checkpoint() -> None:
    world = World(graphs.steps)
    await world.play()
    graph = await world.open()
    states = [one async for one in graph.list_states({"thread_id": "t"}, {"limit": 10})]
    at = next(one["checkpoint"]["checkpoint_id"] for one in states if one["next"] == ["second"])
    config = {"configurable": {"checkpoint_id": at, "checkpoint_ns": ""}}
    told = await world.play(input=None, config=config)
    assert told.of("values")[-1] == {"steps": ["first", "second"]}
    now = [one async for one in graph.list_states({"thread_id": "t"}, {"limit": 10})]
    forks = [one for one in now if one["metadata"]["source"] == "fork"]
    assert [one["parent_checkpoint"]["checkpoint_id"] for one in forks] == [at]


async def test_a_run_that_goes_on_too_long_fails() -> None:
    told = await World(graphs.steps).play(config={"recursion_limit": 1})
    assert told.end["failure"]["error"] == "GraphRecursionError"


async def test_the_config_reaches_the_nodes() -> None:
    seen: dict[str, Any] = {}

    def node(_: Any, config: Any, runtime: Any) -> Any:
        seen.update(config=config, runtime=runtime, place=current_place())
        return {}

    node.__annotations__ = {}
    run_id = "00000000-0000-0000-0000-000000000001"
    await World(one_node(node)).play(
        run_id=run_id,
        context={"tone": "kind"},
        config={
            "tags": ["one"],
            "metadata": {"from": "test"},
            "run_name": "called",
            "max_concurrency": 2,
            "configurable": {"tenant": "acme", "langgraph_auth_user": {"identity": "ann"}},
        },
    )
    config, runtime = seen["config"], seen["runtime"]
    assert config["configurable"]["tenant"] == "acme"
    assert config["metadata"]["from"] == "test"
    assert "one" in config["tags"]
    assert runtime.context == {"tone": "kind"}
    assert runtime.server_info.user.identity == "ann"
    assert runtime.server_info.user["identity"] == "ann"
    assert seen["place"].fields() == {"run_id": run_id, "thread_id": "t", "node": "node"}


async def test_every_function_of_a_node_is_named_as_it_is_called() -> None:
    world = World(graphs.nested)
    await world.play(input={"messages": [{"type": "human", "content": "a"}]})
    assert sorted(str(node) for node in world.calls.nodes) == ["one", "talk", "three"]
    assert {thread for _, thread, _ in world.calls.places} == {"t"}


async def test_what_chooses_the_next_node_is_no_node() -> None:
    world = World(graphs.wide)
    await world.play()
    assert world.calls.nodes == ["leaf"] * 5


async def test_the_functional_api_runs_and_is_watched() -> None:
    @task
    def double(x: int) -> int:
        return 2 * x

    @entrypoint()
    async def flow(x: int) -> int:
        return await double(x) + 1

    world = World(flow)
    told = await world.play(input=3, modes=["values", "updates"])
    assert told.of("values") == [7]
    assert told.of("updates") == [{"double": 6}, {"flow": 7}]
    assert world.calls.nodes == ["flow", "double"]


class Gate:
    """An asynchronous node that waits until it is cancelled."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.released = asyncio.Event()

    async def __call__(self, _: Any) -> Any:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            await self.released.wait()
        return {"steps": ["late"]}


@pytest.mark.parametrize("modes", [["values"], ["values", "updates", "custom"]])
async def test_a_stopped_run_is_over_once_its_nodes_have_ended(modes: list[str]) -> None:
    gate = Gate()

    async def wait(state: Any) -> Any:
        return await gate(state)

    async def after(_: Any) -> Any:
        raise AssertionError

    graph = (
        graphs.building()
        .add_node("wait", wait)
        .add_node("after", after)
        .add_edge(START, "wait")
        .add_edge("wait", "after")
        .compile()
    )
    world = World(graph)
    run = await world.begin(modes=modes)
    taken = asyncio.create_task(take_all(run))
    await gate.begun.wait()
    run.stop()
    run.stop()
    await gate.cancelled.wait()
    await asyncio.sleep(0)
    assert not taken.done()
    gate.released.set()
    told = await taken
    assert told.end == {"kind": "stopped"}
    assert "late" not in str(told.emissions)
    state = await (await world.open()).get_state({"thread_id": "t"}, None)
    assert state["next"] == ["wait"]
    assert state["tasks"][0]["error"] is None
    assert world.calls.nodes == ["wait"]


async def test_a_function_in_a_thread_is_waited_for() -> None:
    begun, released = threading.Event(), threading.Event()

    def node(_: Any) -> Any:
        begun.set()
        released.wait(10)
        return {"steps": ["late"]}

    run = await World(one_node(node)).begin()
    taken = asyncio.create_task(take_all(run))
    await asyncio.to_thread(begun.wait, 10)
    run.stop()
    for _ in range(50):
        await asyncio.sleep(0)
    assert not taken.done()
    released.set()
    assert (await taken).end == {"kind": "stopped"}


async def test_a_run_that_is_stopped_before_it_begins_calls_nothing() -> None:
    world = World(graphs.steps)
    run = await world.begin()
    run.stop()
    told = await take_all(run)
    assert (told.emissions, told.end, world.calls.nodes) == ([], {"kind": "stopped"}, [])


async def test_nodes_beside_each_other_are_all_cancelled() -> None:
    gates = [Gate(), Gate()]
    graph = graphs.building()
    for at, gate in enumerate(gates):

        async def wait(state: Any, gate: Gate = gate) -> Any:
            return await gate(state)

        graph.add_node(f"wait{at}", wait).add_edge(START, f"wait{at}")
    run = await World(graph).begin()
    taken = asyncio.create_task(take_all(run))
    for gate in gates:
        await gate.begun.wait()
        gate.released.set()
    run.stop()
    assert (await taken).end == {"kind": "stopped"}
    assert all(gate.cancelled.is_set() for gate in gates)


async def test_sys_exit_in_a_node_ends_its_own_run_only() -> None:
    async def leave(_: Any) -> Any:
        raise SystemExit(3)

    def leave_in_a_thread(_: Any) -> Any:
        raise SystemExit(3)

    for node in (leave, leave_in_a_thread):
        told = await World(one_node(node)).play()
        assert told.end["failure"]["error"] == "NodeExit"


class Refusing(MemoryCheckpoints):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def put(self, *_: Any) -> None:
        raise self.error


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_the_database_is_to_blame_where_it_is(durability: str) -> None:
    checkpoints = Refusing(DatabaseAway("The database cannot be reached."))
    told = await World(graphs.steps).play(checkpoints=checkpoints, durability=durability)
    assert told.end["kind"] == "failed"
    assert told.end["failure"]["kind"] == "database_away"
    checkpoints = Refusing(AppError("conflict", "The run is not ours any more."))
    told = await World(graphs.steps).play(checkpoints=checkpoints)
    assert told.end["failure"]["kind"] == "graph"


class Noted(MemoryCheckpoints):
    def __init__(self, order: list[str]) -> None:
        super().__init__()
        self.order = order

    async def put(self, checkpoint: JsonObject, *rest: Any) -> None:
        self.order.append("put")
        await super().put(checkpoint, *rest)

    async def put_writes(self, key: JsonObject, writes: list[JsonObject]) -> None:
        self.order.append("put_writes")
        await super().put_writes(key, writes)


@pytest.mark.parametrize("durability", ["sync", "async"])
async def test_what_was_emitted_before_a_write_is_sent_before_it(durability: str) -> None:
    order: list[str] = []
    run = await World(graphs.steps).begin(
        modes=["custom", "updates"], durability=durability, checkpoints=Noted(order)
    )
    async for batch in run.emissions():
        for _ in range(20):
            # However long it takes to send it.
            await asyncio.sleep(0)
        order += [f"{one['mode']} {next(iter(one['payload'].values()))}" for one in batch]
    told = [one for one in order if one not in ("put", "put_writes")]
    assert told == [
        "custom first",
        "updates {'steps': ['first']}",
        "custom second",
        "updates {'steps': ['second']}",
    ]
    kept = [at for at, one in enumerate(order) if one == "put_writes"]
    for node, at in zip(("first", "second"), kept[-2:], strict=True):
        assert order.index(f"updates {{'steps': ['{node}']}}") < at
    puts = [at for at, one in enumerate(order) if one == "put"]
    assert order.index("updates {'steps': ['second']}") < puts[-1]


async def test_a_slow_reader_holds_the_graph_back_within_bounds() -> None:
    made = 0

    async def node(_: Any, writer: Any) -> Any:
        nonlocal made
        for made in range(1, 5_000):
            writer(made)
            await asyncio.sleep(0)
        return {}

    node.__annotations__ = {"writer": StreamWriter}
    graph = (
        graphs.building()
        .add_node("node", node)
        .add_node("again", node)
        .add_edge(START, "node")
        .add_edge("node", "again")
        .compile()
    )
    world = World(graph)
    run = await world.begin(modes=["custom", "updates"])
    batches = run.emissions()
    taken = list(await anext(batches))
    for _ in range(20_000):
        await asyncio.sleep(0)
    assert world.calls.nodes == ["node"]
    taken += [one async for batch in batches for one in batch]
    assert [one["payload"] for one in taken if one["mode"] == "custom"] == [*range(1, 5_000)] * 2
    assert run.end == {"kind": "completed"}


@pytest.mark.parametrize("durability", ["sync", "async"])
async def test_a_run_that_waits_for_its_reader_can_be_stopped(durability: str) -> None:
    async def node(_: Any, writer: Any) -> Any:
        for at in range(1_000):
            writer(at)
        return {}

    node.__annotations__ = {"writer": StreamWriter}
    run = await World(one_node(node)).begin(modes=["custom", "values"], durability=durability)
    batches = run.emissions()
    assert await anext(batches)
    for _ in range(1_000):
        await asyncio.sleep(0)
    run.stop()
    async for _ in batches:
        pass
    assert run.end == {"kind": "stopped"}


async def test_a_run_that_nobody_reads_any_more_ends_by_itself() -> None:
    world = World(graphs.steps)
    run = await world.begin(durability="sync")
    batches = run.emissions()
    await anext(batches)
    await batches.aclose()  # type: ignore[attr-defined]
    for _ in range(10_000):
        if world.calls.nodes == ["first", "second"]:
            return
        await asyncio.sleep(0.001)
    raise AssertionError


async def test_what_a_command_of_a_node_says_is_done() -> None:
    def go(_: Any) -> Any:
        return Command(goto="second", update={"answer": "gone"})

    graph = (
        graphs.building()
        .add_node("go", go, destinations=("second",))
        .add_node("second", lambda _: {"steps": ["second"]})
        .add_edge(START, "go")
        .compile()
    )
    told = await World(graph).play()
    assert told.of("values")[-1] == {"steps": ["second"], "answer": "gone"}


async def test_a_run_may_say_which_project_of_langsmith_it_is_for() -> None:
    seen: list[Any] = []

    async def node(_: Any) -> Any:
        seen.append(get_tracing_context()["replicas"])
        return {}

    asked = {"langsmith_project": "evaluations", "langsmith_example_id": "e"}
    await World(one_node(node)).play(config={"configurable": asked})
    await World(one_node(node)).play()
    assert [one["project_name"] for one in seen[0]] == ["evaluations", "default"]
    assert seen[0][0]["updates"] == {"reference_example_id": "e"}
    assert seen[1] is None


class _Wordless(Exception):  # noqa: N818 - what a project may call it
    def __str__(self) -> str:
        raise RuntimeError("no words")


class _Base(BaseException):
    pass


@pytest.mark.parametrize(
    ("thrown", "message"),
    [(_Wordless(), "<exception str() failed>"), (_Base("a base"), "a base")],
)
async def test_whatever_a_node_raises_is_why_its_run_has_failed(
    thrown: BaseException, message: str
) -> None:
    async def node(_: Any) -> None:
        raise thrown

    end = (await World(one_node(node)).play()).end
    assert end["kind"] == "failed"
    assert end["failure"]["error"] == type(thrown).__name__
    assert end["failure"]["message"] == message


class NoFirstLook(MemoryCheckpoints):
    """Refuses to look for a checkpoint before there is one."""

    async def get(self, at: JsonObject) -> JsonObject | None:
        assert self.records, "no run has put a checkpoint yet"
        return await super().get(at)


async def test_a_new_thread_is_known_to_have_no_checkpoint() -> None:
    world, checkpoints = World(graphs.steps), NoFirstLook()
    told = await world.play(checkpoints=checkpoints, is_new_thread=True)
    assert told.end == {"kind": "completed"}
    again = await world.play(checkpoints=checkpoints)
    assert len(again.of("values")[-1]["steps"]) > len(told.of("values")[-1]["steps"])
