"""How a graph ends: because it failed, or because LangGraph's ``RunControl`` stopped it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from ..checkpoints.values import is_invalid_resume
from ..errors import DatabaseAway, ServerError, to_wire_error
from ..port import JsonObject


def failure_of(error: BaseException, *, refuses_answer: bool = False) -> JsonObject:
    """
    ``GraphFailure``; the database is to blame if a call back reported that. ``refuses_answer``: a
    task reported that its answer does not fit.
    """
    is_away = any(isinstance(one, DatabaseAway) for one in _chain(error))
    told = to_wire_error(error)
    name = error.name if isinstance(error, ServerError) else type(error).__name__
    return {
        "kind": "database_away" if is_away else "graph",
        "error": name,
        "message": told["message"],
        "isAnswerRefused": refuses_answer or any(map(is_invalid_resume, _chain(error))),
        "thrown": told,
    }


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def control_for(graph: Any) -> Any:
    """LangGraph's ``RunControl`` for a run of the graph; ``None`` if its version has none."""
    if "control" not in inspect.signature(graph.astream).parameters:
        return None
    from langgraph.runtime import RunControl

    return RunControl()


def is_drained(error: BaseException) -> bool:
    """Whether the graph was stopped by its ``RunControl``."""
    return type(error).__name__ == "GraphDrained"
