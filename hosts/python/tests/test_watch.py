"""The watch over the event loop."""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from runyard_host.place import Place, at_place
from runyard_host.watch import Limits, Watch


class Told(queue.Queue[Mapping[str, Any]]):
    def next_of(self, kind: str) -> Mapping[str, Any]:
        while True:
            entry = self.get(timeout=10)
            if entry["kind"] == kind:
                return entry


@pytest.fixture
async def told() -> AsyncIterator[Told]:
    entries = Told()
    watch = Watch(entries.put, Limits(look_s=0.01, blocked_s=0.05))
    watch.start()
    yield entries
    watch.stop()
    watch.stop()


def block_until_told(told: Told, times: int) -> list[Mapping[str, Any]]:
    return [told.next_of("blocked") for _ in range(times)]


async def test_says_that_the_interpreter_runs(told: Told) -> None:
    assert await asyncio.to_thread(told.next_of, "beat") == {"kind": "beat"}


async def test_tells_once_and_again_after_twice_as_long(told: Told) -> None:
    async def node() -> list[Mapping[str, Any]]:
        with at_place(Place("r1", "t1", "ask")):
            return block_until_told(told, 2)

    first, second = await asyncio.create_task(node())
    assert 50 <= first["ms"] < second["ms"]
    # Both are rounded to whole milliseconds.
    assert second["ms"] + 1 >= 2 * first["ms"]
    assert (first["run_id"], first["thread_id"], first["node"]) == ("r1", "t1", "ask")
    assert first["at"][0].startswith(__file__)
    assert first["at"][0].endswith(" Told.next_of")
    assert " block_until_told" in first["at"][1]
    after = await asyncio.to_thread(told.next_of, "log")
    assert "goes on" in after["message"]


async def test_is_silent_while_the_loop_goes_round(told: Told) -> None:
    until = time.monotonic() + 0.3
    while time.monotonic() < until:  # noqa: ASYNC110
        await asyncio.sleep(0)
    assert {told.get_nowait()["kind"] for _ in range(told.qsize())} == {"beat"}
