"""Agents as people make them; their models say by rote what they are to."""

import os
import time

from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.tools import StructuredTool, tool
from langgraph.prebuilt import create_react_agent
from langgraph_supervisor import create_supervisor
from rote_model import RoteModel, call, calls, words


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
    _model,
    [weather],
    middleware=[
        HumanInTheLoopMiddleware(
            interrupt_on={"weather": {"allowed_decisions": ["approve", "reject"]}}
        )
    ],
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


def _in_turn(name: str, first: list[AIMessageChunk], answer: str) -> RoteModel:
    """One that has no result of a tool yet calls ``first``; then it says ``answer``."""

    def say(messages: list[BaseMessage]) -> list[AIMessageChunk]:
        has_result = any(isinstance(one, ToolMessage) for one in messages)
        return words(f"{name}-answer", answer) if has_result else first

    return RoteModel(say=say)


def _helper(name: str) -> dict:
    """A subagent with a tool of its own, which waits until the file exists that GATE names."""

    def look() -> str:
        gate = os.environ.get("GATE")
        while gate and not os.path.exists(gate):
            time.sleep(0.01)
        return f"{name} found it"

    own = StructuredTool.from_function(look, name=f"{name}_tool", description="Looks")
    first = calls(f"{name}-plan", (f"{name}-1", f"{name}_tool", {}))
    return {
        "name": name,
        "description": name,
        "system_prompt": name,
        "tools": [own],
        "model": _in_turn(name, first, f"answer of {name}"),
    }


def _task(id_: str, name: str) -> tuple[str, str, dict]:
    return id_, "task", {"description": f"go {name}", "subagent_type": name}


# Has two subagents at work at once, each of which calls its own tool.
pair = create_deep_agent(
    _in_turn(
        "pair", calls("pair-plan", _task("t1", "north"), _task("t2", "south")), "Both are back."
    ),
    subagents=[_helper("north"), _helper("south")],
)
