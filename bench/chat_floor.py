"""The graph of `projects/chat-python` behind uvicorn, and nothing else.

Serves on the port that is given; each request gets the tokens of a run of its own as server-sent
events.
"""

import json
import sys

import uvicorn
from graph import chat

INPUT = {"messages": [{"role": "user", "content": "Hello"}]}
HEADERS = [(b"content-type", b"text/event-stream")]


async def app(scope, receive, send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    async for message, metadata in chat.astream(INPUT, stream_mode="messages"):
        shown = {"type": "AIMessageChunk", "id": message.id, "content": message.content}
        frame = f"event: messages\ndata: {json.dumps([shown, metadata])}\n\n".encode()
        await send({"type": "http.response.body", "body": frame, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", lifespan="off")
