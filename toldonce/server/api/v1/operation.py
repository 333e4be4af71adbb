"""An operation of the REST API under `/v1`: OpenAPI document and checks follow from it. Its requests and replies. Pure.

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

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from toldonce.chat.identity import Headers
from toldonce.engine import AsyncToldOnce
from toldonce.operations import OPERATIONS
from toldonce.server.api.v1.access import Requester
from toldonce.server.api.v1.fields import MAX_NAME_CHARACTERS, Answer, Body, NoQuery, PageAnswer, Paging, UrlQuery
from toldonce.server.asgi import Receive, header
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
from toldonce.types import Access, Caller, Subject

BodyShape = TypeVar("BodyShape", bound=Body)
QueryShape = TypeVar("QueryShape", bound=UrlQuery)

NDJSON = "application/x-ndjson"
OCTETS = "application/octet-stream"
MARKDOWN = "text/markdown; charset=utf-8"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRequest:
    """A request whose parts are as its operation declares."""

    engine: AsyncToldOnce
    operation: "ResourceOperation"
    requester: Requester
    path: Mapping[str, str]
    """Path parameters by name, decoded."""
    raw_path: str
    """The path as it was sent."""
    headers: Headers
    query: UrlQuery
    body: Body | None = field(default=None, repr=False)
    raw_body: bytes = field(default=b"", repr=False)
    receive: Receive | None = field(default=None, repr=False)
    """Reads the body, where the operation takes a file."""
    max_stream_bytes: int = 0
    """Maximum size of that file."""

    @property
    def caller(self) -> Caller | None:
        """What the credential allows; None: everybody who can connect is trusted."""
        return self.requester.caller

    @property
    def target(self) -> Subject:
        """The subject of the path, which the request may use as its operation does."""
        return self.subject(self.path["subject"], self.operation.access)

    def subject(self, text: str, access: Access) -> Subject:
        """Return a subject that the request may use in this way: see `Requester.subject`."""
        return self.requester.subject(text, access)

    def reaches_others(self, everywhere: bool) -> bool:
        """Return `everywhere`, an erasure's reach into other subjects than that of the path.

        Raises:
            ProblemError: It is true, but the request is bound to one user or app.
        """
        if everywhere:
            self.requester.require_all_subjects()
        return everywhere

    def profile(self, given: str | None = None) -> str | None:
        """Return the profile that the body or the header `x-toldonce-profile` names."""
        return given or self.requester.identity.scope.profile

    def body_as(self, shape: type[BodyShape]) -> BodyShape:
        """Return the body, which has the operation's shape."""
        body = shape() if self.body is None else self.body
        if not isinstance(body, shape):
            raise TypeError(f"the operation {self.operation.id} declares another body than {shape.__name__}")
        return body

    def query_as(self, shape: type[QueryShape]) -> QueryShape:
        """Return the parameters of the URL, which have the operation's shape."""
        if not isinstance(self.query, shape):
            raise TypeError(f"the operation {self.operation.id} declares another query than {shape.__name__}")
        return self.query

    def reply(self, shape: type[Answer], value: object) -> ResourceReply:
        """Answer a value of the library, or a mapping with values of it."""
        return ResourceReply(answer=shape.of(value, self.requester))

    def page(self, shape: type[PageAnswer], items: Sequence[object], following: str | None) -> ResourceReply:
        """Answer a page of a list: `following` is the cursor of the next one, None on the last."""
        [name] = shape.model_fields.keys() - PageAnswer.model_fields.keys()
        answer = shape.of({name: items, "next_cursor": following}, self.requester)
        return ResourceReply(answer=answer, next_cursor=following)

    def header(self, name: str) -> str | None:
        """Return a header's value, or None."""
        value = header(self.headers, name.encode())
        return None if value is None else value.decode("latin-1").strip()


Handler = Callable[[ResourceRequest], Awaitable[ResourceReply]]
"""Serves a request whose parts were checked."""
Method = Callable[[AsyncToldOnce], Callable[..., Awaitable[Any]]]
"""Finds the method of the library that does an operation."""
Describe = Callable[[Any, ResourceRequest], object]
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
    paging: Paging | None = None
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
