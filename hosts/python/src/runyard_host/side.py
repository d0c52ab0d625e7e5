"""The host's reports: one JSON object a line on descriptor 4, from any thread."""

from __future__ import annotations

import json
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Tell: TypeAlias = Callable[[Mapping[str, Any]], None]
"""``Side.tell``, for the parts that report."""

_MOST_WAITING = 4096


def log_entry(level: str, message: str, **more: Any) -> dict[str, Any]:
    """A line for the server's log, of the host itself."""
    return {"kind": "log", "level": level, "logger": "runyard", "message": message, **more}


class Side:
    """
    Writes from a thread of its own, so that no caller waits for the reader. Reports that come
    faster than they are read are dropped, and counted in a report.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting: deque[bytes] = deque()
        self._lost = 0
        self._wake = threading.Event()
        self._is_over = False
        self._thread = threading.Thread(target=self._write_all, name="runyard-side", daemon=True)
        self._thread.start()

    def tell(self, entry: Mapping[str, Any]) -> None:
        """Reports one object; its parts that are no JSON become text. Raises nothing."""
        if len(self._waiting) >= _MOST_WAITING:
            self._lost += 1
            return
        self._waiting.append(_line(entry))
        self._wake.set()

    def close(self) -> None:
        """Writes the remaining reports, for a second at most."""
        self._is_over = True
        self._wake.set()
        self._thread.join(timeout=1)

    def _write_all(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._waiting:
                if not self._write(self._waiting.popleft()):
                    return
            if self._lost:
                lost, self._lost = self._lost, 0
                message = f"{lost} lines of the log were lost: they came too fast"
                self._waiting.append(_line(log_entry("warn", message)))
                self._wake.set()
            elif self._is_over:
                return

    def _write(self, line: bytes) -> bool:
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError:
            return False
        return True


def _line(entry: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(entry, default=str)
    except (TypeError, ValueError):
        text = json.dumps({name: str(value) for name, value in entry.items()})
    return text.encode() + b"\n"
