"""The event loop of the host outlives code that calls for the end of the process."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

from runyard_host.__main__ import run_to_the_end


def test_the_loop_goes_on_when_a_task_or_a_callback_exits() -> None:
    done: list[str] = []

    async def exiting() -> None:
        sys.exit(7)

    async def work() -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(exiting())
        loop.call_soon(sys.exit, 8)
        loop.call_soon(done.append, "the next callback")
        await asyncio.sleep(0.01)
        assert isinstance(task.exception(), SystemExit)
        done.append("the work")

    run_to_the_end(work)
    assert done == ["the next callback", "the work"]


def test_the_loop_goes_on_when_code_of_the_project_stops_it() -> None:
    done: list[str] = []

    async def work() -> None:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0.01)
        done.append("the work")

    run_to_the_end(work)
    assert done == ["the work"]


FAILING = """
import threading, time
from runyard_host import __main__ as program

async def serve(side):
    threading.Thread(target=time.sleep, args=(600,)).start()
    raise RuntimeError("the host itself has failed")

program.serve = serve
program.main()
"""


def test_a_host_that_fails_ends_although_threads_of_the_project_go_on() -> None:
    server, host = socket.socketpair()
    told, tells = os.pipe()
    program = f"import os; os.dup2({host.fileno()}, 3); os.dup2({tells}, 4)\n" + FAILING
    sources = str(Path(__file__).parents[1] / "src")
    with server, host:
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": sources},
            pass_fds=(host.fileno(), tells),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    os.close(told)
    os.close(tells)
    assert ended.returncode == 1
    assert "the host itself has failed" in ended.stderr
