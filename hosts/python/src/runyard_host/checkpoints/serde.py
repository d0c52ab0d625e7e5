"""How the values of channels become bytes if the project sets no serializer."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from .stored_json import load_json


class HostSerializer(JsonPlusSerializer):
    """LangGraph's own, with pickles for values that it cannot write, like the official server.

    ``cloudpickle``, if the project has it, also writes functions and classes of ``__main__``.
    """

    def __init__(self) -> None:
        super().__init__(pickle_fallback=True)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Returns the name of the encoding and the bytes. Raises the last pickler's error."""
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


def guard_serializers() -> None:
    """Stops LangGraph's serializers from reviving names in JSON; repeated calls are harmless.

    This includes those of caches, and of checkpointers that the project itself gives to subgraphs.
    LangGraph's own imports the named module and calls the named object before
    ``langgraph-checkpoint`` 3.0, and reads environment variables before ``langchain-core`` 1.2.5;
    text that is no Unicode made it store JSON, with data of clients unescaped.
    """
    if getattr(JsonPlusSerializer.loads_typed, "is_guarded", False):
        return
    own_dumps, own_loads = JsonPlusSerializer.dumps_typed, JsonPlusSerializer.loads_typed

    def dumps_typed(self: JsonPlusSerializer, obj: Any) -> tuple[str, bytes]:
        kind, data = own_dumps(self, obj)
        if kind != "json":
            return kind, data
        if not self.pickle_fallback:
            raise TypeError("It holds text that is no valid Unicode.")
        return "pickle", pickle.dumps(obj)

    def loads_typed(self: JsonPlusSerializer, data: tuple[str, bytes]) -> Any:
        kind, stored = data
        return load_json(stored) if kind == "json" else own_loads(self, data)

    loads_typed.is_guarded = True  # type: ignore[attr-defined]
    JsonPlusSerializer.dumps_typed = dumps_typed  # type: ignore[method-assign]
    JsonPlusSerializer.loads_typed = loads_typed  # type: ignore[method-assign]
