"""The present work's place in a run, for log lines and the watch on the event loop.

The place follows the chain of calls, into tasks and threads that a node starts, as Python's
contexts do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary


@dataclass(frozen=True, slots=True)
class Place:
    """The ids of a run, and the node of its graph whose function is called."""

    run_id: str | None = None
    thread_id: str | None = None
    node: str | None = None

    def fields(self) -> dict[str, str]:
        """The fields that are known, by their names on the wire."""
        known = {"run_id": self.run_id, "thread_id": self.thread_id, "node": self.node}
        return {name: value for name, value in known.items() if value is not None}


NOWHERE = Place()

_current: ContextVar[Place] = ContextVar("runyard_place", default=NOWHERE)
# Python 3.11 does not show the context of a task that runs in another thread.
_of_tasks: WeakKeyDictionary[asyncio.Task[Any], Place] = WeakKeyDictionary()


def current_place() -> Place:
    """The place of the present chain of calls; ``NOWHERE`` outside of runs."""
    return _current.get()


@contextmanager
def at_place(place: Place) -> Iterator[None]:
    """Does the work inside the block at this place: a run, or a call of a node."""
    task = _task_here()
    before = _of_tasks.get(task) if task else None
    token = _current.set(place)
    if task:
        _of_tasks[task] = place
    try:
        yield
    finally:
        _reset(token)
        if task and before is not None:
            _of_tasks[task] = before
        elif task:
            _of_tasks.pop(task, None)


def place_of(task: asyncio.Task[Any]) -> Place:
    """The place of a task's work; may be called from another thread."""
    get_context = getattr(task, "get_context", None)
    context: Context | None = get_context() if get_context else None
    if context is not None:
        return context.get(_current, NOWHERE)
    return _of_tasks.get(task, NOWHERE)


def _task_here() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def _reset(token: Any) -> None:
    # A generator may be closed in another context than it was begun in.
    try:
        _current.reset(token)
    except ValueError:
        _current.set(NOWHERE)
