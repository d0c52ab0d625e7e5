"""Frames of the connection: a length of four bytes, big-endian, and one array in MessagePack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ormsgpack

from .errors import AppError

MAX_FRAME_BYTES = 256 * 1024 * 1024
_HEAD = 4
# What JSON cannot say is an error of whoever sends it; a lone surrogate is no text anywhere else.
_OPTIONS = ormsgpack.OPT_REPLACE_SURROGATES

CALL, ANSWER, FAILURE, ABORT, ITEM, CREDIT, END, UNWANTED, NOTE = range(9)


def pack(frame: list[Any]) -> bytes:
    """Raises ``AppError`` for a frame that is too large, ``TypeError`` for what is no JSON."""
    body = ormsgpack.packb(frame, option=_OPTIONS)
    if len(body) > MAX_FRAME_BYTES:
        megabytes = MAX_FRAME_BYTES // 1024 // 1024
        raise AppError("too_large", f"A value of {len(body)} bytes is over {megabytes} MB.")
    return len(body).to_bytes(_HEAD, "big") + body


class FrameReader:
    """Cuts what arrives into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[list[Any]]:
        """Answers the frames that are whole by now. Raises ``ValueError`` for what is no frame."""
        buffer = self._buffer
        buffer += data
        at = 0
        try:
            while len(buffer) - at >= _HEAD:
                size = int.from_bytes(buffer[at : at + _HEAD], "big")
                if size > MAX_FRAME_BYTES:
                    raise ValueError(f"a frame of {size} bytes")
                end = at + _HEAD + size
                if len(buffer) < end:
                    break
                frame = ormsgpack.unpackb(buffer[at + _HEAD : end])
                at = end
                yield frame
        finally:
            del buffer[:at]
