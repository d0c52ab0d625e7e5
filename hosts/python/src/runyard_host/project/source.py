"""Turns a project's export into a compiled graph."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import typing
from collections.abc import Callable
from typing import Any, TypeAlias

from langgraph.pregel import Pregel
from langgraph.pregel.protocol import PregelProtocol

from ..errors import AppError, format_traceback

Graph: TypeAlias = Any
"""A compiled graph: ``Pregel``, or what has its methods (``RemoteGraph``)."""

Factory: TypeAlias = Callable[..., Any]

# How `ServerRuntime`, an alias, is written out.
_RUNTIMES = ("ServerRuntime", "_ReadRuntime", "_ExecutionRuntime")
_METHODS = ("astream", "aget_state", "aget_state_history", "aupdate_state")


def is_factory(exported: object) -> bool:
    """Whether the export makes a graph for each use."""
    return callable(exported) and to_graph(exported) is None


def to_graph(value: object) -> Graph | None:
    """The compiled graph, or that of a builder; ``None``: it is neither."""
    if isinstance(value, Pregel | PregelProtocol) or _has_methods(value):
        return value
    if isinstance(value, type) or not callable(build := getattr(value, "compile", None)):
        return None
    compiled = build()
    return compiled if isinstance(compiled, PregelProtocol) or _has_methods(compiled) else None


def read_graph(exported: object, what: str) -> Graph:
    """The graph of an export that is no factory. Raises ``bad_request``."""
    try:
        graph = to_graph(exported)
    except Exception as error:
        message = f"{what} cannot be compiled.\n{format_traceback(error)}"
        raise AppError("bad_request", message) from error
    return require_graph(graph, exported, f"{what} is")


def require_graph(graph: Graph | None, value: object, what: str) -> Graph:
    """Raises ``bad_request`` if there is no graph."""
    if graph is not None:
        return graph
    kind = "None" if value is None else f"a {type(value).__name__}"
    raise AppError(
        "bad_request",
        f"{what} {kind}, which is no graph of LangGraph. Export a compiled graph, a StateGraph, "
        "or a function that answers one.",
    )


class Made:
    """A graph that a factory made. If the factory made a context, ``close`` leaves it."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def make(self, factory: Factory, arguments: dict[str, Any]) -> Graph:
        """Calls the factory, and raises its errors."""
        made = factory(**arguments)
        if inspect.isawaitable(made):
            made = await made
        if hasattr(made, "__aenter__") or hasattr(made, "__enter__"):
            made = await self._enter(made)
        return require_graph(to_graph(made), made, f"{self._what} answered")

    async def close(self) -> None:
        """Leaves the context. A second time, or without one, it does nothing."""
        self._closing.set()
        if self._task is not None:
            with contextlib.suppress(Exception):
                await asyncio.shield(self._task)

    async def _enter(self, context: Any) -> Any:
        entered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # One task enters and leaves: cancel scopes of anyio must be left where they were entered.
        self._task = asyncio.create_task(self._within(context, entered))
        try:
            return await asyncio.shield(entered)
        except asyncio.CancelledError:
            self._task.cancel()
            raise

    async def _within(self, context: Any, entered: asyncio.Future[Any]) -> None:
        try:
            async with contextlib.AsyncExitStack() as stack:
                if hasattr(context, "__aenter__"):
                    entered.set_result(await stack.enter_async_context(context))
                else:
                    entered.set_result(stack.enter_context(context))
                await self._closing.wait()
        except BaseException as error:
            if entered.done():
                raise
            entered.set_exception(error)


def arguments_of(factory: Factory, config: Any, runtime: Callable[[], Any]) -> dict[str, Any]:
    """The factory's arguments: the config, the server's runtime, both or nothing."""
    taken: dict[str, Any] = {}
    hints = _hints_of(factory)
    for parameter in inspect.signature(factory).parameters.values():
        name = parameter.name
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        annotation = str(hints.get(name, parameter.annotation))
        if name == "runtime" or any(kind in annotation for kind in _RUNTIMES):
            taken[name] = runtime()
        elif name == "config" or "RunnableConfig" in annotation or _is_required(parameter):
            taken[name] = config
    return taken


def _hints_of(factory: Factory) -> dict[str, Any]:
    target = factory if inspect.isroutine(factory) else type(factory).__call__
    try:
        return typing.get_type_hints(inspect.unwrap(target))
    except Exception:
        return {}


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty


def _has_methods(value: object) -> bool:
    if isinstance(value, type):
        return False
    return all(callable(getattr(value, name, None)) for name in _METHODS)
