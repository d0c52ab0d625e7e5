"""Turns the result of a project's auth handler into the server's own filter."""

from __future__ import annotations

from typing import Any

from ..errors import AppError
from ..port import Json, JsonObject
from .value import from_python


def read_filter(answer: Any, event: str) -> JsonObject | None:
    """
    ``None`` and ``True`` allow everything; ``False`` raises ``forbidden``. A plain value in a
    filter means ``$eq``. Anything that is no filter raises ``FilterError``: a condition that is not
    understood must not let anything through.
    """
    if answer is None or answer is True:
        return None
    if answer is False:
        raise AppError("forbidden", f"You may not do this ({event}).")
    try:
        given = from_python(answer)
    except TypeError as error:
        raise FilterError(event, answer) from error
    return _object(given, event)


class FilterError(ValueError):
    """The result of a handler is no filter."""

    def __init__(self, where: str, given: Any) -> None:
        super().__init__(
            f"The auth handler of {where} answered {given!r}. It may answer True, False or None, "
            'or a dict whose values are texts, numbers, {"$eq": …} or {"$contains": …}, and under '
            '"$or" and "$and" lists of such dicts.'
        )


def _object(given: Json, where: str) -> JsonObject:
    if not isinstance(given, dict):
        raise FilterError(where, given)
    return {
        key: (_joined if key in ("$or", "$and") else _condition)(condition, f'{where}, "{key}"')
        for key, condition in given.items()
    }


def _joined(filters: Json, where: str) -> list[JsonObject]:
    """An empty filter in the list would let everything through, which is never intended."""
    if not isinstance(filters, list) or not filters:
        raise FilterError(where, filters)
    read = [_object(one, where) for one in filters]
    if not all(read):
        raise FilterError(where, filters)
    return read


def _condition(condition: Json, where: str) -> Json:
    if isinstance(condition, str):
        return condition
    if condition is None or isinstance(condition, int | float):
        return {"$eq": condition}
    if isinstance(condition, dict) and len(condition) == 1:
        operator, operand = next(iter(condition.items()))
        if operator in ("$eq", "$contains"):
            return {operator: operand}
    raise FilterError(where, condition)
