from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from runyard_host.port import JsonObject
from runyard_host.store.store import HostStore

MOMENT = "2026-11-22T10:00:00.000Z"


class MemoryItems:
    """Holds items without conditions, and notes each call."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, ...], JsonObject] = {}
        self.calls: list[tuple[Any, ...]] = []
        self.broken: Exception | None = None

    async def get(self, item_id: JsonObject, refresh: JsonObject | None = None) -> Any:
        self.calls.append(("get", item_id["key"], refresh))
        return self.items.get((*item_id["namespace"], item_id["key"]))

    async def write(self, puts: list[JsonObject]) -> None:
        self.calls.append(("write", puts))
        if self.broken:
            raise self.broken
        for put in puts:
            at = (*put["namespace"], put["key"])
            if put["value"] is None:
                self.items.pop(at, None)
            else:
                times = {"created_at": MOMENT, "updated_at": MOMENT}
                named = {"namespace": put["namespace"], "key": put["key"]}
                self.items[at] = {**named, "value": put["value"], **times}

    async def search_all(
        self, searches: list[JsonObject], refresh: JsonObject | None = None
    ) -> list[list[JsonObject]]:
        self.calls.append(("search", searches, refresh))
        return [[{**one, "score": 0.5} for one in self.items.values()] for _ in searches]

    async def namespaces(self, query: JsonObject, page: JsonObject) -> list[list[str]]:
        self.calls.append(("namespaces", query, page))
        return [list(at[:-1]) for at in self.items]


async def test_an_item_is_found_again_as_langgraph_knows_it() -> None:
    store = HostStore(MemoryItems())
    await store.aput(("users", "ann"), "likes", {"tea": True, "at": datetime(2026, 1, 1)})
    when = datetime(2026, 11, 22, 10, tzinfo=UTC)
    found = await store.aget(("users", "ann"), "likes")
    assert found == Item(
        value={"tea": True, "at": "2026-01-01T00:00:00"},
        key="likes",
        namespace=("users", "ann"),
        created_at=when,
        updated_at=when,
    )
    [hit] = await store.asearch(("users",), query="drinks")
    assert (hit.key, hit.score, hit.namespace) == ("likes", 0.5, ("users", "ann"))
    assert await store.alist_namespaces(prefix=("users",)) == [("users", "ann")]
    await store.adelete(("users", "ann"), "likes")
    assert await store.aget(("users", "ann"), "likes") is None


async def test_what_begins_together_goes_as_one_call_and_reads_come_before_writes() -> None:
    items = MemoryItems()
    store = HostStore(items)
    *_, before, found, _found = await asyncio.gather(
        store.aput(("a",), "1", {"n": 1}),
        store.aput(("a",), "2", {"n": 2}),
        store.aget(("a",), "1"),
        store.asearch(("a",)),
        store.asearch(("b",)),
    )
    assert (before, found) == (None, [])
    assert [call[0] for call in items.calls] == ["search", "get", "write"]
    assert [put["key"] for put in items.calls[-1][1]] == ["1", "2"]


async def test_what_is_left_out_is_left_to_the_servers_settings() -> None:
    items = MemoryItems()
    store = HostStore(items)
    await store.aput(("a",), "default", {})
    await store.aput(("a",), "kept", {}, ttl=None, index=False)
    await store.aput(("a",), "short", {}, ttl=1.5, index=["text"])
    await store.aget(("a",), "short")
    await store.aget(("a",), "short", refresh_ttl=False)
    puts = [call[1][0] for call in items.calls if call[0] == "write"]
    common = {"namespace": ["a"], "value": {}}
    assert puts == [
        {**common, "key": "default"},
        {**common, "key": "kept", "index": False, "ttl_minutes": None},
        {**common, "key": "short", "index": ["text"], "ttl_minutes": 1.5},
    ]
    assert [call[2] for call in items.calls if call[0] == "get"] == [None, {"refresh_ttl": False}]


async def test_operations_of_a_batch_are_answered_in_their_order() -> None:
    items = MemoryItems()
    store = HostStore(items)
    await store.aput(("a",), "1", {"n": 1})
    conditions = (MatchCondition("prefix", ("a", "*")), MatchCondition("suffix", ("z",)))
    answers = await store.abatch(
        [
            PutOp(("a",), "1", None),
            GetOp(("a",), "1"),
            SearchOp(("a",), {"n": {"$gt": 0}}, 5, 1, "text"),
            ListNamespacesOp(conditions, max_depth=2, limit=3, offset=1),
        ]
    )
    assert answers[0] is None
    assert isinstance(answers[1], Item)
    assert answers[3] == [("a",)]
    assert items.calls[1] == (
        "search",
        [
            {
                "namespace_prefix": ["a"],
                "filter": {"n": {"$gt": 0}},
                "limit": 5,
                "offset": 1,
                "query": "text",
            }
        ],
        {"refresh_ttl": True},
    )
    query = {"prefix": ["a", "*"], "suffix": ["z"], "max_depth": 2}
    assert ("namespaces", query, {"limit": 3, "offset": 1}) in items.calls
    assert items.items == {}


async def test_conditions_of_one_end_are_joined() -> None:
    items = MemoryItems()
    store = HostStore(items)

    async def namespaces(*paths: tuple[str, ...]) -> Any:
        conditions = tuple(MatchCondition("suffix", path) for path in paths)
        return (await store.abatch([ListNamespacesOp(conditions)]))[0]

    await namespaces(("x", "*", "z"), ("y", "*"))
    assert items.calls[-1][1] == {"suffix": ["x", "y", "z"]}
    items.calls.clear()
    assert await namespaces(("y",), ("z",)) == []
    assert items.calls == []


async def test_threads_wait_and_the_loop_is_told_what_to_write() -> None:
    store = HostStore(MemoryItems())

    def work() -> Any:
        store.put(("a",), "1", {"n": 1})
        found = store.get(("a",), "1")
        hits = store.search(("a",))
        names = store.list_namespaces(prefix=("a",))
        store.delete(("a",), "1")
        return found and found.value, len(hits), names, store.get(("a",), "1")

    assert await asyncio.to_thread(work) == ({"n": 1}, 1, [("a",)], None)
    with pytest.raises(asyncio.InvalidStateError, match=r"await store\.aget"):
        store.get(("a",), "1")


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("a", 1)])
async def test_a_bad_namespace_is_refused_and_spoils_nothing_else(namespace: Any) -> None:
    items = MemoryItems()
    store = HostStore(items)
    answers = await asyncio.gather(
        store.aput(namespace, "1", {}), store.aput(("a",), "1", {}), return_exceptions=True
    )
    assert isinstance(answers[0], InvalidNamespaceError)
    assert answers[1] is None
    assert ("a", "1") in items.items


async def test_a_value_is_a_mapping() -> None:
    store = HostStore(MemoryItems())
    for value in (None, "text", ["list"]):
        with pytest.raises(TypeError, match="is a mapping"):
            await store.aput(("a",), "1", value)  # type: ignore[arg-type]


async def test_all_that_wrote_together_hear_why_it_was_refused() -> None:
    items = MemoryItems()
    items.broken = RuntimeError("away")
    store = HostStore(items)
    puts = [store.aput(("a",), str(n), {}) for n in range(2)]
    answers = await asyncio.gather(*puts, store.aget(("a",), "1"), return_exceptions=True)
    assert [type(answer) for answer in answers] == [RuntimeError, RuntimeError, type(None)]
