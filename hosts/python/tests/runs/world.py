"""Graphs behind the port, with memory for a server."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from uuid import uuid4

from langgraph.store.memory import InMemoryStore

from runyard_host.checkpoints.checkpointer import checkpointer_of
from runyard_host.graphs.opened import Memory, OpenedGraph
from runyard_host.port import Checkpoints, JsonObject, Request, Response
from runyard_host.project.project import Project
from runyard_host.run.run import GraphRun

from ..checkpoints.memory import MemoryCheckpoints


class MemoryCalls:
    """Notes which functions of nodes are called."""

    def __init__(self) -> None:
        self.checkpoints: Any = MemoryCheckpoints()
        self.items: Any = None
        self.cache: Any = None
        self.nodes: list[str | None] = []
        self.places: list[tuple[str | None, str | None, str | None]] = []

    def on_node(self, run_id: str | None, thread_id: str | None, node: str | None) -> None:
        self.nodes.append(node)
        self.places.append((run_id, thread_id, node))

    async def fetch(
        self,
        request: Request,
        body: AsyncIterator[bytes] | None = None,
        *,
        as_project: bool = False,
    ) -> Response:
        raise NotImplementedError


@dataclass
class Told:
    emissions: list[JsonObject]
    end: JsonObject

    def of(self, mode: str) -> list[Any]:
        return [one["payload"] for one in self.emissions if one["mode"] == mode]


@dataclass
class World:
    """One graph, as the project exports it."""

    exported: Any
    more: JsonObject = field(default_factory=dict)
    spans: list[JsonObject] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.calls = MemoryCalls()
        module = ModuleType(f"world_{uuid4().hex}")
        module.graph = self.exported  # type: ignore[attr-defined]
        sys.modules[module.__name__] = module
        spec = {"module": module.__name__, "export": "graph", **self.more}
        memory = Memory(InMemoryStore(), checkpointer_of)
        try:
            self.project = Project(
                {"graphs": {"graph": spec}, "langsmith": True}, self.calls, memory=memory
            )
        finally:
            del sys.modules[module.__name__]

    async def open(self, **config: Any) -> OpenedGraph:
        return await self.project.open("graph", {"configurable": {}, **config})

    async def begin(
        self,
        *,
        thread_id: str = "t",
        config: JsonObject | None = None,
        checkpoints: Checkpoints | None = None,
        **request: Any,
    ) -> GraphRun:
        run_id = request.get("run_id") or str(uuid4())
        configurable = {"thread_id": thread_id, "run_id": run_id}
        given = dict(config or {})
        given["configurable"] = {**configurable, **given.get("configurable", {})}
        graph = await self.project.open("graph", given)
        asked = {
            "run_id": run_id,
            "input": {},
            "context": {},
            "modes": ["values"],
            "subgraphs": False,
            **request,
        }
        return await graph.run(asked, checkpoints or self.calls.checkpoints, self.spans.extend)

    async def play(self, **asking: Any) -> Told:
        return await take_all(await self.begin(**asking))


async def take_all(run: GraphRun) -> Told:
    emissions = [one async for batch in run.emissions() for one in batch]
    return Told(emissions, run.end)
