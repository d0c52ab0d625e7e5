"""The port reports models and tools at their node. LangGraph for Python reports their graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

Namespace = tuple[str, ...]


def node_namespace(graph: Namespace, metadata: Mapping[str, Any]) -> Namespace:
    """The namespace of the graph's node in which the call with these metadata was made."""
    parts = str(metadata.get("langgraph_checkpoint_ns") or "").split("|")
    return tuple(parts[: len(graph) + 1]) if parts != [""] else graph


class ToolPlaces(BaseCallbackHandler):
    """Notes the node in which each tool is called."""

    run_inline = True
    ignore_chain = True
    ignore_llm = True
    ignore_chat_model = True
    ignore_retriever = True

    def __init__(self) -> None:
        self._metadata: dict[str, Mapping[str, Any]] = {}

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """LangGraph's stream reports the tool later, by this id."""
        del serialized, input_str
        self._metadata[kwargs.get("tool_call_id") or str(run_id)] = metadata or {}

    def namespace(self, graph: Namespace, told: Mapping[str, Any]) -> Namespace:
        """The node's namespace for LangGraph's event of a tool, in the namespace of its graph."""
        id_ = told.get("tool_call_id", "")
        is_last = told.get("event") in ("tool-finished", "tool-error")
        metadata = self._metadata.pop(id_, {}) if is_last else self._metadata.get(id_, {})
        return node_namespace(graph, metadata)
