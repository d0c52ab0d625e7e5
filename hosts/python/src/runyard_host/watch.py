"""
A thread that notices when a graph blocks the event loop, so that no other run goes on. Each second
it also reports that the interpreter runs.
"""

from __future__ import annotations

import asyncio
import sys
import sysconfig
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from .place import NOWHERE, Place, place_of
from .side import Tell, log_entry

_OWN = (str(Path(__file__).parent), str(Path(__file__).parents[2] / "run.py"))
_LIBRARIES = ("site-packages", "dist-packages", sysconfig.get_path("stdlib"), "<frozen")
_MOST_CALLS = 3


@dataclass(frozen=True)
class Limits:
    """All in seconds."""

    look_s: float = 1.0
    """How often it looks, and says that it lives."""
    blocked_s: float = 5.0
    """How long the loop may be blocked until it is told of; then again after twice as long."""


class Watch:
    """Watches the event loop of the thread that makes this."""

    def __init__(self, tell: Tell, limits: Limits | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._tell = tell
        self._limits = limits or Limits()
        self._is_over = threading.Event()
        self._went_round_at = 0.0
        self._is_asked = False
        self._thread = threading.Thread(target=self._watch, name="runyard-watch", daemon=True)

    def start(self) -> None:
        """Watches from now on, until ``stop``."""
        self._went_round_at = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Ends the watch. A second call is harmless."""
        self._is_over.set()

    def _watch(self) -> None:
        looked_at = time.monotonic()
        tell_after = self._limits.blocked_s
        while not self._is_over.wait(self._limits.look_s):
            now = time.monotonic()
            if now - looked_at > 4 * self._limits.look_s:
                # The whole process was paused, this thread too.
                self._went_round_at = now
            looked_at = now
            self._tell({"kind": "beat"})
            if not self._is_asked:
                if tell_after > self._limits.blocked_s:
                    tell_after = self._limits.blocked_s
                    message = "the event loop of the Python host goes on"
                    self._tell(log_entry("warn", message))
                self._ask(now)
            elif (blocked_s := now - self._went_round_at) >= tell_after:
                tell_after = 2 * blocked_s
                self._tell_blocked(blocked_s)

    def _ask(self, now: float) -> None:
        """Asks the loop to show that it goes round."""
        self._went_round_at = now
        self._is_asked = True
        try:
            self._loop.call_soon_threadsafe(self._answer)
        except RuntimeError:
            self._is_over.set()

    def _answer(self) -> None:
        self._is_asked = False

    def _tell_blocked(self, blocked_s: float) -> None:
        place, frame = self._place(), sys._current_frames().get(self._loop_thread)
        at = _calls(frame) if frame else []
        ms = round(blocked_s * 1000)
        self._tell({"kind": "blocked", "ms": ms, **place.fields(), "at": at})

    def _place(self) -> Place:
        try:
            task = asyncio.current_task(self._loop)
        except Exception:
            # The thread must go on, even if this Python does not show another thread's tasks.
            task = None
        return place_of(task) if task else NOWHERE


def _calls(frame: FrameType | None) -> list[str]:
    """The innermost calls of the project's code, ``file:line function``; else those of any code."""
    calls: list[tuple[str, str]] = []
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_OWN):
            calls.append((file, f"{file}:{frame.f_lineno} {frame.f_code.co_qualname}"))
        frame = frame.f_back
    own = [call for file, call in calls if not any(one in file for one in _LIBRARIES)]
    return (own or [call for _, call in calls])[:_MOST_CALLS]
