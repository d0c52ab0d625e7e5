"""``langgraph_sdk.cache`` in a project."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import BaseModel

from runyard_host import cache, sdk_client
from runyard_host.port import Calls


class Kept:
    """In place of the server."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.ttls: dict[str, int] = {}

    async def get(self, key: str) -> str | None:
        await asyncio.sleep(0)
        return self.texts.get(key)

    async def set(self, key: str, value: str, ttl_ms: int) -> None:
        self.texts[key], self.ttls[key] = value, ttl_ms


class Loader:
    """Answers 1, 2, …, each when it is let."""

    def __init__(self) -> None:
        self.count = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self) -> int:
        self.count += 1
        value = self.count
        await self.gate.wait()
        return value


HOUR = timedelta(hours=1)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110 - no event belongs to it
            await asyncio.sleep(0.01)


@pytest.fixture
def sdk() -> Iterator[Any]:
    """The SDK's module, as a project imports it."""
    cache.install()
    sys.modules.pop("langgraph_sdk.cache", None)
    import langgraph_sdk.cache as of_sdk

    yield of_sdk
    sys.modules.pop("langgraph_sdk.cache", None)
    sys.modules.pop("langgraph_api.cache", None)
    sdk_client._connected = None


@pytest.fixture
async def kept() -> Kept:
    one = Kept()
    sdk_client.connect(cast(Calls, SimpleNamespace(cache=one)))
    return one


async def test_a_value_is_kept_as_json_for_a_day_at_most(sdk: Any, kept: Kept) -> None:
    assert await sdk.cache_get("a") is None
    await sdk.cache_set("a", {"n": [1, None, "x"]})
    assert await sdk.cache_get("a") == {"n": [1, None, "x"]}
    await sdk.cache_set("b", 1, ttl=timedelta(seconds=2))
    await sdk.cache_set("c", 1, ttl=timedelta(days=9))
    assert list(kept.ttls.values()) == [86_400_000, 2_000, 86_400_000]
    with pytest.raises(TypeError):
        await sdk.cache_set("d", object())


async def test_before_there_is_a_server_it_is_said_so(sdk: Any) -> None:
    with pytest.raises(RuntimeError, match="does not answer yet"):
        await sdk.cache_get("a")


def test_nothing_else_of_the_official_server_seems_to_be_there(sdk: Any) -> None:
    assert sdk.SWRResult is cache.SWRResult
    assert "langgraph_api" not in sys.modules


async def test_other_event_loops_reach_it_too(sdk: Any, kept: Kept) -> None:
    await sdk.cache_set("a", 7)
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(asyncio.run(sdk.cache_get("a"))))
    thread.start()
    await until(lambda: not thread.is_alive())
    assert seen == [7]


async def test_swr_loads_what_is_missing_and_answers_what_is_fresh(sdk: Any, kept: Kept) -> None:
    loader = Loader()
    first = await sdk.swr("k", loader, fresh_for=HOUR)
    second = await sdk.swr("k", loader, fresh_for=HOUR)
    assert [(one.value, one.status) for one in (first, second)] == [(1, "miss"), (1, "fresh")]


async def test_swr_answers_what_is_stale_and_loads_it_in_the_background(
    sdk: Any, kept: Kept
) -> None:
    loader = Loader()
    await sdk.swr("k", loader)
    loader.gate.clear()
    stale = [await sdk.swr("k", loader) for _ in range(3)]
    assert [(one.value, one.status) for one in stale] == [(1, "stale")] * 3
    loader.gate.set()
    await until(lambda: not cache._loads)
    assert (await sdk.swr("k", loader, fresh_for=HOUR)).value == 2
    assert loader.count == 2


async def test_swr_waits_for_what_has_expired(sdk: Any, kept: Kept, monkeypatch: Any) -> None:
    loader = Loader()
    await sdk.swr("k", loader)
    later = time.time() + 60
    monkeypatch.setattr(time, "time", lambda: later)
    found = await sdk.swr("k", loader, max_age=timedelta(seconds=60))
    assert (found.value, found.status) == (2, "expired")


async def test_those_that_ask_at_once_share_a_load_and_may_leave(sdk: Any, kept: Kept) -> None:
    loader = Loader()
    loader.gate.clear()
    asking = [asyncio.ensure_future(sdk.swr("k", loader)) for _ in range(3)]
    await until(lambda: loader.count == 1)
    asking[0].cancel()
    loader.gate.set()
    assert [(await one).value for one in asking[1:]] == [1, 1]
    assert loader.count == 1


async def test_what_is_set_meanwhile_goes_first(sdk: Any, kept: Kept) -> None:
    loader = Loader()
    found = await sdk.swr("k", loader)
    loader.gate.clear()
    await sdk.swr("k", loader)
    assert await found.mutate(100) == 100
    loader.gate.set()
    await until(lambda: not cache._loads)
    assert (await sdk.swr("k", loader, fresh_for=HOUR)).value == 100
    assert await found.mutate() == 3
    assert found.value == 3
    assert cache._writes == {}


async def test_a_loader_that_fails_fails_who_waits_and_nothing_is_kept(
    sdk: Any, kept: Kept
) -> None:
    async def fail() -> int:
        raise LookupError("gone")

    with pytest.raises(LookupError):
        await sdk.swr("k", fail)
    assert (await sdk.swr("k", Loader())).status == "miss"
    assert (await sdk.swr("k", fail)).value == 1


async def test_a_model_is_kept_as_json(sdk: Any, kept: Kept) -> None:
    class Team(BaseModel):
        name: str

    async def load() -> Team:
        return Team(name="a")

    for status in ("miss", "fresh"):
        found = await sdk.swr("k", load, fresh_for=HOUR, model=Team)
        assert (found.value, found.status) == (Team(name="a"), status)
    assert await found.mutate(Team(name="b")) == Team(name="b")
    assert (await sdk.swr("k", load, fresh_for=HOUR, model=Team)).value == Team(name="b")


@pytest.mark.parametrize(
    "windows",
    [
        {"fresh_for": timedelta(seconds=-1)},
        {"max_age": timedelta(0)},
        {"fresh_for": HOUR, "max_age": timedelta(minutes=1)},
    ],
)
async def test_windows_that_do_not_fit_are_refused(sdk: Any, kept: Kept, windows: Any) -> None:
    with pytest.raises(ValueError, match="must"):
        await sdk.swr("k", Loader(), **windows)
