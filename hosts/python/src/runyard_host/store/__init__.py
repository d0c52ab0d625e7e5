"""LangGraph's store over the agent server's items."""
