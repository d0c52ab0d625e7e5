"""Checkpoints that note what they are asked."""

from __future__ import annotations

from runyard_host.port import Checkpoints, JsonObject


class NotedCheckpoints:
    """Hands on to others. ``refusal``: with what every write fails."""

    def __init__(self, inner: Checkpoints) -> None:
        self._inner = inner
        self.asked: list[str] = []
        self.stored: list[JsonObject] = []
        self.values: list[JsonObject] = []
        self.refusal: Exception | None = None

    async def put(
        self, checkpoint: JsonObject, versions: dict[str, str], values: list[JsonObject]
    ) -> None:
        self.asked.append("put")
        if self.refusal:
            raise self.refusal
        self.stored.append(checkpoint)
        self.values.extend(values)
        await self._inner.put(checkpoint, versions, values)

    async def put_writes(self, key: JsonObject, writes: list[JsonObject]) -> None:
        self.asked.append("put_writes")
        if self.refusal:
            raise self.refusal
        await self._inner.put_writes(key, writes)

    async def get(self, at: JsonObject) -> JsonObject | None:
        self.asked.append("get")
        return await self._inner.get(at)

    async def list(self, query: JsonObject) -> list[JsonObject]:
        self.asked.append("list")
        return await self._inner.list(query)

    async def delete_thread(self, thread_id: str) -> None:
        self.asked.append("delete_thread")
        await self._inner.delete_thread(thread_id)
