"""The graphs of a project, as its ``langgraph.json`` names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from ..auth import as_user
from ..errors import AppError
from ..graphs.config import USER_KEY, to_runnable_config
from ..graphs.describe import context_keys_of
from ..graphs.opened import Memory, OpenedGraph, Surroundings
from ..modules import load_export, name_of
from ..parts import ModuleSpec
from ..port import Calls, Checkpoints, JsonObject
from .source import Made, arguments_of, is_factory, read_graph


class ProjectGraph:
    """One graph of the project: compiled, or a factory that is called for each use."""

    def __init__(
        self, graph_id: str, spec: JsonObject, import_export: Callable[[ModuleSpec], Any]
    ) -> None:
        """Raises ``bad_request`` with a message that names the graph and its file."""
        self.what = f'Graph "{graph_id}": "{spec["export"]}" of {name_of(spec)}'
        try:
            exported = import_export(spec)
        except AppError as error:
            raise AppError(error.code, f'Graph "{graph_id}": {error}') from error.__cause__
        self.factory = exported if is_factory(exported) else None
        self.graph = None if self.factory else read_graph(exported, self.what)
        self.info: JsonObject = {
            "graph_id": graph_id,
            "description": spec.get("description"),
            "hasFactory": self.factory is not None,
        }
        if self.graph is not None and (keys := context_keys_of(self.graph)) is not None:
            self.info["contextKeys"] = keys
        self.info |= {name: spec[name] for name in ("config", "context") if name in spec}


class Project:
    """A user's project, loaded."""

    def __init__(
        self,
        config: JsonObject,
        calls: Calls,
        import_export: Callable[[ModuleSpec], Any] = load_export,
        *,
        memory: Memory | None = None,
    ) -> None:
        """
        ``config``: of ``start``. Raises ``bad_request`` with a message for people. Without
        ``memory``, the agent server stores the memory of graphs.
        """
        memory = memory or server_memory(calls)
        self._within = Surroundings(memory, calls, bool(config.get("langsmith")))
        self._graphs = {
            graph_id: ProjectGraph(graph_id, spec, import_export)
            for graph_id, spec in config["graphs"].items()
        }

    @property
    def langgraph_version(self) -> str:
        """The version of the project's LangGraph."""
        return version("langgraph")

    @property
    def graphs(self) -> list[JsonObject]:
        """A ``GraphInfo`` each, in the order of ``langgraph.json``."""
        return [graph.info for graph in self._graphs.values()]

    async def open(
        self, graph_id: str, config: JsonObject, checkpoints: Checkpoints | None = None
    ) -> OpenedGraph:
        """Opens a graph; a factory is called with the config, and its errors are raised."""
        source = self._graphs.get(graph_id)
        if source is None:
            raise AppError("not_found", f'The project has no graph "{graph_id}".')
        runnable = to_runnable_config(config)
        graph, close = source.graph, None
        if source.factory is not None:
            made = Made(source.what)
            runtime = _runtime_for(
                config, self._within.memory.store, is_update=checkpoints is not None
            )
            arguments = arguments_of(source.factory, runnable, runtime)
            graph = await made.make(source.factory, arguments)
            close = made.close
        return OpenedGraph(
            graph,
            runnable,
            self._within,
            checkpoints=checkpoints,
            close=close,
        )


def server_memory(calls: Calls) -> Memory:
    """The store and checkpointers on the agent server; call it on the event loop."""
    from ..checkpoints.checkpointer import checkpointer_of
    from ..store.store import HostStore

    return Memory(HostStore(calls.items), checkpointer_of)


def _runtime_for(config: JsonObject, store: Any, *, is_update: bool) -> Callable[[], Any]:
    """Makes the runtime that a factory gets: store, user, and the reason for the call."""

    def make() -> Any:
        from langgraph_sdk import runtime

        configurable: Mapping[str, Any] = config.get("configurable") or {}
        user = configurable.get(USER_KEY)
        given: dict[str, Any] = {
            "store": store,
            "user": as_user(user) if isinstance(user, dict) else None,
        }
        if "context" in config:
            return runtime._ExecutionRuntime(
                access_context="threads.create_run", context=config["context"], **given
            )
        access: Any = "threads.read" if "thread_id" in configurable else "assistants.read"
        return runtime._ReadRuntime(
            access_context="threads.update" if is_update else access, **given
        )

    return make
