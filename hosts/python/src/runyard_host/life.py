"""
Ends this process when the agent server is gone, whatever its graphs do at the time.

A thread watches the connection, since the event loop may be blocked. If even a thread cannot act,
because C code holds the interpreter's lock or the process is stopped, the system does: it wakes a
stopped host when its server dies, and ``faulthandler`` ends one whose thread has not run for
minutes.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import select
import signal
import sys
import threading
import time

GRACE_S = 1.0
# Each look starts a thread of ``faulthandler``.
_LOOK_MS = 30_000
_DEAD_S = 300
_PR_SET_PDEATHSIG = 1


def end_with(descriptor: int) -> None:
    """From now on the process and its group end a second after the other side closes this."""
    _wake_when_orphaned()
    threading.Thread(target=_watch, args=(descriptor,), name="runyard-life", daemon=True).start()


def end_group() -> None:
    """Ends this process and all processes that it started, at once."""
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _watch(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLHUP | getattr(select, "POLLRDHUP", 0))
    while True:
        with contextlib.suppress(RuntimeError, ValueError, OSError):
            faulthandler.dump_traceback_later(_DEAD_S, exit=True)
        if poll.poll(_LOOK_MS):
            break
    time.sleep(GRACE_S)
    end_group()


def _wake_when_orphaned() -> None:
    """A stopped process would not notice its server's death."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)
