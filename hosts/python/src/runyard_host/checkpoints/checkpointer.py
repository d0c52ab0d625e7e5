"""LangGraph's checkpointer over the port ``Checkpoints``."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from ..blocking import BlockingCalls
from ..port import Checkpoints, JsonObject
from ..wire_json import to_wire
from .ancestors import collect_history, read_ancestors
from .places import (
    collect_metadata,
    config_of,
    read_place,
    read_run_id,
    require_key,
)
from .serde import HostSerializer
from .values import (
    ANSWER,
    FAILURE,
    dump,
    dump_changed,
    dump_writes,
    needs_writes_of_parent,
    refuses_answer,
    to_tuple,
    with_sends,
)

# How much of a history is read at a time, in bytes; a checkpoint may have more.
_READ_BYTES = 8 * 1024**2


def checkpointer_of(graph: Any, checkpoints: Checkpoints, run_id: str | None) -> HostCheckpointer:
    """The checkpointer in place of the one that the project compiled the graph with, if any.

    It writes and reads with the serializer that the project chose for that one. With
    ``LANGGRAPH_STRICT_MSGPACK`` the types of the graph's state are revived, as LangGraph has it.
    """
    chosen = getattr(getattr(graph, "checkpointer", None), "serde", None)
    is_default = chosen is BaseCheckpointSaver.serde
    made = HostCheckpointer(checkpoints, run_id, serde=None if is_default else chosen)
    allowed = getattr(graph, "_serde_allowlist", None)
    return made if allowed is None else cast(HostCheckpointer, made.with_allowlist(allowed))


class HostCheckpointer(BaseCheckpointSaver[str]):
    """Writes and reads one run's checkpoints, or those of graphs outside of runs.

    Made on the event loop, for each run anew. Its writes have the run's id, so that a rollback
    finds them. A write of a run that the server no longer has raises ``conflict``.

    Copies, prunes and deletions by run are the server's own operations: no graph asks for them.
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        run_id: str | None = None,
        *,
        serde: SerializerProtocol | None = None,
    ) -> None:
        """``serde`` is the project's own; without one, ``HostSerializer``."""
        super().__init__(serde=serde or _DEFAULT_SERDE)
        self._checkpoints = checkpoints
        self._run_id = run_id
        self._blocking = BlockingCalls("checkpointer")
        self.failures: dict[str, Any] = {}
        self.has_refused_answer = False
        """Whether a task has failed because its answer does not fit."""
        """With what tasks have ended in error, by their ids."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that the config names, or else the latest one of its namespace."""
        place = read_place(config)
        if "thread_id" not in place:
            return None
        record = await self._checkpoints.get({"checkpoint_ns": "", **place})
        return await self._to_tuple(record) if record else None

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """The newest first; without a namespace those of all."""
        place = read_place(config)
        # An id marks a place to continue from only within one namespace.
        is_ordered = "thread_id" in place and "checkpoint_ns" in place
        query: JsonObject = {**place}
        if filter is not None:
            query["metadata"] = to_wire(filter)
        if is_ordered:
            query["maxBytes"] = _READ_BYTES
        before_id = read_place(before).get("checkpoint_id")
        left = limit
        while left is None or left > 0:
            if before_id is not None:
                query["before"] = before_id
            if left is not None:
                query["limit"] = left
            records = await self._checkpoints.list(query)
            for record in records:
                yield await self._to_tuple(record)
            if not is_ordered or sum(map(_size_of, records)) < _READ_BYTES:
                return
            left = None if left is None else left - len(records)
            before_id = records[-1]["checkpoint_id"]

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Stores a checkpoint, and those of its values that have a new version."""
        place = read_place(config)
        key = require_key({**place, "checkpoint_id": str(checkpoint["id"])})
        rest = cast(dict[str, Any], {**checkpoint})
        values = rest.pop("channel_values")
        stored = {
            **key,
            "parent_checkpoint_id": place.get("checkpoint_id"),
            "run_id": self._run_id or read_run_id(config),
            "checkpoint": dump(self.serde, rest),
            "metadata": collect_metadata(config, metadata),
        }
        versions = {name: str(version) for name, version in checkpoint["channel_versions"].items()}
        changed = dump_changed(self.serde, values, new_versions)
        await self._checkpoints.put(stored, versions, changed)
        return config_of(**key)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Stores a task's writes beside the checkpoint that the task started from."""
        key = require_key(read_place(config))
        for channel, value in writes:
            if channel == FAILURE:
                self.failures[task_id] = value
        if refuses_answer(task_path, writes):
            self.has_refused_answer = True
            writes = [write for write in writes if write[0] != ANSWER]
        await self._checkpoints.put_writes(key, dump_writes(self.serde, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Removes all checkpoints of the thread."""
        await self._checkpoints.delete_thread(thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, Any]:
        """The parts of the channels' values: a whole value, and the writes since then."""
        place = read_place(config)
        if not channels or "thread_id" not in place:
            return {channel: {"writes": []} for channel in channels}
        ancestors = read_ancestors(self._checkpoints, place)
        return await collect_history(self.serde, ancestors, channels)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """``aget_tuple`` for threads other than the event loop's, as are the methods below."""
        return self._blocking.wait_for("get_tuple", self.aget_tuple(config))

    def list(self, *args: Any, **kwargs: Any) -> Iterator[CheckpointTuple]:
        """``alist``, which has the same parameters."""
        return self._blocking.iterate("list", self.alist(*args, **kwargs))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """``aput``."""
        written = self.aput(config, checkpoint, metadata, new_versions)
        return self._blocking.wait_for("put", written)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """``aput_writes``."""
        written = self.aput_writes(config, writes, task_id, task_path)
        self._blocking.wait_for("put_writes", written)

    def delete_thread(self, thread_id: str) -> None:
        """``adelete_thread``."""
        self._blocking.wait_for("delete_thread", self.adelete_thread(thread_id))

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, Any]:
        """``aget_delta_channel_history``."""
        history = self.aget_delta_channel_history(config=config, channels=channels)
        return self._blocking.wait_for("get_delta_channel_history", history)

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Counts up, and ends in a random part.

        Two branches of one thread's history give the same channel different values at the same
        count.
        """
        count = 0 if current is None else int(str(current).split(".")[0])
        return f"{count + 1:016}.{random.randrange(10**12):012}"

    def __repr__(self) -> str:
        return "[Checkpointer]"

    async def _to_tuple(self, record: JsonObject) -> CheckpointTuple:
        found = to_tuple(self.serde, record)
        if not needs_writes_of_parent(found) or found.parent_config is None:
            return found
        parent = await self._checkpoints.get(require_key(read_place(found.parent_config)))
        writes = parent["writes"] if parent else []
        return with_sends(self.serde, found, writes, self.get_next_version(None, None))


_DEFAULT_SERDE = HostSerializer()


def _size_of(record: JsonObject) -> int:
    """The record's size in bytes, as the server counts it."""
    return sum(len(one["bytes"]) for one in [*record["values"], *record["writes"]])
