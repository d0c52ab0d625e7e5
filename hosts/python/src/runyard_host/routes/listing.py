"""The routes of a project's app as the agent server matches them: Hono's patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..port import JsonObject

_PARAM = re.compile(r"{([a-zA-Z_][a-zA-Z0-9_]*)(?::[^}]*)?}")
_EVERYTHING = {"method": "ALL", "path": "/*"}


def list_routes(routes: Iterable[Any]) -> Iterator[JsonObject]:
    """
    ``{method, path}`` of each, in their order. A pattern may match more than its route: requests
    without a route are passed on. The pattern of an unknown kind of route matches everything.
    """
    for route in routes:
        contexts = getattr(route, "effective_route_contexts", None)
        if callable(contexts):
            # Routers that FastAPI has included, with the prefixes of their inclusion.
            yield from list_routes(_route_of(context) for context in contexts())
        elif not is_web_socket(route):
            yield from _list_one(route)


def is_web_socket(route: Any) -> bool:
    """Whether it is a route for WebSockets, which do not reach the project."""
    return any(one.__name__ == "WebSocketRoute" for one in type(route).__mro__)


def _route_of(context: Any) -> Any:
    return getattr(context, "starlette_route", None) or context


def _list_one(route: Any) -> Iterator[JsonObject]:
    path = getattr(route, "path", None)
    if not isinstance(path, str):
        yield _EVERYTHING
        return
    if not hasattr(route, "methods"):
        yield {"method": "ALL", "path": f"{_pattern(route, path.rstrip('/'))}/*"}
        return
    methods = set(route.methods or ["ALL"])
    # A route for GET also serves HEAD, here and in the server.
    for method in sorted(methods - {"HEAD"} or {"ALL"}):
        yield {"method": method, "path": _pattern(route, path) or "/"}


def _pattern(route: Any, path: str) -> str:
    """Names the parameters as Hono does; a parameter of several segments becomes ``*``."""
    convertors = getattr(route, "param_convertors", {})
    made: list[str] = []
    for at, segment in enumerate(path.split("/")):
        names = _PARAM.findall(segment)
        if any(_takes_slashes(convertors.get(name)) for name in names):
            return "/".join([*made, "*"])
        if not names:
            made.append(segment)
        else:
            whole = len(names) == 1 and _PARAM.fullmatch(segment)
            made.append(f":{names[0]}" if whole else f":segment{at}")
    return "/".join(made)


def _takes_slashes(convertor: Any) -> bool:
    return convertor is not None and re.fullmatch(convertor.regex, "a/b") is not None
