"""The REST API: sessions and characters, apps and conversations, a user's own memories, agents' hooks."""

from toldonce.server.api import apps, hook, memory, sessions
from toldonce.server.api.operation import routes_of

OPERATIONS = (*sessions.OPERATIONS, *apps.OPERATIONS, *memory.OPERATIONS, *hook.OPERATIONS)
"""All operations; no two have the same path."""

__all__ = ["OPERATIONS", "routes_of"]
