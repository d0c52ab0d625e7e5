"""The emissions of a run that its reader has not taken yet."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

# How many emissions may wait for the reader before the graph waits for it.
_LIMIT = 128


class Outbox(Generic[T]):
    """Filled by the graph, emptied by its reader; on the event loop's thread only."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._added = 0
        self._sent = 0
        self._is_read = True
        self._is_held = False
        self._ready = asyncio.Event()
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def has_room(self) -> bool:
        """Whether the graph may go on."""
        return len(self._items) < _LIMIT or not self._is_read

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to take."""
        return not self._items

    def add(self, items: Sequence[T]) -> None:
        """They are taken in this order."""
        if items and self._is_read:
            self._items.extend(items)
            self._added += len(items)
            self._ready.set()

    def wake(self) -> None:
        """The reader looks again, though nothing was added."""
        self._ready.set()

    async def take(self) -> list[T]:
        """Takes all items; waits for one, or until it is woken."""
        if not self._items:
            self._ready.clear()
            await self._ready.wait()
        taken = list(self._items)
        self._items.clear()
        self._advance()
        return taken

    def sent(self, count: int) -> None:
        """So many of the taken items are on their way."""
        self._sent += count
        self._advance()

    def leave(self) -> None:
        """The reader stops: remaining and further items are dropped."""
        self._is_read = False
        self._items.clear()
        self._advance()

    async def room(self) -> None:
        """Waits while the outbox is full. What the graph emits meanwhile is not in it yet."""
        self._is_held = True
        try:
            while not self.has_room:
                await self._next()
        finally:
            self._is_held = False
            self._advance()

    async def settled(self) -> None:
        """Returns once all emissions of the graph until now are on their way."""
        while self._is_held and self._is_read:
            await self._next()
        until = self._added
        while self._sent < until and self._is_read:
            await self._next()

    async def _next(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future

    def _advance(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
