"""Traces of a project's code."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from runyard_host.tracing import below

SOURCES = Path(__file__).parents[1] / "src"
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Collector(HTTPServer):
    """Takes what is sent to OpenTelemetry's HTTP endpoint."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        taken = self.taken

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                taken.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return None

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def run(script: str, **variables: str) -> str:
    environment = {"PYTHONPATH": str(SOURCES), "PATH": "", **variables}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


NODE = f"""
import asyncio, sys
from runyard_host.tracing import Tracing, below

async def main():
    tracing = Tracing()
    tracing.start()
    with below("00-{TRACE}-{SPAN}-01"):
        await asyncio.create_task(node())
    await tracing.stop()

async def node():
    from opentelemetry import trace
    with trace.get_tracer("mine").start_as_current_span("the node's span"):
        pass

asyncio.run(main())
"""


def test_sends_spans_of_nodes_below_the_run(collector: Collector) -> None:
    run(NODE, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    [sent] = collector.taken
    for known in (b"the node's span", b"runyard", bytes.fromhex(TRACE), bytes.fromhex(SPAN)):
        assert known in sent


def test_tells_spans_where_the_variables_say() -> None:
    span = json.loads(run(NODE, OTEL_TRACES_EXPORTER="console", OTEL_SERVICE_NAME="theirs"))
    assert span["parent_id"] == f"0x{SPAN}"
    assert span["context"]["trace_id"] == f"0x{TRACE}"
    assert span["resource"]["attributes"]["service.name"] == "theirs"


def test_leaves_a_project_that_traces_by_itself_as_it_is() -> None:
    own = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
trace.set_tracer_provider(TracerProvider())
"""
    assert run(own + NODE, OTEL_TRACES_EXPORTER="console") == ""


@pytest.mark.parametrize(
    "variables",
    [{}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}],
)
def test_imports_nothing_that_is_not_asked_for(variables: dict[str, str]) -> None:
    script = f"""
import asyncio, sys
from runyard_host.tracing import Tracing, below
tracing = Tracing()
tracing.start()
with below("00-{TRACE}-{SPAN}-01"):
    pass
asyncio.run(tracing.stop())
print([name for name in sys.modules if name.startswith(("opentelemetry", "langsmith"))])
"""
    assert run(script, **variables) == "[]\n"


@pytest.mark.parametrize("text", [None, "", "00-1-2-01", f"00-{'0' * 32}-{SPAN}-01", "a-b-c-d"])
def test_passes_over_what_names_no_span(text: str | None) -> None:
    from opentelemetry import trace

    with below(text):
        assert not trace.get_current_span().get_span_context().is_valid


async def test_reaches_tasks_that_are_begun_within() -> None:
    from opentelemetry import trace

    async def node() -> int:
        return trace.get_current_span().get_span_context().span_id

    with below(f"00-{TRACE}-{SPAN}-01"):
        task = asyncio.create_task(node())
    assert await task == int(SPAN, 16)
    assert await node() == 0
