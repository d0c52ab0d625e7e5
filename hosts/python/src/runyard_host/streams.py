"""The two ends of a stream of items: the sender waits for credit, the reader gives it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

from .port import Json

FIRST_CREDIT = 16
_GIVEN_AT_ONCE = 8


async def close(items: AsyncIterator[Any]) -> None:
    """Closes a generator that is not read on; does nothing for other iterators."""
    close = getattr(items, "aclose", None)
    if close is not None:
        await close()


class Sender:
    """Sends items as far as the other side takes them."""

    def __init__(
        self, send: Callable[[Json], None], drained: Callable[[], asyncio.Future[None] | None]
    ):
        self._send = send
        self._drained = drained
        self._credit = FIRST_CREDIT
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.is_wanted = True

    async def send(self, item: Json) -> bool:
        """Returns once the item is on its way; ``False``: the rest is not wanted any more."""
        while self.is_wanted and self._credit == 0:
            await self._wait()
        if not self.is_wanted:
            return False
        self._credit -= 1
        self._send(item)
        drained = self._drained()
        if drained is not None:
            await drained
        return self.is_wanted

    def give(self, count: int) -> None:
        """The other side takes that many more."""
        self._credit += count
        self._wake()

    def unwant(self) -> None:
        """The other side wants no more, or is gone."""
        self.is_wanted = False
        self._wake()

    async def _wait(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        finally:
            if future in self._waiting:
                self._waiting.remove(future)

    def _wake(self) -> None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)


class Items(AsyncIterator[Json]):
    """The items that the other side sends, in their order. It is read once."""

    def __init__(self, give: Callable[[int], None], unwant: Callable[[], None]) -> None:
        self._give = give
        self._unwant = unwant
        self._items: deque[Json] = deque()
        self._taken = 0
        self._is_over = False
        self._is_wanted = True
        self._error: BaseException | None = None
        self._waiting: asyncio.Future[None] | None = None

    def push(self, item: Json) -> None:
        """The next item has arrived."""
        if self._is_wanted:
            self._items.append(item)
            self._wake()

    def end(self, error: BaseException | None = None) -> None:
        """No more items will come; ``error`` is raised after those that have come."""
        if not self._is_over:
            self._is_over = True
            self._error = error
            self._wake()

    async def __anext__(self) -> Json:
        while not self._items:
            if self._error is not None:
                raise self._error
            if self._is_over or not self._is_wanted:
                raise StopAsyncIteration
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        self._taken += 1
        if self._taken == _GIVEN_AT_ONCE and not self._is_over:
            self._taken = 0
            self._give(_GIVEN_AT_ONCE)
        return self._items.popleft()

    async def aclose(self) -> None:
        """Throws the rest away."""
        if self._is_wanted and not self._is_over:
            self._unwant()
        self._is_wanted = False
        self._items.clear()
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
