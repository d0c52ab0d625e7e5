"""Stream modes ``debug``, ``checkpoints``, ``tasks`` and ``tools``: LangGraph's payloads as the API
shows them. Places in a thread's history have the API's usual form, and fields that only LangGraph
and the server need are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..graphs.config import USER_KEY
from ..graphs.state import to_checkpoint, to_task_checkpoint, to_task_error
from ..port import JsonObject


def debug_payload(payload: Mapping[str, Any]) -> dict[str, Any]:
    """``{step, timestamp, type, payload}``."""
    inner = payload["payload"]
    is_checkpoint = payload["type"] == "checkpoint"
    return {
        **payload,
        "payload": checkpoint_payload(inner) if is_checkpoint else task_payload(inner),
    }


def checkpoint_payload(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The state at a checkpoint that was made."""
    config, parent = payload["config"], payload.get("parent_config")
    return {
        **payload,
        "config": _public_config(config),
        "parent_config": _public_config(parent),
        "checkpoint": to_checkpoint(config),
        "parent_checkpoint": to_checkpoint(parent),
        "tasks": [_checkpoint_task(task) for task in payload["tasks"]],
    }


def place_of(payload: Mapping[str, Any]) -> JsonObject:
    """``CheckpointPlace`` of the checkpoint."""
    metadata = payload.get("metadata") or {}
    place: JsonObject = {"id": payload["config"]["configurable"]["checkpoint_id"]}
    parent = ((payload.get("parent_config") or {}).get("configurable") or {}).get("checkpoint_id")
    if parent:
        place["parent_id"] = parent
    for name in ("step", "source"):
        if metadata.get(name) is not None:
            place[name] = metadata[name]
    return place


def task_payload(task: Mapping[str, Any]) -> dict[str, Any]:
    """A task that begins or, with its ``error`` (``None`` if it succeeded), one that has ended."""
    told = _placed(task)
    if "result" in task or "error" in task:
        told["error"] = to_task_error(task.get("error"))
    return told


class ToolCalls:
    """Turns LangGraph's events of tools into those of the stream mode, alike in all languages."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def payload(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """``told``: LangGraph's own event."""
        event, id_ = told.get("event"), told.get("tool_call_id", "")
        if event == "tool-started":
            self._names[id_] = told.get("tool_name", "")
            return self._payload("on_tool_start", id_, input=told.get("input"))
        if event == "tool-output-delta":
            return self._payload("on_tool_event", id_, data=told.get("delta"))
        if event == "tool-finished":
            return self._payload("on_tool_end", id_, is_last=True, output=told.get("output"))
        if event == "tool-error":
            error = {"message": told.get("message")}
            return self._payload("on_tool_error", id_, is_last=True, error=error)
        return dict(told)

    def _payload(
        self, event: str, id_: str, *, is_last: bool = False, **fields: Any
    ) -> dict[str, Any]:
        name = self._names.pop(id_, "") if is_last else self._names.get(id_, "")
        return {"event": event, "toolCallId": id_, "name": name, **fields}


def _checkpoint_task(task: Mapping[str, Any]) -> dict[str, Any]:
    told = _placed(task)
    if "error" in task:
        told["error"] = to_task_error(task["error"])
    return told | {"state": None}


def _placed(task: Mapping[str, Any]) -> dict[str, Any]:
    """The state of a subgraph's task becomes the place where it can be read."""
    told = {name: value for name, value in task.items() if name != "state"}
    if interrupts := told.get("interrupts"):
        told["interrupts"] = [_interrupt(one) for one in interrupts]
    checkpoint = to_task_checkpoint(task.get("state"))
    return told if checkpoint is None else told | {"checkpoint": checkpoint}


def _interrupt(told: Any) -> Any:
    if isinstance(told, dict) and told.get("response_schema", 0) is None:
        return {name: value for name, value in told.items() if name != "response_schema"}
    return told


def _public_config(config: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Keys with two underscores are LangGraph's and the server's own; callbacks are no data."""
    if not config:
        return None
    configurable = config.get("configurable") or {}
    open_ = {
        key: value
        for key, value in configurable.items()
        if not key.startswith("__") and key != USER_KEY
    }
    rest = {key: value for key, value in config.items() if key not in ("callbacks", "configurable")}
    return {**rest, "configurable": open_}
