"""How the values of channels become bytes where the project has not said how."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer


class HostSerializer(JsonPlusSerializer):
    """LangGraph's own, and pickles of what that cannot write, as the official server does.

    ``cloudpickle``, where the project has it, also writes functions and classes of ``__main__``.
    """

    def __init__(self) -> None:
        super().__init__(pickle_fallback=True)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Answers the name of the encoding and the bytes. Raises what the last pickler raises."""
        try:
            return super().dumps_typed(obj)
        except (TypeError, AttributeError, pickle.PicklingError):
            try:
                cloudpickle = import_module("cloudpickle")
            except ImportError:
                cloudpickle = None
            if cloudpickle is None:
                raise
            return "pickle", cloudpickle.dumps(obj)
