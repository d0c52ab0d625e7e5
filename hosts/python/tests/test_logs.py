"""What a project's code logs."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from runyard_host.logs import SideHandler
from runyard_host.place import NOWHERE, Place, at_place, current_place, place_of

SOURCES = Path(__file__).parents[1] / "src"


@pytest.fixture
def told() -> Iterator[list[Mapping[str, Any]]]:
    entries: list[Mapping[str, Any]] = []
    root = logging.getLogger()
    handler = SideHandler(entries.append)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield entries
    root.removeHandler(handler)
    root.setLevel(level)


def own(told: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one for one in told if one["logger"] == "my.graph"]


log = logging.getLogger("my.graph")


def test_tells_records_with_their_fields(told: list[Mapping[str, Any]]) -> None:
    log.warning("%s is late", "the train", extra={"minutes": 3, "at": {1}})
    assert own(told) == [
        {
            "kind": "log",
            "level": "warn",
            "logger": "my.graph",
            "message": "the train is late",
            "fields": {"minutes": 3, "at": "{1}"},
        }
    ]


@pytest.mark.parametrize(
    ("number", "level"),
    [(5, "debug"), (10, "debug"), (20, "info"), (25, "info"), (30, "warn"), (50, "error")],
)
def test_has_the_levels_of_the_server(
    told: list[Mapping[str, Any]], number: int, level: str
) -> None:
    logging.getLogger("my.graph").setLevel(1)
    log.log(number, "x")
    assert own(told)[0]["level"] == level


def test_cuts_tracebacks_to_the_project(told: list[Mapping[str, Any]]) -> None:
    try:
        dict[str, str]()["gone"]
    except KeyError:
        log.exception("it failed")
    error = own(told)[0]["error"]
    assert (error["name"], error["message"]) == ("KeyError", "'gone'")
    assert '["gone"]' in error["stack"]


async def test_names_the_run_and_the_node(told: list[Mapping[str, Any]]) -> None:
    async def node() -> None:
        with at_place(Place("r1", "t1", "ask")):
            await asyncio.gather(asyncio.to_thread(log.info, "in a thread"), later())
            log.info("in the node")
        log.info("behind it")

    async def later() -> None:
        log.info("in a task")

    await node()
    place = {"run_id": "r1", "thread_id": "t1", "node": "ask"}
    told_of = [(one["message"], {k: one[k] for k in place if k in one}) for one in own(told)]
    assert sorted(told_of, key=str) == sorted(
        [("in a task", place), ("in a thread", place), ("in the node", place), ("behind it", {})],
        key=str,
    )


async def test_knows_the_place_of_a_task_from_another_thread() -> None:
    entered, go = asyncio.Event(), asyncio.Event()

    async def node() -> None:
        with at_place(Place("r1")):
            with at_place(Place("r1", None, "ask")):
                entered.set()
                await go.wait()
            assert current_place() == Place("r1")

    task = asyncio.create_task(node())
    await entered.wait()
    assert await asyncio.to_thread(place_of, task) == Place("r1", None, "ask")
    go.set()
    await task
    assert current_place() == NOWHERE


def test_takes_structlog_too_whenever_it_is_imported() -> None:
    """In a process of its own, since it changes the interpreter's imports."""
    script = """
import json, sys
from runyard_host import logs
from runyard_host.place import Place, at_place

logs.install("info", lambda entry: print(json.dumps(entry)))
assert "structlog" not in sys.modules
import structlog

log = structlog.get_logger("my.graph").bind(user="ann")
with at_place(Place("r1", "t1", "ask")):
    log.debug("too quiet")
    log.warning("late", minutes=3)
try:
    raise KeyError("gone")
except KeyError:
    structlog.get_logger().exception("it failed")
import logging
logging.getLogger("a").debug("too quiet")
logging.getLogger("a").info("loud enough")
structlog.reset_defaults()
"""
    run = [sys.executable, "-c", script]
    environment = {"PYTHONPATH": str(SOURCES), "PATH": ""}
    done = subprocess.run(run, capture_output=True, text=True, env=environment, check=False)
    assert done.stderr == ""
    first, second, third = [json.loads(line) for line in done.stdout.splitlines()]
    assert first == {
        "kind": "log",
        "level": "warn",
        "logger": "my.graph",
        "message": "late",
        "run_id": "r1",
        "thread_id": "t1",
        "node": "ask",
        "fields": {"user": "ann", "minutes": 3},
    }
    assert (second["level"], second["error"]["name"]) == ("error", "KeyError")
    assert third["message"] == "loud enough"
