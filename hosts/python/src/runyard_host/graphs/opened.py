"""A graph of LangGraph, made ready for one use."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateUpdate

from ..port import Calls, Checkpoints, JsonObject
from ..run.ordered_checkpoints import RunCheckpoints
from ..run.run import GraphRun, RunParts
from .config import to_command
from .describe import describe, draw, names_of
from .state import to_place, to_thread_state

MakeCheckpointer = Callable[[Any, Checkpoints, "str | None"], Any]
"""Makes the graph's checkpointer on these checkpoints, for a run or for none."""


@dataclass(frozen=True)
class Memory:
    """The store and checkpointers of graphs, as objects of LangGraph."""

    store: Any
    checkpointer: MakeCheckpointer

    def give(self, graph: Any, checkpoints: Checkpoints, run_id: str | None = None) -> Any:
        """A copy with these: the project's graph may be part of another one, and keeps its own."""
        own = copy.copy(graph)
        own.checkpointer = self.checkpointer(graph, checkpoints, run_id)
        own.store = self.store
        return own


@dataclass(frozen=True)
class Surroundings:
    """What all graphs of a project share."""

    memory: Memory
    calls: Calls
    langsmith: bool
    """Whether runs may say where LangSmith is to keep their traces."""


class OpenedGraph:
    """A compiled graph behind the port."""

    def __init__(
        self,
        graph: Any,
        config: RunnableConfig,
        within: Surroundings,
        *,
        checkpoints: Checkpoints | None = None,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._graph = graph
        self._config = config
        self._within = within
        self._close = close
        self._checkpoints = checkpoints or within.calls.checkpoints

    def _stateful(self, checkpoints: Checkpoints | None = None) -> Any:
        """The graph on these checkpoints, or else on those that it was opened with."""
        return self._within.memory.give(self._graph, checkpoints or self._checkpoints)

    async def names(self) -> JsonObject:
        """``GraphNames``."""
        return names_of(self._graph)

    async def schemas(self) -> JsonObject:
        """``GraphSchemaSet``."""
        return describe(self._graph)

    async def draw(self, xray: bool | int) -> JsonObject:
        """``Drawing``."""
        return await draw(self._graph, self._config, xray)

    async def get_state(
        self,
        place: JsonObject,
        options: JsonObject | None,
        checkpoints: Checkpoints | None = None,
    ) -> JsonObject:
        """``ThreadState`` at a checkpoint, or at the latest of the namespace."""
        subgraphs = bool((options or {}).get("subgraphs"))
        graph = self._stateful(checkpoints)
        snapshot = await graph.aget_state(_config_at(place), subgraphs=subgraphs)
        return to_thread_state(snapshot)

    async def list_states(self, place: JsonObject, query: JsonObject) -> AsyncIterator[JsonObject]:
        """``ThreadState`` objects, the newest first."""
        before = query.get("before")
        history = self._stateful().aget_state_history(
            _config_at(place),
            limit=query["limit"],
            filter=query.get("metadata"),
            before=None if before is None else _config_at({**place, "checkpoint_id": before}),
        )
        async for snapshot in history:
            yield to_thread_state(snapshot)

    async def update_state(self, place: JsonObject, supersteps: list[JsonObject]) -> JsonObject:
        """``StatePlace`` of the last checkpoint that was written."""
        steps = [[_to_update(update) for update in step["updates"]] for step in supersteps]
        config = await self._stateful().abulk_update_state(_config_at(place), steps)
        return to_place(config, place["thread_id"])

    async def run(
        self,
        request: JsonObject,
        checkpoints: Checkpoints,
        on_spans: Callable[[list[JsonObject]], None],
    ) -> GraphRun:
        """
        Begins a run of ``GraphRunRequest``, which writes through these checkpoints, and reports
        ``TimelineSpan`` objects.
        """
        memory, calls = self._within.memory, self._within.calls
        is_new = request.get("is_new_thread", False)
        thread_id = self._config.get("configurable", {}).get("thread_id")
        ordered = RunCheckpoints(checkpoints, thread_id if is_new else None)
        graph = memory.give(self._graph, ordered, request["run_id"])
        parts = RunParts(graph, self._config, calls.on_node, on_spans, self._within.langsmith)
        return GraphRun(parts, request, ordered)

    async def close(self) -> None:
        """Ends the use of the graph."""
        if self._close is not None:
            await self._close()


def _config_at(place: JsonObject) -> RunnableConfig:
    return RunnableConfig(configurable={"checkpoint_ns": "", **place})


def _to_update(update: JsonObject) -> StateUpdate:
    command = update.get("command")
    values = update.get("values") if command is None else to_command(command)
    return StateUpdate(values, update.get("as_node"))  # type: ignore[arg-type]
