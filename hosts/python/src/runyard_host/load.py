"""Loads a project: its graphs and, in process 0, what it has beside them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from . import cache, logs, sdk_client
from .auth import LoadedAuth, load_auth
from .checkpoints.serde import guard_serializers
from .embeddings import ProjectEmbeddings, load_embed
from .modules import load_export, name_of
from .parts import ModuleSpec, Parts, Start
from .port import Calls, JsonObject
from .project.project import Project, server_memory
from .routes import load_routes
from .side import Side
from .tracing import Tracing
from .watch import Watch


async def load(start: Start, calls: Calls, side: Side) -> Parts:
    """
    Loads all parts. ``start["process"]`` is 0 in the process that has auth, routes and embeddings.
    Raises ``AppError`` with a message for people.
    """
    config = start["config"]
    logs.install(start["log_level"], side.tell)
    guard_serializers()
    sdk_client.install()
    cache.install()
    sdk_client.connect(calls)
    for path in reversed(config.get("paths", [])):
        sys.path.insert(0, path)
    is_first = start.get("process", 0) == 0

    def import_export(spec: ModuleSpec) -> Any:
        if is_first:
            side.tell({"kind": "starting", "doing": f"imports {name_of(spec)}"})
        return load_export(spec)

    # On a thread: a module may have a loop of its own meanwhile (``asyncio.run``).
    memory = server_memory(calls)
    project = await asyncio.to_thread(Project, config, calls, import_export, memory=memory)
    await asyncio.to_thread(_import_the_rest, config, import_export, is_first=is_first)
    auth, embed = _load_auth_and_embed(config) if is_first else (None, None)
    tracing = Tracing()
    tracing.start()
    # In each process, since graphs may use what the lifespan opens. It comes last, so that another
    # failure leaves nothing open.
    app = config.get("app")
    if app and is_first:
        side.tell({"kind": "starting", "doing": f"starts {name_of(app)}"})
    routes = await load_routes(app, load_export, side.tell) if app else None
    Watch(side.tell).start()
    ends = (*([routes.stop] if routes else []), tracing.stop)
    return Parts(project, auth=auth, routes=routes, embed=embed, ends=ends)


def _import_the_rest(
    config: JsonObject, import_export: Callable[[ModuleSpec], Any], *, is_first: bool
) -> None:
    for name in ("auth", "embed", "app") if is_first else ("app",):
        spec = config.get(name)
        if spec and "export" in spec:
            import_export(spec)


def _load_auth_and_embed(config: JsonObject) -> tuple[LoadedAuth | None, ProjectEmbeddings | None]:
    auth, embed = config.get("auth"), config.get("embed")
    return (
        load_auth(auth, load_export) if auth else None,
        load_embed(embed, config["store"]["dims"], load_export) if embed else None,
    )
