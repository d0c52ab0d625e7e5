"""Calls a function of the project's, be it a coroutine function or not."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any


async def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """
    Awaits what is to be awaited; a plain function is called in a thread, since it may wait for its
    database or its model there.
    """
    if is_async(function):
        return await function(*args, **kwargs)
    answer = await asyncio.to_thread(function, *args, **kwargs)
    return await answer if inspect.isawaitable(answer) else answer


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call answers a coroutine: of objects their ``__call__`` says so."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )
