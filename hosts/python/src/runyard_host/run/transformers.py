"""The stream transformers that a graph was compiled with.

They see the run's events, may change or drop some, and their pushes to channels with a name are
emitted too. LangGraph's own multiplexer calls them, with the events that the server is about to
emit.
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
    """The failure of the run, as the server reports it."""


class Transformers:
    """The transformers of one run."""

    @staticmethod
    def of(graph: Any) -> Transformers | None:
        """``None``: the graph has none, or only ones for callers in this process."""
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
        # Events that are kept, and pushes to channels, in their order.
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
        """Notes LangGraph's own objects of the emissions that are handed out now."""
        self._payloads.extend(payloads)

    async def on_events(self, events: list[JsonObject], of: int | None) -> list[Json]:
        """For each event its number or changed form, in order with the events that were made."""
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
        """The run has failed or was stopped."""
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
    """LangGraph's form of an event, with the graph's own object."""
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
        return to_wire(data), about
    if payload is None or method in ("lifecycle", "input", "checkpoints"):
        return to_wire(data)
    if method == "values" and isinstance(payload, dict):
        return {key: value for key, value in payload.items() if key != "__interrupt__"}
    if method in ("values", "updates", "custom", "tasks", "tools"):
        return payload
    return to_wire(data)


def _in_words_of_the_protocol(told: JsonObject, data: Json) -> Json:
    """A transformer's version of an emission, in the form of the log."""
    if told["method"] == "updates" and isinstance(data, dict) and data:
        node, values = next(iter(data.items()))
        return {"node": node, "values": values}
    if told["method"] == "custom" and not (isinstance(data, dict) and "name" in data):
        return {"payload": data}
    return data


def _made(event: Any) -> JsonObject:
    """``MadeEvent``. The server itself reports the lifecycle of the root."""
    params = event["params"]
    made: JsonObject = {
        "method": event["method"],
        "namespace": list(params["namespace"]),
        "data": to_wire(params["data"]),
    }
    return made | ({"node": params["node"]} if "node" in params else {})
