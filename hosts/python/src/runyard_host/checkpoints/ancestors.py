"""Reads from a checkpoint back to the first one, for ``DeltaChannel``.

Such a channel stores its writes, and its whole value only now and then: the value is assembled from
the writes of earlier checkpoints.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from ..port import Checkpoints, JsonObject
from .values import load

# How many checkpoints are read at a time: mostly the parent was made just before.
_PAGE = 20


async def read_ancestors(
    checkpoints: Checkpoints, place: dict[str, str]
) -> AsyncIterator[JsonObject]:
    """The records before this place, the nearest first; not that of the place itself."""
    target = await checkpoints.get({"checkpoint_ns": "", **place})
    if target is None:
        return
    known: dict[str, JsonObject] = {}
    seen = {target["checkpoint_id"]}
    wanted = target["parent_checkpoint_id"]
    while wanted is not None and wanted not in seen:
        seen.add(wanted)
        record = known.pop(wanted, None) or await _read(checkpoints, target, wanted, known)
        if record is None:
            return
        yield record
        wanted = record["parent_checkpoint_id"]


async def _read(
    checkpoints: Checkpoints, target: JsonObject, wanted: str, known: dict[str, JsonObject]
) -> JsonObject | None:
    """The wanted record; older ones are added to ``known``."""
    at = {"thread_id": target["thread_id"], "checkpoint_ns": target["checkpoint_ns"]}
    record = await checkpoints.get({**at, "checkpoint_id": wanted})
    if record is not None and record["parent_checkpoint_id"] is not None:
        known.clear()
        page = await checkpoints.list({**at, "before": wanted, "limit": _PAGE})
        known.update((one["checkpoint_id"], one) for one in page)
    return record


async def collect_history(
    serde: SerializerProtocol, ancestors: AsyncIterator[JsonObject], channels: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """``DeltaChannelHistory`` of each channel: its last whole value, and the writes since then."""
    writes: dict[str, list[tuple[str, str, Any]]] = {channel: [] for channel in channels}
    seeds: dict[str, Any] = {}
    remaining = set(channels)
    async for record in ancestors:
        for write in reversed(record["writes"]):
            if write["channel"] in remaining:
                found = (write["task_id"], write["channel"], load(serde, write))
                writes[write["channel"]].append(found)
        for value in record["values"]:
            if value["channel"] in remaining:
                seeds[value["channel"]] = load(serde, value)
                remaining.discard(value["channel"])
        if not remaining:
            break
    return {
        channel: {
            "writes": writes[channel][::-1],
            **({"seed": seeds[channel]} if channel in seeds else {}),
        }
        for channel in channels
    }
