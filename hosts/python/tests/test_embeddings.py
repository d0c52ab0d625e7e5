"""A project's embeddings."""

from __future__ import annotations

import threading
from array import array
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings

from runyard_host.embeddings import ProjectEmbeddings, load_embed
from runyard_host.errors import AppError


def count(texts: list[str]) -> list[list[int]]:
    return [[text.count("a"), text.count("b")] for text in texts]


async def count_async(texts: list[str]) -> list[list[int]]:
    return count(texts)


class Counting(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(number) for number in vector] for vector in count(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def embedding(exported: Any, dims: int = 2) -> ProjectEmbeddings:
    return ProjectEmbeddings(exported, "/project/embed.py:embed", dims)


@pytest.mark.parametrize("exported", [count, count_async, Counting()])
async def test_answers_a_vector_for_each_text(exported: Any) -> None:
    assert await embedding(exported)(["aab", "b"]) == [[2, 1], [0, 1]]


async def test_takes_arrays_for_vectors() -> None:
    assert await embedding(lambda texts: [array("d", [1, 2]) for _ in texts])(["a"]) == [[1, 2]]


async def test_lets_the_event_loop_go_on_while_a_function_computes() -> None:
    threads: list[int] = []

    def embed(texts: list[str]) -> list[list[int]]:
        threads.append(threading.get_ident())
        return count(texts)

    await embedding(embed)(["a"])
    assert threads != [threading.get_ident()]


async def test_says_that_the_model_is_away() -> None:
    async def embed(texts: list[str]) -> list[list[int]]:
        raise ConnectionError("the model is away")

    with pytest.raises(AppError) as refusal:
        await embedding(embed)(["a"])
    assert refusal.value.code == "unavailable"
    assert "ConnectionError: the model is away" in str(refusal.value)


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ([[1]], "a vector of 1 numbers, where store.index.dims says 2"),
        ([], "no list of 1 vectors"),
        (None, "no list of 1 vectors"),
        ([[1, 2], [3, 4]], "no list of 1 vectors"),
        ([[1, float("nan")]], "more than numbers"),
        ([["1", "2"]], "a vector of 0 numbers"),
        (["12"], "more than numbers"),
        ([[1, None]], "more than numbers"),
    ],
)
async def test_takes_nothing_else_for_vectors(answer: Any, what: str) -> None:
    with pytest.raises(AppError, match=what) as refusal:
        await embedding(lambda texts: answer)(["a"])
    assert refusal.value.code == "bad_request"


def test_says_what_is_neither_function_nor_embeddings() -> None:
    with pytest.raises(AppError, match="neither a function from texts to vectors nor Embeddings"):
        embedding([[1, 2]])


def test_says_what_a_provider_needs() -> None:
    with pytest.raises(AppError, match=r'store.index.embed: "openai:m" needs a package'):
        load_embed({"provider": "openai:m"}, 2, lambda spec: spec)
    with pytest.raises(AppError, match=r'store.index.embed: "nobody:m" cannot be used'):
        load_embed({"provider": "nobody:m"}, 2, lambda spec: spec)
