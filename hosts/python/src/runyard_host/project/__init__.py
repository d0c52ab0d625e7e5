"""The graphs of a project, and how each is opened."""
