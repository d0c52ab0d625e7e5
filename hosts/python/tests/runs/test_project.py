"""What a project may export as a graph, and what is said of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph
from langgraph_sdk.runtime import ServerRuntime
from pydantic import BaseModel
from typing_extensions import TypedDict

from runyard_host.errors import AppError

from . import graphs
from .world import World, take_all


def build(word: str = "made") -> Any:
    return graphs.building().add_node("tell", lambda _: {"answer": word}).add_edge(START, "tell")


def configured(config: RunnableConfig) -> Any:
    return build(config["configurable"]["word"])


async def of_the_runtime(runtime: ServerRuntime[Any]) -> Any:
    run = runtime.execution_runtime
    assert runtime.store is not None
    return build(f"{runtime.access_context} {run.context if run else None}").compile()


def of_both(config: RunnableConfig, runtime: ServerRuntime) -> Any:  # type: ignore[type-arg]
    return build(f"{config['configurable']['word']} {runtime.ensure_user().identity}")


def with_defaults(given: RunnableConfig | None = None, word: str = "default") -> Any:
    assert given is not None
    return build(f"{given['configurable']['word']} {word}")


class Maker:
    async def __call__(self, config: Any) -> Any:
        return build(config["configurable"]["word"])


@pytest.mark.parametrize(
    ("exported", "answer"),
    [
        (build().compile(), "made"),
        (build(), "made"),
        (build, "made"),
        (lambda: build().compile(), "made"),
        (configured, "hello"),
        (with_defaults, "hello default"),
        (Maker(), "hello"),
        (of_the_runtime, "threads.create_run {'tone': 'kind'}"),
        (of_both, "hello ann"),
    ],
)
async def test_graphs_come_in_many_forms(exported: Any, answer: str) -> None:
    world = World(exported)
    config = {"configurable": {"word": "hello", "langgraph_auth_user": {"identity": "ann"}}}
    given: Any = {**config, "context": {"tone": "kind"}}
    told = await world.play(config=given)
    assert told.of("values")[-1]["answer"] == answer
    assert world.project.graphs[0]["hasFactory"] is (
        not hasattr(exported, "add_node") and not hasattr(exported, "nodes")
    )


async def test_a_context_is_left_when_the_graph_is_used_no_more() -> None:
    noted: list[str] = []
    tasks: list[Any] = []

    @asynccontextmanager
    async def managed() -> AsyncIterator[Any]:
        tasks.append(asyncio.current_task())
        noted.append("entered")
        yield build("asynchronous").compile()
        tasks.append(asyncio.current_task())
        noted.append("left")

    @contextmanager
    def plain() -> Iterator[Any]:
        noted.append("entered")
        yield build("plain")
        noted.append("left")

    for factory in (managed, plain):
        noted.clear()
        world = World(factory)
        graph = await world.open()
        assert noted == ["entered"]
        asked = {"run_id": "r", "input": {}, "context": {}, "modes": ["values"], "subgraphs": False}
        configured = await world.project.open("graph", {"configurable": {"thread_id": "t"}})
        told = await take_all(
            await configured.run(asked, world.calls.checkpoints, world.spans.extend)
        )
        assert told.end == {"kind": "completed"}
        await configured.close()
        await graph.close()
        await graph.close()
        assert noted == ["entered", "entered", "left", "left"]
    assert len(set(tasks)) == 2


async def test_what_a_factory_raises_is_raised_by_opening() -> None:
    @asynccontextmanager
    async def managed() -> AsyncIterator[Any]:
        raise ValueError("not now")
        yield

    def plain() -> Any:
        raise ValueError("not now")

    for factory in (managed, plain):
        with pytest.raises(ValueError, match="not now"):
            await World(factory).open()
    with pytest.raises(AppError, match="answered None, which is no graph"):
        await World(lambda: None).open()
    with pytest.raises(AppError) as caught:
        await World(graphs.steps).project.open("none", {"configurable": {}})
    assert caught.value.code == "not_found"


def test_what_is_no_graph_is_refused_with_a_reason() -> None:
    refused: list[tuple[Any, str]] = [
        ({"nodes": []}, "is a dict, which is no graph"),
        (None, "is None, which is no graph"),
        (StateGraph(graphs.Steps).add_node("alone", lambda _: {}), "cannot be compiled"),
    ]
    for exported, words in refused:
        with pytest.raises(AppError, match=words) as caught:
            World(exported)
        assert caught.value.code == "bad_request"
        assert 'Graph "graph"' in str(caught.value)


class AsTypedDict(TypedDict, total=False):
    tone: str


@dataclass
class AsDataclass:
    tone: str = "kind"
    level: int = 1


class AsModel(BaseModel):
    tone: str


@pytest.mark.parametrize(
    ("schema", "keys", "given", "seen"),
    [
        (None, None, {}, None),
        (AsTypedDict, ["tone"], {"tone": "a"}, {"tone": "a"}),
        (AsTypedDict, ["tone"], {}, None),
        (AsDataclass, ["tone", "level"], {}, AsDataclass()),
        (AsDataclass, ["tone", "level"], {"tone": "b"}, AsDataclass("b")),
        (AsModel, ["tone"], {"tone": "c"}, AsModel(tone="c")),
        (AsModel, ["tone"], {}, None),
    ],
)
async def test_a_context_is_what_the_graph_says(
    schema: Any, keys: Any, given: Any, seen: Any
) -> None:
    noted = []

    def note(_: Any, runtime: Any) -> Any:
        noted.append(runtime.context)
        return {}

    note.__annotations__ = {}
    builder: Any = StateGraph(graphs.Steps, context_schema=schema)
    world = World(builder.add_node("note", note).add_edge(START, "note").compile())
    assert world.project.graphs[0].get("contextKeys") == keys
    assert (await world.play(context=given)).end == {"kind": "completed"}
    assert noted == [seen]
    schemas = (await (await world.open()).schemas())["graph"]
    assert schemas["config_schema"] == schemas["context_schema"]
    assert list(schemas["context_schema"].get("properties", {})) == (keys or [])


async def test_a_context_that_does_not_fit_fails_the_run() -> None:
    builder: Any = StateGraph(graphs.Steps, context_schema=AsModel)
    graph = builder.add_node("node", lambda _: {}).add_edge(START, "node").compile()
    told = await World(graph).play(context={"other": 1})
    assert told.end["failure"]["error"] == "ValidationError"


async def test_a_graph_says_what_it_consists_of() -> None:
    world = World(graphs.nested, {"description": "Has one within.", "config": {"tags": ["a"]}})
    assert world.project.graphs == [
        {
            "graph_id": "graph",
            "description": "Has one within.",
            "hasFactory": False,
            "config": {"tags": ["a"]},
        }
    ]
    graph = await world.open()
    names = await graph.names()
    assert names["nodes"] == ["__start__", "one", "two", "three"]
    assert (names["values"], names["input"]) == (["messages"], ["messages"])
    assert "messages" in names["channels"]
    schemas = await graph.schemas()
    assert list(schemas["subgraphs"]) == ["two"]
    for name in ("state_schema", "input_schema", "output_schema"):
        assert "messages" in schemas["graph"][name]["properties"]
        assert "messages" in schemas["subgraphs"]["two"][name]["properties"]


async def test_a_graph_is_drawn_as_deep_as_asked() -> None:
    graph = await World(graphs.nested).open()
    flat = await graph.draw(False)
    assert [one["id"] for one in flat["nodes"]] == ["__start__", "one", "two", "three", "__end__"]
    assert {"source": "__start__", "target": "one"} in flat["edges"]
    for xray in (True, 1):
        deep = await graph.draw(xray)
        assert "two:talk" in [one["id"] for one in deep["nodes"]]


async def test_a_function_of_the_functional_api_is_described() -> None:
    @entrypoint()
    async def flow(x: int) -> str:
        return str(x)

    graph = await World(flow).open()
    names = await graph.names()
    assert (names["nodes"], names["values"], "input" in names) == (["flow"], [], False)
    schemas = (await graph.schemas())["graph"]
    assert schemas["input_schema"]["type"] == "integer"
    assert schemas["output_schema"]["type"] == "string"
