"""The stream transformers that a graph was compiled with.

They see what the run tells, may change or leave out some of it, and what they push to channels
with a name is told too. LangGraph's own multiplexer calls them; the server says what it is about to
tell.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Sequence
from typing import Any

from ..port import Json, JsonObject
from ..wire_json import to_wire


class RunFailure(Exception):  # noqa: N818 - transformers see its class
    """Why the run has failed, as the server says it."""


class Transformers:
    """Of one run."""

    @staticmethod
    def of(graph: Any) -> Transformers | None:
        """``None``: the graph has none, or only those that are for callers in this process."""
        made = list(getattr(graph, "stream_transformers", None) or ())
        if not made:
            return None
        transformers = Transformers(made)
        return transformers if transformers._has_own else None

    def __init__(self, factories: Sequence[Any]) -> None:
        from langgraph.stream._mux import StreamMux

        own: list[Any] = []
        for factory in factories:
            transformer = factory(())
            if not getattr(transformer, "_native", False):
                own.append(transformer)
        self._has_own = bool(own)
        self._mux: Any = StreamMux(transformers=own, is_async=True)
        self._told: list[Any] = []
        # Whatever is kept, and whatever is pushed to a channel, in their order.
        self._mux._events._wire(self._told.append)
        self._finals = {
            name: value
            for name, value in self._mux.extensions.items()
            if inspect.isawaitable(value)
        }
        self._payloads: deque[Any] = deque()
        self._first = 0
        self._is_over = False

    def note(self, payloads: list[Any]) -> None:
        """LangGraph's own objects that the emissions which are handed out now come from."""
        self._payloads.extend(payloads)

    async def on_events(self, events: list[JsonObject], of: int | None) -> list[Json]:
        """In place of each event: its number, or what was made of it, among what was made."""
        payload = None if of is None else self._payload(of)
        transformed: list[Json] = []
        for number, event in enumerate(events):
            transformed += await self._on_event(number, event, payload)
        return transformed

    async def finish(self) -> list[JsonObject]:
        """The graph is done."""
        if self._is_over:
            return []
        try:
            await self._mux.aclose()
        except Exception as error:
            await self._mux.afail(error)
        made = self._take()
        for name, value in self._finals.items():
            try:
                data = to_wire(await value)
            except Exception:
                continue
            made.append({"method": f"custom:{name}", "namespace": [], "data": data})
        self._is_over = True
        return made

    async def fail(self, error: JsonObject) -> list[JsonObject]:
        """The run has failed or was told to stop."""
        if self._is_over:
            return []
        self._is_over = True
        kind = type(str(error.get("name") or "Error"), (RunFailure,), {})
        await self._mux.afail(kind(str(error.get("message", ""))))
        for value in self._finals.values():
            if isinstance(value, asyncio.Future):
                value.cancel()
        return self._take()

    async def _on_event(self, number: int, told: JsonObject, payload: Any) -> list[Json]:
        event = _protocol_event(told, payload)
        before = to_wire(event["params"]["data"]) if payload is not None else None
        await self._mux.apush(event)
        transformed: list[Json] = []
        is_kept = False
        for one in self._told:
            if one is event:
                is_kept = True
                transformed.append(self._same_or_changed(number, told, event, before))
            else:
                transformed.append(_made(one))
        self._told.clear()
        if told.get("isKept") and not is_kept:
            transformed.append(number)
        return transformed

    def _same_or_changed(
        self, number: int, told: JsonObject, event: dict[str, Any], before: Json
    ) -> Json:
        if told.get("isKept"):
            return number
        data = event["params"]["data"]
        if told["method"] == "messages":
            data, before = to_wire(data[0]), told["data"]
        else:
            data = to_wire(data)
        if data == (told["data"] if before is None else before):
            return number
        made = {
            "method": told["method"],
            "namespace": told["namespace"],
            "data": _in_words_of_the_protocol(told, data),
        }
        return made | ({"node": told["node"]} if "node" in told else {})

    def _payload(self, of: int) -> Any:
        while self._first < of and self._payloads:
            self._payloads.popleft()
            self._first += 1
        return self._payloads[0] if self._payloads and self._first == of else None

    def _take(self) -> list[JsonObject]:
        made = [_made(one) for one in self._told]
        self._told.clear()
        return made


def _protocol_event(told: JsonObject, payload: Any) -> dict[str, Any]:
    """LangGraph's form of an event: with what the graph emitted, as it is."""
    method = told["method"]
    params: dict[str, Any] = {
        "namespace": list(told["namespace"]),
        "timestamp": told["timestamp"],
        "data": _data_of(method, told, payload),
    }
    if method == "values" and isinstance(payload, dict) and "__interrupt__" in payload:
        params["interrupts"] = tuple(payload["__interrupt__"])
    if "node" in told:
        params["node"] = told["node"]
    return {"type": "event", "method": method, "params": params}


def _data_of(method: str, told: JsonObject, payload: Any) -> Any:
    data = told["data"]
    if method == "messages":
        about = {"langgraph_node": told.get("node"), "run_id": data.get("run_id")}
        return _copied(data), about
    if payload is None or method in ("lifecycle", "input", "checkpoints"):
        return _copied(data)
    if method == "values" and isinstance(payload, dict):
        return {key: value for key, value in payload.items() if key != "__interrupt__"}
    if method in ("values", "updates", "custom", "tasks", "tools"):
        return payload
    return _copied(data)


def _copied(data: Json) -> Json:
    return to_wire(data)


def _in_words_of_the_protocol(told: JsonObject, data: Json) -> Json:
    """What a transformer has made of what the graph emitted, as the log has it."""
    if told["method"] == "updates" and isinstance(data, dict) and data:
        node, values = next(iter(data.items()))
        return {"node": node, "values": values}
    if told["method"] == "custom" and not (isinstance(data, dict) and "name" in data):
        return {"payload": data}
    return data


def _made(event: Any) -> JsonObject:
    """``MadeEvent``. How the root stands is the server's to say."""
    params = event["params"]
    made: JsonObject = {
        "method": event["method"],
        "namespace": list(params["namespace"]),
        "data": to_wire(params["data"]),
    }
    return made | ({"node": params["node"]} if "node" in params else {})
