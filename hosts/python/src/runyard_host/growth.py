"""Describes how one JSON value became another by longer texts and longer lists (``growth.ts``)."""

from __future__ import annotations

from typing import Any

from .port import Json, JsonObject


def growth_of(before: Json, after: Json) -> JsonObject | None:  # noqa: PLR0911 - one a kind
    """
    How ``before`` became ``after``: ``{"+": text}`` follows the text, ``{"=": value}`` is the new
    value, ``{"in": {key: growth}}`` is the growth of its items or fields. ``None``: they are equal.
    """
    if isinstance(before, str) and isinstance(after, str):
        if before == after:
            return None
        return {"+": after[len(before) :]} if after.startswith(before) else {"=": after}
    if isinstance(before, dict) and isinstance(after, dict):
        keys = list(after)
        if keys[: len(before)] != list(before):
            return {"=": after}
        return _within((key, before.get(key), after[key], key in before) for key in keys)
    if isinstance(before, list) and isinstance(after, list):
        if len(after) < len(before):
            return {"=": after}
        return _within(
            (str(at), before[at] if at < len(before) else None, one, at < len(before))
            for at, one in enumerate(after)
        )
    is_same = type(before) is type(after) and before == after
    return None if is_same else {"=": after}


def _within(parts: Any) -> JsonObject | None:
    changes: JsonObject = {}
    for key, was, now, is_known in parts:
        growth = growth_of(was, now) if is_known else {"=": now}
        if growth is not None:
            changes[key] = growth
    return {"in": changes} if changes else None
