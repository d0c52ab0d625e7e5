"""Converts values and whole checkpoints to and from storage, with the project's serializer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from ..port import JsonObject
from .places import config_of

# The channels of answers and of the errors of failed tasks.
ANSWER = "__resume__"
FAILURE = "__error__"
# The node of LangChain's agents that asks for decisions about tool calls. It takes any answer, and
# fails where the decisions do not fit. Were that answer kept, the node would fail with it forever.
_DECIDING_NODE = "HumanInTheLoopMiddleware.after_model"

# The channel of the ``Send``s that wait for the next step.
SENDS = "__pregel_tasks"

# The first format that keeps them in a channel.
FORMAT_WITH_SENDS = 4


def dump(serde: SerializerProtocol, value: Any) -> JsonObject:
    """``TypedBytes`` of the value."""
    kind, data = serde.dumps_typed(value)
    return {"type": kind, "bytes": bytes(data)}


def _dump_of(channel: str, serde: SerializerProtocol, value: Any) -> JsonObject:
    """``TypedBytes`` of a channel's value. Its errors name the channel."""
    try:
        return dump(serde, value)
    except Exception as error:
        raise TypeError(
            f'The value of the channel "{channel}" cannot be stored: {error}'
        ) from error


def load(serde: SerializerProtocol, typed: JsonObject) -> Any:
    """The value of ``TypedBytes``."""
    return serde.loads_typed((typed["type"], typed["bytes"]))


def dump_changed(
    serde: SerializerProtocol, values: dict[str, Any], versions: ChannelVersions
) -> list[JsonObject]:
    """The channels that have a new version. One that was emptied has a version and no value."""
    return [
        {"channel": channel, "version": str(version), **_dump_of(channel, serde, values[channel])}
        for channel, version in versions.items()
        if channel in values
    ]


def dump_writes(
    serde: SerializerProtocol, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
) -> list[JsonObject]:
    """``PendingWrite`` objects. Special ones have places of their own: they replace each other."""
    return [
        {
            "task_id": task_id,
            "task_path": task_path,
            "channel": channel,
            "idx": WRITES_IDX_MAP.get(channel, place),
            **_dump_of(channel, serde, value),
        }
        for place, (channel, value) in enumerate(writes)
    ]


def load_writes(
    serde: SerializerProtocol, writes: Sequence[JsonObject]
) -> list[tuple[str, str, Any]]:
    """The writes as LangGraph reads them, in the order in which they are stored."""
    return [(write["task_id"], write["channel"], load(serde, write)) for write in writes]


def to_tuple(serde: SerializerProtocol, record: JsonObject) -> CheckpointTuple:
    """A record as LangGraph reads it, with the configs that name it and its parent."""
    thread_id, checkpoint_ns = record["thread_id"], record["checkpoint_ns"]
    parent_id = record.get("parent_checkpoint_id")
    checkpoint = load(serde, record["checkpoint"])
    values = {value["channel"]: load(serde, value) for value in record["values"]}
    return CheckpointTuple(
        config=config_of(thread_id, checkpoint_ns, record["checkpoint_id"]),
        checkpoint=cast(Checkpoint, {**checkpoint, "channel_values": values}),
        metadata=cast(CheckpointMetadata, record["metadata"]),
        parent_config=config_of(thread_id, checkpoint_ns, parent_id) if parent_id else None,
        pending_writes=load_writes(serde, record["writes"]),
    )


def needs_writes_of_parent(found: CheckpointTuple) -> bool:
    """Whether the parent checkpoint has the ``Send``s of this one, as in formats before 4."""
    return found.checkpoint["v"] < FORMAT_WITH_SENDS and found.parent_config is not None


def with_sends(
    serde: SerializerProtocol,
    found: CheckpointTuple,
    writes_of_parent: Sequence[JsonObject],
    first_version: str,
) -> CheckpointTuple:
    """The checkpoint with its waiting ``Send``s as a channel, if there are any."""
    sends = [load(serde, write) for write in writes_of_parent if write["channel"] == SENDS]
    if not sends:
        return found
    checkpoint = found.checkpoint
    versions = checkpoint["channel_versions"]
    version = max(versions.values(), default=first_version)
    moved = {
        **checkpoint,
        "channel_values": {**checkpoint["channel_values"], SENDS: sends},
        "channel_versions": {**versions, SENDS: version},
    }
    return found._replace(checkpoint=cast(Checkpoint, moved))


def refuses_answer(task_path: str, writes: Sequence[tuple[str, Any]]) -> bool:
    """Whether a task with these writes has failed because its answer does not fit."""
    channels = {channel for channel, _ in writes}
    return _DECIDING_NODE in task_path and {ANSWER, FAILURE} <= channels


def is_invalid_resume(error: BaseException) -> bool:
    """Whether the schema of its question refused an answer, as LangGraph marks it."""
    return getattr(error, "_langgraph_invalid_resume", False) is True
