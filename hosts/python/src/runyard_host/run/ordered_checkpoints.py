"""A run's checkpoints, in one order with the run's emissions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..checkpoints.values import FAILURE
from ..port import Checkpoints, JsonObject

if TYPE_CHECKING:
    from .run import GraphRun


class RunCheckpoints(Checkpoints):
    """Sends a write only after everything that the graph emitted before it."""

    def __init__(self, checkpoints: Checkpoints, new_thread: str | None = None) -> None:
        """``new_thread``: the run's thread, if it is known to have no checkpoint yet."""
        self._checkpoints = checkpoints
        self._new_thread = new_thread
        self.order: GraphRun | None = None
        """The run that writes, once it is made."""

    async def put(
        self, checkpoint: JsonObject, versions: dict[str, str], values: list[JsonObject]
    ) -> None:
        """Stores a ``StoredCheckpoint``."""
        self._new_thread = None
        if self.order is not None:
            await self.order.settled()
        await self._checkpoints.put(checkpoint, versions, values)

    async def put_writes(self, key: JsonObject, writes: list[JsonObject]) -> None:
        """Stores writes of tasks. A task that was cancelled with its run has not failed."""
        self._new_thread = None
        if self.order is not None:
            if self.order.is_stopping:
                writes = [one for one in writes if one["channel"] != FAILURE]
                if not writes:
                    return
            await self.order.settled()
        await self._checkpoints.put_writes(key, writes)

    async def get(self, at: JsonObject) -> JsonObject | None:
        """Returns a ``CheckpointRecord``."""
        if self._new_thread is not None and at.get("thread_id") == self._new_thread:
            return None
        return await self._checkpoints.get(at)

    async def list(self, query: JsonObject) -> list[JsonObject]:
        """Returns ``CheckpointRecord`` objects, the newest first."""
        return await self._checkpoints.list(query)

    async def delete_thread(self, thread_id: str) -> None:
        """Removes all checkpoints of a thread."""
        await self._checkpoints.delete_thread(thread_id)


async def turns(count: int) -> None:
    """Lets the event loop turn, so that work begun in this turn can pass on its results."""
    for _ in range(count):
        await asyncio.sleep(0)
