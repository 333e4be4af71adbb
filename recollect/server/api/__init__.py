"""The REST API: sessions, characters, apps, conversations, vectors."""

from recollect.server.api import apps, characters, conversations, memory, sessions, vectors
from recollect.server.api.operation import routes_of

OPERATIONS = (
    *sessions.OPERATIONS,
    *characters.OPERATIONS,
    *apps.OPERATIONS,
    *conversations.OPERATIONS,
    *memory.OPERATIONS,
    *vectors.OPERATIONS,
)
"""All operations, in the order in which their routes are tried."""

__all__ = ["OPERATIONS", "routes_of"]
