"""Requests to `/v1` of a server: paths, retries, idempotency keys and pages. Sends through a transport."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import random
from typing import Any, Never
from urllib.parse import quote, urlencode
from uuid import uuid4

from toldonce.concurrency import run_in_thread_if_large
from toldonce.errors import (
    BadRequestError,
    BadServerError,
    ServerUnreachableError,
    StoreUnavailableError,
    ToldOnceError,
    TooManyRequestsError,
)
from toldonce.profiles.policies import Profile
from toldonce.remote.problems import error_of, kind_of, problem_in, retry_after_s
from toldonce.remote.transport import HttpAnswer, HttpRequest, Transport
from toldonce.text import clean
from toldonce.types import RequestScope, Subject

JSON, NDJSON = "application/json", "application/x-ndjson"
MAX_ANSWER_BYTES = 256 * 1024 * 1024
"""Maximum size of an answer that is read whole."""
MAX_PAGE_SIZE = 1000
"""Items of one page; longer lists are read page by page."""
LONG_TIMEOUT_S = 3600.0
"""How long the server may work on what takes long: forming, maintenance, erasing a subject."""
# The first pause before a retry; each further one is twice as long, and up to half of it is random.
_FIRST_PAUSE_S = 0.2
_MAX_PAUSE_S = 5.0
_SUCCESS, _NO_SUCCESS = 200, 300
_RETRIED_STATUSES = frozenset({429, 502, 503, 504})
_IN_PROGRESS = "request-in-progress"
_NO_SCOPE_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteOptions:
    """How a connection is used."""

    key: str | None = field(default=None, repr=False)
    timeout_s: float = 30.0
    """How long the server may be silent, and how long retries go on."""
    retries: int = 4
    """How often a request is sent again that may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One operation of the server."""

    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    """Parameters; those that are None are left out, lists come several times."""
    body: object = None
    """JSON; None: no body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    writes: bool = False
    """It takes an idempotency key, so that it may be repeated."""
    once: bool = False
    """It takes none, and must not be repeated once it was sent."""
    timeout_s: float | None = None
    """None: the connection's."""

    @property
    def shown(self) -> str:
        """Method and path, for messages."""
        return f"{self.method} {self.path}"


class RestClient:
    """Asks one server, as one credential."""

    def __init__(self, transport: Transport, options: RemoteOptions) -> None:
        """Ask through a transport, which is closed with the client."""
        self._transport = transport
        self._options = options
        self._is_closed = False
        self.tenant: str | None = None
        """The only tenant of the credential; None: all of them."""
        self.user: Subject | None = None
        """The credential's own user."""
        self.profiles: Mapping[str, Profile] = {}
        """The server's profiles by name, as they were when the connection was opened."""

    async def close(self) -> None:
        """Close all connections."""
        self._is_closed = True
        await self._transport.close()

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject of a user's name; None is the credential's own user.

        Raises:
            BadSubjectError: The name cannot be a user's.
            BadRequestError: The credential has no user of its own.
        """
        if isinstance(user, Subject):
            return user
        if user:
            return Subject("user", user, self.tenant or "")
        if self.user is None:
            raise BadRequestError("the API key is bound to no user: say whose memory it is with user=", param="user")
        return self.user

    def named(self, subject: Subject) -> str:
        """Return a subject's text as the server reads it: relative to the credential's tenant."""
        return replace(subject, tenant="").text if self.tenant and subject.tenant == self.tenant else subject.text

    def parsed(self, text: str) -> Subject:
        """Return the subject of a text that the server wrote."""
        subject = Subject.parse(text)
        return replace(subject, tenant=self.tenant) if self.tenant else subject

    def path(self, user: str | Subject | None, *steps: str) -> str:
        """Return a path within a subject."""
        return "/".join(["/v1/subjects", segment(self.named(self.subject(user))), *(segment(step) for step in steps)])

    async def ask(self, call: Call) -> Any:
        """Send a request and return its JSON; None without a body.

        Raises:
            ToldOnceError: The server refused the request (the error that its library raises), or cannot be reached.
        """
        return (await self.ask_with_head(call))[1]

    async def ask_with_head(self, call: Call) -> tuple[Mapping[str, str], Any]:
        """Do as `ask`, and return the headers of the answer as well, by name in lower case."""
        headers = self._headers(call)
        body = None
        if call.body is not None:
            headers["Content-Type"] = JSON
            body = await run_in_thread_if_large(_size(call.body), lambda: _encoded(call.body))
        if call.writes:
            headers["Idempotency-Key"] = uuid4().hex
        request = HttpRequest(
            method=call.method, path=_with_query(call), headers=headers, body=body, timeout_s=self._timeout(call)
        )
        return await self._until_answered(call, request)

    async def pages(self, call: Call, items: str, limit: int, *, cursor: str | None = None) -> list[Any]:
        """Read a list page by page, up to `limit` items of the field `items`."""
        found: list[Any] = []
        while True:
            size = min(limit - len(found), MAX_PAGE_SIZE)
            page = await self.ask(replace(call, query={**call.query, "limit": size, "cursor": cursor}))
            found += page[items]
            cursor = page["next_cursor"]
            if cursor is None or len(found) >= limit:
                return found[: max(limit, 0)]

    async def stream(self, call: Call, parts: Callable[[], AsyncIterator[bytes]] | None = None) -> AsyncIterator[bytes]:
        """Send a request, with a body of JSON lines if `parts` makes one, and yield the answer as it arrives.

        Raises:
            ToldOnceError: As `ask`; nothing is sent again.
        """
        self._require_open()
        headers = self._headers(call)
        if parts is not None:
            headers["Content-Type"] = NDJSON
        elif call.body is not None:
            headers["Content-Type"] = JSON
        body = parts() if parts is not None else None if call.body is None else _encoded(call.body)
        timeout_s = self._timeout(call)
        request = HttpRequest(
            method=call.method, path=_with_query(call), headers=headers, body=body, timeout_s=timeout_s
        )
        async with self._transport.open(request) as answer:
            if not _SUCCESS <= answer.status < _NO_SUCCESS:
                raise _error(call, answer, await _whole(answer))
            async for part in answer.parts:
                yield part

    async def _until_answered(self, call: Call, request: HttpRequest) -> tuple[Mapping[str, str], Any]:
        """Send a request until it is answered, or must not be sent again."""
        loop = asyncio.get_running_loop()
        began, pause = loop.time(), _FIRST_PAUSE_S
        for attempt in range(self._options.retries + 1):
            self._require_open()
            try:
                return await self._once(call, request)
            except _RefusedError as refused:
                failure, wait_s = refused.error, refused.wait_s
            except ServerUnreachableError as error:
                failure, wait_s = error, None
            is_late = loop.time() - began + (wait_s or pause) > self._options.timeout_s
            if attempt == self._options.retries or is_late or not _may_repeat(call, failure):
                raise failure
            await asyncio.sleep(wait_s if wait_s is not None else pause * (1 - random() / 2))
            pause = min(2 * pause, _MAX_PAUSE_S)
        raise AssertionError("the loop returns or raises")

    async def _once(self, call: Call, request: HttpRequest) -> tuple[Mapping[str, str], Any]:
        async with self._transport.open(request) as answer:
            body = await _whole(answer)
        if _SUCCESS <= answer.status < _NO_SUCCESS:
            return answer.headers, await _decoded(call, body)
        problem = problem_in(answer.headers, body)
        error = error_of(answer.status, answer.headers, problem, call.shown)
        if answer.status in _RETRIED_STATUSES or kind_of(problem) == _IN_PROGRESS:
            raise _RefusedError(error, retry_after_s(answer.headers))
        raise error

    def _headers(self, call: Call) -> dict[str, str]:
        headers = {"Accept": "application/json, application/problem+json, application/x-ndjson", **call.headers}
        if self._options.key:
            headers["Authorization"] = f"Bearer {self._options.key}"
        return headers

    def _timeout(self, call: Call) -> float:
        return self._options.timeout_s if call.timeout_s is None else call.timeout_s

    def _require_open(self) -> None:
        if self._is_closed:
            raise StoreUnavailableError("the connection is closed; open another one")


class _RefusedError(Exception):
    """The server asks to try again."""

    def __init__(self, error: ToldOnceError, wait_s: float | None) -> None:
        self.error, self.wait_s = error, wait_s


def segment(text: str) -> str:
    """Return a text as one step of a path.

    >>> segment("session:ana/1"), segment("..")
    ('session%3Aana%2F1', '%2E%2E')
    """
    quoted = quote(clean(text), safe="")
    return quoted.replace(".", "%2E") if set(quoted) <= {"."} else quoted


def scope_headers(scope: RequestScope) -> Mapping[str, str]:
    """Return the headers that name a profile, app, characters and time zone.

    Raises:
        BadRequestError: A name cannot be in a header, or the scope has what belongs to the server's credentials.
    """
    if scope.only_app or scope.key_profile is not None:
        raise BadRequestError("only_app and key_profile follow from the API key of a connection", param="scope")
    headers = {
        "X-ToldOnce-Profile": scope.profile,
        "X-ToldOnce-App": scope.app,
        "X-ToldOnce-Interaction": scope.interaction,
        "X-ToldOnce-Time-Zone": scope.time_zone,
    }
    if scope.characters is not None:
        assistant, user = scope.characters
        if any(mark in name for name in scope.characters for mark in ";="):
            raise BadRequestError("the name of a character holds ; or =", param="characters")
        headers["X-ToldOnce-Characters"] = f"system={assistant}; user={user}"
    named = {name: value for name, value in headers.items() if value}
    for name, value in named.items():
        if not value.isprintable() or value != value.strip():
            raise BadRequestError(f"{name[12:].lower()} {value!r} has characters that no header takes", param="scope")
    return named or _NO_SCOPE_HEADERS


def written(at: datetime | None) -> str | None:
    """Return an instant as the server reads it.

    Raises:
        BadRequestError: It has no time zone.
    """
    if at is not None and at.tzinfo is None:
        raise BadRequestError(f"the instant {at.isoformat()} needs a time zone")
    return None if at is None else at.isoformat()


def _may_repeat(call: Call, failure: ToldOnceError) -> bool:
    """Return whether sending a request again can have no second effect."""
    if isinstance(failure, TooManyRequestsError) or (
        isinstance(failure, ServerUnreachableError) and not failure.is_sent
    ):
        return True
    return not call.once


def _with_query(call: Call) -> str:
    pairs = []
    for name, value in call.query.items():
        values = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        for each in values:
            if each is not None:
                pairs.append((name, str(each).lower() if isinstance(each, bool) else clean(str(each))))
    return f"{call.path}?{urlencode(pairs, quote_via=quote)}" if pairs else call.path


def _encoded(value: object) -> bytes:
    """Write JSON; what no database can hold is replaced, as the library does.

    Raises:
        BadRequestError: It cannot be written as JSON.
    """
    try:
        return json.dumps(_cleaned(value), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequestError(f"an argument cannot be sent as JSON: {error}") from None


def _cleaned(value: object) -> object:
    match value:
        case str():
            return clean(value)
        case Mapping():
            return {clean(str(name)): _cleaned(each) for name, each in value.items()}
        case list() | tuple():
            return [_cleaned(each) for each in value]
        case _:
            return value


def _size(body: object) -> int:
    """Estimate the bytes of a body: lists of texts may be large."""
    if isinstance(body, Mapping):
        return sum(_size(each) for each in body.values())
    if isinstance(body, list):
        return sum(_size(each) for each in body)
    return len(body) if isinstance(body, str) else 8


async def _whole(answer: HttpAnswer) -> bytes:
    parts, size = [], 0
    async for part in answer.parts:
        size += len(part)
        if size > MAX_ANSWER_BYTES:
            raise BadServerError(f"the server's answer is larger than {MAX_ANSWER_BYTES:,} bytes")
        parts.append(part)
    return b"".join(parts)


class _Object(dict[str, Any]):
    """A JSON object of an answer."""

    def __missing__(self, name: str) -> Never:
        raise BadServerError(f"the server's answer lacks {name!r}: it runs another version of ToldOnce")


async def _decoded(call: Call, body: bytes) -> Any:
    """Read an answer: a JSON object, or nothing."""
    if not body:
        return None
    try:
        read = await run_in_thread_if_large(len(body), lambda: json.loads(body, object_hook=_Object))
        if isinstance(read, _Object):
            return read
        raise ValueError
    except ValueError:
        raise BadServerError(f"{call.shown} was not answered with JSON: is it a ToldOnce server?") from None


def _error(call: Call, answer: HttpAnswer, body: bytes) -> ToldOnceError:
    return error_of(answer.status, answer.headers, problem_in(answer.headers, body), call.shown)
