"""LangGraph's checkpointer over the agent server's checkpoints."""
