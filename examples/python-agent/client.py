"""Walks through the garden with the gardener: `client.py URL`."""

import asyncio
import sys

from langgraph_sdk import get_client


async def main() -> None:
    client = get_client(url=sys.argv[1], api_key=None)
    thread = await client.threads.create()
    thread_id = thread["thread_id"]
    beds = {"beds": ["roses", "lilies", "mint", "thyme"]}
    async for part in client.runs.stream(
        thread_id, "gardener", input=beds, stream_mode=["custom", "updates"]
    ):
        if part.event == "custom":
            print(part.data)
        elif part.event == "updates" and "__interrupt__" in part.data:
            asked = part.data["__interrupt__"][0]["value"]
            print(asked["question"], ", ".join(asked["beds"]))
    answer = await client.runs.wait(thread_id, "gardener", command={"resume": ["mint"]})
    print("watered:", ", ".join(answer["watered"]))
    items = await client.store.search_items(["watered"])
    for item in items["items"]:
        print(f"remembered: {item['key']}, {item['value']['liters']} liters")


asyncio.run(main())
