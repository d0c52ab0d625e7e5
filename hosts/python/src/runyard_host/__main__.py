"""Starts the host on the descriptors that the agent server passes to it."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .life import end_with
from .load import load
from .server import Server
from .side import Side

CALLS, SIDE = 3, 4
_THREADS = 64
_log = logging.getLogger("runyard")


def main() -> None:
    """Runs until the connection ends."""
    for descriptor in (CALLS, SIDE):
        os.set_inheritable(descriptor, False)
    # Ctrl-C is for the server, which ends this process when its runs have ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(CALLS)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    side = Side(SIDE)
    code = 1
    try:
        run_to_the_end(lambda: serve(side))
        # Exit functions may wait: ``life.py`` gives the process a second.
        atexit._run_exitfuncs()
        side.close()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        # Threads that nodes left behind may never end.
        os._exit(code)


def run_to_the_end(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs ``work`` on an event loop, and goes on when code there exits or stops the loop."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    task = loop.create_task(work())
    while not task.done():
        try:
            loop.run_until_complete(task)
        except SystemExit:
            _log.exception("code outside of a node has called for the end of the process")
        except KeyboardInterrupt:
            continue
        except RuntimeError:
            if task.done() or loop.is_closed():
                raise
            _log.exception("the project's code has stopped the event loop: it goes on")
    with contextlib.suppress(asyncio.CancelledError):
        task.result()


async def serve(side: Side) -> None:
    """Serves calls until the agent server ends the connection."""
    server = Server(lambda start, calls: load(start, calls, side))
    connection = socket.socket(fileno=CALLS)
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    # Each function of a node that is no coroutine takes a thread for as long as it waits.
    loop.set_default_executor(ThreadPoolExecutor(_THREADS, "runyard"))
    await loop.create_connection(lambda: server.peer, sock=connection)
    await server.peer.ended


if __name__ == "__main__":
    main()
