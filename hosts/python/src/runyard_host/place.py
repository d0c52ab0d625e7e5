"""Where in a run the present work is done: every log line and the watch on the event loop name it.

The place follows the chain of calls, into tasks and threads that a node starts as Python's contexts
do.
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
# Python 3.11 tells nobody the context of a task that runs in another thread.
_of_tasks: WeakKeyDictionary[asyncio.Task[Any], Place] = WeakKeyDictionary()


def current_place() -> Place:
    """The place of the present chain of calls; ``NOWHERE`` outside of runs."""
    return _current.get()


@contextmanager
def at_place(place: Place) -> Iterator[None]:
    """Does the work within at this place: around a run, and around each call of a node."""
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
    """The place where a task is at work; may be asked from another thread."""
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
