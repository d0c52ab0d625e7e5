"""Converts LangGraph's output of a run to emissions: for the requested modes, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, BaseMessageChunk

from ..port import Json, JsonObject
from ..wire_json import to_wire
from .api_payload import ToolCalls, checkpoint_payload, debug_payload, place_of, task_payload
from .message_assembly import MessageAssembly
from .node_namespace import Namespace, ToolPlaces, node_namespace

Emission = JsonObject
Told = tuple[Emission, Any]
"""What is told, and what LangGraph has emitted for it."""

# LangGraph's modes for the port's. `messages` needs the values too: they show which are complete.
# `lifecycle` needs the tasks: a subgraph begins with its first. Callbacks supply `events`.
_GRAPH_MODES: dict[str, tuple[str, ...]] = {
    "messages": ("messages", "values"),
    "messages-tuple": ("messages",),
    "lifecycle": ("tasks",),
    "places": ("checkpoints",),
    "events": (),
    "model_ends": (),
    "transformers": (),
}


def graph_modes(modes: Sequence[str]) -> list[str]:
    """LangGraph's modes for the port's, each once."""
    return list(dict.fromkeys(one for mode in modes for one in _GRAPH_MODES.get(mode, (mode,))))


class Emissions:
    """The emissions of one run."""

    def __init__(
        self,
        modes: Sequence[str],
        *,
        subgraphs: bool,
        is_written: Callable[[BaseMessage], bool] | None = None,
    ) -> None:
        """`is_written`: whether a model wrote the message; without it, every message is emitted."""
        self._modes = frozenset(modes)
        self._is_written = is_written
        self._has_subgraphs = subgraphs
        # Protocol runs report models at their node; legacy streams where LangGraph does.
        self.is_at_nodes = subgraphs and "places" in modes
        self._assemblies: dict[Namespace, MessageAssembly] = {}
        self._complete: set[str] = set()
        self._tools = ToolCalls()
        self.tool_places = ToolPlaces()
        # Values that wait for their checkpoint's place: LangGraph emits it after them.
        self._placeless: dict[Namespace, list[Told]] = {}
        self._readers: dict[str, Callable[[Namespace, Any], list[Told]]] = {
            "messages": self._on_message,
            "tools": self._on_tool,
            "values": self._on_values,
            "checkpoints": self._on_checkpoint,
        }

    def read(self, namespace: Namespace, mode: str, payload: Any) -> list[Told]:
        """Empty if the run did not ask for it."""
        if namespace and not self._has_subgraphs:
            is_alive = mode == "tasks" and "lifecycle" in self._modes
            return [self._told(namespace, mode, payload)] if is_alive else []
        before = self._overdue(namespace, mode) if self._placeless else []
        reader = self._readers.get(mode)
        if reader is not None:
            return [*before, *reader(namespace, payload)]
        return [*before, self._told(namespace, mode, payload)]

    def end(self) -> list[Told]:
        """The graph is done: emits the messages that never appeared in a state."""
        last = self.rest()
        for namespace, assembly in self._assemblies.items():
            change = assembly.on_end()
            if change:
                last.append((_emission(namespace, "messages", change), None))
        return last

    def rest(self) -> list[Told]:
        """Values whose place LangGraph did not emit."""
        rest = [one for held in self._placeless.values() for one in held]
        self._placeless.clear()
        return rest

    def _overdue(self, namespace: Namespace, mode: str) -> list[Told]:
        """Values whose place will not come: their graph keeps no checkpoints."""
        if mode == "checkpoints":
            return []
        overdue = [one for one in self._placeless if one[: len(namespace)] == namespace]
        return [told for one in overdue for told in self._placeless.pop(one)]

    def _told(self, namespace: Namespace, mode: str, payload: Any) -> Told:
        shown = payload
        if mode == "tasks":
            shown = task_payload(payload)
        elif mode == "debug":
            shown = debug_payload(payload)
        return _emission(namespace, mode, to_wire(shown)), payload

    def _on_message(self, namespace: Namespace, payload: Any) -> list[Told]:
        message, metadata = payload
        told: list[Told] = []
        if self._is_written and not self._is_written(message):
            return told
        if "messages-tuple" in self._modes:
            piece = {
                "message": to_wire(message),
                "metadata": to_wire(metadata),
                "isPiece": isinstance(message, BaseMessageChunk),
            }
            at = node_namespace(namespace, metadata) if self.is_at_nodes else namespace
            told.append((_emission(at, "messages-tuple", piece), payload))
        if "messages" in self._modes:
            change = self._assembly(namespace).on_message(message, metadata)
            if change:
                told.append((_emission(namespace, "messages", change), payload))
        return told

    def _on_tool(self, namespace: Namespace, payload: Any) -> list[Told]:
        at = self.tool_places.namespace(namespace, payload) if self.is_at_nodes else namespace
        return [(_emission(at, "tools", to_wire(self._tools.payload(payload))), payload)]

    def _on_values(self, namespace: Namespace, values: Any) -> list[Told]:
        told: list[Told] = []
        if "values" in self._modes:
            told.append((_emission(namespace, "values", to_wire(values)), values))
        if "messages" in self._modes:
            change = self._assembly(namespace).on_values(values)
            if change:
                told.append((_emission(namespace, "messages", change), values))
        # An interrupt is emitted within the step that interrupts: its checkpoint is known.
        is_asked = isinstance(values, dict) and "__interrupt__" in values
        if "places" not in self._modes or is_asked:
            return told
        self._placeless.setdefault(namespace, []).extend(told)
        return []

    def _on_checkpoint(self, namespace: Namespace, payload: Any) -> list[Told]:
        told: list[Told] = []
        if held := self._placeless.pop(namespace, []):
            told += [(_emission(namespace, "places", place_of(payload)), payload), *held]
        if "checkpoints" in self._modes:
            shown = to_wire(checkpoint_payload(payload))
            told.append((_emission(namespace, "checkpoints", shown), payload))
        return told

    def _assembly(self, namespace: Namespace) -> MessageAssembly:
        known = self._assemblies.get(namespace)
        if known is None:
            known = self._assemblies[namespace] = MessageAssembly(self._complete)
        return known


def _emission(namespace: Namespace, mode: str, payload: Json) -> Emission:
    return {"namespace": list(namespace), "mode": mode, "payload": payload}
