"""Graph values as clients see them: plain JSON, with messages as flat objects."""

from __future__ import annotations

import base64
import json
import math
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from pathlib import PurePath
from typing import Any
from uuid import UUID

import orjson
from langchain_core.messages import BaseMessage
from langgraph.types import Interrupt

from .port import Json

_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_PASSTHROUGH_DATACLASS
# Deeper values are cut off: they would overflow the stack.
_MAX_DEPTH = 200
# Python itself neither writes nor reads more digits than 4,300.
_MAX_BITS = int(4_300 * math.log2(10))


def to_wire(value: object) -> Json:
    """
    Any value as JSON; never raises.

    - A message is ``{type, content, id, …}``; a piece of one has the type ``AIMessageChunk``, as
      the official Python server writes it.
    - Models of pydantic, dataclasses and named tuples are objects, enums their values.
    - An exception is ``{error: <class name>, message}``.
    - Dates are ISO 8601, bytes base64, sets lists, ids and paths texts; a decimal is a number.
    - Keys are texts. Numbers that JSON lacks, functions and whatever else has no form are ``None``.
    """
    if value is None or value is True or value is False:
        return value
    try:
        return orjson.loads(orjson.dumps(value, _default, _OPTIONS))
    except (TypeError, ValueError, RecursionError):
        # The fast way fails for a circle, a lone surrogate, a huge number.
        return _convert(value, ())


def to_wire_text(value: object) -> str:
    """The JSON text of ``to_wire``."""
    try:
        return orjson.dumps(value, _default, _OPTIONS).decode()
    except (TypeError, ValueError, RecursionError):
        return json.dumps(_convert(value, ()), ensure_ascii=False, separators=(",", ":"))


def _default(value: Any) -> Any:
    """The next simpler form of a value that JSON lacks."""
    kind = type(value)
    simple = _SIMPLE.get(kind)
    if simple is not None:
        return simple(value)
    if isinstance(value, type):
        return None
    for known, convert in _SIMPLE.items():
        if isinstance(value, known):
            return convert(value)
    return _by_shape(value)


def _by_shape(value: Any) -> Any:
    if callable(dump := getattr(value, "model_dump", None)):
        return dump()
    if callable(to_dict := getattr(value, "_asdict", None)):
        return to_dict()
    if is_dataclass(value):
        names = [field.name for field in fields(value) if not field.name.startswith("_")]
        return {name: getattr(value, name, None) for name in names}
    if callable(to_dict := getattr(value, "dict", None)):
        return to_dict()
    if isinstance(value, tuple):
        return list(value)
    return None


def _interrupt(value: Interrupt) -> dict[str, Any]:
    told = {"value": value.value, "id": value.id}
    schema = getattr(value, "response_schema", None)
    return told if schema is None else told | {"response_schema": schema}


def _decimal(value: Decimal) -> int | float | None:
    if not value.is_finite():
        return None
    return int(value) if value == value.to_integral_value() else float(value)


def _bytes(value: bytes | bytearray | memoryview) -> str:
    return base64.b64encode(value).decode()


def _error(value: BaseException) -> dict[str, str]:
    return {"error": type(value).__name__, "message": str(value)}


def _message(value: BaseMessage) -> dict[str, Any]:
    return value.model_dump(warnings=False)


_SIMPLE: dict[type, Callable[[Any], Any]] = {
    BaseMessage: _message,
    Interrupt: _interrupt,
    BaseException: _error,
    set: list,
    frozenset: list,
    deque: list,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    timedelta: timedelta.total_seconds,
    tzinfo: lambda value: value.tzname(None),
    Decimal: _decimal,
    Enum: lambda value: value.value,
    UUID: str,
    PurePath: str,
    IPv4Address: str,
    IPv4Interface: str,
    IPv4Network: str,
    IPv6Address: str,
    IPv6Interface: str,
    IPv6Network: str,
    re.Pattern: lambda value: value.pattern,
    Mapping: dict,
}


def _convert(value: Any, above: tuple[int, ...]) -> Json:  # noqa: PLR0911 - one a kind
    """The same, slowly; ``above`` names the objects that contain the value."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return _convert(value.value, above)
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int):
        return int(value) if value.bit_length() <= _MAX_BITS else None
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, date | time | datetime):
        return value.isoformat()
    if id(value) in above:
        return "[Circular]"
    if len(above) >= _MAX_DEPTH:
        return "[Too deep]"
    return _convert_object(value, (*above, id(value)))


def _convert_object(value: Any, above: tuple[int, ...]) -> Json:
    try:
        if isinstance(value, dict):
            return {_key(key): _convert(item, above) for key, item in value.items()}
        if isinstance(value, list) or type(value) is tuple:
            return [_convert(item, above) for item in value]
        return _convert(_default(value), above)
    except Exception as error:
        return f"[Unreadable: {error}]"


def _key(key: Any) -> str:
    if isinstance(key, Enum):
        key = key.value
    if isinstance(key, str):
        return str(_convert(key, ()))
    if key is None:
        return "null"
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, date | time | datetime):
        return key.isoformat()
    return str(key)
