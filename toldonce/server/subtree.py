"""A route for all paths of one kind, which an application of its own serves. No pattern is compiled for it."""

from collections.abc import Callable
from typing import NoReturn

from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import ASGIApp, Receive, Scope, Send


class Subtree(BaseRoute):
    """Serves each path that `holds` is true of, whatever the method; it names no path."""

    def __init__(self, holds: Callable[[str], bool], app: ASGIApp) -> None:
        """Create the route.

        Args:
            holds: Tells by a decoded path whether it belongs here.
            app: Serves them.
        """
        self._holds = holds
        self.app = app

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether this serves a request."""
        return (Match.FULL if scope["type"] == "http" and self._holds(scope["path"]) else Match.NONE), {}

    def url_path_for(self, name: str, /, **path_params: object) -> NoReturn:
        """Raise NoMatchFound: the paths have no names."""
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        await self.app(scope, receive, send)
