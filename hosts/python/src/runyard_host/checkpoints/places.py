"""What the checkpointer reads from a LangGraph config: where to read or write, for which run."""

from __future__ import annotations

from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointMetadata, get_checkpoint_metadata

from ..port import JsonObject
from ..wire_json import to_wire

PLACE = ("thread_id", "checkpoint_ns", "checkpoint_id")

# Fields that belong to one request. Source: the official server's savers.
_OF_REQUEST = frozenset(
    {
        "langgraph_request_id",
        "langgraph_auth_user",
        "langgraph_auth_user_id",
        "langgraph_auth_permissions",
    }
)


def read_place(config: RunnableConfig | None) -> dict[str, str]:
    """Where in a thread's history, without what the config leaves open. An empty id is none."""
    at = _configurable(config)
    place = {name: str(at[name]) for name in PLACE if at.get(name) is not None}
    if not place.get("checkpoint_id", "set"):
        del place["checkpoint_id"]
    return place


def require_key(place: dict[str, str]) -> dict[str, str]:
    """The place as a key, the root's namespace by default. Raises without a thread or an id."""
    for name in ("thread_id", "checkpoint_id"):
        if name not in place:
            raise ValueError(f'The config of a checkpoint lacks "configurable.{name}".')
    return {"checkpoint_ns": "", **place}


def config_of(thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> RunnableConfig:
    """The config that names a checkpoint."""
    return {
        "configurable": {
            "thread_id": thread_id,
            "checkpoint_ns": checkpoint_ns,
            "checkpoint_id": checkpoint_id,
        }
    }


def read_run_id(config: RunnableConfig) -> str | None:
    """The run that writes, as its config names it; outside of runs ``None``."""
    run_id = _configurable(config).get("run_id") or (config.get("metadata") or {}).get("run_id")
    return run_id if isinstance(run_id, str) else None


def collect_metadata(config: RunnableConfig, metadata: CheckpointMetadata) -> JsonObject:
    """LangGraph's metadata of the checkpoint, over those of the run from the config.

    LangGraph compares the ``run_id`` in it: a run that is retried after its host died continues
    from its last checkpoint instead of taking its input twice.
    """
    collected = cast(dict[str, Any], get_checkpoint_metadata(config, metadata))
    kept = {name: value for name, value in collected.items() if name not in _OF_REQUEST}
    return cast(JsonObject, to_wire(kept))


def _configurable(config: RunnableConfig | None) -> dict[str, Any]:
    return (config or {}).get("configurable") or {}
