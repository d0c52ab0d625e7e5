"""Started by `python.ts`: a graph in Python, in a process that does nothing else.

`none`, or `sqlite FILE` for the official saver, names its checkpointer; with `idle` it is only
imported. Then it answers each line of JSON with one.
"""

import asyncio
import json
import sys
import time
import uuid

from graph import compile_graph


async def main(kind: str, place: str = "") -> None:
    if kind == "sqlite":
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        async with AsyncSqliteSaver.from_conn_string(place) as saver:
            await serve(compile_graph(saver))
    else:
        await serve(compile_graph())


async def serve(graph) -> None:
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        print(json.dumps(await ANSWERS[asked["what"]](graph, asked)), flush=True)


async def rate(graph, asked) -> float:
    """Runs per second with this many clients."""
    done, begun = 0, time.perf_counter()
    end = begun + asked["ms"] / 1000

    async def client() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await invoke(graph)
            done += 1

    await asyncio.gather(*[client() for _ in range(asked["clients"])])
    return done / (time.perf_counter() - begun)


async def times_of_invoke(graph, asked) -> list[float]:
    """In ms, one after the other."""
    times = []
    for _ in range(asked["times"]):
        begun = time.perf_counter()
        await invoke(graph)
        times.append(1000 * (time.perf_counter() - begun))
    return times


async def times_of_first_chunk(graph, asked) -> list[float]:
    """Reads each run to its end, so that the next one is alone."""
    times = []
    for _ in range(asked["times"]):
        begun, first = time.perf_counter(), None
        async for _chunk in graph.astream(said("Hello"), on(uuid.uuid4()), stream_mode="values"):
            first = first or time.perf_counter()
        times.append(1000 * (first - begun))
    return times


async def say(graph, asked) -> str:
    await invoke(graph, asked["thread_id"], asked["text"])
    return "said"


async def invoke(graph, thread_id=None, text="Hello"):
    return await graph.ainvoke(said(text), on(thread_id or uuid.uuid4()))


def said(text: str) -> dict:
    return {"messages": [{"role": "user", "content": text}]}


def on(thread_id) -> dict:
    return {"configurable": {"thread_id": str(thread_id)}}


ANSWERS = {
    "rate": rate,
    "invoke": times_of_invoke,
    "first chunk": times_of_first_chunk,
    "say": say,
}

asyncio.run(main(*sys.argv[1:]))
