"""What the official MCP client of Python sees of a server: `mcp_tools.py URL TOOL` prints it as JSON."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

URL, TOOL = sys.argv[1:]


async def main():
    async with (
        streamable_http_client(f"{URL}/mcp") as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tools = (await session.list_tools()).tools
        asked = {"messages": [{"role": "user", "content": "hello"}]}
        answer = await session.call_tool(TOOL, asked)
        found = next(tool for tool in tools if tool.name == TOOL)
        return {
            "takes": sorted(found.input_schema["properties"]),
            "said": json.loads(answer.content[0].text)["messages"][-1]["content"],
            "is_error": bool(answer.is_error),
        }


print(json.dumps(asyncio.run(main())))
