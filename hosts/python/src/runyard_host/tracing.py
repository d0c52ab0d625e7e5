"""
Traces of the project's code: to OpenTelemetry by its ``OTEL_*`` variables, below the spans of the
agent server, and to LangSmith, by LangChain itself. Packages of either are only imported if they
are needed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

log = logging.getLogger("runyard")

_STOP_S = 3.0
_TRACERS = "langchain_core.tracers.langchain"
_EXPORTERS = {
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
}


class Tracing:
    """Its spans are of the service ``runyard``, unless ``OTEL_SERVICE_NAME`` says another."""

    def __init__(self, variables: Mapping[str, str] = os.environ) -> None:
        self._variables = variables
        self._provider: Any = None

    def start(self) -> None:
        """
        Sends the spans of the project's code as its variables say. If the project has set up
        OpenTelemetry itself, nothing changes: so call this after its modules are loaded.
        """
        if not _is_wanted(self._variables):
            return
        try:
            from opentelemetry import trace
            from opentelemetry.sdk.trace import TracerProvider
        except ImportError:
            log.warning(
                "OTEL_* asks for traces, and the package opentelemetry-sdk is not there: spans of "
                "nodes are not sent. Add it to the project's dependencies."
            )
            return
        if isinstance(trace.get_tracer_provider(), TracerProvider):
            return
        exporter = _exporter(self._variables)
        if exporter is None:
            return
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        named = "OTEL_SERVICE_NAME" in self._variables
        resource = Resource.create({} if named else {"service.name": "runyard"})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        trace.set_tracer_provider(self._provider)

    async def stop(self) -> None:
        """Sends the remaining spans, to LangSmith too, for some seconds at most."""
        ends: list[Callable[[], Any]] = []
        if self._provider is not None:
            ends.append(self._provider.shutdown)
        if is_langsmith_used(self._variables) and _TRACERS in sys.modules:
            ends.append(import_module(_TRACERS).wait_for_all_tracers)
        tasks = [asyncio.create_task(asyncio.to_thread(end)) for end in ends]
        if tasks:
            await asyncio.wait(tasks, timeout=_STOP_S)


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


@contextmanager
def below(traceparent: str | None) -> Iterator[None]:
    """Puts all spans that are begun within below the one that W3C's ``traceparent`` names."""
    parent = _read(traceparent)
    if parent is None or "opentelemetry" not in sys.modules:
        yield
        return
    from opentelemetry import context, trace

    trace_id, span_id, flags = parent
    remote = trace.SpanContext(trace_id, span_id, True, trace.TraceFlags(flags))
    token = context.attach(trace.set_span_in_context(trace.NonRecordingSpan(remote)))
    try:
        yield
    finally:
        context.detach(token)


def is_langsmith_used(variables: Mapping[str, str]) -> bool:
    """Whether the project's variables ask LangChain to trace to LangSmith."""
    names = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2")
    return any(variables.get(name) == "true" for name in names)


def _is_wanted(variables: Mapping[str, str]) -> bool:
    """As ``readTelemetry`` of the agent server."""
    if variables.get("OTEL_SDK_DISABLED") == "true":
        return False
    if variables.get("OTEL_TRACES_EXPORTER") == "none":
        return False
    names = ("EXPORTER_OTLP_ENDPOINT", "EXPORTER_OTLP_TRACES_ENDPOINT", "TRACES_EXPORTER")
    return any(variables.get(f"OTEL_{name}") for name in names)


def _exporter(variables: Mapping[str, str]) -> Any | None:
    if variables.get("OTEL_TRACES_EXPORTER") == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter()
    asked = variables.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or variables.get(
        "OTEL_EXPORTER_OTLP_PROTOCOL"
    )
    for protocol in [asked] if asked else ["http/protobuf", "grpc"]:
        try:
            return import_module(_EXPORTERS.get(protocol or "", "")).OTLPSpanExporter()
        except (ImportError, ValueError):
            continue
    log.warning(
        "OTEL_* asks for traces, and no exporter for them is there: add the package "
        "opentelemetry-exporter-otlp to the project's dependencies."
    )
    return None


def _read(traceparent: str | None) -> tuple[int, int, int] | None:
    parts = (traceparent or "").split("-")
    if len(parts) < 4 or [len(part) for part in parts[:4]] != [2, 32, 16, 2]:
        return None
    try:
        _version, trace_id, span_id, flags = (int(part, 16) for part in parts[:4])
    except ValueError:
        return None
    return (trace_id, span_id, flags) if trace_id and span_id else None
