"""Agents as people make them; their models say by rote what they are to."""

from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.prebuilt import create_react_agent
from langgraph_supervisor import create_supervisor
from rote_model import RoteModel, call, words


@tool
def weather(city: str) -> str:
    """The weather in a city"""
    return f"sunny in {city}"


def _look(messages: list[BaseMessage]) -> list[AIMessageChunk]:
    last = messages[-1]
    if isinstance(last, ToolMessage) and last.name == "weather":
        return words("answer", f"It is {last.text}.")
    return call("plan", "weather", city="Bern")


_model = RoteModel(say=_look)

agent = create_agent(_model, [weather], system_prompt="Look it up.", name="agent")

# Asks before it calls its tool.
asking = create_agent(
    _model, [weather], middleware=[HumanInTheLoopMiddleware(interrupt_on={"weather": True})]
)

react = create_react_agent(_model, [weather], name="react")


def _supervise(messages: list[BaseMessage]) -> list[AIMessageChunk]:
    if isinstance(messages[-1], ToolMessage):
        return words("end", "That is all.")
    return call("hand-over", "transfer_to_react")


supervisor = create_supervisor([react], model=RoteModel(say=_supervise)).compile()


def _delegate(messages: list[BaseMessage]) -> list[AIMessageChunk]:
    last = messages[-1]
    if "research" in last.text:
        return words("subagent", "Bern is sunny.")
    if isinstance(last, ToolMessage):
        return words("answer", f"I heard: {last.text}")
    return call("plan", "task", description="research Bern", subagent_type="researcher")


_deep_model = RoteModel(say=_delegate)

deep = create_deep_agent(
    _deep_model,
    subagents=[
        {
            "name": "researcher",
            "description": "Looks things up",
            "system_prompt": "Look it up.",
            "model": _deep_model,
        }
    ],
)
