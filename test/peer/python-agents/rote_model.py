"""A model that says by rote what it is to."""

import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, message_chunk_to_message
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult


class RoteModel(BaseChatModel):
    """Says the pieces that `say` makes of the messages, whatever tools it is given."""

    say: Callable[[list[BaseMessage]], list[AIMessageChunk]]

    @property
    def _llm_type(self) -> str:
        return "rote"

    def bind_tools(self, tools: Any, **kwargs: Any) -> "RoteModel":
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        first, *rest = self.say(messages)
        whole = first
        for piece in rest:
            whole += piece
        return ChatResult(generations=[ChatGeneration(message=message_chunk_to_message(whole))])

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        *before, last = self.say(messages)
        for piece in before:
            yield ChatGenerationChunk(message=piece)
        yield ChatGenerationChunk(message=last.model_copy(update={"chunk_position": "last"}))


def words(name: str, text: str) -> list[AIMessageChunk]:
    return [AIMessageChunk(id=name, content=word) for word in re.split(r"(?<= )", text)]


def call(name: str, tool: str, **args: Any) -> list[AIMessageChunk]:
    return calls(name, ("call-1", tool, args))


def calls(name: str, *all_: tuple[str, str, dict[str, Any]]) -> list[AIMessageChunk]:
    chunks = [
        {
            "type": "tool_call_chunk",
            "index": index,
            "id": id_,
            "name": tool,
            "args": json.dumps(args),
        }
        for index, (id_, tool, args) in enumerate(all_)
    ]
    return [AIMessageChunk(id=name, content="", tool_call_chunks=chunks)]
