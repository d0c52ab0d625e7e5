"""Runs the LangGraph graphs of one project for a Runyard agent server; see PROTOCOL.md."""
