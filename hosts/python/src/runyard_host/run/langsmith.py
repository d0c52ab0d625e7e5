"""Runs that choose the LangSmith project for their trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig


@contextmanager
def traced_as_asked(config: RunnableConfig) -> Iterator[None]:
    """
    For a run whose ``configurable`` names a ``langsmith_project`` (and, for evaluations, a
    ``langsmith_example_id``): its trace goes there and to the project of the environment. Other
    runs are traced as usual.
    """
    configurable = config.get("configurable") or {}
    project = configurable.get("langsmith_project")
    if not isinstance(project, str) or not project:
        yield
        return
    from langsmith.run_helpers import tracing_context
    from langsmith.utils import get_tracer_project

    asked: dict[str, Any] = {"project_name": project}
    if example := configurable.get("langsmith_example_id"):
        asked["updates"] = {"reference_example_id": str(example)}
    usual: dict[str, Any] = {"project_name": get_tracer_project()}
    replicas: Any = [asked, usual]
    with tracing_context(replicas=replicas):
        yield
