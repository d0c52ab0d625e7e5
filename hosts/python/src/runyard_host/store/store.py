"""LangGraph's store over the port ``Items``: the ``store`` that graphs find."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

from langgraph.store.base import (
    NOT_PROVIDED,
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    NotProvided,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from typing_extensions import override

from ..blocking import BlockingCalls
from ..port import Items, JsonObject
from .operations import (
    prepare,
    to_item,
    to_namespace_query,
    to_put,
    to_refresh,
    to_search,
    to_search_item,
)

OpT = TypeVar("OpT", bound=Op)
Waiting = tuple[Op, "asyncio.Future[Any]"]


class HostStore(BaseStore):
    """The items of the server. Made on the event loop; its blocking methods are for other threads.

    Operations that are begun in one turn of the loop are done together: first the reads, which see
    the state before, then the writes, all of them or none.
    """

    supports_ttl = True

    def __init__(self, items: Items) -> None:
        self._items = items
        self._blocking = BlockingCalls("store")
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Waiting] = []
        self._flushes: set[asyncio.Task[None]] = set()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Returns the results in the order of the operations."""
        operations = [prepare(one) for one in ops]
        return list(await asyncio.gather(*[self._enqueue(one) for one in operations]))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """``abatch`` for threads other than the event loop's."""
        return self._blocking.wait_for("batch", self.abatch(ops))

    async def aget(
        self, namespace: tuple[str, ...], key: str, *, refresh_ttl: bool | None = None
    ) -> Item | None:
        """The item; ``None``: there is none, or it has expired."""
        [found] = await self.abatch([_get(namespace, key, refresh_ttl)])
        return cast("Item | None", found)

    def get(
        self, namespace: tuple[str, ...], key: str, *, refresh_ttl: bool | None = None
    ) -> Item | None:
        """``aget``."""
        found = self.aget(namespace, key, refresh_ttl=refresh_ttl)
        return self._blocking.wait_for("get", found)

    @override
    async def asearch(
        self,
        namespace_prefix: tuple[str, ...],
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
    ) -> list[SearchItem]:
        """The items below the prefix, by their meaning if there is a query."""
        refresh = cast(bool, refresh_ttl)
        search = SearchOp(namespace_prefix, filter, limit, offset, query, refresh)
        [found] = await self.abatch([search])
        return cast("list[SearchItem]", found)

    @override
    def search(self, *args: Any, **kwargs: Any) -> list[SearchItem]:
        """``asearch``, which has the same parameters."""
        return self._blocking.wait_for("search", self.asearch(*args, **kwargs))

    async def aput(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | NotProvided | None = NOT_PROVIDED,
    ) -> None:
        """Stores the item, in place of one with the same key."""
        if value is None:
            raise TypeError("The value of an item is a mapping; `adelete` removes an item.")
        await self.abatch([PutOp(namespace, str(key), value, index, cast("float | None", ttl))])

    def put(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | NotProvided | None = NOT_PROVIDED,
    ) -> None:
        """``aput``."""
        self._blocking.wait_for("put", self.aput(namespace, key, value, index, ttl=ttl))

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        """``adelete``."""
        self._blocking.wait_for("delete", self.adelete(namespace, key))

    def list_namespaces(self, **query: Any) -> list[tuple[str, ...]]:
        """``alist_namespaces``."""
        return self._blocking.wait_for("list_namespaces", self.alist_namespaces(**query))

    def __repr__(self) -> str:
        return "[Store]"

    def _enqueue(self, operation: Op) -> asyncio.Future[Any]:
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._waiting.append((operation, answer))
        if len(self._waiting) == 1:
            self._loop.call_soon(self._begin_flush)
        return answer

    def _begin_flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        flush = self._loop.create_task(self._flush(waiting))
        self._flushes.add(flush)
        flush.add_done_callback(self._flushes.discard)

    async def _flush(self, waiting: list[Waiting]) -> None:
        # One call for all searches with the same `refresh_ttl`.
        ways: dict[bool | None, list[tuple[SearchOp, asyncio.Future[Any]]]] = {}
        for search in _of(waiting, SearchOp):
            ways.setdefault(search[0].refresh_ttl, []).append(search)
        await asyncio.gather(
            *[_settle(together, self._search) for together in ways.values()],
            *[_settle([one], self._get) for one in _of(waiting, GetOp)],
            *[_settle([one], self._list) for one in _of(waiting, ListNamespacesOp)],
        )
        if puts := _of(waiting, PutOp):
            await _settle(puts, self._put)

    async def _search(self, searches: list[SearchOp]) -> list[list[SearchItem]]:
        asked = [to_search(one) for one in searches]
        all_found = await self._items.search_all(asked, to_refresh(searches[0]))
        return [[to_search_item(item) for item in found] for found in all_found]

    async def _get(self, gets: list[GetOp]) -> list[Item | None]:
        item_id = {"namespace": list(gets[0].namespace), "key": str(gets[0].key)}
        found = await self._items.get(item_id, to_refresh(gets[0]))
        return [None if found is None else to_item(found)]

    async def _list(self, lists: list[ListNamespacesOp]) -> list[list[tuple[str, ...]]]:
        query = to_namespace_query(lists[0])
        page: JsonObject = {"limit": lists[0].limit, "offset": lists[0].offset}
        found = [] if query is None else await self._items.namespaces(query, page)
        return [[tuple(namespace) for namespace in found]]

    async def _put(self, puts: list[PutOp]) -> list[None]:
        await self._items.write([to_put(operation) for operation in puts])
        return [None] * len(puts)


def _get(namespace: tuple[str, ...], key: str, refresh_ttl: bool | None) -> GetOp:
    """``None`` leaves it to the server's settings; LangGraph itself has only yes and no."""
    return GetOp(namespace, str(key), cast(bool, refresh_ttl))


def _of(waiting: list[Waiting], kind: type[OpT]) -> list[tuple[OpT, asyncio.Future[Any]]]:
    return [(one, answer) for one, answer in waiting if isinstance(one, kind)]


async def _settle(
    waiting: list[tuple[OpT, asyncio.Future[Any]]],
    work: Callable[[list[OpT]], Awaitable[Sequence[Any]]],
) -> None:
    """Gives each its result, or all of them the error. Skips callers that were cancelled."""
    answers = [answer for _, answer in waiting]
    try:
        found = await work([operation for operation, _ in waiting])
    except Exception as error:
        for answer in answers:
            if not answer.done():
                answer.set_exception(error)
        return
    for answer, value in zip(answers, found, strict=True):
        if not answer.done():
            answer.set_result(value)
