"""Configs and commands of the wire, as LangGraph takes them."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Send

from ..auth import as_user
from ..port import Json, JsonObject

USER_KEY = "langgraph_auth_user"
_FIELDS = ("tags", "recursion_limit", "max_concurrency", "run_name", "metadata")


def to_runnable_config(config: JsonObject) -> RunnableConfig:
    """``GraphConfig`` in LangChain's words, which are the same; absent fields stay so."""
    configurable = dict(config.get("configurable") or {})
    user = configurable.get(USER_KEY)
    if isinstance(user, dict):
        configurable[USER_KEY] = as_user(user)
    fields = {name: config[name] for name in _FIELDS if config.get(name) is not None}
    return cast(RunnableConfig, {**fields, "configurable": configurable})


def to_uuid(run_id: str) -> UUID | None:
    """``None``: LangChain makes one of its own."""
    try:
        return UUID(run_id)
    except ValueError:
        return None


def to_command(command: JsonObject) -> Command[Any]:
    """``goto`` may be a node's name, ``{node, input}`` (a ``Send``), or a list of both."""
    fields: dict[str, Any] = {}
    if command.get("goto") is not None:
        fields["goto"] = _to_goto(command["goto"])
    if command.get("update") is not None:
        fields["update"] = _to_update(command["update"])
    if "resume" in command:
        fields["resume"] = command["resume"]
    return Command(**fields)


def _to_goto(goto: Json) -> list[Any]:
    targets = goto if isinstance(goto, list) else [goto]
    return [
        Send(str(target.get("node")), target.get("input")) if isinstance(target, dict) else target
        for target in targets
    ]


def _to_update(update: Json) -> Any:
    """Pairs of a key and its value come as lists."""
    if isinstance(update, list) and all(_is_pair(one) for one in update):
        return [tuple(one) for one in update]
    return update


def _is_pair(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)
