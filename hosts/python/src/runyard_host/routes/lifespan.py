"""The lifespan of a project's app: begun before its first request, ended with the host."""

from __future__ import annotations

import asyncio
from typing import Any

from ..asgi import App, Message
from ..errors import AppError, format_traceback


class Lifespan:
    """Runs in a task of its own, since a context must be left in the task that entered it."""

    def __init__(self, app: App, what: str) -> None:
        self.state: dict[str, Any] = {}
        """What the app has noted for its requests."""
        self._app = app
        self._what = what
        self._asked: asyncio.Queue[Message] = asyncio.Queue()
        self._answered: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """
        Returns once the app is ready. An app that knows no lifespan has none. Raises
        ``bad_request`` with the traceback of one that fails.
        """
        self._task = asyncio.create_task(self._run())
        answer = await self._ask("lifespan.startup")
        if answer is None or answer["type"] == "lifespan.startup.complete":
            return
        raise AppError(
            "bad_request", f"{self._what} could not be started: {await self._reason(answer)}"
        )

    async def stop(self) -> None:
        """Returns once the app has ended its lifespan. Raises if the app fails to."""
        task, self._task = self._task, None
        if task is None or task.done():
            return
        self._task = task
        answer = await self._ask("lifespan.shutdown")
        self._task = None
        if answer is not None and answer["type"] == "lifespan.shutdown.failed":
            raise AppError("internal", f"{self._what} could not be ended: {answer.get('message')}")
        await asyncio.wait({task}, timeout=1)

    async def _run(self) -> None:
        scope = {
            "type": "lifespan",
            "asgi": {"version": "3.0", "spec_version": "2.0"},
            "state": self.state,
        }
        await self._app(scope, self._asked.get, self._answered.put)

    async def _ask(self, kind: str) -> Message | None:
        """The app's reply to the message; ``None`` if its lifespan ends without one."""
        assert self._task is not None
        self._asked.put_nowait({"type": kind})
        answer = asyncio.ensure_future(self._answered.get())
        try:
            await asyncio.wait({answer, self._task}, return_when=asyncio.FIRST_COMPLETED)
            return answer.result() if answer.done() else self._last_word()
        finally:
            answer.cancel()

    def _last_word(self) -> Message | None:
        return None if self._answered.empty() else self._answered.get_nowait()

    async def _reason(self, answer: Message) -> str:
        assert self._task is not None
        await asyncio.wait({self._task}, timeout=1)
        error = self._task.exception() if self._task.done() else None
        return format_traceback(error) if error else str(answer.get("message", ""))
