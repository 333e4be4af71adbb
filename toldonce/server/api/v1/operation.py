"""What an operation of the REST API under `/v1` declares: the OpenAPI document and the checks follow from it. Pure.

Most operations are a method of the library, and are served by their declaration alone:

    ResourceOperation(
        "approveMemory",
        summary="Activate a held memory; it closes the memory it replaces",
        calls=lambda engine: engine.reviews.approve,
        answer=MemoryAnswer,
        act="reviews.approve",
    )

What path, URL and body say goes to the parameters of the same names, what the method returns into the answer: see
`method_call`. An operation that needs more than one call has a `handler`.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toldonce.operations import OPERATIONS
from toldonce.server.api.v1.fields import MAX_NAME_CHARACTERS, Answer, Body, NoQuery, UrlQuery
from toldonce.server.status import (
    BAD_REQUEST,
    CONFLICT,
    FORBIDDEN,
    GONE,
    INSUFFICIENT_STORAGE,
    NOT_FOUND,
    OK,
    PRECONDITION_FAILED,
    SERVICE_UNAVAILABLE,
    TOO_LARGE,
    TOO_MANY_REQUESTS,
    UNAUTHORIZED,
    UNPROCESSABLE,
    UNSUPPORTED_MEDIA_TYPE,
)
from toldonce.types import Access

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce
    from toldonce.server.api.v1.cursors import Paging
    from toldonce.server.api.v1.request import ResourceRequest

NDJSON = "application/x-ndjson"
OCTETS = "application/octet-stream"
"""A file of JSON lines may be declared as this, too: generated clients know no other type of files."""
PATH_LIMITS: Mapping[str, int] = {
    "subject": 600,
    "memory": 100,
    "conversation": MAX_NAME_CHARACTERS,
    "decision": 100,
    "trace": 100,
    "key": 100,
    "app": MAX_NAME_CHARACTERS,
    "character": MAX_NAME_CHARACTERS,
    "number": 100,
    "shared": 600,
}
"""Maximum length of each parameter of a path, in characters."""
_ID_PARAMETERS = frozenset({"memory", "conversation", "formation", "app", "profile", "key", "number", "trace"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceReply:
    """An answer with what belongs into its head."""

    answer: Answer | None = None
    """None: the answer has no body, or `stream` writes it."""
    headers: Mapping[str, str] = field(default_factory=dict)
    next_cursor: str | None = None
    """Of a list: the cursor of the next page, for the header `Link`."""
    stream: AsyncGenerator[bytes, None] | None = None
    count: int = 0
    """Rows that it changed, for the audit log; 0: not known."""


Handler = Callable[["ResourceRequest"], Awaitable[ResourceReply]]
"""Serves a request whose parts were checked."""
Method = Callable[["AsyncToldOnce"], Callable[..., Awaitable[Any]]]
"""Finds the method of the library that does an operation."""
Describe = Callable[[Any, "ResourceRequest"], object]
"""Returns the values of the answer from what the method returned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceOperation:
    """What the server does for an operation, and everything that a client has to know of it."""

    id: str = field(kw_only=False)
    """As in the table of operations, which has its method, path and access."""
    summary: str
    description: str = ""
    calls: Method | None = None
    """The method of the library that does it."""
    handler: Handler | None = None
    """Does what is more than one call of a method."""
    describe: Describe | None = None
    """Of a method: says what it returned, where the fields of the answer are not those of the value."""
    paging: "Paging | None" = None
    """Of a method that lists: how the pages follow on each other."""
    for_operator: bool = False
    """Whether it concerns all tenants: a request that is bound to one is refused."""
    query: type[UrlQuery] = NoQuery
    body: type[Body] | None = None
    has_optional_body: bool = False
    answer: type[Answer] | None = None
    status: int = OK
    works: bool = False
    """Whether it changes something that it may change twice: it takes no idempotency key."""
    has_etag: bool = False
    """Whether the answer has the tag of one memory."""
    takes_if_match: bool = False
    conflicts: bool = False
    """Whether what exists may contradict it."""
    is_lookup: bool = False
    """Whether the body names something that may not be there."""
    streams_body: bool = False
    """Whether the body is a file of JSON lines, which the handler reads."""
    streams_answer: bool = False
    act: str = ""
    """Its name in the audit log, such as `subjects.erase`; empty: it is no administrative act."""
    is_act_of_all: bool = False
    """Whether it is noted of everyone, and not of administrators and trusted requests alone."""

    @property
    def method(self) -> str:
        """HTTP method."""
        return OPERATIONS[self.id].method

    @property
    def path(self) -> str:
        """Such as `/v1/subjects/{subject}/memories/{memory}`."""
        return OPERATIONS[self.id].path

    @property
    def access(self) -> Access:
        """What the credential must allow for the subject of the path; without one, for all of its tenant."""
        return OPERATIONS[self.id].access

    @property
    def writes(self) -> bool:
        """Whether it changes something: it then takes an idempotency key."""
        return OPERATIONS[self.id].writes

    @property
    def tag(self) -> str:
        """Its heading in the documentation."""
        return OPERATIONS[self.id].tag

    @property
    def errors(self) -> tuple[int, ...]:
        """Statuses of the problems that it may answer, ascending."""
        found = {BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE}
        if "{subject}" in self.path:
            found.add(GONE)
        if self.is_lookup or any("{" + name + "}" in self.path for name in _ID_PARAMETERS):
            found.add(NOT_FOUND)
        if self.body is not None or self.streams_body:
            found |= {TOO_LARGE, UNSUPPORTED_MEDIA_TYPE}
        if self.writes or self.streams_body:
            found |= {CONFLICT, UNPROCESSABLE, INSUFFICIENT_STORAGE, TOO_LARGE}
        if self.works:
            found.add(INSUFFICIENT_STORAGE)
        if self.conflicts:
            found.add(CONFLICT)
        if self.takes_if_match:
            found.add(PRECONDITION_FAILED)
        return tuple(sorted(found))
