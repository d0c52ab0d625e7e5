"""What models write, and when they are done. LangGraph streams the pieces of a message without
marking the last, and streams messages that nodes make by themselves too; LangChain's callbacks
distinguish these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage, BaseMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, LLMResult

from ..port import JsonObject


@dataclass
class _Call:
    id: str | None = None
    pieces: int = 0


class ModelCalls(BaseCallbackHandler):
    """Reports each ``ModelEnd``, in the thread in which the model is called."""

    run_inline = True
    ignore_chain = True
    ignore_agent = True
    ignore_retriever = True

    def __init__(self, on_end: Callable[[JsonObject], None]) -> None:
        self._on_end = on_end
        self._calls: dict[UUID, _Call] = {}
        # By identity, each until it is looked up: a message has no id yet.
        self._whole: dict[int, BaseMessage] = {}

    def is_written(self, message: BaseMessage) -> bool:
        """Whether a model wrote it, a piece or all of it. True once for a whole message."""
        is_piece = isinstance(message, BaseMessageChunk)
        return self._whole.pop(id(message), None) is not None or is_piece

    def on_chat_model_start(self, *_args: Any, **_kwargs: Any) -> None:
        """Declares that calls of chat models are of interest."""

    def on_llm_new_token(
        self,
        token: Any,
        *,
        chunk: Any = None,
        run_id: UUID,
        **_kwargs: Any,
    ) -> None:
        """A piece, which LangGraph streams too."""
        if not isinstance(chunk, ChatGenerationChunk):
            return
        call = self._calls.setdefault(run_id, _Call())
        call.id = chunk.message.id or call.id
        call.pieces += 1

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_kwargs: Any) -> None:
        """The message is complete; one that came whole is not reported."""
        call = self._calls.pop(run_id, None)
        if call:
            self._on_end({"id": call.id or f"lc_run--{run_id}", "pieces": call.pieces})
            return
        for generation in response.generations[0] if response.generations else []:
            if isinstance(generation, ChatGeneration):
                self._whole[id(generation.message)] = generation.message

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_kwargs: Any) -> None:
        """The message stays incomplete."""
        call = self._calls.pop(run_id, None)
        if call:
            failure = {"error": type(error).__name__, "message": str(error)}
            self._on_end({"id": call.id or f"lc_run--{run_id}", "failure": failure})
