"""A gardener: looks at the beds one after the other, asks before it waters, and remembers what it did."""

import asyncio
from operator import add
from typing import Annotated

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import StreamWriter, interrupt
from typing_extensions import TypedDict


class Garden(TypedDict, total=False):
    beds: list[str]
    dry: Annotated[list[str], add]
    watered: list[str]


async def look(state: Garden, writer: StreamWriter) -> Garden:
    dry = []
    for bed in state["beds"]:
        await asyncio.sleep(0.01)
        is_dry = len(bed) % 2 == 0
        writer(f"{bed}: {'dry' if is_dry else 'well'}")
        dry += [bed] if is_dry else []
    return {"dry": dry}


async def water(state: Garden, store: BaseStore) -> Garden:
    answer = interrupt({"question": "Which of these shall I water?", "beds": state["dry"]})
    # A list or a text of names; a plain yes or no is about all of them.
    wanted = answer if isinstance(answer, (list, str)) else state["dry"] if answer else []
    watered = [bed for bed in state["dry"] if bed in wanted]
    for bed in watered:
        await store.aput(("watered",), bed, {"liters": 5})
    return {"watered": watered}


graph = (
    StateGraph(Garden)
    .add_node("look", look)
    .add_node("water", water)
    .add_edge(START, "look")
    .add_conditional_edges("look", lambda state: "water" if state["dry"] else END, ["water", END])
    .add_edge("water", END)
    .compile()
)
