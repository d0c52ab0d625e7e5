"""Runs of graphs: what they emit, and how they end."""
