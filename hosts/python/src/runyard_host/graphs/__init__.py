"""An opened graph of LangGraph: its parts, and the states of its threads."""
