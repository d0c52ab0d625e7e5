"""One request to an ASGI app: the messages that the app receives and sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from ..asgi import Message, decode_headers
from ..errors import to_wire_error
from ..parts import RouteRequest
from ..port import Headers, Response


class Exchange:
    """
    Passes the body to the app as it comes, and takes the response as it is read: ``send`` waits
    until the last chunk was taken. When the client leaves, the app receives ``http.disconnect``.

    Starlette looks at ``version`` before it streams. By 2.3 it ends a stream as soon as the client
    leaves, which it notices by receiving; so it would take the rest of a body from the reader.
    For a request with a body the version is 2.4, and ``send`` reports that the client left.
    """

    def __init__(self, asked: RouteRequest) -> None:
        self.asked = asked
        self.version = {"version": "3.0", "spec_version": "2.4" if _has_body(asked) else "2.3"}
        """``asgi`` of the request's scope."""
        self.failure: Exception | None = None
        """What the answer, if it is still to be begun, is the answer to."""
        self.gone = asyncio.Event()
        """Set once nobody waits for the answer any more."""
        self.has_common_headers = False
        """Whether the answer has the headers that every answer of the server has."""
        self._head: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._is_started = False
        self._chunks: asyncio.Queue[bytes | Exception | None] = asyncio.Queue(1)
        self._taken = asyncio.Event()
        self._is_body_read = False
        self._is_answered = False

    # What the app calls

    async def receive(self) -> Message:
        """The next chunk of the body; after its end waits until the client has left."""
        if self._is_body_read or self.gone.is_set():
            await self.gone.wait()
            return {"type": "http.disconnect"}
        chunk = await self._next_chunk()
        if self.gone.is_set():
            return {"type": "http.disconnect"}
        if chunk is None:
            self._is_body_read = True
            self.version["spec_version"] = "2.3"
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(self, message: Message) -> None:
        """Takes the start of the response, then its chunks."""
        kind = message["type"]
        if kind == "http.response.start":
            if self._is_started:
                raise RuntimeError("An answer was begun twice.")
            headers = decode_headers(message.get("headers", []))
            if not self.has_common_headers:
                headers = with_common(headers, self.asked.headers)
            self._is_started = True
            if self._head.cancelled():
                return
            failure = to_wire_error(self.failure) if self.failure else None
            body = self._read_chunks()
            self._head.set_result(Response(message["status"], headers, body, failure))
        elif kind == "http.response.body":
            await self._send_body(bytes(message.get("body", b"")), message.get("more_body", False))

    # What the server calls

    async def response(self) -> Response:
        """The response, once the app has begun it; raises an error of the app from before."""
        return await self._head

    def fail(self, error: Exception) -> None:
        """The app has ended without a response, or before the end of one."""
        if not self._head.done():
            self._head.set_exception(error)
        elif not self._is_answered:
            self._put_last(error)

    def leave(self) -> None:
        """The client has left."""
        self.gone.set()
        self._taken.set()

    @property
    def is_begun(self) -> bool:
        """Whether the app has begun its response."""
        return self._is_started

    @property
    def is_answered(self) -> bool:
        """Whether the app has sent its response to the end."""
        return self._is_answered

    @property
    def has_left(self) -> bool:
        """Whether the client has left before the end of the response."""
        return self.gone.is_set() and not self._is_answered

    # Inside

    async def _next_chunk(self) -> bytes | None:
        """The body's next chunk; ``None`` at its end, or when the client has left meanwhile."""
        chunk = asyncio.ensure_future(anext(self.asked.body, None))
        left = asyncio.ensure_future(self.gone.wait())
        try:
            await asyncio.wait({chunk, left}, return_when=asyncio.FIRST_COMPLETED)
            if chunk.done() and chunk.exception() is None:
                return chunk.result()
            self.leave()
            return None
        finally:
            left.cancel()
            chunk.cancel()

    async def _send_body(self, body: bytes, more: bool) -> None:
        if not self._is_started:
            raise RuntimeError("The body of an answer was sent before its start.")
        if self.has_left and self.version["spec_version"] == "2.4":
            raise OSError("The client has left.")
        if body and not self.gone.is_set():
            self._taken.clear()
            self._chunks.put_nowait(body)
            await self._taken.wait()
        if not more:
            self._is_answered = True
            self._put_last(None)
            self.gone.set()

    def _put_last(self, last: Exception | None) -> None:
        if self._chunks.full():
            self._chunks.get_nowait()
        self._chunks.put_nowait(last)

    async def _read_chunks(self) -> AsyncIterator[bytes]:
        try:
            while True:
                chunk = await self._chunks.get()
                if chunk is None:
                    return
                if isinstance(chunk, Exception):
                    raise chunk
                yield chunk
                self._taken.set()
        finally:
            self.leave()


def _has_body(asked: RouteRequest) -> bool:
    names = {name.lower() for name, _ in asked.request.headers}
    has_none = asked.request.method in ("GET", "HEAD", "OPTIONS", "DELETE")
    return not has_none or bool(names & {"content-length", "transfer-encoding"})


def with_common(headers: Headers, common: Headers) -> Headers:
    """A response's headers, and those of the server that it does not set itself."""
    own = {name.lower() for name, _ in headers}
    return [*headers, *((name, value) for name, value in common if name.lower() not in own)]
