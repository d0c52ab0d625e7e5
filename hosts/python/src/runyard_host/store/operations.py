"""Converts LangGraph's store operations to the words of the port, and the results back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    NotProvided,
    Op,
    PutOp,
    SearchItem,
    SearchOp,
)

from ..port import JsonObject
from ..wire_json import to_wire

ANY_LABEL = "*"


def prepare(operation: Op) -> Op:
    """The operation with its present value as JSON.

    Raises for an invalid operation, before the others of the same turn suffer for it.
    """
    for labels in _namespaces_of(operation):
        _refuse_labels(labels)
    if not isinstance(operation, PutOp):
        return operation
    if not operation.namespace:
        raise InvalidNamespaceError("Namespace cannot be empty.")
    if operation.value is None:
        return operation
    value = to_wire(operation.value)
    if not isinstance(value, dict):
        raise TypeError("The value of an item is a mapping.")
    return operation._replace(value=value)


def to_put(operation: PutOp) -> JsonObject:
    """``ItemPut``. Without ``ttl`` the store's default applies; with ``None`` it never expires."""
    put: JsonObject = {
        "namespace": list(operation.namespace),
        "key": str(operation.key),
        "value": operation.value,
    }
    if operation.index is not None:
        put["index"] = operation.index if operation.index is False else list(operation.index)
    if operation.value is not None and not isinstance(operation.ttl, NotProvided):
        put["ttl_minutes"] = operation.ttl
    return put


def to_search(operation: SearchOp) -> JsonObject:
    """``ItemSearch``."""
    search: JsonObject = {
        "namespace_prefix": list(operation.namespace_prefix),
        "limit": operation.limit,
        "offset": operation.offset,
    }
    if operation.filter:
        search["filter"] = to_wire(operation.filter)
    if operation.query is not None:
        search["query"] = operation.query
    return search


def to_refresh(operation: GetOp | SearchOp) -> JsonObject | None:
    """``Refresh``; ``None``: as the store is set up."""
    refresh_ttl = cast("bool | None", operation.refresh_ttl)
    return None if refresh_ttl is None else {"refresh_ttl": refresh_ttl}


def to_namespace_query(operation: ListNamespacesOp) -> JsonObject | None:
    """``NamespaceQuery``; ``None``: conditions that exclude each other."""
    conditions = operation.match_conditions or ()
    query: JsonObject = {}
    for match_type in ("prefix", "suffix"):
        paths = [_path(one) for one in conditions if one.match_type == match_type]
        joined = _join(paths) if match_type == "prefix" else _join_ends(paths)
        if joined is None:
            return None
        if joined:
            query[match_type] = joined
    if operation.max_depth is not None:
        query["max_depth"] = operation.max_depth
    return query


def to_item(item: JsonObject) -> Item:
    """The item as LangGraph knows it."""
    return Item(**_fields(item))


def to_search_item(item: JsonObject) -> SearchItem:
    """The same, with its similarity to the query if there is one."""
    return SearchItem(**_fields(item), score=item.get("score"))


def _fields(item: JsonObject) -> dict[str, Any]:
    names = ("key", "value", "created_at", "updated_at")
    return {**{name: item[name] for name in names}, "namespace": tuple(item["namespace"])}


def _join(paths: Sequence[list[str]]) -> list[str] | None:
    """One path that matches where all of these do."""
    joined: list[str] = []
    for path in paths:
        length = max(len(joined), len(path))
        pairs = zip(_pad(joined, length), _pad(path, length), strict=True)
        merged = [_merge(*pair) for pair in pairs]
        if None in merged:
            return None
        joined = cast(list[str], merged)
    return joined


def _join_ends(paths: Sequence[list[str]]) -> list[str] | None:
    joined = _join([path[::-1] for path in paths])
    return None if joined is None else joined[::-1]


def _pad(path: list[str], length: int) -> list[str]:
    return path + [ANY_LABEL] * (length - len(path))


def _merge(one: str, other: str) -> str | None:
    if ANY_LABEL in (one, other):
        return other if one == ANY_LABEL else one
    return one if one == other else None


def _path(condition: MatchCondition) -> list[str]:
    return list(condition.path)


def _namespaces_of(operation: Op) -> list[Sequence[str]]:
    if isinstance(operation, SearchOp):
        return [operation.namespace_prefix]
    if isinstance(operation, ListNamespacesOp):
        return [condition.path for condition in operation.match_conditions or ()]
    return [operation.namespace]


def _refuse_labels(labels: Sequence[str]) -> None:
    for label in labels:
        if not isinstance(label, str) or not label or "." in label or "\0" in label:
            raise InvalidNamespaceError(
                f"Namespace labels are texts that are not empty and hold no period. Got: {labels}"
            )
