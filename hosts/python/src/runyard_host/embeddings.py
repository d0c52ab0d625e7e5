"""The vectors that a project computes for texts: by a function, or by LangChain's embeddings."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from .errors import AppError
from .port import JsonObject
from .project_call import call

Embed: TypeAlias = Callable[[list[str]], Awaitable[Any]]

_WHAT = "The project's embeddings (store.index.embed)"


def load_embed(
    spec: JsonObject, dims: int, load: Callable[[JsonObject], object]
) -> ProjectEmbeddings:
    """
    Loads the embeddings: ``{path | module, export}`` with ``load``, or LangChain's for ``{provider:
    "openai:…"}``. Raises ``bad_request``, with a message that says what to write or to install.
    """
    provider = spec.get("provider")
    if provider is not None:
        return ProjectEmbeddings(_init(provider), provider, dims)
    name = f"{spec.get('path') or spec.get('module')}:{spec.get('export')}"
    return ProjectEmbeddings(load(spec), name, dims)


class ProjectEmbeddings:
    """Returns one vector for each text, in the same order, of the length ``dims``."""

    def __init__(self, exported: Any, name: str, dims: int) -> None:
        embed = _to_embed(exported)
        if embed is None:
            raise _refuse(
                f'"{name}" is neither a function from texts to vectors nor Embeddings of LangChain'
            )
        self._embed = embed
        self._dims = dims

    async def __call__(self, texts: list[str]) -> list[list[float]]:
        """Raises ``unavailable`` when the project's code fails, ``bad_request`` for no vectors."""
        try:
            answer = await self._embed(texts)
        except AppError:
            raise
        except Exception as error:
            told = f"The project's embeddings failed: {type(error).__name__}: {error}"
            raise AppError("unavailable", told) from error
        return _check(answer, len(texts), self._dims)


def _to_embed(exported: Any) -> Embed | None:
    if callable(getattr(exported, "aembed_documents", None)):
        return lambda texts: call(exported.aembed_documents, texts)
    if callable(getattr(exported, "embed_documents", None)):
        return lambda texts: call(exported.embed_documents, texts)
    return (lambda texts: call(exported, texts)) if callable(exported) else None


def _init(provider: str) -> Any:
    try:
        from langchain.embeddings import init_embeddings
    except ImportError as error:
        raise _refuse(
            f'"{provider}" needs the package langchain, which the project cannot load: add it to '
            "its dependencies"
        ) from error
    try:
        return init_embeddings(provider)
    except ImportError as error:
        raise _refuse(f'"{provider}" needs a package that is not installed: {error}') from error
    except Exception as error:
        told = f'"{provider}" cannot be used: {type(error).__name__}: {error}'
        raise _refuse(told) from error


def _check(vectors: Any, count: int, dims: int) -> list[list[float]]:
    read = [_numbers(vector) for vector in vectors] if isinstance(vectors, Iterable) else []
    if len(read) != count:
        raise AppError("bad_request", f"{_WHAT} answered no list of {count} vectors.")
    for vector in read:
        if vector is None or not all(math.isfinite(number) for number in vector):
            raise AppError(
                "bad_request", f"{_WHAT} answered a vector that holds more than numbers."
            )
        if len(vector) != dims:
            raise AppError(
                "bad_request",
                f"{_WHAT} answered a vector of {len(vector)} numbers, where store.index.dims says "
                f"{dims}.",
            )
    return [vector for vector in read if vector is not None]


def _numbers(vector: Any) -> list[float] | None:
    """Arrays of NumPy and the like are vectors too."""
    if isinstance(vector, str | bytes) or not isinstance(vector, Iterable):
        return None
    try:
        return [float(number) for number in vector if not isinstance(number, str | bool)]
    except (TypeError, ValueError):
        return None


def _refuse(reason: str) -> AppError:
    return AppError("bad_request", f"langgraph.json: store.index.embed: {reason}.")
