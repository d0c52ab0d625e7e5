"""A graph of LangGraph, opened: what it consists of, and the states of its threads."""
