"""
``langgraph_sdk.cache``: ``cache_get``, ``cache_set`` and ``swr``, kept by the agent server. The SDK
takes them from the official server's module of this name, so this one replaces it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Generic, Literal, TypeVar

import orjson

from . import sdk_client

T = TypeVar("T")
CacheStatus = Literal["miss", "fresh", "stale", "expired"]

MAX_CACHE_TTL = timedelta(days=1)
_OF_SDK = "langgraph_api.cache"
_KEPT: Any = object()

# Loads in progress, by event loop and key, and how often each key was written meanwhile.
_loads: dict[tuple[int, str], asyncio.Task[Any]] = {}
_writes: dict[str, int] = {}


def install() -> None:
    """Call it before the project, and with it ``langgraph_sdk.cache``, is imported."""
    sys.modules[_OF_SDK] = sys.modules[__name__]


async def cache_get(key: str) -> Any | None:
    """The value; ``None``: there is none, or it has expired."""
    return await _read(f"value:{key}")


async def cache_set(key: str, value: Any, ttl: timedelta | None = None) -> None:
    """Keeps a JSON value, for a day at most and by default."""
    await _write(f"value:{key}", value, _ttl_of(ttl))


class SWRResult(Generic[T]):
    """The result of ``swr``: ``value``, and its origin as ``status``."""

    def __init__(self, value: T, status: CacheStatus, entry: _Entry) -> None:
        self.value = value
        self.status: CacheStatus = status
        self._entry = entry

    async def mutate(self, value: T = _KEPT) -> T:
        """Keeps this value; without one, loads it again."""
        if value is _KEPT:
            self.value = self._entry.opened(await self._entry.load())
        else:
            await self._entry.keep(self._entry.closed(value))
            self.value = value
        return self.value

    def __repr__(self) -> str:
        return f"SWRResult(value={self.value!r}, status={self.status!r})"


async def swr(
    key: str,
    loader: Callable[[], Awaitable[T]],
    *,
    fresh_for: timedelta = timedelta(0),
    max_age: timedelta | None = None,
    model: type[T] | None = None,
) -> SWRResult[T]:
    """
    Returns the value of the key, and loads it if there is none or it is older than ``max_age``. A
    value older than ``fresh_for`` is returned at once, and loaded again in the background.
    """
    fresh = min(fresh_for, MAX_CACHE_TTL)
    age_limit = MAX_CACHE_TTL if max_age is None else min(max_age, MAX_CACHE_TTL)
    _check(fresh, age_limit)
    entry = _Entry(f"swr:{key}", loader, age_limit, model)
    kept = await _read(entry.key)
    if not isinstance(kept, dict) or "stored_at" not in kept:
        return SWRResult(entry.opened(await entry.load()), "miss", entry)
    age = timedelta(seconds=max(time.time() - kept["stored_at"], 0))
    if age >= age_limit:
        return SWRResult(entry.opened(await entry.load()), "expired", entry)
    if age < fresh:
        return SWRResult(entry.opened(kept["value"]), "fresh", entry)
    entry.begin_load()
    return SWRResult(entry.opened(kept["value"]), "stale", entry)


class _Entry:
    """One key of ``swr``, with its loader."""

    def __init__(
        self, key: str, loader: Callable[[], Awaitable[Any]], max_age: timedelta, model: Any
    ) -> None:
        self.key = key
        self._loader = loader
        self._max_age = max_age
        self._model = model

    def opened(self, value: Any) -> Any:
        return value if self._model is None else self._model.model_validate(value)

    def closed(self, value: Any) -> Any:
        return value if self._model is None else value.model_dump(mode="json")

    async def load(self) -> Any:
        """Concurrent callers share one load; a caller that gives up does not end it."""
        return await asyncio.shield(self.begin_load())

    def begin_load(self) -> asyncio.Task[Any]:
        place = (id(asyncio.get_running_loop()), self.key)
        task = _loads.get(place)
        if task is None:
            task = asyncio.ensure_future(self._load(_writes.get(self.key, 0)))
            _loads[place] = task
            task.add_done_callback(lambda done: _end(place, done))
        return task

    async def keep(self, value: Any) -> None:
        """Keeps the value. A load in progress is older: its result is not kept."""
        if any(key == self.key for _, key in _loads):
            _writes[self.key] = _writes.get(self.key, 0) + 1
        await self._store(value)

    async def _load(self, before: int) -> Any:
        value = self.closed(await self._loader())
        if _writes.get(self.key, 0) == before:
            await self._store(value)
            return value
        kept = await _read(self.key)
        return kept["value"] if isinstance(kept, dict) and "value" in kept else value

    async def _store(self, value: Any) -> None:
        kept = {"value": value, "stored_at": time.time()}
        await _write(self.key, kept, self._max_age)


def _end(place: tuple[int, str], done: asyncio.Task[Any]) -> None:
    _loads.pop(place, None)
    if not any(key == place[1] for _, key in _loads):
        _writes.pop(place[1], None)
    # After a failed load in the background, the next caller loads again.
    if not done.cancelled():
        done.exception()


def _check(fresh_for: timedelta, max_age: timedelta) -> None:
    if fresh_for < timedelta(0):
        raise ValueError("fresh_for must not be negative")
    if max_age <= timedelta(0):
        raise ValueError("max_age must be above 0")
    if fresh_for > max_age:
        raise ValueError("fresh_for must not be longer than max_age")


def _ttl_of(ttl: timedelta | None) -> timedelta:
    return MAX_CACHE_TTL if ttl is None or ttl <= timedelta(0) else min(ttl, MAX_CACHE_TTL)


async def _read(key: str) -> Any:
    text = await sdk_client.on_server(lambda calls: calls.cache.get(key))
    return None if text is None else orjson.loads(text)


async def _write(key: str, value: Any, ttl: timedelta) -> None:
    text = orjson.dumps(value).decode()
    ttl_ms = max(int(ttl.total_seconds() * 1000), 1)
    await sdk_client.on_server(lambda calls: calls.cache.set(key, text, ttl_ms))
