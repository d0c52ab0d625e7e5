"""Stream mode ``messages``: assembles the messages of one namespace, with LangChain's own classes,
from the pieces that models write, until a state of the graph contains them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message

from ..port import Json, JsonObject
from ..wire_json import to_wire


@dataclass
class _Unfinished:
    """A message that no state contains yet: its pieces so far, and what was emitted of it."""

    message: BaseMessage
    wire: JsonObject | None = None


class MessageAssembly:
    """``complete``: the ids of complete messages, shared by the namespaces of a run: a graph has
    the messages of its subgraphs too.
    """

    def __init__(self, complete: set[str]) -> None:
        self._unfinished: dict[str, _Unfinished] = {}
        self._complete = complete

    def on_message(self, message: BaseMessage, metadata: Any) -> JsonObject | None:
        """A piece of a message, or a whole one, which is emitted when a state contains it."""
        id_ = message.id
        if not id_ or id_ in self._complete:
            return None
        sofar = self._unfinished.get(id_)
        if isinstance(message, BaseMessageChunk):
            return self._grow(id_, sofar, message, metadata)
        self._unfinished[id_] = _Unfinished(message, sofar.wire if sofar else None)
        return None

    def on_values(self, values: Any) -> JsonObject | None:
        """A state of the graph: the messages in it are complete."""
        return self._finish(_messages_in(values), is_last=False)

    def on_end(self) -> JsonObject | None:
        """The graph is done: messages that no state contains are as complete as they get."""
        return self._finish([one.message for one in self._unfinished.values()], is_last=True)

    def _grow(
        self, id_: str, sofar: _Unfinished | None, piece: BaseMessageChunk, metadata: Any
    ) -> JsonObject:
        before = sofar.message if sofar else None
        message: Any = before + piece if isinstance(before, BaseMessageChunk) else piece
        wire = _to_whole(message)
        self._unfinished[id_] = _Unfinished(message, wire)
        if sofar is not None and sofar.wire is not None:
            return {"kind": "grown", "id": id_, "growth": growth_of(sofar.wire, wire)}
        begun: JsonObject = {"kind": "begun", "message": wire}
        return begun if sofar else begun | {"metadata": to_wire(metadata)}

    def _finish(self, messages: list[Any], *, is_last: bool) -> JsonObject | None:
        added = []
        for message in messages:
            id_ = message.id
            if not id_ or id_ in self._complete:
                continue
            self._unfinished.pop(id_, None)
            self._complete.add(id_)
            added.append(_to_whole(message))
        if not added:
            return None
        return {"kind": "complete", "messages": added, "isLast": is_last}


def _to_whole(message: BaseMessage) -> JsonObject:
    """The message of the pieces so far, without the fields that only pieces have."""
    if isinstance(message, BaseMessageChunk):
        message = message_chunk_to_message(message)
    told: JsonObject = to_wire(message)
    return told


def _messages_in(values: Any) -> list[BaseMessage]:
    messages = values.get("messages") if isinstance(values, dict) else None
    if not isinstance(messages, list):
        return []
    return [one for one in messages if isinstance(one, BaseMessage)]


def growth_of(before: Json, after: Json) -> JsonObject | None:  # noqa: PLR0911 - one a kind
    """
    How ``before`` became ``after``, as in ``growth.ts``: ``{"+": text}`` follows the text, ``{"=":
    value}`` is the new value, ``{"in": {key: growth}}`` is the growth of its items or fields.
    ``None``: they are equal.
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
