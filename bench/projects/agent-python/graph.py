from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult


def weather(city: str) -> str:
    """The weather in a city."""
    return f"It rains in {city}."


def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


CALLS = [
    {"name": "weather", "args": {"city": "Bern"}, "id": "call-1"},
    {"name": "add", "args": {"a": 1, "b": 2}, "id": "call-2"},
]


class Scripted(BaseChatModel):
    """Asks for both tools at once, then answers."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> "Scripted":
        return self

    def _answer(self, messages: Any) -> ChatResult:
        is_first = messages[-1].type == "human"
        message = AIMessage("", tool_calls=CALLS) if is_first else AIMessage("Rain, and 3.")
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        return self._answer(messages)

    async def _agenerate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        return self._answer(messages)


def compile_graph(checkpointer=None):
    """The model answers at once: the rows measure everything around it."""
    return create_agent(Scripted(), [weather, add], checkpointer=checkpointer)


agent = compile_graph()
