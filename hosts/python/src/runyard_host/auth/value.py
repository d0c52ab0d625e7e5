"""The value of an operation in the types that the SDK names for its handlers, and back in JSON."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import orjson

from ..port import Json, JsonObject

_IDS = {"thread_id", "run_id", "assistant_id", "cron_id"}
_NAMESPACES = {"namespace", "suffix"}


def to_python(value: JsonObject, resource: str) -> JsonObject:
    """Ids as ``UUID``, namespaces of the store as ``tuple``; other values unchanged."""
    return {name: _field(name, field, resource) for name, field in value.items()}


def from_python(value: Any) -> Json:
    """JSON of it; raises ``TypeError`` for what JSON cannot carry."""
    try:
        return orjson.loads(orjson.dumps(value, default=_plain, option=_OPTIONS))
    except TypeError:
        # The value may contain an integer beyond 64 bits, which orjson does not write.
        return _written(value)


def _written(value: Any) -> Json:
    try:
        return _exactly(value)
    except RecursionError as error:
        raise TypeError("It contains itself, or is nested too deep.") from error


def _exactly(value: Any) -> Json:
    if isinstance(value, int):
        return value
    if isinstance(value, dict):
        return {_key(key): _exactly(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exactly(item) for item in value]
    return orjson.loads(orjson.dumps(value, default=_plain, option=_OPTIONS))


def _key(key: Any) -> str:
    written: JsonObject = orjson.loads(orjson.dumps({key: None}, option=_OPTIONS))
    return next(iter(written))


_OPTIONS = orjson.OPT_NON_STR_KEYS


def _field(name: str, field: Json, resource: str) -> Any:
    if resource == "store":
        return tuple(field) if name in _NAMESPACES and isinstance(field, list) else field
    if name in _IDS:
        return _uuid(field)
    if name == "ids" and isinstance(field, list):
        return [_uuid(one) for one in field]
    return field


def _uuid(field: Json) -> Any:
    """An assistant may be named by its graph: such a name stays."""
    try:
        return UUID(field) if isinstance(field, str) else field
    except ValueError:
        return field


def _plain(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return list(value)
    if isinstance(value, bytes):
        return value.decode()
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON.")
