"""Reads the JSON that graphs in JavaScript store, and LangGraph for Python once stored.

A record in it names a class or a call. The name is looked up only in the tables here, since a
client may have sent the record: any other record stays data.
``src/graph/js/checkpoints/stored-json.ts`` writes this JSON.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from langchain_core import messages
from langchain_core.documents import Document
from langchain_core.prompt_values import ChatPromptValue
from langgraph.types import Interrupt, Send

# Wraps data that looks like a record.
_ESCAPE = "__lc_escaped__"

_ROOTS = ("langchain", "langchain_core")

# By the last part of their ids. They only store their arguments.
_CLASSES: dict[str, Callable[..., Any]] = {
    **{
        f"{kind}Message{form}": getattr(messages, f"{kind}Message{form}")
        for kind in ("Human", "AI", "System", "Tool", "Function", "Chat")
        for form in ("", "Chunk")
    },
    "RemoveMessage": messages.RemoveMessage,
    "ChatPromptValue": ChatPromptValue,
    "Document": Document,
}

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


def load_json(data: bytes) -> Any:
    """The value of a stored text."""
    return _revive(json.loads(data))


def _revive(value: Any) -> Any:
    if isinstance(value, list):
        return [_revive(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and _ESCAPE in value:
        inner = value[_ESCAPE]
        return _fields(inner) if isinstance(inner, dict) else _revive(inner)
    fields = _fields(value)
    return _to_value(fields) if "lc" in fields else fields


def _fields(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _revive(item) for key, item in value.items()}


def _to_value(record: dict[str, Any]) -> Any:
    if record["lc"] == 2:
        if record.get("type") == "undefined":
            return None
        if record.get("type") == "delta_snapshot":
            return _delta_snapshot(record.get("value"))
    make = _maker_of(record)
    try:
        return make(record) if make else record
    except Exception:
        # The arguments do not fit.
        return record


def _maker_of(record: dict[str, Any]) -> Callable[[dict[str, Any]], Any] | None:
    lc, path = record["lc"], record.get("id")
    if record.get("type") != "constructor" or not isinstance(path, list) or not path:
        return None
    if lc == 2 and (make := _VALUES.get(".".join(map(str, path)))):
        return lambda record: make(*(record.get("args") or ()), **(record.get("kwargs") or {}))
    if lc == 1 and path[0] in _ROOTS and (known := _CLASSES.get(str(path[-1]))):
        return lambda record: known(**_present(record.get("kwargs") or {}))
    return None


def _present(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Drops arguments that JavaScript left undefined."""
    return {name: value for name, value in kwargs.items() if value is not None}


def _delta_snapshot(value: Any) -> Any:
    try:
        from langgraph.checkpoint.serde.types import _DeltaSnapshot
    except ImportError:
        return value
    return _DeltaSnapshot(value)


def _set(items: list[Any]) -> Any:
    """A set, or a list if a set of Python cannot hold the items."""
    try:
        return set(items)
    except TypeError:
        return items


def _map(items: list[list[Any]]) -> Any:
    try:
        return dict(items)
    except TypeError:
        return items


def _bytes(items: Any) -> bytes:
    """Of a list: a client could send any number, which would be a length."""
    if not isinstance(items, list):
        raise TypeError("Bytes are a list.")
    return bytes(items)


def _pattern(source: str, flags: str) -> re.Pattern[str]:
    return re.compile(source, sum(_FLAGS.get(flag, 0) for flag in flags))


# By id: for JavaScript a name, for Python a module and a name.
_VALUES: dict[str, Callable[..., Any]] = {
    "Set": _set,
    "Map": _map,
    "RegExp": _pattern,
    "Error": Exception,
    "Uint8Array": _bytes,
    "builtins.set": _set,
    "builtins.frozenset": frozenset,
    "builtins.bytes": bytes.fromhex,
    "collections.deque": deque,
    "uuid.UUID": UUID,
    "decimal.Decimal": Decimal,
    "datetime.datetime": datetime.fromisoformat,
    "datetime.date": date,
    "datetime.timedelta": timedelta,
    "langgraph.types.Send": Send,
    "langgraph.types.Interrupt": Interrupt,
}
