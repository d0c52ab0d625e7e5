"""One run of a graph of LangGraph.

The graph runs in a task of its own, and its emissions are taken from an outbox: it can run ahead of
a slow reader, but not far. A checkpoint is stored only after all emissions before it are sent.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractContextManager, aclosing, nullcontext
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel

from ..graphs.config import to_command, to_uuid
from ..port import Json, JsonObject
from ..tracing import traced_as_asked
from .emissions import Emission, Emissions, Told, graph_modes
from .ends import control_for, failure_of, is_drained
from .model_calls import ModelCalls
from .node_namespace import Namespace
from .node_work import NodeWork, OnNode, watch_nodes
from .ordered_checkpoints import RunCheckpoints, turns
from .outbox import Outbox
from .spans import Spans
from .transformers import Transformers

_HIDDEN_TAG = "langsmith:hidden"
# How many turns of the event loop it takes until a task's emissions are in the outbox.
_TURNS = 3
_TURNS_OF_EVENTS = 8


@dataclasses.dataclass(frozen=True)
class RunParts:
    """What a run is made with."""

    graph: Any
    """With the run's own checkpointer."""
    config: RunnableConfig
    on_node: OnNode
    on_spans: Callable[[list[JsonObject]], None]
    langsmith: bool = False


class GraphRun:
    """Begins when its first emission is requested."""

    def __init__(self, parts: RunParts, request: JsonObject, checkpoints: RunCheckpoints) -> None:
        self._request = request
        self._modes: list[str] = request["modes"]
        self._graph = parts.graph
        self._config = parts.config
        self._langsmith = parts.langsmith
        checkpoints.order = self
        self._loop = asyncio.get_running_loop()
        self._outbox: Outbox[Told] = Outbox()
        self._calls = ModelCalls(self._on_model_end) if "model_ends" in self._modes else None
        self._read = Emissions(
            self._modes,
            subgraphs=request["subgraphs"],
            is_written=self._calls.is_written if self._calls else None,
        )
        thread_id = parts.config.get("configurable", {}).get("thread_id")
        thread_id = None if thread_id is None else str(thread_id)
        self._work = NodeWork(request["run_id"], thread_id, parts.on_node)
        self._spans = Spans(parts.on_spans)
        is_transformed = "transformers" in self._modes
        self._transformers = Transformers.of(parts.graph) if is_transformed else None
        self._control = control_for(parts.graph)
        self._task: asyncio.Task[None] | None = None
        self._end: JsonObject = {"kind": "stopped"}
        watch_nodes()

    @property
    def transforms(self) -> bool:
        """Whether the graph's own stream transformers take part."""
        return self._transformers is not None

    @property
    def drains(self) -> bool:
        """Whether the graph can be asked to stop before a step."""
        return self._control is not None

    @property
    def end(self) -> JsonObject:
        """``GraphEnd``, once the emissions are over."""
        return self._end

    @property
    def is_stopping(self) -> bool:
        """Whether the run is to stop."""
        return self._work.is_stopping

    async def emissions(self) -> AsyncIterator[list[Emission]]:
        """Batches, the next when the last was sent. Over once no function of a node is running."""
        if not self.is_stopping:
            self._task = asyncio.create_task(self._drive())
            self._task.add_done_callback(lambda _: self._outbox.wake())
        try:
            while self._task is not None:
                is_over = self._task.done()
                taken = [] if is_over and self._outbox.is_empty else await self._outbox.take()
                if taken:
                    if self._transformers:
                        self._transformers.note([payload for _, payload in taken])
                    yield [emission for emission, _ in taken]
                    self._outbox.sent(len(taken))
                elif is_over:
                    return
        finally:
            self._outbox.leave()

    def stop(self) -> None:
        """Ends emissions, except for ``model_ends``; it is over once its nodes have ended."""
        if self.is_stopping:
            return
        self._work.is_stopping = True
        if self._task is not None:
            self._task.cancel()

    def drain(self) -> None:
        """Asks the graph to stop before its next step."""
        if self._control is not None:
            self._control.request_drain()

    async def settled(self) -> None:
        """Returns once all emissions of the graph until now are handed out and sent."""
        await turns(_TURNS_OF_EVENTS if "events" in self._modes else _TURNS)
        await self._outbox.settled()

    async def on_events(self, events: list[JsonObject], of: int | None) -> list[Json]:
        """``Transformed``: the events to emit in place of these."""
        if self._transformers is None:
            return list(range(len(events)))
        return await self._transformers.on_events(events, of)

    async def finish(self) -> list[JsonObject]:
        """The last ``MadeEvent`` objects."""
        return await self._transformers.finish() if self._transformers else []

    async def fail(self, error: JsonObject) -> list[JsonObject]:
        """The same for a run that failed or was stopped."""
        return await self._transformers.fail(error) if self._transformers else []

    async def _drive(self) -> None:
        end: JsonObject = {"kind": "completed"}
        try:
            with self._work.watch(), self._traced():
                await self._iterate()
        except asyncio.CancelledError as error:
            end = {"kind": "failed", "failure": failure_of(error)}
        except GeneratorExit:
            raise
        # A node may raise what is no ``Exception``: ``KeyboardInterrupt``, or a class of its own.
        except BaseException as error:
            if not self.is_stopping:
                self._add(self._read.rest())
            end = self._end_by(error)
        await self._work_ended()
        self._spans.flush()
        self._end = {"kind": "stopped"} if self.is_stopping else end

    def _end_by(self, error: BaseException) -> JsonObject:
        if is_drained(error):
            return {"kind": "drained"}
        refuses = getattr(self._graph.checkpointer, "has_refused_answer", False)
        return {"kind": "failed", "failure": failure_of(error, refuses_answer=refuses)}

    async def _iterate(self) -> None:
        async with aclosing(self._open()) as chunks:
            async for namespace, mode, payload in chunks:
                if self.is_stopping:
                    return
                self._add(self._read.read(namespace, mode, payload))
                if not self._outbox.has_room:
                    await self._outbox.room()
        if not self.is_stopping:
            self._add(self._read.end())

    async def _work_ended(self) -> None:
        """Waits for running nodes, however often the task is cancelled."""
        ended = asyncio.create_task(self._work.ended())
        while not ended.done():
            try:
                await asyncio.shield(ended)
            except asyncio.CancelledError:
                continue

    def _add(self, told: list[Told]) -> None:
        # Only transformers need the graph's own objects.
        self._outbox.add(told if self._transformers else [(one, None) for one, _ in told])

    async def _open(self) -> AsyncGenerator[tuple[Namespace, str, Any]]:
        request = self._request
        command = request.get("command")
        input_ = to_command(command) if command else request.get("input")
        options = self._options()
        config = self._runnable_config()
        if "events" in self._modes:
            stream = self._events(input_, config, options)
        else:
            stream = self._graph.astream(input_, config, **options)
        has_namespaces = options["subgraphs"]
        async with aclosing(stream) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, _Event):
                    yield (), "events", chunk.event
                elif has_namespaces:
                    yield chunk
                else:
                    yield (), *chunk

    async def _events(
        self, input_: Any, config: Any, options: dict[str, Any]
    ) -> AsyncGenerator[Any]:
        """LangChain's callback events, which include the chunks of the graph's own stream."""
        run_id = self._request["run_id"]
        stream = self._graph.astream_events(input_, config, version="v2", **options)
        async with aclosing(stream) as events:
            async for event in events:
                if _HIDDEN_TAG in event.get("tags", ()):
                    continue
                if event["event"] == "on_chain_stream" and event["run_id"] == run_id:
                    yield event["data"]["chunk"]
                else:
                    yield _Event(event)

    def _runnable_config(self) -> RunnableConfig:
        config = RunnableConfig(**self._config)
        run_id = to_uuid(self._request["run_id"])
        if run_id is not None:
            config["run_id"] = run_id
        config["callbacks"] = self._callbacks()
        return config

    def _callbacks(self) -> list[BaseCallbackHandler]:
        callbacks: list[BaseCallbackHandler] = [self._spans]
        if self._calls:
            callbacks.append(self._calls)
        if "tools" in self._modes and self._read.is_at_nodes:
            callbacks.append(self._read.tool_places)
        return callbacks

    def _options(self) -> dict[str, Any]:
        request = self._request
        given = {
            "stream_mode": graph_modes(self._modes),
            "subgraphs": request["subgraphs"] or "lifecycle" in self._modes,
            "context": _context_for(self._graph, request.get("context")),
            "interrupt_before": request.get("interrupt_before"),
            "interrupt_after": request.get("interrupt_after"),
            "durability": request.get("durability"),
            "control": self._control,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _traced(self) -> AbstractContextManager[None]:
        if not self._langsmith:
            return nullcontext()
        return traced_as_asked(self._config)

    def _on_model_end(self, end: JsonObject) -> None:
        """Called in the thread of the model."""
        emission = {"namespace": [], "mode": "model_ends", "payload": end}
        self._loop.call_soon_threadsafe(self._add, [(emission, None)])


@dataclasses.dataclass(frozen=True, slots=True)
class _Event:
    event: Any


def _context_for(graph: Any, context: Json) -> Json:
    """
    Replaces an empty context by the graph's own schema with its defaults, or by ``None``. LangGraph
    makes any other context an object of the schema.
    """
    if context != {}:
        return context
    schema = getattr(graph, "context_schema", None)
    is_class = isinstance(schema, type) and (
        dataclasses.is_dataclass(schema) or issubclass(schema, BaseModel)
    )
    if not is_class or schema is None:
        return None
    try:
        return schema()
    except Exception:
        return None
