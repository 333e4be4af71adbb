"""The REST API under `/v1`: subjects, conversations, memories, and the operation of the server.

Each module has the operations of one thing. From what they declare follow the OpenAPI document, the documentation and
the checks of every request.
"""

from starlette.routing import Route

from recollect.chat.identity import IdentityPolicy
from recollect.engine import AsyncRecollect
from recollect.server.api.v1 import memories
from recollect.server.api.v1.pages import page_routes
from recollect.server.api.v1.router import RestApi

OPERATIONS = (*memories.OPERATIONS,)
"""All operations; no two have the same id, or the same method and path."""


def resource_routes(engine: AsyncRecollect, policy: IdentityPolicy) -> list[Route]:
    """Build the routes of the API, of its documentation, and of `GET /`.

    The API has the first steps after `/v1` that its operations name; other paths under `/v1` are passed through.
    """
    api = RestApi(OPERATIONS, engine, policy)
    routes = page_routes(OPERATIONS)
    for root in sorted({operation.path.split("/")[2] for operation in OPERATIONS}):
        for prefix in ("/v1", "/u/{user}/v1"):
            routes += [Route(f"{prefix}/{root}", api), Route(f"{prefix}/{root}/{{rest:path}}", api)]
    return routes


__all__ = ["OPERATIONS", "resource_routes"]
