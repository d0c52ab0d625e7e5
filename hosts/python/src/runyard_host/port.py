"""The callbacks of the host's parts, in the words of the agent server's port.

Every value is JSON (``dict``, ``list``, ``str``, numbers, ``bool``, ``None``) or ``bytes``, with
the fields that the types in ``src/core/agent`` name. ``callbacks.py`` implements these on the
connection; tests have their own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
Headers: TypeAlias = list[tuple[str, str]]


class Checkpoints(Protocol):
    """``GraphCheckpoints``: where checkpoints are kept, of one run or of the host's own."""

    async def put(
        self, checkpoint: JsonObject, versions: dict[str, str], values: list[JsonObject]
    ) -> None:
        """Stores a ``StoredCheckpoint``; ``values`` are the channels that are new."""

    async def put_writes(self, key: JsonObject, writes: list[JsonObject]) -> None:
        """Stores writes of tasks beside a checkpoint."""

    async def get(self, at: JsonObject) -> JsonObject | None:
        """Returns a ``CheckpointRecord``."""

    async def list(self, query: JsonObject) -> list[JsonObject]:
        """Returns ``CheckpointRecord`` objects, the newest first."""

    async def delete_thread(self, thread_id: str) -> None:
        """Removes all checkpoints of a thread."""


class Items(Protocol):
    """``GraphItems``: the items of the store."""

    async def get(
        self, item_id: JsonObject, refresh: JsonObject | None = None
    ) -> JsonObject | None:
        """Returns an ``Item``."""

    async def write(self, puts: list[JsonObject]) -> None:
        """Writes all ``ItemPut`` objects or none."""

    async def search_all(
        self, searches: list[JsonObject], refresh: JsonObject | None = None
    ) -> list[list[JsonObject]]:
        """Returns one list of ``FoundItem`` objects for each ``ItemSearch``."""

    async def namespaces(self, query: JsonObject, page: JsonObject) -> list[list[str]]:
        """Returns the namespaces that match."""


@dataclass(frozen=True)
class Request:
    """A request of HTTP without its body."""

    method: str
    url: str
    headers: Headers


@dataclass(frozen=True)
class Response:
    """
    A response of HTTP; ``body`` is read as it comes. ``failure``: the error that it reports, for
    the log.
    """

    status: int
    headers: Headers
    body: AsyncIterator[bytes]
    failure: JsonObject | None = None


class Cache(Protocol):
    """The server's cache in memory: texts by their keys, which expire."""

    async def get(self, key: str) -> str | None:
        """``None``: there is no text, or it has expired."""

    async def set(self, key: str, value: str, ttl_ms: int) -> None:
        """Raises ``AppError`` if the text is too long."""


class Calls(Protocol):
    """``HostCalls``: all calls of the host to the agent server."""

    @property
    def checkpoints(self) -> Checkpoints:
        """The checkpoints of graphs outside of runs."""

    @property
    def items(self) -> Items:
        """The store, as nodes use it."""

    @property
    def cache(self) -> Cache:
        """The project's cache."""

    def on_node(self, run_id: str | None, thread_id: str | None, node: str | None) -> None:
        """Reports a function of a node, just before it is called."""

    async def fetch(
        self,
        request: Request,
        body: AsyncIterator[bytes] | None = None,
        *,
        as_project: bool = False,
    ) -> Response:
        """Calls the agent server itself, without a key; ``as_project``: without its auth too."""
