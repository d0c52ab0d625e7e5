"""Graph values as clients see them."""

import json
import math
import re
from collections import deque, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)
from langgraph.types import Interrupt
from pydantic import BaseModel

from runyard_host.run.message_assembly import growth_of
from runyard_host.wire_json import to_wire, to_wire_text


class Color(Enum):
    RED = "red"


class Model(BaseModel):
    at: date
    inner: "Model | None" = None


@dataclass
class Point:
    x: int
    tags: set[str]
    _hidden: str = "no"


Pair = namedtuple("Pair", ["left", "right"])


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, None),
        ("text", "text"),
        (1.5, 1.5),
        (math.nan, None),
        (math.inf, None),
        ((1, (2,)), [1, [2]]),
        ({1: "a", None: "b", Color.RED: "d"}, {"1": "a", "null": "b", "red": "d"}),
        (datetime(2026, 11, 22, 1, 2, 3, tzinfo=UTC), "2026-11-22T01:02:03+00:00"),
        (date(2026, 11, 22), "2026-11-22"),
        (time(1, 2), "01:02:00"),
        (timedelta(minutes=1), 60.0),
        (UTC, "UTC"),
        (b"\x00\xff", "AP8="),
        (bytearray(b"a"), "YQ=="),
        ({"a"}, ["a"]),
        (frozenset(["a"]), ["a"]),
        (deque([1]), [1]),
        (Decimal("2"), 2),
        (Decimal("2.5"), 2.5),
        (Decimal("nan"), None),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Path("/a/b"), "/a/b"),
        (re.compile("a+"), "a+"),
        (Color.RED, "red"),
        (Model(at=date(2026, 1, 1), inner=Model(at=date(2026, 1, 2))),
         {"at": "2026-01-01", "inner": {"at": "2026-01-02", "inner": None}}),
        (Point(1, {"a"}), {"x": 1, "tags": ["a"]}),
        (Pair(1, b"b"), {"left": 1, "right": "Yg=="}),
        (ValueError("not so"), {"error": "ValueError", "message": "not so"}),
        (print, None),
        (Point, None),
        (Interrupt("sure?", id="i"), {"value": "sure?", "id": "i"}),
        (2**70, 2**70),
        ("\ud800", "\ufffd"),
        ({"a": {1, 2**70}.__class__([2**70])}, {"a": [2**70]}),
    ],
)  # fmt: skip
def test_values_are_json(value: Any, told: Any) -> None:
    assert to_wire(value) == told
    assert json.loads(json.dumps(to_wire(value), allow_nan=False)) == told


def test_a_circle_is_cut() -> None:
    circle: dict[str, Any] = {"a": 1, "b": (1, 2)}
    circle["self"] = [circle]
    assert to_wire(circle) == {"a": 1, "b": [1, 2], "self": ["[Circular]"]}


def test_what_is_too_deep_is_cut() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert "[Too deep]" in json.dumps(to_wire(deep))


def test_what_cannot_be_read_says_so() -> None:
    class Broken(BaseModel):
        def model_dump(self, **_: Any) -> dict[str, Any]:
            raise RuntimeError("broken")

    assert to_wire({"a": Broken(), "b": 1}) == {"a": "[Unreadable: broken]", "b": 1}


def test_messages_are_flat() -> None:
    human = to_wire(HumanMessage("hi", id="1"))
    assert human["type"] == "human"
    assert human["content"] == "hi"
    assert human["id"] == "1"
    called = AIMessage("", id="2", tool_calls=[{"id": "c", "name": "look", "args": {"at": "it"}}])
    told = to_wire([called])[0]
    assert told["tool_calls"] == [
        {"id": "c", "name": "look", "args": {"at": "it"}, "type": "tool_call"}
    ]
    assert to_wire(AIMessageChunk(content="h", id="3"))["type"] == "AIMessageChunk"
    tool = to_wire(ToolMessage("it is fine", tool_call_id="c", artifact=b"a"))
    assert (tool["type"], tool["tool_call_id"], tool["artifact"]) == ("tool", "c", "YQ==")
    assert to_wire(RemoveMessage(id="4"))["type"] == "remove"


def test_what_is_told_does_not_change_with_the_value() -> None:
    value = {"a": [1]}
    told = to_wire(value)
    value["a"].append(2)
    assert told == {"a": [1]}


@pytest.mark.parametrize(
    ("before", "after", "growth"),
    [
        ("a", "ab", {"+": "b"}),
        ("ab", "a", {"=": "a"}),
        ("a", "a", None),
        (1, 1.0, {"=": 1.0}),
        (True, 1, {"=": 1}),
        ([1, 2], [1], {"=": [1]}),
        ([], {}, {"=": {}}),
        (None, {}, {"=": {}}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"=": {"b": 2, "a": 1}}),
        ({"a": [1, None, {"b": "c"}]}, {"a": [1, None, {"b": "c"}]}, None),
        (
            {"content": "a", "calls": [{"args": "{"}], "id": "m"},
            {"content": "ab", "calls": [{"args": '{"x'}, {"args": ""}], "id": "m", "usage": 3},
            {
                "in": {
                    "content": {"+": "b"},
                    "calls": {"in": {"0": {"in": {"args": {"+": '"x'}}}, "1": {"=": {"args": ""}}}},
                    "usage": {"=": 3},
                }
            },
        ),
    ],
)
def test_growth_says_what_was_added(before: Any, after: Any, growth: Any) -> None:
    assert growth_of(before, after) == growth


@pytest.mark.parametrize(
    "value", [None, 1.5, {"a": "ä", 1: [True]}, 2**70, "\ud800", {"n": math.nan}]
)
def test_written_it_is_the_same(value: object) -> None:
    assert json.loads(to_wire_text(value)) == to_wire(value)
