"""A real agent server's stores for tests that are asked to run on them.

``RUNYARD_TEST_SERVER`` is the path of a socket. Each connection to it is a world of its own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from runyard_host.peer import Call, Peer
from runyard_host.port import Json, JsonObject

SERVER = os.environ.get("RUNYARD_TEST_SERVER")


@asynccontextmanager
async def connected() -> AsyncIterator[Peer]:
    """A connection; all that was stored is forgotten behind it."""
    peer = Peer(_refuse, _pass_over)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_unix_connection(lambda: peer, SERVER)
    try:
        yield peer
    finally:
        transport.close()
        await peer.ended


async def _refuse(call: Call) -> Json:
    raise NotImplementedError(call.method)


def _pass_over(_method: str, _params: JsonObject) -> None:
    pass
