"""The REST API: sessions, apps, conversations, vectors."""

from recollect.server.api import sessions, vectors
from recollect.server.api.asked import routes_of

OPERATIONS = (*sessions.OPERATIONS, *vectors.OPERATIONS)
"""All operations, in the order in which their routes are tried."""

__all__ = ["OPERATIONS", "routes_of"]
