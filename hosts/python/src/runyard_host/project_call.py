"""Calls a function of the project's, whether or not it is a coroutine function."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any


async def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """
    Awaits a coroutine function; calls a plain function in a thread, since it may wait for its
    database or its model there.
    """
    if is_async(function):
        return await function(*args, **kwargs)
    answer = await asyncio.to_thread(function, *args, **kwargs)
    return await answer if inspect.isawaitable(answer) else answer


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call returns a coroutine; for objects, ``__call__`` decides."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )
