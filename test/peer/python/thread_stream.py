"""What the official Python clients see of a thread: `thread_stream.py URL TRANSPORT` prints it as JSON."""
import asyncio
import json
import sys

from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client

URL, TRANSPORT = sys.argv[1:]
# What is subscribed decides, not who asks.
HEADERS = {"user-agent": "a-program-of-its-own"}
INPUT = {"messages": [{"role": "human", "content": "How is Bern?", "id": "question"}]}


def opened(client, assistant_id):
    return client.threads.stream(assistant_id=assistant_id, transport=TRANSPORT)


async def texts_of(messages):
    # A message is written on while the next is waited for.
    seen = [message async for message in messages]
    return [text for text in [await message.text for message in seen] if text]


async def messages(client):
    async with opened(client, "tools") as thread:
        await thread.run.start(input=INPUT)
        return await texts_of(thread.messages)


async def values_beside_messages(client):
    async with opened(client, "tools") as thread:
        await thread.run.start(input=INPUT)
        seen = {"values": 0, "messages": 0, "tool_calls": 0}
        async for name, _ in thread.interleave_projections(list(seen)):
            seen[name] += 1
        return seen


async def tool_calls(client):
    async with opened(client, "tools") as thread:
        await thread.run.start(input=INPUT)
        calls = [call async for call in thread.tool_calls]
        return [[call.name, call.input, await call.output] for call in calls]


async def subgraphs(client):
    async with opened(client, "parent") as thread:
        await thread.run.start(input={"text": "a"})
        return [handle.graph_name async for handle in thread.subgraphs]


async def nodes(client):
    async with opened(client, "tools") as thread:
        await thread.run.start(input=INPUT)
        return [handle.graph_name async for handle in thread.subgraphs]


async def answer(client):
    async with opened(client, "ask") as thread:
        await thread.run.start(input={"question": "Which?"})
        while not thread.interrupts:
            await asyncio.sleep(0)
        await thread.run.respond("this one")
        return (await thread.output)["answer"]


async def remote(client):
    graph = RemoteGraph("tools", url=URL, api_key=None, headers=HEADERS)
    async with await graph.astream_events(INPUT, version="v3") as run:
        return await texts_of(run.messages)


async def main():
    client = get_client(url=URL, api_key=None, headers=HEADERS)
    scenes = [messages, values_beside_messages, tool_calls, subgraphs, nodes, answer, remote]
    seen = {}
    for scene in scenes:
        seen[scene.__name__] = await asyncio.wait_for(scene(client), 20)
    print(json.dumps(seen))


asyncio.run(main())
