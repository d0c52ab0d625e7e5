"""The last route of a project, for requests that fit another route's path but not its method."""

from __future__ import annotations

from typing import Any

from starlette.routing import BaseRoute, Match, NoMatchFound

from ..asgi import Scope
from .pass_on import pass_on


class ElseTheApi(BaseRoute):
    """Passes such requests on, since the API may have a route for the method."""

    def __init__(self, routes: list[BaseRoute]) -> None:
        self._routes = routes

    def matches(self, scope: Any) -> tuple[Match, Scope]:
        """Whether another route fits the path alone."""
        if scope["type"] != "http":
            return Match.NONE, {}
        others = (route for route in self._routes if route is not self)
        is_partial = any(route.matches(scope)[0] is Match.PARTIAL for route in others)
        return (Match.FULL if is_partial else Match.NONE), {}

    def url_path_for(self, name: str, /, **path_params: Any) -> Any:
        """The route has no name."""
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """Passes the request on to the API."""
        await pass_on(scope, receive, send)
