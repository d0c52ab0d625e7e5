"""A whole project is loaded."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from runyard_host import cache, logs, sdk_client
from runyard_host.load import load
from runyard_host.port import Calls
from runyard_host.side import Side

MODULE = """
import asyncio
from langgraph.graph import StateGraph

async def tools():
    return ["search"]

TOOLS = asyncio.run(tools())
graph = StateGraph(dict).add_node("n", lambda state: {}).set_entry_point("n")

async def embed(texts):
    return [[1.0] for _ in texts]
"""


async def test_modules_may_run_a_loop_of_their_own_while_they_are_imported(
    tmp_path: Path, monkeypatch: Any
) -> None:
    parts_of_process = (logs, "install"), (cache, "install")
    of_sdk = (sdk_client, "install"), (sdk_client, "connect")
    for where, name in (*parts_of_process, *of_sdk):
        monkeypatch.setattr(where, name, lambda *_: None)
    parts = {}
    for name in ("agent_with_a_loop", "embed_with_a_loop"):
        parts[name] = tmp_path / f"{name}.py"
        parts[name].write_text(MODULE)
    config = {
        "graphs": {"agent": {"path": str(parts["agent_with_a_loop"]), "export": "graph"}},
        "embed": {"path": str(parts["embed_with_a_loop"]), "export": "embed"},
        "store": {"dims": 1},
    }
    calls = cast(Calls, SimpleNamespace(items=None))
    told: list[Any] = []
    side = cast(Side, SimpleNamespace(tell=told.append))
    loaded = await load(cast(Any, {"config": config, "log_level": "info"}), calls, side)
    assert [graph["graph_id"] for graph in loaded.project.graphs] == ["agent"]
    assert loaded.embed is not None
    assert await loaded.embed(["a"]) == [[1.0]]
    steps = [entry["doing"] for entry in told if entry["kind"] == "starting"]
    assert [step.rsplit("/", 1)[-1] for step in steps] == [
        "agent_with_a_loop.py",
        "embed_with_a_loop.py",
    ]
    assert all(step.startswith("imports ") for step in steps)
