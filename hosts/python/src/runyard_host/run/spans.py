"""Spans of nodes, models and tools, from LangChain's callbacks, for the timeline."""

from __future__ import annotations

import asyncio
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.errors import GraphBubbleUp

from ..port import JsonObject
from ..wire_json import to_wire_text

# As `TIMELINE_LIMITS` of the agent server.
_CHARS = 8_192
_CUT_OFF = " …"
_HIDDEN_TAG = "langsmith:hidden"
# How long a change may wait for the next one, in seconds.
_DELAY = 0.1


class Spans(BaseCallbackHandler):
    """
    Gets the callbacks in any thread. Changes that follow each other soon are reported together;
    ``flush`` reports the rest.
    """

    run_inline = True
    ignore_retriever = True

    def __init__(self, on_spans: Callable[[list[JsonObject]], None]) -> None:
        self._on_spans = on_spans
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._open: dict[UUID, JsonObject] = {}
        self._changed: dict[str, JsonObject] = {}
        self._is_planned = False

    def flush(self) -> None:
        """Reports all changes that are not reported yet; on the event loop's thread."""
        with self._lock:
            changed, self._changed = self._changed, {}
            self._is_planned = False
        if changed:
            self._on_spans(list(changed.values()))

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A node begins, or a part of one, which is ignored."""
        del serialized, inputs
        name = kwargs.get("name")
        if name is None or name != (metadata or {}).get("langgraph_node"):
            return
        if tags and _HIDDEN_TAG in tags:
            return
        self._begin(run_id, _span(run_id, "node", name, metadata))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_kwargs: Any) -> None:
        """The node has ended."""
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_kwargs: Any) -> None:
        """The node has failed, or interrupts."""
        self._fail(run_id, error)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[Any]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A model that gets messages."""
        span = _model_span(run_id, serialized, metadata, kwargs)
        if run_id in self._open:
            return
        self._begin(run_id, span | {"input": _tail(messages[0] if messages else [])})

    def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A model that gets a text."""
        span = _model_span(run_id, serialized, metadata, kwargs)
        self._begin(run_id, span | {"input": _text(prompts[0] if prompts else "")})

    def on_llm_new_token(self, token: Any, *, run_id: UUID, **_kwargs: Any) -> None:
        """Notes when the first token came."""
        span = self._open.get(run_id)
        if span is not None and "first_token_at" not in span:
            self._change(run_id, {"first_token_at": _now()})

    def on_llm_end(self, response: Any, *, run_id: UUID, **_kwargs: Any) -> None:
        """The model has answered."""
        self._end(run_id, _answer(response))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_kwargs: Any) -> None:
        """The model has failed."""
        self._fail(run_id, error)

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A tool is called."""
        name = kwargs.get("name") or (serialized or {}).get("name") or "tool"
        span = _span(run_id, "tool", name, metadata)
        span["input"] = _cut(input_str) if inputs is None else _text(inputs)
        if tool_call_id := kwargs.get("tool_call_id"):
            span["tool_call_id"] = str(tool_call_id)
        self._begin(run_id, span)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_kwargs: Any) -> None:
        """The tool has answered."""
        self._end(run_id, {"output": _text(output)})

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_kwargs: Any) -> None:
        """The tool has failed."""
        self._fail(run_id, error)

    def _begin(self, run_id: UUID, span: JsonObject) -> None:
        self._open[run_id] = span
        self._tell(span)

    def _change(self, run_id: UUID, more: JsonObject) -> None:
        span = self._open.get(run_id)
        if span is None:
            return
        changed = span | more
        if changed["ended_at"] is None:
            self._open[run_id] = changed
        else:
            self._open.pop(run_id, None)
        self._tell(changed)

    def _end(self, run_id: UUID, more: JsonObject | None = None) -> None:
        self._change(run_id, {"status": "success", "ended_at": _now()} | (more or {}))

    def _fail(self, run_id: UUID, error: BaseException) -> None:
        if run_id in self._open:
            self._end(run_id, _failure(error))

    def _tell(self, span: JsonObject) -> None:
        with self._lock:
            self._changed[span["span_id"]] = span
            if self._is_planned:
                return
            self._is_planned = True
        self._loop.call_soon_threadsafe(self._loop.call_later, _DELAY, self.flush)


def _now() -> int:
    return time.time_ns() // 1_000_000


def _span(run_id: UUID, kind: str, name: str, metadata: Mapping[str, Any] | None) -> JsonObject:
    found = metadata or {}
    place, step = found.get("langgraph_checkpoint_ns"), found.get("langgraph_step")
    return {
        "span_id": str(run_id),
        "kind": kind,
        "name": str(name),
        "namespace": place.split("|") if isinstance(place, str) and place else [],
        "step": step if isinstance(step, int) else None,
        "started_at": _now(),
        "ended_at": None,
        "status": "running",
    }


def _model_span(
    run_id: UUID,
    serialized: Mapping[str, Any] | None,
    metadata: Mapping[str, Any] | None,
    kwargs: Mapping[str, Any],
) -> JsonObject:
    class_ = ((serialized or {}).get("id") or ["model"])[-1]
    span = _span(run_id, "model", kwargs.get("name") or class_, metadata)
    asked = (metadata or {}).get("ls_model_name")
    return span | {"model": asked} if isinstance(asked, str) else span


def _answer(response: Any) -> JsonObject:
    generations = getattr(response, "generations", None) or [[]]
    if not generations[0]:
        return {}
    first = generations[0][0]
    message = getattr(first, "message", None)
    told: JsonObject = {"output": _text(first.text if message is None else message)}
    counted = getattr(message, "usage_metadata", None) or {}
    for name in ("input_tokens", "output_tokens"):
        if isinstance(counted.get(name), int):
            told[name] = counted[name]
    return told


def _failure(error: BaseException) -> JsonObject:
    # LangGraph ends nodes by raising when they interrupt, or hand over to a graph above.
    if isinstance(error, GraphBubbleUp):
        interrupts = error.args[0] if error.args else None
        if isinstance(interrupts, list | tuple) and type(error).__name__ != "ParentCommand":
            return {"status": "interrupted", "interrupts": _text(list(interrupts))}
        return {}
    if isinstance(error, asyncio.CancelledError):
        return {"status": "interrupted"}
    stack = "".join(traceback.format_exception(error))
    told = {"error": type(error).__name__, "message": _cut(str(error)), "stack": _end_of(stack)}
    return {"status": "error", "error": told}


def _tail(messages: Sequence[Any]) -> str:
    """The last messages, as many as there is room for."""
    texts: list[str] = []
    room = _CHARS
    for message in reversed(messages):
        text = _text(message)
        room -= len(text)
        if room < 0 and texts:
            break
        texts.insert(0, text)
    if omitted := len(messages) - len(texts):
        texts.insert(0, f'{{"type":"omitted","count":{omitted}}}')
    return "[" + ",".join(texts) + "]"


def _text(value: Any) -> str:
    return _cut(to_wire_text(value))


def _cut(text: str) -> str:
    return text if len(text) <= _CHARS else text[:_CHARS] + _CUT_OFF


def _end_of(stack: str) -> str:
    """Python writes the innermost call last."""
    return stack[-_CHARS:]
