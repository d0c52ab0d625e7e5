"""What the official A2A client of Python sees of an assistant: `a2a_tasks.py URL ASSISTANT` prints it as JSON."""
import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import ListTasksRequest, Message, Part, Role, SendMessageRequest
from google.protobuf.json_format import MessageToDict

URL, ASSISTANT = sys.argv[1:]


def message(text):
    return SendMessageRequest(
        message=Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)])
    )


async def main():
    async with httpx.AsyncClient(timeout=60) as http:
        path = f"/a2a/{ASSISTANT}/.well-known/agent-card.json"
        card = await A2ACardResolver(http, URL, agent_card_path=path).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http)).create(card)
        states = []
        async for event in client.send_message(message("hello")):
            seen = MessageToDict(event)
            status = (seen.get("task") or seen.get("statusUpdate") or {}).get("status")
            if status:
                states.append(status["state"])
        listed = MessageToDict(await client.list_tasks(ListTasksRequest()))
        return {
            "versions": [one.protocol_version for one in card.supported_interfaces],
            "states": states,
            "listed": [task["status"]["state"] for task in listed["tasks"]],
        }


print(json.dumps(asyncio.run(main())))
