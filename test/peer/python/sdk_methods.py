"""Every public method of the SDK's clients: `sdk_methods.py URL async|sync` prints what they answer as JSON.

The server has the graphs `agent`, `slow`, `ask` and `parent` of the test project `echo`.
"""

import asyncio
import inspect
import json
import sys

from langgraph_sdk import get_client, get_sync_client

URL, KIND = sys.argv[1:]
PARTS = ("assistants", "threads", "runs", "crons", "store")
LATER = "0 0 1 1 *"


class Called:
    """A part of the client; its methods are awaited whichever client it is, and noted."""

    def __init__(self, part, name, seen):
        self.part, self.name, self.seen = part, name, seen

    def __getattr__(self, method):
        def call(*args, **kwargs):
            self.seen.add(f"{self.name}.{method}")
            answer = getattr(self.part, method)(*args, **kwargs)
            if inspect.isawaitable(answer) or hasattr(answer, "__aiter__"):
                return answer
            if hasattr(answer, "__next__"):
                return each(answer)
            return answer if method == "stream" else done(answer)

        return call


async def done(answer):
    return answer


async def each(items):
    for item in items:
        yield item


async def thread_output(thread):
    """The values at the end of a run on a thread that is followed."""
    if KIND == "async":
        async with thread:
            await thread.run.start(input={"text": "a"})
            return (await thread.output)["text"]
    with thread:
        thread.run.start(input={"text": "a"})
        return thread.output["text"]


async def tour(assistants, threads, runs, crons, store):
    told = {}
    # Assistants
    made = await assistants.create("slow", metadata={"tour": KIND}, name="of the tour")
    a_id = made["assistant_id"]
    await assistants.update(a_id, name="renamed", config={"tags": ["t"]})
    versions = await assistants.get_versions(a_id)
    back = await assistants.set_latest(a_id, 1)
    found = await assistants.search(metadata={"tour": KIND})
    graph = await assistants.get_graph("parent", xray=True)
    schemas = await assistants.get_schemas("slow")
    told["assistants"] = {
        "versions": [one["version"] for one in versions],
        "name": [(await assistants.get(a_id))["name"], back["name"]],
        "found": [one["assistant_id"] == a_id for one in found],
        "count": await assistants.count(metadata={"tour": KIND}),
        "nodes": sorted(node["id"] for node in graph["nodes"]),
        "steps": schemas["state_schema"]["properties"]["steps"]["items"],
        "subgraphs": list(await assistants.get_subgraphs("parent")),
    }
    # Threads, and runs that end
    thread = await threads.create(metadata={"tour": KIND}, graph_id="slow", ttl=600)
    t_id = thread["thread_id"]
    quick = {"label": "a", "count": 2, "ms": 1}
    parts = [part async for part in runs.stream(t_id, a_id, input=quick, stream_mode="custom")]
    waited = await runs.wait(t_id, "slow", input={**quick, "label": "b"})
    run = await runs.create(t_id, "slow", input={**quick, "label": "c"})
    joined = await runs.join(t_id, run["run_id"])
    listed = await runs.list(t_id)
    told["runs"] = {
        "custom": [part.data["step"] for part in parts if part.event == "custom"],
        "waited": waited["steps"],
        "joined": joined["steps"][-2:],
        "status": (await runs.get(t_id, run["run_id"]))["status"],
        "listed": len(listed),
    }
    # Runs that are followed and cancelled
    long = {"label": "d", "count": 1000, "ms": 20}
    held = await runs.create(t_id, "slow", input=long, stream_mode="custom", stream_resumable=True)
    async for part in runs.join_stream(t_id, held["run_id"], stream_mode="custom"):
        if part.event == "custom":
            break
    await runs.cancel(t_id, held["run_id"], wait=True)
    batch = await runs.create_batch(
        [{"assistant_id": "slow", "input": long, "after_seconds": 600} for _ in range(2)]
    )
    many = [await runs.create(t_id, "slow", input=long, after_seconds=600) for _ in range(2)]
    await runs.cancel_many(thread_id=t_id, run_ids=[one["run_id"] for one in many])
    statuses = [(await runs.get(t_id, one["run_id"]))["status"] for one in [held, *many]]
    await runs.delete(t_id, many[0]["run_id"])
    told["cancelled"] = {
        "statuses": statuses,
        "batch": len(batch),
        "left": len(await runs.list(t_id)),
    }
    # States
    asked = await threads.create()
    k_id = asked["thread_id"]
    await runs.wait(k_id, "ask", input={"question": "why?"})
    state = await threads.get_state(k_id, subgraphs=True)
    answered = await runs.wait(k_id, "ask", command={"resume": "so"})
    changed = await threads.update_state(k_id, {"answer": "no"}, as_node="ask")
    history = await threads.get_history(k_id, limit=100)
    told["states"] = {
        "next": state["next"],
        "asked": state["tasks"][0]["interrupts"][0]["value"],
        "answered": answered["answer"],
        "changed": "checkpoint_id" in changed["checkpoint"],
        "history": len(history),
    }
    await threads.update(k_id, metadata={"more": KIND})
    copied = await threads.copy(k_id)
    others = await threads.search(metadata={"more": KIND})
    told["threads"] = {
        "found": len(others),
        "count": await threads.count(metadata={"tour": KIND}),
        "copied": (await threads.get_state((copied or others[0])["thread_id"]))["values"]["answer"],
        "status": (await threads.get(k_id))["status"],
        "pruned": (await threads.prune([k_id], strategy="keep_latest"))["pruned_count"],
        "left": len(await threads.get_history(k_id)),
        "output": await thread_output(threads.stream(assistant_id="parent")),
    }
    followed = await runs.create(t_id, "slow", input=quick, stream_mode="values")
    stream = threads.join_stream(t_id, last_event_id="-")
    async for part in await stream if inspect.isawaitable(stream) else stream:
        if part.event == "values" and part.data.get("done") == 2:
            break
    await runs.join(t_id, followed["run_id"])
    # Crons
    cron = await crons.create("slow", schedule=LATER, input=quick, metadata={"tour": KIND})
    on_thread = await crons.create_for_thread(t_id, "slow", schedule=LATER, input=quick)
    updated = await crons.update(cron["cron_id"], schedule="0 0 2 1 *", enabled=False)
    told["crons"] = {
        "found": len(await crons.search(thread_id=t_id)),
        "count": await crons.count(metadata={"tour": KIND}),
        "schedule": updated["schedule"],
    }
    for one in (cron, on_thread):
        await crons.delete(one["cron_id"])
    # The store
    space = ["tour", KIND]
    await store.put_item(space, key="k", value={"n": 1})
    items = await store.search_items(space, filter={"n": {"$gte": 1}})
    spaces = await store.list_namespaces(prefix=space)
    told["store"] = {
        "value": (await store.get_item(space, key="k"))["value"],
        "found": [item["key"] for item in items["items"]],
        "namespaces": spaces["namespaces"],
    }
    await store.delete_item(space, key="k")
    # What is left goes
    for one in batch:
        await runs.cancel(one["thread_id"], one["run_id"])
    await threads.delete(t_id)
    await assistants.delete(a_id)
    return told


async def main():
    client = (
        get_client(url=URL, api_key=None)
        if KIND == "async"
        else get_sync_client(url=URL, api_key=None)
    )
    seen = set()
    parts = [Called(getattr(client, name), name, seen) for name in PARTS]
    told = await tour(*parts)
    public = {
        f"{name}.{method}"
        for name in PARTS
        for method, _ in inspect.getmembers(getattr(client, name), inspect.isroutine)
        if not method.startswith("_")
    }
    print(json.dumps({**told, "not called": sorted(public - seen)}))


asyncio.run(main())
