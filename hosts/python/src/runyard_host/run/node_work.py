"""Tracks which functions of a run's nodes are running.

When the run is stopped, asynchronous nodes are cancelled; a function that runs in a thread cannot
be. Only this module knows when all of them have ended. LangGraph calls the functions of nodes, of
tasks of its functional API and of branches by one class, which is watched: so functions of graphs
that a node calls are tracked too. Nodes that are no functions (a model by itself) are not.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any

from langchain_core.runnables.config import run_in_executor
from langgraph._internal._runnable import RunnableCallable
from langgraph.graph._branch import BranchSpec
from langgraph.pregel._read import ChannelRead
from langgraph.pregel._write import ChannelWrite

from ..place import Place, at_place

OnNode = Callable[["str | None", "str | None", "str | None"], None]

# Functions that are LangGraph's own, not a node's.
_INTERNAL = ("langgraph.pregel", "langgraph.graph.", "langgraph.func", "langgraph._internal")
_WATCHED = "__runyard_watched__"
_BRANCH = "__runyard_branch__"


class NodeExit(RuntimeError):  # noqa: N818 - it replaces SystemExit
    """A node has called ``sys.exit``, which would end all other runs too."""


class NodeWork:
    """The functions of one run's nodes that have been called and have not ended."""

    def __init__(self, run_id: str, thread_id: str | None, on_node: OnNode) -> None:
        self._run_id = run_id
        self._thread_id = thread_id
        self._on_node = on_node
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._count = 0
        self._is_over = False
        self._is_awaited = False
        self._idle = asyncio.Event()
        self.is_stopping = False
        """From now on no function is called any more, and what one answers is not taken."""

    @contextmanager
    def watch(self) -> Iterator[None]:
        """All functions that are called within belong to this run."""
        token = _current.set(self)
        try:
            with at_place(Place(self._run_id, self._thread_id)):
                yield
        finally:
            _current.reset(token)

    @contextmanager
    def call(self, node: str | None, *, is_told: bool) -> Iterator[None]:
        """Around the function of a node or of a branch, in its own thread or task."""
        self.begin()
        try:
            with at_place(Place(self._run_id, self._thread_id, node)):
                if is_told:
                    self._on_node(self._run_id, self._thread_id, node)
                yield
        except SystemExit as error:
            raise NodeExit(f"The node has called sys.exit({error.code!r}).") from error
        finally:
            self.finish()

    async def ended(self) -> None:
        """Returns when no function is running; none begins afterwards."""
        while True:
            with self._lock:
                if self._count == 0:
                    self._is_over = True
                    return
                self._is_awaited = True
                self._idle.clear()
            await self._idle.wait()

    def begin(self) -> None:
        """A function is about to be called."""
        with self._lock:
            if self.is_stopping or self._is_over:
                raise asyncio.CancelledError
            self._count += 1

    def finish(self) -> None:
        """The function has ended."""
        with self._lock:
            self._count -= 1
            is_awaited = self._count == 0 and self._is_awaited
        if is_awaited:
            self._loop.call_soon_threadsafe(self._idle.set)


_current: ContextVar[NodeWork | None] = ContextVar("runyard_node_work", default=None)


def watch_nodes() -> None:
    """Lets each ``NodeWork`` track the functions called within it. Repeated calls are harmless."""
    if getattr(RunnableCallable, _WATCHED, False):
        return
    setattr(RunnableCallable, _WATCHED, True)
    invoke, ainvoke = RunnableCallable.invoke, RunnableCallable.ainvoke

    @wraps(invoke)
    def watched_invoke(self: RunnableCallable, *args: Any, **kwargs: Any) -> Any:
        work = _current.get()
        if work is None or not _is_of_node(self):
            return invoke(self, *args, **kwargs)
        with work.call(_node_of(self, args, kwargs), is_told=_BRANCH not in self.__dict__):
            return invoke(self, *args, **kwargs)

    @wraps(ainvoke)
    async def watched_ainvoke(self: RunnableCallable, *args: Any, **kwargs: Any) -> Any:
        work = _current.get()
        if work is None or not self.afunc or not _is_of_node(self):
            return await ainvoke(self, *args, **kwargs)
        with work.call(_node_of(self, args, kwargs), is_told=_BRANCH not in self.__dict__):
            answer = await ainvoke(self, *args, **kwargs)
        if work.is_stopping:
            raise asyncio.CancelledError
        return answer

    patched: Any = RunnableCallable
    patched.invoke, patched.ainvoke = watched_invoke, watched_ainvoke


def _node_of(
    callable_: RunnableCallable, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str | None:
    config = args[1] if len(args) > 1 else kwargs.get("config")
    node = ((config or {}).get("metadata") or {}).get("langgraph_node")
    return node if isinstance(node, str) else callable_.name


def _is_of_node(callable_: RunnableCallable) -> bool:
    known: bool | None = callable_.__dict__.get(_WATCHED)
    if known is None:
        known = _prepare(callable_)
        callable_.__dict__[_WATCHED] = known
    return known


def _prepare(callable_: RunnableCallable) -> bool:
    """Whether the function is a node's. One that is called in a thread is watched there."""
    if isinstance(callable_, ChannelWrite | ChannelRead):
        return False
    branch = getattr(callable_.func, "__self__", None)
    if isinstance(branch, BranchSpec):
        # The branch is called before the function by which it chooses.
        branch.path.__dict__[_BRANCH] = True
        return False
    module = getattr(callable_.func or callable_.afunc, "__module__", None) or ""
    if module.startswith(_INTERNAL):
        return False
    afunc = callable_.afunc
    if isinstance(afunc, partial) and afunc.func is run_in_executor and len(afunc.args) > 1:
        executor, func, *rest = afunc.args
        in_thread = partial(run_in_executor, executor, _in_thread(func), *rest)
        callable_.afunc = wraps(func)(in_thread)
    return True


def _in_thread(func: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(func)
    def watched(*args: Any, **kwargs: Any) -> Any:
        work = _current.get()
        if work is None:
            return func(*args, **kwargs)
        work.begin()
        try:
            return func(*args, **kwargs)
        finally:
            work.finish()

    return watched
