"""The port's checkpoints in memory, with the rules of the server's store."""

from __future__ import annotations

from typing import Any

from runyard_host.port import JsonObject

Place = tuple[str, str, str]


class MemoryCheckpoints:
    """What is written first under a version, and by a task, stays."""

    def __init__(self) -> None:
        self.records: dict[Place, JsonObject] = {}
        self.versions: dict[Place, dict[str, str]] = {}
        self.values: dict[tuple[str, str, str, str], JsonObject] = {}
        self.writes: dict[Place, dict[tuple[str, int], JsonObject]] = {}

    async def put(
        self, checkpoint: JsonObject, versions: dict[str, str], values: list[JsonObject]
    ) -> None:
        place = _place(checkpoint)
        self.records[place] = checkpoint
        self.versions[place] = versions
        for value in values:
            self.values.setdefault((*place[:2], value["channel"], value["version"]), value)

    async def put_writes(self, key: JsonObject, writes: list[JsonObject]) -> None:
        kept = self.writes.setdefault(_place(key), {})
        for write in writes:
            at = (write["task_id"], write["idx"])
            if write["idx"] < 0 or at not in kept:
                kept[at] = write

    async def get(self, at: JsonObject) -> JsonObject | None:
        place = [at["thread_id"], at["checkpoint_ns"]]
        if at.get("checkpoint_id"):
            found = (place[0], place[1], at["checkpoint_id"])
            return self._record(found) if found in self.records else None
        known = [one for one in self.records if list(one[:2]) == place]
        return self._record(max(known)) if known else None

    async def list(self, query: JsonObject) -> list[JsonObject]:
        found = [self._record(one) for one in sorted(self.records, key=_id, reverse=True)]
        fitting = [one for one in found if _fits(one, query)]
        return fitting[: query.get("limit", len(fitting))]

    async def delete_thread(self, thread_id: str) -> None:
        self.records = {at: one for at, one in self.records.items() if at[0] != thread_id}

    def _record(self, place: Place) -> JsonObject:
        named = [(*place[:2], *one) for one in self.versions[place].items()]
        writes = self.writes.get(place, {})
        order = sorted(writes, key=lambda at: (writes[at]["task_path"], *at))
        return {
            **self.records[place],
            "values": [self.values[one] for one in named if one in self.values],
            "writes": [writes[at] for at in order],
        }


def _place(key: JsonObject) -> Place:
    return (key["thread_id"], key["checkpoint_ns"], key["checkpoint_id"])


def _id(place: Place) -> str:
    return place[2]


def _fits(record: JsonObject, query: JsonObject) -> bool:
    wanted: dict[str, Any] = query.get("metadata", {})
    return (
        all(record[name] == query[name] for name in _NAMES if name in query)
        and ("before" not in query or record["checkpoint_id"] < query["before"])
        and all(record["metadata"].get(name) == value for name, value in wanted.items())
    )


_NAMES = ("thread_id", "checkpoint_ns", "checkpoint_id")
