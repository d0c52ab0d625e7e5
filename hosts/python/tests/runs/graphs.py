"""Graphs that the tests run."""

from __future__ import annotations

from operator import add
from typing import Annotated, Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Send, StreamWriter, interrupt
from typing_extensions import TypedDict


class Steps(TypedDict, total=False):
    steps: Annotated[list[str], add]
    answer: str


def building(state: Any = Steps) -> Any:
    """Without what types cannot say of nodes."""
    return StateGraph(state)


@tool
def look(at: str) -> str:
    """Looks at something."""
    return f"{at} is fine"


def first(_state: Steps, writer: StreamWriter) -> Steps:
    writer({"at": "first"})
    return {"steps": ["first"]}


async def second(_state: Steps, config: RunnableConfig, writer: StreamWriter) -> Steps:
    writer({"at": "second"})
    call = {"id": "look-1", "name": "look", "args": {"at": "it"}, "type": "tool_call"}
    await look.ainvoke(call, config)
    return {"steps": ["second"]}


steps = (
    building()
    .add_node("first", first)
    .add_node("second", second)
    .add_edge(START, "first")
    .add_edge("first", "second")
    .compile()
)


def ask(_state: Steps) -> Steps:
    return {"answer": interrupt({"question": "sure?"}), "steps": ["ask"]}


asking = (
    building()
    .add_node("before", lambda _: {"steps": ["before"]})
    .add_node("ask", ask)
    .add_node("also", lambda _: {"steps": [str(interrupt("also?"))]})
    .add_edge(START, "before")
    .add_edge("before", "ask")
    .add_edge("before", "also")
    .compile()
)


async def talk(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
    answer = AIMessage(f"echo: {state['messages'][-1].content}")
    model = GenericFakeChatModel(messages=iter([answer]))
    return {"messages": [await model.ainvoke(state["messages"], config)]}


talking = building(MessagesState).add_node("talk", talk).add_edge(START, "talk").compile()

# The same in a graph below, and many at once.
nested = (
    building(MessagesState)
    .add_node("one", lambda _: {"messages": [HumanMessage("more")]})
    .add_node("two", talking)
    .add_node("three", lambda _: {})
    .add_edge(START, "one")
    .add_edge("one", "two")
    .add_edge("one", "three")
    .compile()
)

wide = (
    building()
    .add_node("leaf", lambda state: {"steps": [state["answer"]]})
    .add_conditional_edges(START, lambda _: [Send("leaf", {"answer": str(n)}) for n in range(5)])
    .compile()
)
