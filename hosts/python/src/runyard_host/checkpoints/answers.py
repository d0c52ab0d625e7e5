"""Answers that do not fit the question of a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ANSWER = "__resume__"
FAILURE = "__error__"
# The node of LangChain's agents that asks for decisions about tool calls. It takes any answer, and
# fails where the decisions do not fit. Were that answer kept, the node would fail with it forever.
_DECIDING_NODE = "HumanInTheLoopMiddleware.after_model"


def refuses_answer(task_path: str, writes: Sequence[tuple[str, Any]]) -> bool:
    """Whether a task with these writes has failed because its answer does not fit."""
    channels = {channel for channel, _ in writes}
    return _DECIDING_NODE in task_path and {ANSWER, FAILURE} <= channels


def is_invalid_resume(error: BaseException) -> bool:
    """Whether the schema of its question refused an answer, as LangGraph marks it."""
    return getattr(error, "_langgraph_invalid_resume", False) is True
