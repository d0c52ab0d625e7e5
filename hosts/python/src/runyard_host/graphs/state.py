"""LangGraph's snapshots of states as the API returns them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from langgraph.types import StateSnapshot

from ..port import JsonObject
from ..wire_json import to_wire

_EMPTY_STATE: JsonObject = {
    "values": {},
    "next": [],
    "tasks": [],
    "checkpoint": None,
    "metadata": None,
    "created_at": None,
    "parent_checkpoint": None,
    "interrupts": [],
}


def to_thread_state(snapshot: StateSnapshot) -> JsonObject:
    """A snapshot, with those of its subgraphs if it has them. Empty before a checkpoint."""
    checkpoint = to_checkpoint(snapshot.config)
    if checkpoint is None or not checkpoint["checkpoint_id"]:
        return dict(_EMPTY_STATE)
    tasks = [_to_task(task) for task in snapshot.tasks]
    return {
        "values": to_wire(snapshot.values),
        "next": list(snapshot.next),
        "tasks": tasks,
        "checkpoint": checkpoint,
        "metadata": to_wire(snapshot.metadata),
        "created_at": snapshot.created_at,
        "parent_checkpoint": to_checkpoint(snapshot.parent_config),
        "interrupts": [one for task in tasks for one in task["interrupts"]],
    }


def to_place(config: Mapping[str, Any], thread_id: str) -> JsonObject:
    """The place of the checkpoint that a state update wrote."""
    at = config.get("configurable") or {}
    place: JsonObject = {
        "thread_id": thread_id,
        "checkpoint_ns": str(at.get("checkpoint_ns") or ""),
    }
    if isinstance(at.get("checkpoint_id"), str):
        place["checkpoint_id"] = at["checkpoint_id"]
    if at.get("checkpoint_map") is not None:
        place["checkpoint_map"] = to_wire(at["checkpoint_map"])
    return place


def to_checkpoint(config: Mapping[str, Any] | None) -> JsonObject | None:
    """``{thread_id, checkpoint_ns, checkpoint_id, checkpoint_map}``, absent ones ``None``."""
    at = (config or {}).get("configurable") or {}
    if not isinstance(at.get("thread_id"), str):
        return None
    return {
        "thread_id": at["thread_id"],
        "checkpoint_ns": at.get("checkpoint_ns") or "",
        "checkpoint_id": at.get("checkpoint_id"),
        "checkpoint_map": to_wire(at.get("checkpoint_map")),
    }


def to_task_checkpoint(config: Mapping[str, Any] | None) -> JsonObject | None:
    """
    The place of a task's subgraph, with the fields that are known. ``None``: the task has no
    subgraph, or it includes the state.
    """
    known = {
        name: value for name, value in (to_checkpoint(config) or {}).items() if value is not None
    }
    return known or None


def to_task_error(error: object) -> str | None:
    """A task's error as a text: the class and the message."""
    if error is None:
        return None
    if isinstance(error, BaseException):
        return _named(type(error).__name__, str(error))
    if isinstance(error, str):
        return _read_repr(error)
    return str(to_wire(error))


def _to_task(task: Any) -> JsonObject:
    state = task.state
    is_snapshot = isinstance(state, StateSnapshot)
    return {
        "id": task.id,
        "name": task.name,
        "path": to_wire(task.path),
        "error": to_task_error(task.error),
        "interrupts": to_wire(task.interrupts) or [],
        "checkpoint": None if is_snapshot else to_task_checkpoint(state),
        "state": to_thread_state(state) if is_snapshot else None,
        "result": to_wire(task.result),
    }


def _read_repr(text: str) -> str:
    """LangGraph stores an error as Python's text of it: ``ValueError('not so')``."""
    try:
        call = ast.parse(text, mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.keywords:
            values = [ast.literal_eval(one) for one in call.args]
            message = str(values[0]) if len(values) == 1 else str(tuple(values)) if values else ""
            return _named(call.func.id, message)
    except (SyntaxError, ValueError):
        pass
    return text


def _named(name: str, message: str) -> str:
    return f"{name}: {message}" if message else name
