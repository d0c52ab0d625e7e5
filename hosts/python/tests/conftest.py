from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from runyard_host.callbacks import WireCheckpoints
from runyard_host.peer import Peer

from .checkpoints.memory import MemoryCheckpoints
from .checkpoints.noted import NotedCheckpoints
from .connection import SERVER, connected

if SERVER is None:
    collect_ignore_glob = ["*/test_on_a_server.py"]


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Peer | None]:
    """The connection to a server, where there is one."""
    if SERVER is None:
        yield None
        return
    async with connected() as peer:
        yield peer


@pytest_asyncio.fixture
async def checkpoints(server: Peer | None) -> NotedCheckpoints:
    """In memory, or the server's."""
    return NotedCheckpoints(WireCheckpoints(server) if server else MemoryCheckpoints())
