"""The REST API, called in this process on behalf of a page's request: what the caller may not do, a page cannot."""

import json
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from starlette.types import ASGIApp

from toldonce.server.asgi import Header, Headers, Receive, Scope, Send
from toldonce.server.status import BAD_REQUEST, FORBIDDEN, NOT_FOUND

# Headers of a page's request that concern the page, and not what it asks the API.
_OF_THE_PAGE = (b"content-", b"accept", b"cookie", b"if-", b"idempotency-", b"transfer-", b"range")
Value = str | int | bool | float | None
Query = Mapping[str, Value | Sequence[str]]


class RestError(Exception):
    """The API answered with a problem (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: str | None) -> None:
        super().__init__(str(problem.get("detail") or problem.get("title") or status))
        self.status = status
        self.kind = str(problem.get("type", "")).rpartition("#")[2]
        """Such as `unknown-memory`: see the documentation of problems."""
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """What the API answered."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    data: Any
    """The decoded body; None if there is none."""


def api_path(*steps: str) -> str:
    """Return the path of a resource: its steps below `/v1`, escaped.

    >>> api_path("subjects", "user:a/b", "memories")
    '/v1/subjects/user%3Aa%2Fb/memories'
    """
    return "/".join(["/v1", *(quote(step, safe="") for step in steps)])


class RestCaller:
    """Calls the REST API as the sender of one page's request."""

    def __init__(self, api: ASGIApp, scope: Scope) -> None:
        self._api = api
        self._scope = scope

    async def get(self, *steps: str, **query: Value | Sequence[str]) -> Any:
        """Read a resource; return its decoded body. Parameters that are None are left out.

        Raises:
            RestError: The API answered with a problem.
        """
        return (await self.send("GET", *steps, query=query)).data

    async def post(self, *steps: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send a body to a resource; return the decoded answer.

        Raises:
            RestError: The API answered with a problem.
        """
        return (await self.send("POST", *steps, body=body)).data

    async def find_memory(self, owners: Iterable[str], id_: str) -> dict[str, Any] | None:
        """Return the memory that one of some subjects has under an id; None if it is erased, or not for the sender."""
        for owner in owners:
            try:
                found: dict[str, Any] = await self.get("subjects", owner, "memories", id_)
            except RestError as error:
                if error.status not in (NOT_FOUND, FORBIDDEN):
                    raise
            else:
                return found
        return None

    async def send(
        self,
        method: str,
        *steps: str,
        query: Query | None = None,
        body: Mapping[str, Any] | None = None,
        if_match: str | None = None,
    ) -> RestAnswer:
        """Send any request.

        Args:
            method: HTTP method.
            steps: The path below `/v1`.
            query: Parameters of the URL; those that are None are left out.
            body: What is sent as JSON; None: nothing.
            if_match: Tag of the memory as it was shown, so that nothing newer is changed.

        Raises:
            RestError: The API answered with a problem.
        """
        raw = b"" if body is None else json.dumps(body).encode("utf-8", "replace")
        scope = self._inner(method, api_path(*steps), query or {}, if_match)
        if raw:
            kind = [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
            scope["headers"] += kind
        return await self._answered(scope, _sending(raw))

    async def upload(self, *steps: str, file: Receive, query: Query) -> Any:
        """Send a file to a resource as it comes; return the decoded answer.

        Raises:
            RestError: The API answered with a problem.
            PageError: The form with the file is damaged.
        """
        scope = self._inner("POST", api_path(*steps), query, None)
        scope["headers"].append((b"content-type", b"application/octet-stream"))
        return (await self._answered(scope, file)).data

    async def relay(self, send: Send, headers: Iterable[Header], *steps: str, query: Query) -> None:
        """Read a resource, and send it on as it comes, with the headers added.

        Raises:
            RestError: The API answered with a problem; nothing was sent.
        """
        relay = _Relayed(send, tuple(headers))
        await self._api(self._inner("GET", api_path(*steps), query, None), _sending(b""), relay)
        relay.problem.answer()

    async def _answered(self, scope: Scope, receive: Receive) -> RestAnswer:
        collected = _Collected()
        await self._api(scope, receive, collected)
        return collected.answer()

    def _inner(self, method: str, path: str, query: Query, if_match: str | None) -> Scope:
        headers = [(name, value) for name, value in self._scope["headers"] if not name.lower().startswith(_OF_THE_PAGE)]
        if if_match is not None:
            headers.append((b"if-match", if_match.encode("latin-1", "replace")))
        return {
            **self._scope,
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": urlencode(_pairs(query)).encode(),
            "headers": headers,
        }


class _Collected:
    """Takes an answer, in the place of `send`."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""

    async def __call__(self, event: MutableMapping[str, Any]) -> None:
        if event["type"] == "http.response.start":
            self.status = event["status"]
            self.headers = {name.decode().lower(): value.decode("latin-1") for name, value in event["headers"]}
        else:
            self.body += event.get("body", b"")

    def answer(self) -> RestAnswer:
        """Return what came.

        Raises:
            RestError: It is a problem.
        """
        data = json.loads(self.body) if self.body else None
        if self.status >= BAD_REQUEST:
            raise RestError(self.status, data if isinstance(data, dict) else {}, self.headers.get("retry-after"))
        return RestAnswer(self.status, self.headers, data)


class _Relayed:
    """Sends an answer on as a file, in the place of `send`; a problem is collected."""

    def __init__(self, send: Send, headers: Headers) -> None:
        self.problem = _Collected()
        self._send = send
        self._headers = headers

    async def __call__(self, event: MutableMapping[str, Any]) -> None:
        is_start = event["type"] == "http.response.start"
        if self.problem.status or (is_start and event["status"] >= BAD_REQUEST):
            await self.problem(event)
        elif is_start:
            kind = [pair for pair in event["headers"] if pair[0].lower() == b"content-type"]
            await self._send({**event, "headers": [*kind, *self._headers]})
        else:
            await self._send(event)


def _sending(raw: bytes) -> Any:
    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": raw, "more_body": False}

    return receive


def _pairs(query: Query) -> list[tuple[str, str]]:
    pairs = []
    for name, value in query.items():
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is not None:
                pairs.append((name, str(each).lower() if isinstance(each, bool) else str(each)))
    return pairs
