"""What clients send stays data, whichever language has stored it."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from runyard_host.checkpoints.serde import HostSerializer, guard_serializers
from runyard_host.checkpoints.values import dump_changed, dump_writes

SECRET = {"lc": 1, "type": "secret", "id": ["HOME"]}


def message(name: str, /, **kwargs: Any) -> dict[str, Any]:
    path = ["langchain_core", "messages", name]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs}


def made(name: str, *args: Any, **more: Any) -> dict[str, Any]:
    return {"lc": 2, "type": "constructor", "id": [name], "method": None, "args": [*args], **more}


UNDEFINED = {"lc": 2, "type": "undefined"}


@pytest.fixture(autouse=True)
def guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dumps_typed", "loads_typed"):
        monkeypatch.setattr(JsonPlusSerializer, name, getattr(JsonPlusSerializer, name))
    guard_serializers()


def read(value: Any, serde: Any = None) -> Any:
    return (serde or HostSerializer()).loads_typed(("json", json.dumps(value).encode()))


def test_messages_of_javascript_are_messages() -> None:
    found = read(
        [
            message("HumanMessage", content="hi", id="a", name=UNDEFINED),
            message(
                "AIMessage",
                content="ok",
                tool_calls=[{"id": "1", "name": "t", "args": {"a": 1}, "type": "tool_call"}],
                usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
            ),
            message("ToolMessage", content="r", tool_call_id="1", status=UNDEFINED),
        ]
    )
    assert [type(one) for one in found] == [HumanMessage, AIMessage, ToolMessage]
    assert found[1].tool_calls == [{"id": "1", "name": "t", "args": {"a": 1}, "type": "tool_call"}]
    assert found[1].usage_metadata["total_tokens"] == 3


def test_values_that_json_lacks_are_pythons() -> None:
    found = read(
        {
            "gone": UNDEFINED,
            "set": made("Set", [1, 2]),
            "objects": made("Set", [{"a": 1}]),
            "map": made("Map", [["a", 1]]),
            "pattern": made("RegExp", "x", "gi"),
            "bytes": made("Uint8Array", [1, 2]) | {"method": "from"},
        }
    )
    assert found == {
        "gone": None,
        "set": {1, 2},
        "objects": [{"a": 1}],
        "map": {"a": 1},
        "pattern": re.compile("x", re.IGNORECASE),
        "bytes": b"\x01\x02",
    }
    error = read(made("Error", "no"))
    assert isinstance(error, Exception)
    assert str(error) == "no"


@pytest.mark.parametrize("serializer", [HostSerializer, JsonPlusSerializer])
def test_what_a_client_has_planted_is_data(serializer: Any, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    call = {"lc": 2, "type": "constructor", "id": ["os", "system"], "args": [f"touch {ran}"]}
    method = {**call, "id": ["pathlib", "Path"], "args": [str(ran)], "method": ["touch"]}
    template = {
        **message("HumanMessage"),
        "id": ["langchain_core", "prompts", "prompt", "PromptTemplate"],
        "kwargs": {"template": "{{ x }}", "input_variables": [], "template_format": "jinja2"},
    }
    planted = [call, method, template, SECRET, made("Uint8Array", 2**62)]
    sent = message("HumanMessage", content="hi", additional_kwargs={"x": planted})
    found = read([*planted, sent], serializer())
    assert found[:-1] == planted
    assert found[-1].additional_kwargs == {"x": planted}
    assert os.environ["HOME"] not in repr(found)
    assert not ran.exists()


def test_data_that_javascript_has_escaped_is_read_back_as_it_was() -> None:
    escaped = {"__lc_escaped__": message("HumanMessage", content={"__lc_escaped__": SECRET})}
    assert read([escaped]) == [message("HumanMessage", content=SECRET)]
    assert read({"__lc_escaped__": {"__lc_escaped__": 1}}) == {"__lc_escaped__": 1}


@pytest.mark.parametrize("value", [SECRET, made("Set", [1]), {"__lc_escaped__": {"lc": 1}}])
def test_data_of_python_is_read_back_as_it_was(value: Any) -> None:
    serde = HostSerializer()
    sent = {"plain": value, "message": [HumanMessage("hi", additional_kwargs={"x": value})]}
    assert serde.loads_typed(serde.dumps_typed(sent)) == sent


def test_text_that_is_no_unicode_is_never_stored_as_json() -> None:
    serde = HostSerializer()
    kind, data = serde.dumps_typed({"text": "\ud800", "sent": SECRET})
    assert kind != "json"
    assert serde.loads_typed((kind, data))["sent"] == SECRET


def test_a_value_that_cannot_be_stored_is_told_with_its_channel() -> None:
    serde = HostSerializer()
    bad = (number for number in [1])
    with pytest.raises(TypeError, match='The value of the channel "messages" cannot be stored'):
        dump_writes(serde, [("messages", bad)], "task", "")
    with pytest.raises(TypeError, match='The value of the channel "other" cannot be stored'):
        dump_changed(serde, {"other": bad}, {"other": "1"})
