"""The store on a server's items."""

from __future__ import annotations

import asyncio

import pytest
from langgraph.store.base import ListNamespacesOp, MatchCondition, PutOp, SearchOp

from runyard_host.callbacks import WireItems
from runyard_host.errors import AppError
from runyard_host.peer import Peer
from runyard_host.store.store import HostStore


async def test_items_are_found_by_prefix_and_condition_page_by_page(server: Peer) -> None:
    store = HostStore(WireItems(server))
    await asyncio.gather(
        *[store.aput(("notes", str(n % 2)), f"k{n}", {"n": n, "odd": n % 2 == 1}) for n in range(6)]
    )
    assert len(await store.asearch(("notes",))) == 6
    assert [one.key for one in await store.asearch(("notes",), filter={"n": {"$gte": 4}})] != []
    odd = await store.asearch(("notes",), filter={"odd": True})
    assert {one.key for one in odd} == {"k1", "k3", "k5"}
    pages = [await store.asearch(("notes",), limit=4, offset=offset) for offset in (0, 4)]
    assert [len(page) for page in pages] == [4, 2]
    assert len({one.key for page in pages for one in page}) == 6
    [item] = await store.asearch(("notes",), filter={"n": 3}, query="without an index")
    assert (item.value, item.namespace, item.score) == ({"n": 3, "odd": True}, ("notes", "1"), None)


async def test_namespaces_are_listed_by_their_ends(server: Peer) -> None:
    store = HostStore(WireItems(server))
    for namespace in [("a", "b", "x"), ("a", "c", "x"), ("a", "c", "y"), ("d", "c", "x")]:
        await store.aput(namespace, "k", {})
    listed = await store.alist_namespaces(prefix=("a",), suffix=("x",))
    assert listed == [("a", "b", "x"), ("a", "c", "x")]
    assert await store.alist_namespaces(prefix=("*", "c"), max_depth=2) == [("a", "c"), ("d", "c")]
    assert await store.alist_namespaces(limit=1, offset=3) == [("d", "c", "x")]
    both = (MatchCondition("prefix", ("a",)), MatchCondition("prefix", ("*", "c")))
    assert await store.abatch([ListNamespacesOp(both)]) == [[("a", "c", "x"), ("a", "c", "y")]]


async def test_an_item_goes_when_its_time_is_up(server: Peer) -> None:
    store = HostStore(WireItems(server))
    await store.aput(("a",), "short", {"n": 1}, ttl=0.002)
    await store.aput(("a",), "long", {"n": 2})

    async with asyncio.timeout(10):
        while await store.aget(("a",), "short", refresh_ttl=False) is not None:
            pass
    assert [one.key for one in await store.asearch(("a",))] == ["long"]


async def test_a_batch_reads_before_it_writes_and_writes_all_or_nothing(server: Peer) -> None:
    store = HostStore(WireItems(server))
    await store.aput(("a",), "1", {"n": 1})
    _, found = await store.abatch([PutOp(("a",), "1", None), SearchOp(("a",))])
    assert isinstance(found, list)
    assert len(found) == 1
    long_key = "k" * 2000
    puts = [PutOp(("a",), "2", {}), PutOp(("a",), long_key, {})]
    with pytest.raises(AppError, match="too long"):
        await store.abatch(puts)
    assert await store.asearch(("a",)) == []
    with pytest.raises(AppError, match="no operator"):
        await store.asearch(("a",), filter={"n": {"$like": "x"}})
