"""The project's own embeddings, as ``store.index.embed`` names them."""

from .embeddings import ProjectEmbeddings, load_embed

__all__ = ["ProjectEmbeddings", "load_embed"]
