"""The REST API under `/v1`: subjects, conversations, memories, and the operation of the server.

Each module has the operations of one thing. From what they declare follow the OpenAPI document, the documentation and
the checks of every request.
"""

from starlette.routing import Route

from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.server.api.v1 import (
    apps,
    conversations,
    history,
    installation,
    keys,
    memories,
    messages,
    source_import,
    subjects,
    traces,
    transfer,
    upkeep,
    usage_statistics,
)
from toldonce.server.api.v1.docs_page import page_routes
from toldonce.server.api.v1.router import RestApi, failure_body, send_refusal
from toldonce.server.subtree import Subtree

OPERATIONS = (
    *subjects.OPERATIONS,
    *conversations.OPERATIONS,
    *traces.OPERATIONS,
    *messages.OPERATIONS,
    *memories.OPERATIONS,
    *history.OPERATIONS,
    *apps.OPERATIONS,
    *installation.OPERATIONS,
    *usage_statistics.OPERATIONS,
    *upkeep.OPERATIONS,
    *transfer.OPERATIONS,
    *source_import.OPERATIONS,
    *keys.OPERATIONS,
)
"""All operations; no two have the same id, or the same method and path."""

_ROOTS = frozenset(operation.path.split("/")[2] for operation in OPERATIONS)


def is_resource_path(path: str) -> bool:
    """Return whether a decoded path is one of this API, whose errors are problem details.

    >>> is_resource_path("/v1/keys/k_1"), is_resource_path("/u/ana/v1/keys"), is_resource_path("/v1/models")
    (True, True, False)
    """
    steps = path.split("/")[1:]
    if steps[0] == "u":
        del steps[:2]
    return steps[:1] == ["v1"] and steps[1:2] != [] and steps[1] in _ROOTS


def build_api(engine: AsyncToldOnce, policy: IdentityPolicy) -> RestApi:
    """Build the API over an engine."""
    return RestApi(OPERATIONS, engine, policy)


def resource_routes(api: RestApi, *, people: str | None, public_url: str | None) -> list[Route | Subtree]:
    """Build the routes of the API, of its documentation, and of `GET /`.

    The API has the first steps after `/v1` that its operations name; other paths under `/v1` are passed through.

    Args:
        api: The API.
        people: Where `GET /` sends people, who ask for HTML; None: it says what the server is.
        public_url: URL at which browsers reach the server; None: as they call it.
    """
    return [*page_routes(OPERATIONS, people, public_url), Subtree(is_resource_path, api)]


__all__ = ["OPERATIONS", "build_api", "failure_body", "is_resource_path", "resource_routes", "send_refusal"]
