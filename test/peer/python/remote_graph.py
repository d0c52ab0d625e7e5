"""What `RemoteGraph` of Python's LangGraph does with graphs of a server: `remote_graph.py URL` prints it as JSON."""

import asyncio
import json
import sys
import uuid

from langgraph.pregel.remote import RemoteException, RemoteGraph
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

(URL,) = sys.argv[1:]
QUICK = {"label": "a", "count": 1, "ms": 1}


def remote(name):
    return RemoteGraph(name, url=URL, api_key=None)


def on_thread():
    return {"configurable": {"thread_id": str(uuid.uuid4())}}


def synchronous():
    config = on_thread()
    values = remote("slow").invoke(QUICK, config)
    streamed = list(remote("slow").stream(QUICK, config, stream_mode=["updates", "custom"]))
    state = remote("slow").get_state(config)
    remote("slow").update_state(config, {"label": "changed"}, as_node="step")
    history = list(remote("slow").get_state_history(config))
    try:
        remote("fail").invoke({"reason": "no luck"})
    except RemoteException as error:
        failure = str(error)
    drawn = remote("parent").get_graph(xray=True)
    return {
        "values": values["steps"],
        "modes": sorted({part.event for part in streamed}),
        "next": list(state.next),
        "state": state.values["steps"],
        "changed": history[0].values["label"],
        "history": len(history),
        "failure": "no luck" in failure,
        "nodes": sorted(drawn.nodes),
        "edges": len(drawn.edges),
    }


async def asynchronous():
    config = on_thread()
    asked = await remote("ask").ainvoke({"question": "why?"}, config)
    state = await remote("ask").aget_state(config, subgraphs=True)
    values = await remote("ask").ainvoke(Command(resume="because"), config)
    parts = remote("parent").astream({"text": "a"}, stream_mode="updates", subgraphs=True)
    namespaces = [[part.split(":")[0] for part in namespace] async for namespace, _ in parts]
    await remote("ask").aupdate_state(config, {"answer": "no"}, as_node="ask")
    history = [one async for one in remote("ask").aget_state_history(config)]
    local = (
        StateGraph(MessagesState)
        .add_node("remote", remote("agent"))
        .add_edge(START, "remote")
        .compile()
    )
    messages = (await local.ainvoke({"messages": [("user", "hi")]}))["messages"]
    return {
        "question": asked["__interrupt__"][0]["value"],
        "asks": [task.name for task in state.tasks],
        "answer": values["answer"],
        "namespaces": namespaces,
        "changed": history[0].values["answer"],
        "nodes": sorted((await remote("parent").aget_graph()).nodes),
        "local": [message.content for message in messages][-1],
    }


print(json.dumps({"sync": synchronous(), "async": asyncio.run(asynchronous())}))
