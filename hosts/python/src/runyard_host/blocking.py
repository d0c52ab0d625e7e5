"""LangGraph's blocking calls: made by other threads, run on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


class BlockingCalls:
    """Waits in the calling thread for work on the loop."""

    def __init__(self, what: str) -> None:
        """``what`` is the name under which users know the object: ``store``, ``checkpointer``."""
        self._what = what
        self._loop = asyncio.get_running_loop()

    def wait_for(self, method: str, call: Coroutine[Any, Any, T]) -> T:
        """Returns the call's result. Refused on the loop itself, where it would wait for ever."""
        try:
            self._refuse_loop(method)
        except asyncio.InvalidStateError:
            call.close()
            raise
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    def iterate(self, method: str, items: AsyncIterator[T]) -> Iterator[T]:
        """Yields the items one by one, each on request."""
        while True:
            try:
                item = self.wait_for(method, _next(items))
            except StopAsyncIteration:
                return
            yield item

    def _refuse_loop(self, method: str) -> None:
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            return
        if running is not self._loop:
            return
        raise asyncio.InvalidStateError(
            f"`{self._what}.{method}(...)` was called on the event loop, which it would block "
            f"for ever. Write `await {self._what}.a{method}(...)`, or call it in a thread."
        )


async def _next(items: AsyncIterator[T]) -> T:
    return await anext(items)
