"""Runs of graphs: what they tell, and how they end."""
