"""
One end of the connection: calls, streams, signals and notes, in both directions.

PROTOCOL.md describes the frames. Use all of this on the event loop's thread, except ``note``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, cast

from . import frames
from .errors import ConnectionEnded, from_wire_error, to_wire_error
from .port import Json, JsonObject
from .streams import Items, Sender

_log = logging.getLogger("runyard")


class Call:
    """
    A call of the other side: its method and params, and the stream of items in response.

    ``data``: the byte strings that the params refer to by place.
    """

    def __init__(
        self, peer: Peer, call_id: int, method: str, params: JsonObject, data: list[bytes]
    ) -> None:
        self._peer = peer
        self.id = call_id
        self.method = method
        self.params = params
        self.data = data
        self.is_aborted = False
        self._on_abort: Callable[[], object] | None = None
        self.items = Sender(lambda item: peer.send([frames.ITEM, call_id, item]), peer.drained)
        self.upload = Items(
            lambda count: peer.send([frames.CREDIT, call_id, count]),
            lambda: peer.send([frames.END, call_id]),
        )

    async def send(self, item: Json) -> bool:
        """Sends one item of the answer. ``False``: the rest is not wanted."""
        return await self.items.send(item)

    def on_abort(self, react: Callable[[], object]) -> None:
        """Has ``react`` called when the call's signal aborts, at once if it has."""
        self._on_abort = react
        if self.is_aborted:
            react()

    def abort(self) -> None:
        """The signal has aborted."""
        if self.is_aborted:
            return
        self.is_aborted = True
        if self._on_abort is not None:
            self._on_abort()


class OutgoingCall:
    """
    A call of ours: its answer, and the items that come before it.

    ``data``: the byte strings that the answer refers to by place.
    """

    def __init__(self, peer: Peer, call_id: int) -> None:
        self._peer = peer
        self.id = call_id
        self.data: list[bytes] = []
        self.answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        # A caller that only reads items gets the failure from them.
        self.answer.add_done_callback(_look_at)
        self.items = Items(
            lambda count: peer.send([frames.CREDIT, call_id, count]),
            lambda: peer.send([frames.UNWANTED, call_id]),
        )
        self.uploads = Sender(lambda item: peer.send([frames.ITEM, call_id, item]), peer.drained)

    def abort(self) -> None:
        """Aborts the call's signal; the call goes on until its answer."""
        if self._peer.is_calling(self.id):
            self._peer.send([frames.ABORT, self.id])


def _look_at(answer: asyncio.Future[Json]) -> None:
    if not answer.cancelled():
        answer.exception()


OnCall: TypeAlias = Callable[[Call], Awaitable[Json]]
OnNote: TypeAlias = Callable[[str, JsonObject], None]


class Peer(asyncio.Protocol):
    """One end. The host's calls have even ids; a test's other end has the odd ones."""

    first_id = 2

    def __init__(self, on_call: OnCall, on_note: OnNote) -> None:
        self._on_call = on_call
        self._on_note = on_note
        self._reader = frames.FrameReader()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._transport: asyncio.Transport | None = None
        self._last_id = self.first_id - 2
        self._outgoing: dict[int, OutgoingCall] = {}
        self._incoming: dict[int, Call] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._unsent: list[bytes] = []
        self._drained: asyncio.Future[None] | None = None
        self._is_over = False
        self.ended: asyncio.Future[None] = self._loop.create_future()

    async def call(self, method: str, params: JsonObject) -> Json:
        """Calls the agent server. A cancelled caller aborts the call's signal and waits no more."""
        return (await self.finished(self.begin(method, params))).answer.result()

    async def finished(self, call: OutgoingCall) -> OutgoingCall:
        """The call once it is answered; raises as ``call``."""
        try:
            await call.answer
        except asyncio.CancelledError:
            call.abort()
            raise
        return call

    def begin(
        self, method: str, params: JsonObject, upload: AsyncIterator[bytes] | None = None
    ) -> OutgoingCall:
        """Calls the agent server for items; ``upload`` is read as the server takes it."""
        if self._is_over:
            raise ConnectionEnded
        self._last_id += 2
        call = OutgoingCall(self, self._last_id)
        self.send([frames.CALL, call.id, method, params])
        self._outgoing[call.id] = call
        if upload is not None:
            self.keep(self._upload(call, upload))
        return call

    def note(self, method: str, params: JsonObject) -> None:
        """Sends a note, which has no answer; from any thread."""
        if threading.get_ident() == self._thread:
            self.send([frames.NOTE, method, params])
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.send, [frames.NOTE, method, params])

    def send(self, frame: list[Any]) -> None:
        """Sends a frame, together with all others of the same turn of the loop."""
        if self._is_over:
            return
        data = frames.pack(frame)
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent.append(data)

    def is_calling(self, call_id: int) -> bool:
        """Whether that call of ours has no answer yet."""
        return call_id in self._outgoing

    def drained(self) -> asyncio.Future[None] | None:
        """A future to await before more is sent; ``None``: there is no need to wait."""
        return self._drained

    def close(self) -> None:
        """Sends the remaining frames and ends the connection."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Frames, or parts of them, have arrived."""
        try:
            for frame in self._reader.feed(data):
                self._receive(frame)
        except Exception:
            _log.exception("the agent server sent what is no frame")
            if self._transport is not None:
                self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The agent server is gone: no call is answered any more."""
        self._is_over = True
        self.resume_writing()
        for call in self._outgoing.values():
            self._end(call, ConnectionEnded())
        self._outgoing.clear()
        for asked in list(self._incoming.values()):
            asked.items.unwant()
            asked.upload.end(ConnectionEnded())
            asked.abort()
        if not self.ended.done():
            self.ended.set_result(None)

    def pause_writing(self) -> None:
        """The other side does not read as fast as we write."""
        if self._drained is None:
            self._drained = self._loop.create_future()

    def resume_writing(self) -> None:
        """The other side has caught up."""
        drained, self._drained = self._drained, None
        if drained is not None and not drained.done():
            drained.set_result(None)

    # The frames

    def _receive(self, frame: frames.Frame) -> None:
        kind, about, *rest = frame.parts
        if kind == frames.CALL:
            method, params = rest
            call = Call(self, about, method, params, frame.data)
            self._incoming[about] = call
            self.keep(self._answer(call))
            return
        if kind == frames.NOTE:
            self._on_note(about, *rest)
            return
        value = rest[0] if rest else None
        if value is None and frame.data:
            value = frame.data[0]
        if about % 2 == self.first_id % 2:
            self._receive_answer(kind, about, value, frame.data)
        elif about in self._incoming:
            self._receive_more(kind, self._incoming[about], value)

    def _receive_answer(self, kind: int, call_id: int, value: Any, data: list[bytes]) -> None:
        call = self._outgoing.get(call_id)
        if call is None:
            return
        if kind == frames.ITEM:
            call.items.push(value)
        elif kind == frames.CREDIT:
            call.uploads.give(value)
        elif kind == frames.END:
            call.uploads.unwant()
        elif kind in (frames.ANSWER, frames.FAILURE):
            del self._outgoing[call_id]
            call.uploads.unwant()
            if kind == frames.FAILURE:
                self._end(call, from_wire_error(value))
                return
            call.items.end()
            call.data = data
            if not call.answer.done():
                call.answer.set_result(value)

    def _end(self, call: OutgoingCall, error: Exception) -> None:
        call.uploads.unwant()
        call.items.end(error)
        if not call.answer.done():
            call.answer.set_exception(error)

    def _receive_more(self, kind: int, call: Call, value: Any = None) -> None:
        if kind == frames.ABORT:
            call.abort()
        elif kind == frames.ITEM:
            call.upload.push(value)
        elif kind == frames.CREDIT:
            call.items.give(value)
        elif kind == frames.END:
            call.upload.end()
        elif kind == frames.UNWANTED:
            call.items.unwant()

    async def _answer(self, call: Call) -> None:
        try:
            value = await self._on_call(call)
            self.send([frames.ANSWER, call.id, value])
        except BaseException as error:
            with contextlib.suppress(Exception):
                self.send([frames.FAILURE, call.id, to_wire_error(error)])
        finally:
            self._incoming.pop(call.id, None)

    async def _upload(self, call: OutgoingCall, chunks: AsyncIterator[bytes]) -> None:
        try:
            async for chunk in chunks:
                if chunk and not await call.uploads.send(chunk):
                    break
        except Exception:
            _log.debug("an upload broke off", exc_info=True)
            call.abort()
        finally:
            if self.is_calling(call.id):
                self.send([frames.END, call.id])

    # Writing

    def _flush(self) -> None:
        data, self._unsent = self._unsent, []
        if data and self._transport is not None and not self._transport.is_closing():
            self._transport.write(data[0] if len(data) == 1 else b"".join(data))

    def keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs the work in the background, without waiting for its end."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
