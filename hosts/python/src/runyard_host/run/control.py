"""LangGraph's ``RunControl``: before each step LangGraph asks it whether to stop."""

from __future__ import annotations

import inspect
from typing import Any

DRAINED = "GraphDrained"


def control_for(graph: Any) -> Any:
    """LangGraph's ``RunControl`` for a run of the graph; ``None`` if its version has none."""
    if "control" not in inspect.signature(graph.astream).parameters:
        return None
    from langgraph.runtime import RunControl

    return RunControl()


def is_drained(error: BaseException) -> bool:
    """Whether the graph was stopped by its ``RunControl``."""
    return type(error).__name__ == DRAINED
