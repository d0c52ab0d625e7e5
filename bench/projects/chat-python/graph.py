import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, MessagesState, StateGraph

EVERY_SECS = 0.05
ANSWER_SECS = 8


class Paced(BaseChatModel):
    """Writes a token every 50 ms for 8 s. A token is the time at which it is made: ms since 1970, between two `@`."""

    @property
    def _llm_type(self) -> str:
        return "paced"

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("It only streams.")

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        due = time.perf_counter()
        end = due + ANSWER_SECS
        while time.perf_counter() < end:
            text = f"@{1000 * time.time():.1f}@"
            yield ChatGenerationChunk(message=AIMessageChunk(content=text))
            # A token that is late by more than one delays the rest, so that they come in no burst.
            due = max(due + EVERY_SECS, time.perf_counter())
            await asyncio.sleep(due - time.perf_counter())


model = Paced()


async def answer(state: MessagesState) -> MessagesState:
    return {"messages": [await model.ainvoke(state["messages"])]}


chat = (
    StateGraph(MessagesState)
    .add_node("answer", answer)
    .add_edge(START, "answer")
    .add_edge("answer", END)
    .compile()
)
