"""What the official MCP client of Python sees of a server: `mcp_tools.py URL TOOL MODE` prints it as JSON."""

import asyncio
import json
import sys

from mcp import Client

URL, TOOL, MODE = sys.argv[1:]


async def main():
    async with Client(f"{URL}/mcp", mode=MODE) as client:
        tools = (await client.list_tools()).tools
        asked = {"messages": [{"role": "user", "content": "hello"}]}
        answer = await client.call_tool(TOOL, asked)
        found = next(tool for tool in tools if tool.name == TOOL)
        return {
            "version": client.protocol_version,
            "takes": sorted(found.input_schema["properties"]),
            "said": json.loads(answer.content[0].text)["messages"][-1]["content"],
            "is_error": bool(answer.is_error),
        }


print(json.dumps(asyncio.run(main())))
