"""Describes a graph: its nodes, schemas and drawing."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel
from pydantic import BaseModel, TypeAdapter, create_model
from typing_extensions import is_typeddict

from ..port import JsonObject
from ..wire_json import to_wire

# The context of a graph without a schema for it: any object.
_OPEN: JsonObject = {"type": "object"}


_Part = TypeVar("_Part")


def _once(derive: Callable[[Any], _Part]) -> Callable[[Any], _Part]:
    """Derives it once for each graph: the schema of messages takes 40 ms, and all runs wait."""
    known: WeakKeyDictionary[Any, _Part] = WeakKeyDictionary()

    @wraps(derive)
    def remembered(graph: Any) -> _Part:
        if not isinstance(graph, Pregel):
            return derive(graph)
        if graph not in known:
            known[graph] = derive(graph)
        return known[graph]

    return remembered


def names_of(graph: Any) -> JsonObject:
    """``GraphNames``."""
    names: JsonObject = {"nodes": list(getattr(graph, "nodes", ()))}
    if channels := getattr(graph, "channels", None):
        names["channels"] = list(channels)
    values = getattr(graph, "stream_channels_asis", [])
    names["values"] = [] if isinstance(values, str) else list(values)
    properties = (input_schema_of(graph) or {}).get("properties")
    if isinstance(properties, dict):
        names["input"] = list(properties)
    return names


def context_keys_of(graph: Any) -> list[str] | None:
    """The keys that the graph's context may have; ``None``: it may be anything."""
    schema = getattr(graph, "context_schema", None)
    if not isinstance(schema, type):
        return None
    if is_typeddict(schema):
        keys = [
            *getattr(schema, "__required_keys__", ()),
            *getattr(schema, "__optional_keys__", ()),
        ]
        return [key for key in _hints_of(schema) if key in keys] or keys
    if dataclasses.is_dataclass(schema):
        return [field.name for field in dataclasses.fields(schema) if field.init]
    if issubclass(schema, BaseModel):
        return [field.alias or name for name, field in schema.model_fields.items()]
    return None


def describe(graph: Any) -> JsonObject:
    """``GraphSchemaSet``: the graph's schemas, and those of its subgraphs."""
    subgraphs = graph.get_subgraphs(recurse=True) if isinstance(graph, Pregel) else []
    return {
        "graph": schemas_of(graph),
        "subgraphs": {name: schemas_of(one) for name, one in subgraphs},
    }


@_once
def schemas_of(graph: Any) -> JsonObject:
    """``GraphSchemas``: a part that cannot be derived is missing."""
    context = _schema(getattr(graph, "get_context_jsonschema", None)) or _OPEN
    parts = {
        "state_schema": _schema(lambda: _state_schema(graph)),
        "input_schema": input_schema_of(graph),
        "output_schema": _schema(getattr(graph, "get_output_jsonschema", None)),
        "config_schema": context,
        "context_schema": context,
    }
    return {name: part for name, part in parts.items() if part is not None}


@_once
def input_schema_of(graph: Any) -> JsonObject | None:
    """JSON Schema of the graph's input."""
    return _schema(getattr(graph, "get_input_jsonschema", None))


async def draw(graph: Any, config: RunnableConfig, xray: bool | int) -> JsonObject:
    """``Drawing``, with subgraphs in the place of their nodes as deep as ``xray`` says."""
    drawable = await graph.aget_graph(config, xray=xray)
    told: JsonObject = to_wire(drawable.to_json())
    return told


def _state_schema(graph: Any) -> JsonObject:
    """The schema that the graph's builder declares; else that of the values that it keeps."""
    declared = getattr(getattr(graph, "builder", None), "state_schema", None)
    if declared is not None and _has_schema(declared):
        schema: JsonObject = TypeAdapter(declared).json_schema()
        if set(schema.get("properties", {})) >= set(graph.stream_channels_list):
            return schema
    fields: dict[str, Any] = {}
    for name in graph.stream_channels_list:
        kind = graph.channels[name].UpdateType
        fields[name] = (kind if _has_schema(kind) else Any, None)
    kept: JsonObject = create_model(graph.get_name("State"), **fields).model_json_schema()
    return kept


def _has_schema(kind: Any) -> bool:
    try:
        TypeAdapter(kind).json_schema()
    except Exception:
        return False
    return True


def _schema(read: Callable[[], Any] | None) -> JsonObject | None:
    """``None`` if pydantic cannot express it."""
    if read is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            schema = read()
    except Exception:
        return None
    return to_wire(schema) if isinstance(schema, dict) else None


def _hints_of(schema: type) -> dict[str, Any]:
    return getattr(schema, "__annotations__", {})
