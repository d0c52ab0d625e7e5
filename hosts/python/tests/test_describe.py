from typing import Any

from langgraph.graph import START, MessagesState, StateGraph

from runyard_host.graphs.describe import describe, names_of


def _compiled() -> Any:
    return StateGraph(MessagesState).add_node("say", lambda _: {}).add_edge(START, "say").compile()


def test_a_graph_is_described_once() -> None:
    graph = _compiled()
    first = describe(graph)
    assert list(first["graph"]["input_schema"]["properties"]) == ["messages"]
    assert describe(graph)["graph"] is first["graph"]
    assert names_of(graph)["input"] == ["messages"]


def test_another_graph_is_described_by_itself() -> None:
    assert describe(_compiled())["graph"] is not describe(_compiled())["graph"]
